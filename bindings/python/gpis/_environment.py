"""Settings that libraries read from the environment when they are loaded, and that cannot be changed later.

OPENBLAS_CORETYPE. OpenBLAS chooses its kernels by the model number of the processor. One that it does not know gets those
of the Prescott of 2004, whatever it can do: matrix products then take about seven times as long.

OMP_WAIT_POLICY. A thread of libgomp that waits spins for some milliseconds by default, and takes the time of those that are
waited for where other programs want the processors.

Both are set while the libraries are loaded, unless the user has set them or another package has loaded OpenBLAS before, and
taken back then: programs that are started later are not concerned.
"""

from __future__ import annotations

import contextlib
import os
import platform
from typing import Iterator


def _flags() -> set[str]:
    """What the processor can do."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            return next((set(line.split()) for line in lines if line.startswith("flags")), set())
    except OSError:
        return set()


def _is_loaded(library: str) -> bool:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as lines:
            return any(library in line for line in lines)
    except OSError:
        return True


def _wanted() -> dict[str, str]:
    wanted = {}
    if not _is_loaded("libgomp") and not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        wanted["OMP_WAIT_POLICY"] = "passive"
    if platform.machine() == "x86_64" and "OPENBLAS_CORETYPE" not in os.environ and not _is_loaded("libopenblas"):
        flags = _flags()
        if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags:
            wanted["OPENBLAS_CORETYPE"] = "SkylakeX"
        elif {"avx2", "fma"} <= flags:
            wanted["OPENBLAS_CORETYPE"] = "Haswell"
    return wanted


@contextlib.contextmanager
def awake() -> Iterator[None]:
    wanted = _wanted()
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            del os.environ[name]
