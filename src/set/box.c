/*
 * box:LO,HI: lo_i <= x_i <= hi_i; each side a number (inf and -inf included) for all i, a .npy file of d entries, or
 * nothing, which is no bound; or from memory.
 * In each coordinate the core is [lo, hi] if both are finite, the finite one if one is, and 0 if none is.
 */
#include <math.h>

#include "base/npy.h"
#include "linalg/accurate.h"
#include "set/kinds.h"

typedef struct box_state {
    double *lo, *hi; /* owned: d */
} box_state;

static void destroy(gpis_set *s) {
    box_state *box = s->state;
    gpis_free(s->context, box->lo);
    gpis_free(s->context, box->hi);
}

/* [lo, hi] of the core in coordinate i. */
static void core(const box_state *box, int64_t i, double *lo, double *hi) {
    *lo = isinf(box->lo[i]) ? (isinf(box->hi[i]) ? 0 : box->hi[i]) : box->lo[i];
    *hi = isinf(box->hi[i]) ? (isinf(box->lo[i]) ? 0 : box->lo[i]) : box->hi[i];
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

/* ---- from arrays ------------------------------------------------------------------------------------------------- */

/* The bounds of one side. */
typedef struct side {
    const double *values; /* borrowed: the bound of entry i is values[i * step] */
    int64_t step;         /* 0: one number for all entries */
    const char *text;     /* borrowed: the text in the spec; NULL: made from the values */
} side;

static gpis_status take_side(gpis_set *s, const side *from, double **out) {
    *out = gpis_alloc(s->context, s->d, sizeof(double));
    for (int64_t i = 0; *out && i < s->d; i++) (*out)[i] = from->values[i * from->step];
    return *out ? GPIS_OK : GPIS_NO_MEMORY;
}

/* The text of a side in the spec: one number, if all entries have the same bound. */
static const char *side_text(const side *from, const double *values, int64_t d, char text[GPIS_NUMBER_TEXT]) {
    bool same = true;
    if (from->text) return from->text;
    for (int64_t i = 1; i < d; i++) same = same && values[i] == values[0];
    if (same)
        gpis_number_text(values[0], text);
    else
        gpis_content_text(values, d, text);
    return text;
}

static gpis_status describe(gpis_set *s, const side *lower, const side *upper) {
    const box_state *box = s->state;
    char lo[GPIS_NUMBER_TEXT], hi[GPIS_NUMBER_TEXT];
    return gpis_set_describe(s, "box:%s,%s", side_text(lower, box->lo, s->d, lo), side_text(upper, box->hi, s->d, hi));
}

static gpis_status fail_empty(const gpis_set *s, int64_t i) {
    const box_state *box = s->state;
    char lo[GPIS_NUMBER_TEXT], hi[GPIS_NUMBER_TEXT];
    gpis_number_text(box->lo[i], lo);
    gpis_number_text(box->hi[i], hi);
    return gpis_fail(
        s->context, GPIS_BAD_SET,
        "set %.150s: no finite number is between %s and %s, the bounds of entry %lld; LO must not exceed HI", s->spec,
        lo, hi, (long long)i + 1);
}

/* Checks the bounds and sets the fields that follow from them; the radius is that of the farthest corner of the core.
 */
static gpis_status judge_bounds(gpis_set *s) {
    const box_state *box = s->state;
    bool whole = true;
    for (int64_t i = 0; i < s->d; i++) {
        const double lo = box->lo[i], hi = box->hi[i];
        if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY) return fail_empty(s, i);
        if (isinf(lo) || isinf(hi)) s->unbounded = true;
        whole = whole && isinf(lo) && isinf(hi);
        double from, to;
        core(box, i, &from, &to);
        s->column_out[i] = fmax(fabs(from), fabs(to));
    }
    s->radius = gpis_norm2(s->column_out, s->d);
    s->exact_recession = true;
    s->shape = whole ? GPIS_SHAPE_WHOLE : GPIS_SHAPE_OTHER;
    return GPIS_OK;
}

static gpis_status make(gpis_context *context, const side *lower, const side *upper, int64_t d, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_begin(context, &gpis_kind_box, d, 1, false, out, &s);
    if (status == GPIS_OK) status = gpis_set_take_state(s, sizeof(box_state));
    if (status == GPIS_OK) status = take_side(s, lower, &((box_state *)s->state)->lo);
    if (status == GPIS_OK) status = take_side(s, upper, &((box_state *)s->state)->hi);
    if (status == GPIS_OK) status = describe(s, lower, upper);
    if (status == GPIS_OK) status = judge_bounds(s);
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_box(gpis_context *context, const double *lower, const double *upper, int64_t d, gpis_set **out) {
    static const double none[2] = {-INFINITY, INFINITY};
    const side lo = {lower ? lower : &none[0], lower ? 1 : 0, NULL},
               hi = {upper ? upper : &none[1], upper ? 1 : 0, NULL};
    return make(context, &lo, &hi, d, out);
}

static gpis_status select(const gpis_set *whole, const int64_t *columns, int64_t count, gpis_set **out) {
    const box_state *box = whole->state;
    double *bounds = gpis_alloc(whole->context, 2 * count, sizeof *bounds);
    if (!bounds) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        bounds[i] = box->lo[columns[i]];
        bounds[count + i] = box->hi[columns[i]];
    }
    const gpis_status status = gpis_set_box(whole->context, bounds, bounds + count, count, out);
    gpis_free(whole->context, bounds);
    return status;
}

/* ---- from a spec ------------------------------------------------------------------------------------------------- */

/* One side of a spec: a number, or the name of a file and its contents. */
typedef struct parsed_side {
    double number;
    gpis_spec_name file; /* owned; its path is NULL: a number */
    gpis_array array;    /* owned */
} parsed_side;

/* `absent` is the bound where the side is empty. */
static gpis_status parse_side(gpis_spec *spec, int64_t d, double absent, parsed_side *out) {
    out->number = absent;
    if (spec->at == spec->end || *spec->at == ',') return GPIS_OK;
    if (!gpis_spec_is_file(spec)) return gpis_spec_number(spec, &out->number);
    gpis_status status = gpis_spec_file(spec, &out->file);
    if (status == GPIS_OK) status = gpis_npy_read(spec->context, out->file.path, &out->array);
    if (status == GPIS_OK && (out->array.rows != d || out->array.cols != 1))
        status = gpis_fail(spec->context, GPIS_BAD_SHAPE, "%s: bounds must be %lld x 1, not %lld x %lld",
                           out->file.path, (long long)d, (long long)out->array.rows, (long long)out->array.cols);
    return status;
}

static void clear_side(gpis_context *context, parsed_side *s) {
    gpis_spec_name_clear(context, &s->file);
    gpis_array_clear(context, &s->array);
}

static side side_of(const parsed_side *from) {
    return from->file.path ? (side){from->array.data, 1, from->file.text} : (side){&from->number, 0, NULL};
}

static gpis_status parse(gpis_spec *spec, int64_t d, int64_t k, gpis_set **out) {
    (void)k;
    parsed_side lower = {0}, upper = {0};
    gpis_status status = parse_side(spec, d, -INFINITY, &lower);
    if (status == GPIS_OK) status = gpis_spec_skip(spec, ',');
    if (status == GPIS_OK) status = parse_side(spec, d, INFINITY, &upper);
    if (status == GPIS_OK) {
        const side lo = side_of(&lower), hi = side_of(&upper);
        status = make(spec->context, &lo, &hi, d, out);
    }
    clear_side(spec->context, &lower);
    clear_side(spec->context, &upper);
    return status;
}

const gpis_set_class gpis_kind_box = {
    .name = "box",
    .usage = "box:LO,HI (numbers, .npy files, or nothing for no bound)",
    .parse = parse,
    .project = project,
    .support = support,
    .recession = recession,
    .destroy = destroy,
    .bounds = bounds,
    .select = select,
};
