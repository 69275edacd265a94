"""The page of a study: its state, what it found, its charts, failures, workers, method card and trials.

The same parts make the page of the server and the file of a report; only what they link to differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rembo.dashboard.asked import Asked
from rembo.dashboard.facts import Standing, Summary, failures, method_of, pace, reached, seconds_left, workers
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.links import Links
from rembo.dashboard.pages.configuration import configuration
from rembo.dashboard.pages.layout import chart, moment, number, section, table
from rembo.dashboard.pages.parts import FORM, apply_button, badge, controls, error_text, hidden, labelled, log_switch
from rembo.dashboard.pages.trials import TrialsView, trials_part
from rembo.optimizer import TrialState
from rembo.progress import duration
from rembo.study import StudyTrial
from rembo.study.comparison import DefaultComparison
from rembo.study.storage import StoredStudy

_MOST_FAILURES = 20  # that are shown for each reason
_WAITING = "The model is being fitted again …"
_NAMES = {
    "best": "Best",
    "history": "History",
    "importance": "What matters",
    "parallel": "Parallel",
    "landscape": "Landscape",
    "method": "Method",
    "failures": "Failures",
    "workers": "Workers",
    "trials": "Trials",
}


@dataclass(frozen=True, eq=False)
class StudyView:
    """What is shown of a study: its file, the study itself, its summary, its trials, and how it compares."""

    file: str
    study: StoredStudy
    summary: Summary
    trials: TrialsView
    comparison: DefaultComparison | None = None

    @property
    def asked(self) -> Asked:
        """What an address asks for."""
        return self.trials.asked

    @property
    def links(self) -> Links | None:
        """The addresses of other pages; None where there are none, as in a report."""
        return self.trials.links


def study_parts(view: StudyView, card: Html | None = None) -> list[Html]:
    """All parts of the page; without a method card there is a place for it, which a script fills."""
    form = None if view.links is None else _form(view.links)
    return [join([form, _heading(view)]), _contents(), element("div", _sections(view, card), class_="parts")]


def _form(links: Links) -> Html:
    kept = [hidden("file", links.place.file), hidden("name", links.place.name)]
    return element("form", kept, id=FORM, method="get", action="/study")


def _sections(view: StudyView, card: Html | None) -> list[Html]:
    return [
        section("best", "Best configuration", _best(view)),
        section("history", "History", _of_history(view), chart("history", "Values of the trials, and the best so far")),
        section("importance", "What matters", chart("importance", "The share of the variation of f along parameters")),
        section("calibration", "Predicted against observed", chart("calibration", "Predictions beside values")),
        section("parallel", "Parallel coordinates", chart("parallel", "Trials across what matters"), wide=True),
        section("landscape", "Landscape", chart("landscape", "What the model believes of f"), wide=True),
        section("method", "Method card", _card(card), wide=True),
        section("failures", "Failures", _failures(view), wide=True),
        section("workers", "Workers", chart("workers", "What each worker did when"), _workers(view)),
        section("times", "Where the time goes", chart("times", "Seconds of each evaluation and of each suggestion")),
        section("trials", "Trials", trials_part(view.trials), wide=True),
    ]


def _heading(view: StudyView) -> Html:
    header, summary = view.study.header, view.summary
    about = f"{header.direction} · {method_of(header)} · {header.space.size:,} parameters · {view.file}"
    tiles = [
        _tile("best value", number(None if summary.best is None else summary.best.value), _of_best(view)),
        _target(view),
        _tile("trials", _count(view), _of_states(summary)),
        _left(view),
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


def _count(view: StudyView) -> str:
    return f"{view.summary.trials:,}" + ("" if view.asked.of is None else f" of {view.asked.of:,}")


def _target(view: StudyView) -> Html | None:
    """Whether a target is reached, if one is given."""
    target, best = view.asked.target, view.summary.best
    if target is None:
        return None
    first = reached(view.study, target)
    if first is not None:
        return _tile(f"target {number(target)}", "reached", f"first in trial {first.number:,}")
    away = "no trial is complete yet" if best is None else f"{number(abs((best.value or 0.0) - target))} away"
    return _tile(f"target {number(target)}", "not reached", away)


def _left(view: StudyView) -> Html | None:
    """The time that a running study will take, where the visitor says how many trials there will be."""
    each = pace(view.study.trials)
    if view.summary.standing is not Standing.RUNNING or each is None:
        return None
    if view.asked.of is None:
        return _tile("pace", f"{duration(each)} a trial", "say below History how many trials there will be")
    left = seconds_left(view.study.trials, view.asked.of)
    return _tile("time left", f"about {_seconds(left)}", f"at {duration(each)} a trial, as the latest took")


def _of_history(view: StudyView) -> Html:
    """The switch of the log axis, and fields for a target and the number of trials."""
    values = [trial.value for trial in view.study.trials if trial.value is not None]
    fields: list[Child] = [
        labelled("Target", "target", view.asked.target),
        labelled("Trials in all", "of", view.asked.of),
        apply_button(),
    ]
    return controls("history", log_switch("history", values), None if view.links is None else fields)


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


def _of_best(view: StudyView) -> str:
    best, compared = view.summary.best, view.comparison
    if best is None:
        return "no trial is complete yet"
    gain = "" if compared is None or compared.gain is None else f", {compared.gain}"
    return f"in trial {best.number:,}{gain}"


def _of_states(summary: Summary) -> str:
    return ", ".join(f"{count:,} {state.value}" for state, count in summary.counts.items()) or "none yet"


def _best(view: StudyView) -> Html:
    best = view.summary.best
    if best is None:
        return element("p", "No trial is complete yet.", class_="empty")
    found = element("p", "Trial ", _trial_name(view, best), " gave ", element("strong", repr(best.value)), ".")
    return join([found, _against_default(view), configuration(best, view.trials.matters)])


def _against_default(view: StudyView) -> Html | None:
    compared = view.comparison
    if compared is None:
        return None
    of = compared.default
    where = "" if of is None else [" (", element("strong", number(of.value)), " in trial ", _trial_name(view, of), ")"]
    text = str(compared)
    return element("p", text[:1].upper(), text[1:], where, ".")


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
    link = None if view.links is None else element("p", "What f got: trial ", _trial_name(view, trial))
    return element("details", line, error_text(trial), link, id=f"failure-{trial.number}")


def _workers(view: StudyView) -> Html:
    rows: list[list[Child]] = [
        [worker.name, f"{worker.finished:,}", f"{worker.failed:,}", duration(worker.seconds), moment(worker.latest)]
        for worker in workers(view.study.trials)
    ]
    heads = ("worker", "finished", "without a value", "evaluating", "last heard of")
    return element("div", table(heads, rows, "The workers") if rows else None, id="workers-table", class_="beside")


def _trial_name(view: StudyView, trial: StudyTrial) -> Html:
    name = f"{trial.number:,}"
    return join(name) if view.links is None else element("a", name, href=view.links.trial(trial.number))


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else duration(seconds)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"
