"""The constants of the cost model: measures them, compares them with those in use, and writes them as src/cost has them.

    /usr/bin/python3 bench/constants.py BUILD [--rounds N] [--out FILE]

Plans follow from these numbers, and the bits of answers follow from plans. So the file goes to the build folder, to be
looked at; `make bench RESULTS=bench` names src/cost/constants.c, the one that is compiled. That one is left alone if other
programs were busy meanwhile. A constant that the
program does not print keeps the value that it has.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import textwrap
import time

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILED = os.path.join(HERE, "..", "src", "cost", "constants.c")

STORAGES = ("rows", "columns", "floats", "sparse", "nowhere")
PARTS = ("gradient", "probing", "sketch")
NUMBERS = ("cached", "window", "pass_start", "line_search", "next_vector", "pair", "pair_out_of_cache", "narrow_gram",
           "single_gram", "summary", "summary_pair", "fresh", "draw", "scattered", "sample_square", "factor_speed",
           "apply_speed")
MAX_OTHERS = 0.1  # processors that other programs may use meanwhile; with more, ratios mean too little

NAMES = [f"{storage}.{part}" for storage in STORAGES for part in PARTS] + list(NUMBERS)


def in_use(path):
    """The values of the file that is compiled."""
    with open(path) as file:
        text = file.read()
    values = {}
    for storage in STORAGES:
        row = re.search(rf"\[GPIS_STORED_{storage.upper()}\] = {{(.*?)}}", text).group(1)
        for part in PARTS:
            values[f"{storage}.{part}"] = float(re.search(rf"\.{part} = ([^,}}]+)", row).group(1))
    for name in NUMBERS:
        values[name] = float(re.search(rf"^    \.{name} = (.+),$", text, re.MULTILINE).group(1))
    return values


def measure(build, rounds):
    """The constants, and how many processors other programs kept busy meanwhile."""
    folder, environment = os.path.join(build, "bench"), machine.environment()
    command = [os.path.join(folder, "constants"), folder, str(rounds)]
    start, busy, own = time.monotonic(), machine.busy_seconds(), children_seconds()
    lines = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines()
    others = (machine.busy_seconds() - busy - (children_seconds() - own)) / (time.monotonic() - start)
    found = {name: float(f"{float(value):.2g}") for name, value in map(str.split, lines)}
    found["rows.gradient"] = 1.0  # by definition
    wrong = [name for name, value in found.items() if name not in NAMES or not value > 0]
    if wrong:
        sys.exit(f"bench: not a constant of the cost model, or not positive: {', '.join(wrong)}")
    return found, max(0.0, others)


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def number(value):
    """As C writes a double."""
    text = f"{value:g}"
    return text if "." in text or "e" in text else text + ".0"


def comment(paragraphs):
    lines = []
    for paragraph in paragraphs:
        lines += [""] if lines else []
        lines += textwrap.wrap(paragraph, 116)
    return "\n".join(["/*"] + [f" * {line}".rstrip() for line in lines] + [" */"])


def source(values, paragraphs):
    """The file, laid out as clang-format does it."""
    rows = [f"            [GPIS_STORED_{s.upper()}] = {{"
            + ", ".join(f".{part} = {number(values[f'{s}.{part}'])}" for part in PARTS) + "}," for s in STORAGES]
    numbers = [f"    .{name} = {number(values[name])}," for name in NUMBERS]
    return "\n".join([comment(paragraphs), '#include "cost/constants.h"', "",
                      "const gpis_cost_constants gpis_cost_measured = {", "    .storage =", "        {"] + rows
                     + ["        },"] + numbers + ["};", ""])


def history(options, kept, others):
    name, threads = machine.cpu()[0], machine.THREADS
    older = [f"Not measured but kept from the file before: {', '.join(kept)}."] if kept else []
    return ["The measured constants of the cost model; constants.h says what each of them is.",
            f"Measured on {time.strftime('%Y-%m-%d')} by bench/constants.py, best of {options.rounds} rounds, on: {name}, "
            f"{threads} threads, of which other programs used {others:.1f}.",
            *older,
            "To measure them anew: `make bench RESULTS=bench`, on a machine that does nothing else. Other values mean "
            "other plans, and so answers with other bits."]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build tree, with bench/constants")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", help="the file to write (default BUILD/bench/constants.c)")
    options = parser.parse_args()
    out = options.out or os.path.join(options.build, "bench", "constants.c")

    used = in_use(COMPILED)
    found, others = measure(options.build, options.rounds)
    print(f"constants of the cost model, best of {options.rounds}")
    print(f"  {'':20} {'in use':>9} {'measured':>9} {'ratio':>7}")
    for name in NAMES:
        if name in found:
            print(f"  {name:20} {used[name]:>9.2g} {found[name]:>9.2g} {found[name] / used[name]:>7.2f}")
        else:
            print(f"  {name:20} {used[name]:>9.2g} {'-':>9}")
    compiled = os.path.abspath(out) == os.path.abspath(COMPILED)
    if others > MAX_OTHERS:
        print(f"other programs used {others:.1f} processors meanwhile: the values mean little")
        if compiled:
            print(f"{out} stays as it is")
            return
    with open(out, "w") as file:
        file.write(source({**used, **found}, history(options, [name for name in NAMES if name not in found], others)))
    print(out)


if __name__ == "__main__":
    main()
