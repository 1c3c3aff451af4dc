/*
 * Linear constraints as a set: rows with one column are bounds, the others rows of C in lower <= C x <= upper. Of
 * several bounds of a column the tightest holds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "set/kinds.h"
#include "set/linear_read.h"
#include "set/read.h"

/* The bounds that single-column rows make. */
typedef struct bounds {
    double *lower, *upper;          /* owned: d entries each */
    int64_t *lower_row, *upper_row; /* owned: the row that each comes from */
    bool any;
} bounds;

static void clear_bounds(gpis_context *context, bounds *b) {
    gpis_free(context, b->lower);
    gpis_free(context, b->upper);
    gpis_free(context, b->lower_row);
    gpis_free(context, b->upper_row);
}

static gpis_status make_bounds(gpis_context *context, int64_t d, bounds *b) {
    b->lower = gpis_alloc(context, d, sizeof *b->lower);
    b->upper = gpis_alloc(context, d, sizeof *b->upper);
    b->lower_row = gpis_alloc_zero(context, d, sizeof *b->lower_row);
    b->upper_row = gpis_alloc_zero(context, d, sizeof *b->upper_row);
    if (!b->lower || !b->upper || !b->lower_row || !b->upper_row) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < d; j++) {
        b->lower[j] = -INFINITY;
        b->upper[j] = INFINITY;
    }
    return GPIS_OK;
}

/* A row with one column: lower <= factor x_j <= upper. */
static gpis_status take_bound(const gpis_linear *l, int64_t i, bounds *b) {
    const gpis_linear_row *row = &l->rows[i];
    const gpis_linear_term *term = &l->terms[row->first];
    const int64_t j = term->column;
    const double at_lower = row->lower / term->factor, at_upper = row->upper / term->factor;
    const double lower = term->factor > 0 ? at_lower : at_upper, upper = term->factor > 0 ? at_upper : at_lower;
    b->any = true;
    if (lower > b->lower[j]) {
        b->lower[j] = lower == 0 ? 0 : lower; /* -0 is 0 */
        b->lower_row[j] = i;
    }
    if (upper < b->upper[j]) {
        b->upper[j] = upper == 0 ? 0 : upper;
        b->upper_row[j] = i;
    }
    if (b->lower[j] <= b->upper[j] && b->lower[j] < INFINITY && b->upper[j] > -INFINITY) return GPIS_OK;
    if (b->lower_row[j] == b->upper_row[j])
        return gpis_fail(l->lookup->context, GPIS_BAD_SET, "'%.100s' cannot hold: its bound is too large", row->text);
    return gpis_fail(l->lookup->context, GPIS_BAD_SET, "'%.100s' and '%.100s' cannot both hold",
                     l->rows[b->lower_row[j]].text, l->rows[b->upper_row[j]].text);
}

/* The rows with several columns as lower <= C x <= upper. */
static gpis_status make_rows(const gpis_linear *l, int64_t rows, gpis_set **out) {
    gpis_context *context = l->lookup->context;
    const int64_t d = l->lookup->columns.d;
    double *C = gpis_alloc_zero(context, rows, (size_t)d * sizeof *C);
    double *limits = gpis_alloc(context, 2 * rows, sizeof *limits);
    const char **names = gpis_alloc(context, rows, sizeof *names);
    gpis_status status = C && limits && names ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t i = 0, r = 0; i < l->count && status == GPIS_OK; i++) {
        const gpis_linear_row *row = &l->rows[i];
        if (row->count == 1) continue;
        for (int64_t t = 0; t < row->count; t++)
            C[r * d + l->terms[row->first + t].column] = l->terms[row->first + t].factor;
        limits[r] = row->lower;
        limits[rows + r] = row->upper;
        names[r++] = row->text;
    }
    if (status == GPIS_OK) status = gpis_set_linear(context, C, limits, limits + rows, rows, d, names, out);
    gpis_free(context, C);
    gpis_free(context, limits);
    gpis_free(context, names);
    return status;
}

/* The set of both bounds and rows, or of one of them; none where all constraints are always true. */
static gpis_status make_both(const gpis_linear *l, const bounds *b, int64_t rows, gpis_set **out) {
    gpis_context *context = l->lookup->context;
    const int64_t d = l->lookup->columns.d;
    gpis_set *sets[2] = {NULL, NULL}, *s = NULL;
    int64_t count = 0;
    gpis_status status = GPIS_OK;
    if (rows == 0 && !b->any) return gpis_set_none(context, d, out);
    if (b->any) status = gpis_set_box(context, b->lower, b->upper, d, &sets[count++]);
    if (status == GPIS_OK && rows > 0) status = make_rows(l, rows, &sets[count++]);
    for (int64_t i = 0; i < count && status == GPIS_OK; i++) status = gpis_set_name_entries(l->lookup, sets[i]);
    if (status == GPIS_OK && count == 1) {
        *out = sets[0];
        return GPIS_OK;
    }
    if (status == GPIS_OK) status = gpis_set_intersection(context, 2, sets, &s);
    for (int i = 0; i < 2; i++) {
        if (status == GPIS_OK)
            gpis_set_adopt(s, sets[i]);
        else
            gpis_set_destroy(sets[i]);
    }
    return gpis_set_finish(s, status, out);
}

static gpis_status describe(gpis_set *s, const gpis_linear *l) {
    char *text = gpis_linear_text(l);
    gpis_status status = text ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK && l->count > 0) status = gpis_set_describe(s, "{%s}", text);
    gpis_free(s->context, text);
    if (status != GPIS_OK || !l->always_true) return status;
    const size_t size = strlen(l->always_true) + 64;
    gpis_free(s->context, s->warning); /* the rows may have one of their own; one is enough */
    s->warning = gpis_alloc(s->context, (int64_t)size, 1);
    if (!s->warning) return GPIS_NO_MEMORY;
    snprintf(s->warning, size, "the constraint '%s' is always true", l->always_true);
    return GPIS_OK;
}

static gpis_status make_set(const gpis_linear *l, int64_t k, gpis_set **out) {
    bounds b = {0};
    int64_t rows = 0;
    gpis_set *s = NULL;
    gpis_status status = make_bounds(l->lookup->context, l->lookup->columns.d, &b);
    for (int64_t i = 0; i < l->count && status == GPIS_OK; i++) {
        if (l->rows[i].count == 1)
            status = take_bound(l, i, &b);
        else
            rows++;
    }
    if (status == GPIS_OK) status = make_both(l, &b, rows, &s);
    if (status == GPIS_OK) status = describe(s, l);
    if (status == GPIS_OK) status = gpis_set_responses(s, k);
    clear_bounds(l->lookup->context, &b);
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_read_rows(gpis_lookup *lookup, const gpis_spec *specs, int64_t count, int64_t k, gpis_set **out) {
    gpis_linear l = {.lookup = lookup};
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < count; i++) {
        const char *at = specs[i].at, *next;
        do {
            gpis_spec one = specs[i];
            next = gpis_spec_find(at, one.end, ";");
            one.at = at;
            one.end = next ? next : one.end;
            one.usage = "";
            if (status == GPIS_OK) status = gpis_linear_add(&l, &one);
            at = next ? next + 1 : NULL;
        } while (at && status == GPIS_OK);
    }
    if (status == GPIS_OK) status = make_set(&l, k, out);
    gpis_linear_clear(&l);
    return status;
}
