#!/usr/bin/env python3
"""Print a scenario that tunes the optimisation flags of the gcc on this machine: ./make_scenario.py > scenario.toml

Every flag of `gcc -Q -O2 --help=optimizers` that is on or off becomes a parameter, and -O2's setting its default. It is
passed only where it differs from -O2: gcc does more where a setting of -O2 is given explicitly (-ftree-loop-vectorize
also takes another cost model). Left out are the flags below: they do not only change how the program does what C says.
"""

import re
import subprocess

LEFT_OUT = {
    "change what floating-point numbers mean": """
        associative-math cx-fortran-rules cx-limited-range finite-math-only float-store fp-int-builtin-inexact
        math-errno reciprocal-math rounding-math signaling-nans signed-zeros single-precision-constant trapping-math
        unsafe-math-optimizations""",
    "change the language or how functions and types are laid out": """
        allow-store-data-races finite-loops non-call-exceptions pack-struct reg-struct-return short-enums short-wchar
        trapv unconstrained-commons wrapv wrapv-pointer""",
    "protect the program": """
        harden-compares harden-conditional-branches stack-clash-protection stack-protector stack-protector-all
        stack-protector-explicit stack-protector-strong""",
    "say what the compiler did, or help a debugger": """
        opt-info save-optimization-record var-tracking var-tracking-assignments var-tracking-assignments-toggle
        var-tracking-uninit""",
    "need a profile of earlier runs": "branch-probabilities profile-partial-training profile-reorder-functions vpt",
}

HEAD = """\
# Tune gcc's optimisation flags for a program: fewest instructions executed, as Valgrind counts them.
#
#     rembo tune scenario.toml --dry-run     # what would be run, and one run of it
#     rembo tune scenario.toml               # 200 trials
#     rembo ablate scenario.db               # which few flags carry the gain
#
# Written by make_scenario.py with {version}. README.md says what came out.

command = "./count.sh {{output_file}} {{parameters}}"
objective = {{pattern = 'Collected : (\\d+)'}}
n_trials = 200
trial_timeout = 60
seed = 1

[parameters]
"""


def version() -> str:
    """The compiler, by its own first line."""
    return _printed("--version").splitlines()[0]


def flags() -> dict[str, bool]:
    """Each flag without its -f, and whether -O2 sets it."""
    found = re.findall(
        r"^ +-f(\S+)\s+\[(enabled|disabled)\]$", _printed("-Q", "-O2", "--help=optimizers"), re.MULTILINE
    )
    left_out = " ".join(LEFT_OUT.values()).split()
    return {name: state == "enabled" for name, state in found if name not in left_out}


def parameter(name: str, default: bool) -> str:
    """A flag as a line of a scenario; it is passed to gcc only where it differs from -O2."""
    on, off = ("", f"-fno-{name}") if default else (f"-f{name}", "")
    return (
        f'{name} = {{type = "bool", default = {str(default).lower()}, arguments = {{true = "{on}", false = "{off}"}}}}'
    )


def _printed(*arguments: str) -> str:
    return subprocess.run(["gcc", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    print(HEAD.format(version=version()) + "\n".join(parameter(name, default) for name, default in flags().items()))
