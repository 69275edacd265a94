"""Random spaces with conditions and forbidden clauses: all that they decode to is legal."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rembo import Point
from rembo.embedding import Forest, Layout
from rembo.kernel import Leaves
from rules import checked, random_space


@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_random_space_decodes_to_legal_configurations(seed):
    assert {checked(seed + each) for each in range(100)} <= {"legal", "refused"}


def conditional(seed):
    """Whether the random space of a seed has conditions, and no forbidden clauses."""
    try:
        rules = random_space(np.random.default_rng(seed)).rules
    except ValueError:
        return False
    return bool(rules.conditions) and not rules.forbidden


CONDITIONAL = [seed for seed in range(60) if conditional(seed)]


def finest(space):
    layout = Layout.of(space)
    sizes = dict(zip(layout.kinds, layout.sizes, strict=True))
    return Forest.planted(layout, sizes.get(0, 0), seed=1, choices=sum(sizes.values()) - sizes.get(0, 0))


@pytest.mark.parametrize("seed", CONDITIONAL)
def test_leaves_rest_just_where_f_gets_nothing(seed):
    space = random_space(np.random.default_rng(seed))
    forest = finest(space)
    leaves, Y = Leaves.of(space, forest), np.random.default_rng(seed).uniform(-1.0, 1.0, (20, forest.embedding_dim))
    of_leaf = [int(forest.members(leaf)[0]) for leaf in range(forest.embedding_dim)]
    owner = [name for name, part in zip(space.parameters, space.parts, strict=True) for _ in range(part.parameter.size)]
    absent = [[owner[i] not in space.decode(Point(forest, y)) for i in of_leaf] for y in leaves.snap(Y)]
    assert_array_equal(leaves.dormant.mask(leaves.snap(Y)), absent)


@pytest.mark.parametrize("seed", CONDITIONAL)
def test_snapping_changes_nothing_that_f_gets(seed):
    space = random_space(np.random.default_rng(seed))
    forest = finest(space)
    y = np.random.default_rng(seed).uniform(-1.0, 1.0, forest.embedding_dim)
    before, after = (space.decode(Point(forest, each)) for each in (y, Leaves.of(space, forest).snap(y[None, :])[0]))
    assert repr(before) == repr(after)


def test_space_that_decodes_to_what_is_forbidden_is_found_out(monkeypatch):
    monkeypatch.setattr("rembo.space.Rules.legal", lambda self, values, start: values)
    assert "forbidden" in {checked(seed) for seed in range(50)}
