/* Multipliers that are orthogonal to the null vectors of A, and the bound that they give. */
#include "certificate/null_bound.h"

#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/exact.h"
#include "linalg/rounding.h"

static const double TINY = 0x1p-900; /* smaller products may underflow, and then lose more than one rounding */
/* A computed bound on rounding errors is itself rounded: so many times the computed one is an upper bound. */
static const double BOUND_MARGIN = 1.0 + 0x1p-40;

/* ---- <l, N_i> = 0 ---- */

/* A row of numbers that are known up to `blur`: the true entries are within blur[j] of entry[j]. Where blur[j] is 0,
 * entry[j] is exact. */
typedef struct row {
    double *entry, *blur;
} row;

static row row_of(double *M, int64_t rows, int64_t d, int64_t i) { return (row){M + i * d, M + (rows + i) * d}; }

static bool is_zero(row r, int64_t j) { return r.entry[j] == 0.0 && r.blur[j] == 0.0; }

/* t := a t - b with, if all entries of the result are doubles exactly; otherwise returns false and leaves t as it is.
 */
static bool subtract_exactly(int64_t d, double a, double b, row with, row t, double *work) {
    for (int64_t i = 0; i < d; i++) {
        work[i] = gpis_exact_cross(a, t.entry[i], b, with.entry[i]);
        if (isnan(work[i]) || t.blur[i] > 0.0 || with.blur[i] > 0.0) return false;
    }
    memcpy(t.entry, work, (size_t)d * sizeof *work);
    return true;
}

/*
 * Row t less the multiple of row `with` that has the same entry in column j. Exact where doubles allow it, as for null
 * vectors of small fractions; otherwise what rounding does is added to the blur. With q* = t_j / with_j for the true
 * entries and q for the computed ones, |q* - q| <= (u |q with_j| + blur of t_j + |q| blur of with_j) / |true with_j|.
 */
static void subtract_row(int64_t d, int64_t j, row with, row t, double *work) {
    if (is_zero(t, j)) return;
    const double q = t.entry[j] / with.entry[j], least = fabs(with.entry[j]) - with.blur[j];
    const bool divides = fma(q, with.entry[j], -t.entry[j]) == 0.0;
    if (subtract_exactly(d, divides ? 1.0 : with.entry[j], divides ? q : t.entry[j], with, t, work)) return;
    const double rounded = divides ? 0.0 : GPIS_UNIT * fabs(t.entry[j]);
    const double off = BOUND_MARGIN * (rounded + t.blur[j] + fabs(q) * with.blur[j]) / least;
    for (int64_t i = 0; i < d; i++) {
        if (is_zero(with, i)) continue;
        const double value = fma(-q, with.entry[i], t.entry[i]);
        const double lost = fabs(q * with.entry[i]) < TINY ? TINY : GPIS_UNIT * fabs(value);
        t.blur[i] =
            BOUND_MARGIN * (lost + t.blur[i] + fabs(q) * with.blur[i] + off * (fabs(with.entry[i]) + with.blur[i]));
        t.entry[i] = value;
    }
    t.entry[j] = t.blur[j] = 0.0;
}

/* Chooses a pivot: the column of the largest activity in which a row from `first` on has an entry that is certainly not
 * zero, and in that column the row with the smallest such entry. */
static bool choose_pivot(int64_t count, int64_t d, double *M, const double *activity, int64_t first, int64_t *at,
                         int64_t *column) {
    double highest = -1.0, smallest = INFINITY;
    for (int64_t i = first; i < count; i++)
        for (int64_t j = 0; j < d; j++) {
            const row r = row_of(M, count, d, i);
            const double entry = fabs(r.entry[j]);
            if (entry == 0.0 || entry < 1e3 * r.blur[j] || activity[j] < highest) continue;
            if (activity[j] == highest && entry >= smallest) continue;
            highest = activity[j];
            smallest = entry;
            *at = i;
            *column = j;
        }
    return highest >= 0.0;
}

static void swap_entries(int64_t d, double *a, double *b) {
    for (int64_t j = 0; a != b && j < d; j++) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* Row i of M now determines the entry of l at its pivot j from the others: l_j = - sum of M_ij' l_j' / M_ij. */
static void solve_for_pivots(int64_t count, int64_t rows, int64_t d, double *M, const int64_t *pivot, double *l,
                             double *off) {
    for (int64_t i = 0; i < rows; i++) l[pivot[i]] = 0.0;
    for (int64_t i = 0; i < rows; i++) { /* no row has an entry in the pivot of another */
        const row r = row_of(M, count, d, i);
        double sum = 0.0, size = 0.0, blurred = 0.0;
        const double entry = r.entry[pivot[i]], blur = r.blur[pivot[i]];
        for (int64_t j = 0; j < d; j++) {
            if (j == pivot[i]) continue;
            sum += r.entry[j] * l[j];
            size += fabs(r.entry[j] * l[j]);
            blurred += r.blur[j] * fabs(l[j]);
        }
        l[pivot[i]] = -sum / entry;
        off[pivot[i]] = ((double)d + 4.0) * GPIS_UNIT * size / fabs(entry) +
                        BOUND_MARGIN * (blurred + fabs(l[pivot[i]]) * blur) / (fabs(entry) - blur);
    }
}

/* Whether the rows without a pivot are exactly zero: no entry is left that might be zero or not. */
static bool is_spent(int64_t count, int64_t rows, int64_t d, double *M) {
    for (int64_t i = rows; i < count; i++)
        for (int64_t j = 0; j < d; j++)
            if (!is_zero(row_of(M, count, d, i), j)) return false;
    return true;
}

/* Gauss-Jordan elimination, with the pivots in the order of decreasing activity. Returns the number of pivots. */
static int64_t eliminate(int64_t count, int64_t d, double *M, double *activity, int64_t *pivot, double *work) {
    int64_t rows = 0, at, column;
    while (choose_pivot(count, d, M, activity, rows, &at, &column)) {
        const row with = row_of(M, count, d, rows), other = row_of(M, count, d, at);
        swap_entries(d, with.entry, other.entry);
        swap_entries(d, with.blur, other.blur);
        for (int64_t i = 0; i < count; i++)
            if (i != rows) subtract_row(d, column, with, row_of(M, count, d, i), work);
        activity[column] = -2.0; /* no entry is left in it but that of this row */
        pivot[rows++] = column;
    }
    return rows;
}

gpis_status gpis_null_bound_annihilate(gpis_context *context, int64_t count, int64_t d, const double *N,
                                       const double *blur, const double *size, double *l, double *off, bool *found) {
    double *M = gpis_alloc_zero(context, 2 * (count + 1) * d, sizeof *M), *activity = M ? M + 2 * count * d : NULL;
    int64_t *pivot = gpis_alloc(context, count, sizeof *pivot);
    *found = false;
    if (M && pivot) {
        memcpy(M, N, (size_t)(count * d) * sizeof *M);
        if (blur) memcpy(M + count * d, blur, (size_t)(count * d) * sizeof *M);
        for (int64_t j = 0; j < d; j++) activity[j] = size[j] * fabs(l[j]), off[j] = 0.0;
        const int64_t rows = eliminate(count, d, M, activity, pivot, activity + d);
        *found = is_spent(count, rows, d, M);
        if (*found) solve_for_pivots(count, rows, d, M, pivot, l, off);
    }
    const gpis_status status = M && pivot ? GPIS_OK : GPIS_NO_MEMORY;
    gpis_free(context, M);
    gpis_free(context, pivot);
    return status;
}

static bool is_tv(const gpis_set *set) { return set->constants; }

bool gpis_null_bound_suits(const gpis_set *set) { return gpis_set_is_bounded(set) || is_tv(set); }

gpis_status gpis_null_bound_clean(gpis_context *context, const gpis_set *set, const gpis_model *model, double *l,
                                  double *off) {
    const int64_t d = set->d, k = set->k, count = model->nulls + (is_tv(set) ? 1 : 0);
    double *N = gpis_alloc(context, (count + 2) * d, sizeof *N), *column = N ? N + count * d : NULL;
    double *lost = N ? column + d : NULL;
    gpis_status status = N ? GPIS_OK : GPIS_NO_MEMORY;
    bool found = true;
    double sum = 0.0;
    for (int64_t i = 0; N && i < count * d; i++) N[i] = i < model->nulls * d ? model->N[i] : 1.0;
    for (int64_t c = 0; c < k && status == GPIS_OK && found; c++) {
        for (int64_t j = 0; j < d; j++) column[j] = l[j * k + c];
        status = gpis_null_bound_annihilate(context, count, d, N, NULL, model->scale, column, lost, &found);
        for (int64_t j = 0; status == GPIS_OK && j < d; j++) {
            l[j * k + c] = column[j];
            sum += lost[j] * lost[j];
        }
    }
    *off = found ? sqrt(sum) : INFINITY;
    gpis_free(context, N);
    return status;
}

/* ---- walls ---- */

/*
 * The larger set has the walls <w_j, s> <= b_j, with w_j = e_j or -e_j for bounds and e_j - e_{j+1} for monotone. For
 * l = sum of lambda_j w_j, lambda_j >= 0, the support function is the sum of lambda_j b_j. The walls w_j and -w_j share
 * the index j, and the sign of lambda_j tells which is meant. One column of x at a time.
 */
typedef struct walls {
    int64_t count;
    bool ordered;          /* monotone */
    double *N, *blur;      /* nulls x count: <N_i, w_j>, and bounds on their rounding errors */
    double *size;          /* 1 / ||a_j|| */
    double *above, *below; /* b_j - <w_j, x> of the wall for lambda_j > 0, for lambda_j < 0; infinite: none */
    double *lambda, *clean, *off;
} walls;

static bool is_ordered(const gpis_set *set) { return set->shape == GPIS_SHAPE_ORDERED; }

static void set_up(walls *w, const gpis_model *m) {
    for (int64_t i = 0; i < m->nulls; i++)
        for (int64_t j = 0; j < w->count; j++) {
            const double *v = m->N + i * m->d + j;
            double *product = w->N + i * w->count + j;
            *product = v[0];
            w->blur[i * w->count + j] = w->ordered ? fabs(gpis_two_sum(product, -v[1])) : 0.0;
        }
    memcpy(w->size, m->scale, (size_t)w->count * sizeof *w->size);
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

/* lambda from column c of l; 0 where there is no wall for its sign. */
static void find_lambda(walls *w, const gpis_set *set, const double *l, int64_t c) {
    double sum = 0.0;
    for (int64_t j = 0; j < w->count; j++) {
        sum = w->ordered ? sum + l[j * set->k + c] : l[j * set->k + c];
        w->lambda[j] = isfinite(sum > 0.0 ? w->above[j] : w->below[j]) ? sum : 0.0;
    }
}

/* Sets entries of lambda below `share` of the largest to zero and makes the rest orthogonal to the null vectors. The
 * result is good if no entry has changed its sign. */
static gpis_status try_share(walls *w, gpis_context *context, int64_t nulls, double share, bool *good) {
    double largest = 0.0;
    for (int64_t j = 0; j < w->count; j++) largest = fmax(largest, w->size[j] * fabs(w->lambda[j]));
    for (int64_t j = 0; j < w->count; j++)
        w->clean[j] = w->size[j] * fabs(w->lambda[j]) > share * largest ? w->lambda[j] : 0.0;
    const gpis_status status =
        gpis_null_bound_annihilate(context, nulls, w->count, w->N, w->blur, w->size, w->clean, w->off, good);
    for (int64_t j = 0; status == GPIS_OK && *good && j < w->count; j++) {
        const double distance = w->clean[j] > 0.0 ? w->above[j] : w->below[j];
        *good = w->clean[j] == 0.0 ? w->off[j] == 0.0 : isfinite(distance) && w->off[j] <= fabs(w->clean[j]);
    }
    return status;
}

/* Entries that should be zero are rounding errors of unknown size: larger and larger shares are tried until the result
 * is good. Zeros alone are always good. */
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
        const double distance = here > 0.0 ? w->above[j] : here < 0.0 ? w->below[j] : 0.0;
        l[j * k + c] = here - before;
        linear += (fabs(here) + off) * distance;
        const double lost = (off + off_before + (w->ordered ? GPIS_UNIT * fabs(l[j * k + c]) : 0.0)) * m->scale[j];
        *lost2 += lost * lost;
    }
    return linear * (1.0 + ((double)m->d + 8.0) * GPIS_UNIT);
}

/* ---- the bound ---- */

gpis_status gpis_null_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                            const gpis_model *model, double c, const double *s, double *l, double *v,
                            double *linear_out, double *half_norm) {
    const bool ordered = is_ordered(set);
    walls w = {.count = set->class->bounds ? set->d : ordered ? set->d - 1 : 0, .ordered = ordered};
    double **field[] = {&w.size, &w.above, &w.below, &w.lambda, &w.clean, &w.off};
    enum { FIELDS = sizeof field / sizeof *field };
    double *memory = gpis_alloc(context, (2 * model->nulls + FIELDS) * w.count + 1, sizeof *memory);
    double linear = 0.0, lost2 = 0.0;
    gpis_status status = GPIS_OK;
    *linear_out = *half_norm = INFINITY;
    if (!memory) return GPIS_NO_MEMORY;
    for (int i = 0; i < FIELDS; i++) *field[i] = memory + i * w.count;
    w.N = memory + FIELDS * w.count;
    w.blur = w.N + model->nulls * w.count;
    set_up(&w, model);
    for (int64_t column = 0; column < set->k && status == GPIS_OK; column++) {
        find_walls(&w, set, s, point->x, column);
        find_lambda(&w, set, l, column);
        status = clean_lambda(&w, context, model->nulls);
        if (status == GPIS_OK) linear += take_column(&w, model, set->k, column, l, &lost2);
    }
    if (status == GPIS_OK) {
        for (int64_t i = 0; i < set->d * set->k; i++) v[i] = 2.0 * point->g[i] + l[i];
        *linear_out = linear;
        *half_norm = gpis_certificate_half_norm(model, c, set->k, sqrt(lost2 * model->inverse), v);
    }
    gpis_free(context, memory);
    return status;
}
