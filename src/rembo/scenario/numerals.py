"""Numbers as other programs write them."""


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
