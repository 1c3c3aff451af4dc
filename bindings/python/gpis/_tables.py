"""Tables of other packages, by the two protocols that they share: the Arrow C stream and the dataframe interchange protocol.

Both hand out columns, which become one array of columns here (_data.from_columns): a copy.
"""

from __future__ import annotations

import ctypes
from typing import Any, Iterator

import numpy as np

from ._core import InputError, ffi
from ._data import Column

# ---- memory ----------------------------------------------------------------------------------------------------------


def _view(address: int, kind: str, count: int) -> np.ndarray[Any, Any]:
    """`count` numbers at an address, copied, since their owner may release them."""
    if count == 0:
        return np.empty(0, dtype=kind)
    pointer = ffi.cast("char *", address)
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(kind).itemsize), dtype=kind).copy()


def _bits(address: int, offset: int, count: int) -> np.ndarray[Any, Any]:
    """Bits, of which the lowest of a byte is the first."""
    bits = np.unpackbits(_view(address, "u1", (offset + count + 7) // 8), bitorder="little")
    return bits[offset:offset + count].astype(bool)


def _texts(offsets: np.ndarray[Any, Any], address: int) -> tuple[str, ...]:
    letters = bytes(ffi.buffer(ffi.cast("char *", address), int(offsets[-1]))) if len(offsets) and offsets[-1] else b""
    return tuple(letters[a:b].decode("utf-8", "replace") for a, b in zip(offsets[:-1], offsets[1:]))


def _no_numbers(name: str, kind: str) -> InputError:
    return InputError(f"A: column {name!r} holds {kind}, which is neither numbers nor a category; leave it out")


def _without_gaps(name: str, values: np.ndarray[Any, Any], valid: np.ndarray[Any, Any] | None, first_row: int) -> np.ndarray[Any, Any]:
    if valid is not None and not valid.all():
        row = first_row + int(np.argmin(valid)) + 1
        raise InputError(f"A: row {row}, column {name!r} is missing; remove or replace it")
    return values


def _joined(name: str, parts: list[Column]) -> Column:
    """One column of the pieces of a table, whose categories may number their levels differently."""
    if parts[0].levels is None:
        return Column(name, np.concatenate([p.values for p in parts]))
    levels: dict[str, int] = {}
    for part in parts:
        for level in part.levels or ():
            levels.setdefault(level, len(levels))
    codes = [np.array([levels[t] for t in p.levels or ()] or [0], dtype=np.int64)[p.values] for p in parts]
    return Column(name, np.concatenate(codes), tuple(levels))


# ---- the Arrow C stream --------------------------------------------------------------------------------------------------

_ARROW = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _valid(array: Any) -> np.ndarray[Any, Any] | None:
    if array.null_count == 0 or array.n_buffers == 0 or array.buffers[0] == ffi.NULL:
        return None
    return _bits(_address(array.buffers[0]), array.offset, array.length)


def _arrow_numbers(name: str, kind: str, array: Any) -> np.ndarray[Any, Any]:
    if kind == "b":
        return _bits(_address(array.buffers[1]), array.offset, array.length).astype(np.float64)
    if kind not in _ARROW:
        raise _no_numbers(name, f"Arrow's type {kind!r}")
    item = np.dtype(_ARROW[kind]).itemsize
    return _view(_address(array.buffers[1]) + array.offset * item, _ARROW[kind], array.length)


def _arrow_texts(name: str, kind: str, array: Any) -> tuple[str, ...]:
    if kind not in ("u", "U"):
        return tuple(str(v) for v in _arrow_numbers(name, kind, array))
    width = "i4" if kind == "u" else "i8"
    start = _address(array.buffers[1]) + array.offset * np.dtype(width).itemsize
    return _texts(_view(start, width, array.length + 1), _address(array.buffers[2]))


def _arrow_column(schema: Any, array: Any, name: str, first_row: int) -> Column:
    kind = ffi.string(schema.format).decode()
    values = _without_gaps(name, _arrow_numbers(name, kind, array), _valid(array), first_row)
    if schema.dictionary == ffi.NULL:
        return Column(name, values)
    return Column(name, values, _arrow_texts(name, ffi.string(schema.dictionary.format).decode(), array.dictionary))


def _stream_failed(stream: Any, code: int) -> InputError:
    text = stream.get_last_error(stream)
    return InputError(f"A: the Arrow stream fails: {ffi.string(text).decode('utf-8', 'replace') if text != ffi.NULL else code}")


def _pieces(stream: Any) -> Iterator[Any]:
    """The pieces of the table, each released after use."""
    while True:
        array = ffi.new("struct ArrowArray *")
        code = stream.get_next(stream, array)
        if code:
            raise _stream_failed(stream, code)
        if array.release == ffi.NULL:
            return
        try:
            yield array
        finally:
            array.release(array)


def _read_stream(stream: Any) -> list[Column]:
    schema = ffi.new("struct ArrowSchema *")
    code = stream.get_schema(stream, schema)
    if code:
        raise _stream_failed(stream, code)
    try:
        if ffi.string(schema.format) != b"+s":
            raise InputError("A: the Arrow stream holds one column, and no table")
        children = [schema.children[j] for j in range(schema.n_children)]
        names = [ffi.string(c.name).decode("utf-8", "replace") if c.name != ffi.NULL else f"x{j + 1}"
                 for j, c in enumerate(children)]
        parts: list[list[Column]] = [[] for _ in children]
        rows = 0
        for array in _pieces(stream):
            for j, child in enumerate(children):
                parts[j].append(_arrow_column(child, array.children[j], names[j], rows))
            rows += array.length
    finally:
        schema.release(schema)
    if rows == 0:
        raise InputError("A has no rows")
    return [_joined(name, part) for name, part in zip(names, parts)]


def arrow_columns(table: Any) -> list[Column]:
    """The columns of anything that has __arrow_c_stream__."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ffi.cast("struct ArrowArrayStream *", get(capsule, b"arrow_array_stream"))
    try:
        return _read_stream(stream)
    finally:
        if stream.release != ffi.NULL:
            stream.release(stream)


# ---- the dataframe interchange protocol --------------------------------------------------------------------------------------

_KINDS = {0: "i", 1: "u", 2: "f", 20: "u"}
_TEXT, _CATEGORY = 21, 23
_NAN, _SENTINEL, _BIT_MASK, _BYTE_MASK = 1, 2, 3, 4


def _plain(column: Any, name: str) -> np.ndarray[Any, Any]:
    """The numbers of a column, or the codes of a category."""
    buffer, (kind, bits, _, _) = column.get_buffers()["data"]
    if int(kind) not in _KINDS:
        raise _no_numbers(name, f"the type {kind}")
    if bits == 1:
        return _bits(buffer.ptr, column.offset, column.size()).astype(np.float64)
    item = f"{_KINDS[int(kind)]}{bits // 8}"
    return _view(buffer.ptr + column.offset * bits // 8, item, column.size())


def _exchange_valid(column: Any, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    how, value = column.describe_null
    if int(how) == _SENTINEL:
        return values != value
    if int(how) not in (_BIT_MASK, _BYTE_MASK):
        return None
    mask = column.get_buffers()["validity"]
    if mask is None:
        return None
    if int(how) == _BYTE_MASK:
        return _view(mask[0].ptr + column.offset, "u1", column.size()) != value
    return _bits(mask[0].ptr, column.offset, column.size()) != bool(value)


def _exchange_texts(column: Any, name: str) -> tuple[str, ...]:
    if int(column.dtype[0]) != _TEXT:
        return tuple(str(v) for v in _plain(column, name))
    buffers = column.get_buffers()
    offsets, (_, bits, _, _) = buffers["offsets"]
    return _texts(_view(offsets.ptr + column.offset * bits // 8, f"i{bits // 8}", column.size() + 1), buffers["data"][0].ptr)


def _exchange_column(column: Any, name: str, first_row: int) -> Column:
    values = _plain(column, name)
    values = _without_gaps(name, values, _exchange_valid(column, values), first_row)
    if int(column.dtype[0]) != _CATEGORY:
        return Column(name, values)
    about = column.describe_categorical
    if not about["is_dictionary"]:
        raise _no_numbers(name, "a category without a list of its levels")
    return Column(name, values, _exchange_texts(about["categories"], name))


def exchange_columns(table: Any) -> list[Column]:
    """The columns of anything that has __dataframe__."""
    frame = table.__dataframe__()
    names = [str(name) for name in frame.column_names()]
    parts: list[list[Column]] = [[] for _ in names]
    rows = 0
    for piece in frame.get_chunks():
        for j, name in enumerate(names):
            parts[j].append(_exchange_column(piece.get_column(j), name, rows))
        rows += piece.num_rows()
    if rows == 0:
        raise InputError("A has no rows")
    return [_joined(name, part) for name, part in zip(names, parts)]
