"""What was tried where parameters are categorical: the problems, the forest of trees, and the page."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("cocoex", reason="the ablation needs coco-experiment")
pytest.importorskip("matplotlib", reason="figures need matplotlib")

import choices
from harness.contest import contest
from harness.methods.trees import grow
from harness.methods.tried import settings
from rembo.embedding import Region
from rembo.kernel import Leaves
from rembo.optimizer.growing.ascent import Ground


def test_mixed_problem_is_lowest_where_both_of_its_parts_are():
    problem = choices.bits_and_bowl(3)
    bits = np.unravel_index(problem.categoricals.table.argmin(), problem.categoricals.table.shape)
    x = dict.fromkeys(problem.categoricals.space.parameters, False) | {"u": problem.numbers.bottom}
    x |= {f"x{i}": bool(bit) for i, bit in zip(problem.categoricals.coordinates, bits, strict=True)}
    assert_allclose(problem(x), problem.optimum, atol=1e-12)


def test_forest_of_trees_tells_which_bits_matter():
    rng = np.random.default_rng(0)
    seen, other = (rng.integers(0, 2, (200, 20)).astype(float) for _ in range(2))
    mean, std = grow(seen, seen[:, 3] - 2.0 * seen[:, 7], rng)(other)
    assert np.corrcoef(mean, other[:, 3] - 2.0 * other[:, 7])[0, 1] > 0.95
    assert (std > 0.0).all()


def test_settings_are_those_of_the_categoricals_with_the_shortest_length_scales():
    leaves = Leaves(np.array([2, 300, 2, 0]), {})
    ground = Ground(Region(4, 1.0), np.full(4, 0.5), np.array([3.0, 9.0, 1.0, 0.1]), leaves)
    found = settings(ground, ground.at)
    assert {tuple(row) for row in found} == {(a, 0.5, c, 0.5) for a in (-0.5, 0.5) for c in (-0.5, 0.5)}


@pytest.mark.parametrize("method", choices.METHODS)
def test_every_variant_searches_bits_and_numbers(shortened, tmp_path, method):
    experiment = shortened(choices.EXPERIMENT, n_trials=28)
    chosen = ["--methods", method, "--problems", "mixed", "--seeds", "1", "--workers", "1"]
    assert contest(experiment, "", choices.present, chosen) == 0
    assert "40 bits" in (tmp_path / "ablate_choices.md").read_text()
