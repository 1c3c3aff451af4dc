"""Estimators for scikit-learn: constrained least squares as linear models, with a certificate after fit.

>>> import numpy as np
>>> from gpis.sklearn import ConstrainedRegressor
>>> X = np.array([[1.0, 0], [0, 1], [1, 1], [2, 1]])
>>> model = ConstrainedRegressor(set="nonneg").fit(X, X @ [1, -1] + 3)
>>> model.coef_.round(6), round(model.intercept_, 6), model.gap_kind_
(array([1., 0.]), 2.25, 'proven')
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Sequence

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._core import InputError
from ._functions import summarize
from ._path import CV, cv as cross_validate
from ._problem import Problem
from ._result import Result, times

__all__ = ["ConstrainedRegressor", "ConstrainedRegressorCV"]

_TYPES = [np.float64, np.float32]


class _Linear(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """What the estimators share: the problem that they pose, and predictions."""

    coef_: np.ndarray[Any, Any]
    intercept_: Any

    def _validated(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
        # The library looks for entries that are not finite, with their row and column, while it reads the rows.
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=_TYPES, multi_output=True, y_numeric=True, force_all_finite=False)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        return X, np.asarray(y, dtype=np.float64), weights

    def _problem(self, X: Any, y: np.ndarray[Any, Any], weights: np.ndarray[Any, Any] | None, **more: Any) -> Problem:
        bounds = None if self.lower is None and self.upper is None else (self.lower, self.upper)
        names = getattr(self, "feature_names_in_", None)
        return Problem(X, y, None if isinstance(self.set, str) and self.set == "none" else self.set, subject_to=self.subject_to, bounds=bounds,
                       penalty=self.penalty, intercept=bool(self.fit_intercept), standardize=bool(self.standardize), weights=weights,
                       names=None if names is None else list(names), tol=self.tol, method=self.method, max_passes=self.max_passes,
                       time_limit=self.time_limit, threads=self.threads, memory=self.memory, **more)

    def _take(self, result: Result) -> None:
        """The answer as scikit-learn names it: coef_ has a row for each response."""
        self.result_ = result
        self.coef_ = result.x.T
        b = result.intercept
        self.intercept_ = 0.0 if b is None else b
        self.n_iter_ = max(1, result.passes)
        self.gap_, self.gap_kind_, self.violation_ = result.gap, result.gap_kind, result.violation
        self.multipliers_, self.active_ = result.multipliers, result.active
        if not result.solved:
            warnings.warn(f"the solve ended with status {result.status}, with a relative gap of {result.relative_gap:.2g}; "
                          f"{result.warning or 'more passes or a larger tol may help'}", ConvergenceWarning, stacklevel=3)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Predictions for the rows of X."""
        check_is_fitted(self)
        X = self._validate_data(X, accept_sparse="csr", dtype=_TYPES, reset=False)
        made = times(X, self.coef_.T) if isinstance(X, np.ndarray) else safe_sparse_dot(X, self.coef_.T, dense_output=True)
        return made + self.intercept_


def _not_finite(error: InputError) -> ValueError:
    """The library's line about a bad entry, with the word that scikit-learn's users look for."""
    text = str(error)
    kind = "NaN" if " is nan" in text else "infinity" if "inf;" in text else None
    return error if kind is None else InputError(f"Input X contains {kind}: {text}")


class ConstrainedRegressor(_Linear):
    """Least squares with constraints and penalties: sum_i w_i (y_i - x_i coef - b)^2 + penalty, over a set.

    Parameters
    ----------
    set : constraints, as gpis.solve takes them: "nonneg", "l1:3", gpis.box(0, 1)["age"], ...; "none": none
    subject_to : linear constraints in words, such as "age + bmi <= 1", or a list of them
    lower, upper : bounds of the coefficients, a number or one for each
    penalty : "l1:LAMBDA", "l2:LAMBDA", gpis.lasso(...) + gpis.ridge(...); scikit-learn's alpha of a Lasso is
        LAMBDA / (2 n), that of a Ridge is LAMBDA
    fit_intercept : whether there is a constant term, which nothing constrains
    standardize : constraints and penalties see columns of unit standard deviation
    tol : the relative gap that counts as solved
    warm_start : start from the answer of the fit before

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_ : as in other linear models
    gap_, gap_kind_ : a bound on how far the objective is above the best, and whether it is "proven" or "probable"
    active_, multipliers_, violation_ : the constraints that hold the answer, their prices, and how far one is broken
    result_ : the gpis.Result

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
    >>> ours, theirs = ConstrainedRegressor(set="nonneg").fit(X, y), LinearRegression(positive=True).fit(X, y)
    >>> bool(np.allclose(ours.coef_, theirs.coef_, atol=1e-8))
    True
    """

    def __init__(self, set: Any = "none", subject_to: str | Sequence[str] | None = None, lower: Any = None, upper: Any = None,
                 penalty: Any = None, fit_intercept: bool = True, standardize: bool = False, tol: float = 1e-8,
                 method: str = "auto", max_passes: int | None = None, time_limit: float | None = None,
                 threads: int | None = None, memory: int | str | None = None, warm_start: bool = False) -> None:
        self.set = set
        self.subject_to = subject_to
        self.lower = lower
        self.upper = upper
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.method = method
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.threads = threads
        self.memory = memory
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstrainedRegressor:
        """Fits the model. A row of weight 2 counts like two such rows."""
        X, y, weights = self._validated(X, y, sample_weight)
        try:
            self._take(self._problem(X, y, weights).solve(x0=self._start(X, y), on_interrupt="raise"))
        except InputError as error:
            raise _not_finite(error) from None
        return self

    def _start(self, X: Any, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
        """The answer of the fit before, if it has the shape of this one."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        shape = (X.shape[1],) if y.ndim == 1 else (X.shape[1], y.shape[1])
        if self.coef_.T.shape != shape:
            return None
        last = np.atleast_1d(self.intercept_).reshape(1, -1) if self.fit_intercept else np.empty((0, max(1, y.ndim and y[0].size)))
        return np.vstack([np.reshape(self.coef_.T, (X.shape[1], -1)), last])


class ConstrainedRegressorCV(_Linear):
    """A ConstrainedRegressor whose radius or penalty is chosen by cross-validation, as a rule from one sweep over the rows.

    Parameters
    ----------
    set : the set without its radius: "l1" (the default), "l1 & nonneg", "simplex"
    penalty : "l1", or gpis.lasso(1, weights): penalties are chosen instead of radii; ["l1", "l2:3"] has a ridge as well
    within, subject_to, lower, upper : what holds whatever the radius
    cv : a number of folds, or a splitter of scikit-learn whose test sets are a partition of the rows. Folds of a number are
        spread evenly over the rows in the order of y, so that they do not depend on the order of the rows
    rule : "min", the least mean error, or "1se", the simplest model within one standard error of it
    points, eps : the grid: how many values, down to which part of the largest
    fit_intercept, standardize, tol, threads, memory : as in ConstrainedRegressor

    Attributes
    ----------
    radius_, radius_min_, radius_1se_, radii_ : the choice, both choices, and the grid; with a penalty alpha_, alpha_min_,
        alpha_1se_, alphas_ on scikit-learn's scale, LAMBDA / (2 n)
    cv_mean_, cv_se_, cv_errors_, coef_path_ : mean squared errors, and the coefficients for each value of the grid
    coef_, intercept_, gap_, ... : as in ConstrainedRegressor

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 6))
    >>> model = ConstrainedRegressorCV(cv=5, rule="1se").fit(X, X @ [2, 0, 0, 0, 0, 1] + 0.5 * rng.standard_normal(80))
    >>> np.flatnonzero(model.coef_), model.radius_ == model.radius_1se_ <= model.radius_min_
    (array([0, 5]), True)
    """

    def __init__(self, set: Any = None, penalty: Any = None, within: Any = "none", subject_to: str | Sequence[str] | None = None,
                 lower: Any = None, upper: Any = None, cv: Any = 10, rule: str = "min", points: int = 100, eps: float = 1e-3,
                 fit_intercept: bool = True, standardize: bool = False, tol: float = 1e-8, threads: int | None = None,
                 memory: int | str | None = None) -> None:
        self.set = set
        self.penalty = penalty
        self.within = within
        self.subject_to = subject_to
        self.lower = lower
        self.upper = upper
        self.cv = cv
        self.rule = rule
        self.points = points
        self.eps = eps
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.threads = threads
        self.memory = memory

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstrainedRegressorCV:
        """Chooses the value and fits the model. A row of weight 2 counts like two such rows, one of weight 0 is not there."""
        if self.rule not in ("min", "1se"):
            raise InputError(f"rule is 'min' or '1se', not {self.rule!r}")
        X, y, weights = self._validated(X, y, sample_weight)
        if weights is not None and not weights.all():
            X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        if X.shape[0] < 2:
            raise InputError(f"n_samples={X.shape[0]}: cross-validation needs at least 2 rows")
        names = getattr(self, "feature_names_in_", None)
        try:
            summary = summarize(X, y, folds=self._fold_of_rows(X, y), weights=weights, names=None if names is None else list(names),
                                threads=self.threads, memory=self.memory)
        except InputError as error:
            raise _not_finite(error) from None
        found = self._cross_validated(summary, points=self.points, eps=self.eps)
        index = found.best if self.rule == "min" else found.one_se
        value = found.path.values[index]
        self._take(found.fit if index == found.best else self._cross_validated(summary, values=[value]).fit)
        self._keep(found, value)
        return self

    def _cross_validated(self, summary: Any, **grid: Any) -> CV:
        bounds = None if self.lower is None and self.upper is None else (self.lower, self.upper)
        return cross_validate(summary, set=self.set, penalty=self.penalty, within=None if self.within == "none" else self.within,
                              subject_to=self.subject_to, bounds=bounds, intercept=bool(self.fit_intercept),
                              standardize=bool(self.standardize), tol=self.tol, threads=self.threads, memory=self.memory, **grid)

    def _fold_of_rows(self, X: Any, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The number of its fold for each row."""
        n = X.shape[0]
        fold = np.full(n, -1)
        if isinstance(self.cv, Integral):
            if self.cv < 2:
                raise InputError(f"cv={self.cv}: cross-validation needs at least 2 folds")
            keys = [y] if y.ndim == 1 else list(y.T)
            rank = np.empty(n, dtype=np.int64)
            # Rows with equal y are told apart by their entries, so that their order does not matter.
            dense = [X[:, j] for j in range(X.shape[1])] if isinstance(X, np.ndarray) and len(np.unique(y)) < y.size else []
            rank[np.lexsort(dense + keys)] = np.arange(n)
            return rank % min(int(self.cv), n)
        for number, (_, test) in enumerate(check_cv(self.cv).split(X, y)):
            if (fold[test] >= 0).any():
                raise InputError("cv: a row is in two of the test sets; they have to be a partition of the rows")
            fold[test] = number
        if (fold < 0).any():
            raise InputError("cv: a row is in none of the test sets; they have to be a partition of the rows")
        return fold

    def _keep(self, found: CV, value: float) -> None:
        name, scale = ("alpha", 2 * found.path.rows_weight) if found.path.penalised else ("radius", 1.0)
        plural = "alphas" if name == "alpha" else "radii"
        for ending, number in (("", value), ("min_", found.value_min), ("1se_", found.value_1se)):
            setattr(self, f"{name}_{ending}", float(number) / scale)
        setattr(self, f"{plural}_", found.path.values / scale)
        self.cv_mean_, self.cv_se_, self.cv_errors_ = found.mean, found.standard_error, found.errors
        self.coef_path_ = np.swapaxes(found.path.x, 1, -1) if found.path.x.ndim == 3 else found.path.x
