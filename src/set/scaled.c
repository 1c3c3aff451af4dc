/*
 * A set in other units: K = {x : S x in base}, S = diag(s), s > 0. In the coordinates z = S x it is the base itself
 * (gpis_set.inside), where solvers work. A penalty of the base, sum of mu_j |z_j|, is one of lambda_j = s_j mu_j here.
 *
 *     support(l) = support_base(S^-1 l), with a penalty the same for the conjugates.
 *
 * The projection is a problem of its own,
 *
 *     minimise 1/2 ||x - v||^2 + step h(x)    where z = S x is in the base:
 *
 * for a ball it is that on an ellipsoid, x_j = v_j / (1 + t s_j^2), where t is the root of a secular equation; for the
 * others it is found by alternating directions,
 *
 *     (1 + rho s_j^2) x_j = v_j + rho s_j (z_j - u_j),    z = prox of step / rho at S x + u,    u := u + S x - z.
 *
 * Whatever they leave undone, x = S^-1 z for a z of the base.
 */
#include "set/scaled.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/penalised.h"

typedef struct scaled_state {
    double *s;                        /* owned: d */
    double *x, *z, *u, *before, *out; /* owned: as many numbers as the set works on at a time */
} scaled_state;

static void destroy(gpis_set *set) {
    scaled_state *t = set->state;
    void *const all[] = {t->s, t->x, t->z, t->u, t->before, t->out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(set->context, all[i]);
}

static int64_t size_of(const gpis_set *set) { return set->matrix ? set->d * set->k : set->d; }
/* The scale of number i of those that the set works on at a time. */
static double scale_of(const gpis_set *set, int64_t i) {
    return ((const scaled_state *)set->state)->s[set->matrix ? i / set->k : i];
}

/* z = S x and T' = S^-1 for x = T z. */
static void turn(const gpis_set *set, gpis_way way, int64_t count, const double *in, double *out) {
    const scaled_state *t = set->state;
    const bool times = way == GPIS_TO_INSIDE || way == GPIS_TRANSPOSED_BACK;
    for (int64_t c = 0; c < count; c++)
        for (int64_t j = 0; j < set->d; j++)
            out[c * set->d + j] = times ? in[c * set->d + j] * t->s[j] : in[c * set->d + j] / t->s[j];
}

static double matrix_low(const gpis_set *set, double *U, double *U_low) {
    memset(U, 0, (size_t)(set->d * set->d) * sizeof *U);
    memset(U_low, 0, (size_t)(set->d * set->d) * sizeof *U_low);
    for (int64_t j = 0; j < set->d; j++) U[j * (set->d + 1)] = ((const scaled_state *)set->state)->s[j];
    return 0.0;
}

/* ---- projections ------------------------------------------------------------------------------------------------- */

/* The set, or its cone, of the base. */
static gpis_status map_base(gpis_set *set, bool to_cone, double step, const double *v, double *x) {
    gpis_set *base = set->inside;
    if (to_cone) return base->class->recession(base, v, x);
    return gpis_set_prox_part(base, step, v, x);
}

/* ||z - S v|| is no more than rounding: v is a member, and x = S^-1 z is, too. */
static bool is_near(const gpis_set *set, const double *v, const double *z) {
    double moved = 0.0, size = 0.0;
    for (int64_t i = 0; i < size_of(set); i++) {
        const double at = v[i] * scale_of(set, i);
        moved = hypot(moved, z[i] - at);
        size = hypot(size, at);
    }
    return moved <= 4.0 * gpis_set_rounding(set->d) * size;
}

/* The ball ||S x|| <= R: the root t of ||S x(t)|| = R, which falls with t, by Newton's method for 1 / ||S x(t)||. */
static void project_ball(const gpis_set *set, const double *v, double *z) {
    enum { MAX_STEPS = 100 };
    const int64_t n = size_of(set);
    const double R = set->inside->R;
    double t = 0.0;
    for (int i = 0; i < MAX_STEPS; i++) {
        double norm2 = 0.0, slope = 0.0; /* of ||S x||^2 / 2, downwards */
        for (int64_t e = 0; e < n; e++) {
            const double s = scale_of(set, e), below = 1.0 + t * s * s;
            z[e] = s * v[e] / below;
            norm2 += z[e] * z[e];
            slope += z[e] * z[e] * s * s / below;
        }
        const double norm = sqrt(norm2), step = R > 0.0 ? norm2 / slope * (norm - R) / R : INFINITY;
        if (!(step > DBL_EPSILON * t) || !isfinite(step)) break;
        t += step;
    }
}

/* One iteration of alternating directions; *moved and *apart: how far z has moved, and S x is from it. */
static gpis_status alternate(gpis_set *set, bool to_cone, double step, double rho, const double *v, double *moved,
                             double *apart) {
    scaled_state *t = set->state;
    const int64_t n = size_of(set);
    memcpy(t->before, t->z, (size_t)n * sizeof *t->z);
    for (int64_t i = 0; i < n; i++) {
        const double s = scale_of(set, i);
        t->x[i] = s * (v[i] + rho * s * (t->z[i] - t->u[i])) / (1.0 + rho * s * s); /* S x */
        t->u[i] += t->x[i];
    }
    const gpis_status status = map_base(set, to_cone, step / rho, t->u, t->z);
    *moved = *apart = 0.0;
    for (int64_t i = 0; i < n; i++) {
        t->u[i] -= t->z[i];
        *moved = hypot(*moved, t->z[i] - t->before[i]);
        *apart = hypot(*apart, t->z[i] - t->x[i]);
    }
    return status;
}

/* rho is adapted now and then, so that both residuals shrink together; u is in units of 1 / rho. */
static double adapt(gpis_set *set, double rho, double moved, double apart) {
    scaled_state *t = set->state;
    const double factor = apart > 10.0 * moved ? 2.0 : moved > 10.0 * apart ? 0.5 : 1.0;
    for (int64_t i = 0; factor != 1.0 && i < size_of(set); i++) t->u[i] /= factor;
    return rho * factor;
}

static gpis_status project_by_alternating(gpis_set *set, bool to_cone, double step, const double *v) {
    enum { MAX_ITERATIONS = 20000, INTERVAL = 20 };
    static const double STILL = 1e-14;
    scaled_state *t = set->state;
    const int64_t n = size_of(set);
    double least = INFINITY, most = 0.0, moved = INFINITY, apart = INFINITY, size = 0.0;
    gpis_status status = GPIS_OK;
    for (int64_t j = 0; j < set->d; j++) least = fmin(least, t->s[j]), most = fmax(most, t->s[j]);
    double rho = 1.0 / (least * most);
    memset(t->u, 0, (size_t)n * sizeof *t->u);
    for (int i = 1; i <= MAX_ITERATIONS && status == GPIS_OK && fmax(moved, apart) > STILL * size; i++) {
        status = gpis_set_go_on(set);
        if (status == GPIS_OK) status = alternate(set, to_cone, step, rho, v, &moved, &apart);
        size = fmax(gpis_norm2(t->z, n), gpis_norm2(t->x, n));
        if (i % INTERVAL == 0 && i < MAX_ITERATIONS / 2) rho = adapt(set, rho, moved, apart);
    }
    return status;
}

static gpis_status nearest(gpis_set *set, bool to_cone, double step, const double *v, double *x) {
    scaled_state *t = set->state;
    const int64_t n = size_of(set);
    for (int64_t i = 0; i < n; i++) t->x[i] = v[i] * scale_of(set, i);
    gpis_status status = map_base(set, to_cone, 0.0, t->x, t->z);
    const bool plain = to_cone || step == 0.0 || !set->penalty;
    if (status == GPIS_OK && !(plain && is_near(set, v, t->z))) {
        if (plain && !to_cone && set->inside->shape == GPIS_SHAPE_BALL) {
            project_ball(set, v, t->x);
            status = map_base(set, false, 0.0, t->x, t->z); /* the last digits */
        } else {
            status = project_by_alternating(set, to_cone, step, v);
        }
    }
    for (int64_t i = 0; i < n && status == GPIS_OK; i++) x[i] = t->z[i] / scale_of(set, i);
    return status;
}

static gpis_status project(gpis_set *set, const double *v, double *x) { return nearest(set, false, 0.0, v, x); }
static gpis_status prox(gpis_set *set, double step, const double *v, double *x) {
    return nearest(set, false, step, v, x);
}
static gpis_status recession(gpis_set *set, const double *v, double *x) { return nearest(set, true, 0.0, v, x); }

/* ---- support ----------------------------------------------------------------------------------------------------- */

/* mu = S^-1 v, with one rounding of each entry, and back: v is S mu then, with another one. The base knows mu up to
 * `lost`. For a bounded set all of this counts with the radius of the base. `at`: a point where v is nearly normal;
 * NULL: it is not known. */
static gpis_status support_at(gpis_set *set, const double *at, double *v, double *value, double *slack) {
    scaled_state *t = set->state;
    gpis_set *base = set->inside;
    const int64_t n = size_of(set);
    double lost, most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        t->u[i] = v[i] / scale_of(set, i);
        if (at) t->x[i] = at[i] * scale_of(set, i);
        most = fmax(most, scale_of(set, i));
    }
    memcpy(t->before, t->u, (size_t)n * sizeof *t->u);
    const gpis_status status = gpis_set_support_at_part(base, at ? t->x : NULL, t->u, value, &lost);
    for (int64_t i = 0; i < n; i++)
        if (set->unbounded || t->u[i] != t->before[i]) v[i] = t->u[i] * scale_of(set, i);
    const double outward = 1.0 + gpis_set_rounding(n);
    *slack = set->unbounded ? (lost * most + DBL_EPSILON * gpis_norm2(v, n)) * outward : 0.0;
    if (!set->unbounded) *value += (lost + 2.0 * DBL_EPSILON * gpis_norm2(t->u, n)) * base->radius * outward;
    return status;
}

static gpis_status support_near(gpis_set *set, double *v, double *value, double *slack) {
    return support_at(set, NULL, v, value, slack);
}

static gpis_status support(gpis_set *set, const double *g, double *value) {
    scaled_state *t = set->state;
    double slack;
    memcpy(t->out, g, (size_t)size_of(set) * sizeof *g);
    return support_at(set, NULL, t->out, value, &slack);
}

static const gpis_set_class scaled_class = {
    .name = "scaled",
    .project = project,
    .prox = prox,
    .support = support,
    .recession = recession,
    .support_near = support_near,
    .support_at = support_at,
    .turn = turn,
    .matrix_low = matrix_low,
    .destroy = destroy,
};

/* ---- making it --------------------------------------------------------------------------------------------------- */

static gpis_status take_memory(gpis_set *set, const double *scale) {
    gpis_status status = gpis_set_take_state(set, sizeof(scaled_state));
    if (status != GPIS_OK) return status;
    scaled_state *t = set->state;
    double **vectors[] = {&t->x, &t->z, &t->u, &t->before, &t->out};
    for (int i = 0; i < 5; i++)
        if (!(*vectors[i] = gpis_alloc_zero(set->context, size_of(set), sizeof(double)))) return GPIS_NO_MEMORY;
    t->s = gpis_alloc(set->context, set->d, sizeof *t->s);
    if (!t->s) return GPIS_NO_MEMORY;
    memcpy(t->s, scale, (size_t)set->d * sizeof *scale);
    return gpis_set_take_work(set, set->d);
}

/* Rounded upwards: a penalty that is larger by rounding has a conjugate that is smaller, and that of the base bounds
 * both. */
static gpis_status take_penalty(gpis_set *set, const double *scale) {
    if (!set->inside->penalty) return GPIS_OK;
    set->penalty = gpis_alloc(set->context, set->d, sizeof *set->penalty);
    for (int64_t j = 0; set->penalty && j < set->d; j++)
        set->penalty[j] = set->inside->penalty[j] > 0.0 ? nextafter(set->inside->penalty[j] * scale[j], INFINITY) : 0.0;
    return set->penalty ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_scale(gpis_set *base, const double *scale, gpis_set **out) {
    gpis_set *set = NULL;
    gpis_status status = gpis_set_begin(base->context, &scaled_class, base->d, base->k, base->matrix, out, &set);
    if (status == GPIS_OK) status = gpis_set_describe(set, "%s", base->spec);
    if (status == GPIS_OK) status = take_memory(set, scale);
    if (status == GPIS_OK) {
        double least = INFINITY;
        for (int64_t j = 0; j < base->d; j++) least = fmin(least, scale[j]);
        set->inside = base;
        set->radius = base->radius / least * (1.0 + gpis_set_rounding(1));
        set->unbounded = base->unbounded;
        set->iterative = base->iterative || base->shape != GPIS_SHAPE_BALL;
        set->has_support = base->has_support;
        status = take_penalty(set, scale);
    }
    return gpis_set_finish(set, status, out);
}
