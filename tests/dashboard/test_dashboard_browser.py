"""The pages in a real Chromium: drawn, live, by keyboard, on a phone, in the dark, and from a file."""

import json
import shutil
from dataclasses import dataclass, field

import pytest
from dashboard_client import SCRIPT, serving

from rembo import Box, RandomSearch
from rembo.dashboard.catalogue import Place
from rembo.dashboard.report import write_report
from rembo.study import Study
from rembo.study.sqlite import SQLite

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PHONE = {"width": 375, "height": 780}
WIDE = {"width": 1400, "height": 900}
STUDY = Place("a.db", "flags")
DRAWN = ".js-plotly-plot[data-chart=history]"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no playwright")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass(frozen=True)
class Heard:
    """What a page asked for, and what it complained of."""

    requests: list = field(default_factory=list)
    complaints: list = field(default_factory=list)


@pytest.fixture
def visit(browser):
    """Opens an address in a browser of its own; returns the page and what was heard of it."""
    contexts = []

    def open_page(url, **options):
        contexts.append(browser.new_context(**options))
        page, heard = contexts[-1].new_page(), Heard()
        page.set_default_timeout(120_000)
        page.on("request", lambda request: heard.requests.append(request.url))
        page.on("console", lambda message: heard.complaints.append(message.text))
        page.on("pageerror", lambda error: heard.complaints.append(str(error)))
        page.on("dialog", lambda dialog: heard.complaints.append(dialog.message))
        page.goto(url)
        return page, heard

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def url(client):
    return f"http://127.0.0.1:{client.port}"


@pytest.fixture
def flags_url(flags):
    return f"http://127.0.0.1:{flags.port}"


@pytest.fixture
def written(tmp_path):
    """A study that is being written, and the address of its page."""
    box = Box(3)
    with Study(box, optimizer=RandomSearch(box, seed=0), storage=tmp_path / "tune.db", name="mine") as study:
        study.fail(study.ask(), "Traceback ...\nValueError: first")
        with serving(tmp_path) as client:
            yield study, f"http://127.0.0.1:{client.port}/study?file=tune.db&name=mine"


def test_a_study_is_drawn_without_a_complaint_and_nothing_leaves_the_host(visit, url, bowl):
    page, heard = visit(f"{url}/study?{bowl.query()}")
    page.wait_for_selector("#card table")
    page.wait_for_selector(".js-plotly-plot[data-chart=landscape]")
    assert heard.complaints == []
    assert [request for request in heard.requests if not request.startswith((f"{url}/", "data:"))] == []


def test_hostile_names_are_shown_as_they_are(visit, url, hostile):
    page, heard = visit(f"{url}/study?{hostile.query()}")
    page.wait_for_selector("#card table")
    assert SCRIPT in page.inner_text("h1")
    assert SCRIPT in page.inner_text("#failures")
    assert heard.complaints == []


def test_a_trial_that_is_told_appears_while_the_page_is_open(visit, written):
    study, address = written
    page, heard = visit(address)
    page.wait_for_selector(".live.connected")
    study.tell(study.ask(), 0.125)
    page.wait_for_selector("#head strong:text-is('0.125')")
    page.wait_for_selector(DRAWN)
    assert heard.complaints == []


def test_an_error_that_is_read_stays_open_when_another_one_comes(visit, written):
    study, address = written
    page, _ = visit(address)
    page.click("#failure-0 summary")
    study.fail(study.ask(), "Traceback ...\nValueError: second")
    page.wait_for_selector("#failure-1")
    assert page.is_visible("#failure-0 pre")


def test_the_keyboard_leads_past_the_banner_and_switches_the_theme(visit, url):
    page, _ = visit(url, color_scheme="light")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'main'")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "theme"
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/", "table"),
        ("/study?{}", DRAWN),
        ("/study?{}&column=kind&column=rate&column=flag7&target=80&of=99", DRAWN),
        ("/trial?{}&number=0", "#configuration"),
        ("/compare?study=file%3Da.db%26name%3Dflags", ".js-plotly-plot"),
    ],
)
def test_a_phone_shows_a_page_without_scrolling_sideways(visit, flags_url, address, there):
    page, _ = visit(flags_url + address.format(STUDY.query()), viewport=PHONE)
    page.wait_for_selector(there, state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_bars_of_what_matters_fit_on_a_phone_with_names_above(visit, url, bowl):
    page, _ = visit(f"{url}/study?{bowl.query()}", viewport=PHONE)
    page.wait_for_selector("[data-chart=importance].js-plotly-plot .annotation")
    seen = page.evaluate("(chart => [chart.scrollWidth <= chart.parentElement.clientWidth, chart.data[0].y.length])"
                         "(document.querySelector('[data-chart=importance]'))")  # fmt: skip
    assert seen == [True, page.locator("[data-chart=importance] .annotation").count()]


def test_no_half_of_a_row_is_empty_on_a_wide_screen(visit, flags_url):
    page, _ = visit(f"{flags_url}/study?{STUDY.query()}", viewport=WIDE)
    page.wait_for_selector("#importance.without")
    right = page.evaluate("[...document.querySelectorAll('.part')].map(part => part.getBoundingClientRect())")
    edges = {top: max(box["right"] for box in right if box["top"] == top) for top in {box["top"] for box in right}}
    assert len(set(map(round, edges.values()))) == 1


def test_a_link_in_the_head_sorts_by_keyboard_and_keeps_the_page(visit, flags_url):
    page, heard = visit(f"{flags_url}/study?{STUDY.query([('column', 'rate')])}")
    page.wait_for_selector(DRAWN)
    page.evaluate("window.same = true")
    page.focus("#trials th:has-text('rate') a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trials th[aria-sort]:has-text('rate ▲')")
    assert page.inner_text("#trials tbody tr:first-child td:nth-child(5)") == "0"
    assert (page.evaluate("window.same"), page.evaluate("document.activeElement.id")) == (True, "sort-4")
    assert "sort=p.rate" in page.url
    assert heard.complaints == []


def test_fields_filter_and_add_columns_by_keyboard(visit, flags_url):
    page, _ = visit(f"{flags_url}/study?{STUDY.query()}")
    page.wait_for_selector(".live.connected")
    page.fill("[name=low]", "105.5")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trials :text('4 of 12 trials')")
    page.focus("#columns summary")
    page.keyboard.press("Enter")
    page.fill("#field-column", "flag7")
    page.keyboard.press("Enter")
    page.wait_for_selector("#trials th:has-text('flag7')")
    assert page.input_value("[name=low]") == "105.5"


def test_what_was_asked_for_before_comes_back_with_the_address(visit, flags_url):
    page, _ = visit(f"{flags_url}/study?{STUDY.query()}")
    page.wait_for_selector(".live.connected")
    page.click("#trials th:has-text('value') a")
    page.wait_for_selector("#trials th[aria-sort]:has-text('value')")
    page.go_back()
    page.wait_for_selector("#trials th[aria-sort]:has-text('trial')")


def test_the_log_axis_is_switched_by_keyboard_and_stays_in_the_address(visit, flags_url):
    page, heard = visit(f"{flags_url}/study?{STUDY.query()}")
    page.wait_for_selector(DRAWN)
    page.focus("#log-history")
    page.keyboard.press("Enter")
    page.wait_for_selector("#log-history[aria-pressed=true]")
    page.reload()
    page.wait_for_selector(DRAWN)
    assert page.evaluate(f"document.querySelector('{DRAWN}').layout.yaxis.type") == "log"
    assert page.get_attribute("#log-history", "aria-pressed") == "true"
    assert heard.complaints == []


def test_a_target_that_is_given_is_drawn_without_another_page(visit, flags_url):
    page, _ = visit(f"{flags_url}/study?{STUDY.query()}")
    page.wait_for_selector(DRAWN)
    page.fill("#field-target", "80")
    page.keyboard.press("Enter")
    page.wait_for_selector("#head dt:text-is('target 80')")
    page.wait_for_selector(f"{DRAWN} .legendtext:text-is('target 80')")
    assert "target=80" in page.url


def test_an_address_that_cannot_be_says_so_where_it_was_asked_for(visit, flags_url):
    page, _ = visit(f"{flags_url}/study?{STUDY.query()}")
    page.wait_for_selector(".live.connected")
    page.fill("#field-target", "soon")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=target 'soon' must be a number.")


def test_studies_that_are_ticked_are_drawn_in_one_chart(visit, flags_url):
    page, heard = visit(flags_url)
    page.check("#compare-0-0")
    page.check("#compare-1-0")
    page.click("button:text-is('Compare')")
    page.wait_for_selector(".js-plotly-plot[data-chart=compared]")
    names = page.evaluate("document.querySelector('[data-chart=compared]').data.map(trace => trace.name)")
    assert names == ["a.db: flags (one search)", "b.db: flags (one search)"]
    assert heard.complaints == []


def test_what_is_typed_stays_when_a_trial_comes(visit, written):
    study, address = written
    page, _ = visit(address)
    page.wait_for_selector(".live.connected")
    page.focus("[name=low]")
    page.keyboard.type("12")
    study.tell(study.ask(), 0.25)
    page.wait_for_selector("#trials :text('2 trials')")
    page.keyboard.type("3")
    assert page.input_value("[name=low]") == "123"


def test_charts_are_dark_where_the_system_is_and_until_the_switch_is_used(visit, url, bowl):
    page, _ = visit(f"{url}/study?{bowl.query()}", color_scheme="dark")
    ground = f"getComputedStyle(document.querySelector('{DRAWN} .main-svg')).backgroundColor"
    page.wait_for_selector(DRAWN)
    assert page.evaluate(ground) == "rgb(21, 24, 28)"
    page.click("#theme")
    page.wait_for_function(f"{ground} === 'rgb(255, 255, 255)'")
    page.reload()
    page.wait_for_selector(DRAWN)
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_the_button_copies_the_best_configuration(visit, url, bowl):
    page, _ = visit(f"{url}/study?{bowl.query()}", permissions=["clipboard-read", "clipboard-write"])
    page.click("text=Copy as JSON")
    page.wait_for_selector("text=Copied")
    assert len(json.loads(page.evaluate("navigator.clipboard.readText()"))["x"]) == 20


def test_the_log_axis_of_a_report_is_switched(visit, studies, hostile, tmp_path):
    file = tmp_path / "report.html"
    write_report(SQLite(studies / "tune.db"), hostile.name, file)
    page, heard = visit(file.as_uri())
    page.wait_for_selector(DRAWN)
    page.click("#log-history")
    assert page.evaluate(f"document.querySelector('{DRAWN}').layout.yaxis.type") == "log"
    assert heard.complaints == []


def test_a_report_is_drawn_from_a_file_and_asks_for_nothing(visit, studies, hostile, tmp_path):
    file = tmp_path / "report.html"
    write_report(SQLite(studies / "tune.db"), hostile.name, file)
    page, heard = visit(file.as_uri())
    page.wait_for_selector(DRAWN)
    assert heard.complaints == []
    assert [request for request in heard.requests if not request.startswith("data:")] == [file.as_uri()]
