/*
 * affine:C.npy,b.npy: C x = b, C of m x d.
 *
 * Once: rows scaled to norm 1, C' = Q R P' with column pivoting; Q (d x rank) spans the rows of C, redundant ones
 * leave by the diagonal of R, and x0 = Q R^-T P'b is the solution of least norm. Then
 *   P(v) = v - Q Q'(v - x0),   recession: the null space, v - Q Q'v,   core {x0}: support(g) = <g, x0>.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "set/kinds.h"

typedef struct affine_state {
    gpis_array C, b; /* owned; C is scaled, then holds Q' (rank x d, row-major) */
    char *C_text, *b_text;
    double *x0; /* owned: d */
    int64_t rank;
} affine_state;

static void destroy(gpis_set *s) {
    affine_state *a = s->state;
    if (!a) return;
    gpis_array_clear(s->context, &a->C);
    gpis_array_clear(s->context, &a->b);
    gpis_free(s->context, a->C_text);
    gpis_free(s->context, a->b_text);
    gpis_free(s->context, a->x0);
}

static gpis_status read_files(gpis_set *s, affine_state *a) {
    gpis_context *context = s->context;
    gpis_status status;
    if ((status = gpis_npy_read(context, a->C_text, &a->C)) != GPIS_OK) return status;
    if ((status = gpis_array_finite(context, a->C_text, &a->C)) != GPIS_OK) return status;
    if ((status = gpis_npy_read(context, a->b_text, &a->b)) != GPIS_OK) return status;
    if ((status = gpis_array_finite(context, a->b_text, &a->b)) != GPIS_OK) return status;
    /* A plain vector of d entries is one row. */
    if (a->C.dimensions == 1 && a->C.rows == s->d) a->C.rows = 1, a->C.cols = s->d;
    if (a->C.cols != s->d)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: C must have %lld columns, as A has, not %lld", a->C_text,
                         (long long)s->d, (long long)a->C.cols);
    if (a->b.rows != a->C.rows || a->b.cols != 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: b must be %lld x 1, as C has rows, not %lld x %lld", a->b_text,
                         (long long)a->C.rows, (long long)a->b.rows, (long long)a->b.cols);
    if (a->C.rows > INT_MAX || s->d > INT_MAX)
        return gpis_fail(context, GPIS_TOO_LARGE, "%s: C of %lld x %lld is too large to factor", a->C_text,
                         (long long)a->C.rows, (long long)s->d);
    return GPIS_OK;
}

static gpis_status fail_inconsistent(const gpis_set *s, int64_t row) {
    const affine_state *a = s->state;
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set affine:%.120s,%.120s: no x satisfies row %lld together with the rest", a->C_text, a->b_text,
                     (long long)row + 1);
}

/* Gives every row norm 1, so that what counts as redundant does not depend on its units. */
static gpis_status scale_rows(gpis_set *s) {
    affine_state *a = s->state;
    for (int64_t i = 0; i < a->C.rows; i++) {
        double *row = a->C.data + i * s->d;
        const double norm = gpis_norm2(row, s->d);
        if (norm == 0 && a->b.data[i] != 0) return fail_inconsistent(s, i);
        if (norm == 0) continue;
        for (int64_t j = 0; j < s->d; j++) row[j] /= norm;
        a->b.data[i] /= norm;
    }
    return GPIS_OK;
}

/* Scratch of the factorisation, all of it gone when the set is made. */
typedef struct factor {
    double *C, *tau, *rhs, *work; /* copy of the scaled C; min(m, d); m; lwork */
    int *pivot;                   /* m */
    int lwork;
} factor;

static void factor_free(gpis_context *context, factor *f) {
    gpis_free(context, f->C);
    gpis_free(context, f->tau);
    gpis_free(context, f->rhs);
    gpis_free(context, f->work);
    gpis_free(context, f->pivot);
}

static gpis_status factor_take(gpis_set *s, factor *f) {
    const affine_state *a = s->state;
    const int m = (int)a->C.rows, d = (int)s->d;
    f->C = gpis_alloc(s->context, a->C.rows * s->d, sizeof(double));
    f->tau = gpis_alloc_zero(s->context, gpis_min64(m, d), sizeof(double));
    f->rhs = gpis_alloc(s->context, m, sizeof(double));
    f->pivot = gpis_alloc_zero(s->context, m, sizeof(int));
    if (!f->C || !f->tau || !f->rhs || !f->pivot) return GPIS_NO_MEMORY;
    memcpy(f->C, a->C.data, (size_t)(a->C.rows * s->d) * sizeof(double));
    double want_qr = 0, want_q = 0;
    const int r = (int)gpis_min64(m, d);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, d, m, a->C.data, d, f->pivot, f->tau, &want_qr, -1);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, d, r, r, a->C.data, d, f->tau, &want_q, -1);
    f->lwork = (int)fmax(want_qr, want_q);
    f->work = gpis_alloc(s->context, f->lwork, sizeof(double));
    return f->work ? GPIS_OK : GPIS_NO_MEMORY;
}

/* Leaves Q' in a->C and x0; the row-major m x d matrix C is LAPACK's column-major d x m matrix C'. */
static gpis_status factorise(gpis_set *s, factor *f) {
    affine_state *a = s->state;
    double *Q = a->C.data;
    const int m = (int)a->C.rows, d = (int)s->d;
    if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, d, m, Q, d, f->pivot, f->tau, f->work, f->lwork) != 0)
        return gpis_fail(s->context, GPIS_INTERNAL, "%s: LAPACK could not factor C", a->C_text);
    const double smallest = (double)gpis_max64(m, d) * DBL_EPSILON * fabs(Q[0]);
    int r = 0;
    while (r < m && r < d && fabs(Q[(size_t)r * (size_t)d + (size_t)r]) > smallest) r++;
    a->rank = r;
    for (int i = 0; i < r; i++) f->rhs[i] = a->b.data[f->pivot[i] - 1];
    memset(a->x0, 0, (size_t)d * sizeof(double));
    if (r == 0) return GPIS_OK;
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, r, Q, d, f->rhs, 1);
    if (LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, d, r, r, Q, d, f->tau, f->work, f->lwork) != 0)
        return gpis_fail(s->context, GPIS_INTERNAL, "%s: LAPACK could not factor C", a->C_text);
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, r, 1, Q, d, f->rhs, 1, 0, a->x0, 1);
    return GPIS_OK;
}

/* Rows that left as redundant must agree with the rest. */
static gpis_status check_consistent(gpis_set *s, const factor *f) {
    const affine_state *a = s->state;
    const double size = gpis_norm2(a->x0, s->d);
    for (int64_t i = 0; i < a->C.rows; i++) {
        const double Cx = cblas_ddot((int)s->d, f->C + i * s->d, 1, a->x0, 1);
        const double allowed = 16 * gpis_set_rounding(gpis_max64(s->d, a->C.rows)) * (size + fabs(a->b.data[i]));
        if (!(fabs(Cx - a->b.data[i]) <= allowed)) return fail_inconsistent(s, i);
    }
    return GPIS_OK;
}

static gpis_status solve(gpis_set *s) {
    affine_state *a = s->state;
    factor f = {0};
    gpis_status status = scale_rows(s);
    a->x0 = gpis_alloc(s->context, s->d, sizeof(double));
    if (status == GPIS_OK && !a->x0) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = factor_take(s, &f);
    if (status == GPIS_OK) status = factorise(s, &f);
    if (status == GPIS_OK) status = check_consistent(s, &f);
    factor_free(s->context, &f);
    return status;
}

/* work: v - x0, then Q'(v - x0). */
static gpis_status parse(gpis_set *s, gpis_spec *spec) {
    gpis_status status;
    if ((status = gpis_set_take_state(s, sizeof(affine_state))) != GPIS_OK) return status;
    affine_state *a = s->state;
    if ((status = gpis_spec_file(spec, &a->C_text)) != GPIS_OK) return status;
    if ((status = gpis_spec_skip(spec, ',')) != GPIS_OK) return status;
    if ((status = gpis_spec_file(spec, &a->b_text)) != GPIS_OK) return status;
    if ((status = gpis_spec_end(spec)) != GPIS_OK) return status;
    if ((status = read_files(s, a)) != GPIS_OK) return status;
    if ((status = solve(s)) != GPIS_OK) return status;
    if ((status = gpis_set_take_work(s, 2 * s->d)) != GPIS_OK) return status;
    s->radius = gpis_norm2(a->x0, s->d);
    s->unbounded = a->rank < s->d;
    return gpis_set_describe(s, "affine:%s,%s", a->C_text, a->b_text);
}

/* x <- x - Q Q'(x - origin), twice: the second round removes what rounding left of the first. */
static void remove_rows(gpis_set *s, const double *origin, double *x) {
    const affine_state *a = s->state;
    const int d = (int)s->d, r = (int)a->rank;
    double *shifted = s->work, *t = s->work + d;
    for (int round = 0; r > 0 && round < 2; round++) {
        for (int i = 0; i < d; i++) shifted[i] = origin ? x[i] - origin[i] : x[i];
        cblas_dgemv(CblasColMajor, CblasTrans, d, r, 1, a->C.data, d, shifted, 1, 0, t, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, d, r, -1, a->C.data, d, t, 1, 1, x, 1);
    }
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const affine_state *a = s->state;
    const double *start = s->unbounded ? v : a->x0; /* of full rank: K = {x0} */
    if (x != start) memcpy(x, start, (size_t)s->d * sizeof *x);
    if (s->unbounded) remove_rows(s, a->x0, x);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const affine_state *a = s->state;
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < s->d; i++) gpis_sum_add(&sum, g[i] * a->x0[i]);
    *value = gpis_sum_value(sum);
    return GPIS_OK;
}

static gpis_status recession(gpis_set *s, const double *v, double *x) {
    if (x != v) memcpy(x, v, (size_t)s->d * sizeof *x);
    remove_rows(s, NULL, x);
    return GPIS_OK;
}

static const double *normals(const gpis_set *s, int64_t *count) {
    const affine_state *a = s->state;
    *count = a->rank;
    return a->C.data;
}

const gpis_set_class gpis_set_affine = {
    .name = "affine",
    .usage = "affine:C.npy,b.npy",
    .parse = parse,
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
    .normals = normals,
};
