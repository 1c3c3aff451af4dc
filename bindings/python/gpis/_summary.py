"""Summaries: what one sweep over the rows keeps."""

from __future__ import annotations

import os
from typing import Any

from ._core import Native, UsageError, ffi, lib, text_of


class Summary:
    """What one sweep over the rows keeps: all that any later solve with them needs, whatever its constraints.

    Made by gpis.summarize, and given to solve, plan, check, path and cv in the place of A and y.
    """

    def __init__(self, native: Native, pointer: Any, flat: bool = True, columns: Any = None) -> None:
        info = ffi.new("gpis_summary_info *", {"size": ffi.sizeof("gpis_summary_info")})
        native.check(lib.gpis_summary_describe(pointer, info))
        self._native, self._summary, self._flat, self._columns = native, pointer, flat and info.responses == 1, columns
        self.rows, self.columns, self.responses, self.folds = info.rows, info.columns, info.responses, info.folds
        self.weights_sum, self.gamma = info.weights_sum, info.gamma
        named = lib.gpis_summary_column(pointer, 0) != ffi.NULL
        self._names = [text_of(lib.gpis_summary_column(pointer, j)) for j in range(self.columns)] if named else None

    def __reduce__(self) -> Any:
        raise TypeError("a gpis.Summary cannot be pickled: save() it to a file, and load() it elsewhere")

    @property
    def names(self) -> list[str]:
        """The names of the columns: their own, or x1, x2, ..."""
        return [f"x{j + 1}" for j in range(self.columns)] if self._names is None else list(self._names)

    def save(self, path: Any) -> None:
        """Writes the summary to a file, which the program reads too, and numpy: it is an archive of arrays (.npz)."""
        with self._native:
            self._native.check(lib.gpis_summary_save(self._summary, os.fsencode(path)))

    @staticmethod
    def load(path: Any) -> Summary:
        """A summary from its file; solve and the others also take the path itself."""
        native = Native()
        return Summary(native, native.make("gpis_summary", lib.gpis_summary_destroy, lib.gpis_summary_load, native.context, os.fsencode(path)))

    @staticmethod
    def merge(*parts: Summary) -> Summary:
        """The summary of the rows of all parts together.

        >>> import numpy as np, gpis
        >>> a, b = gpis.summarize(np.eye(2), [1.0, 2.0]), gpis.summarize(np.eye(2), [3.0, 4.0])
        >>> gpis.solve(gpis.Summary.merge(a, b)).x
        array([2., 3.])
        """
        native = Native()
        for part in parts:
            if not isinstance(part, Summary):
                raise UsageError(f"summaries can be merged, and not a {type(part).__name__}")
        made = native.make("gpis_summary", lib.gpis_summary_destroy, lib.gpis_summary_merge, native.context,
                           ffi.new("const gpis_summary *[]", [part._summary for part in parts]), len(parts))
        return Summary(native, made, all(part._flat for part in parts), parts[0]._columns if parts else None)

    def fold_rows(self, fold: int) -> int:
        """How many rows a fold has."""
        return int(lib.gpis_summary_fold_rows(self._summary, fold))

    def __repr__(self) -> str:
        folds = f", {self.folds} folds" if self.folds > 1 else ""
        return f"<gpis.Summary: {self.rows} rows, {self.columns} columns, {self.responses} responses{folds}>"
