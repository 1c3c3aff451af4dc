"""Bad input, signals, threads, forks and the end of the interpreter: one clear line, never a crash, never a hang."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gpis

BAD = {
    "object": (np.array([[1, "a"], [2, "b"]], dtype=object), [1, 2], "type object"),
    "text": (np.array([["1"], ["2"]]), [1, 2], "type <U1"),
    "complex": (np.ones((2, 2), complex), [1, 2], "real"),
    "nan": (np.array([[1, 2], [3, np.nan]]), [1, 2], "row 2, column 2 is nan"),
    "infinite": (np.array([[1, 2], [np.inf, 1]]), [1, 2], "row 2, column 1 is inf"),
    "nan in y": (np.ones((2, 1)), [1, np.nan], "nan"),
    "complex y": (np.ones((2, 1)), [1, 2j], "y has entries of type complex128"),
    "vector": (np.ones(3), [1, 2, 3], r"A\[:, None\]"),
    "cube": (np.ones((3, 3, 3)), [1, 2, 3], "3 dimensions"),
    "number": (3.0, [1], "0 dimensions"),
    "short y": (np.ones((3, 2)), [1, 2], "2 rows and A has 3"),
    "cube y": (np.ones((3, 2)), np.ones((3, 1, 1)), "3 dimensions"),
    "no rows": (np.ones((0, 2)), [], "0 x 2"),
    "no columns": (np.ones((2, 0)), [1, 2], "2 x 0"),
    "y without columns": (np.ones((2, 1)), np.ones((2, 0)), "no columns"),
    "ragged": ([[1, 2], [3]], [1, 2], "A cannot be made an array"),
    "nothing": (None, [1], "type object|0 dimensions"),
    "dates": (np.array([["2020-01-01"]], dtype="M8[D]"), [1], "datetime"),
    "masked": (np.ma.masked_greater(np.ones((2, 2)), 0), [1, 2], "masked"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_data(kind):
    A, y, says = BAD[kind]
    with pytest.raises(gpis.Error, match=says) as caught:
        gpis.solve(A, y)
    assert "\n" not in str(caught.value) and isinstance(caught.value, ValueError)


def test_bad_terms(data):
    A, y = data
    for terms, says in (({"weights": -np.ones(200)}, "row 1 is -1"), ({"weights": np.ones(3)}, "3 rows"), ({"offset": np.ones((3, 2))}, "3 rows"),
                        ({"weights": np.ones((200, 2))}, "one for each row"), ({"x0": np.ones(4)}, "4"), ({"weights": "w"}, ""),
                        ({"columns": "a"}, "columns= is for A in a file"), ({"on_interrupt": "ignore"}, "on_interrupt"),
                        ({"names": ["a", "b"]}, "2 names"), ({"bounds": (1, -1)}, "")):
        with pytest.raises(gpis.Error, match=says):
            gpis.solve(A, y, **terms)


def test_folds_are_whole_numbers(data):
    A, y = data
    for call in (gpis.cv, gpis.summarize):
        for folds in ([0.5] * len(y), ["a"] * len(y), [np.nan] * len(y)):
            with pytest.raises(gpis.InputError, match="no whole numbers"):
                call(A, y, folds=folds)
    fold = np.arange(len(y)) % 3
    assert gpis.summarize(A, y, folds=fold.astype(float)).folds == 3


def test_two_levels_of_ranges(data):
    with pytest.raises(gpis.UsageError, match="give one of them"):
        gpis.solve(*data, "l1:1", ranges=0.1, confidence=0.9)


def test_pickling_a_summary_says_what_to_do(data):
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(gpis.summarize(*data))


def test_a_function_that_raises(rng):
    """Its exception comes out of solve, from whatever thread it was called."""
    for at in (0, 5000, 9999):
        def make(first, last):
            if first <= at < last:
                raise KeyError(f"row {at}")
            return rng.standard_normal((last - first, 4))

        with pytest.raises(KeyError, match=f"row {at}"):
            gpis.solve(gpis.Rows(make, (10000, 4)), np.ones(10000))
    with pytest.raises(gpis.InputError, match="shape"):
        gpis.solve(gpis.Rows(lambda first, last: np.ones((1, 4)), (10000, 4)), np.ones(10000))
    with pytest.raises(gpis.InputError, match="type object"):
        gpis.solve(gpis.Rows(lambda first, last: np.full((last - first, 4), None), (100, 4)), np.ones(100))


def test_reentrance(data):
    """A function of a problem that uses the problem itself is refused, and another problem is not."""
    A, y = data
    problem = gpis.Problem(A, y)
    with pytest.raises(gpis.UsageError, match="is being solved"):
        problem.solve(progress=lambda seen: problem.solve())
    def make(first, last):  # is called by another thread, which the solve waits for
        by_rows.solve()
        return A[first:last]

    by_rows = gpis.Problem(gpis.Rows(make, A.shape), y)
    with pytest.raises(gpis.UsageError, match="is being solved"):
        by_rows.solve()
    inner = []
    problem.solve(progress=lambda seen: inner.append(gpis.solve(A, y).x) and False)
    assert np.array_equal(inner[0], problem.solve().x)


def test_truncated_memmap(data, tmp_path):
    """Reading behind the end of a mapped file would end the process."""
    A, y = np.ones((4000, 6)) + np.arange(6), np.ones(4000)
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "y.npy", y)
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    mapped_y = np.load(tmp_path / "y.npy", mmap_mode="r")
    problem = gpis.Problem(mapped, y)
    r = problem.solve()
    half = gpis.Problem(A, mapped_y)
    for name in ("A.npy", "y.npy"):
        with open(tmp_path / name, "r+b") as file:
            file.truncate(1000)
    for call in (problem.solve, lambda: gpis.solve(mapped, y), lambda: gpis.solve(mapped[:, 2:4], y), lambda: r.predict(mapped), half.solve,
                 lambda: gpis.solve(mapped[:, ::2], y), lambda: gpis.solve(mapped.view(np.int64), y),
                 lambda: gpis.solve(pd.DataFrame(mapped, copy=False), y),
                 lambda: gpis.solve(sparse.csr_matrix((mapped[:, 0], np.zeros(4000, int), np.arange(4001)), shape=(4000, 1)), y),
                 lambda: gpis.solve(A, mapped_y), lambda: gpis.solve(A, y, weights=mapped_y)):
        with pytest.raises(gpis.FileError, match="truncated"):
            call()


def test_two_threads(rng):
    """Different problems run at the same time, one problem by one thread after the other; all answers are right."""
    A, Y = rng.standard_normal((3000, 20)), rng.standard_normal((3000, 8))
    wanted = [gpis.solve(A, Y[:, c], "l1:0.05").x for c in range(8)]
    shared = gpis.Problem(A, set="l1:0.05")
    failures = []

    def work(c):
        try:
            for _ in range(5):
                assert np.array_equal(gpis.solve(A, Y[:, c], "l1:0.05").x, wanted[c])
                assert np.array_equal(shared.solve(Y[:, c]).x, wanted[c])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(c,)) for c in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_threads_share_a_summary(data):
    """Problems of one summary are made and solved by several threads, and each is told its own trouble."""
    s = gpis.summarize(*data)
    wanted = {R: gpis.solve(s, set=gpis.l1(R)).x for R in (0.1, 0.5, 1, 2)}
    failures = []

    def work():
        try:
            for _ in range(50):
                for R, x in wanted.items():
                    assert np.array_equal(gpis.solve(s, set=gpis.l1(R)).x, x)
                    with pytest.raises(gpis.InputError, match=f"set l1:-{R}"):
                        gpis.solve(s, set=gpis.l1(-R))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def run(code, timeout=120, **more):
    """A program of its own; returns its output."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, **more)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


FORK = """
import os, numpy as np, gpis
rng = np.random.default_rng(0)
A, y = rng.standard_normal((50000, 30)), rng.standard_normal(50000)
problem = gpis.Problem(A, y, "nonneg")
x = problem.solve(threads=2).x
child = os.fork()
if child == 0:
    r = problem.solve()
    r.predict(A), A[:2000] @ A[:2000].T  # by numpy, whose OpenBLAS has the same threads
    same = all(np.array_equal(x, r.x) for r in (r, gpis.solve(A, y, "nonneg"), gpis.solve(A, y, "nonneg", threads=2)))
    os._exit(0 if same else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), np.array_equal(problem.solve().x, x))
"""


def test_fork_after_a_solve():
    assert run(FORK) == "0 True\n"


POOL = """
import multiprocessing, numpy as np, gpis
def one(seed):
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((2000, 30)), rng.standard_normal(2000)
    return gpis.solve(A, y, "nonneg").x
if __name__ == "__main__":
    here = [one(s) for s in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(all(np.array_equal(a, b) for a, b in zip(here, pool.map(one, range(4)))))
"""


def test_pool():
    assert run(POOL) == "True\n"


LONG = """
import threading, time, numpy as np, gpis
rng = np.random.default_rng(0)
A, y = rng.standard_normal((20000, 60)) + 300 * rng.standard_normal((20000, 1)), rng.standard_normal(20000)
solve = lambda time_limit=100, **more: gpis.solve(A, y, "l1:5", method="pgd", tol=1e-15, certificate="none", time_limit=time_limit, **more)
"""


@pytest.mark.parametrize("way", ["arrays", "rows"])
def test_exit_during_a_solve(way):
    """The interpreter ends while a thread that it does not wait for solves."""
    start = time.monotonic()
    code = LONG if way == "arrays" else LONG.replace("gpis.solve(A, ", "gpis.solve(gpis.Rows(lambda a, b: A[a:b], A.shape), ")
    assert run(code + "threading.Thread(target=solve, daemon=True).start(); time.sleep(0.5); print('bye')") == "bye\n"
    assert time.monotonic() - start < 60


def interrupted(code, sent=signal.SIGINT):
    process = subprocess.Popen([sys.executable, "-c", LONG + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1.5)  # it has begun to solve by then, on a busy machine too
    process.send_signal(sent)
    out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    return out


def test_interrupt():
    """Ctrl-C returns the best point so far, and the interpreter goes on as if nothing had happened."""
    assert interrupted("print('go', flush=True); r = solve(); print(r.status, np.isfinite(r.objective), r.passes > 0); "
                       "print(gpis.solve(A, y).status)") == "interrupted True True\nsolved\n"


def test_interrupt_raises_if_asked_to():
    assert interrupted("print('go', flush=True)\ntry:\n    solve(on_interrupt='raise')\nexcept KeyboardInterrupt:\n    print('raised')") == "raised\n"


ROWS_ARE_READ = """
s = gpis.summarize(A, y, folds=5)
B = rng.standard_normal((2000, 1000))
z = B @ rng.standard_normal(1000)
print('go', flush=True)
start = time.monotonic()
try:
    r = CALL
    print(r.status, r.warning, r.ranges is None)
except KeyboardInterrupt:
    print('raised')
print(time.monotonic() - start < 30)
"""


@pytest.mark.parametrize("call, says", [("gpis.path(s, set='group:R:3', points=1000000)", "raised"), ("gpis.cv(s, set='group:R:3', points=1000000)", "raised"),
                                        ("gpis.solve(B, z, 'l1:5', ranges=0.1)", "interrupted the search for ranges was interrupted True"),
                                        ("gpis.solve(B, z, 'l1:5', ranges=0.1, on_interrupt='raise')", "raised")])
def test_interrupt_where_no_rows_are_read(call, says):
    """Calls that would take many minutes. A search for ranges leaves the answer."""
    assert interrupted(ROWS_ARE_READ.replace("CALL", call)) == f"{says}\nTrue\n"


def test_handlers_of_the_program():
    """A handler of the program's own runs during the solve, and what it raises comes out."""
    code = """
import signal
class Enough(Exception): pass
def handle(*_): raise Enough
signal.signal(signal.SIGALRM, handle)
print('go', flush=True)
try:
    solve()
except Enough:
    print('enough', signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert interrupted(code, signal.SIGALRM) == "enough True\n"


def test_gil_is_released():
    """Other threads go on during a solve."""
    code = LONG + """
count = 0
def tick():
    global count
    while True:
        count += 1
        time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()
solve(time_limit=1.0)
print(count > 20)
"""
    assert run(code) == "True\n"


def test_nothing_is_left_in_the_environment():
    assert run("import os; before = dict(os.environ); import gpis; print(before == dict(os.environ))") == "True\n"


def test_big_values_warn_of_nothing(data):
    A, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpis.solve(A, y, "nonneg", intercept=True)


def test_damaged_sparse_matrices(data):
    """scipy believes the arrays of a matrix; what is wrong in them must not end the process."""
    A, y = data
    for kind in ("csr", "csc"):
        for place, value in (("indptr", 10**6), ("indptr", -5), ("indices", 10**6), ("indices", -5)):
            damaged = sparse.csr_matrix(A).asformat(kind)
            getattr(damaged, place)[3] = value
            with pytest.raises(gpis.InputError, match="^A: .*(indptr|indices)"):
                gpis.solve(damaged, y)
    damaged = {kind: sparse.csr_matrix(A).asformat(kind) for kind in ("coo", "bsr", "csr", "csc")}
    damaged["coo"].row[3] = 10**6
    damaged["bsr"].indices[3] = -1
    damaged["csc"].data = damaged["csc"].data[:5]
    wide = damaged["csr"].indices.astype(np.int64)
    wide[1] += 1 << 32  # the lower 32 bits are a column
    damaged["csr"].indices = wide
    for matrix in damaged.values():
        with pytest.raises(gpis.InputError, match="^A: .* of the sparse matrix"):
            gpis.solve(matrix, y)


def test_every_error_is_one_of_gpis(data, tmp_path):
    for options, kind in (({"subject_to": "@" + str(tmp_path / "none")}, OSError), ({"memory": float("inf")}, ValueError),
                          ({"ranges": "a"}, ValueError), ({"confidence": [1, 2]}, ValueError),
                          ({"penalty": f"l1:3,{tmp_path}/none.npy"}, OSError)):
        with pytest.raises(gpis.Error) as found:
            gpis.solve(*data, **options)
        assert isinstance(found.value, kind), options
    for options in ({"points": "x"}, {"points": 2.5}, {"folds": "a"}, {"eps": "x"}, {"repeats": None, "folds": 2.5}, {"points": float("inf")}):
        with pytest.raises(gpis.InputError):
            gpis.cv(*data, **options)
    for wrong in (lambda: gpis.lasso("3"), lambda: gpis.l1("x"), lambda: gpis.l1(None), lambda: gpis.box("a", 1), lambda: gpis.subject_to(3),
                  lambda: gpis.custom(3), lambda: gpis.Rows(3, (1, 2)), lambda: gpis.Rows(len, (1.5, 2)), lambda: gpis.Rows(len, 3),
                  lambda: gpis.linear([[1, 1]], [0, 1]), lambda: gpis.solve(*data, names="abcdef"), lambda: gpis.solve(*data, names=5),
                  lambda: gpis.solve(*data, bounds=3), lambda: gpis.solve(*data, bounds=(1, 2, 3)), lambda: gpis.solve(*data, subject_to=3),
                  lambda: gpis.solve(*data, progress=3), lambda: gpis.solve(*data, gpis.l1(float("nan")))):
        with pytest.raises(gpis.Error):
            wrong()
    with pytest.raises(gpis.InputError):
        gpis.summarize(*data, seed="x")
