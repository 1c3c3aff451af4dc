"""Paths and cross-validation against solves one by one and against plain cross-validation."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import lasso_path

import gpis


def test_radii(data):
    A, y = data
    p = gpis.path(A, y, "l1", points=12, intercept=True)
    assert len(p) == 12 and (np.diff(p.values) > 0).all() and p.x.shape == (12, 6) and p.intercept.shape == (12,)
    assert set(p.gap_kind) == {"proven"} and set(p.status) == {"solved"} and p.sweeps == 1
    for i in (0, 5, 11):
        r = gpis.solve(A, y, gpis.l1(p.values[i]), intercept=True, tol=1e-12)
        assert np.allclose(p.x[i], r.x, atol=1e-6) and p.objective[i] == pytest.approx(r.objective, rel=1e-7)
    assert np.allclose(p.predict(A[:3])[4], A[:3] @ p.x[4] + p.intercept[4])
    assert list(p.to_frame().columns[:2]) == ["value", "objective"] and "12 radii of l1" in repr(p)


def test_penalties(data):
    A, y = data
    alphas, theirs, _ = lasso_path(A, y, eps=1e-2, n_alphas=10, tol=1e-12)
    p = gpis.path(A, y, penalty="l1", values=2 * len(y) * alphas)
    assert p.penalised and np.allclose(p.x, theirs.T, atol=1e-6)
    weighted = gpis.path(A, y, penalty=gpis.lasso(1, [1, 0, 1, 1, 1, 1]), points=5)
    assert (weighted.x[:, 1] != 0).all()


def test_other_sets(data):
    A, y = data
    p = gpis.path(A, y, gpis.simplex, points=5)
    assert np.allclose(p.x.sum(axis=1), p.values, rtol=1e-6)
    q = gpis.path(A, y, "l1", within=gpis.nonneg, subject_to="x1 <= 0.3", values=[0.5, 1.0])
    assert (q.x >= 0).all() and (q.x[:, 0] <= 0.3 + 1e-9).all()


def test_cv(data):
    A, y = data
    fold = np.arange(200) % 4
    c = gpis.cv(A, y, penalty="l1", folds=fold, points=8, eps=0.01, tol=1e-10)
    assert c.errors.shape == (8, 4) and c.folds == 4
    for i in (1, 6):
        for f in (0, 3):
            inside = fold != f
            r = gpis.solve(A[inside], y[inside], penalty=gpis.lasso(c.path.values[i] * inside.mean()), tol=1e-12)
            assert c.errors[i, f] == pytest.approx(np.mean((y[~inside] - A[~inside] @ r.x) ** 2), rel=1e-5)
    assert np.allclose(c.mean, c.errors.mean(axis=1)) and c.best == np.argmin(c.mean)
    assert np.allclose(c.fit.x, c.path.x[c.best], atol=1e-6) and c.fit.gap_kind == "proven"
    assert c.mean[c.one_se] <= c.mean[c.best] + c.standard_error[c.best] and c.one_se <= c.best
    s = gpis.summarize(A, y, folds=fold)
    again = gpis.cv(s, penalty="l1", points=8, eps=0.01, tol=1e-10)
    assert np.allclose(again.errors, c.errors, rtol=1e-6) and "8 points" in repr(c)


def test_ranges(data):
    """Within the proven ends there is every point that is nearly as good; without a set the ends are those of an ellipsoid."""
    A, y = data
    r = gpis.solve(A, y, ranges=0.01)
    half = np.sqrt(0.01 * r.objective * np.diag(np.linalg.inv(A.T @ A)))
    assert np.allclose(r.ranges["lower"], r.x - half, rtol=1e-4) and np.allclose(r.ranges["inner_upper"], r.x + half, rtol=1e-4)
    both = gpis.solve(A, y, "nonneg", ranges=0.01, intercept=True)
    assert (both.ranges["lower"] <= both.ranges["inner_lower"]).all() and (both.ranges["lower"] >= -1e-12).all()
    assert both.intercept_ranges["lower"][0] < both.intercept < both.intercept_ranges["upper"][0]
    assert {"lower", "upper"} <= set(both.to_frame().columns) and gpis.solve(A, y).ranges is None
    wide, narrow = gpis.solve(A, y, confidence=0.99).ranges, gpis.solve(A, y, confidence=0.9).ranges
    assert (wide["upper"] > narrow["upper"]).all()


def test_figures(data):
    import matplotlib

    matplotlib.use("Agg")
    A, y = data
    c = gpis.cv(A, y, points=6, folds=3)
    for thing in (c, c.path):
        thing.plot().figure.canvas.draw()


def test_refused(data):
    A, y = data
    for call, says in ((lambda: gpis.path(A, y, "l1", penalty="l1"), "within="), (lambda: gpis.path(A, y, 3), "without its radius"),
                       (lambda: gpis.path(A, y, "l9"), "l9"), (lambda: gpis.path(A, y, values=[-1.0]), ""), (lambda: gpis.cv(A, y, folds=[0, 1]), ""),
                       (lambda: gpis.cv(gpis.summarize(A, y), folds=3), "has its folds"), (lambda: gpis.path(A, y, pints=3), "did you mean|no option")):
        with pytest.raises(gpis.Error, match=says):
            call()


def test_predict_any_table(data):
    A, y = data
    frame = pd.DataFrame(A, columns=list("abcdef")).assign(g=pd.Categorical(list("uv") * 100))
    path = gpis.path(frame, y, points=5, intercept=True)
    wanted = np.column_stack([A, np.arange(200) % 2]) @ path.x.T + path.intercept
    assert np.allclose(path.predict(frame[list("gfedcba")]), wanted.T)
    two = gpis.path(A, np.c_[y, 2 * y], points=5, intercept=True)
    assert two.predict(A).shape == (5, 200, 2)
    assert np.allclose(two.predict(A)[3], A @ two.x[3] + two.intercept[3])
    assert np.allclose(two.predict(sparse.csc_matrix(A)), two.predict(A))
