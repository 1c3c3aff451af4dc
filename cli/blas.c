/*
 * OpenBLAS chooses its kernels by the model number of the processor, before main begins. One that it does not know gets
 * those of the Prescott of 2004, whatever it can do: matrix products then take about seven times as long. The choice
 * can be made from outside only, by OPENBLAS_CORETYPE, so the program sets it and begins once more.
 */
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void cli_wake_blas(char **argv) {
#if defined(__x86_64__)
    if (getenv("OPENBLAS_CORETYPE") || strcmp(openblas_get_corename(), "Prescott") != 0) return;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return;
    if (setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1) != 0) return;
    char path[PATH_MAX]; /* by its own name: ps would call /proc/self/exe "exe" */
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = '\0';
    execv(path, argv); /* where that fails, slow kernels are right all the same */
#else
    (void)argv;
#endif
}
