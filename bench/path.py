"""Paths and cross-validation: gpis cv beside scikit-learn's LassoCV and cv.glmnet on the same arrays.

    /usr/bin/python3 bench/path.py BUILD [--part N] [--rivals yes|no]

A path of 100 penalties and 10 folds, l1, with an intercept; 200000 x 500 and 100000 x 100. gpis proves every point to
1e-8. The Gram pass is `gpis summarize` without folds, best of three, as is gpis cv; files are in the page cache. A rival
runs once. --part N: an Nth of the rows.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np

SHAPES = ((200000, 500), (100000, 100))
GLMNET = """
library(glmnet)
n <- %d; d <- %d
A <- matrix(readBin("A.bin", "double", n * d), n, d); y <- readBin("y.bin", "double", n)
cat(system.time(cv.glmnet(A, y, nfolds = 10, nlambda = 100, lambda.min.ratio = 1e-3, standardize = FALSE))[["elapsed"]])
"""


def draw(n, d):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(n, d)) + rng.normal(size=d)
    x = np.where(np.arange(d) % 10 == 0, rng.normal(size=d), 0)
    return A, A @ x + 5 * rng.normal(size=n) + 2


def best_of(times, command):
    best, out = float("inf"), ""
    for _ in range(times):
        begun = time.perf_counter()
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        best = min(best, time.perf_counter() - begun)
    return best, out


def lasso_cv(A, y):
    from sklearn.linear_model import LassoCV
    begun = time.perf_counter()
    LassoCV(precompute=True, cv=10, n_alphas=100, n_jobs=2).fit(A, y)
    return time.perf_counter() - begun


def cv_glmnet(A, y, folder):
    if subprocess.run(["Rscript", "-e", "library(glmnet)"], capture_output=True).returncode != 0:
        return None
    A.T.tofile(os.path.join(folder, "A.bin"))
    y.tofile(os.path.join(folder, "y.bin"))
    run = subprocess.run(["Rscript", "-e", GLMNET % A.shape], cwd=folder, capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--rivals", default="yes")
    options = parser.parse_args()
    gpis = os.path.join(options.build, "gpis")
    print("%-14s %10s %10s %8s %10s %10s" % ("shape", "Gram pass", "gpis cv", "ratio", "LassoCV", "cv.glmnet"))
    for n, d in SHAPES:
        n //= options.part
        A, y = draw(n, d)
        with tempfile.TemporaryDirectory() as folder:
            a, b = os.path.join(folder, "A.npy"), os.path.join(folder, "y.npy")
            np.save(a, A)
            np.save(b, y)
            gram, _ = best_of(3, [gpis, "summarize", a, b, "--quiet", "--out", os.path.join(folder, "S.npz")])
            own, out = best_of(3, [gpis, "cv", a, b, "--intercept", "--penalty", "l1", "--json"])
            result = json.loads(out)
            assert all(p["outcome"] == "solved" for p in result["points"]) and result["stalled"] == 0
            row = "%-14s %9.2fs %9.2fs %8.2f" % ("%d x %d" % (n, d), gram, own, own / gram)
            if options.rivals == "yes":
                sklearn, glmnet = lasso_cv(A, y), cv_glmnet(A, y, folder)
                row += " %6.1fs %.3f" % (sklearn, own / sklearn)
                row += " %6.1fs %.3f" % (glmnet, own / glmnet) if glmnet else "   no glmnet"
            print(row, flush=True)


if __name__ == "__main__":
    main()
