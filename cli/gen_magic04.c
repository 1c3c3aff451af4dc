/*
 * The paper's Magic04 problem: the 10 features of the MAGIC gamma telescope set and, by default, 40 random ones; each
 * column has mean 0 and variance 1. y is the class, +1 for g (gamma) and -1 for h (hadron), less its mean. The radius
 * of the l1 ball is the l1 norm of the least-squares solution on the 10 features alone.
 */
#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

enum { FEATURES = 10 };
static const char *const feature_names[FEATURES] = {"fLength", "fWidth",  "fSize",    "fConc",  "fConc1",
                                                    "fAsym",   "fM3Long", "fM3Trans", "fAlpha", "fDist"};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* "28.7967,16.0021,...,81.8828,g" */
static bool parse_line(const char *text, double row[FEATURES + 1]) {
    for (int j = 0; j < FEATURES; j++) {
        char *end = NULL;
        row[j] = strtod(text, &end);
        if (end == text || *end != ',' || !isfinite(row[j])) return false;
        text = end + 1;
    }
    row[FEATURES] = *text == 'g' ? 1 : -1;
    return (*text == 'g' || *text == 'h') && strspn(text + 1, "\r\n") == strlen(text + 1);
}

/* Reads all lines to rows of FEATURES + 1 numbers; the caller frees *rows. */
static int read_lines(FILE *stream, const char *path, double **rows, int64_t *n) {
    char *line = NULL;
    size_t line_capacity = 0, capacity = 0;
    int code = 0;
    while (code == 0 && getline(&line, &line_capacity, stream) > 0) {
        if ((size_t)*n == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            double *more = reallocarray(*rows, capacity, (FEATURES + 1) * sizeof *more);
            if (!more) {
                code = cli_fail(CLI_TROUBLE, "no memory for %s", path);
                break;
            }
            *rows = more;
        }
        if (!parse_line(line, *rows + *n * (FEATURES + 1)))
            code = cli_fail(CLI_BAD_INPUT, "%s, line %lld: wants %d numbers and g or h, with commas between", path,
                            (long long)*n + 1, FEATURES);
        else
            ++*n;
    }
    if (code == 0 && ferror(stream)) code = cli_fail(CLI_TROUBLE, "cannot read %s: %s", path, strerror(errno));
    if (code == 0 && *n <= FEATURES)
        code = cli_fail(CLI_BAD_INPUT, "%s has %lld rows, too few for %d columns", path, (long long)*n, FEATURES);
    free(line);
    return code;
}

static int read_data(const char *path, double **rows, int64_t *n) {
    FILE *stream = fopen(path, "r");
    if (!stream)
        return cli_fail(CLI_TROUBLE, "cannot read %s: %s; --data FILE names magic04.data", path, strerror(errno));
    const int code = read_lines(stream, path, rows, n);
    fclose(stream);
    return code;
}

/* ---- the problem ------------------------------------------------------------------------------------------------- */

static int name_columns(gen_problem *p) {
    p->columns = calloc((size_t)p->d, sizeof *p->columns);
    for (int64_t j = 0; p->columns && j < p->d; j++) {
        const int length = j < FEATURES ? asprintf(&p->columns[j], "%s", feature_names[j])
                                        : asprintf(&p->columns[j], "random%02lld", (long long)(j - FEATURES + 1));
        if (length < 0) p->columns[j] = NULL;
        if (length < 0) return cli_fail(CLI_TROUBLE, "out of memory");
    }
    p->target = "class";
    return p->columns ? 0 : cli_fail(CLI_TROUBLE, "out of memory");
}

/* `rows`: the file's, `total` of them. */
static int fill_columns(const gen_options *o, const double *rows, int64_t total, gen_problem *p) {
    const int64_t n = p->n, d = p->d, extra = d - FEATURES;
    double *random = gen_allocate(n, extra);
    if (!random) return CLI_TROUBLE;
    gen_normal(o->seed, GEN_STREAM_FEATURES, n * extra, random);
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + gen_spread(i, n, total) * (FEATURES + 1);
        memcpy(p->A + i * d, row, FEATURES * sizeof(double));
        memcpy(p->A + i * d + FEATURES, random + i * extra, (size_t)extra * sizeof(double));
        p->y[i] = row[FEATURES];
    }
    free(random);
    return gen_normalise(p);
}

/* The l1 norm of the least-squares solution on the first FEATURES columns. */
static int fill_radius(gen_problem *p) {
    double *M = gen_allocate(p->n, FEATURES), *b = gen_allocate(p->n, 1);
    int code = M && b ? 0 : CLI_TROUBLE;
    if (code == 0) {
        for (int64_t i = 0; i < p->n; i++) memcpy(M + i * FEATURES, p->A + i * p->d, FEATURES * sizeof *M);
        memcpy(b, p->y, (size_t)p->n * sizeof *b);
        if (LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', (int)p->n, FEATURES, 1, M, FEATURES, b, 1) != 0)
            code = cli_fail(CLI_BAD_INPUT, "the features of the data depend on each other");
        p->set = "l1";
        char digits[32]; /* the last ones differ from one BLAS kernel to another */
        snprintf(digits, sizeof digits, "%.12g", cblas_dasum(FEATURES, b, 1));
        p->radius = strtod(digits, NULL);
    }
    free(M);
    free(b);
    return code;
}

int gen_magic04(const gen_options *o, gen_problem *p) {
    char shipped[PATH_MAX];
    double *rows = NULL;
    int64_t total = 0;
    if (o->numbers.d < FEATURES)
        return cli_fail(CLI_BAD_INPUT, "gen magic04 has %d features of its own; --d must be at least that", FEATURES);
    if (!o->data) gen_data_path("magic04/magic04.data", shipped);
    int code = read_data(o->data ? o->data : shipped, &rows, &total);
    if (code == 0) {
        p->n = total < o->numbers.n ? total : o->numbers.n;
        p->d = o->numbers.d;
        p->k = 1;
        p->A = gen_allocate(p->n, p->d);
        p->y = gen_allocate(p->n, 1);
        code = p->A && p->y ? name_columns(p) : CLI_TROUBLE;
    }
    if (code == 0) code = fill_columns(o, rows, total, p);
    if (code == 0) code = fill_radius(p);
    free(rows);
    return code;
}
