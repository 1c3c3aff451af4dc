"""The scripts of examples/python, from their data to their figures."""

import os
import subprocess
import sys

import pytest

from conftest import TREE

SAYS = {"diabetes": ("proven", "diabetes.svg"), "magic04": ("told apart on new showers", None),
        "indtrack": ("tracking error", "indtrack.svg"), "jasper_ridge": ("10000 pixels", "jasper_ridge.png")}


@pytest.mark.parametrize("name", SAYS)
def test_example(name, tmp_path):
    says, figure = SAYS[name]
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-B", str(TREE / "examples" / "python" / f"{name}.py"), str(tmp_path)], capture_output=True, text=True,
                          env=environment)
    if done.returncode == 77:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout and "Warning" not in done.stderr
    assert figure is None or (tmp_path / figure).stat().st_size > 5000


def test_all_are_run():
    assert {path.stem for path in (TREE / "examples" / "python").glob("*.py")} == set(SAYS)
