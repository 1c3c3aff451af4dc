"""Problems: what is solved, made once and used as often as you like; and the functions that make one for a single call."""

from __future__ import annotations

import os
from typing import Any, Callable, ContextManager, Sequence

import numpy as np

from . import _data, _sets
from ._core import (OPTIONS, ConstraintWarning, FileError, InputError, Native, UsageError, ffi, hdf5_lock, lib, real, refuse_unknown, set_options,
                    text_of, thread_limit, warn)
from ._kinds import box
from ._penalty import as_penalty
from ._report import About, Page, try_file
from ._result import Plan, Result
from ._source import source as make_source
from ._summary import Summary
from ._watch import WHILE_OPENING, Watch

_OPEN, _PROBLEM = lib.GPIS_OPTION_OPEN, lib.GPIS_OPTION_PROBLEM
_SETTINGS = lib.GPIS_OPTION_SOLVE | lib.GPIS_OPTION_PLAN | lib.GPIS_OPTION_CHECK
_OF_TABLES = {name for name, option in OPTIONS.items() if option.where & _OPEN}  # options of files
_OF_FRAMES = {"target", "weights", "offset"}  # those that a table in memory has too
_OF_PROBLEM = {name for name, option in OPTIONS.items() if option.where & (_PROBLEM | _OPEN)}
_OF_SOLVE = {name for name, option in OPTIONS.items() if option.where & _SETTINGS}


def _texts(value: Any) -> list[str]:
    """A repeated option: a text, or several."""
    texts = [] if value is None else [value] if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"a linear constraint is a text such as 'tv + radio <= 0.5', not {text!r}")
    return texts


def _pair(bounds: Any) -> Any:
    """The set of bounds that are given as arrays or numbers."""
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise UsageError("bounds= is a file, or a pair: the lower and the upper bounds, of which each is a number, a list or None")
    return box(*bounds)


def _constraint_texts(value: Any) -> list[str]:
    """Linear constraints, where @FILE stands for the lines of a file."""
    out: list[str] = []
    for text in _texts(value):
        if not text.startswith("@"):
            out.append(text)
            continue
        try:
            with open(text[1:], encoding="utf-8", errors="surrogateescape") as lines:
                out += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        except OSError as error:
            raise FileError(f"{text[1:]}: cannot be opened: {error.strerror}") from None
    return out


class Problem:
    """Constrained least squares, prepared: minimise ||y - A x||^2 over x in a set, with the terms of the options.

    A prepared problem saves the work that does not depend on y, so that many solves with the same A cost little more
    than their arithmetic. The arrays are borrowed and must not be changed while the problem lives.

    >>> import numpy as np, gpis
    >>> problem = gpis.Problem(np.eye(2), set=gpis.nonneg)
    >>> problem.solve([1.0, -1.0]).x, problem.solve([-1.0, 3.0]).x
    (array([1., 0.]), array([0., 3.]))

    Parameters
    ----------
    A : array, np.memmap, scipy.sparse matrix, pandas frame or another table, h5py data set, path, or gpis.Rows
    y : array of n or n x k numbers, or a path; not needed where a file or a table holds it (target=)
    set : a spec such as "l1:3.5", a set such as gpis.l1(3.5), a projection, or a list of these, which all hold
    names : of the columns of A
    options : of the library's table, gpis.options(): intercept, subject_to, bounds, penalty, weights, offset,
        standardize, and for files target, columns, exclude, categorical, missing, format, ...; those of a solve (tol,
        threads, memory, ...) then hold for every solve of this problem
    """

    shape: tuple[int, int] = (0, 0)
    _spec = "none"
    _of_summary: Summary | None = None

    def __init__(self, A: Any, y: Any = None, set: Any = None, *, names: Sequence[str] | None = None,
                 progress: Callable[[dict[str, Any]], Any] | bool | None = None, **options: Any) -> None:
        refuse_unknown(options, OPTIONS)
        if _data.is_path(A) and lib.gpis_is_summary(os.fsencode(A)):
            A = Summary.load(A)
        summary = A if isinstance(A, Summary) else None
        self._native = native = Native(summary._native if summary is not None else None)
        self._native_of_set = native  # made anew with each set
        with native:  # a summary is shared by problems, which other threads may make and solve meanwhile
            self._pose(A, y, set, names, progress, options, summary)

    def _pose(self, A: Any, y: Any, set: Any, names: Any, progress: Any, options: dict[str, Any], summary: Summary | None) -> None:
        native = self._native
        self._options = {name: value for name, value in options.items() if name in _OF_SOLVE and value is not None}
        self._given = {name: value for name, value in options.items() if name in _OF_PROBLEM and value is not None}
        self._sets: list[Any] = [set]
        self._asked = (os.fsdecode(A) if _data.is_path(A) else "A", self._given.get("target"),
                       {name: self._given[name] for name in ("weights", "offset") if name in self._given})
        self._about_made: About | None = None
        self._weights: np.ndarray[Any, Any] | None = None
        self._offset: np.ndarray[Any, Any] | None = None
        self._penalty = as_penalty(self._given.get("penalty"))
        self._settings = self._make_settings(self._options, native.kept)
        native.check(lib.gpis_context_set_memory(native.context, self._settings.memory))
        if self._settings.threads:
            native.check(lib.gpis_context_set_threads(native.context, self._settings.threads))
        self._matrix: _data.Matrix | None = None
        self._hdf5 = False
        self._k = 0
        self._flat = True
        self._watch = Watch()
        self._y: np.ndarray[Any, Any] | None = None
        if summary is not None:
            self._pose_summary(summary, y, names)
            return
        y = self._open(A, y, progress)
        info = ffi.new("gpis_source_info *")
        lib.gpis_source_describe(self._source, info)
        self.shape, self._resident = (info.rows, info.cols), bool(info.resident)
        if names is not None:
            names = _data.name_list(names)
            texts, kept = _data.c_names(names)
            native.check(lib.gpis_source_name_columns(self._source, texts, len(names)))
        self._names = self._column_names()
        self._problem = native.make("gpis_problem", lib.gpis_problem_destroy, lib.gpis_problem_create, native.context,
                                    self._source)
        self._terms()
        if y is not None:
            self._respond(y)

    def _pose_summary(self, summary: Summary, y: Any, names: Any) -> None:
        """The rows are known by their summary alone, which has A, y, weights and offset."""
        if y is not None or names is not None:
            raise UsageError("a summary has y and the names of its columns: give neither")
        for name in self._given:
            if name in _OF_TABLES and not OPTIONS[name].where & _SETTINGS:
                raise UsageError(f"{name}= is given when the summary is made")
        self.shape, self._names, self._flat = (summary.rows, summary.columns), summary._names, summary._flat
        self._of_summary = summary
        native = self._native
        self._problem = native.make("gpis_problem", lib.gpis_problem_destroy, lib.gpis_problem_of_summary, native.context,
                                    summary._summary)
        self._terms()
        self._constrain(summary.responses)

    # -- data --

    def _open(self, A: Any, y: Any, progress: Any) -> Any:
        """Makes the source; returns y, from wherever it comes."""
        if y is not None and "target" in self._given:
            raise UsageError("y is given twice: as y, and by target=")
        if _data.is_path(A):
            return self._open_path(A, y, progress)
        allowed = _OF_FRAMES if _data.is_table(A) else {"weights", "offset"}
        for name in self._given:
            if name in _OF_TABLES - allowed and not OPTIONS[name].where & _SETTINGS:
                raise UsageError(f"{name}= is for A in a file, which this is not")
        if _data.is_table(A):
            A, y = self._take_columns(A, y)
        self._matrix = _data.matrix(A)
        self._source = make_source(self._native, self._matrix)
        return None if y is None else self._read(y, "y")

    def _take_columns(self, table: Any, y: Any) -> tuple[Any, Any]:
        """The columns of a table that are named as y, weights and offset are not in A."""
        named = {name: _data.column_text(value) for name in _OF_FRAMES
                 if (value := self._given.get(name)) is not None and (name == "target" or isinstance(value, (str, int)))}
        if not named:
            return table, y
        if _data.is_pandas(table, "DataFrame"):
            labels = [_data.column_text(name) for name in table.columns]
            listed = [(label, table.iloc[:, j]) for j, label in enumerate(labels)]
            rest: Any = table.loc[:, [label not in named.values() for label in labels]]
        else:
            columns = _data.table_columns(table)
            listed = [(c.name, c.values) for c in columns]
            rest = _data.from_columns([c for c in columns if c.name not in named.values()])
        taken: dict[str, Any] = {}
        for name, column in named.items():
            found = [values for label, values in listed if label == column]
            if len(found) != 1:
                raise InputError(f"{name}={self._given[name]!r}: " + (f"{len(found)} columns of the table have this name" if found else
                                                                      "the table has no column of this name"))
            taken[name] = found[0]
        for name in named.keys() - {"target"}:
            self._given[name] = taken[name]
        return rest, taken.get("target", y)

    def _open_path(self, A: Any, y: Any, progress: Any) -> Any:
        native = self._native
        options = ffi.new("gpis_open_options *")
        native.check(lib.gpis_open_options_init(options, ffi.sizeof("gpis_open_options")))
        texts = {name: value for name, value in self._given.items() if name in _OF_TABLES and
                 (isinstance(value, (str, os.PathLike)) or name not in ("weights", "offset"))}
        kept: list[Any] = []
        set_options(options, lib.gpis_open_options_set, texts, kept)
        watch = Watch(None)
        options.progress, options.progress_user = WHILE_OPENING, watch.state
        path = os.fsencode(A)
        self._hdf5 = ".h5" in os.fsdecode(path).lower() or ".hdf5" in os.fsdecode(path).lower()
        with self._guard():
            out = ffi.new("gpis_source **")
            status = lib.gpis_source_open_with(native.context, path, options, out)
        if watch.interrupted:
            raise KeyboardInterrupt
        watch.end()
        native.check(status)
        self._source = native.own(lib.gpis_source_destroy, out[0])
        for name, column in (("weights", lib.gpis_source_weights), ("offset", lib.gpis_source_offset)):
            numbers = column(self._source)
            if numbers != ffi.NULL and name in texts:
                self._given[name] = self._borrowed(numbers, 1)
        if y is not None:
            return self._read(y, "y")
        k = ffi.new("int64_t *")
        target = lib.gpis_source_target(self._source, k)
        return None if target == ffi.NULL else self._borrowed(target, k[0])

    def _borrowed(self, numbers: Any, k: int) -> np.ndarray[Any, Any]:
        info = ffi.new("gpis_source_info *")
        lib.gpis_source_describe(self._source, info)
        array = np.frombuffer(ffi.buffer(numbers, info.rows * k * 8), dtype=np.float64)
        return array if k == 1 else array.reshape(info.rows, k)

    def _read(self, values: Any, what: str) -> np.ndarray[Any, Any]:
        """Numbers for each row: an array, or the file that holds them."""
        if type(values) is np.ndarray or not _data.is_path(values):
            return _data.numbers(values, what)
        out = ffi.new("gpis_array *")
        with hdf5_lock(True):
            self._native.check(lib.gpis_array_read(self._native.context, os.fsencode(values), out))
        shape = (out.rows,) if out.dimensions == 1 else (out.rows, out.cols)
        array = np.frombuffer(ffi.buffer(out.data, out.rows * out.cols * 8), dtype=np.float64).copy().reshape(shape)
        lib.gpis_array_clear(self._native.context, out)
        return array

    def _guard(self) -> ContextManager[Any]:
        return hdf5_lock(self._hdf5)

    def _column_names(self) -> list[str] | None:
        if lib.gpis_source_column(self._source, 0) == ffi.NULL:
            return None
        return [text_of(lib.gpis_source_column(self._source, j)) for j in range(self.shape[1])]

    def _encoding(self) -> Any:
        """All that it takes to make the same columns of another table."""
        if self._of_summary is not None:
            return self._of_summary._columns
        if self._matrix is not None:
            return self._matrix.encoding
        made = lib.gpis_source_encoding(self._source)
        if made == ffi.NULL:
            return None
        size = lib.gpis_encoding_text(made, ffi.NULL, 0) + 1
        text = ffi.new("char[]", size)
        lib.gpis_encoding_text(made, text, size)
        return ffi.string(text)

    # -- terms --

    def _terms(self) -> None:
        native, given = self._native, self._given
        for name, function in (("intercept", lib.gpis_problem_intercept), ("standardize", lib.gpis_problem_standardize)):
            if name in given:
                native.check(function(self._problem, _flag(name, given[name])))
        if "weights" in given:
            w = native.keep(self._read(given["weights"], "weights"))
            w = w.reshape(-1) if w.ndim == 2 and 1 in w.shape else w
            if w.ndim != 1:
                raise InputError(f"weights has the shape {w.shape}; there is one for each row")
            self._weights = w
            native.check(lib.gpis_problem_weights(self._problem, _data.pointer(w), w.shape[0]))
        if "offset" in given:
            o = native.keep(self._read(given["offset"], "offset"))
            self._offset = o
            native.check(lib.gpis_problem_offset(self._problem, _data.pointer(o), o.shape[0], o.shape[1] if o.ndim == 2 else 1))
        penalty = self._penalty
        if penalty.l1 is not None:
            w = penalty.weights
            native.check(lib.gpis_problem_penalty(self._problem, penalty.l1, ffi.NULL if w is None else _data.pointer(w),
                                                  self.shape[1] if w is None else w.shape[0]))
        if penalty.l2 is not None:
            native.check(lib.gpis_problem_ridge(self._problem, penalty.l2))

    def _respond(self, y: Any) -> None:
        """Gives the problem its response, and for another number of columns its set once more."""
        y = self._read(y, "y")
        k = y.shape[1] if y.ndim == 2 else 1
        self._native.check(lib.gpis_problem_response(self._problem, _data.pointer(y), y.shape[0], k))
        self._y, self._flat = y, y.ndim == 1
        if k != self._k:
            self._constrain(k)

    def _constrain(self, k: int) -> None:
        before, native = self._native_of_set, Native(self._native)
        names = self._names or [f"x{j + 1}" for j in range(self.shape[1])]
        place = _sets.Place(native, self._problem, names, self.shape[1], k)
        made = [term.build(place) for given in self._sets for term in _sets.as_set(given).terms]
        texts = _constraint_texts(self._given.get("subject_to"))
        if texts:
            lines, kept = _data.c_names(texts)
            made.append(native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_parse_linear, native.context, lines,
                                    len(texts), self._problem))
        bounds = self._given.get("bounds")
        if isinstance(bounds, (str, os.PathLike)):
            made.append(native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_read_bounds, native.context,
                                    os.fsencode(bounds), self._problem))
        elif bounds is not None:
            made.append(_pair(bounds).terms[0].build(place))
        for one in made:
            if text := text_of(lib.gpis_set_warning(one)):
                warn(text, ConstraintWarning)
            native.check(lib.gpis_set_responses(one, k))
        if len(made) > 1:
            made = [native.make("gpis_set", lib.gpis_set_destroy, lib.gpis_set_intersection, native.context, len(made),
                                ffi.new("gpis_set *[]", made))]
        if made:
            native.check(lib.gpis_problem_constrain(self._problem, made[0]))
            self._spec = text_of(lib.gpis_set_spec(made[0]))
        self._set = made[0] if made else None
        self._k = k
        self._native_of_set = native
        del before  # the set for another number of responses, which the problem no longer refers to

    # -- reports --

    @property
    def _about(self) -> About:
        """What is solved, in words; made once."""
        if self._about_made is None:
            a, target, of_rows = self._asked
            by = {name: value if isinstance(value, str) else name for name, value in of_rows.items()}
            bounds = self._given.get("bounds")
            texts = [str(term) for given in self._sets for term in _sets.as_set(given).terms]
            texts += _constraint_texts(self._given.get("subject_to"))
            texts += [] if bounds is None or _data.is_path(bounds) else [_pair(bounds).spec]
            lines = [("subject to", text) for text in texts]
            lines += [("bounds of the file", os.fsdecode(bounds))] if bounds is not None and _data.is_path(bounds) else []
            intercept, standardized = (bool(_flag(name, self._given.get(name, False))) for name in ("intercept", "standardize"))
            self._about_made = About(a, None if target is None else _data.column_text(target), self.shape[0], tuple(lines), intercept,
                                     standardized, by.get("weights"), by.get("offset"), self._penalty.l1 or 0.0, self._penalty.l2 or 0.0)
        return self._about_made

    def _show(self, page: Page) -> None:
        """Gives a page what only the data tell: residuals, bounds of the coefficients, other plans."""
        c = page.c
        c.settings, c.problem = page.keep(self._make_settings(self._options, page.kept)), self._problem
        c.set = ffi.NULL if self._set is None else self._set
        if self._of_summary is not None or self._y is None:
            return
        c.context, c.A, c.resident = self._native.context, self._source, self._resident
        c.Y = _data.pointer(self._y)
        c.weights = ffi.NULL if self._weights is None else _data.pointer(self._weights)
        c.offset = ffi.NULL if self._offset is None else _data.pointer(self._offset)

    # -- calls --

    def _make_settings(self, options: dict[str, Any], kept: list[Any]) -> Any:
        settings = ffi.new("gpis_settings *")
        self._native.check(lib.gpis_settings_init(settings, ffi.sizeof("gpis_settings")))
        set_options(settings, lib.gpis_settings_set, options, kept)
        return settings

    def _settings_for(self, options: dict[str, Any], kept: list[Any]) -> Any:
        settings = self._settings
        if options:
            refuse_unknown(options, _OF_SOLVE)
            settings = self._make_settings({**self._options, **options}, kept)
        thread_limit(settings)
        return settings

    def _ready(self, y: Any) -> None:
        if self._of_summary is not None:
            if y is not None:
                raise UsageError("a summary has its y: another cannot be given")
            return
        if y is not None:
            self._respond(y)
        elif self._y is None:
            raise InputError("the problem has no y: give it, or name its column (target=)")
        else:
            _data.check_file(self._y)
        if self._matrix is not None:
            self._matrix.check()

    def _run(self, call: Callable[[Any, Any], int], options: dict[str, Any], x0: Any, progress: Any, on_interrupt: str,
             ranges: tuple[float, float] | None = None) -> Result:
        if on_interrupt not in ("return", "raise"):
            raise InputError(f"on_interrupt is 'return' or 'raise', not {on_interrupt!r}")
        kept: list[Any] = []
        settings = self._settings_for(options, kept)
        watch = self._watch if not progress else Watch(progress)
        watch.reset()
        watch.attach(settings)
        start = None if x0 is None else _data.numbers(x0, "x0")
        settings.x0, settings.x0_entries = (ffi.NULL, 0) if start is None else (_data.pointer(start), start.size)
        out = ffi.new("gpis_result **")
        with self._guard():
            status = call(settings, out)
        result = None
        if status == lib.GPIS_OK:
            result = Result(self._native, out[0], self._flat, self._names, self._encoding(), watch.trace(), self._spec)
            result._about, result._tol = self._about, settings.tol
            try:
                if ranges is not None and not watch.interrupted and watch.failure is None:
                    result.ranges, result.intercept_ranges, result.ranges_level = self._find_ranges(out[0], *ranges, settings)
                    if result.ranges is None:
                        result._end("interrupted", "the search for ranges was interrupted")
            finally:
                lib.gpis_result_destroy(out[0])
        failure, self._native.failure = self._native.failure, None
        watch.end()
        if failure is not None:
            raise failure
        if watch.interrupted and (on_interrupt == "raise" or result is None):
            raise KeyboardInterrupt
        if result is None:
            self._native.check(status)
        assert result is not None
        return result

    def _find_ranges(self, result: Any, eps: float, confidence: float, settings: Any) -> tuple[Any, Any, Any]:
        """How far each coefficient can go, and the intercept; see gpis.solve. None: the search was interrupted."""
        out = ffi.new("gpis_ranges **")
        with self._guard():
            status = lib.gpis_ranges_make(self._problem, result, eps, confidence, settings, out)
        if status == lib.GPIS_STOPPED:
            return None, None, None
        self._native.check(status)
        kinds = [(name, np.float64) for name in ("lower", "upper", "inner_lower", "inner_upper")]
        found = out[0]

        def copied(pointer: Any, count: int) -> np.ndarray[Any, Any]:
            size = count * ffi.sizeof("gpis_range_ends")
            return np.frombuffer(bytes(ffi.buffer(pointer, size)), dtype=kinds)

        ends = copied(found.ends, found.d * found.k)
        constant = None if found.intercept == ffi.NULL else copied(found.intercept, found.k)
        level = found.level
        lib.gpis_ranges_destroy(found)
        return ends if self._flat else ends.reshape(self.shape[1], -1), constant, level

    def solve(self, y: Any = None, *, x0: Any = None, progress: Callable[[dict[str, Any]], Any] | bool | None = None,
              on_interrupt: str = "return", ranges: float | None = None, confidence: float | None = None, report: Any = None,
              **options: Any) -> Result:
        """Solves the problem, for another y if one is given. Options as in gpis.solve."""
        if ranges is not None and confidence is not None:
            raise UsageError("ranges= and confidence= ask for different levels; give one of them")
        wanted = None if ranges is None and confidence is None else (real("ranges", ranges or 0), real("confidence", confidence or 0))
        if report is not None:
            try_file(report)
        with self._native:
            self._ready(y)
            result = self._run(lambda settings, out: lib.gpis_solve(self._problem, settings, out), options, x0, progress,
                               on_interrupt, wanted)
            if report is not None:
                result.report(report, self)
            return result

    def check(self, x: Any, *, intercept: Any = None, progress: Callable[[dict[str, Any]], Any] | bool | None = None,
              on_interrupt: str = "return", **options: Any) -> Result:
        """Audits a given x from the data alone: its objective, a bound on its distance from the best, its feasibility."""
        with self._native:
            self._ready(None)
            point = _data.numbers(x, "x").reshape(-1)
            if intercept is not None:
                point = np.concatenate([point, _data.numbers(np.atleast_1d(intercept), "intercept").reshape(-1)])
            return self._run(lambda settings, out: lib.gpis_check(self._problem, _data.pointer(point), point.size, settings, out),
                             options, None, progress, on_interrupt)

    def plan(self, **options: Any) -> Plan:
        """What a solve would do, and what it would cost; reads nothing of A and y."""
        with self._native:
            if self._k == 0:
                self._constrain(1)
            kept: list[Any] = []
            out = ffi.new("gpis_plan **")
            self._native.check(lib.gpis_plan_make(self._problem, self._settings_for(options, kept), out))
            made = Plan(out[0])
            lib.gpis_plan_destroy(out[0])
            return made

    @property
    def memory_peak(self) -> int:
        """The most bytes that the library has had in use for this problem at one time, besides A and y."""
        return int(lib.gpis_context_memory_peak(self._native.context))

    def __repr__(self) -> str:
        names = f", set {self._spec}" if self._spec != "none" else ""
        return f"<gpis.Problem: {self.shape[0]} rows, {self.shape[1]} columns{names}>"


def _flag(name: str, value: Any) -> int:
    if isinstance(value, str) and value in ("yes", "no"):
        return int(value == "yes")
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    raise InputError(f"{name}= is True or False, not {value!r}")
