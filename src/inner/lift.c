/* The further entries of a polyhedron, and its equations with them. */
#include "inner/lift.h"

#include <math.h>

bool gpis_lift_applies(const gpis_set *set) { return !gpis_flat_exists(set) && gpis_polyhedron_describes(set); }

/* Adds the numbers of rows and sums of a set, at most. */
static void count_constraints(const gpis_set *set, int64_t *rows, int64_t *sums) {
    const int64_t *columns;
    const double *C, *b;
    int64_t count = 0;
    if (set->polyhedron)
        *rows += set->polyhedron->rows, *sums += set->polyhedron->sums;
    else if (set->class->bounds)
        *rows += 1, *sums += 1;
    else if (set->class->equations)
        set->class->equations(set, &count, &C, &b);
    else if (set->shape == GPIS_SHAPE_ORDERED)
        count = set->d;
    else if (set->class->part)
        for (int64_t i = 0; set->class->part(set, i, &columns); i++)
            count_constraints(set->class->part(set, i, &columns), rows, sums);
    *rows += count;
}

void gpis_lift_count(const gpis_set *set, int64_t *entries, int64_t *equations) {
    int64_t rows = 0, sums = 0;
    count_constraints(set, &rows, &sums);
    const int64_t splits = set->penalty || sums > 0 ? set->d : 0, fixed = set->d;
    *entries = set->d + 2 * splits + rows + sums;
    *equations = splits + fixed + rows + sums;
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

/* A row of zeros says nothing; its u_i, which has no bounds, only keeps its equation apart from the others. */
static bool is_empty(const gpis_polyhedron *p, int64_t i) { return p->first[i] == p->first[i + 1]; }

static void place_entries(gpis_lift *lift) {
    const gpis_polyhedron *p = lift->p;
    lift->size = lift->d + p->sums;
    for (int64_t i = 0; i < p->rows; i++)
        lift->slack[i] = p->lower[i] < p->upper[i] || is_empty(p, i) ? lift->size++ : -1;
    for (int64_t j = 0; j < lift->d; j++) {
        lift->split[j] = is_to_split(lift, j) ? lift->size : -1;
        if (lift->split[j] >= 0) lift->size += 2, lift->splits++;
    }
}

gpis_status gpis_lift_create(gpis_context *context, const gpis_set *set, gpis_lift **out) {
    gpis_lift *lift = *out = gpis_alloc_zero(context, 1, sizeof *lift);
    if (!lift) return GPIS_NO_MEMORY;
    lift->context = context;
    lift->d = set->d;
    lift->penalty = set->penalty;
    gpis_status status = gpis_polyhedron_create(context, set->d, &lift->p);
    if (status == GPIS_OK) status = gpis_polyhedron_add_set(lift->p, set, NULL, NULL);
    if (status == GPIS_OK) {
        lift->split = gpis_alloc(context, lift->d, sizeof *lift->split);
        lift->slack = gpis_alloc(context, lift->p->rows, sizeof *lift->slack);
        status = lift->split && lift->slack ? GPIS_OK : GPIS_NO_MEMORY;
    }
    if (status == GPIS_OK)
        place_entries(lift);
    else {
        gpis_lift_destroy(lift);
        *out = NULL;
    }
    return status;
}

void gpis_lift_destroy(gpis_lift *lift) {
    if (!lift) return;
    gpis_polyhedron_destroy(lift->p);
    gpis_free(lift->context, lift->split);
    gpis_free(lift->context, lift->slack);
    gpis_free(lift->context, lift);
}

/* ---- the equations ---- */

/* <c_i, x> - u_i = 0, or <c_i, x> = lower_i. */
static void add_row(const gpis_lift *lift, int64_t i, gpis_flat *f) {
    const gpis_polyhedron *p = lift->p;
    const int64_t u = lift->slack[i];
    double *row = f->E + f->rows * f->d;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) row[p->column[e]] = p->value[e];
    if (u >= 0) row[u] = -1.0;
    if (u >= 0 && !is_empty(p, i)) f->lo[u] = p->lower[i], f->hi[u] = p->upper[i];
    f->e[f->rows++] = u >= 0 ? 0.0 : p->lower[i];
}

/* sum over j of w_kj (p_j + q_j) + s_k = R_k. */
static void add_sum(const gpis_lift *lift, int64_t k, gpis_flat *f) {
    const gpis_polyhedron *p = lift->p;
    double *row = f->E + f->rows * f->d;
    for (int64_t j = 0; j < lift->d; j++) {
        const double w = p->weight[k * p->d + j];
        if (lift->split[j] >= 0)
            row[lift->split[j]] = row[lift->split[j] + 1] = w;
        else
            row[j] = p->lo[j] < 0.0 ? -w : w;
    }
    row[lift->d + k] = 1.0;
    f->lo[lift->d + k] = 0.0;
    f->e[f->rows++] = p->R[k];
}

/* x_j - p_j + q_j = 0. */
static void add_split(const gpis_lift *lift, int64_t j, gpis_flat *f) {
    const int64_t plus = lift->split[j];
    double *row = f->E + f->rows * f->d;
    row[j] = row[plus + 1] = 1.0;
    row[plus] = -1.0;
    f->lo[plus] = f->lo[plus + 1] = 0.0;
    f->e[f->rows++] = 0.0;
}

gpis_status gpis_lift_flatten(const gpis_lift *lift, gpis_flat **out) {
    const gpis_polyhedron *p = lift->p;
    const gpis_status status =
        gpis_flat_open(lift->context, lift->size, p->rows + p->sums + lift->splits + lift->d, out);
    if (status != GPIS_OK) return status;
    gpis_flat *f = *out;
    for (int64_t j = 0; j < lift->d; j++) f->lo[j] = p->lo[j], f->hi[j] = p->hi[j];
    for (int64_t i = 0; i < p->rows; i++) add_row(lift, i, f);
    for (int64_t k = 0; k < p->sums; k++) add_sum(lift, k, f);
    for (int64_t j = 0; j < lift->d; j++)
        if (lift->split[j] >= 0) add_split(lift, j, f);
    gpis_flat_fix(f);
    return GPIS_OK;
}

/* ---- the objective, and points ---- */

double gpis_lift_slope(const gpis_lift *lift, int64_t j) {
    if (j < lift->d) {
        if (lift->split[j] >= 0) return 0.0;
        return lift->p->lo[j] < 0.0 ? -penalty_of(lift, j) : penalty_of(lift, j);
    }
    for (int64_t i = 0; i < lift->d; i++)
        if (lift->split[i] >= 0 && (lift->split[i] == j || lift->split[i] + 1 == j)) return penalty_of(lift, i);
    return 0.0;
}

/* The size of an entry whose equation has no others is that of nothing, and 1 by convention. */
static double size_of(double sum) { return sum > 0.0 ? sum : 1.0; }

void gpis_lift_extend(const gpis_lift *lift, double *z, bool sizes) {
    const gpis_polyhedron *p = lift->p;
    for (int64_t i = 0; i < p->rows; i++) {
        double sum = 0.0;
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
            sum += (sizes ? fabs(p->value[e]) : p->value[e]) * z[p->column[e]];
        if (lift->slack[i] >= 0) z[lift->slack[i]] = sizes ? size_of(sum) : sum;
    }
    for (int64_t k = 0; k < p->sums; k++) {
        double sum = 0.0;
        for (int64_t j = 0; j < lift->d; j++) sum += p->weight[k * p->d + j] * fabs(z[j]);
        z[lift->d + k] = sizes ? size_of(sum) : fmax(0.0, p->R[k] - sum);
    }
    for (int64_t j = 0; j < lift->d; j++) {
        const int64_t plus = lift->split[j];
        if (plus < 0) continue;
        z[plus] = fmax(0.0, z[j]);
        z[plus + 1] = sizes ? z[j] : fmax(0.0, -z[j]);
    }
}
