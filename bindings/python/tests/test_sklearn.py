"""scikit-learn's contract, and the answers of its own models where they solve the same problem."""

import pickle
import tracemalloc
import unittest
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import gpis
from gpis.sklearn import ConstrainedRegressor, ConstrainedRegressorCV

ESTIMATORS = [ConstrainedRegressor(), ConstrainedRegressor(set="nonneg"), ConstrainedRegressor(penalty="l1:0.1", warm_start=True),
              ConstrainedRegressor(fit_intercept=False, lower=-1), ConstrainedRegressorCV(), ConstrainedRegressorCV(penalty="l1", cv=3, rule="1se")]


@pytest.mark.parametrize("check", [pytest.param((e, c), id=f"{i}-{getattr(c, 'func', c).__name__}") for i, one in enumerate(ESTIMATORS)
                                   for e, c in check_estimator(one, generate_only=True)])
def test_contract(check):
    """All checks, none skipped: a check that raises SkipTest is a failure here."""
    estimator, function = check
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            function(estimator)
        except (pytest.skip.Exception, unittest.SkipTest) as skipped:
            pytest.fail(str(skipped))


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def same(ours, theirs, X):
    assert np.allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-8 * max(1, np.abs(theirs.coef_).max()))
    assert np.allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
def test_answers(diabetes, intercept):
    X, y = diabetes
    n = len(y)
    common = {"fit_intercept": intercept}
    same(ConstrainedRegressor(**common).fit(X, y), LinearRegression(**common).fit(X, y), X)
    same(ConstrainedRegressor(set="nonneg", **common).fit(X, y), LinearRegression(positive=True, **common).fit(X, y), X)
    same(ConstrainedRegressor(penalty="l2:0.7", **common).fit(X, y), Ridge(0.7, solver="cholesky", **common).fit(X, y), X)
    for alpha in (0.02, 0.5):
        ours = ConstrainedRegressor(penalty=gpis.lasso(2 * n * alpha), tol=1e-12, **common).fit(X, y)
        same(ours, Lasso(alpha, tol=1e-14, max_iter=10**6, **common).fit(X, y), X)
        ours = ConstrainedRegressor(penalty=gpis.lasso(2 * n * alpha * 0.6) + gpis.ridge(n * alpha * 0.4), tol=1e-12, **common).fit(X, y)
        same(ours, ElasticNet(alpha, l1_ratio=0.6, tol=1e-14, max_iter=10**6, **common).fit(X, y), X)
    ours = ConstrainedRegressor(set="nonneg", penalty=gpis.lasso(2 * n * 0.1), tol=1e-12, **common).fit(X, y)
    same(ours, Lasso(0.1, positive=True, tol=1e-14, max_iter=10**6, **common).fit(X, y), X)


def test_weights_repeat(diabetes):
    X, y = diabetes
    w = np.arange(len(y)) % 4
    weighted = ConstrainedRegressor(set="nonneg", penalty="l1:10").fit(X, y, w)
    repeated = ConstrainedRegressor(set="nonneg", penalty="l1:10").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-6)
    same(ConstrainedRegressor().fit(X, y, w), LinearRegression().fit(X, y, w), X)


def test_several_outputs(diabetes):
    X, y = diabetes
    Y = np.c_[y, y[::-1]]
    model = ConstrainedRegressor(set="nonneg").fit(X, Y)
    assert model.coef_.shape == (2, 10) and model.intercept_.shape == (2,)
    same(model, LinearRegression(positive=True).fit(X, Y), X)
    assert ConstrainedRegressor().fit(X, Y[:, :1]).coef_.shape == (1, 10)


def test_kinds_of_data(diabetes, monkeypatch):
    X, y = diabetes
    wanted = ConstrainedRegressor(set="nonneg").fit(X, y).coef_
    assert np.allclose(ConstrainedRegressor(set="nonneg").fit(sparse.csc_matrix(X), y).coef_, wanted, atol=1e-6)
    narrow = X.astype(np.float32)
    seen = []
    monkeypatch.setattr("gpis._source._source_dense", lambda native, m, inner=gpis._source._source_dense: (seen.append(m), inner(native, m))[1])
    assert np.allclose(ConstrainedRegressor(set="nonneg").fit(narrow, y).coef_, wanted, rtol=1e-4)
    assert np.shares_memory(seen[0].parts["arrays"][0], narrow)
    model = ConstrainedRegressor().fit(X, y)
    for order in "CF":
        many = np.asarray(np.tile(narrow, (2000, 1)), order=order)  # 35 MB, of which numpy would make 71 MB
        tracemalloc.start()
        predicted = model.predict(many)
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert largest < 25e6 and np.allclose(predicted[-442:], model.predict(narrow.astype(float)), rtol=1e-12)


def test_names_and_constraints():
    frame = load_diabetes(as_frame=True, scaled=False).frame
    X, y = frame.drop(columns="target"), frame.target
    model = ConstrainedRegressor(set=gpis.nonneg["bmi":"bp"], subject_to=["s1 + s3 <= -3", "age = 0"], upper=5).fit(X, y)
    coef = dict(zip(model.feature_names_in_, model.coef_))
    assert coef["s1"] + coef["s3"] <= -3 + 1e-9 and coef["age"] == 0 and max(coef.values()) <= 5
    assert model.gap_kind_ == "proven" and model.violation_ <= 1e-9 and len(model.active_) == len(model.multipliers_)
    assert model.multipliers_["s1 + s3 <= -3"] > 0
    for copy in (clone(model).fit(X, y), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(copy.coef_, model.coef_) and np.array_equal(copy.predict(X), model.predict(X))


def test_pipeline_and_search():
    frame = load_diabetes(as_frame=True, scaled=False).frame
    X, y = frame.drop(columns="target"), frame.target
    scaled = make_pipeline(StandardScaler().set_output(transform="pandas"), ConstrainedRegressor(set="nonneg[bmi]"))
    scaled.fit(X, y)
    assert list(scaled[-1].feature_names_in_) == list(X.columns)
    search = GridSearchCV(scaled, {"constrainedregressor__set": ["l1:10", "l1:50", "l1:100"], "constrainedregressor__fit_intercept": [True, False]}, cv=4)
    search.fit(X, y)
    assert search.best_params_["constrainedregressor__fit_intercept"] and search.best_score_ > 0.4
    assert len(cross_val_score(ConstrainedRegressor(lower=np.zeros(10)), X, y)) == 5
    assert GridSearchCV(ConstrainedRegressor(), {"penalty": ["l1:1", gpis.lasso(3)]}, n_jobs=2).fit(X, y).best_score_ > 0.4


def test_warm_start(diabetes):
    X, y = diabetes
    model = ConstrainedRegressor(set="l1:500", method="apgd", tol=1e-6, warm_start=True)
    cold = model.fit(X, y).n_iter_
    assert model.fit(X, y).n_iter_ < cold / 2
    model.fit(X, np.c_[y, y]).fit(X[:, :4], y)  # other shapes start anew


def test_trouble(diabetes):
    X, y = diabetes
    with pytest.warns(ConvergenceWarning, match="max_passes"):
        ConstrainedRegressor(set="l1:100", method="pgd", max_passes=2).fit(X, y)
    bad = X.copy()
    bad[3, 4] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN: A: row 4, column 5"):
        ConstrainedRegressor().fit(bad, y)
    with pytest.raises(ValueError, match="NaN"):
        ConstrainedRegressor().fit(X, y).predict(bad)
    with pytest.raises(gpis.InputError, match="no column 'zz'"):
        ConstrainedRegressor(set="nonneg[zz]").fit(pd.DataFrame(X, columns=[f"c{j}" for j in range(10)]), y)


def test_cross_validation(diabetes):
    X, y = diabetes
    folds = KFold(5)
    ours = ConstrainedRegressorCV(penalty="l1", cv=folds, tol=1e-10).fit(X, y)
    errors = [[np.mean((y[out] - Lasso(alpha, tol=1e-10, max_iter=10**5).fit(X[inside], y[inside]).predict(X[out])) ** 2)
               for inside, out in folds.split(X)] for alpha in ours.alphas_[[3, 40, 70]]]
    assert np.allclose(ours.cv_errors_[[3, 40, 70]], errors, rtol=1e-5)
    same(ours, Lasso(ours.alpha_min_, tol=1e-14, max_iter=10**6).fit(X, y), X)
    assert ours.alpha_ == ours.alpha_min_ <= ours.alpha_1se_ and ours.coef_path_.shape == (100, 10)
    simple = ConstrainedRegressorCV(cv=5, rule="1se").fit(X, y)
    assert simple.radius_ == simple.radius_1se_ <= simple.radius_min_
    assert np.abs(simple.coef_).sum() == pytest.approx(simple.radius_) and simple.gap_kind_ == "proven" and simple.multipliers_
    assert np.count_nonzero(simple.coef_) <= np.count_nonzero(ConstrainedRegressorCV(cv=5).fit(X, y).coef_)
    both = ConstrainedRegressorCV(within="nonneg", upper=300, points=10, cv=3).fit(X, np.c_[y, -y])
    assert both.coef_.min() >= 0 and both.coef_.max() <= 300 + 1e-6 and both.coef_path_.shape == (10, 2, 10)
    for wrong in (ShuffleSplit(3), "five"):
        with pytest.raises(ValueError):
            ConstrainedRegressorCV(cv=wrong).fit(X, y)
    with pytest.raises(ValueError, match="rule"):
        ConstrainedRegressorCV(rule="best").fit(X, y)
    copy = pickle.loads(pickle.dumps(simple))
    assert np.array_equal(copy.predict(X), simple.predict(X)) and clone(simple).rule == "1se"
