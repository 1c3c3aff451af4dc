/* What all sets share: applying a kind to the columns of X, and the support function of K from that of its core. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "set/kinds.h"
#include "set/penalised.h"

typedef gpis_status (*map_fn)(gpis_set *s, const double *v, double *x);

/* The number of parts that a kind is applied to: the columns of X, or X as a whole. */
static int64_t parts(const gpis_set *s) { return s->matrix ? 1 : s->k; }
static int64_t part_size(const gpis_set *s) { return s->matrix ? s->d * s->k : s->d; }

/* Part j of X: X itself if it is contiguous, else column j copied to column_in. */
static const double *gather(gpis_set *s, const double *X, int64_t j) {
    if (parts(s) == 1) return X;
    for (int64_t i = 0; i < s->d; i++) s->column_in[i] = X[i * s->k + j];
    return s->column_in;
}

static void scatter(const gpis_set *s, const double *column, double *X, int64_t j) {
    for (int64_t i = 0; i < s->d; i++) X[i * s->k + j] = column[i];
}

static gpis_status check_input(gpis_set *s, const double *v, const void *out) {
    if (!s) return GPIS_BAD_ARGUMENT;
    if (!v || !out) return gpis_fail(s->context, GPIS_BAD_ARGUMENT, "set %.150s: an array is NULL", s->spec);
    if (!gpis_all_finite(v, s->d * s->k))
        return gpis_fail(s->context, GPIS_BAD_DATA, "set %.150s: the vector holds NaN or infinity", s->spec);
    return GPIS_OK;
}

/* For a set without a support function: refuses a question that needs it. */
static gpis_status check_support(gpis_set *s) {
    if (s->has_support) return GPIS_OK;
    return gpis_fail(s->context, GPIS_NOT_APPLICABLE, "set %.150s: it has no support function", s->spec);
}

static gpis_status map_parts(gpis_set *s, map_fn map, const double *V, double *X) {
    if (parts(s) == 1) return map(s, V, X);
    for (int64_t j = 0; j < s->k; j++) {
        const gpis_status status = map(s, gather(s, V, j), s->column_out);
        if (status != GPIS_OK) return status;
        scatter(s, s->column_out, X, j);
    }
    return GPIS_OK;
}

void gpis_set_watch(gpis_set *set, const gpis_stop *stop) {
    const int64_t *columns;
    gpis_set *part;
    set->stop = stop;
    if (set->inside) gpis_set_watch(set->inside, stop);
    for (int64_t i = 0; set->class->part && (part = set->class->part(set, i, &columns)); i++)
        gpis_set_watch(part, stop);
    for (int64_t i = 0; set->class->piece && (part = set->class->piece(set, i)); i++) gpis_set_watch(part, stop);
}

gpis_status gpis_set_go_on(const gpis_set *set) {
    if (!gpis_is_stopped(set->stop)) return GPIS_OK;
    return gpis_fail(set->context, GPIS_STOPPED, "set %.150s: stopped within a projection", set->spec);
}

static gpis_status zero(gpis_set *s, const double *v, double *x) {
    (void)v;
    for (int64_t i = 0; i < part_size(s); i++) x[i] = 0;
    return GPIS_OK;
}

gpis_status gpis_set_project(gpis_set *set, const double *v, double *x) {
    gpis_status status = check_input(set, v, x);
    if (status != GPIS_OK) return status;
    int outside;
    status = gpis_blas_enter(set->context, 1, &outside);
    if (status == GPIS_OK) status = map_parts(set, set->class->project, v, x);
    gpis_blas_leave(outside);
    return status;
}

/* The projection on this set has rounding errors of the size of v itself. */
static bool rounds(const gpis_set *s) { return s->class->normals || s->class->matrix_low; }

/* v meets the equations of a plane up to rounding of entries of the size `least` at least. The projection on it may
 * not, if they nearly depend on each other. */
static bool meets_equations(const gpis_set *s, const int64_t *columns, const double *v, double least) {
    int64_t count;
    s->class->normals(s, &count);
    for (int64_t r = 0; r < count; r++) {
        double right;
        const double *row = s->class->equation(s, r, &right);
        long double sum = -(long double)right;
        double size = fabs(right);
        for (int64_t i = 0; i < s->d; i++) {
            const double entry = v[columns ? columns[i] : i];
            sum += (long double)row[i] * entry;
            size += fabs(row[i]) * fmax(fabs(entry), least);
        }
        if (!(fabsl(sum) <= gpis_set_rounding(1) * size)) return false;
    }
    return true;
}

/* The projection x has moved entries columns[i] (NULL: i) of v by no more than rounding. */
static bool hardly_moved(const gpis_set *s, const int64_t *columns, const double *v, const double *x) {
    double moved = 0.0, size = 0.0;
    for (int64_t i = 0; i < s->d; i++) {
        const int64_t j = columns ? columns[i] : i;
        moved = hypot(moved, x[j] - v[j]);
        size = hypot(size, v[j]);
    }
    return moved <= 4.0 * gpis_set_rounding(s->d) * size;
}

/* These entries of x become those of v again, if they are as good. */
static void take_back(const gpis_set *s, const int64_t *columns, const double *v, double *x) {
    if (!(s->class->normals ? meets_equations(s, columns, v, 0.0) : hardly_moved(s, columns, v, x))) return;
    for (int64_t i = 0; i < s->d; i++) {
        const int64_t j = columns ? columns[i] : i;
        x[j] = v[j];
    }
}

/* Entry i of a set with bounds, moved to them. */
static double within_bounds(const gpis_set *s, int64_t i, double v) {
    double lo, hi;
    s->class->bounds(s, i, &lo, &hi);
    return fmin(fmax(v, lo), hi);
}

/* With a sum, v moved to the bounds of its entries is as good as its projection if the sum is met up to rounding. The
 * projection moves all entries by the same amount, which may be far more for some of them. */
static void take_within_bounds(const gpis_set *s, const int64_t *columns, const double *v, double *x) {
    const bool of_sizes = s->sum == GPIS_SUM_OF_SIZES_WITHIN;
    long double sum = -(long double)s->R;
    for (int64_t i = 0; i < s->d; i++) {
        const double entry = within_bounds(s, i, v[columns ? columns[i] : i]);
        sum += of_sizes ? fabs(entry) : entry;
    }
    const long double over = s->sum == GPIS_SUM_IS_R ? fabsl(sum) : sum;
    for (int64_t i = 0; over <= DBL_EPSILON * s->R && i < s->d; i++) {
        const int64_t j = columns ? columns[i] : i;
        x[j] = within_bounds(s, i, v[j]);
    }
}

/* For all of one set, or for entries columns[i] of a product of sets. */
static void approach_part(const gpis_set *s, const int64_t *columns, const double *v, double *x) {
    if (rounds(s)) take_back(s, columns, v, x);
    if (s->class->bounds && s->sum != GPIS_SUM_ANY) take_within_bounds(s, columns, v, x);
}

static gpis_status approach(gpis_set *s, const double *v, double *x) {
    const int64_t *columns;
    const gpis_set *part;
    const gpis_status status = s->class->project(s, v, x);
    if (status != GPIS_OK || s->matrix) return status;
    if (s->class->matrix_low && s->inside->class->normals) {
        s->class->turn(s, GPIS_TO_INSIDE, 1, v, s->work);
        if (meets_equations(s->inside, NULL, s->work, gpis_norm2(v, s->d))) memcpy(x, v, (size_t)s->d * sizeof *x);
        return GPIS_OK;
    }
    approach_part(s, NULL, v, x);
    for (int64_t i = 0; s->class->part && (part = s->class->part(s, i, &columns)); i++)
        approach_part(part, columns, v, x);
    return GPIS_OK;
}

gpis_status gpis_set_approach(gpis_set *set, const double *v, double *x) {
    int outside;
    gpis_status status = gpis_blas_enter(set->context, 1, &outside);
    if (status == GPIS_OK) status = map_parts(set, approach, v, x);
    gpis_blas_leave(outside);
    return status;
}

gpis_status gpis_set_recession(gpis_set *set, const double *v, double *x) {
    gpis_status status = check_input(set, v, x);
    if (status == GPIS_OK) status = check_support(set);
    return status == GPIS_OK ? map_parts(set, set->unbounded ? set->class->recession : zero, v, x) : status;
}

gpis_status gpis_set_distance(gpis_set *set, const double *x, double *distance) {
    gpis_status status = check_input(set, x, distance);
    if (status != GPIS_OK) return status;
    int outside;
    status = gpis_blas_enter(set->context, 1, &outside);
    double total = 0;
    for (int64_t j = 0; status == GPIS_OK && j < parts(set); j++) {
        const double *v = gather(set, x, j);
        double *p = set->column_out;
        if ((status = set->class->project(set, v, p)) != GPIS_OK) break;
        for (int64_t i = 0; i < part_size(set); i++) p[i] -= v[i];
        total = hypot(total, gpis_norm2(p, part_size(set)));
    }
    gpis_blas_leave(outside);
    if (status == GPIS_OK) *distance = total;
    return status;
}

double gpis_set_rounding(int64_t d) { return ((double)d + 64) * DBL_EPSILON; }

/* The conjugate of a set with a penalty, without forgiveness: infinite wherever g would have to be moved. */
static gpis_status support_with_penalty(gpis_set *s, const double *g, double *value) {
    double slack;
    memcpy(s->column_out, g, (size_t)s->d * sizeof *g);
    const gpis_status status = gpis_penalised_conjugate(s, s->column_out, value, &slack);
    if (memcmp(s->column_out, g, (size_t)s->d * sizeof *g) != 0) *value = INFINITY;
    return status;
}

/* The distance of g from the vectors where the support function is finite: ||recession(g)||. */
static gpis_status domain_distance(gpis_set *s, const double *g, double *distance) {
    *distance = 0;
    if (!s->unbounded) return GPIS_OK;
    const gpis_status status = s->class->recession(s, g, s->column_out);
    if (status == GPIS_OK) *distance = gpis_norm2(s->column_out, part_size(s));
    return status;
}

gpis_status gpis_set_support(gpis_set *set, const double *g, double *value) {
    gpis_status status = check_input(set, g, value);
    if (status == GPIS_OK) status = check_support(set);
    if (status != GPIS_OK) return status;
    const double forgiven = set->exact_recession ? 0 : gpis_set_rounding(set->d) * gpis_norm2(g, set->d * set->k);
    double total = 0;
    int outside;
    status = gpis_blas_enter(set->context, 1, &outside);
    for (int64_t j = 0; status == GPIS_OK && j < parts(set); j++) {
        const double *part = gather(set, g, j);
        double away = 0, core;
        if (set->penalised) {
            if ((status = support_with_penalty(set, part, &core)) != GPIS_OK) break;
            total += core;
            continue;
        }
        if ((status = domain_distance(set, part, &away)) != GPIS_OK) break;
        if ((status = set->class->support(set, part, &core)) != GPIS_OK) break;
        total += away > forgiven ? INFINITY : core;
    }
    gpis_blas_leave(outside);
    if (status == GPIS_OK) *value = total;
    return status;
}

/* `lost` bounds the norm of the rounding errors in w; the radius is a Lipschitz constant of the support function of the
 * core. */
gpis_status gpis_set_support_near_plain(gpis_set *s, double *w, double *value, double *lost) {
    if (s->class->support_near) return s->class->support_near(s, w, value, lost);
    const int64_t n = part_size(s);
    const bool relative = s->class->relative_support; /* singular values of a d x k matrix */
    const double rounding = gpis_set_rounding(relative ? s->d + s->k : n);
    gpis_status status;
    double core;
    *lost = 0;
    if (s->unbounded) {
        if (!s->exact_recession) *lost = rounding * gpis_norm2(w, n);
        if ((status = s->class->recession(s, w, s->column_out)) != GPIS_OK) return status;
        for (int64_t i = 0; i < n; i++) w[i] -= s->column_out[i];
    }
    if ((status = s->class->support(s, w, &core)) != GPIS_OK) return status;
    const double evaluation = relative ? rounding * fabs(core) : rounding * gpis_norm2(w, n) * s->radius;
    *value = core + *lost * s->radius + evaluation;
    return GPIS_OK;
}

gpis_status gpis_set_support_near_part(gpis_set *s, double *w, double *value, double *lost) {
    return s->penalised ? gpis_penalised_conjugate(s, w, value, lost) : gpis_set_support_near_plain(s, w, value, lost);
}

gpis_status gpis_set_support_at_part(gpis_set *s, const double *at, double *w, double *value, double *lost) {
    if (at && s->class->support_at && !s->penalised) return s->class->support_at(s, at, w, value, lost);
    return gpis_set_support_near_part(s, w, value, lost);
}

gpis_status gpis_set_support_at(gpis_set *set, const double *at, double *v, double *value, double *slack) {
    gpis_status status = check_input(set, v, value);
    if (status == GPIS_OK) status = check_support(set);
    double total = 0, sizes = 0, lost_all = 0;
    for (int64_t j = 0; status == GPIS_OK && j < parts(set); j++) {
        double part, lost;
        const bool whole = parts(set) == 1;
        double *w = whole ? v : set->column_in;
        const double *point = at;
        if (!whole) gather(set, v, j);
        for (int64_t i = 0; at && !whole && i < set->d; i++) set->column_out[i] = at[i * set->k + j];
        if (at && !whole) point = set->column_out;
        if ((status = gpis_set_support_at_part(set, point, w, &part, &lost)) != GPIS_OK) break;
        if (!whole) scatter(set, w, v, j);
        total += part;
        sizes += fabs(part);
        lost_all = hypot(lost_all, lost);
    }
    if (status != GPIS_OK) return status;
    *value = total;
    if (parts(set) > 1) *value += (double)parts(set) * DBL_EPSILON * sizes; /* the rounding of the sum */
    *slack = lost_all;
    return GPIS_OK;
}

gpis_status gpis_set_support_near(gpis_set *set, double *v, double *value, double *slack) {
    return gpis_set_support_at(set, NULL, v, value, slack);
}

double gpis_set_core_radius(const gpis_set *set) { return sqrt((double)parts(set)) * set->radius; }
double gpis_set_radius(const gpis_set *set) { return set->unbounded ? INFINITY : gpis_set_core_radius(set); }
bool gpis_set_is_bounded(const gpis_set *set) { return !set->unbounded; }
const char *gpis_set_spec(const gpis_set *set) { return set ? set->spec : ""; }

gpis_status gpis_set_responses(gpis_set *set, int64_t k) {
    int64_t size;
    if (!set) return GPIS_BAD_ARGUMENT;
    if (k < 1) return gpis_fail(set->context, GPIS_BAD_SHAPE, "set %.150s: X needs a column", set->spec);
    if (!gpis_checked_mul(set->d, k, &size))
        return gpis_fail(set->context, GPIS_TOO_LARGE, "set %.150s: X of %lld x %lld is too large", set->spec,
                         (long long)set->d, (long long)k);
    if (set->matrix && k != set->k)
        return gpis_fail(set->context, GPIS_BAD_SHAPE,
                         "set %.150s: works on X of %lld x %lld as a matrix; make another one for %lld columns",
                         set->spec, (long long)set->d, (long long)set->k, (long long)k);
    set->k = k;
    return set->inside ? gpis_set_responses(set->inside, k) : GPIS_OK;
}
