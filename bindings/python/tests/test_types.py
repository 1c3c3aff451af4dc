"""The annotations of the package, and what a program that uses it is told by them."""

import subprocess
import sys

import pytest

from conftest import TREE

PROGRAM = """
import numpy as np
import gpis
from gpis.sklearn import ConstrainedRegressor

A, y = np.eye(3), np.array([1.0, -2.0, 3.0])
r = gpis.solve(A, y, gpis.l1(3.5)["x1", "x2"] & gpis.nonneg[0:2], intercept=True, tol=1e-10)
gap: float = r.gap
prices: "dict[str, float]" = r.multipliers
best: int = gpis.cv(A, y, folds=3).best
x = gpis.Problem(A, set=gpis.nonneg).solve(y).x.sum() + ConstrainedRegressor(set="nonneg").fit(A, y).gap_
text: int = r.gap_kind
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    pytest.importorskip("mypy")
    kept = tmp_path_factory.mktemp("kept")

    def run(*arguments):
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(kept), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=TREE / "bindings" / "python").stdout

    return run


def test_package(mypy):
    assert mypy("-p", "gpis").startswith("Success")


def test_program(mypy, tmp_path):
    """One mistake is found, and nothing else."""
    (tmp_path / "program.py").write_text(PROGRAM)
    said = mypy("--strict", "--follow-imports", "silent", str(tmp_path / "program.py"))
    assert said.count("error:") == 1 and 'expression has type "str", variable has type "int"' in said, said
