#!/usr/bin/python3
"""How much longer the planner's choice takes than the best way that it considered, over a grid of problems.

regret.py BUILD [--rows N,...] [--cols D,...] [--entries N] [--threads T] [--only KIND,...] [--out FILE]

The regret of a problem is the time of the choice divided by that of the fastest way among all candidates of the plan
(`gpis plan` lists them). Each problem runs in a process of its own (regret.c), which makes it in memory. --entries leaves
out larger problems. With one thread, processor time counts, which a busy machine disturbs less; with more, elapsed time.
The .csv file has a line for each way of each problem.
"""
import argparse
import csv
import math
import os
import subprocess
import sys

import machine

ROWS = (2000, 20000, 200000, 2000000)
COLUMNS = (50, 100, 200, 400, 800, 1600)
KINDS = ("none", "nonneg", "box", "l1-few", "l1-many")  # regret.c has more, for --only
FIELDS = ("rows", "cols", "kind", "free", "sketch", "m", "chosen", "predicted_passes", "passes", "predicted_seconds",
          "seconds", "outcome")
TARGET = 1.2
ATTEMPTS = 8  # to measure the machine: the best counts


ENVIRONMENT = machine.environment()


def call(build, *arguments):
    command = [os.path.join(build, "bench", "regret"), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout


def speeds(build, threads):
    """Of reading, of gradient passes and of dsyrk; the best of some attempts."""
    attempts = [[float(word) for word in call(build, "machine", threads).split()] for _ in range(ATTEMPTS)]
    return [max(values) for values in zip(*attempts)]


def ways_of(build, rows, cols, kind, threads, figures):
    """A dictionary for each way to solve the problem."""
    first, *lines = call(build, rows, cols, kind, threads, *figures).splitlines()
    head = {"rows": rows, "cols": cols, "kind": kind, "free": first.split()[1]}
    return [head | dict(zip(FIELDS[4:], line.split(" ", 7))) for line in lines]


def summary(ways):
    """Regret, the choice, the best way, predicted over actual seconds; a way that was cut off or failed is never best."""
    chosen = next(way for way in ways if way["chosen"] == "1")
    solved = [way for way in ways if way["outcome"] == "solved"]
    best = min(solved or [chosen], key=lambda way: float(way["seconds"]))
    regret = float(chosen["seconds"]) / float(best["seconds"])
    return regret, chosen, best, float(chosen["predicted_seconds"]) / float(chosen["seconds"])


def name(way):
    if way["m"] == "0":
        return "Gram" if way["sketch"] == "newton" else way["sketch"]
    return f"{way['sketch']} {int(way['m']) / way['cols']:g} d"


def row_of_table(ways):
    regret, chosen, best, ratio = summary(ways)
    failed = "" if chosen["outcome"] == "solved" else f" {chosen['outcome']}"
    return (f"| {chosen['rows']} x {chosen['cols']} | {chosen['kind']} | {float(chosen['free']):.0%} | {name(chosen)} | "
            f"{chosen['passes']} ({chosen['predicted_passes']}) | {float(chosen['seconds']):.4g}{failed} | {ratio:.2f} | "
            f"{name(best)} | {regret:.2f}{' missed' if regret > TARGET else ''} |")


def totals(table):
    regrets, ratios = ([summary(ways)[i] for ways in table] for i in (0, 3))
    mean = math.exp(sum(map(math.log, regrets)) / len(regrets))
    return (f"{len(table)} problems: regret {mean:.3f} in the mean (geometric), {max(regrets):.2f} at most, above {TARGET} "
            f"in {sum(r > TARGET for r in regrets)}; predicted/actual seconds {min(ratios):.2f} to {max(ratios):.2f}, within "
            f"a factor of 1.5 in {sum(2 / 3 < r < 1.5 for r in ratios)}")


def numbers(text):
    return tuple(int(float(word)) for word in text.split(","))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build tree, with bench/regret")
    parser.add_argument("--rows", type=numbers, default=ROWS, help="numbers of rows, separated by commas")
    parser.add_argument("--cols", type=numbers, default=COLUMNS, help="numbers of columns")
    parser.add_argument("--entries", type=float, default=8e8, help="of A at most; larger problems are left out")
    parser.add_argument("--threads", type=int, default=machine.THREADS)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds of problems, separated by commas")
    parser.add_argument("--out", help="the .csv file to write (default BUILD/bench/regret.csv)")
    options = parser.parse_args()
    out = options.out or os.path.join(options.build, "bench", "regret.csv")

    figures = speeds(options.build, options.threads)
    head = [f"{machine.cpu()[0]}, threads used: {options.threads}, "
            f"{'processor' if options.threads == 1 else 'elapsed'} time",
            f"read {figures[0] / 1e9:.1f} GB/s, gradient {figures[1] / 1e9:.1f} GB/s, dsyrk {figures[2] / 1e9:.1f} Gflop/s"]
    print("\n".join(head))
    print("\n| problem | set | free | choice | passes (predicted) | seconds | predicted/actual | best | regret |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    table = []
    with open(out, "w", newline="") as file:
        file.writelines(f"# {line}\n" for line in head)
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for rows in options.rows:
            for cols in options.cols:
                for kind in options.only.split(",") if rows * cols <= options.entries else ():
                    ways = ways_of(options.build, rows, cols, kind, options.threads, figures)
                    writer.writerows(ways)
                    file.flush()
                    table.append(ways)
                    print(row_of_table(ways), flush=True)
    print("\n" + totals(table) if table else "no problem is that small")
    print(out, file=sys.stderr)


if __name__ == "__main__":
    main()
