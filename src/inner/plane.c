/*
 * affine: C s = b, all rows of C at once. With Q an orthonormal basis of the rows of C, H = R'R (in units of the
 * columns) and W = R^-T Q, the step is p = -R^-1 w, w what is left of R^-T g after its part along W:
 *
 *     H p + g = Q mu,    Q'p = 0,    q = -1/2 ||w||^2.
 *
 * So W is orthonormalised once, and a solution costs two triangular solves. A column of zeros, which may move at no
 * cost, is given a very small curvature. Further steps, each from the gradient at the last point, correct for that and
 * for rounding errors.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "inner/solver.h"
#include "linalg/accurate.h"

enum { MAX_STEPS = 3 };

typedef struct plane_state {
    int64_t rank;
    double *W;         /* owned: d x rank, orthonormal columns that span R^-T Q */
    double *along;     /* owned: rank x k */
    double *lift;      /* owned: d; 1, and more for a column of zeros */
    double *trial;     /* owned: d x k */
    double *G, *p, *w; /* owned: d x k */
} plane_state;

static bool applies(const gpis_set *set) { return set->class->normals != NULL; }

/* A column of zeros is given 1e-8 of the smallest curvature of the other columns. */
static void find_lift(plane_state *f, const gpis_model *model) {
    const int64_t d = model->d;
    double least = INFINITY;
    for (int64_t j = 0; j < d; j++)
        if (model->H[j * d + j] > 0.0) least = fmin(least, model->H[j * d + j]);
    for (int64_t j = 0; j < d; j++) f->lift[j] = model->H[j * d + j] > 0.0 || isinf(least) ? 1.0 : 1e4 / sqrt(least);
}

static void lift(const plane_state *f, int64_t d, int64_t k, double *V) {
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) V[j * k + c] *= f->lift[j];
}

/* W by QR: row-major W is W' by columns, and LQ of W' is QR of W. */
static gpis_status span_normals(gpis_inner *inner, const double *Q) {
    enum { PANEL = 64 };
    plane_state *f = inner->state;
    const int64_t d = inner->set->d, rank = f->rank;
    const lapack_int n = (lapack_int)d, r = (lapack_int)rank;
    if (rank == 0) return GPIS_OK;
    double *work = gpis_alloc(inner->context, (PANEL + 1) * rank, sizeof *work);
    if (!work) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j < d; j++) f->W[j * rank + i] = Q[i * d + j];
    gpis_model_whiten(inner->model, rank, f->W);
    lift(f, d, rank, f->W);
    LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, r, n, f->W, r, work, work + rank, PANEL * r);
    LAPACKE_dorglq_work(LAPACK_COL_MAJOR, r, n, r, f->W, r, work, work + rank, PANEL * r);
    gpis_free(inner->context, work);
    return GPIS_OK;
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    const int64_t d = inner->set->d, k = inner->set->k;
    plane_state *f = inner->state = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    const double *Q = inner->set->class->normals(inner->set, &f->rank);
    f->W = gpis_alloc(context, d * f->rank, sizeof(double));
    f->along = gpis_alloc(context, f->rank * k, sizeof(double));
    f->lift = gpis_alloc(context, d, sizeof(double));
    f->trial = gpis_alloc(context, d * k, sizeof(double));
    f->G = gpis_alloc(context, d * k, sizeof(double));
    f->p = gpis_alloc(context, d * k, sizeof(double));
    f->w = gpis_alloc(context, d * k, sizeof(double));
    if (!f->W || !f->along || !f->lift || !f->trial || !f->G || !f->p || !f->w) return GPIS_NO_MEMORY;
    find_lift(f, inner->model);
    return span_normals(inner, Q);
}

static void destroy(gpis_inner *inner) {
    plane_state *f = inner->state;
    if (!f) return;
    double *const vectors[] = {f->W, f->along, f->lift, f->trial, f->G, f->p, f->w};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gpis_free(inner->context, vectors[i]);
    gpis_free(inner->context, f);
}

static void begin(gpis_inner *inner) { (void)inner; }

/* w <- w - W W'w, twice: the second round removes what rounding left of the first. */
static void remove_normals(plane_state *f, int64_t d, int64_t k) {
    const int n = (int)d, r = (int)f->rank, columns = (int)k;
    for (int round = 0; r > 0 && round < 2; round++) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, columns, n, 1.0, f->W, r, f->w, columns, 0.0, f->along,
                    columns);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, columns, r, -1.0, f->W, r, f->along, columns, 1.0,
                    f->w, columns);
    }
}

/* One step from s, where the gradient is G. *better: the step was taken, since q does not rise by more than rounding.
 */
static gpis_status step(gpis_inner *inner, bool *better) {
    plane_state *f = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k, size = d * k;
    memcpy(f->w, f->G, (size_t)size * sizeof *f->w);
    gpis_model_whiten(inner->model, k, f->w);
    lift(f, d, k, f->w);
    remove_normals(f, d, k);
    lift(f, d, k, f->w);
    gpis_model_unwhiten(inner->model, k, f->w);
    for (int64_t i = 0; i < size; i++) f->trial[i] = inner->s[i] - f->w[i];
    *better = false;
    if (!gpis_all_finite(f->trial, size)) return GPIS_OK;
    const gpis_status status = gpis_set_project(inner->set, f->trial, f->trial);
    if (status != GPIS_OK) return status;
    const double value = gpis_inner_value(inner, f->trial, f->p, f->w);
    inner->iterations++;
    inner->trials++;
    *better = value < inner->value + gpis_inner_noise(inner, f->trial, f->w);
    if (!*better) return GPIS_OK;
    inner->value = value;
    memcpy(inner->s, f->trial, (size_t)size * sizeof *inner->s);
    for (int64_t i = 0; i < size; i++) f->G[i] = inner->g[i] + f->w[i];
    return GPIS_OK;
}

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    (void)iterations;
    plane_state *f = inner->state;
    gpis_status status = GPIS_OK;
    bool better = true;
    memcpy(f->G, inner->g, (size_t)(inner->set->d * inner->set->k) * sizeof *f->G);
    for (int i = 0; i < MAX_STEPS && better && status == GPIS_OK; i++) status = step(inner, &better);
    *done = true;
    return status;
}

const gpis_inner_solver gpis_inner_plane = {applies, create, begin, run, destroy};
