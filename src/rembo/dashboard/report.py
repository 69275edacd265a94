"""A report: the page of a study as one file that needs no server, no network and no other file.

Scripts and styles stand in the page itself, plotly.js included; its policy allows these scripts, by their hashes, and
nothing from anywhere else, so that opening a report sends nothing to anybody.
"""

import base64
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rembo.dashboard.asked import Asked
from rembo.dashboard.assets import CHARTS, PLOTLY, STYLE, THEME, text
from rembo.dashboard.belief import belief
from rembo.dashboard.charts import quick_charts
from rembo.dashboard.facts import summary
from rembo.dashboard.html import Html, element, join
from rembo.dashboard.pages.layout import page
from rembo.dashboard.pages.study import StudyView, study_parts
from rembo.dashboard.pages.trials import TrialsView
from rembo.dashboard.table import Readings, table_of
from rembo.study.comparison import compare_with_default
from rembo.study.sqlite import SQLite
from rembo.study.storage import StoredStudy


def report(storage: SQLite, name: str) -> Html:
    """The page of a study that stands for itself."""
    study, believed = storage.read(name), belief(storage, name)
    view = _view(storage.path.name, study, believed.matters)
    charts = {key: asdict(chart) for key, chart in {**quick_charts(study), **believed.charts}.items()}
    return page(name, *study_parts(view, believed.card), _data(charts), head=_head())


def _view(file: str, study: StoredStudy, matters: Sequence[str]) -> StudyView:
    space, asked = study.header.space, Asked()
    trials = TrialsView(space, len(study.trials), table_of(space, study.trials, asked, Readings()), asked, matters)
    found = summary(study, time.time())
    return StudyView(file, study, found, trials, compare_with_default(space, study.trials, found.best))


def write_report(storage: SQLite, name: str, file: Path) -> None:
    """Write the report of a study to a file."""
    file.write_text(report(storage, name), encoding="utf-8")


def _head() -> Html:
    scripts = [_inline(text(name)) for name in (THEME, PLOTLY, CHARTS)]
    allowed = " ".join(map(_hash, scripts))
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'"
    )
    return join(
        [
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("style", Html(text(STYLE))),
            [element("script", script) for script in scripts],
        ]
    )


def _inline(script: str) -> Html:
    """A script that ends where it ends: in its strings and regular expressions, a slash may have a backslash."""
    return Html(script.replace("</script", "<\\/script"))


def _data(charts: dict[str, Any]) -> Html:
    """Charts as JSON in which no tag can begin."""
    return element("script", Html(json.dumps(charts).replace("<", "\\u003c")), type="application/json", id="charts")


def _hash(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"
