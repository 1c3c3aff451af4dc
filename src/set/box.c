/*
 * box:LO,HI: lo_i <= x_i <= hi_i; each side a number (inf and -inf included) for all i, or a .npy file of d entries.
 * The core takes [lo, hi] where both are finite, the finite end where one is, and 0 where none is.
 */
#include <math.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "set/kinds.h"

typedef struct box_state {
    double *lo, *hi;         /* owned: d */
    char *lo_text, *hi_text; /* owned: as the spec shows them */
} box_state;

static void destroy(gpis_set *s) {
    box_state *box = s->state;
    if (!box) return;
    gpis_free(s->context, box->lo);
    gpis_free(s->context, box->hi);
    gpis_free(s->context, box->lo_text);
    gpis_free(s->context, box->hi_text);
}

static gpis_status read_side(gpis_set *s, const char *path, double **out) {
    gpis_array array = {0};
    gpis_status status = gpis_npy_read(s->context, path, &array);
    if (status != GPIS_OK) return status;
    if (array.rows != s->d || array.cols != 1) {
        status = gpis_fail(s->context, GPIS_BAD_SHAPE, "%s: bounds must be %lld x 1, not %lld x %lld", path,
                           (long long)s->d, (long long)array.rows, (long long)array.cols);
        gpis_array_clear(s->context, &array);
        return status;
    }
    *out = array.data;
    return GPIS_OK;
}

static gpis_status fill_side(gpis_set *s, double bound, double **out) {
    *out = gpis_alloc(s->context, s->d, sizeof(double));
    if (!*out) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < s->d; i++) (*out)[i] = bound;
    return GPIS_OK;
}

static gpis_status parse_side(gpis_set *s, gpis_spec *spec, double **out, char **text) {
    if (gpis_spec_is_file(spec)) {
        const gpis_status status = gpis_spec_file(spec, text);
        return status == GPIS_OK ? read_side(s, *text, out) : status;
    }
    double bound;
    const gpis_status status = gpis_spec_number(spec, &bound);
    if (status != GPIS_OK) return status;
    char number[GPIS_NUMBER_TEXT];
    gpis_number_text(bound, number);
    *text = gpis_copy_text(s->context, number);
    return *text ? fill_side(s, bound, out) : GPIS_NO_MEMORY;
}

/* [lo, hi] of the core in coordinate i. */
static void core(const box_state *box, int64_t i, double *lo, double *hi) {
    *lo = isinf(box->lo[i]) ? (isinf(box->hi[i]) ? 0 : box->hi[i]) : box->lo[i];
    *hi = isinf(box->hi[i]) ? (isinf(box->lo[i]) ? 0 : box->lo[i]) : box->hi[i];
}

static gpis_status fail_empty(const gpis_set *s, const gpis_spec *spec, int64_t i) {
    const box_state *box = s->state;
    char lo[GPIS_NUMBER_TEXT], hi[GPIS_NUMBER_TEXT];
    gpis_number_text(box->lo[i], lo);
    gpis_number_text(box->hi[i], hi);
    return gpis_fail(s->context, GPIS_BAD_SET,
                     "set %.150s: no number is from %s to %s, the bounds of entry %lld; LO must not exceed HI",
                     spec->text, lo, hi, (long long)i + 1);
}

/* Also finds the radius: the farthest corner of the core. */
static gpis_status check_bounds(gpis_set *s, const gpis_spec *spec) {
    const box_state *box = s->state;
    for (int64_t i = 0; i < s->d; i++) {
        const double lo = box->lo[i], hi = box->hi[i];
        if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY) return fail_empty(s, spec, i);
        if (isinf(lo) || isinf(hi)) s->unbounded = true;
        double from, to;
        core(box, i, &from, &to);
        s->column_out[i] = fmax(fabs(from), fabs(to));
    }
    s->radius = gpis_norm2(s->column_out, s->d);
    return GPIS_OK;
}

static gpis_status parse(gpis_set *s, gpis_spec *spec) {
    gpis_status status;
    if ((status = gpis_set_take_state(s, sizeof(box_state))) != GPIS_OK) return status;
    box_state *box = s->state;
    if ((status = parse_side(s, spec, &box->lo, &box->lo_text)) != GPIS_OK) return status;
    if ((status = gpis_spec_skip(spec, ',')) != GPIS_OK) return status;
    if ((status = parse_side(s, spec, &box->hi, &box->hi_text)) != GPIS_OK) return status;
    if ((status = check_bounds(s, spec)) != GPIS_OK) return status;
    return gpis_set_describe(s, "box:%s,%s", box->lo_text, box->hi_text);
}

static gpis_status project(gpis_set *s, const double *v, double *x) {
    const box_state *box = s->state;
    for (int64_t i = 0; i < s->d; i++) x[i] = fmax(box->lo[i], fmin(v[i], box->hi[i]));
    return GPIS_OK;
}

static gpis_status support(gpis_set *s, const double *g, double *value) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < s->d; i++) {
        double lo, hi;
        core(s->state, i, &lo, &hi);
        gpis_sum_add(&sum, g[i] * (g[i] > 0 ? hi : lo));
    }
    *value = gpis_sum_value(sum);
    return GPIS_OK;
}

static gpis_status recession(gpis_set *s, const double *v, double *x) {
    const box_state *box = s->state;
    for (int64_t i = 0; i < s->d; i++) {
        const bool free = v[i] > 0 ? isinf(box->hi[i]) : isinf(box->lo[i]);
        x[i] = free ? v[i] : 0;
    }
    return GPIS_OK;
}

static void bounds(const gpis_set *s, int64_t i, double *lo, double *hi) {
    const box_state *box = s->state;
    *lo = box->lo[i];
    *hi = box->hi[i];
}

static gpis_status select(gpis_set *s, const gpis_set *whole, const int64_t *columns) {
    const gpis_spec spec = {.context = s->context, .text = whole->spec};
    gpis_status status = gpis_set_take_state(s, sizeof(box_state));
    if (status != GPIS_OK) return status;
    const box_state *from = whole->state;
    box_state *box = s->state;
    box->lo = gpis_alloc(s->context, s->d, sizeof(double));
    box->hi = gpis_alloc(s->context, s->d, sizeof(double));
    if (!box->lo || !box->hi) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < s->d; i++) {
        box->lo[i] = from->lo[columns[i]];
        box->hi[i] = from->hi[columns[i]];
    }
    status = check_bounds(s, &spec);
    return status == GPIS_OK ? gpis_set_describe(s, "%s", whole->spec) : status;
}

const gpis_set_class gpis_set_box = {
    .name = "box",
    .usage = "box:LO,HI (numbers or .npy files)",
    .exact_recession = true,
    .parse = parse,
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
    .bounds = bounds,
    .select = select,
};
