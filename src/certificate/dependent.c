/* Multipliers that have nothing along the null vectors of A, and the bound they give. */
#include "certificate/dependent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/exact.h"

static const double UNIT = 0.5 * DBL_EPSILON;

/* ---- <l, N_i> = 0 ---------------------------------------------------------------------------------------------------
 */

/* Row t of M less the multiple of row `with` that has the same entry in column j; false where that has no doubles. */
static bool subtract_row(int64_t d, int64_t j, const double *with, double *t) {
    const double quotient = t[j] / with[j];
    const bool divides = fma(quotient, with[j], -t[j]) == 0.0;
    const double a = divides ? 1.0 : with[j], b = divides ? quotient : t[j];
    for (int64_t i = 0; b != 0.0 && i < d; i++) {
        t[i] = gpis_exact_cross(a, t[i], b, with[i]);
        if (isnan(t[i])) return false;
    }
    return true;
}

/* A pivot: the column of the largest activity that rows from `first` on have an entry in, and the row with the smallest
 * one. */
static bool choose_pivot(int64_t count, int64_t d, const double *M, const double *activity, int64_t first, int64_t *row,
                         int64_t *column) {
    double highest = -1.0, smallest = INFINITY;
    for (int64_t i = first; i < count; i++)
        for (int64_t j = 0; j < d; j++) {
            const double entry = fabs(M[i * d + j]);
            if (entry == 0.0 || activity[j] < highest || (activity[j] == highest && entry >= smallest)) continue;
            highest = activity[j];
            smallest = entry;
            *row = i;
            *column = j;
        }
    return highest >= 0.0;
}

static void swap_rows(int64_t d, double *a, double *b) {
    for (int64_t j = 0; a != b && j < d; j++) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* Row i of M now says l_j = - sum of the others M_ij' l_j' / M_ij for its pivot j. Where those are all 0, it is 0. */
static void solve_for_pivots(int64_t rows, int64_t d, const double *M, const int64_t *pivot, double *l, double *off) {
    for (int64_t i = 0; i < rows; i++) l[pivot[i]] = 0.0;
    for (int64_t i = 0; i < rows; i++) { /* no row has an entry in the pivot of another */
        double sum = 0.0, size = 0.0;
        const double entry = M[i * d + pivot[i]];
        for (int64_t j = 0; j < d; j++) {
            if (j == pivot[i]) continue;
            sum += M[i * d + j] * l[j];
            size += fabs(M[i * d + j] * l[j]);
        }
        l[pivot[i]] = -sum / entry;
        off[pivot[i]] = ((double)d + 4.0) * UNIT * size / fabs(entry);
    }
}

gpis_status gpis_dependent_annihilate(gpis_context *context, int64_t count, int64_t d, const double *N,
                                      const double *size, double *l, double *off, bool *found) {
    double *M = gpis_alloc(context, (count + 1) * d, sizeof *M), *activity = M + count * d;
    int64_t *pivot = gpis_alloc(context, count, sizeof *pivot), rows = 0, row, column;
    *found = M && pivot;
    if (*found) {
        memcpy(M, N, (size_t)(count * d) * sizeof *M);
        for (int64_t j = 0; j < d; j++) activity[j] = size[j] * fabs(l[j]), off[j] = 0.0;
        while (*found && choose_pivot(count, d, M, activity, rows, &row, &column)) {
            swap_rows(d, M + rows * d, M + row * d);
            for (int64_t i = 0; i < count && *found; i++)
                if (i != rows) *found = subtract_row(d, column, M + rows * d, M + i * d);
            activity[column] = -2.0; /* no entry is left in it but that of this row */
            pivot[rows++] = column;
        }
        if (*found) solve_for_pivots(rows, d, M, pivot, l, off);
    }
    const gpis_status status = M && pivot ? GPIS_OK : GPIS_NO_MEMORY;
    gpis_free(context, M);
    gpis_free(context, pivot);
    return status;
}

static bool is_tv(const gpis_set *set) { return set->constants; }

bool gpis_dependent_suits(const gpis_set *set) { return gpis_set_is_bounded(set) || is_tv(set); }

gpis_status gpis_dependent_clean(gpis_context *context, const gpis_set *set, const gpis_model *model, double *l,
                                 double *off) {
    const int64_t d = set->d, k = set->k, count = model->nulls + (is_tv(set) ? 1 : 0);
    double *N = gpis_alloc(context, (count + 2) * d, sizeof *N), *column = N + count * d, *lost = column + d;
    gpis_status status = N ? GPIS_OK : GPIS_NO_MEMORY;
    bool found = true;
    double sum = 0.0;
    for (int64_t i = 0; N && i < count * d; i++) N[i] = i < model->nulls * d ? model->N[i] : 1.0;
    for (int64_t c = 0; c < k && status == GPIS_OK && found; c++) {
        for (int64_t j = 0; j < d; j++) column[j] = l[j * k + c];
        status = gpis_dependent_annihilate(context, count, d, N, model->scale, column, lost, &found);
        for (int64_t j = 0; status == GPIS_OK && j < d; j++) {
            l[j * k + c] = column[j];
            sum += lost[j] * lost[j];
        }
    }
    *off = found ? sqrt(sum) : INFINITY;
    gpis_free(context, N);
    return status;
}

/* ---- walls ----------------------------------------------------------------------------------------------------------
 */

/*
 * The set that is left of K has the walls <w_j, s> <= b_j, with w_j = e_j or -e_j for bounds and e_j - e_{j+1} for
 * monotone; then l = sum of lambda_j w_j has the support function sum of lambda_j b_j. Both signs of one direction
 * share a j. One column of x at a time.
 */
typedef struct walls {
    int64_t count;
    bool ordered;          /* monotone */
    double *N;             /* nulls x count: <N_i, w_j> */
    double *size;          /* 1 / ||a_j|| */
    double *above, *below; /* b_j - <w_j, x> of the wall that a positive, a negative lambda_j is for; infinite: none */
    double *lambda, *clean, *off;
} walls;

static bool is_ordered(const gpis_set *set) { return set->shape == GPIS_SHAPE_ORDERED; }

/* False where <N_i, w_j> is no double. */
static bool set_up(walls *w, const gpis_model *m) {
    bool exact = true;
    for (int64_t i = 0; i < m->nulls; i++)
        for (int64_t j = 0; j < w->count; j++) {
            const double *v = m->N + i * m->d + j;
            w->N[i * w->count + j] = w->ordered ? gpis_exact_cross(1.0, v[0], 1.0, v[1]) : v[0];
            exact = exact && !isnan(w->N[i * w->count + j]);
        }
    memcpy(w->size, m->scale, (size_t)w->count * sizeof *w->size);
    return exact;
}

/* The walls that column c of s has reached. */
static void find_walls(walls *w, const gpis_set *set, const double *s, const double *x, int64_t c) {
    const int64_t k = set->k;
    for (int64_t j = 0; j < w->count; j++) {
        const double sj = s[j * k + c], xj = x[j * k + c];
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, j, &lo, &hi);
        w->above[j] = sj == hi ? fmax(0.0, hi - xj) : INFINITY;
        w->below[j] = sj == lo ? fmax(0.0, xj - lo) : INFINITY;
        if (w->ordered && sj == s[(j + 1) * k + c]) w->above[j] = fmax(0.0, x[(j + 1) * k + c] - xj);
    }
}

/* lambda from column c of l, as far as there are walls for it. */
static void find_lambda(walls *w, const gpis_set *set, const double *l, int64_t c) {
    double sum = 0.0;
    for (int64_t j = 0; j < w->count; j++) {
        sum = w->ordered ? sum + l[j * set->k + c] : l[j * set->k + c];
        w->lambda[j] = isfinite(sum > 0.0 ? w->above[j] : w->below[j]) ? sum : 0.0;
    }
}

/* Entries of lambda below `share` of the largest are taken for zeros, and the rest made free of null vectors: good if
 * they are still on their side of zero. */
static gpis_status try_share(walls *w, gpis_context *context, int64_t nulls, double share, bool *good) {
    double largest = 0.0;
    for (int64_t j = 0; j < w->count; j++) largest = fmax(largest, w->size[j] * fabs(w->lambda[j]));
    for (int64_t j = 0; j < w->count; j++)
        w->clean[j] = w->size[j] * fabs(w->lambda[j]) > share * largest ? w->lambda[j] : 0.0;
    const gpis_status status =
        gpis_dependent_annihilate(context, nulls, w->count, w->N, w->size, w->clean, w->off, good);
    for (int64_t j = 0; status == GPIS_OK && *good && j < w->count; j++) {
        const double room = w->clean[j] > 0.0 ? w->above[j] : w->below[j];
        *good = w->clean[j] == 0.0 ? w->off[j] == 0.0 : isfinite(room) && w->off[j] <= fabs(w->clean[j]);
    }
    return status;
}

/* Entries that should be zero are rounding errors; how large those are, shows. Zeros alone are always good. */
static gpis_status clean_lambda(walls *w, gpis_context *context, int64_t nulls) {
    bool good = false;
    gpis_status status = GPIS_OK;
    for (double share = 1e-15; status == GPIS_OK && !good && share < 1e-4; share *= 100.0)
        status = try_share(w, context, nulls, share, &good);
    for (int64_t j = 0; !good && j < w->count; j++) w->clean[j] = w->off[j] = 0.0;
    return status;
}

/* Column c of l from lambda. Returns support(l) - <l, x>; adds to *lost2 the square of how far l may be off, in units
 * of the columns. */
static double take_column(const walls *w, const gpis_model *m, int64_t k, int64_t c, double *l, double *lost2) {
    double linear = 0.0;
    for (int64_t j = 0; j < m->d; j++) {
        const double here = j < w->count ? w->clean[j] : 0.0, off = j < w->count ? w->off[j] : 0.0;
        const double before = w->ordered && j > 0 ? w->clean[j - 1] : 0.0;
        const double off_before = w->ordered && j > 0 ? w->off[j - 1] : 0.0;
        const double room = here > 0.0 ? w->above[j] : here < 0.0 ? w->below[j] : 0.0;
        l[j * k + c] = here - before;
        linear += (fabs(here) + off) * room;
        const double lost = (off + off_before + (w->ordered ? UNIT * fabs(l[j * k + c]) : 0.0)) * m->scale[j];
        *lost2 += lost * lost;
    }
    return linear * (1.0 + ((double)m->d + 8.0) * UNIT);
}

/* ---- the bound ------------------------------------------------------------------------------------------------------
 */

gpis_status gpis_dependent_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                 const gpis_model *model, double c, const double *s, double *l, double *v,
                                 double *bound) {
    const bool ordered = is_ordered(set);
    walls w = {.count = set->class->bounds ? set->d : ordered ? set->d - 1 : 0, .ordered = ordered};
    double **field[] = {&w.size, &w.above, &w.below, &w.lambda, &w.clean, &w.off};
    enum { FIELDS = sizeof field / sizeof *field };
    double *memory = gpis_alloc(context, (model->nulls + FIELDS) * w.count + 1, sizeof *memory);
    double linear = 0.0, lost2 = 0.0;
    gpis_status status = GPIS_OK;
    *bound = INFINITY;
    if (!memory) return GPIS_NO_MEMORY;
    for (int i = 0; i < FIELDS; i++) *field[i] = memory + i * w.count;
    w.N = memory + FIELDS * w.count;
    if (!set_up(&w, model)) w.count = 0, w.ordered = false; /* l = 0 */
    for (int64_t column = 0; column < set->k && status == GPIS_OK; column++) {
        find_walls(&w, set, s, point->x, column);
        find_lambda(&w, set, l, column);
        status = clean_lambda(&w, context, model->nulls);
        if (status == GPIS_OK) linear += take_column(&w, model, set->k, column, l, &lost2);
    }
    if (status == GPIS_OK) {
        for (int64_t i = 0; i < set->d * set->k; i++) v[i] = 2.0 * point->g[i] + l[i];
        *bound = linear + gpis_certificate_conjugate(model, c, set->k, sqrt(lost2 * model->inverse), v);
    }
    gpis_free(context, memory);
    return status;
}
