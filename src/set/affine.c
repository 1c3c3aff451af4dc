/*
 * affine:C.npy,b.npy, or from memory: C x = b, C of m x d.
 *
 * When the set is made: the rows are scaled to norm 1, and C' = Q R P' with column pivoting. Q (d x rank) spans the
 * rows of C; the diagonal of R shows which rows are redundant; and x0 = Q R^-T P'b is the solution of least norm. Then
 *   P(v) = v - Q Q'(v - x0),   recession: the null space, v - Q Q'v,   core {x0}: support(g) = <g, x0>.
 *
 * All this is of the computed Q, which spans another space than the rows of C, by about the unit roundoff times the
 * condition of C: the support function of another set. A certificate needs that of K itself, and no condition number
 * enters it: for every lambda, support_K(C'lambda) = <lambda, b> (or less, where K is empty). So support_near takes
 * lambda = P R^-1 Q'v, as good as it comes, and w = C'lambda with C as it was given.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "linalg/dd.h"
#include "linalg/rounding.h"
#include "set/combine.h"
#include "set/kinds.h"
#include "set/multiplier.h"

typedef struct affine_state {
    double *C, *b;  /* owned: m x d and m, as they were given */
    double *scaled; /* owned: C with rows of norm 1; from factorise on Q' (rank x d, row-major) */
    double *R;      /* owned: rank x rank upper triangle, column-major with leading dimension m */
    double *norms;  /* owned: of the m rows */
    int *pivot;     /* owned: m; column i of C'P, counted from 1 */
    double *x0;     /* owned: d */
    double *lambda; /* owned: scratch, 2 m */
    int64_t rows, rank;
} affine_state;

static void destroy(gpis_set *s) {
    affine_state *a = s->state;
    gpis_free(s->context, a->C);
    gpis_free(s->context, a->b);
    gpis_free(s->context, a->scaled);
    gpis_free(s->context, a->R);
    gpis_free(s->context, a->norms);
    gpis_free(s->context, a->pivot);
    gpis_free(s->context, a->x0);
    gpis_free(s->context, a->lambda);
}

static gpis_status fail_inconsistent(const gpis_set *s, int64_t row) {
    return gpis_fail(s->context, GPIS_BAD_SET, "set %.250s: no x satisfies row %lld together with the rest", s->spec,
                     (long long)row + 1);
}

/* Scales every row to norm 1, so that which rows count as redundant does not depend on their units. */
static gpis_status scale_rows(gpis_set *s) {
    affine_state *a = s->state;
    for (int64_t i = 0; i < a->rows; i++) {
        double *row = a->scaled + i * s->d;
        const double norm = gpis_norm2(row, s->d);
        if (norm == 0 && a->b[i] != 0) return fail_inconsistent(s, i);
        a->norms[i] = norm > 0 ? norm : 1;
        for (int64_t j = 0; j < s->d; j++) row[j] /= a->norms[i];
    }
    return GPIS_OK;
}

/* Scratch of the factorisation, freed when the set is made. */
typedef struct factor {
    double *tau, *rhs, *work; /* min(m, d); m; lwork */
    int lwork;
} factor;

static void factor_free(gpis_context *context, factor *f) {
    gpis_free(context, f->tau);
    gpis_free(context, f->rhs);
    gpis_free(context, f->work);
}

static gpis_status factor_take(gpis_set *s, factor *f) {
    const affine_state *a = s->state;
    const int m = (int)a->rows, d = (int)s->d;
    f->tau = gpis_alloc_zero(s->context, gpis_min64(m, d), sizeof(double));
    f->rhs = gpis_alloc(s->context, m, sizeof(double));
    if (!f->tau || !f->rhs) return GPIS_NO_MEMORY;
    double want_qr = 0, want_q = 0;
    const int r = (int)gpis_min64(m, d);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, d, m, a->scaled, d, a->pivot, f->tau, &want_qr, -1);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, d, r, r, a->scaled, d, f->tau, &want_q, -1);
    f->lwork = (int)fmax(want_qr, want_q);
    f->work = gpis_alloc(s->context, f->lwork, sizeof(double));
    return f->work ? GPIS_OK : GPIS_NO_MEMORY;
}

/* Leaves Q' in a->scaled, R and x0. The row-major m x d matrix C is the column-major d x m matrix C' of LAPACK. */
static gpis_status factorise(gpis_set *s, factor *f) {
    affine_state *a = s->state;
    double *Q = a->scaled;
    const int m = (int)a->rows, d = (int)s->d;
    if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, d, m, Q, d, a->pivot, f->tau, f->work, f->lwork) != 0)
        return gpis_fail(s->context, GPIS_INTERNAL, "set %.250s: LAPACK could not factor C", s->spec);
    const double smallest = (double)gpis_max64(m, d) * DBL_EPSILON * fabs(Q[0]);
    int r = 0;
    while (r < m && r < d && fabs(Q[(size_t)r * (size_t)d + (size_t)r]) > smallest) r++;
    a->rank = r;
    for (int i = 0; i < r; i++) {
        const int row = a->pivot[i] - 1;
        f->rhs[i] = a->b[row] / a->norms[row];
        memcpy(a->R + (size_t)i * (size_t)m, Q + (size_t)i * (size_t)d, (size_t)(i + 1) * sizeof *a->R);
    }
    memset(a->x0, 0, (size_t)d * sizeof(double));
    if (r == 0) return GPIS_OK;
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, r, Q, d, f->rhs, 1);
    if (LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, d, r, r, Q, d, f->tau, f->work, f->lwork) != 0)
        return gpis_fail(s->context, GPIS_INTERNAL, "set %.250s: LAPACK could not factor C", s->spec);
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, r, 1, Q, d, f->rhs, 1, 0, a->x0, 1);
    return GPIS_OK;
}

/* Redundant rows must be consistent with the others. */
static gpis_status check_consistent(gpis_set *s) {
    const affine_state *a = s->state;
    const double size = gpis_norm2(a->x0, s->d);
    for (int64_t i = 0; i < a->rows; i++) {
        const double Cx = cblas_ddot((int)s->d, a->C + i * s->d, 1, a->x0, 1);
        const double allowed = 16 * gpis_set_rounding(gpis_max64(s->d, a->rows)) * (a->norms[i] * size + fabs(a->b[i]));
        if (!(fabs(Cx - a->b[i]) <= allowed)) return fail_inconsistent(s, i);
    }
    return GPIS_OK;
}

/* Where C has rank d, K is one point, x1, and x0 is near it: ||x1 - x0|| <= ||b - C x0|| / sigma, with rows of norm 1
 * and sigma the smallest singular value of C, at least 1 / ||R^-1||_F less what rounding makes of R. If that leaves
 * nothing of sigma, nothing bounds x1, and K counts as unbounded. */
static gpis_status bound_point(gpis_set *s) {
    const affine_state *a = s->state;
    const int d = (int)s->d;
    double *inverse = gpis_alloc_zero(s->context, s->d * s->d, sizeof(double)), away2 = 0;
    if (!inverse) return GPIS_NO_MEMORY;
    for (int j = 0; j < d; j++)
        memcpy(inverse + (size_t)j * (size_t)d, a->R + j * a->rows, (size_t)(j + 1) * sizeof *inverse);
    const int info = LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', d, inverse, d);
    const double rounding = gpis_set_rounding(gpis_max64(s->d, a->rows)) * sqrt((double)a->rows * (double)s->d);
    const double sigma = 1 / gpis_norm2(inverse, s->d * s->d) - rounding;
    gpis_free(s->context, inverse);
    for (int64_t i = 0; i < a->rows; i++) {
        double error;
        const double Cx = gpis_combine_numbers(a->C + i * s->d, a->x0, s->d, &error);
        const double away = (fabs(a->b[i] - Cx) + error) / a->norms[i];
        away2 += away * away;
    }
    if (info != 0 || !(sigma > 0)) return GPIS_OK;
    s->radius += sqrt(away2) / sigma;
    s->unbounded = false;
    return GPIS_OK;
}

static gpis_status solve(gpis_set *s) {
    affine_state *a = s->state;
    factor f = {0};
    gpis_status status = scale_rows(s);
    if (status == GPIS_OK) status = factor_take(s, &f);
    if (status == GPIS_OK) status = factorise(s, &f);
    if (status == GPIS_OK) status = check_consistent(s);
    factor_free(s->context, &f);
    if (status != GPIS_OK) return status;
    s->radius = gpis_norm2(a->x0, s->d);
    s->unbounded = true;
    return a->rank == s->d ? bound_point(s) : GPIS_OK;
}

/* x <- x - Q Q'(x - origin), twice: the second time removes the rounding errors of the first. */
static void remove_rows(gpis_set *s, const double *origin, double *x) {
    const affine_state *a = s->state;
    const int d = (int)s->d, r = (int)a->rank;
    double *shifted = s->work, *t = s->work + d;
    for (int round = 0; r > 0 && round < 2; round++) {
        for (int i = 0; i < d; i++) shifted[i] = origin ? x[i] - origin[i] : x[i];
        cblas_dgemv(CblasColMajor, CblasTrans, d, r, 1, a->scaled, d, shifted, 1, 0, t, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, d, r, -1, a->scaled, d, t, 1, 1, x, 1);
    }
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const affine_state *a = s->state;
    const bool point = a->rank == s->d; /* K = {x0} */
    const double *start = point ? a->x0 : v;
    if (x != start) memcpy(x, start, (size_t)s->d * sizeof *x);
    if (!point) remove_rows(s, a->x0, x);
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

/* lambda with C'lambda near v, and in *value an upper bound on <lambda, b>. */
static void find_lambda(const gpis_set *s, const double *v, double *value) {
    const affine_state *a = s->state;
    const int d = (int)s->d, m = (int)a->rows, r = (int)a->rank;
    double *lambda = a->lambda, *t = a->lambda + m, error;
    memset(lambda, 0, (size_t)m * sizeof *lambda);
    if (r > 0) {
        cblas_dgemv(CblasColMajor, CblasTrans, d, r, 1, a->scaled, d, v, 1, 0, t, 1);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, r, a->R, m, t, 1);
    }
    for (int i = 0; i < r; i++) lambda[a->pivot[i] - 1] = t[i] / a->norms[a->pivot[i] - 1];
    *value = gpis_combine_numbers(lambda, a->b, a->rows, &error);
    *value += error;
}

/* The support function at v itself, where K is a point and C'lambda is only near v. */
static double beyond_rows(const gpis_set *s, const double *v, double *w, double error) {
    for (int64_t i = 0; i < s->d; i++) w[i] = v[i] - w[i];
    return (gpis_norm2(w, s->d) * (1 + gpis_set_rounding(s->d)) + error) * s->radius;
}

static gpis_status support_near(gpis_set *s, double *v, double *value, double *slack) {
    const affine_state *a = s->state;
    double *w = s->work;
    find_lambda(s, v, value);
    *slack = gpis_combine_rows(a->C, a->rows, s->d, a->lambda, w);
    if (s->unbounded) {
        memcpy(v, w, (size_t)s->d * sizeof *v);
        return GPIS_OK;
    }
    *value += beyond_rows(s, v, w, *slack);
    *slack = 0;
    return GPIS_OK;
}

/* C may be so ill conditioned that C'lambda, for the nearest doubles lambda, is far from l. So what is left of l gets
 * multipliers of its own, and C'lambda is the sum of all of them. */
static gpis_status support_low(gpis_set *s, gpis_multiplier *m) {
    enum { REFINEMENTS = 5 };
    const affine_state *a = s->state;
    const int64_t d = s->d;
    double *w = s->work, *w_low = s->work + d, *left = m->work;
    if (!s->unbounded) {
        memset(m->l_low, 0, (size_t)d * sizeof *m->l_low);
        return support_near(s, m->l, &m->value, &m->slack);
    }
    memcpy(left, m->l, (size_t)d * sizeof *left);
    memset(m->l, 0, (size_t)d * sizeof *m->l);
    memset(m->l_low, 0, (size_t)d * sizeof *m->l_low);
    m->value = m->slack = 0.0;
    for (int i = 0; i < REFINEMENTS; i++) {
        double value;
        find_lambda(s, left, &value);
        m->value += value + GPIS_UNIT * fabs(value);
        m->slack += gpis_combine_rows_low(a->C, a->rows, d, a->lambda, w, w_low);
        for (int64_t j = 0; j < d; j++) {
            const gpis_dd sum = gpis_dd_add((gpis_dd){m->l[j], m->l_low[j]}, (gpis_dd){w[j], w_low[j]});
            left[j] = (left[j] - w[j]) - w_low[j];
            m->slack += GPIS_DD_UNIT * fabs(sum.high);
            m->l[j] = sum.high;
            m->l_low[j] = sum.low;
        }
    }
    m->value += REFINEMENTS * GPIS_UNIT * fabs(m->value);
    return GPIS_OK;
}

static const double *normals(const gpis_set *s, int64_t *count) {
    const affine_state *a = s->state;
    *count = a->rank;
    return a->scaled;
}

static void equations_of(const gpis_set *s, int64_t *count, const double **C, const double **b) {
    const affine_state *a = s->state;
    *count = a->rows;
    *C = a->C;
    *b = a->b;
}

static const double *equation(const gpis_set *s, int64_t i, double *b) {
    const affine_state *a = s->state;
    const int64_t row = a->pivot[i] - 1;
    *b = a->b[row];
    return a->C + row * s->d;
}

/* ---- from arrays ------------------------------------------------------------------------------------------------- */

/* C and b, with their names in messages and in the spec. */
typedef struct equations {
    gpis_array C, b;
    const char *C_name, *b_name; /* for messages: the files, or "C" and "b" */
    const char *C_text, *b_text; /* in the spec */
} equations;

static gpis_status check(gpis_context *context, const equations *e, int64_t d) {
    gpis_status status = gpis_array_finite(context, e->C_name, &e->C);
    if (status == GPIS_OK) status = gpis_array_finite(context, e->b_name, &e->b);
    if (status == GPIS_OK && (e->C.rows > INT_MAX || d > INT_MAX))
        status = gpis_fail(context, GPIS_TOO_LARGE, "%s: C of %lld x %lld is too large to factor", e->C_name,
                           (long long)e->C.rows, (long long)d);
    return status;
}

static gpis_status copy(gpis_set *s, const equations *e) {
    const gpis_status status = gpis_set_take_state(s, sizeof(affine_state));
    if (status != GPIS_OK) return status;
    affine_state *a = s->state;
    a->rows = e->C.rows;
    a->C = gpis_alloc(s->context, a->rows * s->d, sizeof(double));
    a->scaled = gpis_alloc(s->context, a->rows * s->d, sizeof(double));
    a->R = gpis_alloc(s->context, a->rows * gpis_min64(a->rows, s->d), sizeof(double));
    a->b = gpis_alloc(s->context, a->rows, sizeof(double));
    a->norms = gpis_alloc(s->context, a->rows, sizeof(double));
    a->lambda = gpis_alloc(s->context, 2 * a->rows, sizeof(double));
    a->pivot = gpis_alloc_zero(s->context, a->rows, sizeof(int));
    a->x0 = gpis_alloc(s->context, s->d, sizeof(double));
    if (!a->C || !a->scaled || !a->R || !a->b || !a->norms || !a->lambda || !a->pivot || !a->x0) return GPIS_NO_MEMORY;
    memcpy(a->C, e->C.data, (size_t)(a->rows * s->d) * sizeof *a->C);
    memcpy(a->scaled, e->C.data, (size_t)(a->rows * s->d) * sizeof *a->scaled);
    memcpy(a->b, e->b.data, (size_t)a->rows * sizeof *a->b);
    return GPIS_OK;
}

/* work: v - x0, then Q'(v - x0). */
static gpis_status make(gpis_context *context, const equations *e, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_affine, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "affine:%s,%s", e->C_text, e->b_text);
    if (status == GPIS_OK) status = copy(s, e);
    if (status == GPIS_OK) status = gpis_set_take_work(s, 2 * d);
    if (status == GPIS_OK) status = solve(s);
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_affine(gpis_context *context, const double *C, const double *b, int64_t rows, int64_t d,
                            gpis_set **out) {
    char C_text[GPIS_NUMBER_TEXT], b_text[GPIS_NUMBER_TEXT];
    int64_t entries;
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    if (!C || !b) return gpis_fail(context, GPIS_BAD_ARGUMENT, "set affine: C or b is NULL");
    if (rows < 1 || d < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "set affine: C of %lld x %lld is empty", (long long)rows,
                         (long long)d);
    if (!gpis_checked_mul(rows, d, &entries))
        return gpis_fail(context, GPIS_TOO_LARGE, "set affine: C of %lld x %lld is too large", (long long)rows,
                         (long long)d);
    gpis_content_text(C, entries, C_text);
    gpis_content_text(b, rows, b_text);
    /* the arrays are only read */
    const equations e = {{(double *)C, rows, d, 2}, {(double *)b, rows, 1, 1}, "C", "b", C_text, b_text};
    int outside;
    gpis_status status = check(context, &e, d);
    if (status != GPIS_OK) return status;
    status = gpis_blas_enter(context, 1, &outside);
    if (status == GPIS_OK) status = make(context, &e, d, out);
    gpis_blas_leave(outside);
    return status;
}

/* ---- from a spec ------------------------------------------------------------------------------------------------- */

static gpis_status read_files(gpis_context *context, const gpis_spec_name *C, const gpis_spec_name *b, int64_t d,
                              equations *e) {
    const char *C_path = C->path, *b_path = b->path;
    gpis_status status = gpis_npy_read(context, C_path, &e->C);
    if (status == GPIS_OK) status = gpis_npy_read(context, b_path, &e->b);
    e->C_name = C_path;
    e->C_text = C->text;
    e->b_name = b_path;
    e->b_text = b->text;
    if (status == GPIS_OK) status = check(context, e, d);
    if (status != GPIS_OK) return status;
    /* A plain vector of d entries is one row. */
    if (e->C.dimensions == 1 && e->C.rows == d) e->C.rows = 1, e->C.cols = d;
    if (e->C.cols != d)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: C must have %lld columns, as A has, not %lld", C_path,
                         (long long)d, (long long)e->C.cols);
    if (e->b.rows != e->C.rows || e->b.cols != 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: b must be %lld x 1, as C has rows, not %lld x %lld", b_path,
                         (long long)e->C.rows, (long long)e->b.rows, (long long)e->b.cols);
    return GPIS_OK;
}

static gpis_status parse(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    gpis_spec_name C = {0}, b = {0};
    equations e = {0};
    gpis_status status = gpis_spec_file(spec, &C);
    if (status == GPIS_OK) status = gpis_spec_skip(spec, ',');
    if (status == GPIS_OK) status = gpis_spec_file(spec, &b);
    if (status == GPIS_OK) status = gpis_spec_end(spec);
    if (status == GPIS_OK) status = read_files(spec->context, &C, &b, d, &e);
    if (status == GPIS_OK) status = make(spec->context, &e, d, out);
    gpis_spec_name_clear(spec->context, &C);
    gpis_spec_name_clear(spec->context, &b);
    gpis_array_clear(spec->context, &e.C);
    gpis_array_clear(spec->context, &e.b);
    return status;
}

const gpis_set_class gpis_kind_affine = {
    .name = "affine",
    .usage = "affine:C.npy,b.npy",
    .parse = parse,
    .project = project,
    .support = support,
    .recession = recession,
    .support_near = support_near,
    .support_low = support_low,
    .destroy = destroy,
    .normals = normals,
    .equations = equations_of,
    .equation = equation,
};
