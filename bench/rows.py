"""Polyhedra: the d x d part of a solve, gpis and its rivals on the same Gram matrix, one thread each.

    /usr/bin/python3 bench/rows.py BUILD [--rounds N]

    rows       d = 500, 200 linear rows, bounds and an l1 ball: cvxopt coneqp
    portfolio  d = 200, sum 1, bounds 0 to 0.1, 20 sectors: cvxopt coneqp
    bounds     d = 500, bounds alone: scipy lsq_linear on the factor of the Gram matrix

Times are processor seconds, the best of several; the minimum of each rival is compared with that of gpis.
"""
import argparse
import os
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import cvxopt  # noqa: E402
import numpy as np  # noqa: E402
import scipy.optimize  # noqa: E402


def draw(d, noise, rng):
    A = rng.standard_normal((3 * d, d))
    x = np.where(np.arange(d) % 5 == 0, rng.standard_normal(d), 0.05 * rng.standard_normal(d))
    y = A @ x + noise * rng.standard_normal(3 * d)
    return x, A.T @ A, -(A.T @ y)


def rows(rng):
    d, m = 500, 200
    x, H, g = draw(d, 0.5, rng)
    C = np.where(rng.random((m, d)) < 0.1, rng.standard_normal((m, d)), 0.0)
    upper = np.abs(C @ (0.3 * x)) + 0.05 * (np.arange(m) % 2)
    return H, g, np.full(d, -0.5), np.full(d, 0.5), C, np.full(m, -np.inf), upper, 0.6 * np.abs(x).sum()


def portfolio(rng):
    d, sectors = 200, 20
    _, H, g = draw(d, 2.0, rng)
    C = np.vstack([np.ones(d)] + [(np.arange(d) % sectors == s) * 1.0 for s in range(sectors)])
    lower = np.r_[1.0, np.full(sectors, 0.02)]
    upper = np.r_[1.0, np.full(sectors, 0.07)]
    return H, g, np.zeros(d), np.full(d, 0.1), C, lower, upper, 0.0


def bounds(rng):
    d = 500
    _, H, g = draw(d, 0.5, rng)
    none = np.zeros((0, d)), np.zeros(0), np.zeros(0)
    return H, g, np.full(d, -0.04), np.full(d, 0.3), *none, 0.0


def own(build, problem, rounds):
    H, g, lo, hi, C, lower, upper, R = problem
    with tempfile.NamedTemporaryFile() as f:
        for part in ([len(g), len(lower), R], H, g, lo, hi, C, lower, upper):
            f.write(np.asarray(part, dtype=float).tobytes())
        f.flush()
        out = subprocess.run([f"{build}/bench/rows", f.name, str(rounds)], capture_output=True, text=True, check=True)
    return [float(word) for word in out.stdout.split()]


def coneqp(problem):
    """x, and with an l1 ball t >= |x|, for cvxopt: 1/2 z'Pz + q'z, G z <= h, E z = e."""
    H, g, lo, hi, C, lower, upper, R = problem
    d = len(g)
    n = 2 * d if R > 0 else d
    eye, equal = np.eye(d), lower == upper

    def wide(M):
        return np.hstack([M, np.zeros((len(M), n - d))])

    G = [wide(eye), wide(-eye), wide(C[~equal & np.isfinite(upper)]), wide(-C[~equal & np.isfinite(lower)])]
    h = [hi, -lo, upper[~equal & np.isfinite(upper)], -lower[~equal & np.isfinite(lower)]]
    if R > 0:
        G += [np.hstack([eye, -eye]), np.hstack([-eye, -eye]), np.r_[np.zeros(d), np.ones(d)][None]]
        h += [np.zeros(d), np.zeros(d), [R]]
    P = np.zeros((n, n))
    P[:d, :d] = H
    matrices = [P, np.r_[g, np.zeros(n - d)], np.vstack(G), np.concatenate(h)]
    arguments = [cvxopt.matrix(np.asarray(M, dtype=float)) for M in matrices]
    if equal.any():
        arguments += [None, cvxopt.matrix(wide(C[equal])), cvxopt.matrix(lower[equal])]
    options = {"show_progress": False, "abstol": 1e-12, "reltol": 1e-12, "feastol": 1e-12, "maxiters": 200}
    before = time.process_time()
    answer = cvxopt.solvers.coneqp(*arguments, options=options)
    seconds = time.process_time() - before
    x = np.array(answer["x"]).ravel()[:d]
    return seconds, 0.5 * x @ H @ x + g @ x


def lsq_linear(problem):
    H, g, lo, hi, *_ = problem
    before = time.process_time()
    L = np.linalg.cholesky(H)
    b = -np.linalg.solve(L, g)
    answer = scipy.optimize.lsq_linear(L.T, b, (lo, hi), method="bvls", tol=1e-12)
    seconds = time.process_time() - before
    return seconds, 0.5 * answer.x @ H @ answer.x + g @ answer.x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'polyhedra, d x d part':<24}{'gpis s':>9}{'factor s':>10}{'set s':>8}{'rival s':>9}{'ratio':>7}"
          f"{'rival - gpis':>14}{'violation':>11}")
    for make, rival in ((rows, coneqp), (portfolio, coneqp), (bounds, lsq_linear)):
        problem = make(np.random.default_rng(1))
        solve, factor, making, value, violation = own(options.build, problem, options.rounds)
        seconds, other = rival(problem)
        print(f"{make.__name__ + ', ' + rival.__name__:<24}{solve:9.4f}{factor:10.4f}{making:8.4f}{seconds:9.3f}"
              f"{(solve + factor) / seconds:7.3f}{(other - value) / abs(value):14.1e}{violation:11.1e}")


main()
