"""What tests of networks share: where they run, and graphs to run on."""

import pytest
import torch


@pytest.fixture(params=["cpu", "cuda"], scope="session")
def device(request: pytest.FixtureRequest) -> torch.device:
    """Give each device that torch can use here."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA device here")
    return torch.device(request.param)
