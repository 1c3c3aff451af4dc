"""The machine and the programs of a run: what they are, and the settings that make them fair."""
import json
import os
import platform
import subprocess
import sys

THREADS = len(os.sched_getaffinity(0))


def cpu():
    """Name and flags of the processor."""
    facts = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            facts.setdefault(name.strip(), value.strip())
    return facts.get("model name", platform.machine()), set(facts.get("flags", "").split())


def blas(environment):
    """How numpy's BLAS calls itself: name, version and the kernels it has picked."""
    code = "import json, numpy, threadpoolctl; print(json.dumps(threadpoolctl.threadpool_info()))"
    text = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stdout
    for library in json.loads(text or "[]"):
        if library["user_api"] == "blas":
            return f"{library['internal_api']} {library['version']}", library.get("architecture", "")
    return "unknown BLAS", ""


def environment():
    """Everybody gets all cores and the BLAS kernels that fit the processor.

    An OpenBLAS older than the processor takes it for one of 2004 and uses kernels without AVX, several times slower.
    That would flatter whoever uses BLAS least, so the kernels are named unless the caller has named some.
    """
    result = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        result[name] = str(THREADS)
    _, flags = cpu()
    if "OPENBLAS_CORETYPE" not in result and blas(result)[1] == "Prescott" and "avx2" in flags:
        wide = {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags
        result["OPENBLAS_CORETYPE"] = "SkylakeX" if wide else "Haswell"
    return result


def versions(environment):
    import scipy
    import sklearn

    glmnet = subprocess.run(["Rscript", "-e", "cat(R.version$major, R.version$minor, sep='.'); "
                             "cat(', glmnet', as.character(packageVersion('glmnet')))"],
                            env=environment, capture_output=True, text=True).stdout
    return f"scikit-learn {sklearn.__version__}, scipy {scipy.__version__}, R {glmnet}"


def describe(options, environment):
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    gpis = subprocess.run([os.path.join(options.build, "gpis"), "--version"], capture_output=True, text=True).stdout
    library, kernels = blas(environment)
    given = os.environ.get("OPENBLAS_CORETYPE")
    named = ", named by the bench" if environment.get("OPENBLAS_CORETYPE") != given else ""
    lines = [
        f"{cpu()[0]}, {THREADS} threads, {gib:.0f} GiB, {platform.system()} {platform.release()}",
        f"{gpis.strip()}, {versions(environment)}, {library} ({kernels} kernels{named})",
        f"load average at the start {os.getloadavg()[0]:.1f}; each rival at most {options.limit:g} s, "
        f"best of up to {options.rounds}",
    ]
    if options.part > 1:
        lines.append(f"1/{options.part} of the rows: the targets are those of the full problems")
    return lines


def busy_seconds():
    """Seconds that all processors together have worked since the machine was started, whoever they worked for."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def remarks():
    """What a reader of the times should know, once they are taken: the load of the last minutes is more than ours."""
    load = os.getloadavg()[1]
    busy = f"the machine was busy with other things (load {load:.1f}): the times mean little"
    return [busy] if load > 1.3 * THREADS else []
