/* Whether x can move along null vectors of A without leaving K. */
#include "method/unique.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "method/column_list.h"
#include "set/penalty.h"

typedef struct search {
    const gpis_problem *problem; /* borrowed */
    const double *x;             /* borrowed: the answer, d x k */
    double *z, *moved;           /* owned, one after the other: d x k; another answer, and its difference from x */
    double size;                 /* the size of the entries of x */
    bool polyhedral;
    bool found; /* z is another answer */
} search;

/* K is the solution set of linear inequalities, as far as its properties tell. */
static bool is_polyhedral(const gpis_set *set) {
    if (set->polyhedron || set->class->bounds || set->class->normals) return true;
    if (set->shape == GPIS_SHAPE_WHOLE || set->shape == GPIS_SHAPE_ORDERED) return true;
    return set->inside && is_polyhedral(set->inside);
}

/* z is in K, and no penalty is higher there than at x, both up to rounding. */
static gpis_status is_member(const search *s, bool *member) {
    const gpis_problem *p = s->problem;
    double distance;
    const gpis_status status = gpis_set_distance(p->set, s->z, &distance);
    const double rounding = gpis_set_rounding(p->d), height = gpis_set_height(p->set, s->x);
    *member = status == GPIS_OK && distance <= rounding * gpis_norm2(s->z, p->size) &&
              gpis_set_height(p->set, s->z) <= height * (1.0 + rounding);
    return status;
}

/* What a step along v, in column c, is measured by: the entries of x that it changes or, if they are 0 up to rounding,
 * all of x. */
static double size_along(const search *s, const double *v, int64_t c) {
    const gpis_problem *p = s->problem;
    double size = 0.0;
    for (int64_t j = 0; j < p->d; j++)
        if (v[j] != 0.0) size = fmax(size, fabs(s->x[j * p->k + c]));
    return (size > gpis_set_rounding(p->d) * s->size ? size : s->size) / gpis_max_abs(v, p->d);
}

/* Whether a step of this length is more than what counts as rounding when z is judged. */
static bool is_a_move(const search *s, double length) {
    static const double CLEARLY = 1e3;
    return length > CLEARLY * gpis_set_rounding(s->problem->d) * gpis_norm2(s->x, s->problem->size);
}

/* Steps of several lengths in one sense. A curved boundary is left by so little in a short step that only long ones
 * tell. */
static gpis_status try_sense(search *s, const double *v, int64_t c, double sense) {
    static const double flat[] = {1e-2, 3e-4, 1e-5}, curved[] = {1e-1, 1e-2};
    const gpis_problem *p = s->problem;
    const double size = sense * size_along(s, v, c);
    gpis_status status = GPIS_OK;
    for (int i = 0; status == GPIS_OK && !s->found && i < (s->polyhedral ? 3 : 2); i++) {
        const double step = size * (s->polyhedral ? flat : curved)[i];
        if (!is_a_move(s, fabs(step) * gpis_max_abs(v, p->d))) break;
        memcpy(s->z, s->x, (size_t)p->size * sizeof *s->z);
        for (int64_t j = 0; j < p->d; j++) s->z[j * p->k + c] += step * v[j];
        status = is_member(s, &s->found);
    }
    return status;
}

static gpis_status try_vectors(search *s, const gpis_null_space *space) {
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < space->count; i++)
        for (int64_t c = 0; c < s->problem->k; c++)
            for (int sense = -1; sense <= 1; sense += 2) {
                if (status != GPIS_OK || s->found) return status;
                status = try_sense(s, space->V + i * space->d, c, sense);
            }
    return status;
}

/* z := x + the part of z - x in the space; returns the largest entry of z - x. */
static double return_to_space(search *s, const gpis_null_space *space) {
    const gpis_problem *p = s->problem;
    double largest = 0.0;
    for (int64_t i = 0; i < p->size; i++) s->moved[i] = s->z[i] - s->x[i];
    gpis_null_space_remove(space, p->k, s->moved);
    for (int64_t i = 0; i < p->size; i++) {
        s->z[i] -= s->moved[i];
        largest = fmax(largest, fabs(s->z[i] - s->x[i]));
    }
    return largest;
}

/* Combinations of several null vectors: from a random point of x + the space, by turns to the nearest point of K and
 * back. That leads to a point of both, and not always to x if there are others. The rows of the space are orthonormal.
 */
static gpis_status try_combinations(search *s, const gpis_null_space *space) {
    enum { STARTS = 8, TURNS = 50 };
    static const double FAR = 1e-5; /* a smaller step is none */
    const gpis_problem *p = s->problem;
    gpis_status status = GPIS_OK;
    for (int start = 0; status == GPIS_OK && !s->found && start < STARTS; start++) {
        gpis_random_normal(0, 0, (uint64_t)(start * p->size), p->size, s->z);
        for (int64_t i = 0; i < p->size; i++) s->z[i] = s->x[i] + (start % 2 ? 0.1 : 1.0) * s->size * s->z[i];
        double moved = return_to_space(s, space);
        for (int turn = 0; status == GPIS_OK && turn < TURNS && moved > FAR * s->size; turn++) {
            status = gpis_set_project(p->set, s->z, s->z);
            moved = return_to_space(s, space);
        }
        if (status == GPIS_OK && moved > FAR * s->size) status = is_member(s, &s->found);
    }
    return status;
}

static gpis_status look(search *s, gpis_null_space *space) {
    const gpis_problem *p = s->problem;
    s->z = gpis_alloc(p->context, 2 * p->size, sizeof *s->z);
    if (!s->z) return GPIS_NO_MEMORY;
    s->moved = s->z + p->size;
    s->size = gpis_max_abs(s->x, p->size);
    if (!(s->size > 0.0)) s->size = gpis_set_is_bounded(p->set) ? gpis_set_radius(p->set) : 1.0;
    if (!(s->size > 0.0)) return GPIS_OK; /* 0 is the only member */
    gpis_status status = try_vectors(s, space);
    if (status != GPIS_OK || s->found || space->count == 1) return status;
    status = gpis_null_space_orthonormalise(space);
    return status == GPIS_OK ? try_combinations(s, space) : status;
}

/* ---- words ---- */

typedef struct sentence {
    char text[192];
} sentence;

/* The columns that take part in any of these vectors, in units of the columns, and what that means. */
static sentence describe(const gpis_run *run, int64_t count, const double *V, double *parts) {
    static const double NOTHING = 1e-9;
    sentence out;
    int64_t involved = 0;
    const gpis_problem *p = run->problem;
    const double *norms2 = run->curvature.norms2;
    for (int64_t j = 0; j < p->d; j++) parts[j] = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double largest = 0.0;
        for (int64_t j = 0; j < p->d; j++) largest = fmax(largest, fabs(V[i * p->d + j]) * sqrt(norms2[j]));
        for (int64_t j = 0; j < p->d; j++) {
            const double part = norms2[j] > 0.0 ? fabs(V[i * p->d + j]) * sqrt(norms2[j]) : fabs(V[i * p->d + j]);
            if (part > NOTHING * largest) parts[j] = 1.0;
        }
    }
    for (int64_t j = 0; j < p->d; j++) involved += parts[j] != 0.0;
    const gpis_column_list columns = gpis_list_columns(p, parts);
    if (involved == 1)
        snprintf(out.text, sizeof out.text, "column %s is zero, so its coefficient changes nothing", columns.text);
    else
        snprintf(out.text, sizeof out.text, "columns %s can trade places", columns.text);
    return out;
}

/* All entries of the difference z - x, over the responses, as one vector. */
static void difference(const search *s, double *v) {
    const gpis_problem *p = s->problem;
    for (int64_t j = 0; j < p->d; j++) {
        v[j] = 0.0;
        for (int64_t c = 0; c < p->k; c++) v[j] = fmax(v[j], fabs(s->z[j * p->k + c] - s->x[j * p->k + c]));
    }
}

/* x has no part in the null space, up to the rounding of x. */
static gpis_status has_least_norm(const gpis_run *run, gpis_null_space *space, double *work, bool *least) {
    const gpis_problem *p = run->problem;
    const double *x = run->record.best;
    gpis_status status = gpis_null_space_complete(run, space);
    if (status == GPIS_OK) status = gpis_null_space_orthonormalise(space);
    if (status != GPIS_OK) return status;
    memcpy(work, x, (size_t)p->size * sizeof *work);
    gpis_null_space_remove(space, p->k, work);
    for (int64_t i = 0; i < p->size; i++) work[i] -= x[i];
    *least = space->complete && gpis_norm2(work, p->size) <= gpis_set_rounding(p->d) * gpis_norm2(x, p->size);
    return GPIS_OK;
}

static gpis_status judge(const gpis_run *run, gpis_null_space *space, double *work, gpis_uniqueness *unique,
                         char *reason, size_t size) {
    const gpis_problem *p = run->problem;
    const gpis_set *set = p->set;
    search s = {.problem = p, .x = run->record.best, .polyhedral = is_polyhedral(set)};
    sentence columns = describe(run, space->count, space->V, work);
    gpis_status status = GPIS_OK;
    if (set->shape == GPIS_SHAPE_WHOLE) {
        bool least = false;
        *unique = GPIS_UNIQUE_NO;
        status = has_least_norm(run, space, work, &least);
        snprintf(reason, size, "%s%s", columns.text, least ? "; x is the answer of least norm" : "");
        return status;
    }
    status = run->outcome == GPIS_SOLVED ? look(&s, space) : GPIS_OK;
    const bool one_vector = space->complete && space->count == 1 && (s.polyhedral || set->shape == GPIS_SHAPE_BALL) &&
                            (p->k == 1 || !set->matrix);
    const bool one_member = gpis_set_is_bounded(set) && gpis_set_radius(set) == 0.0;
    const bool settled = run->outcome == GPIS_SOLVED && (one_vector || one_member);
    if (s.found) {
        *unique = GPIS_UNIQUE_NO;
        difference(&s, work);
        columns = describe(run, 1, work, work + p->d);
        gpis_copy_text(reason, size, columns.text);
    } else if (settled && status == GPIS_OK) {
        *unique = GPIS_UNIQUE_YES;
    } else {
        gpis_copy_text(reason, size, columns.text);
    }
    gpis_free(p->context, s.z);
    return status;
}

gpis_status gpis_run_judge_uniqueness(const gpis_run *run, gpis_uniqueness *unique, char *reason, size_t size) {
    gpis_null_space space;
    double *work = NULL;
    *unique = GPIS_UNIQUE_UNKNOWN;
    reason[0] = '\0';
    gpis_status status = gpis_null_space_find(run, &space);
    if (status == GPIS_OK && space.count == 0 && space.complete) *unique = GPIS_UNIQUE_YES;
    if (status == GPIS_OK && space.count > 0) {
        work = gpis_alloc(run->context, run->problem->size + run->problem->d, sizeof *work);
        status = work ? judge(run, &space, work, unique, reason, size) : GPIS_NO_MEMORY;
    }
    gpis_free(run->context, work);
    gpis_null_space_clear(&space);
    return status;
}
