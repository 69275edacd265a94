"""Parts that several pages have: the badge of a state, the text of an error, a switch, a field of the one form."""

from collections.abc import Sequence

from rembo.dashboard.facts import Standing
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.pages.layout import number
from rembo.study import StudyTrial

FORM = "view"  # the one form of a page: fields anywhere belong to it, and all of them stand in the address


def badge(standing: Standing) -> Html:
    """The state of a study as a mark with a word."""
    return element("span", standing.value, class_=f"badge {standing.name.lower()}")


def error_text(trial: StudyTrial) -> Html | None:
    """All that is known of how a trial failed."""
    return element("pre", trial.error, class_="error", tabindex=0) if trial.error else None


def field(name: str, value: float | int | str | None, about: str, **attributes: str | int | bool | None) -> Html:
    """A field for a text or a number of the address."""
    shown = None if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)
    return element(
        "input",
        id=f"field-{name}",
        form=FORM,
        name=name,
        value=shown,
        aria_label=about,
        autocomplete="off",
        **attributes,
    )


def labelled(label: str, name: str, value: float | int | str | None, **attributes: str | int | bool | None) -> Html:
    """A field for a number, with its label in front."""
    return element("label", label, " ", field(name, value, label, inputmode="decimal", size=9, **attributes))


def apply_button() -> Html:
    """The button that makes the fields part of the address."""
    return element("button", "Apply", type="submit", form=FORM)


def hidden(name: str, value: str) -> Html:
    """A part of the address that no field changes."""
    return element("input", type="hidden", form=FORM, name=name, value=value)


def log_switch(chart: str, values: Sequence[float]) -> Html | None:
    """A switch for a log axis, or why there is none; nothing before there are values."""
    if not values:
        return None
    lowest = min(values)
    if lowest <= 0.0:
        why = f"No log axis: it needs values above 0, and the lowest is {number(lowest)}."
        return element("span", why, class_="note")
    return element("button", "Log axis", type="button", id=f"log-{chart}", data_log=chart, aria_pressed="false")


def controls(chart: str, *content: Child) -> Html:
    """What stands beside a chart and is brought up to date with the page."""
    return element("div", join(content), id=f"{chart}-controls", class_="beside controls")
