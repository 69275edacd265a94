"""Numbers as other programs write them: with Fortran's exponents, and with separators of thousands.

A separator is read only if it is stated: `45,069` may be one number or two. Where none is stated, a number that looks
as if it had one is an error: its first or its last group alone would be a wrong number, and nobody would see it.
"""

import re
from dataclasses import dataclass

SEPARATORS = ",'_’\u00a0\u202f"  # the last two are spaces that break no line
_EXPONENT = r"(?:[ed][-+]?\d+)?"
_NUMBER = rf"(?:\d+\.?\d*|\.\d+){_EXPONENT}|(?:nan|inf(?:inity)?)\b"


@dataclass(frozen=True)
class Notation:
    """How an output writes numbers: `thousands` is what stands between groups of digits, if anything does."""

    thousands: str = ""

    def __post_init__(self) -> None:
        if self.thousands == ".":
            cure = "let the program write none, e.g. with LC_ALL = 'C' in [environment]"
            raise ValueError(f"thousands '.' cannot be told from a decimal point: {cure}")
        if len(self.thousands) > 1 or self.thousands not in f"{SEPARATORS} ":
            raise ValueError(f"thousands must be one of , ' _ or a space, not {self.thousands!r}")

    def last(self, text: str) -> "re.Match[str] | None":
        """Where the last number in a text stands, if there is one."""
        grouped = rf"{_grouped(self.thousands)}(?:\.\d*)?{_EXPONENT}"
        number = re.compile(rf"(?<![\w.])[-+]?(?:{grouped}|{_NUMBER})", re.IGNORECASE)
        return max(number.finditer(text), key=re.Match.start, default=None)

    def value(self, numeral: str) -> float:
        """The number that a text is, or a ValueError.

        >>> Notation(",").value("45,069,059.5")
        45069059.5
        """
        separated = _grouped(self.thousands)
        return real(re.sub(separated, lambda group: group[0].replace(self.thousands, ""), numeral))

    def check(self, text: str, start: int, end: int, beside: str = "") -> None:
        """A ValueError that names the cure if what stands from `start` to `end` in a text is a part of a number.

        `beside` are separators that are known to stand between numbers, not in them.
        """
        for group in re.finditer(_grouped(SEPARATORS + self.thousands), text):
            known = group[1] in beside and group[1] not in text[start:end]
            if group.start() < end and start < group.end() and not known:
                self._check(group, start, end)

    def _check(self, group: "re.Match[str]", start: int, end: int) -> None:
        """A ValueError unless a number with separators is caught whole, and they are the stated ones."""
        if group[1] != self.thousands:
            state = f'if it is one, add thousands = "{group[1]}" to the objective'
            choose = f"if not, choose one by a pattern with {group[1]!r} beside its group"
            raise ValueError(f"{group[0]!r} may be one number or several: {state}; {choose}")
        if group.start() < start or end < group.end():
            raise ValueError(f"only a part of {group[0]!r} is caught: let the pattern's group match all of it")
        if group[0].startswith("0"):
            raise ValueError(f"{group[0]!r} looks like a decimal comma: let the program write a decimal point")


PLAIN = Notation()


def real(text: str) -> float:
    """A number, also with Fortran's exponent, or a ValueError.

    >>> real("1.5D-3")
    0.0015
    """
    try:
        return float(text.strip().lower().replace("d", "e"))
    except ValueError:
        raise ValueError(f"{text.strip()!r} is not a number: write one, e.g. 10 or 1e-3") from None


def whole(text: str) -> int:
    """A whole number, also one written as 1e6, or a ValueError."""
    try:
        return int(text)
    except ValueError:
        number = real(text)
    if not number.is_integer():
        raise ValueError(f"{text.strip()!r} is not a whole number: write one, or make the parameter real")
    return int(number)


def _grouped(separators: str) -> str:
    """The regular expression of whole numbers with one of these separators; in India, groups may have two digits.

    A list of more than a dozen groups is no number. It is looked at from its beginning alone, so that a long one takes
    no time.
    """
    one = f"[{re.escape(separators)}]" if separators else "(?!)"
    return rf"(?<![\w.])(?<!\d{one})\d{{1,3}}({one})(?:\d{{2,3}}\1){{0,10}}\d{{3}}(?!\d|\1\d)"
