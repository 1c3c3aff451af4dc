"""Solving: what is asked for arrives, answers obey independent conditions, errors have one clear line."""

import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls

import gpis
from conftest import TREE


def test_least_squares(data):
    A, y = data
    r = gpis.solve(A, y)
    assert np.allclose(r.x, np.linalg.lstsq(A, y, rcond=None)[0], rtol=1e-10)
    assert (r.status, r.gap_kind, r.solved) == ("solved", "proven", True)
    assert r.objective == pytest.approx(np.sum((y - A @ r.x) ** 2))
    assert r.gap <= 1e-8 * r.objective


def test_nonneg_and_bounds(data):
    A, y = data
    assert np.allclose(gpis.solve(A, y, "nonneg").x, nnls(A, y)[0], atol=1e-8)
    lower, upper = np.full(6, -0.5), np.array([0.2, 1, 1, 1, 2, np.inf])
    wanted = lsq_linear(A, y, (lower, upper), method="bvls", tol=1e-14).x
    for r in (gpis.solve(A, y, gpis.box(lower, upper)), gpis.solve(A, y, bounds=(lower, upper))):
        assert np.allclose(r.x, wanted, atol=1e-8)


def test_terms(data, rng):
    """Weights repeat rows, an offset is subtracted, an intercept is a column of ones, a ridge adds rows."""
    A, y = data
    w = rng.integers(0, 4, len(y))
    a = gpis.solve(A, y, weights=w, intercept=True, penalty="l2:3")
    b = gpis.solve(np.repeat(A, w, axis=0), np.repeat(y, w), intercept=True, penalty=gpis.ridge(3))
    assert np.allclose(a.x, b.x, rtol=1e-9) and a.intercept == pytest.approx(b.intercept, rel=1e-9)
    big = np.vstack([np.c_[A, np.ones(len(y))] * np.sqrt(w)[:, None], np.c_[np.sqrt(3) * np.eye(6), np.zeros(6)]])
    x = np.linalg.lstsq(big, np.r_[y * np.sqrt(w), np.zeros(6)], rcond=None)[0]
    assert np.allclose(np.r_[a.x, a.intercept], x, rtol=1e-9)
    o = rng.standard_normal(len(y))
    assert np.allclose(gpis.solve(A, y, offset=o).x, gpis.solve(A, y - o).x, rtol=1e-9)


def test_lasso_conditions(data):
    """The subgradient conditions of lambda sum w |x|."""
    A, y = data
    w = np.array([1, 1, 0, 2, 1, 1.0])
    r = gpis.solve(A, y, penalty=gpis.lasso(40, w), tol=1e-12)
    g = 2 * A.T @ (A @ r.x - y)
    for gj, xj, wj in zip(g, r.x, w):
        assert gj == pytest.approx(-40 * wj * np.sign(xj), abs=1e-5) if xj else abs(gj) <= 40 * wj + 1e-5
    assert r.penalty == pytest.approx(40 * np.sum(w * np.abs(r.x)))


def test_several_responses(data, rng):
    A, _ = data
    Y = rng.standard_normal((200, 3))
    r = gpis.solve(A, Y, "l1:0.1", intercept=True)
    assert r.x.shape == (6, 3) and r.intercept.shape == (3,)
    for c in range(3):
        one = gpis.solve(A, Y[:, c], "l1:0.1", intercept=True)
        assert np.allclose(r.x[:, c], one.x, atol=1e-7)
    assert all(isinstance(key, tuple) for key in r.multipliers)
    assert gpis.solve(A, Y[:, :1]).x.shape == (6, 1)


def test_prepared(data, rng):
    A, y = data
    problem = gpis.Problem(A, y, "nonneg", tol=1e-12)
    first = problem.solve()
    other = problem.solve(rng.standard_normal(200))
    assert not np.allclose(first.x, other.x)
    assert np.array_equal(problem.solve(y).x, first.x)
    two = problem.solve(np.c_[y, -y])
    assert two.x.shape == (6, 2) and np.allclose(two.x[:, 0], first.x, atol=1e-8)
    assert problem.solve(y, max_passes=1, method="pgd").status in ("max_passes", "solved")
    assert problem.memory_peak > 0


def test_check(data):
    A, y = data
    r = gpis.solve(A, y, "nonneg", intercept=True)
    again = gpis.check(A, y, r.x, "nonneg", x_intercept=r.intercept, intercept=True)
    assert again.solved and again.objective == pytest.approx(r.objective)
    worse = gpis.check(A, y, r.x + 0.1, "nonneg", intercept=True)
    assert worse.objective - worse.gap <= r.objective <= worse.objective


def test_plan(data):
    A, y = data
    plan = gpis.plan(A, y, "l1:1")
    assert plan.chosen in plan.candidates and plan.chosen.chosen and plan.text in repr(plan)
    assert len(plan.to_frame()) == len(plan.candidates)


def test_x0_and_methods(data):
    A, y = data
    wanted = gpis.solve(A, y, "nonneg").x
    for method in ("apgd", "gpis", "newton"):
        assert np.allclose(gpis.solve(A, y, "nonneg", method=method, x0=wanted, tol=1e-10).x, wanted, atol=1e-4)


def test_options_come_from_the_table(data):
    A, y = data
    assert set(gpis.options()) > {"tol", "max_passes", "memory", "threads", "target", "set", "penalty"}
    assert gpis.solve(A, y, tol="1e-6", seed=np.int64(3), threads=1, memory="1G").solved
    for wrong, says in (({"tol": 2}, "tol wants a number from 0 to 1, not '2.0'"), ({"tol": object()}, "tol="),
                        ({"max_passes": 0}, "max_passes wants"), ({"certificate": "some"}, "any, proven or none"),
                        ({"intercept": 3}, "intercept= is True or False")):
        with pytest.raises(gpis.InputError, match=says):
            gpis.solve(A, y, **wrong)
    with pytest.raises(gpis.UsageError, match="no option tolerance="):
        gpis.solve(A, y, tolerance=1)
    with pytest.raises(TypeError, match=r"did you mean max_passes=\?"):
        gpis.solve(A, y, maxpasses=1)


def test_errors_have_their_kind(data, tmp_path):
    A, y = data
    for kind, call in ((ValueError, lambda: gpis.solve(A, y, "l1:-1")), (OSError, lambda: gpis.solve(tmp_path / "no.csv", y)),
                       (MemoryError, lambda: gpis.solve(A, y, memory=100))):
        with pytest.raises(kind) as caught:
            call()
        assert isinstance(caught.value, gpis.Error) and "\n" not in str(caught.value)
    assert "memory=" in str(caught.value) and "option" not in str(caught.value)


def test_result_shows_itself(data):
    A, y = data
    names = ["<b>a</b>", "b\x1b[31m", "$c$", "d", "e", "f"]
    r = gpis.solve(A, y, "nonneg", names=names, intercept=True)
    assert "certificate   proven" in repr(r) and "\x1b" not in repr(r)
    page = r._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;" in page
    copy = pickle.loads(pickle.dumps(r))
    assert np.array_equal(copy.x, r.x) and repr(copy) == repr(r) and np.array_equal(copy.predict(A), r.predict(A))
    frame = r.to_frame()
    assert list(frame.name) == names and np.array_equal(frame.coefficient, r.x)
    held = frame[frame.multiplier > 0]
    assert (held.coefficient == 0).all() and len(held) == len(r.active)
    assert r.trace["pass"][-1] == r.passes and r.trace["objective"][-1] == r.objective


def test_plot(data):
    import matplotlib

    matplotlib.use("Agg")
    A, y = data
    r = gpis.solve(A, y, "nonneg", names=["$a$", "b_1", "c", "d", "e", "f"])
    for kind in ("coefficients", "trace"):
        r.plot(kind).figure.canvas.draw()
    with pytest.raises(gpis.InputError):
        r.plot("pie")


def test_import_is_light():
    """matplotlib, pandas, scipy and scikit-learn are only loaded when they are needed."""
    code = ("import gpis, sys; r = gpis.solve([[1.0], [2.0]], [1.0, 2.0]); r.predict([[3.0]]); "
            "print([m for m in ('matplotlib', 'pandas', 'scipy', 'sklearn', 'h5py') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_files(tmp_path):
    path = TREE / "data" / "diabetes" / "diabetes.tsv"
    r = gpis.solve(path, target="Y", set="l1:30")
    assert r.names[:3] == ["AGE", "SEX", "BMI"] and r.objective == pytest.approx(1346199.051, abs=1e-3)
    table = np.loadtxt(path, skiprows=1)
    assert np.allclose(gpis.solve(table[:, :10], table[:, 10], gpis.l1(30)).x, r.x, atol=1e-6)
    np.save(tmp_path / "A.npy", table[:, :10])
    np.save(tmp_path / "y.npy", table[:, 10])
    assert np.allclose(gpis.solve(str(tmp_path / "A.npy"), tmp_path / "y.npy", "l1:30").x, r.x, atol=1e-6)
    assert np.allclose(r.predict(path), table[:, :10] @ r.x)
    assert np.allclose(pickle.loads(pickle.dumps(r)).predict(str(path)), table[:, :10] @ r.x)
    with pytest.raises(gpis.InputError, match="no y"):
        gpis.solve(tmp_path / "A.npy")
    w = np.arange(442) % 3
    weighted = gpis.solve(path, target="Y", weights=w, subject_to=["BMI >= 0", "S1 + S2 <= 0"])
    assert weighted.x[4] + weighted.x[5] <= 1e-9


def test_memory_is_returned(data):
    """A thousand problems take no more memory than a hundred."""
    import resource

    A, y = data
    for _ in range(100):
        gpis.solve(A, y, gpis.l1(1)[0:3])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(900):
        gpis.solve(A, y, gpis.l1(1)[0:3])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000  # kB


def test_time_limit_and_progress(rng, capsys):
    A, y = rng.standard_normal((20000, 50)), rng.standard_normal(20000)
    seen = []
    r = gpis.solve(A, y, "l1:0.1", method="pgd", tol=1e-15, max_passes=20, progress=seen.append)
    after = [s for s in seen if "objective" in s]
    assert len(after) == r.passes == 20 and after[-1]["pass"] == 20
    r = gpis.solve(A, y, "l1:0.1", method="pgd", tol=1e-15, progress=lambda s: s["pass"] >= 3)
    assert r.status == "interrupted" and r.passes == 3
    with pytest.raises(ZeroDivisionError):
        gpis.solve(A, y, progress=lambda s: 1 / 0)
    start = time.monotonic()
    slow = A + 300 * A[:, :1]  # many passes from its solution
    assert gpis.solve(slow, y, "l1:5", method="pgd", tol=1e-15, certificate="none", time_limit=0.2).status == "time_limit"
    assert time.monotonic() - start < 20
    gpis.solve(A, y, progress=True)
    assert "pass 1" in capsys.readouterr().err


def test_responses_that_come_and_go_leave_nothing(data):
    """A set is made anew for another number of responses; those before it go."""
    A, y = data
    problem = gpis.Problem(A, y, gpis.l1(1) & gpis.box(np.zeros(6), np.ones(6)))
    before = len(problem._native._made)
    for _ in range(5):
        assert problem.solve(np.c_[y, y]).x.shape == (6, 2) and problem.solve(y).x.shape == (6,)
    assert len(problem._native._made) == before and len(problem._native_of_set._made) == 3
