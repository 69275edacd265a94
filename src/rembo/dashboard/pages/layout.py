"""The frame of every page: head, banner with skip link and theme switch, main part, foot."""

import time
from collections.abc import Sequence

import rembo
from rembo.dashboard.html import Child, Html, element, join

_DOCTYPE = Html("<!doctype html>")
_ICON = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<rect width='16' height='16' rx='3' fill='%230060a0'/>"
    "<path d='M2 5h4v5h4v3h4' fill='none' stroke='white' stroke-width='2'/></svg>"
)  # a best value that falls in steps


def page(title: str, *main: Child, head: Child, trail: Child = None, **attributes: str | None) -> Html:
    """A whole page; `head` is where its styles and scripts come from, attributes are those of its main part."""
    meta = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · rembo"),
        element("link", rel="icon", href=_ICON),
    ]
    body = [
        element("a", "Skip to the content", class_="skip", href="#main"),
        _banner(trail),
        element("main", *main, id="main", tabindex="-1", **attributes),
        element("footer", f"rembo {rembo.__version__}"),
    ]
    return join([_DOCTYPE, element("html", element("head", meta, head), element("body", body), lang="en")])


def _banner(trail: Child) -> Html:
    switch = element("button", "Theme", type="button", id="theme", class_="switch", aria_label="Switch the theme")
    live = element("span", "", id="live", class_="live", role="status")
    brand = element("span", "rembo", class_="brand")
    return element("header", element("nav", brand, trail, aria_label="You are here"), live, switch, class_="banner")


def section(name: str, heading: str, *content: Child, wide: bool = False) -> Html:
    """A part of a page under a heading, which a link can lead to and an update can replace."""
    title = element("h2", heading, id=f"{name}-heading")
    kind = "part wide" if wide else "part"
    return element("section", title, *content, id=name, class_=kind, aria_labelledby=f"{name}-heading")


def chart(name: str, about: str) -> Html:
    """The place of a chart, which a script draws; `about` says what it shows to who cannot see it."""
    waiting = element("p", "Drawing …", class_="empty")
    drawing = element("div", waiting, class_="drawing", data_chart=name, role="img", aria_label=about)
    return element("div", drawing, class_="chart scrolls")


def table(heads: Sequence[str], rows: Sequence[Sequence[Child]], about: str) -> Html:
    """A table that scrolls by itself where a page is narrow."""
    head = element("thead", element("tr", [element("th", each, scope="col") for each in heads]))
    body = element("tbody", [element("tr", [element("td", cell) for cell in row]) for row in rows])
    return scrolling(element("table", head, body), about)


def scrolling(content: Html, about: str) -> Html:
    """What scrolls by itself, also by keyboard, where a page is too narrow for it."""
    return element("div", content, class_="scrolls", tabindex=0, role="region", aria_label=about)


def moment(seconds: float | None) -> Html:
    """A point in time, in the time of this machine."""
    if seconds is None:
        return element("span", "–")
    local = time.localtime(seconds)
    machine = time.strftime("%Y-%m-%dT%H:%M:%S%z", local)
    return element("time", time.strftime("%Y-%m-%d %H:%M:%S", local), datetime=machine)


def number(value: float | None) -> str:
    """A value of f as one reads it."""
    return "–" if value is None else f"{value:.6g}"
