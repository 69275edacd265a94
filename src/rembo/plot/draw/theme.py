"""The colours of pictures: on light and on dark ground, and such that people who see colours differently can tell them.

The lines' colours are those of Okabe and Ito (2008), less the ones that do not stand out from the ground; surfaces are
in cividis (Nunez, Anderton and Renslow 2018).
"""

from dataclasses import dataclass

BORDER = "#ffffff"  # of what lies on a surface, whose colours are those of both themes


@dataclass(frozen=True)
class Theme:
    """The ground, what is written on it, faint lines, the colours of lines and marks, and the scale of surfaces."""

    ground: str
    ink: str
    faint: str
    alarm: str
    colors: tuple[str, ...]
    surface: str = "Cividis"

    def color(self, number: int) -> str:
        """The colour of the n-th line; they begin again after the last."""
        return self.colors[number % len(self.colors)]


LIGHT = Theme(
    "#ffffff", "#1f2328", "#d8dce1", "#d55e00", ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
)
DARK = Theme(
    "#15181c", "#e6e8eb", "#3a4048", "#ff8c42", ("#56b4e9", "#e69f00", "#00b386", "#e59ac3", "#f0e442", "#d9713a")
)
