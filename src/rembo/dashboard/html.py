"""HTML as values: elements of elements and text, which is escaped here and nowhere else.

Whatever is not `Html` already is text and is escaped, be it a parameter's name, an error or a number; so there is
nothing to forget where a page is put together.
"""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from rembo.legible import encodable

_VOID = frozenset({"br", "input", "link", "meta"})  # elements that hold nothing and are not closed


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = str | int | Iterable["Child"] | None


def element(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """An element; of its attributes, `class_` stands for class and `aria_label` for aria-label; None leaves one out.

    >>> element("p", "2 < 3", class_="note")
    '<p class="note">2 &lt; 3</p>'
    """
    opening = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    return Html(f"<{opening}>" if name in _VOID else f"<{opening}>{join(children)}</{name}>")


def join(children: Child) -> Html:
    """Children one after the other: HTML as it is, text escaped, None left out."""
    if children is None:
        return Html()
    if isinstance(children, Html):
        return children
    if isinstance(children, str | int):
        return Html(_escaped(children))
    return Html("".join(map(join, children)))


def _attribute(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_escaped(value)}"'


def _escaped(text: str | int) -> str:
    return escape(encodable(str(text)))
