"""The tool that writes the constants of the cost model: constants.py SOURCE_TREE COMPILER [PROGRAM]. A made-up program
stands in for the one that measures, so nothing here depends on the machine. PROGRAM, the one that measures, is run without
a round: it must come to its end and name every constant."""
import contextlib
import io
import os
import stat
import subprocess
import sys
import tempfile

tree, compiler = sys.argv[1:3]
program = list(filter(None, sys.argv[3:]))
sys.path.insert(0, os.path.join(tree, "bench"))
import constants  # noqa: E402
import machine  # noqa: E402


def run(build, printed, others, *options):
    """What the tool says where the program has printed this and other programs used so many processors."""
    path = os.path.join(build, "bench", "constants")
    with open(path, "w") as file:
        file.write("#!/bin/sh\ncat <<END\n" + printed + "END\n")
    os.chmod(path, stat.S_IRWXU)
    clock = iter((100.0, 110.0))
    constants.time.monotonic = lambda: next(clock)
    busy = iter((50.0, 50.0 + 10.0 * others))
    machine.busy_seconds = lambda: next(busy)
    constants.children_seconds = lambda: 3.0
    machine.environment = lambda: dict(os.environ)
    sys.argv = ["constants.py", build, "--rounds", "1", *options]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        constants.main()
    return said.getvalue()


used = constants.in_use(constants.COMPILED)
assert sorted(used) == sorted(constants.NAMES) and used["rows.gradient"] == 1.0
with open(constants.COMPILED) as file:
    compiled = file.read()

with tempfile.TemporaryDirectory() as build:
    os.mkdir(os.path.join(build, "bench"))
    out = os.path.join(build, "bench", "constants.c")
    said = run(build, "sparse.gradient 7.7654\npair 0.5\n", 0.0)
    found = constants.in_use(out)
    assert found == {**used, "sparse.gradient": 7.8, "pair": 0.5}, "what was measured is there, the rest is kept"
    assert "7.8" in said and f"{7.8 / used['sparse.gradient']:.2f}" in said, said
    with open(out) as file:
        text = file.read()
    assert machine.cpu()[0] in text and "kept from the file before: rows.probing" in text
    assert max(map(len, text.splitlines())) <= 120
    subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Werror", "-I", os.path.join(tree, "src"), out], check=True)
    assert "the values mean little" in run(build, "pair 0.5\n", 1.0)

    # The file that is compiled: here a copy. Only a quiet machine may change it.
    constants.COMPILED = copy = os.path.join(build, "compiled.c")
    with open(copy, "w") as file:
        file.write(compiled)
    assert "stays as it is" in run(build, "pair 0.5\n", 1.0, "--out", copy)
    with open(copy) as file:
        assert file.read() == compiled
    run(build, "pair 0.25\n", 0.0, "--out", copy)
    assert constants.in_use(copy)["pair"] == 0.25

    for nonsense in ("pair 0\n", "pair -1\n", "pear 1\n", "pair nan\n"):
        try:
            run(build, nonsense, 0.0)
        except SystemExit as refusal:
            assert "not a constant of the cost model, or not positive" in str(refusal)
        else:
            raise AssertionError(nonsense)

if program:
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run([*program, folder, "0"], check=True, capture_output=True, text=True).stdout.splitlines()
        assert sorted(line.split()[0] for line in lines) == sorted(set(constants.NAMES) - {"rows.gradient"}), lines
        assert not os.listdir(folder)
