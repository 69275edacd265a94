"""The record: what is kept, read back and forgotten."""

import pytest

from harness.record import append, forget, load
from harness.search import Line


def line(seed=0, gap=0.5):
    return Line(
        "branin-25",
        "random",
        seed,
        100,
        [(1, 3.0), (40, gap)],
        0.1,
        {"rembo": "0.1.0"},
        0.08,
        0.07,
        {"x0": 3, "on": True},
    )


def test_finished_search_is_read_back_as_it_was(tmp_path):
    append(tmp_path / "lines", line())
    assert load(tmp_path / "lines") == [line()]


def test_line_written_before_asking_was_timed_is_still_read(tmp_path):
    old = (
        '{"problem": "a", "method": "b", "seed": 0, "evaluations": 1, "gaps": [[1, 2.5]], "cpu_s": 1.0, "versions": {}}'
    )
    (tmp_path / "lines").write_text(old + "\n")
    assert load(tmp_path / "lines")[0].ask_s is None


@pytest.mark.parametrize("text", ['{"problem": "branin-25", "gaps": [[1, 2.', '{"versions": {"rembo": "0.1.0"}'])
def test_line_cut_off_by_a_kill_does_not_count(text, tmp_path):
    (tmp_path / "lines").write_text(text)
    assert load(tmp_path / "lines") == []


def test_line_after_one_cut_off_is_whole(tmp_path):
    (tmp_path / "lines").write_text('{"problem": "branin-25", "gaps": [[1, 2.')
    append(tmp_path / "lines", line())
    assert load(tmp_path / "lines") == [line()]


def test_forgotten_search_leaves_the_others(tmp_path):
    append(tmp_path / "lines", line(seed=0))
    append(tmp_path / "lines", line(seed=1))
    forget(tmp_path / "lines", [line(seed=0).key])
    assert load(tmp_path / "lines") == [line(seed=1)]


def test_nothing_is_forgotten_before_the_first_line(tmp_path):
    forget(tmp_path / "lines", [line().key])
    assert load(tmp_path / "lines") == []
