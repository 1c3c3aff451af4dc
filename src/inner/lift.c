/* The constraints of a polyhedron that may meet sums of norms, and its flat form with copies of entries. */
#include "inner/lift.h"

#include <math.h>

/* Set i of those that the set is made of: x is in all of them, or the entries (*columns)[...] of x are. NULL: there are
 * not so many. */
static gpis_set *member_of(const gpis_set *set, int64_t i, const int64_t **columns) {
    *columns = NULL;
    if (set->class->piece) return set->class->piece(set, i);
    return set->class->part ? set->class->part(set, i, columns) : NULL;
}

/* Whether the set is made of bounds, rows, sums and norms alone. */
static bool is_of_simple_sets(const gpis_set *set) {
    const int64_t *columns;
    if (gpis_polyhedron_describes(set)) return true;
    if (set->matrix || set->inside) return false;
    if (gpis_flat_is_of_norms(set)) return true;
    for (int64_t i = 0; member_of(set, i, &columns); i++)
        if (!is_of_simple_sets(member_of(set, i, &columns))) return false;
    return set->class->piece || set->class->part;
}

bool gpis_lift_applies(const gpis_set *set) { return !gpis_flat_exists(set) && is_of_simple_sets(set); }

/* The numbers of constraints of a set, at most. */
typedef struct numbers {
    int64_t rows, sums, norms;
    int64_t normed, copies; /* entries in sums of norms, and those of them that another sum may have, too */
} numbers;

/* Bounds and a sum, which is a row or, as a ball, a sum of sizes. */
static void count_sum(const gpis_set *set, numbers *n) {
    n->sums += set->sum == GPIS_SUM_OF_SIZES_WITHIN;
    n->rows += set->sum == GPIS_SUM_IS_R || set->sum == GPIS_SUM_AT_MOST_R;
}

static void count_constraints(const gpis_set *set, numbers *n) {
    const int64_t *columns, before = n->normed;
    const double *C, *b;
    int64_t count = 0, most = 0;
    if (set->polyhedron)
        n->rows += set->polyhedron->rows, n->sums += set->polyhedron->sums;
    else if (set->class->bounds)
        count_sum(set, n);
    else if (set->class->equations)
        set->class->equations(set, &count, &C, &b);
    else if (set->shape == GPIS_SHAPE_ORDERED)
        count = set->d;
    else if (gpis_flat_is_of_norms(set))
        n->norms++, n->normed += set->d;
    else
        for (int64_t i = 0; member_of(set, i, &columns); i++) {
            const int64_t already = n->normed;
            count_constraints(member_of(set, i, &columns), n);
            most = gpis_max64(most, n->normed - already);
        }
    if (set->class->piece) n->copies += n->normed - before - most;
    n->rows += count;
}

void gpis_lift_count(const gpis_set *set, int64_t *entries, int64_t *equations) {
    numbers n = {0};
    count_constraints(set, &n);
    const int64_t fixed = set->d;
    *entries = set->d + n.copies;
    *equations = fixed + n.rows + n.sums + n.copies;
}

/* ---- the constraints ---- */

/* A sum of norms that is 0 holds its entries at 0. */
static gpis_status add_norms(gpis_lift *lift, const gpis_set *set, const int64_t *columns) {
    if (set->R == 0.0) {
        for (int64_t i = 0; i < set->d; i++) gpis_polyhedron_add_bounds(lift->p, columns[i], 0.0, 0.0);
        return GPIS_OK;
    }
    gpis_lift_norms *n = lift->norms + lift->norm_count++;
    *n = (gpis_lift_norms){set, gpis_alloc(lift->context, set->d, sizeof *n->column),
                           gpis_alloc(lift->context, set->d, sizeof *n->place)};
    if (!n->column || !n->place) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < set->d; i++) n->column[i] = columns[i];
    return GPIS_OK;
}

/* Adds the constraints of a set whose entry i is entry columns[i] of x. */
static gpis_status add_constraints(gpis_lift *lift, const gpis_set *set, const int64_t *columns) {
    const int64_t *own;
    const gpis_set *member;
    gpis_status status = GPIS_OK;
    if (gpis_polyhedron_describes(set)) return gpis_polyhedron_add_set(lift->p, set, columns, NULL);
    if (gpis_flat_is_of_norms(set)) return add_norms(lift, set, columns);
    int64_t *here = gpis_alloc(lift->context, set->d, sizeof *here);
    if (!here) return GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && (member = member_of(set, i, &own)); i++) {
        for (int64_t j = 0; j < member->d; j++) here[j] = columns[own ? own[j] : j];
        status = add_constraints(lift, member, here);
    }
    gpis_free(lift->context, here);
    return status;
}

static gpis_status take_constraints(gpis_lift *lift, const gpis_set *set) {
    numbers n = {0};
    count_constraints(set, &n);
    int64_t *all = gpis_alloc(lift->context, set->d, sizeof *all);
    lift->norms = gpis_alloc(lift->context, n.norms, sizeof *lift->norms);
    gpis_status status = all && lift->norms ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t j = 0; all && j < set->d; j++) all[j] = j;
    if (status == GPIS_OK) status = gpis_polyhedron_create(lift->context, set->d, &lift->p);
    if (status == GPIS_OK) status = add_constraints(lift, set, all);
    gpis_free(lift->context, all);
    return status;
}

/* ---- which entries there are ---- */

static double penalty_of(const gpis_lift *lift, int64_t j) { return lift->penalty ? lift->penalty[j] : 0.0; }

/* Whether |x_j| counts, and x_j may have either sign. */
static bool is_to_split(const gpis_lift *lift, int64_t j) {
    const gpis_polyhedron *p = lift->p;
    bool counts = penalty_of(lift, j) > 0.0;
    for (int64_t k = 0; k < p->sums; k++) counts = counts || p->weight[k * p->d + j] > 0.0;
    return counts && p->lo[j] < 0.0 && p->hi[j] > 0.0;
}

/* A row of zeros says nothing. */
static bool is_empty(const gpis_polyhedron *p, int64_t i) { return p->first[i] == p->first[i + 1]; }

static void place_entries(gpis_lift *lift) {
    const gpis_polyhedron *p = lift->p;
    lift->size = lift->d;
    int64_t equations = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        const bool limit = p->lower[i] < p->upper[i];
        lift->place[i] = limit && !is_empty(p, i) ? lift->limits : -1;
        if (lift->place[i] >= 0) lift->limited[lift->limits++] = i;
        lift->equation[i] = limit || is_empty(p, i) ? -1 : equations++;
    }
    for (int64_t j = 0; j < lift->d; j++) {
        lift->split[j] = is_to_split(lift, j);
    }
}

/* `taken` has d entries, which are false: whether an entry is in a sum of norms. */
static void place_norms(gpis_lift *lift, bool *taken) {
    for (int64_t k = 0; k < lift->norm_count; k++) {
        const gpis_lift_norms *n = lift->norms + k;
        for (int64_t i = 0; i < n->set->d; i++) {
            const int64_t j = n->column[i];
            n->place[i] = taken[j] ? lift->size++ : j;
            lift->copies += taken[j];
            taken[j] = true;
        }
    }
}

gpis_status gpis_lift_create(gpis_context *context, const gpis_set *set, gpis_lift **out) {
    gpis_lift *lift = *out = gpis_alloc_zero(context, 1, sizeof *lift);
    if (!lift) return GPIS_NO_MEMORY;
    lift->context = context;
    lift->d = set->d;
    lift->penalty = set->penalty;
    gpis_status status = take_constraints(lift, set);
    bool *taken = gpis_alloc_zero(context, lift->d, sizeof *taken);
    if (status == GPIS_OK) {
        lift->split = gpis_alloc(context, lift->d, sizeof *lift->split);
        lift->limited = gpis_alloc(context, lift->p->rows, sizeof *lift->limited);
        lift->place = gpis_alloc(context, lift->p->rows, sizeof *lift->place);
        lift->equation = gpis_alloc(context, lift->p->rows, sizeof *lift->equation);
        const bool all = lift->split && lift->limited && lift->place && lift->equation && taken;
        status = all ? GPIS_OK : GPIS_NO_MEMORY;
    }
    if (status == GPIS_OK) {
        place_entries(lift);
        place_norms(lift, taken);
    } else {
        gpis_lift_destroy(lift);
        *out = NULL;
    }
    gpis_free(context, taken);
    return status;
}

void gpis_lift_destroy(gpis_lift *lift) {
    if (!lift) return;
    gpis_polyhedron_destroy(lift->p);
    for (int64_t k = 0; k < lift->norm_count; k++) {
        gpis_free(lift->context, lift->norms[k].column);
        gpis_free(lift->context, lift->norms[k].place);
    }
    gpis_free(lift->context, lift->norms);
    gpis_free(lift->context, lift->split);
    gpis_free(lift->context, lift->limited);
    gpis_free(lift->context, lift->place);
    gpis_free(lift->context, lift->equation);
    gpis_free(lift->context, lift);
}

/* ---- the equations ---- */

/* <c_i, x> = lower_i. */
static void add_row(const gpis_lift *lift, int64_t i, gpis_flat *f) {
    const gpis_polyhedron *p = lift->p;
    double *row = f->E + f->rows * f->d;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) row[p->column[e]] = p->value[e];
    f->e[f->rows++] = p->lower[i];
}

/* The sum of norms, and x_j - c_j = 0 for each copy in it. */
static void add_norms_of(const gpis_lift_norms *n, gpis_flat *f) {
    gpis_flat_add_norms(f, n->set, n->place);
    for (int64_t i = 0; i < n->set->d; i++) {
        if (n->place[i] == n->column[i]) continue;
        f->E[f->rows * f->d + n->column[i]] = 1.0;
        f->E[f->rows * f->d + n->place[i]] = -1.0;
        f->e[f->rows++] = 0.0;
    }
}

gpis_status gpis_lift_flatten(const gpis_lift *lift, gpis_flat **out) {
    const gpis_polyhedron *p = lift->p;
    const gpis_status status = gpis_flat_open(lift->context, lift->size, p->rows + lift->copies + lift->d, out);
    if (status != GPIS_OK) return status;
    gpis_flat *f = *out;
    for (int64_t j = 0; j < lift->d; j++) f->lo[j] = p->lo[j], f->hi[j] = p->hi[j];
    for (int64_t i = 0; i < p->rows; i++)
        if (lift->equation[i] >= 0) add_row(lift, i, f);
    for (int64_t k = 0; k < lift->norm_count; k++) add_norms_of(lift->norms + k, f);
    gpis_flat_fix(f);
    return GPIS_OK;
}

/* ---- the objective, and points ---- */

double gpis_lift_slope(const gpis_lift *lift, int64_t j) {
    if (j >= lift->d || lift->split[j]) return 0.0;
    return lift->p->lo[j] < 0.0 ? -penalty_of(lift, j) : penalty_of(lift, j);
}

void gpis_lift_extend(const gpis_lift *lift, double *z) {
    for (int64_t k = 0; k < lift->norm_count; k++)
        for (int64_t i = 0; i < lift->norms[k].set->d; i++) z[lift->norms[k].place[i]] = z[lift->norms[k].column[i]];
}
