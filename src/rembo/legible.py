"""Text of others that can be shown: a terminal obeys none of it, and every file takes it."""

import re

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)  # all but tab and line feed


def encodable(text: str) -> str:
    """Text without lone surrogates, which stand for bytes that are no text and which UTF-8 does not have.

    >>> encodable("caf\\udce9")
    'caf\\\\udce9'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def legible(text: str) -> str:
    """Text in which characters that a terminal would obey, such as those that clear it or turn text round, are spelled.

    >>> legible("a \\x1b[31mred\\x1b[0m word")
    'a \\\\x1b[31mred\\\\x1b[0m word'
    """
    return _CONTROLS.sub(_spelled, encodable(text))


def _spelled(control: "re.Match[str]") -> str:
    return control[0].encode("unicode_escape").decode("ascii")
