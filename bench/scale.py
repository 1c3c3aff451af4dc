#!/usr/bin/python3
"""Ranks against threads, strong and weak scaling, bytes sent, and a cost model checked against these runs.

scale.py BUILD [--part N] [--rounds R]: with part 10 a tenth of the rows. Results on stdout, as tables of Markdown.

The model, for n rows of d columns on P ranks of one thread, m rows of the sketch, p passes:

    T = a + b n/P (1 + w) + p (8 alpha log2 P + 160 d / beta) + (2 + log2 P) 8 m d / beta

a and b: what does not and what does grow with the rows, from two runs of one rank; w: a rank waits for those it shares
a leaf of the sketch with, and the sketch is 1/p of the passes; alpha, beta: latency and bandwidth (network.c).
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

import numpy as np

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
LEAF = 64  # rows of A for each row of the sketch: src/sketch/tree.c


def solve(gpis, ranks, threads, a, y, *options):
    """One solve; what it says of itself."""
    launch = ["mpirun", "-np", str(ranks), "--bind-to", "none"] if ranks > 1 else []
    command = [*launch, gpis, "solve", a, y, "--threads", str(threads), "--json", *options]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def best(rounds, *runs):
    """The best of several rounds of each, taken in turns: a noisy machine disturbs all alike."""
    results = [[] for _ in runs]
    for _ in range(rounds):
        for run, result in zip(runs, results):
            result.append(solve(*run))
    return [min(result, key=lambda r: r["seconds"]) for result in results]


def make(folder, gpis, n, d):
    """A problem of the paper in `folder`, and its first half."""
    subprocess.run([gpis, "gen", "syn1", "--n", str(n), "--d", str(d), "--cond", "1e6", "--out", folder, "--quiet"],
                   check=True)
    a, y = np.load(f"{folder}/A.npy", mmap_mode="r"), np.load(f"{folder}/y.npy")
    np.save(f"{folder}/A-half.npy", a[:n // 2])
    np.save(f"{folder}/y-half.npy", y[:n // 2])
    with open(f"{folder}/problem.json") as file:
        return json.load(file)["set"]


def network(build, ranks):
    """Latency and bandwidth."""
    command = ["mpirun", "-np", str(ranks), "--bind-to", "none", os.path.join(build, "bench", "network")]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return (float(number) for number in done.stdout.split())


def model(n, d, m, passes, ranks, a, b, alpha, beta):
    """Seconds, as at the top."""
    if ranks == 1:
        return a + b * n
    log = math.log2(ranks)
    wait = min(ranks - 1, ranks * LEAF * m / n) / passes
    return (a + b * n / ranks * (1 + wait) + passes * (8 * alpha * log + 160 * d / beta)
            + (2 + log) * 8 * m * d / beta)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    gpis = os.path.join(os.path.abspath(options.build), "gpis")
    if not os.path.exists(os.path.join(options.build, "libgpis_mpi.so")):
        print("scale: built without MPI")
        return
    n, d = 200000 // options.part, 1000 if options.part == 1 else 300
    m = 8 * d
    with tempfile.TemporaryDirectory() as folder:
        ENVIRONMENT["XDG_CACHE_HOME"] = folder
        fixed = ["--set", make(folder, gpis, n, d), "--method", "newton", "--m", str(m)]
        whole, half = ((f"{folder}/A{s}.npy", f"{folder}/y{s}.npy") for s in ("", "-half"))
        threads, ranks, one, one_half = best(
            options.rounds, (gpis, 1, 2, *whole, *fixed), (gpis, 2, 1, *whole, *fixed), (gpis, 1, 1, *whole, *fixed),
            (gpis, 1, 1, *half, *fixed))
        alpha, beta = network(options.build, 2)
        four = solve(gpis, 4, 1, *whole, *fixed)
        kinds = [("apgd", solve(gpis, 2, 1, *half, "--set", fixed[1], "--method", "apgd", "--max-passes", "20")),
                 ("newton, Gram matrix", solve(gpis, 2, 1, *half, *fixed[:4], "--sketch", "none")),
                 ("newton, sketch", ranks)]
    b = (one["seconds"] - one_half["seconds"]) / (n / 2)
    a = max(0.0, one["seconds"] - b * n)
    passes = one["passes"]
    print(f"{n} x {d}, sketch of {m} rows, {passes} passes; best of {options.rounds}\n")
    print("| run | seconds | the plan predicted | the model says |\n| --- | --- | --- | --- |")
    print(f"| 1 process, 2 threads | {threads['seconds']:.3f} | {threads['predicted_seconds']:.3f} | |")
    for name, result, rows, count in (("1 rank", one, n, 1), ("1 rank, half the rows", one_half, n // 2, 1),
                                      ("2 ranks (strong scaling; weak, seen from half the rows)", ranks, n, 2)):
        print(f"| {name} | {result['seconds']:.3f} | {result['predicted_seconds']:.3f} | "
              f"{model(rows, d, m, passes, count, a, b, alpha, beta):.3f} |")
    print(f"\nranks / threads: {ranks['seconds'] / threads['seconds']:.3f} (at most 1.15); objective differs by "
          f"{abs(ranks['objective'] - one['objective']) / one['objective']:.1e} on 2 ranks, "
          f"{abs(four['objective'] - one['objective']) / one['objective']:.1e} on 4")
    print(f"a = {a:.3f} s, b = {b * 1e6:.3f} us a row, alpha = {alpha * 1e6:.1f} us, beta = {beta / 1e9:.2f} GB/s\n")
    print("| method | passes | MB sent by a rank each pass |\n| --- | --- | --- |")
    for name, result in kinds:
        print(f"| {name} | {result['passes']} | {result['bytes_sent'] / 2e6 / result['passes']:.3f} |")
    print("\n| 10^10 x 1000 on 1000 ranks, alpha 20 us, beta 1 GB/s | seconds | of that talking |\n| --- | --- | --- |")
    for name, speed in (("rows in memory, as measured here", None), ("read at 2 GB/s by each rank", 2e9),
                        ("read at 0.2 GB/s by each rank", 2e8)):
        row = b * (1000 / d) if speed is None else max(b * (1000 / d), passes * 8000 / speed)
        total = model(1e10, 1000, 8000, passes, 1000, a, row, 20e-6, 1e9)
        print(f"| {name} | {total:.0f} | {total - a - row * 1e7 * (1 + LEAF * 8000 / 1e7 / passes):.1f} |")


main()
