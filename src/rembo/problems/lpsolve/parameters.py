"""The 47 parameters of lp_solve, 7 with choices and 40 that are bits, and the parameter file of a configuration.

They are passed by a file, because on the command line the first option of a family of bits clears all its other bits.
Left out is what changes the problem (tolerances, bounds) and what makes lp_solve answer wrongly: with SCALE_COLSONLY
it prints a wrong objective, and with ANTIDEGEN_COLUMNCHECK it takes bounded problems for unbounded ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rembo.space import Bool, Categorical, Space


@dataclass(frozen=True)
class Choice:
    """A key of the parameter file that is one of several words; the parameter has the name of the key."""

    key: str
    words: tuple[str, ...]
    default: str


@dataclass(frozen=True)
class Bits:
    """A key of the parameter file that is any set of words; each word is a parameter."""

    key: str
    words: tuple[str, ...]
    default: frozenset[str]


def _choice(key: str, prefix: str, words: str, default: str) -> Choice:
    return Choice(key, tuple(prefix + word for word in words.split()), prefix + default)


def _bits(key: str, prefix: str, words: str, default: str = "") -> Bits:
    return Bits(
        key, tuple(prefix + word for word in words.split()), frozenset(prefix + word for word in default.split())
    )


# fmt: off
CHOICES = (
    _choice("bb_rule", "NODE_", default="PSEUDONONINTSELECT", words="""
        FIRSTSELECT GAPSELECT RANGESELECT FRACTIONSELECT PSEUDOCOSTSELECT PSEUDONONINTSELECT PSEUDORATIOSELECT"""),
    _choice("basiscrash", "CRASH_", default="NONE", words="NONE MOSTFEASIBLE LEASTDEGENERATE"),
    _choice("bb_floorfirst", "BRANCH_", default="AUTOMATIC", words="CEILING FLOOR AUTOMATIC"),
    _choice("pivoting", "PRICER_", default="DEVEX", words="FIRSTINDEX DANTZIG DEVEX STEEPESTEDGE"),
    _choice("simplextype", "SIMPLEX_", default="DUAL_PRIMAL", words="PRIMAL_PRIMAL DUAL_PRIMAL PRIMAL_DUAL DUAL_DUAL"),
    _choice("scaling", "SCALE_", default="GEOMETRIC", words="GEOMETRIC CURTISREID"),
    _choice("obj_in_basis", "", default="1", words="0 1"),
)
BITS = (
    _bits("bb_rule", "NODE_", default="GREEDYMODE DYNAMICMODE RCOSTFIXING", words="""
        WEIGHTREVERSEMODE BRANCHREVERSEMODE GREEDYMODE PSEUDOCOSTMODE DEPTHFIRSTMODE RANDOMIZEMODE DYNAMICMODE
        RESTARTMODE BREADTHFIRSTMODE AUTOORDER RCOSTFIXING STRONGINIT"""),
    _bits("pivoting", "PRICE_", default="ADAPTIVE", words="""
        PRIMALFALLBACK MULTIPLE ADAPTIVE RANDOMIZE LOOPLEFT LOOPALTERNATE HARRISTWOPASS TRUENORMINIT"""),
    _bits("improve", "IMPROVE_", default="DUALFEAS THETAGAP", words="SOLUTION DUALFEAS THETAGAP BBSIMPLEX"),
    _bits("scaling", "SCALE_", default="EQUILIBRATE INTEGERS", words="""
        LOGARITHMIC POWER2 EQUILIBRATE INTEGERS DYNUPDATE"""),
    _bits("presolve", "PRESOLVE_", words="ROWS COLS LINDEP ELIMEQ2 IMPLIEDFREE IMPLIEDSLK"),
    _bits("anti_degen", "ANTIDEGEN_", default="FIXEDVARS STALLING", words="""
        FIXEDVARS STALLING DYNAMIC DURINGBB BOUNDFLIP"""),
)
# fmt: on
NO_BITS = {"improve": "IMPROVE_NONE", "presolve": "PRESOLVE_NONE", "anti_degen": "ANTIDEGEN_NONE"}
CONSTANTS = {"bb_depthlimit": "-50"}

SPACE = Space(
    {choice.key: Categorical(choice.words) for choice in CHOICES}
    | {bit: Bool() for bits in BITS for bit in bits.words},
    default={choice.key: choice.default for choice in CHOICES}
    | {bit: bit in bits.default for bits in BITS for bit in bits.words},
)


def parameter_text(configuration: Mapping[str, Any]) -> str:
    """The parameter file of a configuration, in which every key stands; a ValueError if it is none of the space."""
    SPACE.encode(configuration)
    words = {choice.key: [configuration[choice.key]] for choice in CHOICES}
    words |= {key: [none] for key, none in NO_BITS.items()}
    for bits in BITS:
        words[bits.key] += [bit for bit in bits.words if configuration[bit]]
    lines = {key: " + ".join(chosen) for key, chosen in words.items()} | CONSTANTS
    return "\n".join(["[Default]", *(f"{key}={value}" for key, value in lines.items()), ""])
