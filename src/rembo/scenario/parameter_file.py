"""Parameter files of other configurators: which reader a file needs."""

import re
from pathlib import Path

from rembo.scenario.configspace import read_configspace
from rembo.scenario.error import read_text
from rembo.scenario.irace import read_irace
from rembo.scenario.option import Declared
from rembo.scenario.pcs import read_pcs

_IRACE = re.compile(r"""^[^\s#"']+\s+["']""", re.MULTILINE)  # a name, then a switch in quotes: only irace's are so


def read_parameter_file(file: Path) -> Declared:
    """The options in a file of ConfigSpace (JSON, YAML), irace, or SMAC and ParamILS (PCS, old and new style)."""
    if file.suffix in (".json", ".yaml", ".yml"):
        return read_configspace(file)
    text = read_text(file, "parameter file")
    return read_irace(file, text) if _IRACE.search(text) else read_pcs(file, text)
