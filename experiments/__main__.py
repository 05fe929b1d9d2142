"""Run the command as ``python -m experiments``."""

import sys
from importlib.util import find_spec

if __name__ == "__main__":
    if find_spec("torch") is None:
        sys.exit("experiments: error: experiments need torch: pip install 'polyfilter[gcn]'")
    from experiments.command import main  # and torch with it

    sys.exit(main())
