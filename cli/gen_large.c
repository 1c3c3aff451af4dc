/*
 * Problems larger than memory: rows are drawn, used and written a block at a time.
 *
 *   row_i = (g_i . s) H1 H2,   y_i = row_i x_true + noise ||s . (H1 H2 x_true)|| w_i
 *
 * with g_i of d and w_i standard normal, s decaying geometrically from 1 to cond^(-1/2), and H1, H2 random reflections,
 * which mix the columns for the price of two dot products a row. The eigenvalues of A'A / n are near s^2 when n >> d,
 * so that L/mu is near cond; x_true is sparse, and the radius is its l1 norm.
 */
#include <cblas.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

enum { REFLECTIONS = 2, BLOCK_BYTES = 1 << 25 };

/* What a row is made of. */
typedef struct mould {
    uint64_t seed;
    int64_t d;
    double *s, *u; /* owned: d; REFLECTIONS x d, of norm 1 */
} mould;

/* v <- v - 2 <u, v> u for each u, in the given order. */
static void reflect(const mould *m, double *v) {
    for (int r = 0; r < REFLECTIONS; r++) {
        const double *u = m->u + r * m->d;
        cblas_daxpy((int)m->d, -2.0 * cblas_ddot((int)m->d, u, 1, v, 1), u, 1, v, 1);
    }
}

static int make_mould(const gen_options *o, mould *m) {
    const int64_t d = o->numbers.d;
    *m = (mould){.seed = o->seed, .d = d, .s = gen_allocate(d, 1), .u = gen_allocate(REFLECTIONS, d)};
    if (!m->s || !m->u) return CLI_TROUBLE;
    for (int64_t j = 0; j < d; j++)
        m->s[j] = exp(-0.5 * log(o->numbers.cond) * (double)j / (double)(d > 1 ? d - 1 : 1));
    gen_normal(o->seed, GEN_STREAM_BASIS, REFLECTIONS * d, m->u);
    for (int r = 0; r < REFLECTIONS; r++)
        cblas_dscal((int)d, 1.0 / cblas_dnrm2((int)d, m->u + r * d, 1), m->u + r * d, 1);
    return 0;
}

/* sqrt of the mean of (row x)^2: ||s . (H1 H2 x)||, H1 H2 x by the reflections in the other order. */
static double expected_size(const mould *m, const double *x) {
    double *v = gen_allocate(m->d, 1), sum = 0;
    if (!v) return -1;
    memcpy(v, x, (size_t)m->d * sizeof *v);
    for (int r = REFLECTIONS - 1; r >= 0; r--) {
        const double *u = m->u + r * m->d;
        cblas_daxpy((int)m->d, -2.0 * cblas_ddot((int)m->d, u, 1, v, 1), u, 1, v, 1);
    }
    for (int64_t j = 0; j < m->d; j++) sum += m->s[j] * m->s[j] * v[j] * v[j];
    free(v);
    return sqrt(sum);
}

/* Rows [first, first + count) and their y; in single precision the y is that of the rounded row. */
static void make_rows(const mould *m, const gen_problem *p, int64_t first, int64_t count, double noise, bool single,
                      double *rows, double *w) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) {
        double *row = rows + i * m->d;
        gpis_random_normal(m->seed, GEN_STREAM_ROWS, (uint64_t)((first + i) * m->d), m->d, row);
        for (int64_t j = 0; j < m->d; j++) row[j] *= m->s[j];
        reflect(m, row);
        for (int64_t j = 0; single && j < m->d; j++) row[j] = (double)(float)row[j];
        gpis_random_normal(m->seed, GEN_STREAM_NOISE, (uint64_t)(first + i), 1, &w[i]);
        w[i] *= noise;
        p->y[first + i] = cblas_ddot((int)m->d, row, 1, p->x_true, 1) + w[i];
    }
}

static void write_header(FILE *stream, const gen_problem *p, bool single) {
    char text[118];
    const int length =
        snprintf(text, sizeof text, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }",
                 single ? 4 : 8, p->n, p->d);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, stream);
    fwrite(text, 1, sizeof text, stream);
}

/* What is wrong with the stream shows when it is committed. */
static void write_rows(FILE *stream, double *rows, int64_t count, bool single) {
    float *narrow = (float *)rows;
    if (!single) {
        fwrite(rows, sizeof *rows, (size_t)count, stream);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)rows[i];
        memcpy(&narrow[i], &value, sizeof value); /* in place: behind what is still to be read */
    }
    fwrite(narrow, sizeof *narrow, (size_t)count, stream);
}

static int write_matrix(const gen_options *o, const mould *m, gen_problem *p) {
    char path[PATH_MAX];
    const int64_t fit = BLOCK_BYTES / (8 * p->d), block = fit > 0 ? fit : 1;
    const double size = expected_size(m, p->x_true);
    cli_output output = {0};
    if (size < 0) return CLI_TROUBLE;
    if (snprintf(path, sizeof path, "%s/A.npy", o->folder) >= (int)sizeof path)
        return cli_fail(CLI_BAD_INPUT, "the name of the folder is too long");
    double *rows = gen_allocate(block, p->d), *w = gen_allocate(block, 1);
    int code = rows && w ? cli_output_open(&output, path) : CLI_TROUBLE;
    if (code == 0) {
        write_header(output.stream, p, o->single);
        for (int64_t i = 0; i < p->n && !ferror(output.stream); i += block) {
            const int64_t count = p->n - i < block ? p->n - i : block;
            make_rows(m, p, i, count, o->numbers.noise * size, o->single, rows, w);
            p->objective += gen_sum_of_squares(w, count);
            write_rows(output.stream, rows, count * p->d, o->single);
        }
        code = cli_output_commit(&output);
    }
    free(rows);
    free(w);
    return code;
}

int gen_large(const gen_options *o, gen_problem *p) {
    mould m = {0};
    p->n = o->numbers.n;
    p->d = o->numbers.d;
    p->k = 1;
    if (o->numbers.sparsity > p->d)
        return cli_fail(CLI_BAD_INPUT, "--sparsity %lld is more than x has entries", (long long)o->numbers.sparsity);
    p->y = gen_allocate(p->n, 1);
    if (p->y) p->x_true = gen_allocate(p->d, 1);
    int code = p->x_true ? make_mould(o, &m) : CLI_TROUBLE;
    if (code == 0) code = gen_sparse(o, p);
    if (code == 0) code = write_matrix(o, &m, p);
    free(m.s);
    free(m.u);
    return code;
}
