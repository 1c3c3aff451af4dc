/*
 * A set of the caller's own, given by functions: a projection and, for a certificate, the support function of its core,
 * the radius of the core and, where the set is unbounded, the projection on its recession cone (set.h).
 *
 * The functions cannot be proven right, but many errors can be found. What they return is checked at each call; that a
 * projected point is its own projection is checked at the first calls, then less and less often; and what the functions
 * promise about each other is checked for a few vectors when the set is made:
 *   <v - P(v), s - P(v)> <= 0 for every member s,      <g, s> <= support(g),      ||s|| <= radius.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/accurate.h"
#include "set/kinds.h"

/* The error that is allowed in the results of the functions, relative to their arguments. */
static const double TOLERANCE = 1e-8;

typedef struct custom_state {
    gpis_custom_set of; /* the caller's functions; the name is s->spec */
    double *again;      /* owned: the projection of a projection */
    int64_t calls;      /* of the projection */
} custom_state;

static void destroy(gpis_set *s) { gpis_free(s->context, ((custom_state *)s->state)->again); }

static int64_t size_of(const gpis_set *s) { return s->matrix ? s->d * s->k : s->d; }

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static gpis_status fail_code(const gpis_set *s, const char *what, int code) {
    return gpis_fail(s->context, GPIS_BAD_DATA, "set %.150s: its %s failed: the function for it returned %d", s->spec,
                     what, code);
}

/* Calls the projection or the recession function; v and x are different arrays. */
static gpis_status call(gpis_set *s, gpis_map_fn map, const char *what, const double *v, double *x) {
    const custom_state *c = s->state;
    for (int64_t i = 0; i < size_of(s); i++) x[i] = NAN; /* so that an entry that is not written is noticed */
    const int code = map(c->of.user, v, x);
    if (code != 0) return fail_code(s, what, code);
    for (int64_t i = 0; i < size_of(s); i++)
        if (!isfinite(x[i]))
            return gpis_fail(s->context, GPIS_BAD_DATA, "set %.150s: entry %lld of its %s is %g", s->spec,
                             (long long)i + 1, what, x[i]);
    return GPIS_OK;
}

/* The norm of a - b, relative to the larger one. */
static double apart(const double *a, const double *b, int64_t n, double *scratch) {
    const double size = fmax(gpis_norm2(a, n), gpis_norm2(b, n));
    for (int64_t i = 0; i < n; i++) scratch[i] = a[i] - b[i];
    return size > 0 ? gpis_norm2(scratch, n) / size : 0;
}

/* P(x) = x. */
static gpis_status check_stays(gpis_set *s, const double *x) {
    custom_state *c = s->state;
    const gpis_status status = call(s, c->of.project, "projection", x, c->again);
    if (status != GPIS_OK) return status;
    const double moved = apart(c->again, x, size_of(s), c->again);
    if (moved <= TOLERANCE) return GPIS_OK;
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set %.150s: its projection moves a point that it has projected already, by %.3g of its norm",
                     s->spec, moved);
}

/* At the first 16 calls, then at those whose number is a power of two. */
static bool is_check_due(int64_t calls) { return calls <= 16 || (calls & (calls - 1)) == 0; }

static gpis_status project(gpis_set *s, const double *v, double *x) {
    custom_state *c = s->state;
    gpis_status status = call(s, c->of.project, "projection", v, s->work);
    c->calls++;
    if (status == GPIS_OK && is_check_due(c->calls)) status = check_stays(s, s->work);
    if (status == GPIS_OK) memcpy(x, s->work, (size_t)size_of(s) * sizeof *x);
    return status;
}

static gpis_status recession(gpis_set *s, const double *v, double *x) {
    const custom_state *c = s->state;
    const gpis_status status = call(s, c->of.recession, "projection on the recession cone", v, s->work);
    if (status == GPIS_OK) memcpy(x, s->work, (size_t)size_of(s) * sizeof *x);
    return status;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    const custom_state *c = s->state;
    *value = NAN;
    const int code = c->of.support(c->of.user, g, value);
    if (code != 0) return fail_code(s, "support function", code);
    if (isfinite(*value)) return GPIS_OK;
    return gpis_fail(s->context, GPIS_BAD_DATA, "set %.150s: its support function is %g", s->spec, *value);
}

static const gpis_set_class custom_class = {
    .name = "custom",
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
};

/* ---- what the functions promise about each other ----------------------------------------------------------------- */

/* The vectors that are tried: a n + b m for two random vectors n and m, in units of the radius. If the residual v -
 * P(v) is not normal to the set, one of two neighbours on different sides of v shows it. */
static const struct {
    double a, b;
} MIXTURES[] = {{0, 0},   {1, 0},    {1, 0.01}, {1, -0.01}, {100, 0},
                {100, 1}, {100, -1}, {0.01, 0}, {-1, 0.01}, {-1, -0.01}};
enum { SAMPLES = sizeof MIXTURES / sizeof *MIXTURES };

/* The vectors, their projections, and scratch, all of them size_of(s) entries. */
typedef struct trial {
    double *v[SAMPLES], *p[SAMPLES]; /* parts of memory */
    double *u, *w;
    double *memory; /* owned */
} trial;

static double dot(const double *a, const double *b, int64_t n) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < n; i++) gpis_sum_add(&sum, a[i] * b[i]);
    return gpis_sum_value(sum);
}

/* No member s is nearer to v than its projection p. */
static gpis_status check_nearest(const gpis_set *s, trial *t, int i, int j) {
    const int64_t n = size_of(s);
    for (int64_t e = 0; e < n; e++) {
        t->u[e] = t->v[i][e] - t->p[i][e];
        t->w[e] = t->p[j][e] - t->p[i][e];
    }
    const double size = gpis_norm2(t->v[i], n) + gpis_norm2(t->p[i], n) + gpis_norm2(t->p[j], n);
    if (dot(t->u, t->w, n) <= TOLERANCE * size * size) return GPIS_OK;
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set %.150s: its projection is not the nearest member: another member is nearer", s->spec);
}

/* A vector where the support function of K is finite: t->w = v - t->u, where t->u is the projection of v on the cone.
 */
static gpis_status leave_cone(gpis_set *s, trial *t, const double *v) {
    gpis_status status = GPIS_OK;
    const int64_t n = size_of(s);
    memset(t->u, 0, (size_t)n * sizeof *t->u);
    if (s->unbounded) status = recession(s, v, t->u);
    for (int64_t e = 0; e < n; e++) t->w[e] = v[e] - t->u[e];
    if (status != GPIS_OK || fabs(dot(t->u, t->w, n)) <= TOLERANCE * dot(v, v, n)) return status;
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set %.150s: v - u and u are not orthogonal for the projection u of v on its recession cone",
                     s->spec);
}

static gpis_status check_support(gpis_set *s, trial *t, int i) {
    const int64_t n = size_of(s);
    double value = 0;
    gpis_status status = leave_cone(s, t, t->v[i]);
    if (status == GPIS_OK) status = support(s, t->w, &value);
    for (int j = 0; j < SAMPLES && status == GPIS_OK; j++) {
        const double member = gpis_norm2(t->p[j], n), size = gpis_norm2(t->w, n) * (member + s->radius);
        if (dot(t->w, t->p[j], n) > value + TOLERANCE * size)
            status = gpis_fail(s->context, GPIS_BAD_SET,
                               "set %.150s: its support function is %.6g where a member s has <g, s> = %.6g", s->spec,
                               value, dot(t->w, t->p[j], n));
        else if (fabs(value) > s->radius * gpis_norm2(t->w, n) * (1 + TOLERANCE))
            status = gpis_fail(s->context, GPIS_BAD_SET,
                               "set %.150s: its support function is %.6g, more than its radius %.6g times ||g||",
                               s->spec, value, s->radius);
        else if (!s->unbounded && member > s->radius * (1 + TOLERANCE))
            status =
                gpis_fail(s->context, GPIS_BAD_SET, "set %.150s: a member has norm %.6g, more than its radius %.6g",
                          s->spec, member, s->radius);
    }
    return status;
}

/* A member moved along the cone is a member. */
static gpis_status check_cone(gpis_set *s, trial *t, int i) {
    const int64_t n = size_of(s);
    gpis_status status = leave_cone(s, t, t->v[i]);
    for (int64_t e = 0; e < n; e++) t->u[e] += t->p[i][e];
    if (status == GPIS_OK) status = call(s, ((custom_state *)s->state)->of.project, "projection", t->u, t->w);
    if (status != GPIS_OK || apart(t->w, t->u, n, t->w) <= TOLERANCE) return status;
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set %.150s: a member moved along its recession cone is not a member any more", s->spec);
}

static gpis_status check_samples(gpis_set *s, trial *t) {
    const double unit = s->radius > 0 ? s->radius : 1;
    const int64_t n = size_of(s);
    gpis_status status = GPIS_OK;
    gpis_random_normal(0, gpis_stream(GPIS_STREAM_USER, 0), 0, n, t->u);
    gpis_random_normal(0, gpis_stream(GPIS_STREAM_USER, 1), 0, n, t->w);
    for (int i = 0; i < SAMPLES && status == GPIS_OK; i++) {
        for (int64_t e = 0; e < n; e++) t->v[i][e] = unit * (MIXTURES[i].a * t->u[e] + MIXTURES[i].b * t->w[e]);
        status = project(s, t->v[i], t->p[i]);
    }
    for (int i = 0; i < SAMPLES && status == GPIS_OK; i++) {
        for (int j = 0; j < SAMPLES && status == GPIS_OK; j++) status = check_nearest(s, t, i, j);
        if (status == GPIS_OK && s->has_support) status = check_support(s, t, i);
        if (status == GPIS_OK && s->has_support && s->unbounded) status = check_cone(s, t, i);
    }
    return status;
}

static gpis_status check_promises(gpis_set *s) {
    const int64_t n = size_of(s);
    trial t = {.memory = gpis_alloc(s->context, (2 * SAMPLES + 2) * n, sizeof(double))};
    if (!t.memory) return GPIS_NO_MEMORY;
    for (int i = 0; i < SAMPLES; i++) {
        t.v[i] = t.memory + 2 * i * n;
        t.p[i] = t.memory + (2 * i + 1) * n;
    }
    t.u = t.memory + 2 * SAMPLES * n;
    t.w = t.u + n;
    const gpis_status status = check_samples(s, &t);
    gpis_free(s->context, t.memory);
    return status;
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

static bool is_one_line(const char *text) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') return false;
    return text[0] != '\0';
}

static gpis_status check_functions(gpis_context *context, const gpis_custom_set *of) {
    if (!of || !of->name || !is_one_line(of->name))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a set of your own needs a name of one line");
    if (!of->project)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "set custom:%.150s: it needs a projection", of->name);
    if (of->support && !(of->radius >= 0 && isfinite(of->radius)))
        return gpis_fail(context, GPIS_BAD_SET,
                         "set custom:%.150s: beside a support function the radius must be finite and >= 0, not %g",
                         of->name, of->radius);
    return GPIS_OK;
}

static gpis_status take_functions(gpis_set *s, const gpis_custom_set *of) {
    const gpis_status status = gpis_set_take_state(s, sizeof(custom_state));
    if (status != GPIS_OK) return status;
    custom_state *c = s->state;
    c->of = *of;
    c->of.name = NULL; /* the caller may free its text before a message needs it */
    c->again = gpis_alloc(s->context, size_of(s), sizeof(double));
    s->has_support = of->support != NULL;
    s->unbounded = of->recession || !of->support; /* without a support function nothing is known */
    s->radius = of->support ? of->radius : 0;
    return c->again ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_custom(gpis_context *context, const gpis_custom_set *functions, int64_t d, int64_t k,
                            gpis_set **out) {
    gpis_set *s = NULL;
    if (out) *out = NULL;
    if (!context) return GPIS_BAD_ARGUMENT;
    gpis_status status = check_functions(context, functions);
    if (status == GPIS_OK) status = gpis_set_begin(context, &custom_class, d, k, functions->matrix != 0, out, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "custom:%s", functions->name);
    if (status == GPIS_OK) status = take_functions(s, functions);
    if (status == GPIS_OK) status = gpis_set_take_work(s, size_of(s));
    if (status == GPIS_OK) status = check_promises(s);
    return gpis_set_finish(s, status, out);
}
