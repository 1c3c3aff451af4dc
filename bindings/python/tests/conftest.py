"""What the tests share."""

import os
from pathlib import Path

import numpy as np
import pytest

TREE = Path(os.environ.get("GPIS_TREE", Path(__file__).resolve().parents[3]))


def pytest_configure(config):
    config.addinivalue_line("markers", "copies: data are copied in this test, as they have to be")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def data(rng):
    """A well-posed problem of 200 rows and 6 columns."""
    A = rng.standard_normal((200, 6))
    return A, A @ [1.0, -2.0, 0.5, 0.0, 3.0, 0.0] + 0.3 * rng.standard_normal(200)
