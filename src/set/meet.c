/*
 * The meeting of sets K_1, ..., K_m. The projection is found in its dual,
 *
 *     minimise over q_1, ..., q_m   1/2 ||v - q_1 - ... - q_m||^2 + support_1(q_1) + ... + support_m(q_m),
 *
 * for one q_i after the other (Dykstra's method): with y = v less the other q_j, q_i = y - P_i(y). At the end x = v -
 * sum of q_i is the projection, and q_i is normal to K_i there.
 *
 * So the same iteration splits a vector l that is normal to the meeting at a point s: l = l_1 + ... + l_m with l_i
 * normal to K_i, from the projection of s + theta l. Whatever the split, support(l) <= sum of support_i(l_i), which is
 * how a certificate takes it. What the split leaves of l goes to the last set that is bounded, or is moved away.
 *
 * One of the sets may have a penalty h, which is then that of the meeting: the prox of h takes the place of the
 * projection on that set, and its conjugate that of its support function. All of the above holds for these as well.
 */
#include "set/meet.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "set/kinds.h"
#include "set/penalised.h"
#include "set/polyhedron.h"
#include "set/price.h"

enum { MAX_SWEEPS = 4000 };

typedef struct meet_state {
    int64_t count;
    gpis_set **sets;                           /* owned array of borrowed sets; those that are bounded come last */
    double *q;                                 /* owned: count x size */
    double *y, *z, *at, *copy, *given, *start; /* owned: size; scratch */
    double *inside;                            /* owned: size; the member that is nearest to 0 */
    double size;                               /* of the sets */
} meet_state;

static void destroy(gpis_set *s) {
    meet_state *m = s->state;
    void *const all[] = {m->sets, m->q, m->y, m->z, m->at, m->copy, m->given, m->start, m->inside};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(s->context, all[i]);
}

static int64_t size_of(const gpis_set *s) { return s->matrix ? s->d * s->k : s->d; }

/* The radius of a set, over what the meeting works on at a time. */
static double piece_radius(const gpis_set *s, const gpis_set *piece) {
    return s->matrix ? gpis_set_core_radius(piece) : piece->radius;
}

static double last_radius(const gpis_set *s) {
    const meet_state *m = s->state;
    return piece_radius(s, m->sets[m->count - 1]);
}

/* What each of the sets does to a vector: the prox of `step` times its penalty, or the projection on its cone. */
typedef struct mapping {
    bool to_cone;
    double step; /* 0: the projection on the set */
} mapping;

static const mapping PROJECTION = {false, 0.0}, RECESSION = {true, 0.0};

/* One of the sets, for one column of X or, if the meeting works on X as a matrix, for all of X. */
static gpis_status map_piece(const gpis_set *s, gpis_set *piece, mapping map, const double *v, double *x) {
    if (s->matrix) return map.to_cone ? gpis_set_recession(piece, v, x) : gpis_set_prox(piece, map.step, v, x);
    if (!map.to_cone) return gpis_set_prox_part(piece, map.step, v, x);
    if (piece->unbounded) return piece->class->recession(piece, v, x);
    memset(x, 0, (size_t)s->d * sizeof *x);
    return GPIS_OK;
}

/* ---- projection -------------------------------------------------------------------------------------------------- */

/* One sweep over the sets from x = v - sum of q. *moved: how far x has moved in all. */
static gpis_status sweep(gpis_set *s, mapping map, double *x, double *moved) {
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    gpis_status status = GPIS_OK;
    *moved = 0.0;
    for (int64_t i = 0; i < m->count && status == GPIS_OK; i++) {
        double *q = m->q + i * n;
        for (int64_t e = 0; e < n; e++) m->y[e] = x[e] + q[e];
        status = map_piece(s, m->sets[i], map, m->y, m->z);
        for (int64_t e = 0; e < n; e++) {
            q[e] = m->y[e] - m->z[e];
            m->y[e] = m->z[e] - x[e];
            x[e] = m->z[e];
        }
        *moved = fmax(*moved, gpis_max_abs(m->y, n));
    }
    return status;
}

static gpis_status nearest(gpis_set *s, mapping map, const double *v, double *x) {
    static const double STILL = 2.0 * DBL_EPSILON;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    const double size = gpis_max_abs(v, n);
    double moved = INFINITY;
    gpis_status status = GPIS_OK;
    if (x != v) memcpy(x, v, (size_t)n * sizeof *x);
    memset(m->q, 0, (size_t)(m->count * n) * sizeof *m->q);
    for (int i = 0; i < MAX_SWEEPS && status == GPIS_OK && moved > STILL * fmax(size, gpis_max_abs(x, n)); i++) {
        status = gpis_set_go_on(s);
        if (status == GPIS_OK) status = sweep(s, map, x, &moved);
    }
    return status;
}

/* The polyhedron among the sets, if there is one: bounds are to be met exactly. */
static gpis_set *polyhedral_piece(const meet_state *m) {
    for (int64_t i = m->count - 1; i >= 0; i--)
        if (gpis_polyhedron_describes(m->sets[i])) return m->sets[i];
    return NULL;
}

/* The largest distance of x from one of the sets; z is overwritten. */
static gpis_status farthest(gpis_set *s, const double *x, double *distance) {
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    gpis_status status = GPIS_OK;
    *distance = 0.0;
    for (int64_t i = 0; i < m->count && status == GPIS_OK; i++) {
        status = map_piece(s, m->sets[i], PROJECTION, x, m->z);
        for (int64_t e = 0; e < n; e++) m->z[e] -= x[e];
        *distance = fmax(*distance, gpis_norm2(m->z, n));
    }
    return status;
}

/* Where all that is left of an entry is the end of a sequence that goes to 0, as where the sets have only 0 in common,
 * it is 0: rows with the right side 0 would be missed by much of terms that are nothing. */
static void flush(const meet_state *m, int64_t n, double *x) {
    static const double NOTHING = DBL_EPSILON * DBL_EPSILON * DBL_EPSILON;
    for (int64_t e = 0; e < n; e++)
        if (fabs(x[e]) <= NOTHING * m->size) x[e] = 0.0;
}

/* The iteration ends in the set that comes last, and near the others. Here x becomes a member of the polyhedron, which
 * has exact bounds. If it is outside another set then, it goes towards the point `inside`, which is in all of them, by
 * more and more, until rounding is all that is left. The nearest that was found is kept. */
static gpis_status mend(gpis_set *s, double *x) {
    enum { ROUNDS = 12 };
    static const double ROUNDING = 2.0 * DBL_EPSILON;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    gpis_set *polyhedron = polyhedral_piece(m);
    double least = INFINITY, share = 0.0, off;
    gpis_status status = GPIS_OK;
    if (!polyhedron) return GPIS_OK;
    flush(m, n, x);
    memcpy(m->start, x, (size_t)n * sizeof *x);
    for (int i = 0; i < ROUNDS && status == GPIS_OK && least > ROUNDING * gpis_norm2(x, n); i++) {
        for (int64_t e = 0; e < n; e++) m->y[e] = m->start[e] + share * (m->inside[e] - m->start[e]);
        status = map_piece(s, polyhedron, PROJECTION, m->y, m->y);
        if (status == GPIS_OK) status = farthest(s, m->y, &off);
        if (status == GPIS_OK && off < least) least = off, memcpy(x, m->y, (size_t)n * sizeof *x);
        share = i > 0 ? 4.0 * share : fmax(DBL_EPSILON, off / fmax(m->size, DBL_MIN));
    }
    return status;
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const gpis_status status = nearest(s, PROJECTION, v, x);
    return status == GPIS_OK ? mend(s, x) : status;
}

static gpis_status prox(gpis_set *s, double step, const double *v, double *x) {
    const gpis_status status = nearest(s, (mapping){false, step}, v, x);
    return status == GPIS_OK ? mend(s, x) : status;
}

static gpis_status recession(gpis_set *s, const double *v, double *x) { return nearest(s, RECESSION, v, x); }

/* ---- support ----------------------------------------------------------------------------------------------------- */

static gpis_status piece_support(const gpis_set *s, gpis_set *piece, const double *at, double *l, double *value,
                                 double *slack) {
    if (s->matrix) return gpis_set_support_at(piece, at, l, value, slack);
    return gpis_set_support_at_part(piece, at, l, value, slack);
}

/* The bound from the split theta v = sum of q_i, of which the last set takes what is left. Each l_i is cleaned by its
 * set and may then be off by what that set says; subtracting them from v loses the errors of the subtractions. For a
 * bounded meeting v stays, and what is off, or was taken by no set, counts with the radius of the last set; else v
 * becomes the sum of the l_i. The l_i are nearly normal to their sets at `at`. */
static gpis_status sum_of_supports(gpis_set *s, const double *at, double theta, double *v, double *value,
                                   double *slack) {
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    gpis_status status = GPIS_OK;
    double sizes = 0.0, lost = 0.0, part, off;
    *value = 0.0;
    memcpy(m->z, v, (size_t)n * sizeof *v); /* what is left of v */
    for (int64_t i = 0; i < m->count && status == GPIS_OK; i++) {
        double *l = m->q + i * n, rounded = 0.0;
        for (int64_t e = 0; e < n; e++) l[e] = i + 1 < m->count ? l[e] / theta : m->z[e];
        status = piece_support(s, m->sets[i], at, l, &part, &off);
        *value += part;
        sizes += fabs(part);
        for (int64_t e = 0; e < n; e++) rounded = hypot(rounded, gpis_two_sum(&m->z[e], -l[e]));
        lost += off + rounded;
    }
    *value += (double)m->count * DBL_EPSILON * sizes;
    if (!s->unbounded) lost += gpis_norm2(m->z, n);
    lost *= 1.0 + gpis_set_rounding(n);
    *slack = s->unbounded ? lost : 0.0;
    if (!s->unbounded) *value += lost * last_radius(s);
    for (int64_t e = 0; s->unbounded && e < n; e++) { /* v less what no set has taken, of which it is a rounded value */
        const double error = gpis_two_sum(&v[e], -m->z[e]);
        *slack += fabs(error);
    }
    return status;
}

/* A split by the normals (with a penalty, the subgradients) at the member `at`. */
static gpis_status support_at(gpis_set *s, const double *at, double *v, double *value, double *slack) {
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    const double norm = gpis_max_abs(v, n), size = fmax(gpis_max_abs(at, n), m->size);
    const double theta = norm > 0.0 && size > 0.0 ? size / norm : 1.0;
    for (int64_t e = 0; e < n; e++) m->copy[e] = at[e] + theta * v[e];
    const gpis_status status = nearest(s, (mapping){false, theta}, m->copy, m->copy);
    return status == GPIS_OK ? sum_of_supports(s, m->copy, theta, v, value, slack) : status;
}

/* The point that is farthest along v, nearly: the projection of a long multiple of v. A penalty may keep the conjugate
 * finite where K is endless: the split finds out. */
static gpis_status support_near(gpis_set *s, double *v, double *value, double *slack) {
    static const double FAR = 1e6;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    gpis_status status = GPIS_OK;
    if (s->unbounded && !s->penalty) {
        status = recession(s, v, m->at);
        for (int64_t e = 0; e < n; e++) v[e] -= m->at[e];
    }
    const double norm = gpis_norm2(v, n), times = norm > 0.0 ? FAR * fmax(m->size, DBL_MIN) / norm : 0.0;
    for (int64_t e = 0; e < n; e++) m->at[e] = times * v[e];
    if (status == GPIS_OK) status = prox(s, times, m->at, m->at);
    return status == GPIS_OK ? support_at(s, m->at, v, value, slack) : status;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    double slack, *copy = ((meet_state *)s->state)->given;
    memcpy(copy, g, (size_t)size_of(s) * sizeof *g);
    return support_near(s, copy, value, &slack);
}

static gpis_set *piece(const gpis_set *s, int64_t i) {
    const meet_state *m = s->state;
    return i < m->count ? m->sets[i] : NULL;
}

static const double *share(const gpis_set *s, int64_t i) { return ((const meet_state *)s->state)->q + i * size_of(s); }

static const gpis_set_class meet_class = {
    .name = "intersection",
    .project = project,
    .prox = prox,
    .support = support,
    .recession = recession,
    .support_near = support_near,
    .support_at = support_at,
    .piece = piece,
    .share = share,
    .destroy = destroy,
};

/* ---- making it --------------------------------------------------------------------------------------------------- */

/* Bounded sets last, so that one of them can take what a split leaves; otherwise in the order given. */
static void order_pieces(meet_state *m, gpis_set *const *sets) {
    int64_t used = 0;
    for (int bounded = 0; bounded < 2; bounded++)
        for (int64_t i = 0; i < m->count; i++)
            if (!sets[i]->unbounded == bounded) m->sets[used++] = sets[i];
}

/* A copy of the penalty of the set that has one. */
static gpis_status take_penalty(gpis_set *s) {
    const meet_state *m = s->state;
    for (int64_t i = 0; i < m->count; i++) {
        if (!m->sets[i]->penalty) continue;
        s->penalty = gpis_alloc(s->context, s->d, sizeof *s->penalty);
        if (!s->penalty) return GPIS_NO_MEMORY;
        memcpy(s->penalty, m->sets[i]->penalty, (size_t)s->d * sizeof *s->penalty);
    }
    return GPIS_OK;
}

static gpis_status take_pieces(gpis_set *s, int64_t count, gpis_set *const *sets) {
    gpis_status status = gpis_set_take_state(s, sizeof(meet_state));
    if (status != GPIS_OK) return status;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    m->sets = gpis_alloc(s->context, count, sizeof(gpis_set *));
    m->q = gpis_alloc(s->context, count * n, sizeof(double));
    double **vectors[] = {&m->y, &m->z, &m->at, &m->copy, &m->given, &m->start, &m->inside};
    for (int i = 0; i < 7; i++)
        if (!(*vectors[i] = gpis_alloc_zero(s->context, n, sizeof(double)))) return GPIS_NO_MEMORY;
    if (!m->sets || !m->q) return GPIS_NO_MEMORY;
    m->count = count;
    order_pieces(m, sets);
    s->unbounded = s->iterative = true;
    s->radius = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        s->has_support = s->has_support && sets[i]->has_support;
        if (isfinite(sets[i]->radius)) m->size = fmax(m->size, sets[i]->radius);
        if (!sets[i]->unbounded) s->radius = fmin(s->radius, piece_radius(s, sets[i])), s->unbounded = false;
    }
    if (s->unbounded) s->radius = m->size;
    return take_penalty(s);
}

/* The constraints that contradict each other: the first of them, and a list of the others. */
typedef struct conflict {
    char first[GPIS_PRICE_TEXT], others[400];
    int count;
} conflict;

static gpis_status name_constraint(void *user, const gpis_price *price) {
    enum { MAX_NAMED = 5 };
    conflict *c = user;
    const size_t used = strlen(c->others);
    if (c->count == 0)
        gpis_copy_text(c->first, sizeof c->first, price->text);
    else if (c->count < MAX_NAMED)
        snprintf(c->others + used, sizeof c->others - used, "%s'%s'", c->count > 1 ? ", " : "", price->text);
    else if (c->count == MAX_NAMED)
        snprintf(c->others + used, sizeof c->others - used, " and others");
    c->count++;
    return GPIS_OK;
}

/* Where the sets have no point in common, each sweep adds to every q_i: they grow along normals of their sets which
 * together separate the sets from each other. The constraints with these normals are those that contradict each other.
 */
static gpis_status fail_apart(gpis_set *s) {
    static const double SHARE = 1e-6;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    conflict c = {.count = 0};
    double most = 0.0;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < m->count; i++) most = fmax(most, gpis_max_abs(m->q + i * n, n));
    for (int64_t e = 0; e < n; e++) m->given[e] = SHARE * most;
    for (int64_t i = 0; i < m->count && status == GPIS_OK; i++) {
        const double *q = m->q + i * n;
        const int before = c.count;
        const bool known = m->sets[i]->matrix == s->matrix;
        status = map_piece(s, m->sets[i], PROJECTION, m->copy, m->z);
        if (status == GPIS_OK && known)
            status = gpis_set_prices_part(m->sets[i], m->z, q, m->given, name_constraint, &c);
        if (status != GPIS_OK || c.count > before || gpis_max_abs(q, n) <= SHARE * most) continue;
        gpis_price whole = {.column = -1};
        gpis_copy_text(whole.text, sizeof whole.text, m->sets[i]->spec);
        status = name_constraint(&c, &whole);
    }
    if (status != GPIS_OK) return status;
    return gpis_fail(s->context, GPIS_BAD_SET, "'%.150s' cannot hold together with %.300s", c.first, c.others);
}

/* Whether the projection of 0 is in all of the sets, up to what the iteration may leave. */
static gpis_status check_together(gpis_set *s) {
    static const double APART = 1e-7;
    meet_state *m = s->state;
    const int64_t n = size_of(s);
    double off = 0.0;
    int outside;
    memset(m->copy, 0, (size_t)n * sizeof *m->copy);
    gpis_status status = gpis_blas_enter(s->context, 1, &outside);
    if (status == GPIS_OK) status = nearest(s, PROJECTION, m->copy, m->copy);
    memcpy(m->inside, m->copy, (size_t)n * sizeof *m->inside);
    for (int64_t i = 0; i < m->count && status == GPIS_OK; i++) {
        status = map_piece(s, m->sets[i], PROJECTION, m->copy, m->z);
        for (int64_t e = 0; e < n; e++) off = fmax(off, fabs(m->z[e] - m->copy[e]));
    }
    gpis_blas_leave(outside);
    if (status != GPIS_OK || off <= APART * fmax(m->size, gpis_max_abs(m->copy, n))) return status;
    return fail_apart(s);
}

gpis_status gpis_set_meet(gpis_context *context, int64_t count, gpis_set *const *sets, const char *spec,
                          gpis_set **out) {
    gpis_set *s = NULL;
    bool matrix = false;
    for (int64_t i = 0; i < count; i++) matrix = matrix || sets[i]->matrix;
    gpis_status status = gpis_set_begin(context, &meet_class, sets[0]->d, sets[0]->k, matrix, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s", spec);
    if (status == GPIS_OK) status = take_pieces(s, count, sets);
    if (status == GPIS_OK) status = check_together(s);
    return gpis_set_finish(s, status, out);
}
