/* What all sets share: columns of X taken one by one, the support function of K from that of its core, memory. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/blas.h"
#include "set/kinds.h"

typedef gpis_status (*map_fn)(gpis_set *s, const double *v, double *x);

/* The parts a kind works on: the columns of X, or X as a whole. */
static int64_t parts(const gpis_set *s) { return s->class->matrix ? 1 : s->k; }
static int64_t part_size(const gpis_set *s) { return s->class->matrix ? s->d * s->k : s->d; }

/* Part j of X: X itself where it is contiguous, else column j copied to column_in. */
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

static gpis_status map_parts(gpis_set *s, map_fn map, const double *V, double *X) {
    if (parts(s) == 1) return map(s, V, X);
    for (int64_t j = 0; j < s->k; j++) {
        const gpis_status status = map(s, gather(s, V, j), s->column_out);
        if (status != GPIS_OK) return status;
        scatter(s, s->column_out, X, j);
    }
    return GPIS_OK;
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

gpis_status gpis_set_recession(gpis_set *set, const double *v, double *x) {
    const gpis_status status = check_input(set, v, x);
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

/* How far g is from where the support function is finite: ||recession(g)||. */
static gpis_status domain_distance(gpis_set *s, const double *g, double *distance) {
    *distance = 0;
    if (!s->unbounded) return GPIS_OK;
    const gpis_status status = s->class->recession(s, g, s->column_out);
    if (status == GPIS_OK) *distance = gpis_norm2(s->column_out, part_size(s));
    return status;
}

gpis_status gpis_set_support(gpis_set *set, const double *g, double *value) {
    gpis_status status = check_input(set, g, value);
    if (status != GPIS_OK) return status;
    const double forgiven =
        set->class->exact_recession ? 0 : gpis_set_rounding(set->d) * gpis_norm2(g, set->d * set->k);
    double total = 0;
    int outside;
    status = gpis_blas_enter(set->context, 1, &outside);
    for (int64_t j = 0; status == GPIS_OK && j < parts(set); j++) {
        const double *part = gather(set, g, j);
        double away, core;
        if ((status = domain_distance(set, part, &away)) != GPIS_OK) break;
        if ((status = set->class->support(set, part, &core)) != GPIS_OK) break;
        total += away > forgiven ? INFINITY : core;
    }
    gpis_blas_leave(outside);
    if (status == GPIS_OK) *value = total;
    return status;
}

/* One part of gpis_set_support_near: cleans `w` in place and adds to the value; `lost` is the norm of what rounding can
 * have left. The core's support function is Lipschitz with its radius. */
static gpis_status support_near_part(gpis_set *s, double *w, double *value, double *lost) {
    const int64_t n = part_size(s);
    const double rounding = gpis_set_rounding(s->class->matrix ? s->d + s->k : n); /* a matrix: its singular values */
    gpis_status status;
    double core;
    *lost = 0;
    if (s->unbounded) {
        if (!s->class->exact_recession) *lost = rounding * gpis_norm2(w, n);
        if ((status = s->class->recession(s, w, s->column_out)) != GPIS_OK) return status;
        for (int64_t i = 0; i < n; i++) w[i] -= s->column_out[i];
    }
    if ((status = s->class->support(s, w, &core)) != GPIS_OK) return status;
    /* A norm of a matrix is found to relative accuracy; a sum of entries only to that of its terms. */
    const double evaluation = s->class->matrix ? rounding * fabs(core) : rounding * gpis_norm2(w, n) * s->radius;
    *value += core + *lost * s->radius + evaluation;
    return GPIS_OK;
}

gpis_status gpis_set_support_near(gpis_set *set, double *v, double *value, double *slack) {
    gpis_status status = check_input(set, v, value);
    double total = 0, lost_all = 0;
    for (int64_t j = 0; status == GPIS_OK && j < parts(set); j++) {
        double lost;
        const bool whole = parts(set) == 1;
        double *w = whole ? v : set->column_in;
        if (!whole) gather(set, v, j);
        if ((status = support_near_part(set, w, &total, &lost)) != GPIS_OK) break;
        if (!whole) scatter(set, w, v, j);
        lost_all = hypot(lost_all, lost);
    }
    if (status != GPIS_OK) return status;
    *value = total;
    *slack = lost_all;
    return GPIS_OK;
}

double gpis_set_core_radius(const gpis_set *set) { return sqrt((double)parts(set)) * set->radius; }
double gpis_set_radius(const gpis_set *set) { return set->unbounded ? INFINITY : gpis_set_core_radius(set); }
bool gpis_set_is_bounded(const gpis_set *set) { return !set->unbounded; }
const char *gpis_set_spec(const gpis_set *set) { return set ? set->spec : ""; }

/* ---- memory ------------------------------------------------------------------------------------------------- */

gpis_status gpis_set_new(gpis_context *context, const gpis_set_class *class, int64_t d, int64_t k, gpis_set **out) {
    gpis_set *s = gpis_alloc_zero(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    s->class = class;
    s->context = context;
    s->d = d;
    s->k = k;
    s->column_in = gpis_alloc(context, part_size(s), sizeof(double));
    s->column_out = gpis_alloc(context, part_size(s), sizeof(double));
    if (!s->column_in || !s->column_out) {
        gpis_set_destroy(s);
        return GPIS_NO_MEMORY;
    }
    *out = s;
    return GPIS_OK;
}

gpis_status gpis_set_select(const gpis_set *set, const int64_t *columns, int64_t count, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_new(set->context, set->class, count, 1, &s);
    if (status == GPIS_OK) status = set->class->select(s, set, columns);
    if (status == GPIS_OK) {
        *out = s;
        return GPIS_OK;
    }
    gpis_set_destroy(s);
    return status;
}

gpis_status gpis_set_select_alike(gpis_set *s, const gpis_set *whole, const int64_t *columns) {
    (void)columns;
    const char *text = whole->spec, *end = text + strlen(text), *colon = strchr(text, ':');
    gpis_spec arguments = {s->context, text, colon ? colon + 1 : end, end, s->class->usage};
    return s->class->parse(s, &arguments);
}

void gpis_set_destroy(gpis_set *set) {
    if (!set) return;
    if (set->class->destroy) set->class->destroy(set);
    gpis_set_destroy(set->inside);
    gpis_free(set->context, set->state);
    gpis_free(set->context, set->work);
    gpis_free(set->context, set->spec);
    gpis_free(set->context, set->column_in);
    gpis_free(set->context, set->column_out);
    gpis_free(set->context, set);
}

gpis_status gpis_set_take_state(gpis_set *s, size_t size) {
    s->state = gpis_alloc_zero(s->context, 1, size);
    return s->state ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_take_work(gpis_set *s, int64_t doubles) {
    s->work = gpis_alloc(s->context, doubles, sizeof(double));
    return s->work ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_set_describe(gpis_set *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    s->spec = gpis_alloc(s->context, (int64_t)length + 1, 1);
    if (!s->spec) return GPIS_NO_MEMORY;
    va_start(args, format);
    vsnprintf(s->spec, (size_t)length + 1, format, args);
    va_end(args);
    return GPIS_OK;
}

gpis_status gpis_set_parse_radius(gpis_set *s, gpis_spec *arguments) {
    const gpis_status status = gpis_spec_radius(arguments, &s->R);
    if (status != GPIS_OK) return status;
    s->radius = s->R;
    char R[GPIS_NUMBER_TEXT];
    gpis_number_text(s->R, R);
    return gpis_set_describe(s, "%s:%s", s->class->name, R);
}
