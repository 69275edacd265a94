"""One search: what is recorded of it."""

from functools import partial

import pytest

from harness.methods import RANDOM, Entry
from harness.search import Key, Recorder, Stopwatch, Task, is_plain, search, search_seed, six_digits
from rembo.problems import BinaryQuadratic, Branin, Levy, Noisy, Padded

BRANIN = Task("Branin in D = 5", partial(Padded, Branin(), 5), 20)


class Lazy:
    """A method that does not evaluate anything."""

    packages = ()

    def serves(self, space):
        return True

    def minimize(self, f, space, n_trials, seed):
        pass


def test_recorder_keeps_only_the_evaluations_that_improve():
    record = Recorder(Levy(1))
    values = [record([place]) for place in (0.5, 0.9, 0.1)]
    assert values[2] < values[0] < values[1]
    assert [number for number, _ in record.gaps] == [1, 3]


def test_recorder_hands_on_the_value_observed():
    assert Recorder(Branin())([0.3, -0.4]) == Branin()([0.3, -0.4])


def test_recorder_scores_a_noisy_improvement_by_its_true_value():
    record = Recorder(Noisy(Levy(1), std=0.3, seed=4))
    record([0.5])
    assert record.gaps[0][1] == pytest.approx(Levy(1)([0.5]), rel=1e-5)  # six digits are kept


def test_recorder_takes_rounding_for_no_gap():
    record = Recorder(Levy(1))
    record([0.1])
    assert record.gaps == [(1, 0.0)]


@pytest.mark.parametrize(("gap", "kept"), [(0.123456789, 0.123457), (1234567.0, 1234570.0), (3e-13, 0.0)])
def test_gap_is_kept_to_six_digits(gap, kept):
    assert six_digits(gap) == kept


def test_stopwatch_counts_a_block_that_raises():
    watch = Stopwatch()
    with pytest.raises(ZeroDivisionError), watch.running():
        sum(range(1000)) / 0
    assert watch.wall > 0.0


def test_search_spends_the_whole_budget():
    assert search(Key("branin", "random", 0), BRANIN, RANDOM, 0).evaluations == 20


def test_search_is_a_function_of_its_seeds():
    first, second = (search(Key("branin", "random", 3), BRANIN, RANDOM, 5) for _ in range(2))
    assert first.gaps == second.gaps


def test_search_differs_with_the_seed_of_its_problem():
    first, second = (search(Key("branin", "random", seed), BRANIN, RANDOM, 5) for seed in (3, 4))
    assert first.gaps != second.gaps


def test_search_differs_with_its_own_seed():
    first, second = (search(Key("branin", "random", 3), BRANIN, RANDOM, seed) for seed in (5, 6))
    assert first.gaps != second.gaps


def test_method_that_stops_early_is_refused():
    with pytest.raises(RuntimeError, match="0 evaluations instead of 20"):
        search(Key("branin", "lazy", 0), BRANIN, Entry("lazy", Lazy), 0)


def test_line_names_the_versions_of_its_packages():
    assert set(search(Key("branin", "random", 0), BRANIN, RANDOM, 0).versions) == {"rembo", "numpy", "scipy"}


def test_line_keeps_the_best_configuration_of_named_parameters():
    bits = Task("bits", partial(BinaryQuadratic, 6), 20)
    found = search(Key("bits", "random", 0), bits, RANDOM, 0)
    assert BinaryQuadratic(6, 0)(found.best) - BinaryQuadratic(6, 0).optimum == pytest.approx(found.gap, abs=1e-5)


def test_line_keeps_no_point_of_many_coordinates():
    assert search(Key("branin", "random", 0), BRANIN, RANDOM, 0).best is None


def test_configuration_of_thousands_of_parameters_is_not_kept():
    assert is_plain({f"p{number}": number for number in range(1000)})
    assert not is_plain({f"p{number}": number for number in range(1001)})


def test_search_of_a_seed_draws_other_numbers_than_its_problem():
    assert len({search_seed(seed) for seed in range(50)} | set(range(50))) == 100
