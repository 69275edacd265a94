"""Parts that several pages have: the badge of a state, a configuration to copy, the text of an error."""

import json
from collections.abc import Mapping
from typing import Any

from rembo.dashboard.facts import Standing
from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.pages.layout import table
from rembo.study import StudyTrial
from rembo.study.exchange import MOST_NUMBERS, plain_params

_MOST_ROWS = 200  # of a configuration's table; what is copied has them all
_MOST_SHOWN = 8  # numbers of an array in the table


def badge(standing: Standing) -> Html:
    """The state of a study as a mark with a word."""
    return element("span", standing.value, class_=f"badge {standing.name.lower()}")


def configuration(trial: StudyTrial) -> Html:
    """What f got, as a table, and as JSON to copy."""
    params = plain_params(trial)
    rows: list[list[Child]] = [[element("code", name), _shown(value)] for name, value in params.items()]
    more = (
        element("p", f"and {len(rows) - _MOST_ROWS:,} more, which are copied, too.") if len(rows) > _MOST_ROWS else None
    )
    listed = table(("parameter", "value"), rows[:_MOST_ROWS], "The configuration")
    return join([listed, more, _copyable(params)])


def error_text(trial: StudyTrial) -> Html | None:
    """All that is known of how a trial failed."""
    return element("pre", trial.error, class_="error", tabindex=0) if trial.error else None


def _copyable(params: Mapping[str, Any]) -> Html:
    known = {name: value for name, value in params.items() if value is not None}
    if not known:
        return element("p", "Read it in Python: rembo.Study.load(file, name).best_params", class_="note")
    text = json.dumps(known, indent=2, ensure_ascii=False, default=str)
    button = element("button", "Copy as JSON", type="button", class_="copy", data_copies="configuration")
    shown = element("details", element("summary", "as JSON"), element("pre", text, id="configuration"), id="as-json")
    return join([element("p", button), shown])


def _shown(value: Any) -> Html:
    if value is None:
        return element("span", f"an array of more than {MOST_NUMBERS:,} numbers", class_="meaning")
    if not isinstance(value, list):
        return element("code", f"{value:.10g}" if isinstance(value, float) else str(value))
    first = ", ".join(f"{each:.4g}" for each in value[:_MOST_SHOWN])
    return element("code", f"[{first}{', …' if len(value) > _MOST_SHOWN else ''}] ({len(value):,} numbers)")
