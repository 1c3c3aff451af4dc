"""Reports: the pages that the program writes with --report, of answers in memory.

The pages themselves are written in C (cli/page.h). An answer has all they need but the data: with the problem that it is
from, a page also has residuals, the bounds of the coefficients, and the other plans that were considered.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _data
from ._core import FileError, Native, OutOfMemoryError, ffi, lib


class About(NamedTuple):
    """What was asked for, in the words of whoever asked."""

    a: str  #: where the rows are from
    target: str | None  #: the name of the response
    rows: int
    constraints: tuple[tuple[str, str], ...]  #: what introduces a constraint, and its text
    intercept: bool
    standardized: bool
    weighted_by: str | None
    offset_by: str | None
    l1: float
    l2: float


class Page:
    """The C struct of a page, and all that it borrows."""

    def __init__(self, about: About, names: Sequence[str] | None, d: int, k: int, encoding: Any, tol: float) -> None:
        self.native = Native()
        self.kept: list[Any] = []
        self.c = c = ffi.new("page *")
        c.a, c.target = self.text(about.a), self.text(about.target)
        c.rows, c.columns, c.responses = about.rows, d, k
        lines = [{"words": self.text(words), "text": self.text(text)} for words, text in about.constraints]
        c.constraints, c.constraint_count = self.keep(ffi.new("page_constraint[]", lines)), len(lines)
        c.intercept, c.standardized = about.intercept, about.standardized
        c.weighted_by, c.offset_by = self.text(about.weighted_by), self.text(about.offset_by)
        c.l1, c.l2, c.tol, c.load_seconds = about.l1, about.l2, tol, -1
        c.context, c.A = self.native.context, self._names(names, d)
        if encoding is not None:
            text = encoding.text() if isinstance(encoding, _data.Encoding) else encoding
            c.encoding = self.native.make("gpis_encoding", lib.gpis_encoding_destroy, lib.gpis_encoding_parse, self.native.context, text)

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def text(self, text: str | None) -> Any:
        return ffi.NULL if text is None else self.keep(ffi.new("char[]", text.encode("utf-8", "replace")))

    def numbers(self, values: np.ndarray[Any, Any]) -> Any:
        return _data.pointer(self.keep(np.ascontiguousarray(values, np.float64).reshape(-1)))

    def struct(self, kind: str, fields: dict[str, Any]) -> Any:
        """A struct of the library; texts and arrays are made for it."""
        out = self.keep(ffi.new(kind + " *"))
        for name, value in fields.items():
            value = self.text(value) if isinstance(value, str) else self.numbers(value) if isinstance(value, np.ndarray) else value
            setattr(out, name, value)
        return out

    def pointers(self, kind: str, structs: list[Any]) -> Any:
        return self.keep(ffi.new(f"const {kind} *[]", structs))

    def _names(self, names: Sequence[str] | None, d: int) -> Any:
        """A source without rows of its own, which has the names of the columns."""
        source = self.native.make("gpis_source", lib.gpis_source_destroy, lib.gpis_source_dense, self.native.context,
                                  ffi.cast("void *", self.numbers(np.zeros(d))), lib.GPIS_FLOAT64, lib.GPIS_ROW_MAJOR, 1, d, d)
        if names is not None:
            texts, kept = _data.c_names(names)
            self.native.check(lib.gpis_source_name_columns(source, texts, d))
        return source

    def html(self, answers: Any = ffi.NULL) -> str:
        made = lib.gpis_py_page(self.c, answers)
        if made == ffi.NULL:
            raise OutOfMemoryError("there is not enough memory for the page")
        try:
            return ffi.string(made).decode("utf-8", "replace")
        finally:
            lib.gpis_py_free(made)


def try_file(path: Any) -> None:
    """Raises, before long work, where a page could not be written."""
    folder = os.path.dirname(os.path.realpath(os.fspath(path)))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{path}: cannot be written: " + ("the folder is not writable" if os.path.isdir(folder) else "there is no such folder"))


def deliver(html: str, path: Any) -> str | None:
    """The page itself, or None once it is in its file, which is there as a whole or not at all."""
    if path is None:
        return html
    path = os.path.realpath(os.fspath(path))
    try:
        number, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".gpis-")
        try:
            with open(number, "w", encoding="utf-8") as file:
                file.write(html)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from None
    return None
