"""`python -m rembo`: the command line, where no script is installed."""

import sys

from rembo.cli import main

if __name__ == "__main__":
    sys.exit(main())
