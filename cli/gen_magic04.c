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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"

enum { FEATURES = 10 };
static const char *const feature_names[FEATURES] = {"fLength", "fWidth",  "fSize",    "fConc",  "fConc1",
                                                    "fAsym",   "fM3Long", "fM3Trans", "fAlpha", "fDist"};

/* ---- the file -----------------------------------------------------------------------------------------------------
 */

/* The set that comes with the program: PREFIX/share/gpis for PREFIX/bin/gpis or, in a build tree, for PREFIX/gpis. */
static void default_data(char path[PATH_MAX]) {
    char program[PATH_MAX - 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    const char *const prefixes[] = {"", "/.."}; /* the last one is named when there is no file */
    for (int i = 0; i < 2; i++) {
        snprintf(path, PATH_MAX, "%s%s/share/gpis/data/magic04/magic04.data", program, prefixes[i]);
        if (access(path, R_OK) == 0) return;
    }
}

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
    size_t room = 0, capacity = 0;
    int code = 0;
    while (code == 0 && getline(&line, &room, stream) > 0) {
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

/* ---- the problem --------------------------------------------------------------------------------------------------
 */

/* Mean 0; variance 1 too when `scale` is set. False for a constant column that cannot be scaled. */
static bool normalise(int64_t n, double *column, int64_t stride, bool scale) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += column[i * stride];
    for (int64_t i = 0; i < n; i++) {
        column[i * stride] -= sum / (double)n;
        squares += column[i * stride] * column[i * stride];
    }
    if (!scale) return true;
    if (!(squares > 0)) return false;
    cblas_dscal((int)n, sqrt((double)n / squares), column, (int)stride);
    return true;
}

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

static int fill_columns(const gen_options *o, const double *rows, gen_problem *p) {
    const int64_t n = p->n, d = p->d, extra = d - FEATURES;
    double *random = gen_allocate(n, extra);
    if (!random) return CLI_TROUBLE;
    gen_normal(o->seed, GEN_STREAM_FEATURES, n * extra, random);
    for (int64_t i = 0; i < n; i++) {
        memcpy(p->A + i * d, rows + i * (FEATURES + 1), FEATURES * sizeof(double));
        memcpy(p->A + i * d + FEATURES, random + i * extra, (size_t)extra * sizeof(double));
        p->y[i] = rows[i * (FEATURES + 1) + FEATURES];
    }
    free(random);
    normalise(n, p->y, 1, false);
    for (int64_t j = 0; j < d; j++)
        if (!normalise(n, p->A + j, d, true))
            return cli_fail(CLI_BAD_INPUT, "column %lld of the data is constant", (long long)j + 1);
    return 0;
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
        p->radius = cblas_dasum(FEATURES, b, 1);
    }
    free(M);
    free(b);
    return code;
}

int gen_magic04(const gen_options *o, gen_problem *p) {
    char shipped[PATH_MAX];
    double *rows = NULL;
    if (o->numbers.d < FEATURES)
        return cli_fail(CLI_BAD_INPUT, "gen magic04 has %d features of its own; --d must be at least that", FEATURES);
    if (!o->data) default_data(shipped);
    int code = read_data(o->data ? o->data : shipped, &rows, &p->n);
    if (code == 0) {
        p->d = o->numbers.d;
        p->k = 1;
        p->A = gen_allocate(p->n, p->d);
        p->y = gen_allocate(p->n, 1);
        code = p->A && p->y ? name_columns(p) : CLI_TROUBLE;
    }
    if (code == 0) code = fill_columns(o, rows, p);
    if (code == 0) code = fill_radius(p);
    free(rows);
    return code;
}
