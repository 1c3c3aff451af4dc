"""Constrained least squares with a certificate.

    minimise ||y - A x||^2   over x in K

for tall A and a convex set K, with a bound on how far the objective can be from the best possible one.

>>> import numpy as np, gpis
>>> rng = np.random.default_rng(0)
>>> A = rng.standard_normal((1000, 5))
>>> y = A @ [1, 2, 0, 0, -3] + 0.1 * rng.standard_normal(1000)
>>> r = gpis.solve(A, y, gpis.l1(2) & gpis.nonneg)
>>> r.status, r.gap_kind
('solved', 'proven')
>>> r.x.sum().round(6), bool((r.x >= 0).all())
(2.0, True)
"""

from __future__ import annotations

from ._environment import awake as _awake

with _awake():
    from ._core import (ConstraintWarning, CopyWarning, Error, FileError, InputError, InternalError, Option, OutOfMemoryError,
                        UsageError, lib as _lib, options, text_of as _text_of)
    from ._data import Rows
    from ._functions import check, plan, project, solve, summarize
    from ._kinds import (affine, box, capped_simplex, custom, group, l1, l2, linear, linf, monotone, none, nonneg, nuclear, simplex,
                         subject_to, sum, tv)
    from ._path import CV, Path, cv, path
    from ._penalty import Penalty, lasso, ridge
    from ._problem import Problem
    from ._result import Active, Candidate, Plan, Result
    from ._sets import Set
    from ._summary import Summary

__version__: str = _text_of(_lib.gpis_version())

__all__ = [
    "Active", "CV", "Candidate", "ConstraintWarning", "CopyWarning", "Error", "FileError", "InputError", "InternalError", "Option",
    "OutOfMemoryError", "Path", "Penalty", "Plan", "Problem", "Result", "Rows", "Set", "Summary", "UsageError", "affine", "box", "capped_simplex",
    "check", "custom", "cv", "group", "l1", "l2", "lasso", "linear", "linf", "monotone", "none", "nonneg", "nuclear", "options",
    "path", "plan", "project", "ridge", "simplex", "solve", "subject_to", "sum", "summarize", "tv",
]
