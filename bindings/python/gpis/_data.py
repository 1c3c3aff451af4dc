"""Matrices and vectors of Python as the library takes them: where they lie, without a copy wherever that is possible."""

from __future__ import annotations

import mmap
import os
import re
import sys
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from ._core import CopyWarning, FileError, InputError, UsageError, ffi, lib, text_of, warn, whole

WARN_BYTES = 1 << 20  # copies of fewer bytes are not worth a warning


def name_list(names: Any) -> list[str]:
    """The names of columns, in a list; a text alone would be a name for each of its letters."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise UsageError(f"names= is a list with a name for each column, not {names!r}")
    return [str(name) for name in names]


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
        if not callable(function):
            raise UsageError(f"rows are made by a function of the first and the last row, not by a {type(function).__name__}")
        if np.shape(shape) != (2,):
            raise UsageError(f"the shape of the rows is (rows, columns), not {shape!r}")
        self.function = function
        self.shape = (whole("shape", shape[0]), whole("shape", shape[1]))
        self.names = None if names is None else name_list(names)

    def read(self, first: int, last: int) -> np.ndarray[Any, Any]:
        made = self.function(first, last)
        rows = np.asanyarray(made.toarray() if hasattr(made, "toarray") else made)
        wanted = (last - first, self.shape[1])
        if rows.shape != wanted:
            raise InputError(f"the function of the rows returned an array of shape {rows.shape} for rows {first} to "
                             f"{last - 1}; it has to be {wanted}")
        return as_floats(rows, "what the function of the rows returned")


class Encoded(NamedTuple):
    """How a column of a table became columns of A."""

    name: str
    levels: tuple[str, ...] | None = None  #: of a category; None: a column of numbers
    mean: float | None = None  #: what takes the place of a number that is missing; None: nothing does


class Encoding(NamedTuple):
    """How the columns of a table became those of A."""

    columns: tuple[Encoded, ...]

    def names(self) -> list[str]:
        out: list[str] = []
        for column in self.columns:
            out += [column.name] if column.levels is None else [f"{column.name}={level}" for level in column.levels[1:]]
        return out

    def text(self) -> bytes:
        """The same as the library writes it (gpis_encoding_text), so that it reads a file in this way."""
        lines = ["gpis-encoding 1 error 1 1 0"]
        for j, column in enumerate(self.columns, 1):
            if column.levels is None:
                lines.append(f"number {j} {_escaped(column.name)}")
            else:
                lines.append(f"category {j} 1 {len(column.levels)} {_escaped(column.name)}")
                lines += [f"level 0 {_escaped(level)}" for level in column.levels]
        return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")

    @staticmethod
    def read(native: Any, text: bytes) -> Encoding | None:
        """From the library's text; None: the table had no names, by which columns of another could be found."""
        made = native.make("gpis_encoding", lib.gpis_encoding_destroy, lib.gpis_encoding_parse, native.context, text)
        info = ffi.new("gpis_encoding_info *", {"size": ffi.sizeof("gpis_encoding_info")})
        native.check(lib.gpis_encoding_describe(made, info))
        columns: list[Encoded] = []
        for j in range(info.columns):
            about = ffi.new("gpis_encoding_column *", {"size": ffi.sizeof("gpis_encoding_column")})
            native.check(lib.gpis_encoding_column_at(made, j, about))
            if about.name == ffi.NULL:
                return None
            levels = tuple(text_of(lib.gpis_encoding_level(made, j, i)) for i in range(about.levels)) if about.levels else None
            columns.append(Encoded(text_of(about.name), levels, about.mean if info.missing == lib.GPIS_MISSING_MEAN else None))
        return Encoding(tuple(columns))


def _escaped(word: str) -> str:
    return re.sub("[\x00-\x1f\x7f%]", lambda found: f"%{ord(found.group()):02X}", word)


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


def check_file(array: np.ndarray[Any, Any]) -> None:
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


def _copied(array: np.ndarray[Any, Any], why: str) -> np.ndarray[Any, Any]:
    if array.nbytes >= WARN_BYTES:
        warn(f"{array.nbytes / 2**20:.1f} MB were copied: {why}", CopyWarning)
    return array


def as_floats(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """The array with a type that the library reads, float32 or float64."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.getmaskarray(array).any():  # type: ignore[no-untyped-call]
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


def _layout(array: np.ndarray[Any, Any]) -> tuple[int, int] | None:
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


def dense(array: np.ndarray[Any, Any], names: list[str] | None = None, encoding: Encoding | None = None) -> Matrix:
    if array.ndim != 2:
        advice = "; a single column is A[:, None]" if array.ndim == 1 else ""
        raise InputError(f"A has {array.ndim} dimension{'s' if array.ndim != 1 else ''} and needs 2, rows and columns{advice}")
    check_file(array)
    array = as_floats(array, "A")
    layout = _layout(array)
    if layout is None:
        array = _copied(np.ascontiguousarray(array), "neither the rows nor the columns of A lie in one piece")
        layout = _layout(array) or (lib.GPIS_ROW_MAJOR, max(1, array.shape[1]))
    return Matrix("dense", (array.shape[0], array.shape[1]), names, encoding, arrays=[array], order=layout[0], ld=layout[1])


# ---- compressed rows --------------------------------------------------------------------------------------------------------


def _check_indices(name: str, indices: np.ndarray[Any, Any], end: int) -> None:
    if len(indices) and not (0 <= indices.min() and indices.max() < end):
        raise InputError(f"A: {name} of the sparse matrix has entries that are not in [0, {end})")


def _check_pointers(matrix: Any) -> None:
    """Raises where the arrays of a sparse matrix would make scipy read or write beyond them: it believes them."""
    if matrix.format == "coo":
        if not len(matrix.row) == len(matrix.col) == len(matrix.data):
            raise InputError("A: row, col and data of the sparse matrix are not of the same length")
        _check_indices("row", matrix.row, matrix.shape[0])
        _check_indices("col", matrix.col, matrix.shape[1])
    if matrix.format not in ("csr", "csc", "bsr"):
        return
    starts, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    high, wide = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    major, minor = matrix.shape[::-1] if matrix.format == "csc" else (matrix.shape[0] // high, matrix.shape[1] // wide)
    if len(starts) != major + 1 or starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] > len(indices):
        raise InputError("A: indptr of the sparse matrix does not rise from 0 to at most the number of its indices")
    if len(matrix.data) != len(indices):
        raise InputError("A: indices and data of the sparse matrix are not of the same length")
    if matrix.format != "csr" or indices.itemsize > 4:  # the library looks at those of compressed rows, which have 32 bits
        _check_indices("indices", indices, minor)


def sparse(matrix: Any) -> Matrix:
    from scipy import sparse as sp

    for name in ("data", "indices", "indptr", "row", "col"):
        if isinstance(part := getattr(matrix, name, None), np.ndarray):
            check_file(part)
    _check_pointers(matrix)
    if matrix.format != "csr":
        try:
            matrix = matrix.tocsr()
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f"A: the sparse matrix cannot be converted to compressed rows: {error}") from None
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
    values: np.ndarray[Any, Any]
    levels: tuple[str, ...] | None = None


def _missing(name: str, rows: np.ndarray[Any, Any]) -> InputError:
    return InputError(f"A: row {int(rows[0]) + 1}, column {name!r} is missing; remove or replace it")


def from_columns(columns: list[Column], named: bool = True, encoding: Encoding | None = None,
                 why: str | None = None) -> Matrix:
    """One array of the columns of a table: a column of numbers as it is, of a category 0 and 1 for each level but the first."""
    if not columns:
        raise InputError("A has no columns")
    encoding = encoding or Encoding(tuple(Encoded(c.name, c.levels) for c in columns))
    n = len(columns[0].values)
    out = np.empty((n, len(encoding.names())), order="F")
    at = 0
    found = {key: column for key, column in zip(_numbered([c.name for c in columns]), columns)}
    for key, wanted in zip(_numbered([c.name for c in encoding.columns]), encoding.columns):
        if key not in found:
            raise InputError(f"the table has no column {wanted.name!r}")
        at = _fill(out, at, found[key], wanted)
    _copied(out, why or "the columns of a table do not lie side by side in memory")
    return dense(out, encoding.names() if named else None, encoding if named else None)


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with how many columns before it have the same: tables may have several columns of one name."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        out.append((name, seen.get(name, 0)))
        seen[name] = out[-1][1] + 1
    return out


def _fill(out: np.ndarray[Any, Any], at: int, column: Column, wanted: Encoded) -> int:
    levels = wanted.levels
    if levels is None:
        if column.levels is not None:
            raise InputError(f"column {column.name!r} holds text, where numbers were before")
        out[:, at] = column.values
        if wanted.mean is not None:
            out[np.isnan(out[:, at]), at] = wanted.mean
        return at + 1
    if column.levels is None:
        column = _as_levels(column, levels)
    missing = np.flatnonzero(column.values < 0)
    if len(missing):
        raise _missing(column.name, missing)
    place = {level: i for i, level in enumerate(levels)}
    assert column.levels is not None
    codes = np.array([place.get(level, -1) for level in column.levels] or [0], dtype=np.int64)[column.values]
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        found = column.levels[int(column.values[unknown[0]])]
        raise InputError(f"row {unknown[0] + 1}, column {column.name!r} has the level {found!r}, which was not there before")
    for level in range(1, len(levels)):
        out[:, at + level - 1] = codes == level
    return at + len(levels) - 1


def _as_levels(column: Column, levels: Sequence[str]) -> Column:
    """Numbers as the levels of a category: in a file they were texts that read the same."""
    values: dict[float, str] = {}
    for level in levels:
        try:
            values[float(level)] = level
        except ValueError:
            raise InputError(f"column {column.name!r} holds numbers, where a category was before") from None
    different, codes = np.unique(column.values, return_inverse=True)
    texts = [values.get(float(v), f"{float(v):.15g}") for v in different]
    gaps = np.isnan(np.asarray(column.values, dtype=np.float64))
    return Column(column.name, np.where(gaps, -1, codes), tuple(texts))


def column_text(name: Any) -> str:
    """The name of a column of a frame; of one with several levels their names, with dots between them.

    >>> column_text("age"), column_text(("blood", "s1"))
    ('age', 'blood.s1')
    """
    return ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def is_pandas(thing: Any, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, getattr(pandas, kind))


def pandas_columns(frame: Any, encoding: Encoding | None = None) -> list[Column]:
    """The columns of a frame; with an encoding those alone that it needs, and text where it has a category."""
    texts = None if encoding is None else {column.name: column.levels is not None for column in encoding.columns}
    return [_pandas_column(name, frame.iloc[:, j], texts is not None and texts[name])
            for j, name in enumerate(map(column_text, frame.columns)) if texts is None or name in texts]


def _pandas_column(name: str, series: Any, text: bool = False) -> Column:
    import pandas

    if text and (series.dtype == object or isinstance(series.dtype, pandas.StringDtype)):
        series = series.astype("category")
    if isinstance(series.dtype, pandas.CategoricalDtype):
        return Column(name, series.cat.codes.to_numpy(), tuple(str(level) for level in series.cat.categories))
    if not pandas.api.types.is_numeric_dtype(series.dtype) or series.dtype.kind == "c":
        advice = (f"text becomes a category by frame.astype({{{name!r}: 'category'}}), and numbers become numbers by "
                  f"frame.astype({{{name!r}: float}})" if series.dtype == object or isinstance(series.dtype, pandas.StringDtype) else
                  "turn it into numbers or leave it out")
        raise InputError(f"A: column {name!r} has the type {series.dtype}; {advice}")
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
        check_file(values)
        return Column(name, values)
    return Column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))


def _pandas(frame: Any, encoding: Encoding | None) -> Matrix:
    named = all(isinstance(name, (str, tuple)) for name in frame.columns)
    types = set(frame.dtypes)
    if len(types) == 1 and encoding is None and types <= {np.dtype(np.float64), np.dtype(np.float32)}:
        check_file(frame.iloc[:, 0].to_numpy())
        values = frame.to_numpy()
        if not np.shares_memory(values, frame.iloc[:, 0].to_numpy()):
            _copied(values, "the columns of the frame do not lie side by side in memory")
        names = [column_text(name) for name in frame.columns]
        return dense(values, names if named else None, Encoding(tuple(map(Encoded, names))) if named else None)
    return from_columns(pandas_columns(frame, encoding), named, encoding)


def _pandas_numbers(values: Any) -> np.ndarray[Any, Any]:
    """The numbers of a series or a frame; pandas' own types, which may lack some, as float64 with NaN."""
    import pandas

    types = [values.dtype] if values.ndim == 1 else list(values.dtypes)
    own = any(not isinstance(kind, np.dtype) for kind in types)
    if own and all(pandas.api.types.is_numeric_dtype(kind) for kind in types):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return values.to_numpy()


# ---- the whole choice ----------------------------------------------------------------------------------------------------------


def is_path(thing: Any) -> bool:
    return isinstance(thing, (str, bytes, os.PathLike))


def _h5py(dataset: Any) -> Matrix:
    if len(dataset.shape) != 2:
        raise InputError(f"the data set {dataset.name} has {len(dataset.shape)} dimensions and needs 2, rows and columns")
    if dataset.dtype.kind not in "biuf":
        raise InputError(f"the data set {dataset.name} has entries of type {dataset.dtype}, which are no real numbers")

    def read(first: int, last: int) -> np.ndarray[Any, Any]:
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


def numbers(values: Any, what: str, dimensions: tuple[int, ...] = (1, 2)) -> np.ndarray[Any, Any]:
    """An array of doubles, row-major, as y, weights and offsets are taken."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.base is None and values.flags.carray and values.ndim in dimensions:
        return values  # what most callers have: nothing has to be looked at
    if is_pandas(values, "Series") or is_pandas(values, "DataFrame"):
        values = _pandas_numbers(values)
    elif hasattr(values, "toarray") and hasattr(values, "format"):
        values = values.toarray()
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


def pointer(array: np.ndarray[Any, Any]) -> Any:
    return ffi.from_buffer("double[]", array) if array.size else ffi.new("double *")


def c_names(names: Sequence[str]) -> tuple[Any, list[Any]]:
    """An array of texts, and what keeps them alive."""
    kept = [ffi.new("char[]", name.replace("\0", "?").encode("utf-8", "surrogateescape")) for name in names]
    return ffi.new("const char *[]", kept), kept


def whole_numbers(values: Any, name: str, meaning: str) -> np.ndarray[Any, Any]:
    """An array of whole numbers; others are refused, not rounded."""
    given = np.asarray(values)
    if given.dtype.kind not in "iub" and not (given.dtype.kind == "f" and (given == np.floor(given)).all()):
        raise InputError(f"{name} has entries that are no whole numbers; {meaning}")
    return np.ascontiguousarray(given, np.int64)


def set_folds(options: Any, folds: Any, kept: list[Any]) -> None:
    """Folds as the options of a summary or a path have them: how many, or the number of its fold, from 0, for each row."""
    if np.ndim(folds) == 0:
        options.folds = whole("folds", folds)
        return
    fold = whole_numbers(folds, "folds", "it is a number of folds, or that of its fold for each row")
    kept.append(fold)
    options.folds, options.fold = int(fold.max(initial=0)) + 1, ffi.cast("int64_t *", fold.ctypes.data)
    options.fold_rows = fold.size
