"""Paths of radii or penalties, and cross-validation: many answers from few sweeps over the rows, as a rule one."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _data, _kinds
from ._core import OPTIONS, InputError, UsageError, ffi, lib, real, text_of, whole
from ._penalty import as_penalty
from ._problem import Problem
from ._report import Page, deliver
from ._result import Result, number_of, products
from ._summary import Summary
from ._watch import Watch

_FIELDS = ("value", "objective", "penalty", "gap", "nonzeros", "norm1")


class Path:
    """Answers for a grid of radii, ascending, or of penalties, descending; each with its certificate.

    Attributes
    ----------
    values : the radii, or the factors of the penalty
    x : of shape (points, d) or, where y has columns, (points, d, k)
    intercept : one for each point, or k; None: the problem has none
    objective, gap, gap_kind, status, nonzeros, norm1, penalty : of each point
    penalised : whether the values are penalties
    rows_weight : the sum of the weights, n without weights; alpha of scikit-learn's Lasso is value / (2 rows_weight)
    sweeps, seconds, warning, names : how it went
    """

    values: np.ndarray[Any, Any]
    objective: np.ndarray[Any, Any]
    gap: np.ndarray[Any, Any]
    nonzeros: np.ndarray[Any, Any]
    norm1: np.ndarray[Any, Any]
    penalty: np.ndarray[Any, Any]

    def __init__(self, p: Any, problem: Problem) -> None:
        points = [p.points[i] for i in range(p.count)]
        for name in _FIELDS:
            kind = np.int64 if name == "nonzeros" else np.float64
            setattr(self, "values" if name == "value" else name, np.array([getattr(q, name) for q in points], dtype=kind))
        self.gap_kind = [text_of(lib.gpis_gap_kind_text(q.gap_kind)) for q in points]
        self.status = [text_of(lib.gpis_outcome_text(q.outcome)) for q in points]
        flat = problem._flat
        self.x = _stack([q.x for q in points], (p.d,) if flat else (p.d, p.k))
        constant = bool(points) and points[0].intercept != ffi.NULL
        self.intercept = _stack([q.intercept for q in points], () if flat else (p.k,)) if constant else None
        self.penalised, self.set = bool(p.penalised), text_of(p.set)
        self.rows_weight, self.sweeps, self.seconds, self.warning = p.rows_weight, p.sweeps, p.seconds, text_of(p.warning)
        self._encoding, self._about, self._tol = problem._encoding(), problem._about, problem._settings.tol
        self.names = problem._names or [f"x{j + 1}" for j in range(p.d)]

    def __len__(self) -> int:
        return len(self.values)

    def predict(self, B: Any) -> np.ndarray[Any, Any]:
        """Predictions for the rows of B by each point: of shape (points, rows) or (points, rows, k)."""
        d = self.x.shape[1]
        made = products(B, self._encoding, np.moveaxis(self.x, 0, 1).reshape(d, -1)).reshape(-1, len(self), *self.x.shape[2:])
        b = 0.0 if self.intercept is None else self.intercept
        return np.moveaxis(made + b, 1, 0)

    def to_frame(self) -> Any:
        """A pandas frame: value, objective, gap, ..., and a column for each coefficient."""
        import pandas

        frame = pandas.DataFrame({"value": self.values, "objective": self.objective, "gap": self.gap, "gap_kind": self.gap_kind,
                                  "nonzeros": self.nonzeros})
        return frame if self.x.ndim == 3 else pandas.concat([frame, pandas.DataFrame(self.x, columns=self.names)], axis=1)

    def report(self, path: Any = None) -> str | None:
        """Writes a page about the path for people: one HTML file, which needs no network. Without a path, returns its text."""
        return _written(self, None, path)

    def plot(self, ax: Any = None) -> Any:
        """Draws the coefficients along the path with matplotlib; returns the axes."""
        from matplotlib import pyplot

        ax = pyplot.subplots()[1] if ax is None else ax
        lines = self.x if self.x.ndim == 2 else self.x[:, :, 0]
        ax.plot(self.values, lines)
        largest = np.argsort(-np.abs(lines[-1]), kind="stable")[:8].tolist() if len(self) else []
        for j in largest:
            ax.annotate(self.names[j].replace("$", r"\$"), (self.values[-1], lines[-1, j]))
        if self.penalised:
            ax.set_xscale("log")
            ax.invert_xaxis()
        ax.set_xlabel("penalty" if self.penalised else "radius")
        ax.set_ylabel("coefficient")
        return ax

    def __repr__(self) -> str:
        what = "penalties" if self.penalised else f"radii of {self.set}"
        proven = sum(kind == "proven" for kind in self.gap_kind)
        return f"<gpis.Path: {len(self)} {what}, {proven} of them proven, {self.sweeps} sweeps, {self.seconds:.2f} s>"


def _stack(pointers: list[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    size = int(np.prod(shape, dtype=int))
    out = np.empty((len(pointers),) + shape)
    flat = out.reshape(len(pointers), size)
    for line, pointer in zip(flat, pointers):
        ffi.memmove(ffi.from_buffer(line), pointer, size * 8)
    return out


class CV:
    """A path with its cross-validation.

    Attributes
    ----------
    path : the gpis.Path on all rows
    mean, standard_error : of the mean squared error over the folds, for each point
    errors : of shape (points, folds)
    best, one_se : the point of the least mean, and the simplest whose mean is at most that plus its standard error
    fit : the gpis.Result of the best point on all rows
    """

    folds: int
    best: int
    one_se: int
    stalled: int

    def __init__(self, c: Any, problem: Problem) -> None:
        self.path = Path(c.path, problem)
        count = len(self.path)
        self.folds, self.best, self.one_se, self.stalled = c.folds, c.best, c.one_se, c.stalled
        self.mean, self.standard_error = _stack([c.mean], (count,))[0], _stack([c.standard_error], (count,))[0]
        self.errors = _stack([c.errors], (count, c.folds))[0]
        self.fit = Result(problem._native, c.fit, problem._flat, problem._names, problem._encoding(), b"", text_of(c.path.set))
        self.fit._about, self.fit._tol = problem._about, problem._settings.tol

    @property
    def value_min(self) -> float:
        """The radius or penalty of the least mean error."""
        return float(self.path.values[self.best])

    @property
    def value_1se(self) -> float:
        """That of the simplest point within one standard error of it."""
        return float(self.path.values[self.one_se])

    def report(self, path: Any = None) -> str | None:
        """Writes a page about the path and the choice for people, as Path.report does; self.fit.report() is that of the fit."""
        return _written(self.path, self, path)

    def plot(self, ax: Any = None) -> Any:
        """Draws the mean error with its standard error, and both choices; returns the axes."""
        from matplotlib import pyplot

        ax = pyplot.subplots()[1] if ax is None else ax
        ax.errorbar(self.path.values, self.mean, self.standard_error, fmt=".", elinewidth=0.7, color="tab:blue")
        ax.axvline(self.value_min, color="black", linewidth=0.8, label="least")
        ax.axvline(self.value_1se, color="black", linewidth=0.8, linestyle=":", label="one standard error")
        if self.path.penalised:
            ax.set_xscale("log")
            ax.invert_xaxis()
        ax.set_xlabel("penalty" if self.path.penalised else "radius")
        ax.set_ylabel("mean squared error")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return (f"<gpis.CV: {len(self.path)} points, {self.folds} folds; least error {self.mean[self.best]:.6g} at {self.value_min:.6g}, "
                f"one standard error {self.value_1se:.6g}>")


# ---- reports ---------------------------------------------------------------------------------------------------------


def _written(path: Path, cv: CV | None, file: Any) -> str | None:
    """The page of a path and, if there is one, of its cross-validation."""
    d, k = path.x.shape[1], path.x.shape[2] if path.x.ndim == 3 else 1
    page = Page(path._about, path.names, d, k, path._encoding, path._tol)
    page.c.penalties, page.c.radii = path.penalised, not path.penalised
    points = [page.struct("gpis_path_point", {
        **{name: getattr(path, "values" if name == "value" else name)[i].item() for name in _FIELDS}, "x": path.x[i],
        "intercept": ffi.NULL if path.intercept is None else np.atleast_1d(path.intercept[i]),
        "gap_kind": number_of(lib.gpis_gap_kind_text, path.gap_kind[i]), "outcome": number_of(lib.gpis_outcome_text, path.status[i])})
        for i in range(len(path))]
    made = page.struct("gpis_path", {
        "count": len(path), "d": d, "k": k, "points": page.pointers("gpis_path_point", points), "penalised": path.penalised,
        **{name: getattr(path, name) for name in ("set", "rows_weight", "sweeps", "seconds", "warning")}})
    choice = ffi.NULL if cv is None else page.struct("gpis_cv", {
        "path": made, "mean": cv.mean, **{name: getattr(cv, name) for name in ("standard_error", "folds", "best", "one_se", "stalled")}})
    answers = page.struct("cli_path", {"A": page.c.A, "rows": path._about.rows, "path": made, "cv": choice})
    return deliver(page.html(answers), file)


# ---- calls -----------------------------------------------------------------------------------------------------------


def _without_radius(set: Any) -> str:
    """A set without its radius: a text, or the function that makes such sets, as gpis.l1."""
    if isinstance(set, str):
        return set
    if callable(set) and getattr(_kinds, getattr(set, "__name__", ""), None) is set:
        return set.__name__.replace("_", "-")
    raise UsageError("the set of a path is named without its radius: 'l1', 'l1 & nonneg', gpis.simplex")


def _posed(A: Any, y: Any, penalty: Any, given: dict[str, Any]) -> tuple[Problem, bool]:
    """The problem; a penalty "l1" has no factor, and the path runs over it."""
    parts = [] if penalty is None else list(penalty) if isinstance(penalty, (list, tuple)) else [penalty]
    fixed = [part for part in parts if not (isinstance(part, str) and part == "l1")]
    penalised = len(fixed) < len(parts) or any(as_penalty(part).l1 is not None for part in fixed)
    return Problem(A, y, given.pop("within", None), penalty=fixed or None, **given), penalised


def _grid(options: Any, kept: list[Any], points: Any, eps: Any, linear: bool, values: Any) -> None:
    options.linear = linear
    if points is not None:
        options.points = whole("points", points)
    if eps is not None:
        options.eps = real("eps", eps)
    if values is not None:
        grid = _data.numbers(np.array(values, dtype=np.float64).reshape(-1), "values")
        kept.append(grid)
        options.values, options.value_count = _data.pointer(grid), grid.size


def _folds(options: Any, kept: list[Any], folds: Any, repeats: Any) -> None:
    if repeats is not None:
        options.repeats = whole("repeats", repeats)
    if folds is not None:
        _data.set_folds(options, folds, kept)


def _call(A: Any, y: Any, set: Any, penalty: Any, progress: Any, given: dict[str, Any], fill: Callable[[Any, list[Any]], None],
          kind: str) -> Any:
    solving = {name: given.pop(name) for name in list(given) if name in OPTIONS and given[name] is not None and name not in
               ("intercept", "standardize", "weights", "offset", "subject_to", "bounds") and
               not OPTIONS[name].where & (lib.GPIS_OPTION_OPEN | lib.GPIS_OPTION_PROBLEM)}
    problem, penalised = _posed(A, y, penalty, {**given, **solving})
    kept: list[Any] = []
    options = ffi.new("gpis_path_options *")
    native = problem._native
    native.check(lib.gpis_path_options_init(options, ffi.sizeof("gpis_path_options")))
    if set is not None and not penalised:
        text = ffi.new("char[]", _without_radius(set).encode("utf-8", "surrogateescape"))
        kept.append(text)
        options.set = text
    elif set is not None:
        raise UsageError("a path has a set without its radius, or a penalty without its factor; other sets are within=")
    options.penalised = penalised
    fill(options, kept)
    watch = Watch(progress)
    settings = problem._settings_for({}, kept)
    watch.attach(settings)
    with native:
        problem._ready(None)
        out = ffi.new(f"gpis_{kind} **")
        with problem._guard():
            status = getattr(lib, f"gpis_{kind}_make")(problem._problem, options, settings, out)
        failure, native.failure = native.failure, None
        watch.end()
        if failure is not None:
            raise failure
        if watch.interrupted:
            raise KeyboardInterrupt
        native.check(status)
        try:
            return (Path if kind == "path" else CV)(out[0], problem)
        finally:
            getattr(lib, f"gpis_{kind}_destroy")(out[0])


def path(A: Any, y: Any = None, set: Any = None, *, penalty: Any = None, points: int | None = None, eps: float | None = None,
         linear: bool = False, values: Sequence[float] | np.ndarray[Any, Any] | None = None,
         progress: Callable[[dict[str, Any]], Any] | bool | None = None, **options: Any) -> Path:
    """Answers for a path of radii or penalties, as a rule from one sweep over the rows, each with its certificate.

    >>> import numpy as np, gpis
    >>> p = gpis.path(np.eye(3), [3.0, -2.0, 1.0], "l1", values=[1, 2, 3])
    >>> p.x
    array([[ 1. ,  0. ,  0. ],
           [ 1.5, -0.5,  0. ],
           [ 2. , -1. ,  0. ]])

    Parameters
    ----------
    A, y : as gpis.solve has them; A may be a summary
    set : the set without its radius: "l1" (the default), "l1 & nonneg", "group:R:3", gpis.simplex
    penalty : "l1", or gpis.lasso(1, weights): a path of penalties instead; ["l1", "l2:3"] has a ridge as well
    points, eps, linear, values : the grid: how many, down to which part of the largest, in equal steps, or the values themselves
    options : within= (a set that holds at all points), subject_to, bounds, intercept, weights, tol, ... as in gpis.solve
    """
    return _call(A, y, set, penalty, progress, dict(options), lambda o, kept: _grid(o, kept, points, eps, linear, values), "path")


def cv(A: Any, y: Any = None, set: Any = None, *, folds: int | Sequence[int] | np.ndarray[Any, Any] | None = None, repeats: int | None = None,
       penalty: Any = None, points: int | None = None, eps: float | None = None, linear: bool = False,
       values: Sequence[float] | np.ndarray[Any, Any] | None = None, progress: Callable[[dict[str, Any]], Any] | bool | None = None,
       **options: Any) -> CV:
    """A path with K-fold cross-validation, as a rule from one sweep over the rows: the best value, and the one-standard-error choice.

    >>> import numpy as np, gpis
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((100, 5))
    >>> c = gpis.cv(A, A @ [1, 0, 0, 0, 2] + rng.standard_normal(100), folds=5, points=20)
    >>> len(c.path), c.errors.shape, c.value_1se <= c.value_min, c.fit.gap_kind
    (20, (20, 5), True, 'proven')

    `folds` is their number (10), drawn with seed=, or the number of its fold, from 0, for each row. All else is as in gpis.path.
    """
    if folds is not None and isinstance(A, Summary):
        raise UsageError("a summary has its folds: give them to gpis.summarize")

    def fill(o: Any, kept: list[Any]) -> None:
        _grid(o, kept, points, eps, linear, values)
        _folds(o, kept, folds, repeats)

    return _call(A, y, set, penalty, progress, dict(options), fill, "cv")
