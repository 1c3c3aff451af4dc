"""The results as people want them: a table, a .csv file, a figure."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

COLUMNS = ["problem", "rows", "cols", "set", "solver", "outcome", "seconds", "predicted_seconds", "reads", "read_seconds",
           "relative_error", "relative_gap", "gap_kind", "passes", "predicted_passes", "sketches", "method"]
FACTS = ["gap", "gap_kind", "passes", "predicted_passes", "sketches", "method"]  # as a solver reports them


@dataclass
class Section:
    """All runs on one problem; the first is gpis by itself."""
    problem: object
    rows: int
    read: float  # seconds of one plain threaded read of A
    runs: list


def progress(problem, run):
    print(f"bench: {problem.key}: {run.solver}: {run.outcome}, {run.seconds:.3g} s", file=sys.stderr, flush=True)


def size(run, value, form):
    """A time; where the limit ended it, a bound."""
    if math.isnan(value):
        return "-"
    return ("> " if run.outcome == "limit" else "") + format(value, form)


def judgement(run):
    if run.outcome == "failed":
        return "failed: " + run.facts.get("note", "see above")
    if run.outcome == "limit":
        return "out of time"
    if run.outcome == "inaccurate":
        return "did not reach 1e-10"
    if run.facts.get("status") == "solved":
        return f"{run.facts['gap_kind']} {float(run.facts['gap']):.0e}"
    return "no certificate"


def targets(section):
    """One line for each target: (text, verdict)."""
    first, problem = section.runs[0], section.problem
    good = first.outcome == "ok" and first.facts.get("status") == "solved"
    reads = first.seconds / section.read
    if problem.reads:
        yield f"reads {reads:.1f}, target {problem.reads:g}", "" if good and reads <= problem.reads else "missed"
    for rival, share in problem.against.items():
        run = next((r for r in section.runs if r.solver == rival), None)
        if run and not math.isnan(run.seconds):
            ratio = first.seconds / run.seconds
            late = run.outcome == "limit"  # then the true ratio is less than this
            verdict = "" if good and ratio <= share else "missed" if not (good and late) else "not known"
            yield f"{'< ' if late else ''}{ratio:.3f} of {rival}, target {share:g}", verdict


def regret(section):
    """Time of the method that gpis chose over that of the best it could have chosen, certified answers only."""
    certified = [r.seconds for r in section.runs if r.outcome == "ok" and r.facts.get("status") == "solved"]
    return section.runs[0].seconds / min(certified, default=math.nan)


def title_of(section):
    part = section.rows != section.problem.rows
    return f"{section.problem.title}, {section.rows} rows of it" if part else section.problem.title


def table(sections, labels, description):
    for line in description:
        print(line)
    print("seconds of solving, everything included; reads: the same in units of one plain threaded read of A")
    for s in sections:
        ms = 1e3 * s.read
        print(f"\n{title_of(s)}: a read takes {ms:.1f} ms")
        print(f"  {'':28} {'seconds':>9} {'predicted':>9} {'passes':>7} {'predicted':>9} {'reads':>9} {'times gpis':>11} "
              f"{'rel. error':>11}   certificate")
        for run in s.runs:
            seconds, reads = size(run, run.seconds, ".3f"), size(run, run.seconds / s.read, ".1f")
            times = size(run, run.seconds / s.runs[0].seconds, ".2f")
            facts = [run.facts.get(name, "-") for name in ("predicted_seconds", "passes", "predicted_passes")]
            print(f"  {labels[run.solver]:28} {seconds:>9} {facts[0]:>9} {facts[1]:>7} {facts[2]:>9} {reads:>9} {times:>11} "
                  f"{run.error:>11.0e}   {judgement(run)}")
        for text, verdict in targets(s):
            print(f"  target: {text}   {verdict}".rstrip())
        verdict = "" if regret(s) <= 1.3 else "missed"
        print(f"  choice of method: {regret(s):.2f} of its own best, target 1.3   {verdict}".rstrip())
    print("\npredicted: what the plan said before the solve; the methods that have no prediction are never chosen")
    print("rel. error: of the objective, for l1 of the Lagrangian; against a solve to 1e-12")
    print("gpis methods without a certificate were stopped from outside at a true error of 1e-10")


def write(sections, labels, description, folder, here):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "results.csv")
    with open(path, "w", newline="") as file:
        for line in description:
            file.write(f"# {line}\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for s in sections:
            for r in s.runs:
                out.writerow([s.problem.key, s.rows, s.problem.cols, s.problem.set, r.solver, r.outcome,
                              f"{r.seconds:.6g}", r.facts.get("predicted_seconds", ""), f"{r.seconds / s.read:.4g}",
                              f"{s.read:.6g}", f"{r.error:.2e}"] + [r.facts.get(name, "") for name in FACTS])
    print(f"\n{path}")
    figure(sections, labels, description, folder, here)


CODES = {"ok": 0, "inaccurate": 1, "limit": 2}


def figure(sections, labels, description, folder, here):
    """One strip for each problem, one point for each solver; gnuplot draws, once as SVG and once as PNG."""
    seen = {run.solver for section in sections for run in section.runs}
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write(points(sections, labels))
        file.flush()
        names = {"data": file.name, "machine": description[0],
                 "solvers": quoted(labels[s] if s in seen else "" for s in labels),
                 "problems": quoted(in_lines(title_of(section)) for section in reversed(sections))}
        for kind in ("svg", "png"):
            names.update(kind=kind, picture=os.path.join(folder, "solve." + kind))
            settings = "; ".join(f"{name} = {json.dumps(text, ensure_ascii=False)}" for name, text in names.items())
            subprocess.run(["gnuplot", "-e", settings, os.path.join(here, "figure.gp")], check=True)
            print(names["picture"])


def points(sections, labels):
    """The data of the figure: a block for each solver (reads, height, outcome), then the targets (reads, height)."""
    lines, count = [], len(sections)
    for solver in labels:
        lines.append("NaN NaN 0")  # keeps the place of a solver that had nothing to do
        for strip, section in enumerate(sections):
            runs = [r for r in section.runs if r.outcome in CODES]
            for place, r in enumerate(runs):
                if r.solver == solver:
                    height = count - strip - 0.42 + 0.84 * (1 - (place + 0.5) / len(runs))
                    lines.append(f"{r.seconds / section.read:.4g} {height:.3f} {CODES[r.outcome]}")
        lines += ["", ""]
    lines.append("NaN NaN")
    lines += [f"{s.problem.reads:g} {count - i}" for i, s in enumerate(sections) if s.problem.reads]
    return "\n".join(lines) + "\n"


def in_lines(title):
    return title.replace(": ", ":\n").replace(", ", ",\n")


def quoted(texts):
    """Texts in one string from which gnuplot's word() takes them apart."""
    return " ".join(f'"{text}"' for text in texts)
