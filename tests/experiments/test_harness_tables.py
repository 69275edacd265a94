"""Tables as text and as markdown."""

from harness.statistics import Comparison, Summary
from harness.tables import Table, mean_and_error, rank_table

TABLE = Table(["method", "mean"], [["random", "0.5"], ["cma", "12.25"]])


def test_columns_of_a_plain_table_are_aligned():
    assert str(TABLE).splitlines() == ["method   mean", "random    0.5", "cma     12.25"]


def test_markdown_table_has_a_line_below_its_head():
    assert TABLE.markdown.splitlines()[:3] == ["| method | mean |", "|---|---|", "| random | 0.5 |"]


def test_single_seed_is_shown_without_an_error():
    assert mean_and_error(Summary((0.5,))) == "0.5"


def test_mean_is_shown_with_its_standard_error():
    assert mean_and_error(Summary((1.0, 2.0, 6.0))) == "3 ± 1.5"


def test_rank_table_says_which_methods_differ():
    table = rank_table([Comparison("a", "b", 3.0, 0.01), Comparison("a", "c", 9.0, 0.8)])
    assert table.rows == [["a", "b", "3", "0.01", "yes"], ["a", "c", "9", "0.8", "no"]]
