"""Matrices and vectors of Python as the library takes them: where they lie, without a copy wherever that is possible."""

from __future__ import annotations

import mmap
import os
import sys
import warnings
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from ._core import CopyWarning, FileError, InputError, UsageError, ffi, lib

WARN_BYTES = 1 << 20  # copies of fewer bytes are not worth a warning


class Rows:
    """Rows that a function makes when they are needed: `function(first, last)` returns rows first to last - 1.

    The function is called from a thread of the library, with the interpreter's lock, once for each piece of a pass, and
    has to return the same rows each time.

    >>> import numpy as np, gpis
    >>> t = np.linspace(0, 1, 1000)
    >>> A = gpis.Rows(lambda first, last: np.vander(t[first:last], 3), shape=(1000, 3))
    >>> gpis.solve(A, 2 * t ** 2 + 1).x.round(6)
    array([2., 0., 1.])
    """

    def __init__(self, function: Callable[[int, int], Any], shape: tuple[int, int],
                 names: Sequence[str] | None = None) -> None:
        self.function = function
        self.shape = (int(shape[0]), int(shape[1]))
        self.names = None if names is None else [str(name) for name in names]

    def read(self, first: int, last: int) -> np.ndarray:
        rows = np.asarray(self.function(first, last))
        wanted = (last - first, self.shape[1])
        if rows.shape != wanted:
            raise InputError(f"the function of the rows returned an array of shape {rows.shape} for rows {first} to "
                             f"{last - 1}; it has to be {wanted}")
        return rows


class Encoding(NamedTuple):
    """How the columns of a frame became those of A: (name, None) a number, (name, levels) a category."""

    columns: tuple[tuple[str, tuple[str, ...] | None], ...]

    def names(self) -> list[str]:
        out: list[str] = []
        for name, levels in self.columns:
            out += [name] if levels is None else [f"{name}={level}" for level in levels[1:]]
        return out


class Matrix:
    """A as it was given, ready to be made a source of the library or to be multiplied with x."""

    def __init__(self, kind: str, shape: tuple[int, int], names: list[str] | None = None,
                 encoding: Encoding | None = None, **parts: Any) -> None:
        self.kind, self.shape, self.names, self.encoding, self.parts = kind, shape, names, encoding, parts

    def check(self) -> None:
        """Raises where a file behind the memory has become shorter: reading it would end the process."""
        for array in self.parts.get("arrays", ()):
            check_file(array)


# ---- memory that is a file -------------------------------------------------------------------------------------------


def check_file(array: np.ndarray) -> None:
    base: Any = array
    mapped = None
    while base is not None and not isinstance(base, mmap.mmap):
        if isinstance(base, np.memmap):
            mapped = base
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    if base is None:
        return
    start = mapped.offset - mapped.offset % mmap.ALLOCATIONGRANULARITY if mapped is not None else 0
    try:
        size = base.size()
    except ValueError:
        raise FileError("the memory map behind an array has been closed") from None
    except OSError:
        return  # memory without a file
    if size < start + len(base):
        name = getattr(mapped, "filename", None) or "the file of a memory map"
        raise FileError(f"{name} has {size} bytes, and had {start + len(base)} when it was mapped: it was truncated")


# ---- dense arrays --------------------------------------------------------------------------------------------------------


def _copied(array: np.ndarray, why: str) -> np.ndarray:
    if array.nbytes >= WARN_BYTES:
        warnings.warn(f"{array.nbytes / 2**20:.1f} MB were copied: {why}", CopyWarning, stacklevel=2)
    return array


def as_floats(array: np.ndarray, what: str) -> np.ndarray:
    """The array with a type that the library reads, float32 or float64."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            raise InputError(f"{what} has masked entries; fill them or leave their rows out")
        array = array.data
    if array.dtype in (np.float64, np.float32) and array.dtype.isnative:
        return array
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        return _copied(array.astype(np.float64, order="K"), f"{what} is of type {array.dtype}, not float64 or float32")
    if array.dtype.kind == "f":
        return _copied(array.astype(np.float64, order="K"), f"{what} is of type {array.dtype}")
    hint = {"c": "take its real part", "O": "convert it with .astype(float)", "U": "convert it to numbers",
            "S": "convert it to numbers"}.get(array.dtype.kind, "convert it to float64")
    raise InputError(f"{what} has entries of type {array.dtype}, which are no real numbers: {hint}")


def _layout(array: np.ndarray) -> tuple[int, int] | None:
    """Order and leading dimension of the library; None: it cannot read the array where it is."""
    n, d = array.shape
    item = array.itemsize
    down, right = array.strides
    if not array.flags.aligned or down % item or right % item or n == 0 or d == 0:
        return (lib.GPIS_ROW_MAJOR, max(d, 1)) if array.flags.c_contiguous and array.flags.aligned else None
    if (right == item or d == 1) and (down >= d * item or n == 1):
        return lib.GPIS_ROW_MAJOR, max(d, down // item if n > 1 else d)
    if (down == item or n == 1) and (right >= n * item or d == 1):
        return lib.GPIS_COLUMN_MAJOR, max(n, right // item if d > 1 else n)
    return None


def dense(array: np.ndarray, names: list[str] | None = None, encoding: Encoding | None = None) -> Matrix:
    if array.ndim != 2:
        advice = "; a single column is A[:, None]" if array.ndim == 1 else ""
        raise InputError(f"A has {array.ndim} dimension{'s' if array.ndim != 1 else ''} and needs 2, rows and columns{advice}")
    array = as_floats(array, "A")
    layout = _layout(array)
    if layout is None:
        array = _copied(np.ascontiguousarray(array), "neither the rows nor the columns of A lie in one piece")
        layout = _layout(array) or (lib.GPIS_ROW_MAJOR, max(1, array.shape[1]))
    return Matrix("dense", array.shape, names, encoding, arrays=[array], order=layout[0], ld=layout[1])


# ---- compressed rows --------------------------------------------------------------------------------------------------------


def sparse(matrix: Any) -> Matrix:
    from scipy import sparse as sp

    if matrix.format != "csr":
        matrix = matrix.tocsr()
    values = as_floats(matrix.data, "A")
    # Another object around the same arrays: scipy keeps what it finds out about an object in that object.
    view = sp.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)
    if not view.has_canonical_format:
        view = view.copy()
        view.sum_duplicates()
        _copied(view.data, "the columns of the compressed rows are not sorted, or occur twice")
    if view.shape[1] > np.iinfo(np.int32).max:
        raise InputError(f"A has {view.shape[1]} columns; compressed rows number at most {np.iinfo(np.int32).max}")
    indices = np.ascontiguousarray(view.indices, np.int32)
    indptr = np.ascontiguousarray(view.indptr, np.int64)
    return Matrix("csr", view.shape, None, None, arrays=[np.ascontiguousarray(view.data), indices, indptr])


# ---- frames -----------------------------------------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of a table: numbers, or the codes of a category with its levels."""

    name: str
    values: np.ndarray
    levels: tuple[str, ...] | None = None


def _missing(name: str, rows: np.ndarray) -> InputError:
    return InputError(f"A: row {int(rows[0]) + 1}, column {name!r} is missing; remove or replace it")


def from_columns(columns: list[Column], named: bool = True, encoding: Encoding | None = None,
                 why: str | None = None) -> Matrix:
    """One array of the columns of a table: a column of numbers as it is, of a category 0 and 1 for each level but the first."""
    if not columns:
        raise InputError("A has no columns")
    encoding = encoding or Encoding(tuple((c.name, c.levels) for c in columns))
    by_name = {c.name: c for c in columns}
    n = len(columns[0].values)
    out = np.empty((n, len(encoding.names())), order="F")
    at = 0
    for name, levels in encoding.columns:
        if name not in by_name:
            raise InputError(f"the table has no column {name!r}")
        at = _fill(out, at, by_name[name], levels)
    _copied(out, why or "the columns of a table do not lie side by side in memory")
    return dense(out, encoding.names() if named else None, encoding if named else None)


def _fill(out: np.ndarray, at: int, column: Column, levels: tuple[str, ...] | None) -> int:
    if levels is None:
        if column.levels is not None:
            raise InputError(f"column {column.name!r} holds text, where numbers were before")
        out[:, at] = column.values
        return at + 1
    if column.levels is None:
        raise InputError(f"column {column.name!r} holds numbers, where a category was before")
    missing = np.flatnonzero(column.values < 0)
    if len(missing):
        raise _missing(column.name, missing)
    place = {level: i for i, level in enumerate(levels)}
    unknown = [level for i, level in enumerate(column.levels) if level not in place and np.any(column.values == i)]
    if unknown:
        raise InputError(f"column {column.name!r} has the level {unknown[0]!r}, which was not there before")
    codes = np.array([place.get(level, -1) for level in column.levels], dtype=np.int64)[column.values]
    for level in range(1, len(levels)):
        out[:, at + level - 1] = codes == level
    return at + len(levels) - 1


def is_pandas(thing: Any, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, getattr(pandas, kind))


def pandas_columns(frame: Any) -> list[Column]:
    return [_pandas_column(str(name), frame.iloc[:, j]) for j, name in enumerate(frame.columns)]


def _pandas_column(name: str, series: Any) -> Column:
    import pandas

    if isinstance(series.dtype, pandas.CategoricalDtype):
        return Column(name, series.cat.codes.to_numpy(), tuple(str(level) for level in series.cat.categories))
    if not pandas.api.types.is_numeric_dtype(series.dtype) or series.dtype.kind == "c":
        raise InputError(f"A: column {name!r} has the type {series.dtype}; text becomes a category by "
                         f"frame.astype({{{name!r}: 'category'}}), other columns have to be left out")
    if isinstance(series.dtype, np.dtype):
        return Column(name, series.to_numpy())
    return Column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _pandas(frame: Any, encoding: Encoding | None) -> Matrix:
    named = all(isinstance(name, str) for name in frame.columns)
    types = set(frame.dtypes)
    if len(types) == 1 and encoding is None and types <= {np.dtype(np.float64), np.dtype(np.float32)}:
        values = frame.to_numpy()
        if not np.shares_memory(values, frame.iloc[:, 0].to_numpy()):
            _copied(values, "the columns of the frame do not lie side by side in memory")
        names = [str(name) for name in frame.columns]
        return dense(values, names if named else None, Encoding(tuple((n, None) for n in names)) if named else None)
    return from_columns(pandas_columns(frame), named, encoding)


# ---- the whole choice ----------------------------------------------------------------------------------------------------------


def is_path(thing: Any) -> bool:
    return isinstance(thing, (str, bytes, os.PathLike))


def _h5py(dataset: Any) -> Matrix:
    if len(dataset.shape) != 2:
        raise InputError(f"the data set {dataset.name} has {len(dataset.shape)} dimensions and needs 2, rows and columns")
    if dataset.dtype.kind not in "biuf":
        raise InputError(f"the data set {dataset.name} has entries of type {dataset.dtype}, which are no real numbers")

    def read(first: int, last: int) -> np.ndarray:
        out = np.empty((last - first, dataset.shape[1]))
        if last > first:
            dataset.read_direct(out, np.s_[first:last])
        return out

    return Matrix("rows", dataset.shape, rows=Rows(read, dataset.shape))


def is_table(thing: Any) -> bool:
    return is_pandas(thing, "DataFrame") or hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__dataframe__")


def table_columns(thing: Any) -> list[Column]:
    """The columns of any table in memory."""
    from . import _tables

    if is_pandas(thing, "DataFrame"):
        return pandas_columns(thing)
    return _tables.arrow_columns(thing) if hasattr(thing, "__arrow_c_stream__") else _tables.exchange_columns(thing)


def matrix(A: Any, encoding: Encoding | None = None) -> Matrix:
    """A of any kind but a file. `encoding`: as the columns of another table were made."""
    if isinstance(A, Matrix):
        return A
    if isinstance(A, Rows):
        return Matrix("rows", A.shape, A.names, rows=A)
    if is_pandas(A, "DataFrame"):
        return _pandas(A, encoding)
    if type(A).__module__.startswith("h5py") and hasattr(A, "read_direct"):
        return _h5py(A)
    if hasattr(A, "tocsr") and hasattr(A, "format"):
        return sparse(A)
    if is_table(A):
        return from_columns(table_columns(A), encoding=encoding)
    if callable(A) and not hasattr(A, "__array__"):
        raise UsageError("a function that makes rows needs their shape: gpis.Rows(function, (rows, columns))")
    try:
        return dense(A if isinstance(A, np.ma.MaskedArray) else np.asarray(A))
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"A cannot be made an array of numbers: {error}") from None


def numbers(values: Any, what: str, dimensions: tuple[int, ...] = (1, 2)) -> np.ndarray:
    """An array of doubles, row-major, as y, weights and offsets are taken."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.base is None and values.flags.carray and values.ndim in dimensions:
        return values  # what most callers have: nothing has to be looked at
    if is_pandas(values, "Series") or is_pandas(values, "DataFrame"):
        values = values.to_numpy()
    try:
        array = np.asanyarray(values)
    except ValueError as error:
        raise InputError(f"{what} cannot be made an array of numbers: {error}") from None
    if array.ndim not in dimensions:
        raise InputError(f"{what} has {array.ndim} dimensions and needs {' or '.join(map(str, dimensions))}")
    check_file(array)
    array = as_floats(array, what)
    if array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned:
        return array
    return _copied(np.ascontiguousarray(array, np.float64), f"{what} is not an array of float64 in one piece")


def pointer(array: np.ndarray) -> Any:
    return ffi.from_buffer("double[]", array) if array.size else ffi.new("double *")


def c_names(names: Sequence[str]) -> tuple[Any, list[Any]]:
    """An array of texts, and what keeps them alive."""
    kept = [ffi.new("char[]", name.replace("\0", "?").encode("utf-8", "surrogateescape")) for name in names]
    return ffi.new("const char *[]", kept), kept


def set_folds(options: Any, folds: Any, kept: list[Any]) -> None:
    """Folds as the options of a summary or a path have them: how many, or the number of its fold, from 0, for each row."""
    if np.ndim(folds) == 0:
        options.folds = int(folds)
        return
    given = np.asarray(folds)
    if given.dtype.kind not in "iub" and not (given.dtype.kind == "f" and (given == np.floor(given)).all()):
        raise InputError("folds has entries that are no whole numbers; it is a number of folds, or that of its fold for each row")
    fold = np.ascontiguousarray(given, np.int64)
    kept.append(fold)
    options.folds, options.fold = int(fold.max(initial=0)) + 1, ffi.cast("int64_t *", fold.ctypes.data)
    options.fold_rows = fold.size
