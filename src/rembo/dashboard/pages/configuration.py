"""What f got: the parameters that differ from the default first, the rest folded, all of it as JSON to copy."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rembo.dashboard.html import Child, Html, element, join
from rembo.dashboard.pages.layout import table
from rembo.space import Space
from rembo.study import StudyTrial
from rembo.study.comparison import plain_default
from rembo.study.exchange import MOST_NUMBERS, plain_params

_MOST_OPEN = 12  # rows of the first table: as many as stand beside the history without scrolling
_MOST_FOLDED = 1_000  # rows of the second; what is copied has them all
_MOST_SHOWN = 8  # numbers of an array in the table


def configuration(trial: StudyTrial, matters: Sequence[str] = ()) -> Html:
    """What f got, as tables, and as JSON to copy; of what differs from the default, that which matters comes first."""
    params, default = plain_params(trial), plain_default(trial.space)
    differing = _differing(trial, matters) if default and trial.readable else []
    changed = set(differing)
    listed = [*differing, *(name for name in params if name not in changed)]
    first = listed[: min(_MOST_OPEN, len(differing)) if default else _MOST_OPEN]
    rest = listed[len(first) :]
    words = _words(len(rest), len(differing) - len(first)) if default else f"{len(rest):,} more"
    return join([_table(first, params, default), _folded(rest, params, default, words), _copyable(params)])


def _differing(trial: StudyTrial, matters: Sequence[str]) -> list[str]:
    assert isinstance(trial.space, Space)  # nothing else has a default
    order = {name: place for place, name in enumerate(matters)}
    return sorted(trial.space.changes(trial.x), key=lambda name: order.get(name, len(order)))


def _words(rest: int, differing: int) -> str:
    """What is said of the parameters that are folded, some of which may differ from the default."""
    if differing <= 0:
        return f"{rest:,} more are as in the default"
    return f"{rest:,} more: {differing:,} differ, {rest - differing:,} are as in the default"


def _table(names: Sequence[str], params: Mapping[str, Any], default: Mapping[str, Any]) -> Html | None:
    if not names:
        return None
    beside = [[_shown(default[name])] if default else [] for name in names]
    rows: list[list[Child]] = [
        [element("code", name), _shown(params[name]), *also] for name, also in zip(names, beside, strict=True)
    ]
    heads = ("parameter", "value", "default") if default else ("parameter", "value")
    return table(heads, rows, "The configuration")


def _folded(names: Sequence[str], params: Mapping[str, Any], default: Mapping[str, Any], words: str) -> Html | None:
    if not names:
        return None
    left_out = f", of which {_MOST_FOLDED:,} are listed" if len(names) > _MOST_FOLDED else ""
    listed = _table(names[:_MOST_FOLDED], params, default)
    return element("details", element("summary", f"{words}{left_out}"), listed, id="rest")


def _copyable(params: Mapping[str, Any]) -> Html:
    known = {name: value for name, value in params.items() if value is not None}
    if not known:
        return element("p", "Read it in Python: rembo.Study.load(file, name).best_params", class_="note")
    text = json.dumps(known, indent=2, ensure_ascii=False, default=str)
    button = element("button", "Copy as JSON", type="button", class_="copy", data_copies="configuration")
    shown = element("details", element("summary", "as JSON"), element("pre", text, id="configuration"), id="as-json")
    return join([shown, element("p", button)])


def _shown(value: Any) -> Html:
    if value is None:
        return element("span", f"an array of more than {MOST_NUMBERS:,} numbers", class_="meaning")
    if not isinstance(value, list):
        return element("code", f"{value:.6g}" if isinstance(value, float) else str(value))
    first = ", ".join(f"{each:.4g}" for each in value[:_MOST_SHOWN])
    return element("code", f"[{first}{', …' if len(value) > _MOST_SHOWN else ''}] ({len(value):,} numbers)")
