#!/usr/bin/env python3
"""What Python adds to the library, and the estimators beside those of scikit-learn: python.py BUILD [--part N]

Times are processor time of one thread, the best of several runs, so that they hold on a busy machine too; each comparison is made
within one run. --part N: a Nth of the rows.
"""

import argparse
import os
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--part", type=int, default=1)
arguments = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.join(arguments.build, "python"))

import gpis  # noqa: E402: it loads OpenBLAS with kernels for this processor, for numpy too
import numpy as np  # noqa: E402
from gpis._core import ffi, lib  # noqa: E402
from gpis.sklearn import ConstrainedRegressor  # noqa: E402
from scipy.optimize import lsq_linear, nnls  # noqa: E402
from sklearn.linear_model import Lasso, LinearRegression  # noqa: E402


def best(function, times, rounds):
    """Seconds of one call."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            function()
        least = min(least, (time.process_time() - start) / times)
    return least


def line(what, *values):
    print(f"{what:<58}" + "".join(f"{value:>14}" for value in values), flush=True)


def micro(seconds):
    return f"{1e6 * seconds:.0f} us"


def small(rng):
    """Prepared problems of 100 x 10, and what Python adds to the same solve in C."""
    A = rng.standard_normal((100, 10))
    y = A @ rng.standard_normal(10) + rng.standard_normal(100)
    line("100 x 10, microseconds a problem", "in C", "prepared", "gpis.solve", "scipy")
    for spec, name, rival in (("nonneg", "nnls", lambda: nnls(A, y)), ("box:0,1", "lsq_linear", lambda: lsq_linear(A, y, (0, 1)))):
        problem = gpis.Problem(A, y, spec)
        out = ffi.new("gpis_result **")

        def in_c():
            lib.gpis_solve(problem._problem, problem._settings, out)
            lib.gpis_result_destroy(out[0])

        times = [best(in_c, 200, 7), best(lambda: problem.solve(y), 200, 7), best(lambda: gpis.solve(A, y, spec), 100, 7), best(rival, 50, 7)]
        line(f"  {spec}, scipy's {name}", *map(micro, times))


def estimators(rng, n, d):
    X = rng.standard_normal((n, d))
    y = X @ np.where(rng.random(d) < 0.3, rng.standard_normal(d), 0) + rng.standard_normal(n)
    alpha = 0.05
    pairs = (("nonneg against LinearRegression(positive=True)", ConstrainedRegressor(set="nonneg"), LinearRegression(positive=True), 1),
             ("l1 penalty against Lasso(precompute=True)", ConstrainedRegressor(penalty=gpis.lasso(2 * n * alpha)),
              Lasso(alpha, precompute=True), 3))
    for what, ours, theirs, rounds in pairs:
        a, b = best(lambda: ours.fit(X, y), 1, 3), best(lambda: theirs.fit(X, y), 1, rounds)
        line(f"  {n} x {d}, {what}", f"{a:.3f} s", f"{b:.3f} s", f"{a / b:.3f}")


def peak():
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(text.split()[1]) for text in lines if text.startswith("VmHWM")) / 1024


def memory(rng, n, d):
    A, y = np.empty((n, d)), rng.standard_normal(n)
    for i in range(0, n, 1000):
        A[i:i + 1000] = rng.standard_normal((min(1000, n - i), d))
    problem = gpis.Problem(A, y, "nonneg")
    forecast, before = problem.plan().chosen.memory / 2**20, peak()
    problem.solve()
    line(f"  {n} x {d}", f"{peak() - before:.0f} MB", f"{forecast:.0f} MB")


def main():
    rng = np.random.default_rng(0)
    small(rng)
    line("memory of a solve beyond A and y", "taken", "forecast")
    memory(rng, 200000 // arguments.part, 500)
    line("fit with everything that it does", "gpis", "scikit-learn", "ratio")
    estimators(rng, 100000 // arguments.part, 100)
    estimators(rng, 200000 // arguments.part, 500)


main()
