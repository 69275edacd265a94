"""What the page of a study says of a default, of a target, of the time left, and of the trials that are asked for."""

import re
import time

import pytest
from dashboard_client import serving

from rembo import Bool, Box, Categorical, RandomSearch, Space
from rembo.dashboard.catalogue import Place
from rembo.dashboard.pages.configuration import configuration
from rembo.study import Study

FLAGS, THOUSAND = Place("a.db", "flags"), Place("a.db", "thousand")


def part(page, name):
    """The section of that name, or the head."""
    return re.search(rf'<(?:section|div) id="{name}".*?</(?:section|dl)>', page, flags=re.DOTALL).group()


def shown(client, place, *pairs):
    return client.get(f"/study?{place.query(pairs)}").text


def column(page, number):
    """The texts of a column of the trials' table."""
    rows = re.findall(r"<tr>(.*?)</tr>", part(page, "trials"), flags=re.DOTALL)[2:]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, flags=re.DOTALL)[number] for row in rows]
    return [re.sub(r"<[^>]*>", "", cell) for cell in cells]


@pytest.fixture(scope="module")
def flags(flags_folder):
    """A server that was never asked what matters, which would change the order in which parameters come."""
    with serving(flags_folder) as made:
        yield made


@pytest.fixture
def running(tmp_path):
    """A server of a study that runs: four trials are told, one is being evaluated."""
    box = Box(3)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "run.db", name="run") as study:
        for value in (4.0, 3.0, 2.0, 1.0):
            trial = study.ask()
            time.sleep(0.05)
            study.tell(trial, value)
        study.ask()
        with serving(tmp_path) as client:
            yield client


def test_the_page_says_what_differs_from_the_default_and_what_that_gains(flags):
    page = shown(flags, FLAGS)
    assert "2 of 183 differ from the default; 25 % better than the default (<strong>100</strong>" in part(page, "best")
    assert "in trial 1, 25 % better than the default" in part(page, "head")


def test_what_differs_comes_first_with_the_default_beside_and_the_rest_is_folded(flags):
    open_part, folded = part(shown(flags, FLAGS), "best").split('<details id="rest">')
    assert re.findall(r"<td><code>(.*?)</code></td>", open_part) == ["kind", "c", "b", "flag7", "True", "False"]
    assert "181 more are as in the default" in folded
    assert folded.count("<tr>") == 182


def test_the_first_of_many_that_differ_are_open_and_the_others_are_counted():
    space = Space({f"flag{number}": Bool() for number in range(40)}, default={})
    study = Study(space, optimizer=RandomSearch(space, seed=0))
    trial = study.adopt({name: number < 20 for number, name in enumerate(space.parameters)})
    opened, _, folded = str(configuration(trial)).partition("<details")
    assert (opened.count("<code>flag"), "28 more: 8 differ, 20 are as in the default" in folded) == (12, True)


def test_the_page_of_a_trial_compares_it_with_the_default(flags):
    page = flags.get(f"/trial?{FLAGS.query([('number', '2')])}").text
    assert "<code>rate</code></td><td><code>0.25</code></td><td><code>0.5</code>" in page


def test_nothing_is_said_of_a_default_where_there_is_none(client, bowl):
    assert "default" not in part(shown(client, bowl), "head") + part(shown(client, bowl), "best")


def test_a_default_that_was_not_evaluated_has_no_gain(tmp_path):
    space = Space({"a": Bool(), "b": Bool()}, default={"a": False, "b": False})
    with Study(space, optimizer=RandomSearch(space, seed=0), storage=tmp_path / "new.db") as study:
        study.tell(study.adopt({"a": True, "b": False}), 1.0)
    with serving(tmp_path) as client:
        best = part(shown(client, Place("new.db", "study")), "best")
    assert "1 of 2 differ from the default." in best


def test_the_table_of_trials_says_why_each_was_asked(tmp_path):
    space = Box(4)
    with Study(space, storage=tmp_path / "why.db", name="why", seed=0) as study:
        study.optimize(lambda x: float((x[:] ** 2).sum()) + x[0], n_trials=10)
        expected = [trial.origin.value for trial in study.trials[::-1]]
    with serving(tmp_path) as client:
        assert column(shown(client, Place("why.db", "why")), 5) == expected
    assert {"design", "polish"} <= set(expected)


def test_a_column_that_is_asked_for_shows_the_values_of_a_parameter(flags):
    page = shown(flags, FLAGS, ("column", "kind"), ("column", "rate"), ("sort", "trial"), ("order", "rising"))
    assert column(page, 4)[:3] == ["b", "c", "b"]
    assert column(page, 5)[:4] == ["0.5", "0.5", "0.25", "0"]


def test_values_that_are_not_the_default_stand_out(flags):
    trials = part(shown(flags, FLAGS, ("column", "kind")), "trials")
    assert trials.count('<td class="changed"><code>c</code>') == 1


def test_trials_are_sorted_and_filtered_as_the_address_says(flags):
    asked = [("column", "rate"), ("sort", "p.rate"), ("order", "rising"), ("low.rate", "0.1"), ("high.rate", "0.3")]
    page = shown(flags, FLAGS, *asked, ("state", "COMPLETE"))
    assert column(page, 4) == ["0.125", "0.1875", "0.25"]
    assert "3 of 12 trials" in page


def test_heads_of_columns_are_links_that_say_how_they_are_sorted(flags):
    head = part(shown(flags, FLAGS, ("column", "rate"), ("sort", "value"), ("order", "rising")), "trials")
    assert (
        'aria-sort="ascending"><a href="/study?file=a.db&amp;name=flags&amp;column=rate&amp;sort=value#trials"' in head
    )


def test_filters_that_let_nothing_through_say_so_and_lead_back(flags):
    page = part(shown(flags, FLAGS, ("low", "1e9")), "trials")
    assert "No trial is like that." in page
    assert '<a href="/study?file=a.db&amp;name=flags#trials" id="show-all">' in page


def test_a_column_that_no_parameter_has_is_a_sentence(flags):
    assert "No parameter of one coordinate is called &#x27;absent&#x27;." in shown(flags, FLAGS, ("column", "absent"))


def test_the_chooser_offers_what_differs_first(flags):
    chooser = part(shown(flags, FLAGS), "trials").split("</details>")[0]
    boxes = re.findall(r'type="checkbox"[^>]* value="(.*?)"', chooser)
    assert boxes == ["kind", "flag7"]
    assert "Differ from the default" in chooser


def test_the_chooser_offers_what_matters_once_that_is_known(client, bowl):
    client.get(f"/belief?{bowl.query()}")
    assert "Matter most" in part(shown(client, bowl), "trials")


def test_of_a_thousand_parameters_few_have_a_box_and_all_are_found_by_name(flags):
    chooser = part(shown(flags, THOUSAND), "trials").split("</details>")[0]
    assert chooser.count('type="checkbox"') < 50
    assert chooser.count("<option") == 1000


def test_a_target_is_a_line_and_said_to_be_reached(flags):
    page = shown(flags, FLAGS, ("target", "80"))
    assert "<dt>target 80</dt><dd><strong>reached</strong><small>first in trial 1</small>" in page
    assert '"name": "target 80"' in flags.get(f"/charts?{FLAGS.query([('target', '80')])}").text


def test_a_target_that_is_not_reached_says_how_far_it_is(flags):
    assert "<strong>not reached</strong><small>25 away</small>" in shown(flags, FLAGS, ("target", "50"))


def test_the_target_stays_in_the_address_of_every_link(flags):
    links = re.findall(r'<a href="(/study[^"]*)"', part(shown(flags, FLAGS, ("target", "50")), "trials"))
    assert links
    assert all("target=50" in link for link in links)


def test_a_running_study_says_how_long_the_trials_to_come_will_take(running):
    page = shown(running, Place("run.db", "run"), ("of", "1000"))
    assert re.search(r"time left</dt><dd><strong>about [\d.]+ s</strong>", page)
    assert "5 of 1,000" in part(page, "head")


def test_a_running_study_without_a_number_of_trials_says_its_pace(running):
    assert re.search(r"pace</dt><dd><strong>\d+ ms a trial</strong>", shown(running, Place("run.db", "run")))


def test_a_study_that_does_not_run_has_no_time_left(flags):
    assert "time left" not in shown(flags, FLAGS, ("of", "1000"))


def test_a_log_axis_is_offered_where_all_values_are_above_zero(flags):
    assert 'data-log="history"' in part(shown(flags, FLAGS), "history")


def test_a_log_axis_that_cannot_be_says_why(tmp_path):
    box = Box(3)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "new.db") as study:
        study.tell(study.ask(), -2.5)
    with serving(tmp_path) as client:
        history = part(shown(client, Place("new.db", "study")), "history")
    assert "No log axis: it needs values above 0, and the lowest is -2.5." in history
    assert "data-log" not in history


@pytest.mark.parametrize("pair", [("target", "x"), ("of", "-1"), ("state", "GONE"), ("low", "nan")])
def test_what_cannot_be_asked_for_is_not_found_and_has_a_page(flags, pair):
    answer = flags.get(f"/study?{FLAGS.query([pair])}")
    assert (answer.status, "All studies" in answer.text) == (404, True)


def test_a_parameter_of_very_many_names_is_filtered_by_typing_one(tmp_path):
    space = Space({"city": Categorical([f"city{number}" for number in range(20_000)]), "on": Bool()})
    with Study(space, optimizer=RandomSearch(space, seed=0), storage=tmp_path / "new.db") as study:
        for city in ("city7", "city19999"):
            study.tell(study.adopt({"city": city, "on": True}), 1.0)
    with serving(tmp_path) as client:
        page = shown(client, Place("new.db", "study"), ("column", "city"), ("is.city", "city19999"))
    assert column(page, 4) == ["city19999"]
    assert page.count("<option") < 20


def test_a_long_array_offers_few_names(tmp_path):
    box = Box(10**9)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "new.db") as study:
        study.tell(study.ask(), 1.0)
    with serving(tmp_path) as client:
        chooser = part(shown(client, Place("new.db", "study")), "trials").split("</details>")[0]
    assert re.findall(r'<option value="(.*?)"', chooser) == ["x[0]", "x[1]", "x[2]"]


def test_a_page_of_a_billion_parameters_shows_one_that_is_asked_for(tmp_path):
    box = Box(10**9)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "new.db") as study:
        trial = study.tell(study.ask(), 1.0)
    asked = [("column", "x[999999999]"), ("sort", "p.x[999999999]")]
    with serving(tmp_path) as client:
        page = shown(client, Place("new.db", "study"), *asked)
    assert column(page, 4) == [f"{trial.x[999_999_999]:.6g}"]
