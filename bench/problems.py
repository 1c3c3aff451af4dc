"""The problems of the solve benchmark: their table, how they are made, and the arrays as the judge sees them.

A folder of a problem holds y.npy and either A.npy (row-major) or compressed rows: A.shape, A.indptr, A.indices,
A.values. Problems that share A share its file.
"""
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse

BLOCK = 20000  # rows at a time


@dataclass(frozen=True)
class Problem:
    key: str
    title: str
    rows: int
    cols: int
    set: str  # without its radius, which the data give
    cond: float = 0  # L/mu; 0: not prescribed
    share: str = ""  # key of the problem whose A is used
    reads: float = 0  # target: at most so many reads of A; 0: none
    against: dict = field(default_factory=dict)  # target: rival -> at most so much of its time

    @property
    def sparse(self):
        return self.key == "csr-l1"


PROBLEMS = [
    Problem("syn1", "Syn1: 100000 x 100, l1", 100000, 100, "l1", 1e7, reads=12, against={"sklearn": 0.7}),
    Problem("nonneg-100", "100000 x 100, nonneg", 100000, 100, "nonneg", 1e7, "syn1", 15, {"nnls": 0.05}),
    Problem("l1-500", "200000 x 500, l1", 200000, 500, "l1", 1e6, reads=22, against={"sklearn": 0.6}),
    Problem("nonneg-500", "200000 x 500, nonneg", 200000, 500, "nonneg", 1e6, "l1-500", 22, {"nnls": 0.05}),
    Problem("l1-1000", "200000 x 1000, l1", 200000, 1000, "l1", 1e6, reads=22,
            against={"sklearn": 0.35, "newton": 0.4}),
    Problem("none-1000", "200000 x 1000, none", 200000, 1000, "none", 1e6, "l1-1000", 24,
            {"dgels": 0.2, "cholesky": 0.5}),
    Problem("csr-l1", "2000000 x 2000 CSR, l1", 2000000, 2000, "l1", reads=100, against={"sklearn-sparse": 0.5}),
    Problem("syn3", "Syn3: 50000 x 100, 100 responses, nuclear", 50000, 100, "nuclear", 1e4,
            against={"acc-gpis": 0.5}),
]


def find(key):
    known = {p.key: p for p in PROBLEMS}
    if key not in known:
        sys.exit(f"bench: no problem '{key}'; there are {', '.join(known)}")
    return known[key]


def rows_of(problem, part):
    return problem.rows // part


def make(problem, part, gpis, root):
    """Makes the folder of a problem and returns it with the spec of its set."""
    folder = os.path.join(root, problem.key)
    os.makedirs(folder, exist_ok=True)
    rows = rows_of(problem, part)
    if problem.share:
        make_from(os.path.join(root, problem.share), folder, problem.set)
        return folder, problem.set
    if problem.sparse:
        return folder, f"{problem.set}:{make_csr(folder, rows, problem.cols)!r}"
    recipe = "syn3" if problem.set == "nuclear" else "syn1"
    subprocess.run([gpis, "gen", recipe, "--n", str(rows), "--d", str(problem.cols), "--cond", str(problem.cond),
                    "--out", folder, "--quiet"], check=True)
    with open(os.path.join(folder, "problem.json")) as file:
        return folder, json.load(file)["set"]


def make_from(other, folder, kind):
    """The A of another problem. For `nonneg` y is made again, with the same noise, from the sizes of its x_true."""
    A = np.load(os.path.join(other, "A.npy"), mmap_mode="r")
    y = np.load(os.path.join(other, "y.npy"))
    x = np.load(os.path.join(other, "x_true.npy"))
    if kind == "nonneg":
        for i in range(0, len(y), BLOCK):
            y[i:i + BLOCK] += A[i:i + BLOCK] @ (np.abs(x) - x)
    np.save(os.path.join(folder, "y.npy"), y)
    link = os.path.join(folder, "A.npy")
    if not os.path.exists(link):
        os.link(os.path.join(other, "A.npy"), link)


def make_csr(folder, rows, cols, per_row=20, nonzeros=100, noise=0.1, seed=0):
    """Normal values, one at a random place of each of `per_row` stretches of a row; y as in the other problems."""
    rng = np.random.default_rng(seed)
    stretch = cols // per_row
    indices = rng.integers(0, stretch, (rows, per_row), dtype=np.int32)
    indices += np.arange(0, cols, stretch, dtype=np.int32)
    values = rng.standard_normal((rows, per_row))
    indptr = np.arange(0, rows * per_row + 1, per_row, dtype=np.int64)
    x = np.zeros(cols)
    x[rng.choice(cols, nonzeros, replace=False)] = rng.standard_normal(nonzeros)
    y = (values * x[indices]).sum(axis=1)
    w = rng.standard_normal(rows)
    y += w * (noise * np.linalg.norm(y) / np.linalg.norm(w))
    indptr.tofile(os.path.join(folder, "A.indptr"))
    indices.tofile(os.path.join(folder, "A.indices"))
    values.tofile(os.path.join(folder, "A.values"))
    np.save(os.path.join(folder, "y.npy"), y)
    with open(os.path.join(folder, "A.shape"), "w") as file:
        file.write(f"{rows} {cols}\n")
    return float(np.abs(x).sum())


def load(folder, order=None):
    """A and y. A dense A is mapped, or with order "C" or "F" copied into memory."""
    y = np.load(os.path.join(folder, "y.npy"))
    if os.path.exists(os.path.join(folder, "A.shape")):
        with open(os.path.join(folder, "A.shape")) as file:
            shape = tuple(int(word) for word in file.read().split())
        parts = [np.fromfile(os.path.join(folder, "A." + name), kind)
                 for name, kind in (("values", np.float64), ("indices", np.int32), ("indptr", np.int64))]
        parts[2] = parts[2].astype(np.int32)  # what scikit-learn takes
        return scipy.sparse.csr_matrix(tuple(parts), shape=shape), y
    A = np.load(os.path.join(folder, "A.npy"), mmap_mode="r")
    return (np.array(A, order=order) if order else A), y


class Judge:
    """Objectives of everybody's x, by the same sums: f(x) = ||y - A x||^2 and, for `l1`, the Lagrangian."""

    def __init__(self, folder, spec):
        self.A, self.y = load(folder)
        self.kind, _, radius = spec.partition(":")
        self.radius = float(radius) if radius else 0.0
        self.best = float("inf")
        self.price = 0.0  # what a unit of radius is worth: the multiplier of the constraint

    def residual(self, x):
        x = x.reshape(self.A.shape[1], *self.y.shape[1:])
        r = np.empty_like(self.y)
        for i in range(0, len(r), BLOCK):
            r[i:i + BLOCK] = self.y[i:i + BLOCK] - self.A[i:i + BLOCK] @ x
        return r

    def objective(self, x):
        return float(np.square(self.residual(x)).sum())

    def learn(self, x, feasible):
        """Takes x for the solution, if it is in the set and better than the one known."""
        r = self.residual(x)
        objective = float(np.square(r).sum())
        if not feasible or objective >= self.best:
            return
        self.best = objective
        if self.kind == "l1":
            g = sum(self.A[i:i + BLOCK].T @ r[i:i + BLOCK] for i in range(0, len(r), BLOCK))
            self.price = 2 * float(np.abs(g[x.ravel() != 0]).max())

    @property
    def penalty(self):
        """lambda of 1/(2 n) ||y - A x||^2 + lambda ||x||_1 with the same solution."""
        return self.price / (2 * len(self.y))

    def error(self, x):
        """How far x is from the best, relative to the best objective; infinite where x is not in the set.

        With the right price p, f(x) + p (||x||_1 - R) has its least value, f*, where f has it on the ball: this judges
        a lasso, whose norm is only nearly R, and a point of the ball alike.
        """
        if self.kind == "nonneg" and x.min() < 0:
            return float("inf")
        excess = self.price * (float(np.abs(x).sum()) - self.radius) if self.kind == "l1" else 0.0
        return (self.objective(x) - self.best + excess) / self.best
