"""Sets as objects: they print as specs that mean the same, and sets of arrays and functions mean what they say."""

import pickle

import numpy as np
import pytest

import gpis
from gpis._penalty import as_penalty

SPECS = [
    (gpis.none, "none"), (gpis.nonneg, "nonneg"), (gpis.monotone, "monotone"), (gpis.l1(3.5), "l1:3.5"), (gpis.l2(2), "l2:2"),
    (gpis.linf(0.25), "linf:0.25"), (gpis.box(-1, 1), "box:-1,1"), (gpis.box(upper=0.1), "box:,0.1"), (gpis.simplex(), "simplex:1"),
    (gpis.capped_simplex(2), "capped-simplex:2"), (gpis.sum(1), "sum:1"), (gpis.sum(0, 2), "sum:0,2"), (gpis.group(2, 3), "group:2:3"),
    (gpis.tv(1.5), "tv:1.5"), (gpis.l1(1).dct(), "l1:1@dct"), (gpis.l1(1e-20), "l1:1e-20"),
    (gpis.l1(3.5)["a":"c"] & gpis.nonneg, "l1:3.5[a:c] & nonneg"), (gpis.nonneg[["a", "f"]], "nonneg[a,f]"),
    (gpis.nonneg[0:3], "nonneg[1-3]"), (gpis.nonneg[2], "nonneg[3]"), (gpis.simplex(1)["*"] & gpis.box(upper=0.5)["b":"d"], "simplex:1[*] & box:,0.5[b:d]"),
    ((gpis.nonneg & gpis.l1(2))["b":"c"], "nonneg[b:c] & l1:2[b:c]"), (gpis.subject_to("a + b <= 1", "c >= 0"), "{a + b <= 1; c >= 0}"),
    ("nonneg & l1:2" & gpis.box(upper=1), "(nonneg & l1:2) & box:,1"),
]


@pytest.mark.parametrize("made, spec", SPECS, ids=[spec for _, spec in SPECS])
def test_prints_as_a_spec(made, spec, rng):
    assert repr(made) == made.spec == spec
    v = 3 * rng.standard_normal(6)
    assert np.array_equal(gpis.project(v, made, names=list("abcdef")), gpis.project(v, spec, names=list("abcdef")))


def test_names_that_need_quotes(rng):
    names = ["a, b", "3", 'say "hi"', "x:y", "per cent", "plain"]
    for name in names:
        x = gpis.project(-np.ones(6), gpis.nonneg[name], names=names)
        assert list(np.flatnonzero(x == 0)) == [names.index(name)], name
    assert np.count_nonzero(gpis.project(-np.ones(6), gpis.nonneg["3":"per cent"], names=names) == 0) == 4


def test_arrays_against_specs(rng, tmp_path):
    """Sets of arrays are those of the same numbers in files."""
    v = 2 * rng.standard_normal(6)
    w, lo, hi, g = np.array([1, 2, 0, 1, 1, 3.0]), -rng.random(6), rng.random(6), np.array([0, 0, 1, 1, 2, 2])
    C = rng.standard_normal((2, 6))
    U = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    for name, array in (("w", w), ("C", C), ("b", np.ones(2)), ("g", g), ("U", U)):
        np.save(tmp_path / f"{name}.npy", array)
    t = str(tmp_path)
    pairs = [(gpis.l1(1.5, w), f"l1:1.5,{t}/w.npy"), (gpis.affine(C, np.ones(2)), f"affine:{t}/C.npy,{t}/b.npy"),
             (gpis.group(1, g), f"group:1:{t}/g.npy"), (gpis.l1(1).transform(U), f"l1:1@{t}/U.npy")]
    for made, spec in pairs:
        assert np.allclose(gpis.project(v, made), gpis.project(v, spec), atol=1e-12), spec
    assert np.array_equal(gpis.project(v, gpis.box(lo, hi)), np.clip(v, lo, hi))
    assert np.array_equal(gpis.project(v, gpis.box(lo, 0.5)), np.clip(v, lo, 0.5))
    x = gpis.project(v, gpis.linear(C, upper=0.1))
    assert (C @ x <= 0.1 + 1e-9).all()


def test_blocks_of_arrays(rng):
    v = 5 * rng.standard_normal(6)
    x = gpis.project(v, gpis.box(np.zeros(2), np.ones(2))[["e", "b"]], names=list("abcdef"))
    wanted = v.copy()
    wanted[[4, 1]] = np.clip(v[[4, 1]], 0, 1)
    assert np.array_equal(x, wanted)
    both = gpis.box(np.zeros(2), np.ones(2))["w*"] & gpis.nonneg["a"] & gpis.l1(100)
    x = gpis.project(-np.ones(4), both, names=["a", "w1", "b", "w2"])
    assert np.allclose(x, [0, 0, -1, 0])
    one = gpis.l1(1, [1.0, 1.0]).dct()[0:2]
    y = np.array([np.cos(np.pi * (np.arange(2) + 0.5) * k / 2) * (np.sqrt(0.5) if k == 0 else 1) for k in range(2)])  # DCT-II
    assert np.abs(y @ gpis.project(v, one)[:2]).sum() == pytest.approx(1, abs=1e-9)


def test_prices_name_the_columns(data):
    A, y = data
    r = gpis.solve(A, y, gpis.box(np.full(6, -0.1), np.full(6, 0.2)), names=["age", "b", "c", "d", "e", "f"])
    assert "age <= 0.2" in r.multipliers
    linear = gpis.linear(np.ones((1, 6)), upper=[0.5], names=["budget"])
    r = gpis.solve(A, y, linear)
    assert list(r.multipliers) == ["budget"] and r.multipliers["budget"] > 0


def test_a_projection(data):
    A, y = data
    plain = gpis.solve(A, y, lambda v: np.maximum(v, 0), tol=1e-6, max_passes=300)
    assert plain.gap_kind == "none" and "certificate" in plain.warning
    cone = gpis.custom(lambda v: np.maximum(v, 0), lambda g: 0.0, recession=lambda v: np.maximum(v, 0), name="cone")
    r = gpis.solve(A, y, cone)
    assert repr(cone) == "custom:cone" and r.gap_kind == "proven"
    assert np.allclose(r.x, gpis.solve(A, y, "nonneg").x, atol=1e-4) and np.allclose(plain.x, r.x, atol=1e-3)
    two = gpis.solve(A, np.c_[y, -y], cone)
    assert np.allclose(two.x[:, 0], r.x, atol=1e-3)

    def broken(v):
        raise LookupError("no such set")

    with pytest.raises(LookupError, match="no such set"):
        gpis.solve(A, y, broken)
    with pytest.raises(gpis.InputError, match="shape"):
        gpis.solve(A, y, lambda v: v[:2])
    with pytest.raises(gpis.InputError):  # no projection at all
        gpis.solve(A, y, lambda v: 2 * v + 1)


def test_whole_matrices(data, rng):
    A, _ = data
    Y = A @ np.outer(np.ones(6), [1, 2, 3]) + 0.1 * rng.standard_normal((200, 3))
    r = gpis.solve(A, Y, gpis.nuclear(2))
    assert np.linalg.svd(r.x, compute_uv=False).sum() <= 2 + 1e-6

    def ball(V):
        return V / max(1.0, np.linalg.norm(V))

    own = gpis.solve(A, Y, gpis.custom(ball, lambda G: np.linalg.norm(G), radius=1, matrix=True))
    assert np.linalg.norm(own.x) <= 1 + 1e-9


def test_refused(data):
    A, y = data
    for wrong, says in ((lambda: gpis.nonneg[-1], "not from the end"), (lambda: gpis.nonneg[1:], "has an end"),
                        (lambda: gpis.nonneg[0:2][1], "some columns already"), (lambda: gpis.nonneg & 3, "not int"),
                        (lambda: gpis.solve(A, y, 3), "not int"), (lambda: gpis.solve(A, y, gpis.nonneg["zz"]), "no column 'zz'"),
                        (lambda: gpis.solve(A, y, gpis.box(np.zeros(3), None)), r"needs \(6,\)"),
                        (lambda: gpis.solve(A, y, gpis.box(np.zeros(1), None)["q"]), "no column 'q'"),
                        (lambda: gpis.solve(A, y, penalty="l3:1"), "l1:LAMBDA"), (lambda: gpis.solve(A, y, penalty="l1:x"), "l1:LAMBDA"),
                        (lambda: gpis.solve(A, y, penalty=["l1:1", "l1:2"]), "given twice"), (lambda: gpis.solve(A, y, penalty=4), "not int"),
                        (lambda: gpis.solve(A, y, ["box:,0", "box:1,"]), "cannot hold|empty")):
        with pytest.raises(gpis.Error, match=says):
            wrong()


def test_pickle(rng):
    v = rng.standard_normal(6)
    for made in (gpis.l1(2, np.ones(6)) & "nonneg[1]", gpis.box(np.zeros(3), 1)[0:3], gpis.affine(np.ones((1, 6)), [1]), gpis.group(1, np.arange(6)),
                 gpis.linear(np.ones((1, 6)), 0, names=["n"]), gpis.l1(1, np.ones(6)).dct(), gpis.custom(np.abs), gpis.lasso(1, np.ones(6))):
        copy = pickle.loads(pickle.dumps(made))
        assert repr(copy) == repr(made)
        if isinstance(made, gpis.Set) and "custom" not in made.spec:
            assert np.array_equal(gpis.project(v, copy), gpis.project(v, made))


def test_penalties():
    assert repr(gpis.lasso(1) + "l2:2") == "l1:1 + l2:2"
    assert repr(gpis.lasso(1, [1, 0])) == "l1:1,#2"


def test_a_constraint_that_always_holds(data):
    A, y = data
    with pytest.warns(gpis.ConstraintWarning):
        gpis.solve(A, y, subject_to="0 <= 1 + 0 x1")


def test_numbers_are_not_bent(data):
    """What is no whole number, no column or no bound is refused, and not made one that is nearby."""
    for wrong in (lambda: gpis.nonneg[1.5], lambda: gpis.nonneg[True], lambda: gpis.nonneg[[True, False]], lambda: gpis.nonneg[[]],
                  lambda: gpis.nonneg[None], lambda: gpis.group(1, 2.5), lambda: gpis.group(1, [0.5, 1]), lambda: gpis.box(np.inf, np.inf),
                  lambda: gpis.box(-np.inf, -np.inf), lambda: gpis.box(np.nan, 1), lambda: gpis.sum(np.inf, np.inf)):
        with pytest.raises(gpis.Error):
            wrong()
    for behind in (gpis.nonneg[6], gpis.nonneg[1:7], gpis.box(np.zeros(6))[1:7]):
        with pytest.raises(gpis.InputError, match="no column 6; columns are 0 to 5"):
            gpis.solve(*data, behind)
    assert str(gpis.box(-np.inf, np.inf)) == "box:,"


def test_a_sum_of_penalties():
    for text in ("l1:1e+2 + l2:3", "l1:100+l2:3e+0"):
        assert str(as_penalty(text)) == "l1:100 + l2:3"
