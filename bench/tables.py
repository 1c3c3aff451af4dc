"""Reading tables in text: MB/s of gpis, of pandas.read_csv and of data.table's fread. tables.py BUILD [--part N]

One core is judged by processor time, which other programs disturb less; all cores by elapsed time. The files have whole
numbers, numbers with six decimals, numbers with 17 digits, and a mixture with text in quotes, of which gpis makes a column for
every level but one.
"""
import argparse, os, random, subprocess, sys, tempfile

TARGET = 250  # MB/s of gpis on one core, numbers only


def write(path, kind, rows):
    """A table of 20 columns; every row of the first thousand is random, the others repeat them."""
    rng = random.Random(1)
    field = {"whole": lambda j: str(rng.randrange(10000)), "decimals": lambda j: "%.6f" % rng.uniform(-50, 50),
             "digits": lambda j: repr(rng.random() - 0.5),
             "mixed": lambda j: '"level %d"' % rng.randrange(12) if j % 5 == 4 else "%.2f" % rng.uniform(0, 1000)}[kind]
    lines = [",".join(field(j) for j in range(20)) + "\n" for _ in range(1000)]
    with open(path, "w") as file:
        file.write(",".join("c%d" % j for j in range(20)) + "\n")
        for _ in range(rows // 1000):
            file.write("".join(lines))


def own(build, path, threads, categorical):
    run = [f"{build}/bench/tables", path, str(threads)] + ([categorical] if categorical else [])
    return [float(word) for word in subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True).stdout.split()]


def pandas(path):
    code = ("import sys, time, pandas\nbest = 1e9\nfor _ in range(3):\n    t = time.process_time()\n"
            "    pandas.read_csv(sys.argv[1])\n    best = min(best, time.process_time() - t)\nprint(best)")
    run = subprocess.run(["/usr/bin/python3", "-c", code, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(run.stdout) if run.returncode == 0 else None


def fread(path, threads):
    code = ("suppressMessages(library(data.table)); setDTthreads(%d); best <- c(1e9, 1e9); for (i in 1:3) { t <- "
            "system.time(fread('%s')); best <- pmin(best, c(t[1] + t[2], t[3])) }; cat(best)" % (threads, path))
    run = subprocess.run(["Rscript", "-e", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [float(word) for word in run.stdout.split()] if run.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--part", type=int, default=1, help="this part of the rows")
    options = parser.parse_args()
    cores = os.cpu_count()
    print("Reading tables in text, MB/s (one core: processor time; %d cores: elapsed time)" % cores)
    print("%-10s %6s %10s %10s %10s %10s %10s" % ("table", "MB", "gpis, one", "gpis, all", "pandas", "fread, one", "fread, all"))
    with tempfile.TemporaryDirectory() as folder:
        for kind, rows in (("whole", 1000000), ("decimals", 500000), ("digits", 250000), ("mixed", 600000)):
            path = os.path.join(folder, kind + ".csv")
            write(path, kind, max(1000, rows // options.part))
            size = os.path.getsize(path) / 1e6
            categorical = "c4,c9,c14,c19" if kind == "mixed" else None
            one, every = own(options.build, path, 1, categorical)[1], own(options.build, path, cores, categorical)[0]
            rivals = [pandas(path)] + [(lambda r: r and r[k])(fread(path, threads)) for k, threads in ((0, 1), (1, cores))]
            print("%-10s %6.0f %10.0f %10.0f" % (kind, size, size / one, size / every)
                  + "".join("%11s" % ("%.0f" % (size / r) if r else "-") for r in rivals)
                  + ("   below the target of %d" % TARGET if kind != "mixed" and size / one < TARGET else ""))
            os.remove(path)


if __name__ == "__main__":
    sys.exit(main())
