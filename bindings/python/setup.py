"""Builds libgpis, the pages of its reports, and the extension over both. The library lies beside the extension, which finds it there ($ORIGIN).

GPIS_BUILD names a folder in which these have been built already; without it CMake builds one. With GPIS_LINK the package
refers to that library instead of carrying a copy: for the tree of the sources, where the library changes.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.dist import Distribution

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path.insert(0, str(HERE))


def version() -> str:
    """The version lives in the public header alone."""
    text = (TREE / "include" / "gpis.h").read_text()
    return ".".join(re.search(rf"GPIS_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


class Build(build_ext):
    """The extension, and before it the library that it is linked with."""

    def run(self) -> None:
        self.library = Path(os.environ["GPIS_BUILD"]) if "GPIS_BUILD" in os.environ else self.build_library()
        for extension in self.extensions:
            extension.library_dirs = [str(self.library)]
            extension.extra_objects = [str(self.library / "libgpis_pages.a")]
            # An old-style run path is also searched for what libgpis needs, should a wheel carry that too.
            extension.extra_link_args = ["-Wl,--disable-new-dtags,-rpath,$ORIGIN", "-Wl,--as-needed"]
            extension.py_limited_api = True
        super().run()
        self.carry_library()

    def build_library(self) -> Path:
        place = Path(self.build_temp).resolve() / "libgpis"
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cmake", "-S", str(TREE), "-B", str(place), "-DCMAKE_BUILD_TYPE=Release", "-DGPIS_BUILD_TESTS=OFF",
                        "-DGPIS_BUILD_BENCH=OFF", "-DGPIS_MPI=OFF"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", str(place), "--target", "gpis_shared", "gpis_pages", "-j", str(os.cpu_count() or 1)],
                       check=True, stdout=subprocess.DEVNULL)
        return place

    def carry_library(self) -> None:
        """Copies the library under the name by which the extension asks for it."""
        folder = Path(self.get_ext_fullpath("gpis._gpis")).resolve().parent
        names = [p for p in self.library.glob("libgpis.so.*") if re.fullmatch(r"libgpis\.so\.\d+\.\d+", p.name)]
        if len(names) != 1:
            raise SystemExit(f"there is no library libgpis.so.N.N in {self.library}: build it first (make)")
        carried = folder / names[0].name
        carried.unlink(missing_ok=True)
        if os.environ.get("GPIS_LINK"):
            carried.symlink_to(names[0].resolve().parent / names[0].name)
        else:
            shutil.copy(names[0].resolve(), carried)


class Native(Distribution):
    """Has code for one machine, whatever setuptools thinks when it sees no sources."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    version=version(),
    cffi_modules=[str(HERE / "extension.py") + ":ffibuilder"],
    cmdclass={"build_ext": Build},
    distclass=Native,
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
