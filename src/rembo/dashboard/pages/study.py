"""The page of a study: its state, what it found, its charts, failures, workers, method card and trials.

The same parts make the page of the server and the file of a report; only what they link to differs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rembo.dashboard.facts import Standing, Summary, failures, method_of, workers
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.pages.layout import chart, moment, number, section, table
from rembo.dashboard.pages.parts import badge, configuration, error_text
from rembo.optimizer import TrialState
from rembo.progress import duration
from rembo.study import StudyTrial
from rembo.study.storage import StoredStudy

PAGE = 50  # trials of a table
_MOST_FAILURES = 20  # that are shown for each reason
_WAITING = "The model is being fitted again …"
_NAMES = {
    "best": "Best",
    "history": "History",
    "importance": "What matters",
    "landscape": "Landscape",
    "method": "Method",
    "failures": "Failures",
    "workers": "Workers",
    "trials": "Trials",
}


@dataclass(frozen=True, eq=False)
class StudyView:
    """What is shown of a study: its file, the study itself and its summary, one page of its trials.

    `trial_link` and `page_link` give addresses of a trial and of a page of trials, where there are such pages.
    """

    file: str
    study: StoredStudy
    summary: Summary
    page: int = 0
    trial_link: Callable[[int], str] | None = None
    page_link: Callable[[int], str] | None = None

    @property
    def pages(self) -> int:
        """How many pages of trials there are, at least one."""
        return max(1, -(-len(self.study.trials) // PAGE))


def study_parts(view: StudyView, card: Html | None = None) -> list[Html]:
    """All parts of the page; without a method card there is a place for it, which a script fills."""
    return [_heading(view), _contents(), element("div", _sections(view, card), class_="parts")]


def _sections(view: StudyView, card: Html | None) -> list[Html]:
    return [
        section("best", "Best configuration", _best(view)),
        section("history", "History", chart("history", "Values of the trials in their order, and the best so far")),
        section("importance", "What matters", chart("importance", "The share of the variation of f along parameters")),
        section("calibration", "Predicted against observed", chart("calibration", "Predictions beside values")),
        section("landscape", "Landscape", chart("landscape", "What the model believes of f"), wide=True),
        section("method", "Method card", _card(card), wide=True),
        section("failures", "Failures", _failures(view), wide=True),
        section("workers", "Workers", chart("workers", "What each worker did when"), _workers(view)),
        section("times", "Where the time goes", chart("times", "Seconds of each evaluation and of each suggestion")),
        section("trials", "Trials", _trials(view), wide=True),
    ]


def _heading(view: StudyView) -> Html:
    header, summary = view.study.header, view.summary
    about = f"{header.direction} · {method_of(header)} · {header.space.size:,} parameters · {view.file}"
    tiles = [
        _tile("best value", number(None if summary.best is None else summary.best.value), _of_best(summary)),
        _tile("trials", f"{summary.trials:,}", _of_states(summary)),
        _tile("an evaluation takes", _seconds(summary.evaluation_seconds), "in the median"),
        _tile("suggestions take", _percent(summary.suggesting), "of the time"),
        _tile("last heard of", moment(summary.latest), join(["begun ", moment(header.created_at)])),
    ]
    return element(
        "div",
        element("h1", header.name, " ", badge(summary.standing)),
        element("p", about, class_="about"),
        _silence(summary),
        element("dl", tiles, class_="tiles"),
        id="head",
    )


def _silence(summary: Summary) -> Html | None:
    if summary.standing is not Standing.SILENT:
        return None
    running = f"{summary.counts[TrialState.RUNNING]:,} trials are said to run, but nothing was heard of them for long: "
    return element("p", running, "the process may have ended. Started again, it goes on with them.", class_="problem")


def _contents() -> Html:
    links = [element("li", element("a", label, href=f"#{name}")) for name, label in _NAMES.items()]
    return element("nav", element("ul", links), class_="contents", aria_label="Parts of this page")


def _tile(term: str, value: Child, note: Child) -> Html:
    return element("div", element("dt", term), element("dd", element("strong", value), element("small", note)))


def _of_best(summary: Summary) -> str:
    return "no trial is complete yet" if summary.best is None else f"in trial {summary.best.number:,}"


def _of_states(summary: Summary) -> str:
    return ", ".join(f"{count:,} {state.value}" for state, count in summary.counts.items()) or "none yet"


def _best(view: StudyView) -> Html:
    best = view.summary.best
    if best is None:
        return element("p", "No trial is complete yet.", class_="empty")
    found = element("p", "Trial ", _trial_name(view, best), " gave ", element("strong", repr(best.value)), ".")
    return join([found, configuration(best)])


def _card(card: Html | None) -> Html:
    return element("div", card or element("p", _WAITING, class_="empty"), id="card")


def _failures(view: StudyView) -> Html:
    found = failures(view.study.trials)
    if not found:
        return element("p", "None: every trial that is finished gave a value.", class_="good")
    return join([_of_reason(view, each.reason, each.trials) for each in found])


def _of_reason(view: StudyView, reason: str, trials: Sequence[StudyTrial]) -> Html:
    shown = [_failure(view, trial) for trial in trials[:_MOST_FAILURES]]
    more = f"and {len(trials) - _MOST_FAILURES:,} earlier ones" if len(trials) > _MOST_FAILURES else None
    return join([element("h3", f"{reason} ({len(trials):,})"), shown, element("p", more) if more else None])


def _failure(view: StudyView, trial: StudyTrial) -> Html:
    line = element("summary", f"trial {trial.number}: ", element("code", trial.failure or "no text"))
    link = None if view.trial_link is None else element("p", "What f got: trial ", _trial_name(view, trial))
    return element("details", line, error_text(trial), link, id=f"failure-{trial.number}")


def _workers(view: StudyView) -> Html:
    rows: list[list[Child]] = [
        [worker.name, f"{worker.finished:,}", f"{worker.failed:,}", duration(worker.seconds), moment(worker.latest)]
        for worker in workers(view.study.trials)
    ]
    heads = ("worker", "finished", "without a value", "evaluating", "last heard of")
    return element("div", table(heads, rows, "The workers") if rows else None, id="workers-table", class_="beside")


def _trials(view: StudyView) -> Html:
    if not view.study.trials:
        return element("p", "None yet.", class_="empty")
    newest_first = view.study.trials[::-1]
    shown = newest_first[view.page * PAGE : (view.page + 1) * PAGE]
    heads = ("trial", "state", "value", "seconds", "run", "worker", "finished")
    return join([table(heads, [_row(view, trial) for trial in shown], "The trials, the newest first"), _pager(view)])


def _row(view: StudyView, trial: StudyTrial) -> list[Child]:
    return [
        _trial_name(view, trial),
        element("span", trial.state.value, class_=f"state {trial.state.name.lower()}"),
        number(trial.value),
        _seconds(trial.duration),
        trial.run,
        trial.worker or "",
        moment(trial.finished_at),
    ]


def _trial_name(view: StudyView, trial: StudyTrial) -> Html:
    name = f"{trial.number:,}"
    return join(name) if view.trial_link is None else element("a", name, href=view.trial_link(trial.number))


def _pager(view: StudyView) -> Html:
    if view.page_link is None:
        rest = len(view.study.trials) - PAGE
        return element("p", f"and {rest:,} earlier ones: rembo export writes them all.") if rest > 0 else join(None)
    newer = _page(view, view.page - 1, "Newer")
    older = _page(view, view.page + 1, "Older")
    here = element("span", f"page {view.page + 1:,} of {view.pages:,}")
    return element("nav", newer, here, older, class_="pager", aria_label="Pages of trials")


def _page(view: StudyView, page: int, label: str) -> Html:
    if view.page_link is None or not 0 <= page < view.pages:
        return element("span", label, class_="off")
    return element("a", label, href=f"{view.page_link(page)}#trials")


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"
