/* A set as a list of simple constraints: the walk through the sets of which it is made. */
#include "inner/flat.h"

#include <math.h>
#include <string.h>

bool gpis_flat_is_of_norms(const gpis_set *set) { return set->group || set->class->groups; }

bool gpis_flat_exists(const gpis_set *set) {
    const int64_t *columns;
    if (set->penalty || (set->matrix && set->k > 1)) return false;
    if (set->polyhedron || set->class->piece) return false;
    if (set->inside) return gpis_flat_exists(set->inside);
    if (set->class->turn || set->shape == GPIS_SHAPE_WHOLE) return true; /* monotone and tv of one entry: no jumps */
    if (!set->class->part) return set->class->bounds || set->class->normals || gpis_flat_is_of_norms(set);
    for (int64_t i = 0; set->class->part(set, i, &columns); i++)
        if (!gpis_flat_exists(set->class->part(set, i, &columns))) return false;
    return true;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static void fix_at_zero(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    for (int64_t i = 0; i < set->d; i++) f->lo[columns[i]] = f->hi[columns[i]] = 0.0;
}

void gpis_flat_add_norms(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    const int64_t size = set->group > 0 ? set->group : 1, start = f->first[f->groups];
    const int64_t *member = NULL, *first = NULL;
    const int64_t groups = set->class->groups ? set->class->groups(set, &member, &first) : set->d / size;
    for (int64_t i = 0; i < set->d; i++) {
        const int64_t j = columns[member ? member[i] : i];
        f->sum_of[j] = f->sums;
        f->member[start + i] = j;
    }
    for (int64_t c = 0; c < groups; c++, f->groups++) {
        f->group_sum[f->groups] = f->sums;
        f->first[f->groups + 1] = start + (first ? first[c + 1] : (c + 1) * size);
    }
    f->sum[f->sums++] = (gpis_flat_sum){.R = set->R, .norms = true};
}

static void add_bounds(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    const bool summed = set->sum != GPIS_SUM_ANY;
    for (int64_t i = 0; i < set->d; i++) {
        set->class->bounds(set, i, &f->lo[columns[i]], &f->hi[columns[i]]);
        if (summed) f->sum_of[columns[i]] = f->sums, f->hi[columns[i]] = INFINITY;
    }
    if (summed) f->sum[f->sums++] = (gpis_flat_sum){.R = set->R, .equal = set->sum == GPIS_SUM_IS_R};
}

static gpis_status add_given_rows(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    int64_t count;
    set->class->normals(set, &count);
    for (int64_t r = 0; r < count; r++, f->rows++) {
        const double *row = set->class->equation(set, r, &f->e[f->rows]);
        for (int64_t i = 0; i < set->d; i++) f->E[f->rows * f->d + columns[i]] = row[i];
    }
    return GPIS_OK;
}

/* Rows <q_i, z> = <q_i, z0>, where z0 is the member of the set that is nearest to 0. */
static gpis_status add_rows(gpis_flat *f, gpis_set *set, const int64_t *columns) {
    int64_t count;
    if (f->given) return add_given_rows(f, set, columns);
    const double *Q = set->class->normals(set, &count);
    memset(f->in, 0, (size_t)set->d * sizeof *f->in);
    const gpis_status status = set->class->project(set, f->in, f->in);
    for (int64_t r = 0; r < count; r++, f->rows++)
        for (int64_t i = 0; i < set->d; i++) {
            f->E[f->rows * f->d + columns[i]] = Q[r * set->d + i];
            f->e[f->rows] += Q[r * set->d + i] * f->in[i];
        }
    return status;
}

void gpis_flat_fix(gpis_flat *f) {
    for (int64_t j = 0; j < f->d; j++) {
        if (f->lo[j] < f->hi[j]) continue;
        f->E[f->rows * f->d + j] = 1.0;
        f->e[f->rows++] = f->lo[j];
        f->lo[j] = -INFINITY, f->hi[j] = INFINITY;
    }
}

/* ---- sets of sets ------------------------------------------------------------------------------------------------ */

static gpis_status describe(gpis_flat *f, gpis_set *set, const int64_t *columns);

static gpis_status describe_parts(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    const int64_t *own;
    gpis_set *part;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; status == GPIS_OK && (part = set->class->part(set, i, &own)); i++) {
        int64_t *here = gpis_alloc(f->context, part->d, sizeof *here);
        if (!here) return GPIS_NO_MEMORY;
        for (int64_t j = 0; j < part->d; j++) here[j] = columns[own[j]];
        status = describe(f, part, here);
        gpis_free(f->context, here);
    }
    return status;
}

static gpis_status describe_inside(gpis_flat *f, const gpis_set *set, const int64_t *columns) {
    int64_t *copy = gpis_alloc(f->context, set->d, sizeof *copy);
    if (!copy) return GPIS_NO_MEMORY;
    memcpy(copy, columns, (size_t)set->d * sizeof *copy);
    f->turns[f->turn_count++] = (gpis_flat_turn){set, copy};
    return describe(f, set->inside, columns + set->loose);
}

static gpis_status describe(gpis_flat *f, gpis_set *set, const int64_t *columns) {
    const bool sizes = set->class->bounds && set->sum == GPIS_SUM_OF_SIZES_WITHIN;
    if (set->inside) return describe_inside(f, set, columns);
    if (set->class->part) return describe_parts(f, set, columns);
    if (set->class->normals) return add_rows(f, set, columns);
    if (set->shape == GPIS_SHAPE_WHOLE) return GPIS_OK;
    const bool norms = gpis_flat_is_of_norms(set);
    if ((norms || (set->class->bounds && set->sum != GPIS_SUM_ANY)) && set->R == 0.0)
        fix_at_zero(f, set, columns);
    else if (norms || sizes)
        gpis_flat_add_norms(f, set, columns);
    else if (set->class->bounds)
        add_bounds(f, set, columns);
    return GPIS_OK;
}

void gpis_flat_count(const gpis_set *set, int64_t *sums, int64_t *rows) {
    const int64_t *columns;
    int64_t own = 0;
    if (set->inside) {
        gpis_flat_count(set->inside, sums, rows);
        return;
    }
    if (set->class->normals) set->class->normals(set, &own);
    const bool norms = gpis_flat_is_of_norms(set), summed = norms || (set->class->bounds && set->sum != GPIS_SUM_ANY);
    *sums += summed;
    *rows += own + (summed && set->sum == GPIS_SUM_IS_R);
    for (int64_t i = 0; set->class->bounds && i < set->d; i++) {
        double lo, hi;
        set->class->bounds(set, i, &lo, &hi);
        *rows += !(lo < hi) || (summed && set->R == 0.0);
    }
    if (norms && set->R == 0.0) *rows += set->d;
    for (int64_t i = 0; set->class->part && set->class->part(set, i, &columns); i++)
        gpis_flat_count(set->class->part(set, i, &columns), sums, rows);
}

static int64_t count_turns(const gpis_set *set) {
    const int64_t *columns;
    int64_t count = 0;
    if (set->inside) return 1 + count_turns(set->inside);
    for (int64_t i = 0; set->class->part && set->class->part(set, i, &columns); i++)
        count += count_turns(set->class->part(set, i, &columns));
    return count;
}

/* Memory for `rows` equations at most, and no constraints. */
static gpis_status open_flat(gpis_flat *f, int64_t rows, int64_t turns) {
    gpis_context *context = f->context;
    const int64_t d = f->d;
    double **vectors[] = {&f->lo, &f->hi, &f->in, &f->out};
    int64_t **numbers[] = {&f->sum_of, &f->member, &f->first, &f->group_sum};
    for (int i = 0; i < 4; i++)
        if (!(*vectors[i] = gpis_alloc(context, d, sizeof(double)))) return GPIS_NO_MEMORY;
    for (int i = 0; i < 4; i++)
        if (!(*numbers[i] = gpis_alloc_zero(context, d + 1, sizeof(int64_t)))) return GPIS_NO_MEMORY;
    f->sum = gpis_alloc(context, d, sizeof *f->sum);
    f->turns = gpis_alloc(context, turns, sizeof *f->turns);
    f->E = gpis_alloc_zero(context, rows * d, sizeof(double));
    f->e = gpis_alloc_zero(context, rows, sizeof(double));
    if (!f->sum || !f->turns || !f->E || !f->e) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < d; j++) {
        f->lo[j] = -INFINITY, f->hi[j] = INFINITY;
        f->sum_of[j] = -1;
    }
    return GPIS_OK;
}

static gpis_status fill(gpis_flat *f, gpis_set *set) {
    int64_t rows = 0, sums = 0;
    gpis_flat_count(set, &sums, &rows);
    gpis_status status = open_flat(f, rows, count_turns(set));
    if (status != GPIS_OK) return status;
    int64_t *all = gpis_alloc(f->context, f->d, sizeof *all);
    if (!all) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < f->d; j++) all[j] = j;
    status = describe(f, set, all);
    if (status == GPIS_OK) gpis_flat_fix(f);
    gpis_free(f->context, all);
    return status;
}

/* Hands the form out if it is whole. */
static gpis_status hand_out(gpis_flat *f, gpis_status status, gpis_flat **out) {
    *out = status == GPIS_OK ? f : NULL;
    if (status != GPIS_OK) gpis_flat_destroy(f);
    return status;
}

gpis_status gpis_flat_create(gpis_context *context, gpis_set *set, bool given, gpis_flat **out) {
    gpis_flat *f = *out = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->context = context;
    f->d = set->d;
    f->given = given;
    return hand_out(f, fill(f, set), out);
}

gpis_status gpis_flat_open(gpis_context *context, int64_t d, int64_t rows, gpis_flat **out) {
    gpis_flat *f = *out = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->context = context;
    f->d = d;
    f->given = true;
    return hand_out(f, open_flat(f, rows, 0), out);
}

void gpis_flat_destroy(gpis_flat *f) {
    if (!f) return;
    for (int64_t i = 0; i < f->turn_count; i++) gpis_free(f->context, f->turns[i].columns);
    void *const all[] = {f->lo,    f->hi,        f->in,  f->out, f->sum_of, f->member,
                         f->first, f->group_sum, f->sum, f->E,   f->e,      f->turns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(f->context, all[i]);
    gpis_free(f->context, f);
}

void gpis_flat_change(const gpis_flat *f, gpis_way way, double *v) {
    const bool outwards = way == GPIS_TO_OUTSIDE || way == GPIS_TRANSPOSED_BACK;
    for (int64_t i = 0; i < f->turn_count; i++) {
        const gpis_flat_turn *t = f->turns + (outwards ? f->turn_count - 1 - i : i);
        for (int64_t j = 0; j < t->set->d; j++) f->in[j] = v[t->columns[j]];
        t->set->class->turn(t->set, way, 1, f->in, f->out);
        for (int64_t j = 0; j < t->set->d; j++) v[t->columns[j]] = f->out[j];
    }
}
