/*
 * Dimensions of faces, kind by kind. With F the entries that no bound and no penalty holds, and N the normals of the
 * rows and sums that x meets, restricted to F, the dimension on a polyhedron is |F| - rank(N). A sum of sizes that x
 * meets holds the entries that are zero, and its normal is w_j sign(x_j) on the others.
 */
#include "set/dimension.h"

#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/polyhedron.h"
#include "set/polyhedron_state.h"

/* A normal that is so much shorter once the others are taken out depends on them. */
static const double DEPENDENT = 1e-10;

static bool meets(double value, double limit, double terms) {
    return isfinite(limit) && fabs(value - limit) <= GPIS_MET * fmax(terms, fabs(limit));
}

/* ---- polyhedra --------------------------------------------------------------------------------------------------- */

/* The normals of the constraints that x meets, made orthonormal one by one. */
typedef struct normals {
    gpis_context *context;
    double *basis; /* owned: count x d */
    int64_t count, room, d;
} normals;

/* Adds v, which is destroyed, unless it depends on those before. */
static gpis_status add_normal(normals *n, double *v) {
    double before = 0.0, after = 0.0;
    for (int64_t j = 0; j < n->d; j++) before += v[j] * v[j];
    for (int twice = 0; twice < 2; twice++)
        for (int64_t i = 0; i < n->count; i++) {
            const double *q = n->basis + i * n->d;
            double dot = 0.0;
            for (int64_t j = 0; j < n->d; j++) dot += q[j] * v[j];
            for (int64_t j = 0; j < n->d; j++) v[j] -= dot * q[j];
        }
    for (int64_t j = 0; j < n->d; j++) after += v[j] * v[j];
    if (!(after > DEPENDENT * DEPENDENT * before)) return GPIS_OK;
    const gpis_status status =
        gpis_grow(n->context, (void **)&n->basis, &n->room, n->count * n->d, (n->count + 1) * n->d, sizeof *n->basis);
    if (status != GPIS_OK) return status;
    for (int64_t j = 0; j < n->d; j++) n->basis[n->count * n->d + j] = v[j] / sqrt(after);
    n->count++;
    return GPIS_OK;
}

static bool row_is_met(const gpis_polyhedron *p, int64_t i, const double *x) {
    gpis_sum sum = {0, 0};
    double terms = 0.0;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) {
        gpis_sum_add(&sum, p->value[e] * x[p->column[e]]);
        terms += fabs(p->value[e] * x[p->column[e]]);
    }
    const double value = gpis_sum_value(sum);
    return meets(value, p->lower[i], terms) || meets(value, p->upper[i], terms);
}

static bool sum_is_met(const gpis_polyhedron *p, int64_t s, const double *x) {
    double sum = 0.0;
    for (int64_t j = 0; j < p->d; j++) sum += p->weight[s * p->d + j] * fabs(x[j]);
    return meets(sum, p->R[s], sum);
}

/* free[j] = 0 where a bound, a penalty or a sum that is met holds entry j. Returns how many are not held. */
static int64_t find_free(const gpis_polyhedron *p, const double *penalty, const double *x, double *free) {
    int64_t count = 0;
    for (int64_t j = 0; j < p->d; j++)
        free[j] = !(x[j] <= p->lo[j] || x[j] >= p->hi[j] || (x[j] == 0.0 && penalty && penalty[j] > 0.0));
    for (int64_t s = 0; s < p->sums; s++)
        for (int64_t j = 0; sum_is_met(p, s, x) && j < p->d; j++)
            if (x[j] == 0.0 && p->weight[s * p->d + j] > 0.0) free[j] = 0.0;
    for (int64_t j = 0; j < p->d; j++) count += free[j] != 0.0;
    return count;
}

/* work: 2 d numbers. */
static gpis_status find_normals(normals *n, const gpis_polyhedron *p, const double *x, const double *free,
                                double *work) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < p->rows && status == GPIS_OK; i++) {
        if (!row_is_met(p, i, x)) continue;
        memset(work, 0, (size_t)p->d * sizeof *work);
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) work[p->column[e]] = free[p->column[e]] * p->value[e];
        status = add_normal(n, work);
    }
    for (int64_t s = 0; s < p->sums && status == GPIS_OK; s++) {
        if (!sum_is_met(p, s, x)) continue;
        for (int64_t j = 0; j < p->d; j++) work[j] = free[j] * copysign(p->weight[s * p->d + j], x[j]);
        status = add_normal(n, work);
    }
    return status;
}

static gpis_status of_polyhedron(gpis_set *set, const double *penalty, const double *x, double *dimension) {
    const gpis_polyhedron *list;
    normals n = {.context = set->context, .d = set->d};
    double *free = gpis_alloc(set->context, 2 * set->d, sizeof *free);
    gpis_status status = free ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_polyhedron_of(set, &list);
    if (status == GPIS_OK) {
        const int64_t count = find_free(list, penalty, x, free);
        status = find_normals(&n, list, x, free, free + set->d);
        *dimension = (double)(count > n.count ? count - n.count : 0);
    }
    gpis_free(set->context, free);
    gpis_free(set->context, n.basis);
    return status;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* penalty: that of the entries, which may be that of a larger set; NULL: none. */
static gpis_status of_column(gpis_set *set, const double *penalty, const double *x, double *dimension);

/* Entries that are equal move together. */
static double of_order(const gpis_set *set, const double *x) {
    double runs = 1.0;
    for (int64_t i = 1; i < set->d; i++) runs += x[i] != x[i - 1];
    return runs;
}

static double norm_of(const double *x, const int64_t *member, int64_t first, int64_t end) {
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) sum += x[member ? member[i] : i] * x[member ? member[i] : i];
    return sqrt(sum);
}

static double of_ball(const gpis_set *set, const double *penalty, const double *x) {
    int64_t held = meets(norm_of(x, NULL, 0, set->d), set->R, set->R);
    for (int64_t j = 0; j < set->d && penalty; j++) held += x[j] == 0.0 && penalty[j] > 0.0;
    return held < set->d ? (double)(set->d - held) : 0.0;
}

/* Groups of any sizes: `first` has count + 1 numbers; NULL: groups of `set->group` consecutive entries. Groups that are
 * zero stay zero while the sum of the norms is R. */
static double of_groups(const gpis_set *set, const double *x, int64_t count, const int64_t *member,
                        const int64_t *first) {
    double sum = 0.0, entries = 0.0;
    for (int64_t c = 0; c < count; c++) {
        const int64_t begin = first ? first[c] : c * set->group, end = first ? first[c + 1] : begin + set->group;
        const double norm = norm_of(x, member, begin, end);
        sum += norm;
        entries += norm > 0.0 ? (double)(end - begin) : 0.0;
    }
    return meets(sum, set->R, sum) ? fmax(0.0, entries - 1.0) : (double)set->d;
}

static gpis_status of_parts(const gpis_set *set, const double *penalty, const double *x, double *dimension) {
    const int64_t *columns;
    gpis_set *part;
    double *own = gpis_alloc(set->context, 2 * set->d, sizeof *own), one;
    gpis_status status = own ? GPIS_OK : GPIS_NO_MEMORY;
    *dimension = 0.0;
    for (int64_t b = 0; status == GPIS_OK && (part = set->class->part(set, b, &columns)); b++) {
        for (int64_t i = 0; i < part->d; i++) {
            own[i] = x[columns[i]];
            own[set->d + i] = penalty ? penalty[columns[i]] : 0.0;
        }
        status = of_column(part, own + set->d, own, &one);
        *dimension += one;
    }
    gpis_free(set->context, own);
    return status;
}

/* What each of the sets takes away, as long as they do not depend on each other. */
static gpis_status of_pieces(const gpis_set *set, const double *x, double *dimension) {
    gpis_set *piece;
    double one, left = (double)set->d;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; status == GPIS_OK && (piece = set->class->piece(set, i)); i++) {
        status = of_column(piece, piece->penalty, x, &one);
        left -= (double)set->d - one;
    }
    *dimension = left < 0.0 ? 0.0 : left;
    return status;
}

static gpis_status of_inside(const gpis_set *set, const double *x, double *dimension) {
    double *z = gpis_alloc(set->context, set->d, sizeof *z);
    if (!z) return GPIS_NO_MEMORY;
    set->class->turn(set, GPIS_TO_INSIDE, 1, x, z);
    const gpis_status status = of_column(set->inside, set->inside->penalty, z + set->loose, dimension);
    *dimension += (double)set->loose;
    gpis_free(set->context, z);
    return status;
}

static gpis_status of_column(gpis_set *set, const double *penalty, const double *x, double *dimension) {
    const int64_t *member = NULL, *first = NULL;
    *dimension = NAN;
    if (set->class->piece) return of_pieces(set, x, dimension);
    if (set->shape == GPIS_SHAPE_ORDERED)
        *dimension = of_order(set, x);
    else if (gpis_polyhedron_describes(set))
        return of_polyhedron(set, penalty, x, dimension);
    else if (set->class->part)
        return of_parts(set, penalty, x, dimension);
    else if (set->inside)
        return of_inside(set, x, dimension);
    else if (set->shape == GPIS_SHAPE_BALL)
        *dimension = of_ball(set, penalty, x);
    else if (set->class->groups) {
        const int64_t count = set->class->groups(set, &member, &first);
        *dimension = of_groups(set, x, count, member, first);
    } else if (set->group > 0)
        *dimension = of_groups(set, x, set->d / set->group, NULL, NULL);
    return GPIS_OK;
}

gpis_status gpis_set_dimension(gpis_set *set, const double *X, double *dimension) {
    *dimension = NAN;
    if (set->matrix && set->k > 1) return GPIS_OK;
    double *x = gpis_alloc(set->context, set->d, sizeof *x), one, sum = 0.0;
    gpis_status status = x ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t c = 0; c < set->k && status == GPIS_OK; c++) {
        for (int64_t j = 0; j < set->d; j++) x[j] = X[j * set->k + c];
        status = of_column(set, set->penalty, x, &one);
        sum += one;
    }
    if (status == GPIS_OK) *dimension = sum;
    gpis_free(set->context, x);
    return status;
}
