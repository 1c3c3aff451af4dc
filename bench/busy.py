#!/usr/bin/python3
"""Two threads against one while other programs keep every processor busy.

busy.py BUILD [--part N] [--rounds R] [--loops L] [--only TEXT]

Beside each solve run L programs that do nothing but count (default: one for each processor; 0 measures the machine as it
is). Runs on one and on two threads take turns, so that other load disturbs both alike. The table shows the median of the
seconds that gpis reports, those that its plan predicted for two threads of an idle machine, and two ratios of two threads
over one: of the medians and of the best runs. The target is at most 1.2. With --part 10 the problems have a tenth of the
rows.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

PROBLEMS = (("syn1", 20000), ("syn1", 100000), ("year", 515345))
METHODS = {"syn1": (("gpis", "--m", "800", "--max-passes", "40"), ("acc-gpis", "--m", "800", "--max-passes", "40"),
                    ("apgd", "--max-passes", "100"), ("newton",)),
           "year": (("gpis", "--m", "1000", "--max-passes", "25"), ("acc-gpis", "--m", "1000", "--max-passes", "25"),
                    ("apgd", "--max-passes", "40"), ("newton",))}
TARGET = 1.2


def make(gpis, name, rows, folder):
    """A problem of the paper; its files and its set."""
    size = ["--n", str(rows)] + (["--d", "100"] if name == "syn1" else [])
    subprocess.run([gpis, "gen", name, *size, "--out", folder, "--quiet"], check=True)
    with open(os.path.join(folder, "problem.json")) as file:
        constraint = json.load(file)["set"]
    return [os.path.join(folder, "A.npy"), os.path.join(folder, "y.npy"), "--set", constraint]


def solve(gpis, problem, method, threads):
    """What one solve reports: its seconds, and those that were predicted (None: nothing was)."""
    command = [gpis, "solve", *problem, "--method", *method, "--threads", str(threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    report = json.loads(done.stdout)
    return report["seconds"], report["predicted_seconds"]


def compare(gpis, problem, method, rounds):
    """Seconds on one and on two threads, taken in turns, and what was predicted for two."""
    runs = [(solve(gpis, problem, method, 1), solve(gpis, problem, method, 2)) for _ in range(rounds)]
    return [one[0] for one, _ in runs], [two[0] for _, two in runs], runs[-1][1][1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--loops", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="problems and methods whose name contains this text")
    options = parser.parse_args()
    gpis = os.path.join(os.path.abspath(options.build), "gpis")
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.loops)]
    try:
        print(f"beside {options.loops} busy loops, {options.rounds} rounds\n")
        print("| problem | method | 1 thread, s | 2 threads, s | predicted, s | ratio of medians | of best |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name, all_rows in PROBLEMS:
            rows = all_rows // options.part
            methods = [m for m in METHODS[name] if options.only in f"{name} {rows} {m[0]}"]
            if not methods:
                continue
            with tempfile.TemporaryDirectory() as folder:
                os.environ["XDG_CACHE_HOME"] = folder
                problem = make(gpis, name, rows, folder)
                for method in methods:
                    one, two, predicted = compare(gpis, problem, method, options.rounds)
                    a, b = statistics.median(one), statistics.median(two)
                    late = "" if b <= TARGET * a else f"   above {TARGET}"
                    said = "-" if predicted is None else f"{predicted:.3f}"
                    print(f"| {name}, {rows} rows | {method[0]} | {a:.3f} | {b:.3f} | {said} | {b / a:.2f} "
                          f"| {min(two) / min(one):.2f} |{late}", flush=True)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    main()
