/*
 * For any set: first the minimiser without the constraint, in case it is in K; then some steps of accelerated gradient;
 * if these are not enough, the alternating direction method of multipliers (ADMM), with one factor of H + rho I for
 * many iterations; and if these are not enough either, since the columns have very different units or H is ill
 * conditioned, the interior-point method (fallback.c), for sets that it knows. An iteration of ADMM is
 *
 *     (H + rho I) (v - x) = rho (z - u - x) - g
 *     w = RELAXATION v + (1 - RELAXATION) z,    z+ = P(w + u),    u+ = w + u - z+.
 *
 * An intersection of m sets has a z and a u for each of them, with m rho in the place of rho on the left side and a sum
 * over the sets on the right one; its s is the projection of v.
 *
 * With a penalty h the prox of h / (2 rho) takes the place of P.
 *
 * Its speed hardly depends on the condition of H if rho is right. rho starts between the largest and the smallest
 * curvature, and is then adapted so that v - z and the change of z shrink together; each change costs a factor.
 *
 * z is in K, and the lowest one so far is s. The multiplier is better taken at v, outside K, where -grad q =
 * rho (u - z + v) is nearly normal to K: the error of the bound
 *
 *     min over K of q  >=  -1/2 <v - x, H (v - x)> - <G, x> - support(-G),    G = grad q(v),
 *
 * is of second order in the error of v; a bound taken at s is of first order in that of s.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "inner/flat.h"
#include "inner/solver.h"
#include "linalg/accurate.h"
#include "set/penalty.h"
#include "set/polyhedron.h"

enum {
    GRADIENT_STEPS = 50,   /* before ADMM begins: about what a factor costs */
    CHECK_INTERVAL = 25,   /* iterations between two evaluations of q and rho */
    MAX_FACTORS = 12,      /* for one model */
    POWER_ITERATIONS = 12, /* that estimate a curvature */
    MAX_EXTENSION = 4      /* a run may take so many times the iterations asked for: q and its bound move in bursts */
};
static const double RELAXATION = 1.8;
static const double MIN_RHO = 1e-10;               /* times the largest curvature */
static const double ROUNDING = 64.0 * DBL_EPSILON; /* relative residuals below this cannot shrink further */

typedef struct admm_state {
    gpis_gradient *gradient; /* owned: for the first steps */
    gpis_fallback *fallback; /* owned: takes over if ADMM does not succeed; NULL: there is none */
    bool gave_up;            /* it has taken over, for this problem and those that follow */
    int64_t steps;           /* of the gradient since the problem began */
    int64_t tries;           /* iterations of ADMM since then */
    bool tried_inside;       /* whether the constraint binds at all has been looked at */
    bool going;              /* ADMM has taken over */
    double *factor;          /* owned: d x d, of H + rho I; NULL until it is needed */
    double rho, largest;     /* rho; an estimate of the largest curvature */
    int factors;             /* number of factors made */
    int64_t count;           /* of the sets that x is in: more than one for an intersection */
    double *v, *G;           /* owned: d x k; G: scratch */
    double *z, *u;           /* owned: d x k for each set */
    double *move, *Hmove;    /* owned: d x k; scratch */
    double *dual;            /* owned: d x k; the v of the best bound */
    double moved;            /* ||z+ - z|| of the last iteration */
    double primal, change;   /* ||v - z|| and ||z+ - z||, relative, of the last iteration */
} admm_state;

static bool applies(const gpis_set *set) {
    (void)set;
    return true;
}

static bool is_intersection(const gpis_inner *inner) { return inner->set->class->piece != NULL; }

/* Set i of those that x is in. */
static gpis_set *set_of(const gpis_inner *inner, int64_t i) {
    return is_intersection(inner) ? inner->set->class->piece(inner->set, i) : inner->set;
}

static int64_t count_sets(const gpis_inner *inner) {
    int64_t count = 1;
    while (is_intersection(inner) && set_of(inner, count)) count++;
    return count;
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    admm_state *a = inner->state = gpis_alloc_zero(context, 1, sizeof *a);
    if (!a) return GPIS_NO_MEMORY;
    const int64_t size = inner->set->d * inner->set->k;
    a->count = count_sets(inner);
    double **field[] = {&a->z, &a->u, &a->v, &a->G, &a->move, &a->Hmove, &a->dual};
    for (int i = 0; i < 7; i++)
        if (!(*field[i] = gpis_alloc(context, i < 2 ? a->count * size : size, sizeof(double)))) return GPIS_NO_MEMORY;
    const gpis_status status = gpis_gradient_create(inner, &a->gradient);
    return status == GPIS_OK && gpis_flat_exists(inner->set) ? gpis_fallback_create(inner, &a->fallback) : status;
}

static void destroy(gpis_inner *inner) {
    admm_state *a = inner->state;
    if (!a) return;
    gpis_gradient_destroy(a->gradient);
    gpis_fallback_destroy(a->fallback);
    double *const vectors[] = {a->v, a->z, a->u, a->G, a->move, a->Hmove, a->dual, a->factor};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) gpis_free(inner->context, vectors[i]);
    gpis_free(inner->context, a);
}

/* If ADMM was needed for one problem it will be for the next: it goes on with the z and u that it has. */
static void begin(gpis_inner *inner) {
    admm_state *a = inner->state;
    a->steps = a->tries = 0;
    a->tried_inside = false;
    if (a->gave_up)
        gpis_fallback_begin(a->fallback);
    else if (!a->going)
        gpis_gradient_begin(a->gradient);
}

/* Goes on from s by gradient steps. */
static void give_up(gpis_inner *inner) {
    admm_state *a = inner->state;
    a->going = false;
    inner->dual = inner->s;
    gpis_gradient_begin(a->gradient);
}

/* ---- rho and its factor ---- */

/* An estimate, from below, of the largest eigenvalue of H or, by its factor, of H^-1. */
static double largest_eigenvalue(gpis_inner *inner, bool inverse) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d;
    double *v = a->move, *Hv = a->Hmove, norm = 0.0;
    for (int64_t j = 0; j < d; j++) v[j] = 1.0 + 0.5 * sin((double)(3 * j)); /* unlike any usual direction */
    for (int i = 0; i < POWER_ITERATIONS; i++) {
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

/* Factors H + rho I = U'U; u is scaled, since it is in units of 1 / rho. Gives up if there is no factor. */
static void take_rho(gpis_inner *inner, double rho) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d;
    rho = fmax(rho, MIN_RHO * a->largest);
    for (int64_t i = 0; i < a->count * d * inner->set->k; i++) a->u[i] *= a->rho / rho;
    a->rho = rho;
    a->factors++;
    memcpy(a->factor, inner->model->H, (size_t)(d * d) * sizeof *a->factor);
    for (int64_t j = 0; j < d; j++) a->factor[j * d + j] += (double)a->count * rho;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)d, a->factor, (lapack_int)d) != 0) give_up(inner);
}

/* Begins ADMM at the point that the gradient has reached: z = s, and rho u = -grad q(s), in equal parts. */
static gpis_status switch_over(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    a->factor = gpis_alloc(inner->context, d * d, sizeof(double));
    if (!a->factor) return GPIS_NO_MEMORY;
    a->largest = largest_eigenvalue(inner, false);
    const double smallest = 1.0 / fmax(largest_eigenvalue(inner, true), DBL_MIN);
    gpis_inner_value(inner, inner->s, a->move, a->Hmove);
    for (int64_t p = 0; p < a->count; p++) {
        for (int64_t i = 0; i < size; i++) a->u[p * size + i] = -(inner->g[i] + a->Hmove[i]) / (double)a->count;
        memcpy(a->z + p * size, inner->s, (size_t)size * sizeof *a->z);
    }
    a->rho = 1.0;
    a->going = true;
    take_rho(inner, sqrt(a->largest * fmin(smallest, a->largest)));
    return GPIS_OK;
}

/* Adapts rho so that v - z is half as large as the change of z, both relative. That was measured to be the best ratio,
 * though not by much. */
static void adapt(gpis_inner *inner) {
    admm_state *a = inner->state;
    const double wrong = sqrt(2.0 * a->primal / a->change);
    if (a->factors >= MAX_FACTORS || !isfinite(wrong) || (wrong < 1.5 && wrong > 1.0 / 1.5)) return;
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

/* The step of set p: z and u from v. Adds the square of the change of z to *change2. */
static gpis_status alternate_set(gpis_inner *inner, int64_t p, double *change2) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    double *z = a->z + p * size, *u = a->u + p * size;
    for (int64_t i = 0; i < size; i++) u[i] += RELAXATION * a->v[i] + (1.0 - RELAXATION) * z[i];
    if (!gpis_all_finite(u, size)) {
        give_up(inner);
        return GPIS_OK;
    }
    const gpis_status status = gpis_set_prox(set_of(inner, p), 0.5 / a->rho, u, a->G);
    for (int64_t i = 0; i < size; i++) {
        u[i] -= a->G[i];
        a->move[i] = a->G[i] - z[i];
    }
    const double change = gpis_norm2(a->move, size);
    *change2 += change * change;
    memcpy(z, a->G, (size_t)size * sizeof *z);
    return status;
}

static gpis_status iterate(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    const double *x = inner->x;
    double change2 = 0.0;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < size; i++) {
        double sum = a->z[i] - a->u[i] - x[i];
        for (int64_t p = 1; p < a->count; p++) sum += a->z[p * size + i] - a->u[p * size + i] - x[i];
        a->v[i] = a->rho * sum - inner->g[i];
    }
    solve_factor(inner, a->v);
    for (int64_t i = 0; i < size; i++) a->v[i] += x[i];
    for (int64_t p = 0; p < a->count && a->going && status == GPIS_OK; p++) status = alternate_set(inner, p, &change2);
    a->moved = sqrt(change2);
    return status;
}

/* The residuals of the last iteration, by which rho is adapted. */
static void measure_residuals(const gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    double apart = 0.0, sizes = 0.0;
    a->change = a->moved / gpis_norm2(a->u, a->count * size);
    for (int64_t p = 0; p < a->count; p++) {
        for (int64_t i = 0; i < size; i++) a->move[i] = a->v[i] - a->z[p * size + i];
        apart = hypot(apart, gpis_norm2(a->move, size));
        sizes = fmax(sizes, gpis_norm2(a->z + p * size, size));
    }
    a->primal = apart / fmax(gpis_norm2(a->v, size), sizes);
}

/* What is projected on an intersection: v or, better, the z of a set with a penalty, whose zeros are exact, or of a
 * polyhedron, which meets its bounds exactly. */
static const double *candidate(const gpis_inner *inner) {
    const admm_state *a = inner->state;
    const double *best = a->v;
    for (int64_t p = 0; p < a->count; p++) {
        const double *z = a->z + p * inner->set->d * inner->set->k;
        if (set_of(inner, p)->penalty) return z;
        if (gpis_polyhedron_describes(set_of(inner, p))) best = z;
    }
    return best;
}

/* Keeps z (of an intersection, the projection of v) if it is the lowest, and v if its bound is the best. */
static gpis_status look(gpis_inner *inner) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    const bool several = is_intersection(inner);
    gpis_status status = several ? gpis_set_project(inner->set, candidate(inner), a->G) : GPIS_OK;
    if (status != GPIS_OK) return status;
    const double *point = several ? a->G : a->z, value = gpis_inner_value(inner, point, a->move, a->Hmove);
    if (value < inner->value) {
        inner->value = value;
        memcpy(inner->s, point, (size_t)size * sizeof *point);
    }
    double bound;
    status = gpis_inner_bound(inner, a->v, a->move, a->Hmove, &bound);
    if (status != GPIS_OK || !(bound > inner->bound)) return status;
    inner->bound = bound;
    memcpy(a->dual, a->v, (size_t)size * sizeof *a->v);
    inner->dual = a->dual;
    return GPIS_OK;
}

/* Makes at least `iterations`, and more until the gap between q and its bound has shrunk by half. */
static gpis_status alternate(gpis_inner *inner, int64_t iterations, bool *done) {
    admm_state *a = inner->state;
    const double before = inner->value - inner->bound;
    gpis_status status = GPIS_OK;
    *done = false;
    for (int64_t i = 1; i <= MAX_EXTENSION * iterations && a->going && !*done && status == GPIS_OK; i++) {
        if (gpis_is_stopped(inner->stop)) break;
        status = iterate(inner);
        a->tries++;
        inner->iterations++;
        inner->trials++;
        if (status != GPIS_OK || !a->going || (i % CHECK_INTERVAL != 0 && i != iterations)) continue;
        measure_residuals(inner);
        status = look(inner);
        const double gap = inner->value - inner->bound;
        *done = gap <= 8.0 * gpis_inner_noise(inner, a->v, a->Hmove) || fmax(a->primal, a->change) <= ROUNDING;
        if (i >= iterations && (gap <= 0.5 * before || isinf(gap))) break;
        adapt(inner);
    }
    return status;
}

/* The iterations of ADMM for one problem, if there is a fallback: about as much arithmetic as that would take. */
static int64_t patience(const gpis_inner *inner) { return 200 + 10 * inner->set->d; }

/* The minimiser without the constraint, x - H^-1 g, is that over K if it is in K: the radius may be far beyond what
 * binds. */
static gpis_status try_inside(gpis_inner *inner, bool *done) {
    admm_state *a = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    double away;
    *done = false;
    if (inner->set->penalty || !gpis_model_covers(inner->model, inner->set->k, inner->g)) return GPIS_OK;
    memcpy(a->move, inner->g, (size_t)size * sizeof *a->move);
    gpis_model_solve(inner->model, inner->set->k, a->move);
    for (int64_t i = 0; i < size; i++) a->v[i] = inner->x[i] - a->move[i];
    if (!gpis_all_finite(a->v, size)) return GPIS_OK;
    const gpis_status status = gpis_set_distance(inner->set, a->v, &away);
    if (status != GPIS_OK || away > 0.0) return status;
    memcpy(inner->s, a->v, (size_t)size * sizeof *a->v);
    inner->value = gpis_inner_value(inner, inner->s, a->move, a->Hmove);
    inner->dual = inner->s;
    inner->iterations++;
    *done = true;
    return GPIS_OK;
}

/* Gradient steps before ADMM begins: none where a projection is itself an iteration. */
static int64_t gradient_steps(const gpis_inner *inner) { return inner->set->iterative ? 0 : GRADIENT_STEPS; }

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    admm_state *a = inner->state;
    if (!a->tried_inside) {
        a->tried_inside = true;
        const gpis_status status = try_inside(inner, done);
        if (status != GPIS_OK || *done) return status;
    }
    if (!a->going && a->steps >= gradient_steps(inner) && !a->factor) {
        const gpis_status status = switch_over(inner);
        if (status != GPIS_OK) return status;
    }
    if (a->going && a->fallback && a->tries >= patience(inner)) {
        a->gave_up = true;
        gpis_fallback_begin(a->fallback);
    }
    if (a->gave_up) return gpis_fallback_run(a->fallback, iterations, done);
    if (a->going) return alternate(inner, iterations, done);
    a->steps += iterations;
    return gpis_gradient_run(a->gradient, iterations, done);
}

const gpis_inner_solver gpis_inner_admm = {applies, create, begin, run, destroy};
