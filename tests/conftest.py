"""What every test shares: how Hypothesis searches, how figures are drawn, where data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test opens a window; commands that tests start inherit this too.
os.environ["MPLBACKEND"] = "Agg"

# Time limits per example fail on a busy machine and say nothing about correctness.
settings.register_profile("dev", deadline=None)
# Derandomized, so that a red run in CI is red again when somebody looks into it.
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Give the folder of data sets: ``$POLYFILTER_DATA``, or ``../shared/data`` by the checkout."""
    checkout = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("POLYFILTER_DATA") or checkout.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}: set POLYFILTER_DATA to one")
    return folder
