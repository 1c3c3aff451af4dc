"""Summaries: the same answers as from the rows, without them."""

import numpy as np
import pytest

import gpis


def test_answers(data, rng):
    A, y = data
    w, o = rng.random(200), rng.standard_normal(200)
    s = gpis.summarize(A, y, weights=w, offset=o, names=list("abcdef"))
    assert (s.rows, s.columns, s.responses, s.names) == (200, 6, 1, list("abcdef"))
    for terms in ({}, {"intercept": True}, {"set": gpis.nonneg["a":"c"]}, {"penalty": "l1:3"}, {"set": "l1:1", "standardize": True},
                  {"bounds": (np.zeros(6), np.ones(6))}, {"subject_to": "a + b <= 0.1", "intercept": True}):
        one, other = gpis.solve(s, **terms), gpis.solve(A, y, weights=w, offset=o, names=list("abcdef"), **terms)
        assert np.allclose(one.x, other.x, atol=1e-7) and one.objective == pytest.approx(other.objective, rel=1e-8)
        assert one.gap_kind == "proven" and np.allclose(one.predict(A), other.predict(A), atol=1e-6)
    assert gpis.check(s, None, other.x, **terms).solved
    assert gpis.plan(s, set="nonneg").chosen is not None
    prepared = gpis.Problem(s, set="nonneg")
    assert np.array_equal(prepared.solve().x, prepared.solve(tol=1e-9).x)


def test_it_outlives_the_rows(rng):
    A = rng.standard_normal((1000, 3))
    y = A @ [1.0, 2.0, 3.0]
    s = gpis.summarize(gpis.Rows(lambda first, last: A[first:last], A.shape), y)
    A[...] = np.nan
    assert np.allclose(gpis.solve(s).x, [1, 2, 3])
    assert gpis.solve(gpis.summarize(np.ones((4, 1)), np.ones((4, 2)))).x.shape == (1, 2)


def test_folds(data):
    A, y = data
    fold = np.arange(200) % 3
    s = gpis.summarize(A, y, folds=fold)
    assert s.folds == 3 and [s.fold_rows(f) for f in range(3)] == [67, 67, 66]
    assert sum(gpis.summarize(A, y, folds=5, seed=3).fold_rows(f) for f in range(5)) == 200
    with pytest.raises(gpis.InputError):
        gpis.summarize(A, y, folds=fold[:10])
    with pytest.raises(gpis.InputError):
        gpis.summarize(A, y, folds=fold - 1)


def test_files_and_merging(data, tmp_path):
    A, y = data
    whole = gpis.solve(A, y, "l1:2", names=list("abcdef"), intercept=True)
    parts = [gpis.summarize(A[:90], y[:90], names=list("abcdef")), gpis.summarize(A[90:], y[90:], names=list("abcdef"))]
    both = gpis.Summary.merge(*parts)
    assert both.rows == 200 and both.names == list("abcdef")
    both.save(tmp_path / "S")
    for s in (both, tmp_path / "S", gpis.Summary.load(tmp_path / "S")):
        r = gpis.solve(s, set="l1:2", intercept=True)
        assert np.allclose(r.x, whole.x, atol=1e-8) and r.intercept == pytest.approx(whole.intercept)
    with pytest.raises(gpis.InputError):
        gpis.Summary.merge(both, gpis.summarize(A[:, :2], y))
    with pytest.raises(gpis.FileError):
        both.save(tmp_path / "no" / "S")
    with pytest.raises(gpis.Error):
        gpis.Summary.merge()
    with pytest.raises(TypeError):
        gpis.Summary.merge(both, A)


def test_refused(data):
    A, y = data
    s = gpis.summarize(A, y)
    for call, says in ((lambda: gpis.solve(s, y), "has y"), (lambda: gpis.solve(s, weights=y), "weights= is given when"),
                       (lambda: gpis.Problem(s).solve(y), "has its y"), (lambda: gpis.summarize(A), "no y")):
        with pytest.raises(gpis.Error, match=says):
            call()
