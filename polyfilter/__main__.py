"""Run the command as ``python -m polyfilter``."""

import sys

from polyfilter.cli import main

if __name__ == "__main__":
    sys.exit(main())
