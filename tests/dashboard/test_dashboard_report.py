"""A report: one file with everything in it, whatever a study's names are."""

import base64
import hashlib
import json
import re

import pytest
from dashboard_client import SCRIPT

from rembo.dashboard.report import report
from rembo.study.sqlite import SQLite


@pytest.fixture(scope="module")
def page(studies, hostile):
    return report(SQLite(studies / "tune.db"), hostile.name)


def scripts(page):
    return re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)


def test_a_report_has_all_parts_of_the_page(page):
    parts = re.findall(r'<section id="(\w+)"', page)
    assert parts == [
        "best", "history", "importance", "calibration", "parallel", "landscape", "method", "failures", "workers",
        "times", "trials",
    ]  # fmt: skip


def test_a_report_holds_its_charts_in_a_script_that_no_name_can_end(page):
    (stored,) = re.findall(r'<script type="application/json" id="charts">(.*?)</script>', page)
    assert "<" not in stored
    assert set(json.loads(stored)) == {
        "history", "workers", "times", "importance", "parallel", "landscape", "calibration",
    }  # fmt: skip


def test_a_report_asks_for_nothing_from_anywhere(page):
    assert re.findall(r"<(?:script|img|iframe)[^>]*src=", page) == []
    assert [link for link in re.findall(r'<link[^>]*href="([^"]*)"', page) if not link.startswith("data:")] == []


def test_a_report_allows_exactly_the_scripts_that_it_holds(page):
    allowed = re.findall(r"sha256-([^&]*)&#x27;", page)
    held = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts(page)]
    assert allowed == held
    assert len(held) == 3


def test_no_word_of_a_study_is_taken_for_html_in_a_report(page):
    assert SCRIPT not in page


def test_a_report_holds_the_method_card(page):
    assert '<th scope="row">Method</th><td>RandomSearch</td>' in page


def test_a_report_says_how_to_have_the_trials_that_it_does_not_list(page):
    assert "and 70 earlier ones: rembo export writes them all." in page


def test_a_report_has_a_switch_but_no_form(page):
    assert "<form" not in page
    assert "<input" not in page
    assert 'data-log="history"' in page
