"""The small pages: of a trial, of what went wrong, and the one that asks for the token."""

from rembo.dashboard.html import Child, Html, element
from rembo.dashboard.pages.configuration import configuration
from rembo.dashboard.pages.layout import moment, number, page, section, table
from rembo.dashboard.pages.parts import error_text
from rembo.progress import duration
from rembo.study import StudyTrial


def trial_page(trial: StudyTrial, trail: Child, head: Child) -> Html:
    """A trial: what f got, and what came of it."""
    facts: list[list[Child]] = [
        ["state", trial.state.value],
        ["value", number(trial.value)],
        ["reason", "–" if trial.reason is None else trial.reason.value],
        ["evaluation", "–" if trial.duration is None else duration(trial.duration)],
        ["suggestion", duration(trial.ask_seconds)],
        ["asked", moment(trial.asked_at)],
        ["finished", moment(trial.finished_at)],
        ["origin", trial.origin.value],
        ["worker", trial.worker or "–"],
        ["attempts", trial.attempts],
    ]
    parts = [
        section("outcome", "What came of it", table(("fact", "found"), facts, "What came of it"), error_text(trial)),
        section("best", "What f got", configuration(trial)),
    ]
    title = f"Trial {trial.number:,}"
    return page(title, element("h1", title), element("div", parts, class_="parts"), head=head, trail=trail)


def problem_page(title: str, text: str, head: Child) -> Html:
    """What went wrong, and what to do."""
    back = element("p", element("a", "All studies", href="/"))
    return page(title, element("h1", title), element("p", text, class_="problem"), back, head=head)


def login_page(to: str, wrong: bool, head: Child) -> Html:
    """A form for the token, which leads back to where it was asked for."""
    field = element(
        "input",
        type="password",
        name="token",
        id="token",
        required=True,
        autocomplete="current-password",
        autofocus=True,
    )
    form = element(
        "form",
        element("label", "The token that rembo dashboard printed when it was started", for_="token"),
        element("p", "This token is not right.", class_="problem", role="alert") if wrong else None,
        field,
        element("input", type="hidden", name="to", value=to),
        element("button", "Enter", type="submit"),
        method="post",
        action="/login",
        class_="login",
    )
    return page("Enter", element("h1", "A token is needed"), form, head=head)
