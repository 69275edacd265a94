"""The command line: `rembo tune` and the commands around it.

On top of everything else: it turns arguments into a scenario, a study and workers, and what comes of them into text. A
command is a function from parsed arguments to an exit code, and its module is loaded only when it is called. Results go
to standard output, progress and errors to standard error.
"""

from rembo.cli.shell import main

__all__ = ["main"]
