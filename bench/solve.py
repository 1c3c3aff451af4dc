"""The solve benchmark: gpis and its rivals on the same arrays, to the same accuracy.

    /usr/bin/python3 bench/solve.py BUILD [--part 10] [--only KEY,...] [--limit S] [--rounds N] [--out DIR] [--keep DIR]

Every solver runs in a process of its own and speaks one protocol on its stdout, a line each:
    ready           the arrays are in memory, in the layout the solver likes best; its time limit starts here
    read SECONDS    (gpis only) one plain threaded read of A
    NAME TEXT       any other fact, such as passes; the last line with that name counts
    round SECONDS   one whole solve; x of the first has been written beside the data
"""
import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

import numpy as np

import machine
import problems
import report

HERE = os.path.dirname(os.path.abspath(__file__))
TOL = 1e-10
LOADING = 600  # seconds a solver may take until it is ready

# Limits: a rival has options.limit seconds, or less where that would be SLOWER times as long as gpis has taken; gpis
# itself, with which all are compared, has OWN_LIMIT times as many.
SLOWER, SHORTEST, OWN_LIMIT = 25, 2.0, 5

# Methods of gpis whose certificates come late: the bench gives them the objective at which they may stop, and gives
# it to no other program.
GIVEN_OBJECTIVE = ("apgd", "gpis", "acc-gpis")
OWN = ("auto", "newton") + GIVEN_OBJECTIVE

LABELS = {
    "auto": "gpis",
    "newton": "gpis, exact Gram matrix",
    "apgd": "gpis --method apgd",
    "gpis": "gpis --method gpis",
    "acc-gpis": "gpis --method acc-gpis",
    "sklearn": "scikit-learn Lasso, Gram",
    "sklearn-sparse": "scikit-learn Lasso, sparse",
    "glmnet": "glmnet",
    "nnls": "scipy nnls",
    "dgels": "LAPACK dgels",
    "cholesky": "normal equations, Cholesky",
}


def rivals_of(problem):
    by_set = {
        "l1": ["sklearn-sparse" if problem.sparse else "sklearn", "glmnet"],
        "nonneg": ["nnls"],
        "none": ["dgels", "cholesky"],
        "nuclear": [],
    }
    return ["newton"] + by_set[problem.set] + list(GIVEN_OBJECTIVE)


@dataclass
class Run:
    """What came of one solver on one problem."""
    solver: str
    seconds: float = float("nan")  # best of the rounds; the limit where none ended
    outcome: str = "failed"  # ok, inaccurate, limit, failed
    error: float = float("nan")
    read: float = float("inf")
    facts: dict = field(default_factory=dict)


def follow(process, limit):
    """The lines of a process until it ends or is out of time: (lines, ended in time)."""
    lines, heard = queue.Queue(), []

    def listen():
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    deadline = time.monotonic() + LOADING
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return heard, False
        if line is None:
            return heard, True
        if line == "ready":
            deadline = time.monotonic() + limit
        heard.append(line)


def execute(solver, command, limit, environment, slack):
    run = Run(solver)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        lines, in_time = follow(process, limit + slack)
    finally:
        process.kill()  # out of time, or interrupted; one that has ended does not mind
        process.wait()
    rounds = []
    for line in lines:
        name, _, text = line.partition(" ")
        if name == "round":
            rounds.append(float(text))
        elif name == "read":
            run.read = min(run.read, float(text))
        else:
            run.facts[name] = text
    if rounds:
        run.seconds, run.outcome = min(rounds), "ok"
        if run.facts.get("status") == "time_limit":
            run.seconds, run.outcome = limit, "limit"
    elif not in_time and "ready" in run.facts:
        run.seconds, run.outcome = limit, "limit"
    return run


class Bench:
    def __init__(self, options):
        self.options = options
        self.environment = machine.environment()
        self.own = os.path.join(options.build, "bench", "own")
        self.gpis = os.path.join(options.build, "gpis")

    def command(self, solver, folder, spec, judge, limit):
        rounds, limit = str(self.options.rounds), str(limit)
        if solver == "glmnet":
            return ["Rscript", os.path.join(HERE, "glmnet.R"), folder, repr(judge.penalty), rounds, limit]
        if solver in OWN:
            asked = [repr(judge.best * (1 + TOL))] if solver in GIVEN_OBJECTIVE else []
            return [self.own, folder, spec, solver, repr(TOL), limit, rounds] + asked
        return [sys.executable, os.path.join(HERE, "rivals.py"), solver, folder, repr(judge.penalty), rounds, limit]

    def run(self, solver, folder, spec, judge, limit):
        # A solve of gpis ends at its limit by itself, after the pass it is in.
        slack = limit / 2 if solver in OWN else 0
        run = execute(solver, self.command(solver, folder, spec, judge, limit), limit, self.environment, slack)
        x = read_x(folder, solver)
        if x is not None:
            judge.learn(x, run.facts.get("status") == "solved")
            run.error = judge.error(x)
            if run.outcome == "ok" and not run.error <= TOL:
                run.outcome = "inaccurate"
        return run

    def reference(self, folder, spec):
        """A judge that knows the best objective: of a solve to a hundredth of the tolerance, or as near as it comes."""
        judge = problems.Judge(folder, spec)
        command = [self.own, folder, spec, "newton", repr(TOL / 100), str(OWN_LIMIT * self.options.limit), "1"]
        run = execute("reference", command, OWN_LIMIT * self.options.limit, self.environment, 60)
        x = read_x(folder, "newton")
        if x is None:
            sys.exit(f"bench: no reference solution of {folder} ({run.outcome})")
        judge.learn(x, True)
        return judge

    def problem(self, problem, root):
        folder, spec = problems.make(problem, self.options.part, self.gpis, root)
        judge = self.reference(folder, spec)
        runs, limit = [], OWN_LIMIT * self.options.limit
        for solver in ["auto"] + rivals_of(problem):
            if self.options.rivals and solver != "auto" and solver not in self.options.rivals.split(","):
                continue
            remove_x(folder, solver)
            runs.append(self.run(solver, folder, spec, judge, limit))
            report.progress(problem, runs[-1])
            limit = min(self.options.limit, max(SHORTEST, SLOWER * runs[0].seconds))
        read = min(run.read for run in runs)
        return report.Section(problem, problems.rows_of(problem, self.options.part), read, runs)


def x_files(folder, solver):
    return [os.path.join(folder, solver + ending) for ending in (".npy", ".f64")]


def read_x(folder, solver):
    npy, raw = x_files(folder, solver)
    if os.path.exists(npy):
        return np.load(npy)
    return np.fromfile(raw) if os.path.exists(raw) else None


def remove_x(folder, solver):
    for path in x_files(folder, solver):
        if os.path.exists(path):
            os.remove(path)


def forget(root, finished, coming):
    """Removes the data of finished problems whose A nobody needs any more."""
    needed = {p.share for p in coming} | {p.key for p in coming}
    for p in finished:
        if p.key not in needed:
            shutil.rmtree(os.path.join(root, p.key), ignore_errors=True)


def chosen(only):
    keys = only.split(",") if only else [p.key for p in problems.PROBLEMS]
    return [problems.find(key) for key in keys]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build tree, with gpis and bench/own")
    parser.add_argument("--part", type=int, default=1, help="10: a tenth of the rows")
    parser.add_argument("--only", default="", help="problems, by key")
    parser.add_argument("--rivals", default="", help="solvers, by key (default all)")
    parser.add_argument("--limit", type=float, help="seconds a rival may take (default 60; 2 for a part)")
    parser.add_argument("--rounds", type=int, default=3, help="solves of each, while a quarter of the limit lasts")
    parser.add_argument("--out", help="folder of results.csv and the figure (default BUILD/bench)")
    parser.add_argument("--keep", help="make the data in this folder and leave them there")
    options = parser.parse_args()
    options.limit = options.limit or (60.0 if options.part == 1 else 2.0)
    options.out = options.out or os.path.join(options.build, "bench")

    bench, todo, sections = Bench(options), chosen(options.only), []
    description = machine.describe(options, bench.environment)
    root = options.keep or tempfile.mkdtemp(prefix="gpis-bench-")
    try:
        for i, problem in enumerate(todo):
            if problem.share and not os.path.exists(os.path.join(root, problem.share, "A.npy")):
                problems.make(problems.find(problem.share), options.part, bench.gpis, root)
            sections.append(bench.problem(problem, root))
            if not options.keep:
                forget(root, todo[:i + 1], todo[i + 1:])
    except KeyboardInterrupt:  # the problems that are finished are still reported
        if not sections:
            sys.exit(130)
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    description += machine.remarks()
    report.table(sections, LABELS, description)
    report.write(sections, LABELS, description, options.out, HERE)


if __name__ == "__main__":
    main()
