/* Sets with a penalty: their height, their prox and their conjugate. */
#include "set/penalty.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "set/kinds.h"
#include "set/penalised.h"

/* ---- what is known of a set -------------------------------------------------------------------------------------- */

static bool is_zero(const double *lambda, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (lambda[j] > 0) return false;
    return true;
}

static gpis_signs signs_of(const gpis_set *set, const double *lambda);

/* Nothing need be known of a block without a penalty. */
static gpis_signs signs_of_parts(const gpis_set *set, const double *lambda) {
    const int64_t *columns;
    const gpis_set *part;
    for (int64_t i = 0; (part = set->class->part(set, i, &columns)); i++) {
        bool penalised = false;
        for (int64_t j = 0; j < part->d; j++) penalised = penalised || !lambda || lambda[columns[j]] > 0;
        if (!penalised || part->shape == GPIS_SHAPE_WHOLE) continue;
        if (signs_of(part, NULL) == GPIS_SIGNS_UNKNOWN) return GPIS_SIGNS_UNKNOWN;
    }
    return GPIS_SIGNS_OF_PARTS;
}

/* With this penalty; NULL: with one of every entry. */
static gpis_signs signs_of(const gpis_set *set, const double *lambda) {
    if (set->matrix || set->inside) return GPIS_SIGNS_UNKNOWN;
    if (set->class->part) return signs_of_parts(set, lambda);
    if (set->class->bounds && set->sum == GPIS_SUM_ANY) return GPIS_SIGNS_APART;
    if (set->class->bounds) return set->sum == GPIS_SUM_OF_SIZES_WITHIN ? GPIS_SIGNS_FREE : GPIS_SIGNS_POSITIVE;
    return set->shape == GPIS_SHAPE_BALL || set->group > 0 ? GPIS_SIGNS_FREE : GPIS_SIGNS_UNKNOWN;
}

bool gpis_set_wants_polyhedron(const gpis_set *K, bool larger) {
    const gpis_signs signs = signs_of(K, NULL);
    const bool bounds = signs == GPIS_SIGNS_APART || K->shape == GPIS_SHAPE_WHOLE;
    return !bounds && (larger || signs != GPIS_SIGNS_POSITIVE);
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

/* The blocks of a product, each with its part of the penalty. */
static gpis_status penalise_parts(gpis_set *set) {
    gpis_penalised *p = set->penalised;
    const int64_t *columns;
    gpis_set *part;
    gpis_status status = GPIS_OK;
    while (set->class->part(set, p->parts, &columns)) p->parts++;
    p->part = gpis_alloc_zero(set->context, p->parts, sizeof *p->part);
    if (!p->part) return GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && (part = set->class->part(set, i, &columns)); i++) {
        for (int64_t j = 0; j < part->d; j++) p->work[j] = set->penalty[columns[j]];
        status = gpis_set_penalise(part, p->work, &p->part[i]);
    }
    return status;
}

bool gpis_set_knows_prox(const gpis_set *K, const double *lambda) {
    return K->shape == GPIS_SHAPE_WHOLE || signs_of(K, lambda) != GPIS_SIGNS_UNKNOWN;
}

/* The solvers and bounds for a ball, and for all x, do not hold with a penalty. */
gpis_status gpis_set_attach_penalty(gpis_set *set, const double *lambda) {
    const gpis_signs signs = signs_of(set, lambda);
    if (is_zero(lambda, set->d)) return GPIS_OK;
    if (signs == GPIS_SIGNS_UNKNOWN)
        return gpis_fail(set->context, GPIS_INTERNAL, "set %.150s: its prox is not known", set->spec);
    set->penalty = gpis_alloc(set->context, set->d, sizeof *set->penalty);
    gpis_penalised *p = set->penalised = gpis_alloc_zero(set->context, 1, sizeof *p);
    if (!set->penalty || !p || !(p->work = gpis_alloc(set->context, 2 * set->d, sizeof *p->work)))
        return GPIS_NO_MEMORY;
    memcpy(set->penalty, lambda, (size_t)set->d * sizeof *lambda);
    p->signs = signs;
    set->shape = GPIS_SHAPE_OTHER;
    return signs == GPIS_SIGNS_OF_PARTS ? penalise_parts(set) : GPIS_OK;
}

/* Bounds that hold nothing, in the place of `none`, have what a penalty needs of a set. */
static gpis_status make_whole(const gpis_set *K, gpis_set **out) {
    gpis_status status = gpis_set_box(K->context, NULL, NULL, K->d, out);
    if (status == GPIS_OK) status = gpis_set_responses(*out, K->k);
    return status == GPIS_OK ? gpis_set_describe(*out, "%s", K->spec) : status;
}

static gpis_status make_view(const gpis_set *K, gpis_set **out) {
    gpis_set *view = *out = gpis_alloc(K->context, 1, sizeof *view);
    if (!view) return GPIS_NO_MEMORY;
    *view = *K;
    view->is_view = true;
    view->penalty = NULL;
    view->penalised = NULL;
    view->listed = NULL;
    view->priced = NULL;
    return GPIS_OK;
}

gpis_status gpis_set_penalise(gpis_set *K, const double *lambda, gpis_set **out) {
    const bool whole = K->shape == GPIS_SHAPE_WHOLE && !is_zero(lambda, K->d);
    gpis_set *set = NULL;
    gpis_status status = whole ? make_whole(K, &set) : make_view(K, &set);
    if (status == GPIS_OK) status = gpis_set_attach_penalty(set, lambda);
    return gpis_set_finish(set, status, out);
}

/* The penalty of these entries, in scratch. */
static gpis_status select_penalty(const gpis_set *set, const int64_t *columns, gpis_set *selected) {
    double *lambda = selected->column_in;
    if (!set->penalty) return GPIS_OK;
    for (int64_t i = 0; i < selected->d; i++) lambda[i] = set->penalty[columns[i]];
    return gpis_set_attach_penalty(selected, lambda);
}

gpis_status gpis_set_select(const gpis_set *set, const int64_t *columns, int64_t count, gpis_set **out) {
    gpis_set *selected = NULL;
    gpis_status status = set->class->select(set, columns, count, &selected);
    if (status == GPIS_OK) status = select_penalty(set, columns, selected);
    return gpis_set_finish(selected, status, out);
}

/* ---- the height -------------------------------------------------------------------------------------------------- */

double gpis_set_height(const gpis_set *set, const double *X) {
    gpis_sum sum = {0, 0};
    if (!set->penalty) return 0;
    for (int64_t i = 0; i < set->d * set->k; i++) gpis_sum_add(&sum, set->penalty[i / set->k] * fabs(X[i]));
    return gpis_sum_value(sum);
}

/* Each product is rounded once, and so is the sum; what is left of a compensated sum is far less than another unit. */
double gpis_set_height_error(const gpis_set *set) { return set->penalty ? 2 * DBL_EPSILON : 0; }

/* ---- the prox ---------------------------------------------------------------------------------------------------- */

static double soften(double v, double by) {
    const double size = fabs(v) - by;
    return size > 0 ? copysign(size, v) : 0;
}

static gpis_status prox_parts(gpis_set *s, double step, const double *v, double *x) {
    const gpis_penalised *p = s->penalised;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < p->parts && status == GPIS_OK; i++) {
        const int64_t *columns;
        s->class->part(s, i, &columns);
        for (int64_t j = 0; j < p->part[i]->d; j++) p->work[j] = v[columns[j]];
        status = gpis_set_prox_part(p->part[i], step, p->work, p->work + s->d);
        for (int64_t j = 0; j < p->part[i]->d; j++) x[columns[j]] = p->work[s->d + j];
    }
    return status;
}

gpis_status gpis_set_prox_part(gpis_set *s, double step, const double *v, double *x) {
    if (!s->penalty || step == 0) return s->class->project(s, v, x);
    if (!s->penalised) return s->class->prox(s, step, v, x);
    if (s->penalised->signs == GPIS_SIGNS_OF_PARTS) return prox_parts(s, step, v, x);
    const bool positive = s->penalised->signs == GPIS_SIGNS_POSITIVE;
    double *u = s->penalised->work;
    for (int64_t j = 0; j < s->d; j++) {
        const double by = step * s->penalty[j];
        u[j] = positive ? v[j] - by : soften(v[j], by);
    }
    return s->class->project(s, u, x);
}

gpis_status gpis_set_prox(gpis_set *s, double step, const double *v, double *x) {
    if (!s->penalty || step == 0) return gpis_set_project(s, v, x);
    if (!gpis_all_finite(v, s->d * s->k))
        return gpis_fail(s->context, GPIS_BAD_DATA, "set %.150s: the vector holds NaN or infinity", s->spec);
    int outside;
    gpis_status status = gpis_blas_enter(s->context, 1, &outside);
    if (status == GPIS_OK && s->matrix) status = gpis_set_prox_part(s, step, v, x);
    for (int64_t c = 0; status == GPIS_OK && !s->matrix && c < s->k; c++) {
        for (int64_t j = 0; j < s->d; j++) s->column_in[j] = v[j * s->k + c];
        status = gpis_set_prox_part(s, step, s->column_in, s->column_out);
        for (int64_t j = 0; j < s->d; j++) x[j * s->k + c] = s->column_out[j];
    }
    gpis_blas_leave(outside);
    return status;
}

/* ---- the conjugate ----------------------------------------------------------------------------------------------- */

static double at(double l, double lambda, double s) { return l * s - lambda * fabs(s); }

/* sup over lo <= s <= hi of l s - lambda |s|, which is concave with a kink at 0, for an l for which that is finite.
 * *size is that of its terms. */
static double conjugate_of_entry(double l, double lambda, double lo, double hi, double *size) {
    const bool kink = lo <= 0 && hi >= 0;
    double value = kink ? 0 : -INFINITY;
    *size = 0;
    for (int side = 0; side < 2; side++) {
        const double s = side ? hi : lo;
        if (isinf(s)) continue;
        value = fmax(value, at(l, lambda, s));
        *size = fmax(*size, (fabs(l) + lambda) * fabs(s));
    }
    return value;
}

/* Moves the entries of l + l_low (l_low may be NULL) to where the conjugate of bounds is finite: to at most lambda
 * where there is no upper bound, to at least -lambda where there is no lower one. */
static void clean_apart(const gpis_set *s, double *l, double *l_low) {
    for (int64_t j = 0; j < s->d; j++) {
        double lo, hi;
        const double lambda = s->penalty[j], low = l_low ? l_low[j] : 0;
        s->class->bounds(s, j, &lo, &hi);
        const bool above = isinf(hi) && (l[j] > lambda || (l[j] == lambda && low > 0));
        const bool below = isinf(lo) && (l[j] < -lambda || (l[j] == -lambda && low < 0));
        if (!above && !below) continue;
        l[j] = above ? lambda : -lambda;
        if (l_low) l_low[j] = 0;
    }
}

static gpis_status conjugate_apart(gpis_set *s, double *l, double *value) {
    gpis_sum sum = {0, 0};
    double sizes = 0;
    clean_apart(s, l, NULL);
    for (int64_t j = 0; j < s->d; j++) {
        double lo, hi, size;
        s->class->bounds(s, j, &lo, &hi);
        gpis_sum_add(&sum, conjugate_of_entry(l[j], s->penalty[j], lo, hi, &size));
        sizes += size;
    }
    *value = gpis_sum_value(sum) + gpis_set_rounding(s->d) * sizes;
    return GPIS_OK;
}

/* The sets without bounds apart are bounded, and l stays as it is. What is lost in l - lambda is one rounding of each
 * entry. */
static gpis_status conjugate_shifted(gpis_set *s, const double *l, double *value) {
    const bool positive = s->penalised->signs == GPIS_SIGNS_POSITIVE;
    double *u = s->penalised->work, lost;
    for (int64_t j = 0; j < s->d; j++) u[j] = positive ? l[j] - s->penalty[j] : soften(l[j], s->penalty[j]);
    const gpis_status status = gpis_set_support_near_plain(s, u, value, &lost);
    *value += DBL_EPSILON * gpis_norm2(u, s->d) * s->radius;
    return status;
}

static gpis_status conjugate_of_parts(gpis_set *s, double *l, double *value, double *slack) {
    const gpis_penalised *p = s->penalised;
    gpis_status status = GPIS_OK;
    double sizes = 0;
    *value = *slack = 0;
    for (int64_t i = 0; i < p->parts && status == GPIS_OK; i++) {
        const int64_t *columns;
        double one = 0, lost = 0;
        s->class->part(s, i, &columns);
        for (int64_t j = 0; j < p->part[i]->d; j++) p->work[j] = l[columns[j]];
        status = gpis_set_support_near_part(p->part[i], p->work, &one, &lost);
        for (int64_t j = 0; j < p->part[i]->d; j++) l[columns[j]] = p->work[j];
        *value += one;
        *slack = hypot(*slack, lost);
        sizes += fabs(one);
    }
    *value += (double)p->parts * DBL_EPSILON * sizes; /* the rounding of the sum */
    return status;
}

gpis_status gpis_penalised_conjugate(gpis_set *s, double *l, double *value, double *slack) {
    *slack = 0;
    switch (s->penalised->signs) {
    case GPIS_SIGNS_OF_PARTS: return conjugate_of_parts(s, l, value, slack);
    case GPIS_SIGNS_APART: return conjugate_apart(s, l, value);
    default: return conjugate_shifted(s, l, value);
    }
}

/* In a product, an entry that has reached the end of where its conjugate is finite has l_low = 0, as elsewhere. */
static void clean_low(const gpis_set *s, gpis_multiplier *m) {
    const gpis_penalised *p = s->penalised;
    if (p->signs == GPIS_SIGNS_APART) clean_apart(s, m->l, m->l_low);
    for (int64_t i = 0; s->unbounded && p->signs == GPIS_SIGNS_OF_PARTS && i < p->parts; i++) {
        const int64_t *columns;
        s->class->part(s, i, &columns);
        for (int64_t j = 0; p->part[i]->unbounded && j < p->part[i]->d; j++) m->l_low[columns[j]] = 0;
    }
}

/* The radius of the core is a Lipschitz constant of the conjugate where it is finite. */
gpis_status gpis_penalised_conjugate_low(gpis_set *s, gpis_multiplier *m) {
    clean_low(s, m);
    const gpis_status status = gpis_penalised_conjugate(s, m->l, &m->value, &m->slack);
    m->value += gpis_norm2(m->l_low, s->d) * s->radius * (1 + gpis_set_rounding(s->d));
    return status;
}
