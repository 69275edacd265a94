"""The files that a page needs beside itself: its style, its scripts, and the plotly.js of the installed Plotly."""

import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from rembo.dashboard.html import Html, element, join

STATIC = "/static/"
STYLE = "style.css"
THEME = "theme.js"  # runs before anything is drawn
PLOTLY = "plotly.min.js"
CHARTS = "charts.js"
LIVE = "live.js"  # only of pages that a server sends


@cache
def assets() -> dict[str, Path]:
    """All files by name."""
    ours = Path(str(files("rembo.dashboard"))) / "static"
    theirs = Path(str(files("plotly"))) / "package_data" / PLOTLY
    return {PLOTLY: theirs} | {name: ours / name for name in (STYLE, THEME, CHARTS, LIVE)}


@cache
def head() -> Html:
    """The links to all files, for the pages of a server; the largest comes last, while charts are being fetched."""
    style = element("link", rel="stylesheet", href=address(STYLE))
    deferred = [element("script", src=address(name), defer=True) for name in (CHARTS, LIVE, PLOTLY)]
    return join([style, element("script", src=address(THEME)), deferred])


def address(name: str) -> str:
    """Where a server has a file: a new address whenever it changes, so that a browser may keep it."""
    return f"{STATIC}{name}?v={zlib.crc32(assets()[name].read_bytes()):08x}"


def text(name: str) -> str:
    """A file's text, for a report."""
    return assets()[name].read_text(encoding="utf-8")
