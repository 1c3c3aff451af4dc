"""Sources of the library for matrices of Python."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

import numpy as np

from ._core import Native, ffi, lib
from ._data import Matrix, Rows, c_names


def _source_dense(native: Native, m: Matrix) -> Any:
    array = native.keep(m.parts["arrays"][0])
    kind = lib.GPIS_FLOAT64 if array.dtype == np.float64 else lib.GPIS_FLOAT32
    data = ffi.cast("void *", array.ctypes.data)
    return native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_dense, native.context, data, kind,
                       m.parts["order"], m.shape[0], m.shape[1], m.parts["ld"])


def _source_csr(native: Native, m: Matrix) -> Any:
    values, indices, indptr = native.keep(m.parts["arrays"])
    kind = lib.GPIS_FLOAT64 if values.dtype == np.float64 else lib.GPIS_FLOAT32
    return native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_csr, native.context, m.shape[0], m.shape[1],
                       ffi.cast("int64_t *", indptr.ctypes.data), ffi.cast("int32_t *", indices.ctypes.data),
                       ffi.cast("void *", values.ctypes.data), kind)


class Maker:
    """Rows of a function for a problem, and the first exception of that function."""

    def __init__(self, rows: Rows, native: Native) -> None:
        self.rows, self.native = rows, weakref.ref(native)

    def write(self, first: int, count: int, to: Any) -> int:
        d = self.rows.shape[1]
        out = np.frombuffer(ffi.buffer(to, count * d * 8), dtype=np.float64).reshape(count, d)
        native = self.native()
        with contextlib.nullcontext() if native is None else native.use.calling():
            out[...] = self.rows.read(first, first + count)
        return 0

    def fail(self, error: BaseException) -> None:
        native = self.native()
        if native is not None and native.failure is None:
            native.failure = error


def _rows_failed(kind: Any, error: BaseException, traceback: Any) -> int:
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).fail(error)
    return 1


@ffi.def_extern(onerror=_rows_failed, error=1)
def gpis_py_rows(user: Any, row0: int, nrows: int, rows: Any) -> int:
    return ffi.from_handle(user).write(row0, nrows, rows)


def _source_rows(native: Native, m: Matrix) -> Any:
    handle = native.keep(ffi.new_handle(native.keep(Maker(m.parts["rows"], native))))
    return native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_callback, native.context, m.shape[0],
                       m.shape[1], lib.gpis_py_rows, handle, 0)


def source(native: Native, m: Matrix) -> Any:
    """A source of the library for A."""
    m.check()
    made = {"dense": _source_dense, "csr": _source_csr, "rows": _source_rows}[m.kind](native, m)
    if m.names is not None:
        texts, kept = c_names(m.names)
        native.check(lib.gpis_source_name_columns(made, texts, len(m.names)))
    return made
