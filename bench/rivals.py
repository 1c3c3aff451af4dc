"""What gpis is compared with, one adapter each: rivals.py NAME FOLDER LAMBDA ROUNDS LIMIT, one process for each.

An adapter takes the arrays in the layout that its tool likes best, made before the clock runs, and returns a function
that makes a fresh call ready (not timed) and gives the call to time. Speaks the protocol of solve.py.
"""
import sys
import time
import warnings

import numpy as np

import problems


def sklearn(folder, penalty):
    """Coordinate descent on the Gram matrix. Its tolerance is on the duality gap, relative to ||y||^2."""
    from sklearn.linear_model import Lasso

    A, y = problems.load(folder, "F")
    model = Lasso(alpha=penalty, fit_intercept=False, precompute=True, copy_X=False, tol=1e-12, max_iter=10**7)
    return lambda: lambda: model.fit(A, y).coef_


def sklearn_sparse(folder, penalty):
    from sklearn.linear_model import Lasso

    A, y = problems.load(folder)
    A = A.tocsc()
    model = Lasso(alpha=penalty, fit_intercept=False, copy_X=False, tol=1e-12, max_iter=10**7)
    return lambda: lambda: model.fit(A, y).coef_


def nnls(folder, _):
    from scipy.optimize import nnls as lawson_hanson

    A, y = problems.load(folder, "F")
    return lambda: lambda: lawson_hanson(A, y, maxiter=100 * A.shape[1])[0]


def dgels(folder, _):
    """QR; overwrites its arguments, so each call gets its own."""
    from scipy.linalg import lapack

    A, y = problems.load(folder, "F")
    n, d = A.shape
    work = int(lapack.dgels_lwork(n, d, 1)[0].real)
    copy = np.empty_like(A)

    def fresh():
        np.copyto(copy, A)
        b = y.copy()
        return lambda: lapack.dgels(copy, b, lwork=work, overwrite_a=1, overwrite_b=1)[1][:d]

    return fresh


def cholesky(folder, _):
    """Normal equations: dsyrk, dpotrf, dpotrs. The transpose of row-major A is what BLAS takes without a copy."""
    from scipy.linalg import blas, cho_factor, cho_solve

    A, y = problems.load(folder, "C")

    def solve():
        gram = blas.dsyrk(1.0, A.T)
        return cho_solve(cho_factor(gram, overwrite_a=True, check_finite=False), A.T @ y, check_finite=False)

    return lambda: solve


ADAPTERS = {"sklearn": sklearn, "sklearn-sparse": sklearn_sparse, "nnls": nnls, "dgels": dgels, "cholesky": cholesky}


def main():
    name, folder, penalty, rounds, limit = sys.argv[1:]
    fresh = ADAPTERS[name](folder, float(penalty))
    print("ready", flush=True)
    spent = 0.0
    for r in range(int(rounds)):
        if r > 0 and spent > float(limit) / 4:
            break
        call = fresh()
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            x = call()
        seconds = time.perf_counter() - start
        spent += seconds
        if r == 0:
            np.save(f"{folder}/{name}.npy", x)
            for w in heard:
                print("note", " ".join(str(w.message).split())[:200])
        print(f"round {seconds:.9g}", flush=True)


if __name__ == "__main__":
    main()
