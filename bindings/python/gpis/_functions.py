"""The functions of the package: each makes a problem for a single call."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _data
from ._core import InputError, ffi, lib, whole
from ._problem import Problem
from ._result import Plan, Result
from ._summary import Summary
from ._watch import Watch


def summarize(A: Any, y: Any = None, *, folds: int | Sequence[int] | np.ndarray[Any, Any] = 0, seed: int = 0, names: Sequence[str] | None = None,
              progress: Callable[[dict[str, Any]], Any] | bool | None = None, **options: Any) -> Summary:
    """Reads the rows once and keeps what any later solve needs: the sums of products of [A 1 y], with their error bounds.

    `folds` is a number of folds, which are drawn with `seed`, or the number of its fold, from 0, for each row. The terms of
    the rows, weights and offset, belong to the summary; all else is chosen when it is used.

    >>> import numpy as np, gpis
    >>> s = gpis.summarize(np.eye(3), [1.0, -2.0, 3.0])
    >>> s, gpis.solve(s, set="nonneg").x
    (<gpis.Summary: 3 rows, 3 columns, 1 responses>, array([1., 0., 3.]))
    """
    problem = Problem(A, y, names=names, progress=progress, **options)
    given = ffi.new("gpis_summary_options *")
    native = problem._native
    native.check(lib.gpis_summary_options_init(given, ffi.sizeof("gpis_summary_options")))
    given.seed = whole("seed", seed)
    kept: list[Any] = []
    _data.set_folds(given, folds, kept)
    watch = Watch(progress)
    watch.attach_pass(given)
    with native:
        problem._ready(None)
        out = ffi.new("gpis_summary **")
        with problem._guard():
            status = lib.gpis_summary_make(problem._problem, given, out)
        watch.end()
        if watch.interrupted:
            raise KeyboardInterrupt
        native.check(status)
        return Summary(native, native.own(lib.gpis_summary_destroy, out[0]), problem._flat, problem._encoding())


def solve(A: Any, y: Any = None, set: Any = None, *, x0: Any = None,
          progress: Callable[[dict[str, Any]], Any] | bool | None = None, on_interrupt: str = "return",
          names: Sequence[str] | None = None, ranges: float | None = None, confidence: float | None = None, report: Any = None,
          **options: Any) -> Result:
    """Solves a constrained least-squares problem, with a bound on how far the answer can be from the best.

    A may be a summary of the rows (gpis.summarize), which has y.

    >>> import numpy as np, gpis
    >>> A = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> gpis.solve(A, [2.0, 1, 2], "l1:1").x
    array([1., 0.])

    Parameters
    ----------
    A : the rows: an array, np.memmap, scipy.sparse matrix, pandas frame or another table, h5py data set, path, gpis.Rows, or a
        gpis.Summary
    y : an array of n or n x k numbers, or a path; not needed where a file or a table holds it (target=)
    set : a spec such as "l1:3.5", a set such as gpis.l1(3.5), a projection, or a list of these, which all hold
    names : of the columns of A
    x0 : where to start
    progress : True for a line on stderr, or a function of a dict, which ends the solve by returning True
    on_interrupt : Ctrl-C ends the solve; "return" gives the best point so far, with status "interrupted", and "raise"
        raises KeyboardInterrupt
    ranges : EPS, how far each coefficient can go while the objective stays within (1 + EPS) of the best: r.ranges has proven
        ends, "lower" and "upper", and ends that are attained, "inner_lower" and "inner_upper"
    confidence : the same for likelihood-ratio intervals of this confidence, as 0.95
    report : a file for a page about the answer, with residuals; r.report() makes one without the data
    options : of the problem (intercept, weights, offset, subject_to, bounds, penalty, standardize; for files and tables target),
        and of the solve (tol, method, max_passes, time_limit, threads, memory, ...); gpis.options() lists all, with their help
    """
    return Problem(A, y, set, names=names, progress=progress, **options).solve(
        x0=x0, progress=progress, on_interrupt=on_interrupt, ranges=ranges, confidence=confidence, report=report)


def check(A: Any, y: Any, x: Any, set: Any = None, *, x_intercept: Any = None,
          progress: Callable[[dict[str, Any]], Any] | bool | None = None, names: Sequence[str] | None = None,
          **options: Any) -> Result:
    """Audits a given x, of any origin, from the data alone. `x_intercept`: its constant term, where the problem has one.

    >>> import numpy as np, gpis
    >>> r = gpis.check(np.eye(2), [1.0, 2.0], [1.0, 1.0])
    >>> r.objective, r.status
    (1.0, 'stalled')
    """
    return Problem(A, y, set, names=names, progress=progress, **options).check(x, intercept=x_intercept, progress=progress)


def plan(A: Any, y: Any = None, set: Any = None, *, names: Sequence[str] | None = None, **options: Any) -> Plan:
    """What gpis.solve would do with these arguments, and what it would cost.

    >>> import numpy as np, gpis
    >>> gpis.plan(np.eye(3), set="nonneg").chosen.method
    'newton'
    """
    return Problem(A, y, set, names=names, **options).plan()


def project(v: Any, set: Any, names: Sequence[str] | None = None) -> np.ndarray[Any, Any]:
    """The member of the set nearest to v, of d or d x k numbers.

    >>> import gpis
    >>> gpis.project([3.0, -2.0], "l1:2")
    array([ 1.5, -0.5])
    """
    point = _data.numbers(v, "v")
    d, k = point.shape[0], point.shape[1] if point.ndim == 2 else 1
    if not d or not k:
        raise InputError("v is empty")
    made = Problem(np.zeros((1, d)), None, set, names=names)
    made._native.check(lib.gpis_problem_response(made._problem, _data.pointer(np.zeros(k)), 1, k))
    made._constrain(k)
    if made._set is None:
        return point.copy()
    x = np.empty(point.shape)
    made._native.check(lib.gpis_set_project(made._set, _data.pointer(point), _data.pointer(x)))
    return x
