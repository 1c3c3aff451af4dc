/* What the problems made from real data share: where the files are, fewer rows, normalised columns. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"

/* PREFIX/share/gpis for PREFIX/bin/gpis or, in a build tree, for PREFIX/gpis. */
void gen_data_path(const char *file, char *path) {
    char program[PATH_MAX - 128];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    const char *const prefixes[] = {"", "/.."}; /* the last one is named when there is no file */
    for (int i = 0; i < 2; i++) {
        snprintf(path, PATH_MAX, "%s%s/share/gpis/data/%s", program, prefixes[i], file);
        if (access(path, R_OK) == 0) return;
    }
}

int64_t gen_spread(int64_t i, int64_t wanted, int64_t rows) { return i * rows / wanted; }

/* Row by row, since a column at a time would read the whole matrix once for each. */
int gen_normalise(gen_problem *p) {
    const int64_t n = p->n, d = p->d;
    double *mean = gen_allocate(2, d), *squares = mean + d, y_sum = 0;
    int code = mean ? 0 : CLI_TROUBLE;
    if (code != 0) return code;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) mean[j] += p->A[i * d + j];
        y_sum += p->y[i];
    }
    for (int64_t j = 0; j < d; j++) mean[j] /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        double *row = p->A + i * d;
        for (int64_t j = 0; j < d; j++) {
            row[j] -= mean[j];
            squares[j] += row[j] * row[j];
        }
        p->y[i] -= y_sum / (double)n;
    }
    for (int64_t j = 0; j < d && code == 0; j++) {
        if (!(squares[j] > 0)) code = cli_fail(CLI_BAD_INPUT, "column %lld of the data is constant", (long long)j + 1);
        squares[j] = sqrt((double)n / squares[j]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) p->A[i * d + j] *= squares[j];
    free(mean);
    return code;
}
