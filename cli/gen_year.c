/*
 * The paper's Year problem: predict the year of a song from 90 features, without a constraint; each column has mean 0
 * and variance 1, y has mean 0.
 *
 * The real file (515345 rows: year, 90 features) is used where it is given. Otherwise a stand-in is drawn: with C the
 * covariance of the features in the sample of 7000 real rows that comes with the program, b the least-squares relation
 * to the year there and s the size of its residual,
 *
 *     x = R'z,  R'R = C,    year = b'x + s e,      z and e standard normal.
 */
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

enum { FEATURES = 90, COLUMNS = FEATURES + 1, CHUNK = 1024 };

/* ---- the real file ----------------------------------------------------------------------------------------------- */

static int read_rows(gpis_context *context, const char *path, gpis_array *rows) {
    const gpis_status status = gpis_array_read(context, path, rows);
    if (status != GPIS_OK) return cli_fail_status(context, status);
    if (rows->cols == COLUMNS) return 0;
    return cli_fail(CLI_BAD_INPUT, "%s has %lld columns; the year data has %d: the year and %d features", path,
                    (long long)rows->cols, COLUMNS, FEATURES);
}

static int make_room(int64_t n, gen_problem *p) {
    p->n = n;
    p->d = FEATURES;
    p->k = 1;
    p->set = "none";
    p->A = gen_allocate(n, FEATURES);
    p->y = gen_allocate(n, 1);
    return p->A && p->y ? 0 : CLI_TROUBLE;
}

static int use_file(gpis_context *context, const gen_options *o, gen_problem *p) {
    gpis_array rows = {0};
    int code = read_rows(context, o->data, &rows);
    if (code == 0) code = make_room(rows.rows < o->numbers.n ? rows.rows : o->numbers.n, p);
    for (int64_t i = 0; code == 0 && i < p->n; i++) {
        const double *row = rows.data + gen_spread(i, p->n, rows.rows) * COLUMNS;
        p->y[i] = row[0];
        memcpy(p->A + i * FEATURES, row + 1, FEATURES * sizeof *row);
    }
    gpis_array_clear(context, &rows);
    return code;
}

/* ---- the stand-in ------------------------------------------------------------------------------------------------ */

/* What is known of the data: R with R'R = C, b, s. */
typedef struct likeness {
    double R[FEATURES * FEATURES], b[FEATURES], s;
} likeness;

/* M = [y X]'[y X] / N of the centred sample, COLUMNS x COLUMNS, upper triangle. */
static int second_moments(gpis_context *context, double *M) {
    static const char *const files[] = {"year/year_random5000.csv.gz", "year/year_random2000.csv.gz"};
    gpis_array part[2] = {{0}, {0}};
    double mean[COLUMNS] = {0}, total = 0;
    int code = 0;
    for (int f = 0; f < 2 && code == 0; f++) {
        char path[PATH_MAX];
        gen_data_path(files[f], path);
        code = read_rows(context, path, &part[f]);
        for (int64_t i = 0; code == 0 && i < part[f].rows * COLUMNS; i++) mean[i % COLUMNS] += part[f].data[i];
        total += (double)part[f].rows;
    }
    for (int f = 0; f < 2 && code == 0; f++) {
        for (int64_t i = 0; i < part[f].rows * COLUMNS; i++) part[f].data[i] -= mean[i % COLUMNS] / total;
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, COLUMNS, (int)part[f].rows, 1.0 / total, part[f].data,
                    COLUMNS, f == 0 ? 0.0 : 1.0, M, COLUMNS);
    }
    for (int f = 0; f < 2; f++) gpis_array_clear(context, &part[f]);
    return code;
}

static int find_likeness(gpis_context *context, likeness *like) {
    double *M = gen_allocate(COLUMNS, COLUMNS);
    int code = M ? second_moments(context, M) : CLI_TROUBLE;
    if (code == 0) {
        for (int i = 0; i < FEATURES; i++) {
            memcpy(like->R + i * FEATURES, M + (i + 1) * COLUMNS + 1, FEATURES * sizeof *M);
            like->b[i] = M[i + 1];
        }
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', FEATURES, 1, like->R, FEATURES, like->b, 1) != 0)
            code = cli_fail(CLI_TROUBLE, "the features of the year sample depend on each other");
        like->s = sqrt(M[0] - cblas_ddot(FEATURES, M + 1, 1, like->b, 1));
    }
    free(M);
    return code;
}

static int draw(const gen_options *o, const likeness *like, gen_problem *p) {
    const int code = make_room(o->numbers.n, p);
    if (code != 0) return code;
    gen_normal(o->seed, GEN_STREAM_ROWS, p->n * FEATURES, p->A);
    gen_normal(o->seed, GEN_STREAM_NOISE, p->n, p->y);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->n; i += CHUNK) {
        const int rows = (int)(p->n - i < CHUNK ? p->n - i : CHUNK);
        double *A = p->A + i * FEATURES;
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, FEATURES, 1.0, like->R,
                    FEATURES, A, FEATURES);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, FEATURES, 1.0, A, FEATURES, like->b, 1, like->s, p->y + i, 1);
    }
    p->stand_in = true;
    return 0;
}

int gen_year(const gen_options *o, gen_problem *p) {
    gpis_context *context = NULL;
    likeness *like = calloc(1, sizeof *like);
    int code = like && gpis_context_create(&context) == GPIS_OK ? 0 : cli_fail(CLI_TROUBLE, "out of memory");
    if (code == 0 && o->data) code = use_file(context, o, p);
    if (code == 0 && !o->data) code = find_likeness(context, like);
    if (code == 0 && !o->data) code = draw(o, like, p);
    if (code == 0) code = gen_normalise(p);
    gpis_context_destroy(context);
    free(like);
    return code;
}
