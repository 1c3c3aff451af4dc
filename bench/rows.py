"""Polyhedra: the d x d part of a solve, gpis and its rivals on the same Gram matrix, one thread each.

    /usr/bin/python3 bench/rows.py BUILD [--rounds N] [--n ROWS]

    rows       d = 500, 200 linear rows, bounds and an l1 ball: cvxopt coneqp
    portfolio  d = 200, sum 1, bounds 0 to 0.1, 20 sectors: cvxopt coneqp
    bounds     d = 500, bounds alone: scipy lsq_linear on the factor of the Gram matrix

Times are processor seconds, the best of several; the minimum of each rival is compared with that of gpis.

Then whole solves of 200000 x 500 with all processors, in turn and the best of several, beside that of an l1 ball alone:

    l1         the ball that the others have, too, and one so large that as many entries are free as with the others
    idle       200 rows, bounds and the ball; no row has an effect
    half       the same; 117 rows have an effect
    equal      the same; all 200 rows are equations
    portfolio  sum 1, bounds 0 to 0.1, 20 sectors
"""
import argparse
import os
import subprocess
import sys
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


def whole_sets(gpis, x, rng):
    d, m = len(x), 200
    C = np.where(rng.random((m, d)) < 0.1, rng.standard_normal((m, d)), 0.0)
    v, R = C @ (0.3 * x), 0.6 * np.abs(x).sum()
    common = gpis.box(np.full(d, -0.5), np.full(d, 0.5)) & gpis.l1(R)
    S = np.vstack([np.ones(d)] + [(np.arange(d) % 20 == s) * 1.0 for s in range(20)])
    sectors = gpis.linear(S, np.r_[1.0, np.full(20, 0.02)], np.r_[1.0, np.full(20, 0.07)])
    return {
        "l1": gpis.l1(R),
        "l1, larger": gpis.l1(0.94 * np.abs(x).sum()),
        "idle": common & gpis.linear(C, None, np.abs(C @ x) + 50.0),
        "half": common & gpis.linear(C, None, v - 0.3 * np.abs(v)),
        "equal": common & gpis.linear(C, v, v),
        "portfolio": gpis.box(np.zeros(d), np.full(d, 0.1)) & sectors,
    }


def whole(build, n, rounds):
    sys.path.insert(0, f"{build}/python")
    import gpis

    d, rng = 500, np.random.default_rng(1)
    A = rng.standard_normal((n, d))
    x = np.where(np.arange(d) % 5 == 0, rng.standard_normal(d), 0.05 * rng.standard_normal(d))
    y = A @ x + 0.5 * np.sqrt(d) * rng.standard_normal(n)
    best, sets = {}, whole_sets(gpis, x, rng)
    for _ in range(rounds):
        for name, K in sets.items():
            before = time.perf_counter()
            answer = gpis.solve(A, y, K, tol=1e-8, threads=os.cpu_count())
            seconds = time.perf_counter() - before
            if name not in best or seconds < best[name][0]:
                best[name] = seconds, answer
    print(f"\n{f'whole solves, {n} x {d}':<24}{'seconds':>9}{'times l1':>10}{'passes':>8}{'nonzeros':>10}{'gap':>10}"
          f"{'violation':>11}")
    for name, (seconds, answer) in best.items():
        print(f"{name:<24}{seconds:9.3f}{seconds / best['l1'][0]:10.2f}{answer.passes:8d}"
              f"{np.count_nonzero(answer.x):10d}{answer.gap:10.1e}{answer.violation:11.1e}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--n", type=int, default=200000, help="rows of the whole solves")
    options = parser.parse_args()
    print(f"{'polyhedra, d x d part':<24}{'gpis s':>9}{'factor s':>10}{'set s':>8}{'rival s':>9}{'ratio':>7}"
          f"{'rival - gpis':>14}{'violation':>11}")
    for make, rival in ((rows, coneqp), (portfolio, coneqp), (bounds, lsq_linear)):
        problem = make(np.random.default_rng(1))
        solve, factor, making, value, violation = own(options.build, problem, options.rounds)
        seconds, other = rival(problem)
        print(f"{make.__name__ + ', ' + rival.__name__:<24}{solve:9.4f}{factor:10.4f}{making:8.4f}{seconds:9.3f}"
              f"{(solve + factor) / seconds:7.3f}{(other - value) / abs(value):14.1e}{violation:11.1e}")
    whole(options.build, options.n, options.rounds)


main()
