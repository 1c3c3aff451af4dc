/*
 * The kind polyhedron: projection, recession cone and support function by the active-set method (walk.h).
 *
 * For any y, with y_i <= 0 where row i has no upper limit and y_i >= 0 where it has no lower one, and any nu >= 0,
 *
 *     support_K(v) <= sum of y_i b_i + sum of nu_k R_k + sum over j of sup of r_j x - kappa_j |x| over [lo_j, hi_j],
 *
 * where b_i is the upper limit for y_i > 0 and the lower one for y_i < 0, r = v - C'y and kappa_j = sum of nu_k w_kj.
 * With a penalty, kappa_j has lambda_j in addition, and the sum bounds the conjugate. No condition number enters. The y
 * and nu are those for which v is nearest to normal at a point that is farthest along v (polyhedron_normal.c); the
 * right ones make it an equality. Where lo_j or hi_j is infinite, constraints may still imply bounds; else r_j, and
 * with it v_j, is moved to where the supremum is finite.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/multiplier.h"
#include "set/polyhedron_state.h"

static void destroy(gpis_set *s) {
    gpis_polyhedron_state *p = s->state;
    gpis_polyhedron_destroy(p->list);
    gpis_walk_destroy(p->walk);
    gpis_free(s->context, p->memory);
    gpis_free(s->context, p->extended);
}

/* ---- projections ------------------------------------------------------------------------------------------------- */

static gpis_status fail_lost(const gpis_set *s) {
    return gpis_fail(s->context, GPIS_INTERNAL, "set %.150s: rounding errors keep a projection from its face", s->spec);
}

/* Numbers so near to underflow that differences of them have lost digits count as 0. */
static void flush(int64_t d, double *v) {
    static const double SMALLEST = DBL_MIN / DBL_EPSILON;
    for (int64_t j = 0; j < d; j++)
        if (fabs(v[j]) < SMALLEST) v[j] = 0.0;
}

/* argmin over the limits of 1/2 ||x - v||^2 + sum of lambda_j |x_j|, found from the face of x. */
static gpis_status nearest_from(gpis_set *s, const gpis_limits *of, const double *v, double *x) {
    gpis_polyhedron_state *p = s->state;
    const gpis_metric metric = gpis_walk_identity(p->walk);
    memcpy(p->centre, v, (size_t)s->d * sizeof *v);
    flush(s->d, p->centre);
    p->walk->stop = s->stop;
    gpis_walk_end end = gpis_walk_solve(p->walk, of, &metric, p->centre, NULL, x);
    if (end != GPIS_WALK_SOLVED) end = gpis_walk_solve(p->walk, of, &metric, p->centre, NULL, x); /* from where it is */
    if (end == GPIS_WALK_SOLVED) return GPIS_OK;
    const gpis_status status = gpis_set_go_on(s);
    return status == GPIS_OK ? fail_lost(s) : status;
}

/* The same from the face of v; x may be v. */
static gpis_status nearest(gpis_set *s, const gpis_limits *of, const double *v, double *x) {
    if (x != v) memcpy(x, v, (size_t)s->d * sizeof *x);
    flush(s->d, x);
    return nearest_from(s, of, x, x);
}

/* A point is far away if its size exceeds that of its projection so many times. */
static const double FAR = 1e3;

static double max_difference(const double *a, const double *b, int64_t n) {
    double most = 0.0;
    for (int64_t j = 0; j < n; j++) most = fmax(most, fabs(a[j] - b[j]));
    return most;
}

/* No entry of a member is larger; infinite where that is not known. */
static double extent(const gpis_set *s) { return s->unbounded || s->radius == 0.0 ? INFINITY : s->radius; }

/* The point between x and v that is no farther from x than `reach`; returns its size. */
static double aim(const gpis_set *s, const double *x, const double *v, double reach, double *out) {
    const double away = max_difference(x, v, s->d), t = away > reach ? reach / away : 1.0;
    for (int64_t j = 0; j < s->d; j++) out[j] = x[j] + t * (v[j] - x[j]);
    return gpis_max_abs(out, s->d);
}

/* The rounding errors of a projection are those of v, which exceed the set if v is far away. Since v - x is normal to K
 * at the projection x, x is also the projection of every point between x and v: of one that is near, with few rounding
 * errors. If x is not the projection yet, each such step, one of the proximal point method, leads towards it. */
static gpis_status project(gpis_set *s, const double *v, double *x) {
    enum { MAX_ROUNDS = 32 };
    static const double ROUNDING = 64.0 * DBL_EPSILON, MEANINGLESS = 1e-3;
    gpis_polyhedron_state *p = s->state;
    const gpis_limits of = gpis_walk_limits(s->polyhedron, NULL);
    memcpy(p->far, v, (size_t)s->d * sizeof *v);
    memset(p->last, 0, (size_t)s->d * sizeof *p->last);
    double size = aim(s, p->last, p->far, FAR * extent(s), p->aim);
    bool aimed = size < gpis_max_abs(v, s->d);
    gpis_status status = nearest(s, &of, p->aim, x);
    for (int i = 0; i < MAX_ROUNDS && status == GPIS_OK; i++, aimed = true) {
        const double top = gpis_max_abs(x, s->d), error = ROUNDING * size; /* of x */
        if (!aimed && !(size > FAR * top)) break;
        memcpy(p->last, x, (size_t)s->d * sizeof *x);
        size = aim(s, p->last, p->far, FAR * fmin(extent(s), top > 0.0 ? top : p->size), p->aim);
        status = nearest_from(s, &of, p->aim, x); /* usually on the same face */
        const double now = gpis_max_abs(x, s->d), moved = max_difference(x, p->last, s->d);
        if (moved == 0.0) break;
        if (size <= 2.0 * FAR * now && error <= MEANINGLESS * now && moved <= error + ROUNDING * size) break;
    }
    return status;
}

static gpis_status prox(gpis_set *s, double step, const double *v, double *x) {
    gpis_polyhedron_state *p = s->state;
    for (int64_t j = 0; j < s->d; j++) p->lambda[j] = s->penalty ? step * s->penalty[j] : 0.0;
    const gpis_limits of = gpis_walk_limits(s->polyhedron, s->penalty ? p->lambda : NULL);
    return nearest(s, &of, v, x);
}

/* The directions in which K never ends: all limits are 0. */
static gpis_status recession(gpis_set *s, const double *v, double *x) {
    gpis_polyhedron_state *p = s->state;
    const gpis_polyhedron *list = s->polyhedron;
    for (int64_t j = 0; j < s->d; j++) {
        p->cone.lo[j] = isinf(list->lo[j]) ? -INFINITY : 0.0;
        p->cone.hi[j] = isinf(list->hi[j]) ? INFINITY : 0.0;
        p->cone.side[j] = 0.0;
    }
    for (int64_t i = 0; i < list->rows; i++) {
        p->cone.lower[i] = isinf(list->lower[i]) ? -INFINITY : 0.0;
        p->cone.upper[i] = isinf(list->upper[i]) ? INFINITY : 0.0;
    }
    for (int64_t k = 0; k < list->sums; k++) p->cone.R[k] = 0.0;
    const gpis_limits of = gpis_polyhedron_cone(p);
    return nearest(s, &of, v, x);
}

/* ---- support ----------------------------------------------------------------------------------------------------- */

/* The point of K that is farthest along v, or nearly: the projection of a long multiple of v. In a cone, whose limits
 * are all 0, it is the origin. */
static gpis_status go_along(gpis_set *s, const double *v, double *at) {
    static const double LONG = 1e5;
    const gpis_polyhedron_state *p = s->state;
    const double norm = gpis_norm2(v, s->d), times = norm > 0.0 ? LONG * fmax(p->size, DBL_MIN) / norm : 0.0;
    for (int64_t j = 0; j < s->d; j++) at[j] = times * v[j];
    if (!gpis_all_finite(at, s->d)) return fail_lost(s);
    if (p->size > 0.0) return project(s, at, at);
    memset(at, 0, (size_t)s->d * sizeof *at);
    return GPIS_OK;
}

static gpis_status support_near(gpis_set *s, double *v, double *value, double *slack) {
    static const double NEARLY_MET = 1e-9; /* what the long way to the point costs */
    gpis_polyhedron_state *p = s->state;
    gpis_status status = GPIS_OK;
    if (s->unbounded) {
        status = recession(s, v, p->at);
        for (int64_t j = 0; j < s->d; j++) v[j] -= p->at[j];
    }
    if (status == GPIS_OK) status = go_along(s, v, p->at);
    if (status == GPIS_OK) status = gpis_polyhedron_fit(s, p->at, NEARLY_MET, v);
    if (status == GPIS_OK) gpis_polyhedron_conjugate(s, v, value, slack);
    return status;
}

static gpis_status support_at(gpis_set *s, const double *at, double *v, double *value, double *slack) {
    const gpis_status status = gpis_polyhedron_fit(s, at, GPIS_MET, v);
    if (status == GPIS_OK) gpis_polyhedron_conjugate(s, v, value, slack);
    return status;
}

static gpis_status support_low(gpis_set *s, gpis_multiplier *m) {
    memset(m->l_low, 0, (size_t)s->d * sizeof *m->l_low);
    m->weighted = false;
    return support_at(s, m->at, m->l, &m->value, &m->slack);
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    gpis_polyhedron_state *p = s->state;
    double slack;
    memcpy(p->copy, g, (size_t)s->d * sizeof *g);
    return support_near(s, p->copy, value, &slack);
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

static const gpis_set_class polyhedron_class = {
    .name = "polyhedron",
    .project = project,
    .prox = prox,
    .support = support,
    .recession = recession,
    .support_near = support_near,
    .support_at = support_at,
    .support_low = support_low,
    .destroy = destroy,
};

static gpis_status take_memory(gpis_set *s, gpis_polyhedron_state *p) {
    enum { VECTORS = 14 };
    const int64_t d = s->d, rows = s->polyhedron->rows, sums = s->polyhedron->sums;
    p->memory = gpis_alloc_zero(s->context, VECTORS * d + 3 * rows + 2 * sums, sizeof *p->memory);
    if (!p->memory) return GPIS_NO_MEMORY;
    double *at = p->memory, **vectors[VECTORS] = {&p->centre,   &p->at,      &p->copy,    &p->lambda,    &p->reach_lo,
                                                  &p->reach_hi, &p->cone.lo, &p->cone.hi, &p->cone.side, &p->along,
                                                  &p->kappa,    &p->far,     &p->aim,     &p->last};
    for (int i = 0; i < VECTORS; i++, at += d) *vectors[i] = at;
    p->cone.lower = at;
    p->cone.upper = at + rows;
    p->y = at + 2 * rows;
    p->cone.R = at + 3 * rows;
    p->nu = p->cone.R + sums;
    p->extended = gpis_alloc(s->context, 2 * d, sizeof *p->extended);
    if (!p->extended) return GPIS_NO_MEMORY;
    return gpis_walk_create(s->context, s->polyhedron, &p->walk);
}

/* The list is the state's from the start, so that it is destroyed with the set. */
static gpis_status take_list(gpis_set *s, gpis_polyhedron *list, const double *penalty) {
    gpis_status status = gpis_set_take_state(s, sizeof(gpis_polyhedron_state));
    if (status != GPIS_OK) {
        gpis_polyhedron_destroy(list);
        return status;
    }
    gpis_polyhedron_state *p = s->state;
    s->polyhedron = p->list = list;
    if (penalty) {
        s->penalty = gpis_alloc(s->context, s->d, sizeof *s->penalty);
        if (!s->penalty) return GPIS_NO_MEMORY;
        memcpy(s->penalty, penalty, (size_t)s->d * sizeof *penalty);
    }
    return take_memory(s, p);
}

static gpis_status take_names(gpis_set *s, const char *const *names) {
    return names ? gpis_set_name_columns(s, names, s->d) : GPIS_OK;
}

/* A set of this kind with the list, which it takes. */
static gpis_status make(gpis_polyhedron *list, const double *penalty, gpis_set **s) {
    gpis_set *unused = NULL;
    const gpis_status status = gpis_set_begin(list->context, &polyhedron_class, list->d, 1, false, &unused, s);
    if (status == GPIS_OK) return take_list(*s, list, penalty);
    gpis_polyhedron_destroy(list);
    return status;
}

gpis_status gpis_polyhedron_keep(gpis_polyhedron *list, const char *spec, const double *penalty, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = make(list, penalty, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s", spec);
    if (status == GPIS_OK) status = gpis_polyhedron_judge(s);
    return gpis_set_finish(s, status, out);
}

/* The sum of a simple set keeps its text: the set has more constraints than that. */
static gpis_status name_sum(gpis_set *s, const gpis_polyhedron *list, const char *const *names) {
    char text[GPIS_CONSTRAINT_TEXT];
    gpis_polyhedron_text(list, names, list->d, 1, text);
    s->sum_text = gpis_duplicate_text(s->context, text);
    return s->sum_text ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_polyhedron_finish(gpis_polyhedron *list, const char *spec, const char *const *names,
                                   const double *penalty, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_polyhedron_check_limits(list, names);
    if (status == GPIS_OK && !penalty) status = gpis_polyhedron_simplify(list, &s);
    const bool simple = s != NULL;
    if (simple && list->rows + list->sums > 0) status = name_sum(s, list, names);
    if (simple || status != GPIS_OK)
        gpis_polyhedron_destroy(list);
    else
        status = make(list, penalty, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s", spec);
    if (status == GPIS_OK) status = take_names(s, names);
    if (status == GPIS_OK && !simple) status = gpis_polyhedron_judge(s);
    if (status == GPIS_OK && !simple) status = gpis_polyhedron_check_together(s);
    return gpis_set_finish(s, status, out);
}
