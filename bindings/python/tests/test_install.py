"""The package as it is installed: in a virtual environment, offline, and as a wheel that carries its library."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import TREE

PACKAGE = TREE / "bindings" / "python"
CODE = """
import gpis, numpy as np
maps = {line.split()[-1] for line in open("/proc/self/maps") if "libgpis" in line or "_gpis" in line}
print(sorted(maps))
print(gpis.__file__)
r = gpis.solve(np.eye(3), [1.0, -1.0, 2.0], "nonneg")
print(r.x, r.gap_kind)
from gpis.sklearn import ConstrainedRegressor
print(ConstrainedRegressor(set="nonneg").fit(np.eye(3), [1.0, 2.0, 3.0]).n_iter_ > 0)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel, made offline with what Debian has, from a copy of the sources, which stay clean."""
    place = tmp_path_factory.mktemp("wheel")
    tree = place / "tree"
    (tree / "bindings").mkdir(parents=True)
    for name in ("include", "src", "packaging", "CMakeLists.txt", "data", "LICENSE", "cli", "experiments"):
        (tree / name).symlink_to(TREE / name)
    subprocess.run(["cp", "-r", str(PACKAGE), str(tree / "bindings")], check=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", str(place),
                    str(tree / "bindings" / "python")], check=True, env=environment, cwd=place)
    return next(place.glob("*.whl"))


def test_wheel_carries_the_library(wheel):
    assert re.fullmatch(r"gpis-\d+\.\d+\.\d+-cp39-abi3-linux_\w+\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    assert {"gpis/libgpis.so.0.2", "gpis/_gpis.abi3.so", "gpis/py.typed", "gpis/sklearn.py"} <= set(names)
    assert not [n for n in names if n.startswith(("tests/", "build/"))]


def test_installed(wheel, tmp_path):
    """In a fresh environment, away from the sources and from any installed libgpis."""
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)], check=True, env=environment)
    lines = subprocess.run([python, "-c", CODE], check=True, env=environment, cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()
    loaded = [Path(p) for p in eval(lines[0])]
    assert len(loaded) == 2 and all(tmp_path in p.parents for p in loaded)
    assert lines[2:] == ["[1. 0. 2.] proven", "True"]


def test_extension_knows_no_folder_but_its_own(wheel, tmp_path):
    zipfile.ZipFile(wheel).extract("gpis/_gpis.abi3.so", tmp_path)
    dynamic = subprocess.run(["readelf", "-d", str(tmp_path / "gpis" / "_gpis.abi3.so")], check=True, capture_output=True, text=True).stdout
    assert re.findall(r"R(?:UN)?PATH.*\[(.*)\]", dynamic) == ["$ORIGIN"]


def test_library_is_configured_from_anywhere(tmp_path):
    """What setup.py begins with where no build of the library is given; the build itself takes too long for a test."""
    options = re.search(r'"-DCMAKE_BUILD_TYPE.*?\]', (PACKAGE / "setup.py").read_text(), re.DOTALL).group(0)
    subprocess.run(["cmake", "-S", str(TREE), "-B", str(tmp_path / "build"), *re.findall(r"-D\w+=\w+", options)], check=True, cwd=tmp_path,
                   stdout=subprocess.DEVNULL)
