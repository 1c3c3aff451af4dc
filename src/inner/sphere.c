/*
 * l2:R, each column by itself: with s = x + p,
 *
 *     (H + lambda I) p = -(g + lambda x),    lambda >= 0,    ||s|| <= R,    lambda (R - ||s||) = 0.
 *
 * H = Q T Q' is made tridiagonal once; then each lambda costs O(d). If the minimiser is inside the ball, lambda is 0.
 * Otherwise 1 / ||s|| is an increasing concave function of lambda, and Newton's method on 1 / ||s|| = 1 / R approaches
 * the root from below:
 *
 *     lambda += (||s||^2 / <s, (H + lambda)^-1 s>) (||s|| - R) / R.
 *
 * Where the columns have very different units, or H is ill conditioned, digits are lost on the way to T. So the bound
 * at s is looked at, and if it is not near q(s), the interior-point method goes on from s (fallback.c).
 */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "inner/solver.h"
#include "linalg/accurate.h"

enum { VECTORS = 10, PANEL = 64, MAX_STEPS = 300 };
static const double GOOD = 1e-4; /* a gap that is left to the next round, relative to the fall */

typedef struct sphere_state {
    double *Q;               /* owned: d x d, the reflections of the reduction, */
    double *tau;             /* and their factors */
    double *T, *beside;      /* diagonal and subdiagonal of T */
    double *D, *E;           /* T + lambda = L D L' */
    double *x, *g;           /* of one column, in the basis Q */
    double *p, *s, *w;       /* the same */
    double *work;            /* owned: for LAPACK */
    double *vectors;         /* owned: tau to w are parts of it */
    double *step, *Hstep;    /* owned: d x k each, in one piece */
    gpis_fallback *fallback; /* owned */
} sphere_state;

static bool applies(const gpis_set *set) { return set->shape == GPIS_SHAPE_BALL; }

static void reduce(sphere_state *b, const gpis_model *model) {
    const lapack_int d = (lapack_int)model->d;
    memcpy(b->Q, model->H, (size_t)(model->d * model->d) * sizeof *b->Q);
    LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', d, b->Q, d, b->T, b->beside, b->tau, b->work, PANEL * d);
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    const int64_t d = inner->set->d, stride = (d + 7) / 8 * 8;
    sphere_state *b = inner->state = gpis_alloc_zero(context, 1, sizeof *b);
    if (!b) return GPIS_NO_MEMORY;
    b->Q = gpis_alloc(context, d * d, sizeof(double));
    b->work = gpis_alloc(context, PANEL * d, sizeof(double));
    b->vectors = gpis_alloc(context, VECTORS * stride, sizeof(double));
    b->step = gpis_alloc(context, 2 * d * inner->set->k, sizeof(double));
    if (!b->Q || !b->work || !b->vectors || !b->step) return GPIS_NO_MEMORY;
    b->Hstep = b->step + d * inner->set->k;
    double **field[VECTORS] = {&b->tau, &b->T, &b->beside, &b->D, &b->E, &b->x, &b->g, &b->p, &b->s, &b->w};
    for (int i = 0; i < VECTORS; i++) *field[i] = b->vectors + i * stride;
    reduce(b, inner->model);
    return gpis_fallback_create(inner, &b->fallback);
}

static void destroy(gpis_inner *inner) {
    sphere_state *b = inner->state;
    if (!b) return;
    gpis_fallback_destroy(b->fallback);
    gpis_free(inner->context, b->Q);
    gpis_free(inner->context, b->work);
    gpis_free(inner->context, b->vectors);
    gpis_free(inner->context, b->step);
    gpis_free(inner->context, b);
}

static void begin(gpis_inner *inner) { (void)inner; }

/* v := Q v or, with 'T', Q'v. */
static void rotate(const sphere_state *b, int64_t d, char how, double *v) {
    const lapack_int n = (lapack_int)d;
    LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', how, n, 1, b->Q, n, b->tau, v, n, b->work, PANEL * n);
}

/* s(lambda), and its norm; infinite where T + lambda is not positive. */
static double norm_at(sphere_state *b, int64_t d, double lambda) {
    const lapack_int n = (lapack_int)d;
    for (int64_t j = 0; j < d; j++) {
        b->D[j] = b->T[j] + lambda;
        b->p[j] = -(b->g[j] + lambda * b->x[j]);
    }
    memcpy(b->E, b->beside, (size_t)(d - 1) * sizeof *b->E);
    if (LAPACKE_dpttrf_work(n, b->D, b->E) != 0) return INFINITY;
    LAPACKE_dpttrs_work(LAPACK_COL_MAJOR, n, 1, b->D, b->E, b->p, n);
    for (int64_t j = 0; j < d; j++) b->s[j] = b->x[j] + b->p[j];
    return gpis_norm2(b->s, d);
}

/* One step of Newton on 1 / ||s|| = 1 / R. */
static double next_lambda(sphere_state *b, int64_t d, double lambda, double norm, double R) {
    const lapack_int n = (lapack_int)d;
    double inverse = 0.0; /* <s, (T + lambda)^-1 s> / ||s||^2 */
    for (int64_t j = 0; j < d; j++) b->w[j] = b->s[j] / norm;
    LAPACKE_dpttrs_work(LAPACK_COL_MAJOR, n, 1, b->D, b->E, b->w, n);
    for (int64_t j = 0; j < d; j++) inverse += b->w[j] * (b->s[j] / norm);
    return lambda + (norm - R) / R / inverse;
}

/* The minimiser in the ball, in b->s. */
static void solve(gpis_inner *inner) {
    sphere_state *b = inner->state;
    const int64_t d = inner->set->d;
    const double R = inner->set->R;
    double size = 0.0, lambda = 0.0, norm = norm_at(b, d, 0.0);
    if (norm <= R) return;
    for (int64_t j = 0; j < d; j++) size = fmax(size, fabs(b->T[j]));
    /* if there is no factor at lambda = 0, the smallest lambda for which there is one */
    for (lambda = 0.0; isinf(norm); norm = norm_at(b, d, lambda))
        lambda = lambda > 0.0 ? 4.0 * lambda : fmax((double)d * DBL_EPSILON * size, DBL_MIN);
    for (int i = 0; i < MAX_STEPS && norm > R * (1.0 + 2.0 * DBL_EPSILON); i++) {
        const double next = next_lambda(b, d, lambda, norm, R);
        if (!(next > lambda)) break;
        norm = norm_at(b, d, lambda = next);
        inner->iterations++;
    }
    if (norm > R)
        for (int64_t j = 0; j < d; j++) b->s[j] *= R / norm;
}

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    sphere_state *b = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    for (int64_t c = 0; c < k && inner->set->R > 0.0; c++) {
        for (int64_t j = 0; j < d; j++) b->x[j] = inner->x[j * k + c], b->g[j] = inner->g[j * k + c];
        rotate(b, d, 'T', b->x);
        rotate(b, d, 'T', b->g);
        solve(inner);
        rotate(b, d, 'N', b->s);
        for (int64_t j = 0; j < d; j++) inner->s[j * k + c] = b->s[j];
    }
    inner->value = gpis_inner_value(inner, inner->s, b->step, b->Hstep);
    if (!(inner->value < 0.0)) {
        memcpy(inner->s, inner->x, (size_t)(d * k) * sizeof *inner->s);
        inner->value = 0.0;
    }
    *done = true;
    bool solved;
    const gpis_status status = gpis_inner_check(inner, GOOD, b->step, b->Hstep, &solved);
    if (status != GPIS_OK || solved) return status;
    gpis_fallback_begin(b->fallback);
    return gpis_fallback_run(b->fallback, iterations, done);
}

const gpis_inner_solver gpis_inner_sphere = {applies, create, begin, run, destroy};
