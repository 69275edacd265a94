"""The contest's book-keeping: what is recorded, kept, resumed and shown."""

import pytest

from peers import Key, Line, Recorder, append, forget, load, markdown_table, plain_table, rows, run, search, unfinished
from rembo.problems import Branin, Levy, Noisy


def line(seed=0, gap=0.5, method="random", problem="branin-25"):
    return Line(problem, method, seed, 100, [[1, 3.0], [40, gap]], 0.1, {"rembo": "0.1.0"})


def test_recorder_keeps_only_the_evaluations_that_improve():
    record = Recorder(Levy(1))
    for place in (0.5, 0.9, 0.1):
        record([place])
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


def test_finished_search_is_read_back_as_it_was(tmp_path):
    append(tmp_path / "lines", line())
    assert load(tmp_path / "lines") == [line()]


def test_finished_search_is_not_run_again(tmp_path):
    append(tmp_path / "lines", line(seed=0))
    keys = [Key("branin-25", "random", seed) for seed in (0, 1)]
    assert unfinished(keys, tmp_path / "lines") == keys[1:]


@pytest.mark.parametrize("text", ['{"problem": "branin-25", "gaps": [[1, 2.', '{"versions": {"rembo": "0.1.0"}'])
def test_line_cut_off_by_a_kill_does_not_count(text, tmp_path):
    (tmp_path / "lines").write_text(text)
    assert load(tmp_path / "lines") == []


def test_line_after_one_cut_off_is_whole(tmp_path):
    (tmp_path / "lines").write_text('{"problem": "branin-25", "gaps": [[1, 2.')
    append(tmp_path / "lines", line())
    assert load(tmp_path / "lines") == [line()]


def test_forgotten_search_is_run_again(tmp_path):
    append(tmp_path / "lines", line(seed=0))
    append(tmp_path / "lines", line(seed=1))
    forget(tmp_path / "lines", [line(seed=0).key])
    assert load(tmp_path / "lines") == [line(seed=1)]


def test_nothing_is_forgotten_before_the_first_line(tmp_path):
    forget(tmp_path / "lines", [line().key])
    assert load(tmp_path / "lines") == []


def test_local_search_of_levels_is_not_run_on_a_continuum(tmp_path):
    keys = [Key("branin-25", "paramils", 0), Key("bits-50", "paramils", 0)]
    assert unfinished(keys, tmp_path / "lines") == keys[1:]


def test_search_is_a_function_of_its_key():
    first, second = (search(Key("sparse-bits", "random", 3)) for _ in range(2))
    assert first.gaps == second.gaps


def test_search_spends_the_whole_budget():
    assert search(Key("branin-25", "random", 0)).evaluations == 100


def test_failed_search_does_not_end_the_contest(tmp_path):
    broken, sound = Key("branin-25", "no such method", 0), Key("branin-25", "random", 0)
    assert run([broken, sound], 1, tmp_path / "lines") == [broken]
    assert [finished.key for finished in load(tmp_path / "lines")] == [sound]


def test_row_has_the_statistics_of_all_seeds():
    (row,) = rows([line(0, 1.0), line(1, 2.0), line(2, 6.0)])
    assert row.cells == ["random search", "3", "3", "1.53", "2", "6", "0.1"]


def test_plain_table_has_a_line_for_each_method():
    text = plain_table(list(rows([line(0), line(0, method="cma")])))
    assert [row.split("  ")[0] for row in text.splitlines()[2:]] == ["random search", "CMA-ES"]


def test_markdown_table_prints_the_lowest_mean_in_bold():
    text = markdown_table(list(rows([line(0, 0.5), line(0, 0.25, method="cma")])))
    assert "| Branin in D = 25 | 100 | 0.5 (1) | **0.25** (1) |" in text
