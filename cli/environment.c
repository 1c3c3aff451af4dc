/*
 * Settings that libraries read from the environment before main begins, and that cannot be changed later.
 *
 * OMP_WAIT_POLICY. A thread of libgomp that waits spins for some milliseconds by default. Where other programs want the
 * processors that is time taken from the threads that are waited for: solves on two threads took up to ten times as
 * long as on one. Passive waits cost some microseconds each, and parallel regions are long enough for that.
 *
 * OPENBLAS_CORETYPE. OpenBLAS chooses its kernels by the model number of the processor. One that it does not know gets
 * those of the Prescott of 2004, whatever it can do: matrix products then take about seven times as long.
 *
 * So the program sets these variables, unless the user has, and executes itself once more. Where that fails it goes on
 * as it is: slower, and as right.
 *
 * Memory. OpenBLAS takes 128 MB of address space for each processor before main, and hangs where it cannot.
 */
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

/* By its own name: ps would call /proc/self/exe "exe". Returns only where it fails. */
static void execute_again(char **argv, char **environment) {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = '\0';
    execve(path, argv, environment);
}

/* ---- before the libraries are initialised ---------------------------------------------------------------------------
 *
 * Functions in .preinit_array run before all constructors of libraries, with libraries loaded and linked. The C library
 * is not initialised yet either: no stdio, no getenv, no malloc. Sanitizers cannot be relied on here.
 */
#define EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

enum {
    MAX_VARIABLES = 4096,
    MAX_BLAS_THREADS = 64,   /* as Debian builds it */
    BUFFER_BYTES = 32 << 22, /* what OpenBLAS maps for a thread */
    SPARE_BYTES = 1 << 20    /* what else begins before main: heaps, tables of other libraries */
};

/* The value of a variable; NULL where it is not set. */
EARLY static const char *value_of(char **environment, const char *name) {
    const size_t length = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
    return NULL;
}

EARLY static void set_wait_policy(char **argv, char **environment) {
    static char *larger[MAX_VARIABLES + 2], passive[] = "OMP_WAIT_POLICY=passive";
    if (value_of(environment, "OMP_WAIT_POLICY") || value_of(environment, "GOMP_SPINCOUNT")) return;
    size_t count = 0;
    while (environment[count]) count++;
    if (count > MAX_VARIABLES) return;
    memcpy(larger, environment, count * sizeof *larger);
    larger[count] = passive;
    execute_again(argv, larger);
}

/* How many threads OpenBLAS will have: one for each processor, but no more than the variable says. */
EARLY static size_t blas_threads(char **environment) {
    const long processors = sysconf(_SC_NPROCESSORS_CONF);
    const size_t most = processors < 1 ? 1 : processors > MAX_BLAS_THREADS ? MAX_BLAS_THREADS : (size_t)processors;
    const char *digits = value_of(environment, "OMP_NUM_THREADS");
    size_t threads = 0;
    for (; digits && *digits >= '0' && *digits <= '9' && threads < most; digits++)
        threads = 10 * threads + (size_t)(*digits - '0');
    return threads > 0 && threads < most ? threads : most;
}

/* OpenBLAS maps a buffer for each of its threads when it is loaded, and where it cannot it tries again forever. */
EARLY static void try_first_buffers(char **environment) {
    static const char message[] =
        "gpis: out of memory: the BLAS library needs 128M of address space for each processor "
        "to begin with; raise the limit of the process (ulimit -v) or set OMP_NUM_THREADS=1\n";
    const size_t bytes = blas_threads(environment) * (BUFFER_BYTES + SPARE_BYTES);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(CLI_TROUBLE);
        _exit(CLI_TROUBLE);
    }
    munmap(memory, bytes);
}

EARLY static void begin(int argc, char **argv, char **environment) {
    (void)argc;
    set_wait_policy(argv, environment);
    try_first_buffers(environment);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = begin;

/* ---- once OpenBLAS has chosen
 * ----------------------------------------------------------------------------------------
 */

void cli_wake_blas(char **argv) {
#if defined(__x86_64__)
    if (getenv("OPENBLAS_CORETYPE") || strcmp(openblas_get_corename(), "Prescott") != 0) return;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return;
    if (setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1) == 0) execute_again(argv, environ);
#else
    (void)argv;
#endif
}
