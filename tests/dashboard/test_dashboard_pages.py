"""The pages as a server sends them: what they say, and that no text of a study is taken for HTML."""

import json
import re

import pytest
from dashboard_client import SCRIPT, serving

from rembo import Box, RandomSearch
from rembo.study import Study
from rembo.study.sqlite import SQLite

ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"
PAGES = ["/", "/study?{}", "/trial?{}&number=0"]


def part(page, name):
    """The section of that name."""
    return re.search(rf'<section id="{name}".*?</section>', page, flags=re.DOTALL).group()


@pytest.fixture(scope="module")
def page(client, bowl):
    return client.get(f"/study?{bowl.query()}").text


def test_the_list_of_studies_links_to_each_of_them(client, bowl, hostile):
    text = client.get("/").text
    assert f'href="/study?{bowl.query().replace("&", "&amp;")}"' in text
    assert f'href="/study?{hostile.query().replace("&", "&amp;")}"' in text


def test_an_empty_folder_is_a_list_that_says_so(tmp_path):
    with serving(tmp_path) as client:
        assert "There is no study&#x27;s file in" in client.get("/").text


@pytest.mark.parametrize("address", PAGES)
def test_no_word_of_a_study_is_taken_for_html(client, hostile, address):
    text = client.get(address.format(hostile.query())).text
    assert ESCAPED in text
    assert SCRIPT not in text


def test_the_page_of_a_study_says_which_value_is_best(page, studies):
    best = min(trial.value for trial in SQLite(studies / "tune.db").read("bowl").trials if trial.value is not None)
    assert f"<strong>{best:.6g}</strong>" in page
    assert f"<strong>{best!r}</strong>" in part(page, "best")


def test_the_best_configuration_is_there_as_json_to_copy(page):
    copied = re.search(r'<pre id="configuration">(.*?)</pre>', page, flags=re.DOTALL).group(1)
    assert len(json.loads(copied.replace("&quot;", '"'))["x"]) == 20


def test_failures_have_their_whole_error_text(page):
    failures = part(page, "failures")
    assert "ValueError: no value here" in failures
    assert "Traceback (most recent call last)" in failures


def test_workers_stand_in_a_table_with_what_they_finished(page):
    assert "<td>20</td>" in part(page, "workers")


@pytest.mark.parametrize("chart", ["history", "importance", "calibration", "landscape", "workers", "times"])
def test_the_page_has_a_place_for_each_chart(page, chart):
    assert f'data-chart="{chart}"' in part(page, chart)


def test_trials_are_shown_in_pages_the_newest_first(client, hostile):
    first, last = (client.get(f"/study?{hostile.query([('page', page)])}").text for page in ("0", "2"))
    assert re.findall(r'number=(\d+)">', part(first, "trials"))[:2] == ["119", "118"]
    assert re.findall(r'number=(\d+)">', part(last, "trials"))[-1] == "0"


def test_the_page_of_a_trial_says_what_f_got_and_what_came_of_it(client, hostile):
    text = client.get(f"/trial?{hostile.query([('number', '0')])}").text
    assert f"ValueError: {ESCAPED}" in text
    assert "<code>{%b}</code>" in text


@pytest.mark.parametrize(
    "address",
    [
        "/nowhere",
        "/study",
        "/study?file=tune.db&name=absent",
        "/study?file=absent.db&name=bowl",
        "/study?file=../tune.db&name=bowl",
        "/study?file=tune.db&name=bowl&page=7",
        "/study?file=tune.db&name=bowl&page=-1",
        "/trial?file=tune.db&name=bowl&number=20",
        "/trial?file=tune.db&name=bowl&number=x",
        "/charts?file=tune.db&name=absent",
        "/belief?file=tune.db&name=absent",
        "/events?file=absent.db",
        "/static/absent.js",
        "/static/..%2Fapp.py",
    ],
)
def test_what_is_not_there_is_not_found_and_has_a_page(client, address):
    answer = client.get(address)
    assert (answer.status, "All studies" in answer.text) == (404, True)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent_to_a_page(client, bowl, method):
    assert client.send(method, f"/study?{bowl.query()}").status == 405


def test_a_file_that_is_missing_is_a_page_that_says_what_to_do(tmp_path):
    with serving(tmp_path / "later.db") as client:
        answer = client.get("/study?file=later.db&name=bowl")
    assert (answer.status, "begin a study there" in answer.text) == (500, True)


def test_a_file_that_is_corrupt_is_a_page_that_says_what_to_do(tmp_path, studies):
    content = (studies / "tune.db").read_bytes()
    (tmp_path / "tune.db").write_bytes(content[:5000] + b"\xff" * 3000 + content[8000:])
    with serving(tmp_path) as client:
        answer = client.get("/study?file=tune.db&name=bowl")
        assert (answer.status, "restore a copy of it" in answer.text) == (500, True)
        assert "restore a copy of it" in client.get("/").text


def test_a_study_without_trials_has_a_page(tmp_path):
    box = Box(10**9)
    Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "new.db").close()
    with serving(tmp_path) as client:
        text = client.get("/study?file=new.db&name=study").text
        charts = json.loads(client.get("/charts?file=new.db&name=study").text)
    assert "no trials yet" in text
    assert "No trial is complete yet." in part(text, "best")
    assert charts["history"]["problem"] == "There is nothing to draw before a trial is finished."


def test_a_configuration_of_a_billion_numbers_is_not_written_out(tmp_path):
    box = Box(10**9)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "new.db") as study:
        study.optimize(lambda x: x[7], n_trials=2, progress=False)
    with serving(tmp_path) as client:
        best = part(client.get("/study?file=new.db&name=study").text, "best")
    assert "an array of more than 1,000 numbers" in best
    assert "rembo.Study.load(file, name).best_params" in best
