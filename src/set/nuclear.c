/*
 * nuclear:R: the singular values of X (d x k) sum to at most R. With X = U diag(sigma) V', P(X) = U diag(sigma') V',
 * sigma' the projection of sigma on the l1 ball; support(G) = R sigma_max(G).
 *
 * LAPACK reads row-major X as the column-major k x d matrix X': its factors U (k x r) and V' (r x d) are used as such.
 */
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/threshold.h"

typedef struct nuclear_state {
    int rows, cols, rank; /* of X' : k, d, min(k, d) */
    double *matrix;       /* owned: k x d, destroyed by LAPACK */
    double *U, *Vt;       /* owned: k x rank, rank x d */
    double *sigma;        /* owned: 2 rank: the values, scratch of the search */
    int *iwork;           /* owned: 8 rank */
    double *lapack;       /* owned: lwork */
    int lwork;
} nuclear_state;

static void destroy(gpis_set *s) {
    nuclear_state *n = s->state;
    gpis_free(s->context, n->matrix);
    gpis_free(s->context, n->U);
    gpis_free(s->context, n->Vt);
    gpis_free(s->context, n->sigma);
    gpis_free(s->context, n->iwork);
    gpis_free(s->context, n->lapack);
}

/* dgesdd on n->matrix; with lwork -1 it only returns the size of the work space it needs. */
static int call_dgesdd(nuclear_state *n, char job, double *work, int lwork) {
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, n->rows, n->cols, n->matrix, n->rows, n->sigma, n->U, n->rows,
                               n->Vt, n->rank, work, lwork, n->iwork);
}

static gpis_status take_memory(gpis_set *s) {
    if (s->d * s->k > INT_MAX)
        return gpis_fail(s->context, GPIS_TOO_LARGE,
                         "set %s: X of %lld x %lld is too large for a singular value decomposition", s->spec,
                         (long long)s->d, (long long)s->k);
    const gpis_status status = gpis_set_take_state(s, sizeof(nuclear_state));
    if (status != GPIS_OK) return status;
    nuclear_state *n = s->state;
    n->rows = (int)s->k;
    n->cols = (int)s->d;
    n->rank = (int)gpis_min64(s->k, s->d);
    const int64_t r = n->rank;
    n->matrix = gpis_alloc(s->context, s->d * s->k, sizeof(double));
    n->U = gpis_alloc(s->context, s->k * r, sizeof(double));
    n->Vt = gpis_alloc(s->context, r * s->d, sizeof(double));
    n->sigma = gpis_alloc(s->context, 2 * r, sizeof(double));
    n->iwork = gpis_alloc(s->context, 8 * r, sizeof(int));
    return n->matrix && n->U && n->Vt && n->sigma && n->iwork ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status take_lapack(gpis_set *s) {
    nuclear_state *n = s->state;
    double full = 0, values = 0;
    if (call_dgesdd(n, 'S', &full, -1) != 0 || call_dgesdd(n, 'N', &values, -1) != 0)
        return gpis_fail(s->context, GPIS_INTERNAL, "set nuclear: LAPACK refuses a %d x %d matrix", n->cols, n->rows);
    n->lwork = (int)fmin(fmax(full, values), INT_MAX);
    n->lapack = gpis_alloc(s->context, n->lwork, sizeof(double));
    return n->lapack ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status parse(gpis_spec *arguments, int64_t d, int64_t k, gpis_set **out) {
    double R;
    const gpis_status status = gpis_spec_radius(arguments, &R);
    return status == GPIS_OK ? gpis_set_nuclear(arguments->context, R, d, k, out) : status;
}

static gpis_status decompose(gpis_set *s, const double *X, char job) {
    nuclear_state *n = s->state;
    memcpy(n->matrix, X, (size_t)(s->d * s->k) * sizeof *X);
    if (call_dgesdd(n, job, n->lapack, n->lwork) == 0) return GPIS_OK;
    return gpis_fail(s->context, GPIS_INTERNAL, "set %s: the singular value decomposition did not converge", s->spec);
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    nuclear_state *n = s->state;
    const gpis_status status = decompose(s, v, 'S');
    if (status != GPIS_OK) return status;
    if (gpis_sum_abs(n->sigma, n->rank) <= s->R) {
        if (x != v) memcpy(x, v, (size_t)(s->d * s->k) * sizeof *x);
        return GPIS_OK;
    }
    gpis_threshold_cap(n->sigma, n->sigma, n->rank, s->R, n->sigma + n->rank);
    for (int j = 0; j < n->rank; j++) cblas_dscal(n->rows, n->sigma[j], n->U + (size_t)j * (size_t)n->rows, 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n->rows, n->cols, n->rank, 1, n->U, n->rows, n->Vt, n->rank,
                0, x, n->rows);
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const gpis_status status = decompose(s, g, 'N');
    if (status == GPIS_OK) *value = s->R * ((nuclear_state *)s->state)->sigma[0];
    return status;
}

const gpis_set_class gpis_kind_nuclear = {
    .name = "nuclear",
    .usage = "nuclear:R",
    .parse = parse,
    .project = project,
    .support = support,
    .destroy = destroy,
    .relative_support = true,
};

gpis_status gpis_set_nuclear(gpis_context *context, double R, int64_t d, int64_t k, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_nuclear, d, k, true, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_radius(s, R);
    if (status == GPIS_OK) status = take_memory(s);
    if (status == GPIS_OK) status = take_lapack(s);
    if (status == GPIS_OK && k == 1) s->shape = GPIS_SHAPE_BALL, s->group = d; /* the one singular value is ||x|| */
    if (status == GPIS_OK && k > 1) s->shape = GPIS_SHAPE_NUCLEAR;
    return gpis_set_finish(s, status, out);
}
