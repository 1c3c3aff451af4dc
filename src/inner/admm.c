/*
 * Any set, when a few steps of accelerated gradient were not enough: alternating directions (ADMM), with the factor of
 * H + rho I made once,
 *
 *     (H + rho I) (v - x) = rho (z - u - x) - g
 *     w = OVER v + (1 - OVER) z,    z+ = P(w + u),    u+ = w + u - z+,
 *
 * whose speed hardly depends on the condition of H once rho is right: between the largest and the smallest curvature to
 * begin with, then so that v - z and the change of z shrink together, which costs a factor each time.
 *
 * z is in K; the best one so far is s. The multiplier is better read at v, outside K, where -grad q = rho (u - z + v)
 * is nearly normal to K: the bound
 *
 *     min over K of q  >=  -1/2 <v - x, H (v - x)> - <G, x> - support(-G),    G = grad q(v),
 *
 * is of second order in v, that of s of first order.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "inner/solver.h"
#include "linalg/accurate.h"

enum {
    FIRST = 50,        /* steps of gradient before that: about what a factor costs */
    CHECK = 25,        /* iterations between two looks at q and rho */
    MOST_FACTORS = 12, /* of a model */
    POWERS = 12,       /* iterations that estimate a curvature */
    LONGER = 4         /* times as long as asked for, if need be: q and its bound do not move all the time */
};
static const double OVER = 1.8, LEAST_RHO = 1e-10 /* of the largest curvature */, ROUNDING = 64.0 * DBL_EPSILON;

typedef struct admm_state {
    gpis_gradient *gradient; /* owned: begins */
    int64_t steps;           /* of it since the last beginning */
    bool going;              /* alternating */
    double *factor;          /* owned: d x d, of H + rho I; NULL until it is needed */
    double rho, largest;     /* largest curvature, about */
    int factors;
    double *v, *z, *u, *G; /* owned: d x k; G: scratch */
    double *move, *Hmove;  /* owned: d x k; scratch */
    double *dual;          /* owned: d x k; the v of the best bound */
    double primal, change; /* ||v - z|| and ||z+ - z||, relative, of the last iteration */
} admm_state;

static bool applies(const gpis_set *set) {
    (void)set;
    return true;
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    admm_state *a = inner->state = gpis_alloc_zero(context, 1, sizeof *a);
    if (!a) return GPIS_NO_MEMORY;
    double **field[] = {&a->v, &a->z, &a->u, &a->G, &a->move, &a->Hmove, &a->dual};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        if (!(*field[i] = gpis_alloc(context, inner->set->d * inner->set->k, sizeof(double)))) return GPIS_NO_MEMORY;
    return gpis_gradient_create(inner, &a->gradient);
}

static void destroy(gpis_inner *inner) {
    admm_state *a = inner->state;
    if (!a) return;
    gpis_gradient_destroy(a->gradient);
    double *const vectors[] = {a->v, a->z, a->u, a->G, a->move, a->Hmove, a->dual, a->factor};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gpis_free(inner->context, vectors[i]);
    gpis_free(inner->context, a);
}

/* Once it was needed, it will be again: it goes on with the z and u it has. */
static void begin(gpis_inner *inner) {
    admm_state *a = inner->state;
    a->steps = 0;
    if (!a->going) gpis_gradient_begin(a->gradient);
}

/* From s on by gradient. */
static void give_up(gpis_inner *inner) {
    admm_state *a = inner->state;
    a->going = false;
    inner->dual = inner->s;
    gpis_gradient_begin(a->gradient);
}

/* ---- rho and its factor ---- */

/* The largest eigenvalue of H or, by its factor, of H^-1: from below, and good enough. */
static double largest_eigenvalue(gpis_inner *inner, bool inverse) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d;
    double *v = a->move, *Hv = a->Hmove, norm = 0.0;
    for (int64_t j = 0; j < d; j++) v[j] = 1.0 + 0.5 * sin((double)(3 * j)); /* none of the usual directions */
    for (int i = 0; i < POWERS; i++) {
        norm = gpis_norm2(v, d);
        for (int64_t j = 0; j < d; j++) v[j] /= norm > 0.0 ? norm : 1.0;
        if (inverse)
            gpis_model_solve(inner->model, 1, v);
        else
            gpis_model_apply(inner->model, 1, v, Hv);
        if (!inverse) memcpy(v, Hv, (size_t)d * sizeof *v);
    }
    return gpis_norm2(v, d);
}

/* H + rho I = U'U; u is in units of 1 / rho. Gives up where there is no factor. */
static void take_rho(gpis_inner *inner, double rho) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d;
    rho = fmax(rho, LEAST_RHO * a->largest);
    for (int64_t i = 0; i < d * inner->set->k; i++) a->u[i] *= a->rho / rho;
    a->rho = rho;
    a->factors++;
    memcpy(a->factor, inner->model->H, (size_t)(d * d) * sizeof *a->factor);
    for (int64_t j = 0; j < d; j++) a->factor[j * d + j] += rho;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)d, a->factor, (lapack_int)d) != 0) give_up(inner);
}

/* From where the gradient has come: z = s, and rho u = -grad q(s). */
static gpis_status switch_over(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    a->factor = gpis_alloc(inner->context, d * d, sizeof(double));
    if (!a->factor) return GPIS_NO_MEMORY;
    a->largest = largest_eigenvalue(inner, false);
    const double smallest = 1.0 / fmax(largest_eigenvalue(inner, true), DBL_MIN);
    gpis_inner_value(inner, inner->s, a->move, a->Hmove);
    for (int64_t i = 0; i < size; i++) a->u[i] = -(inner->g[i] + a->Hmove[i]);
    memcpy(a->z, inner->s, (size_t)size * sizeof *a->z);
    a->rho = 1.0;
    a->going = true;
    take_rho(inner, sqrt(a->largest * fmin(smallest, a->largest)));
    return GPIS_OK;
}

/* rho where v - z is half as large as the change of z, both relative: measured to be best, though not by much. */
static void adapt(gpis_inner *inner) {
    admm_state *a = inner->state;
    const double wrong = sqrt(2.0 * a->primal / a->change);
    if (a->factors >= MOST_FACTORS || !isfinite(wrong) || (wrong < 1.5 && wrong > 1.0 / 1.5)) return;
    take_rho(inner, a->rho * fmax(1.0 / 30.0, fmin(wrong, 30.0)));
}

/* ---- iterations ---- */

static void solve_factor(const gpis_inner *inner, double *v) {
    const admm_state *a = inner->state;
    const int d = (int)inner->set->d, k = (int)inner->set->k;
    const CBLAS_TRANSPOSE order[2] = {CblasTrans, CblasNoTrans};
    for (int i = 0; i < 2; i++)
        if (k == 1)
            cblas_dtrsv(CblasRowMajor, CblasUpper, order[i], CblasNonUnit, d, a->factor, d, v, 1);
        else
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, order[i], CblasNonUnit, d, k, 1.0, a->factor, d, v, k);
}

static gpis_status iterate(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    const double *x = inner->x;
    for (int64_t i = 0; i < size; i++) a->v[i] = a->rho * (a->z[i] - a->u[i] - x[i]) - inner->g[i];
    solve_factor(inner, a->v);
    for (int64_t i = 0; i < size; i++) {
        a->v[i] += x[i];
        a->u[i] += OVER * a->v[i] + (1.0 - OVER) * a->z[i];
    }
    if (!gpis_all_finite(a->u, size)) {
        give_up(inner);
        return GPIS_OK;
    }
    const gpis_status status = gpis_set_project(inner->set, a->u, a->G);
    for (int64_t i = 0; i < size; i++) {
        a->u[i] -= a->G[i];
        a->move[i] = a->G[i] - a->z[i];
    }
    memcpy(a->z, a->G, (size_t)size * sizeof *a->z);
    return status;
}

/* What the last iteration says of rho: called before `move` is used for other things. */
static void measure_residuals(const gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    a->change = gpis_norm2(a->move, size) / gpis_norm2(a->u, size);
    for (int64_t i = 0; i < size; i++) a->move[i] = a->v[i] - a->z[i];
    a->primal = gpis_norm2(a->move, size) / fmax(gpis_norm2(a->v, size), gpis_norm2(a->z, size));
}

/* Keeps z if it is the lowest, and v if its bound is the best. */
static gpis_status look(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    const double value = gpis_inner_value(inner, a->z, a->move, a->Hmove);
    if (value < inner->value) {
        inner->value = value;
        memcpy(inner->s, a->z, (size_t)size * sizeof *a->z);
    }
    double bound = 0.0, support;
    gpis_inner_value(inner, a->v, a->move, a->Hmove);
    for (int64_t i = 0; i < size; i++) {
        a->G[i] = -(inner->g[i] + a->Hmove[i]);
        bound += a->G[i] * inner->x[i] - 0.5 * a->move[i] * a->Hmove[i];
    }
    if (!inner->set->has_support) return GPIS_OK;
    const gpis_status status = gpis_set_support(inner->set, a->G, &support);
    if (status != GPIS_OK || !(bound - support > inner->bound)) return status;
    inner->bound = bound - support;
    memcpy(a->dual, a->v, (size_t)size * sizeof *a->v);
    inner->dual = a->dual;
    return GPIS_OK;
}

/* At least `iterations`, more until the gap between q and its bound is half of what it was. */
static gpis_status alternate(gpis_inner *inner, int64_t iterations, bool *done) {
    admm_state *a = inner->state;
    const double before = inner->value - inner->bound;
    gpis_status status = GPIS_OK;
    *done = false;
    for (int64_t i = 1; i <= LONGER * iterations && a->going && !*done && status == GPIS_OK; i++) {
        status = iterate(inner);
        inner->iterations++;
        inner->trials++;
        if (status != GPIS_OK || !a->going || (i % CHECK != 0 && i != iterations)) continue;
        measure_residuals(inner);
        status = look(inner);
        const double gap = inner->value - inner->bound;
        *done = gap <= 8.0 * gpis_inner_noise(inner, a->v, a->Hmove) || fmax(a->primal, a->change) <= ROUNDING;
        if (i >= iterations && (gap <= 0.5 * before || isinf(gap))) break;
        adapt(inner);
    }
    return status;
}

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    admm_state *a = inner->state;
    if (!a->going && a->steps >= FIRST && !a->factor) {
        const gpis_status status = switch_over(inner);
        if (status != GPIS_OK) return status;
    }
    if (a->going) return alternate(inner, iterations, done);
    a->steps += iterations;
    return gpis_gradient_run(a->gradient, iterations, done);
}

const gpis_inner_solver gpis_inner_admm = {applies, create, begin, run, destroy};
