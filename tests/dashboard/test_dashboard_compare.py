"""The list of all studies, and several of them in one chart."""

import json
import re

import pytest
from dashboard_client import serving

from rembo import Box, RandomSearch
from rembo.dashboard.asked import Asked
from rembo.dashboard.catalogue import Place
from rembo.dashboard.links import comparison
from rembo.dashboard.pages.index import labels_of
from rembo.study import Study

SAME, OTHER, THOUSAND = Place("a.db", "flags"), Place("b.db", "flags"), Place("a.db", "thousand")


def drawn(client, *places, target=None):
    return json.loads(client.get(f"/compare/charts?{comparison(places, Asked(target=target))}").text)["compared"]


@pytest.fixture
def opposed(tmp_path):
    """A server of two studies, one of which is maximised, and of one without a value."""
    box = Box(3)
    for name, direction in (("low", "minimize"), ("high", "maximize"), ("none", "minimize")):
        optimizer = RandomSearch(box, seed=0)
        with Study(box, optimizer=optimizer, storage=tmp_path / "c.db", name=name, direction=direction) as study:
            if name != "none":
                study.tell(study.ask(), 1.0)
    with serving(tmp_path) as client:
        yield client


def test_studies_of_all_files_stand_in_one_table(flags):
    page = flags.get("/").text
    assert page.count("<table>") == 1
    assert re.findall(r'<th colspan="8" scope="rowgroup">(.*?)</th>', page) == ["a.db", "b.db"]
    assert len(re.findall(r'type="checkbox"[^>]*name="study"', page)) == 3


def test_histories_of_several_studies_are_one_chart(flags):
    traces = drawn(flags, SAME, THOUSAND)["light"]["data"]
    assert [trace["name"] for trace in traces] == ["flags (one search)", "thousand (one search)"]


def test_studies_of_one_name_are_told_apart_by_their_files(flags):
    assert labels_of([SAME, THOUSAND, OTHER]) == {SAME: "a.db: flags", THOUSAND: "thousand", OTHER: "b.db: flags"}
    assert len(drawn(flags, SAME, OTHER)["light"]["data"]) == 2


def test_a_target_is_a_line_across_compared_studies(flags):
    assert drawn(flags, SAME, THOUSAND, target=80.0)["dark"]["data"][-1]["name"] == "target 80"


def test_the_page_of_compared_studies_has_them_ticked_and_leads_to_their_chart(flags):
    page = flags.get(f"/compare?{comparison([SAME, OTHER], Asked())}").text
    assert len(re.findall(r'type="checkbox"[^>]*name="study"', page)) == 3
    assert len(re.findall(r'<input id="compare-[^>]* checked', page)) == 2
    assert 'data-charts="/compare/charts?study=' in page


def test_the_page_says_what_to_do_where_nothing_is_ticked(flags):
    answer = flags.get("/compare")
    assert (answer.status, "Tick two studies or more" in answer.text) == (200, True)


def test_a_study_that_is_not_there_cannot_be_compared(flags):
    assert flags.get(f"/compare?{comparison([Place('a.db', 'absent')], Asked())}").status == 404


def test_studies_of_opposite_directions_have_a_warning(opposed):
    page = opposed.get(f"/compare?{comparison([Place('c.db', 'low'), Place('c.db', 'high')], Asked())}").text
    assert "high: maximised, the others minimised" in page


def test_studies_without_a_value_have_a_sentence_instead_of_a_chart(opposed):
    assert drawn(opposed, Place("c.db", "none"))["problem"] == "There is nothing to draw before a trial is complete."


def test_no_name_of_a_compared_study_is_taken_for_html(client, bowl, hostile):
    query = comparison([bowl, hostile], Asked())
    assert hostile.name not in client.get(f"/compare?{query}").text
    assert hostile.name not in client.get(f"/compare/charts?{query}").text
