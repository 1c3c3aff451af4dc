/* Linear constraints as rows: terms of a column added up, rows without columns judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set/linear_read.h"

/* Terms of one column in an order that does not depend on how they are sorted: it is the order of a sum. */
static int by_column(const void *a, const void *b) {
    const gpis_linear_term *p = a, *q = b;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return p->factor < q->factor ? -1 : p->factor > q->factor;
}

static gpis_status add_terms(gpis_linear *l, const gpis_linear_side *side, double sign) {
    void *memory = l->terms;
    const int64_t wanted = l->term_count + side->count;
    const gpis_status status =
        gpis_grow(l->lookup->context, &memory, &l->term_capacity, l->term_count, wanted, sizeof *l->terms);
    l->terms = memory;
    for (int64_t i = 0; i < side->count && status == GPIS_OK; i++) {
        l->terms[l->term_count] = side->terms[i];
        l->terms[l->term_count++].factor *= sign;
    }
    return status;
}

/* Adds the terms of each column up, and leaves out those whose sum is 0. */
static void merge_terms(gpis_linear *l, int64_t first) {
    gpis_linear_term *terms = l->terms;
    int64_t kept = first;
    if (l->term_count > first) qsort(terms + first, (size_t)(l->term_count - first), sizeof *terms, by_column);
    for (int64_t i = first; i < l->term_count; i++) {
        if (kept > first && terms[kept - 1].column == terms[i].column) {
            terms[kept - 1].factor += terms[i].factor;
            continue;
        }
        if (kept > first && terms[kept - 1].factor == 0) kept--;
        terms[kept++] = terms[i];
    }
    if (kept > first && terms[kept - 1].factor == 0) kept--;
    l->term_count = kept;
}

static gpis_status keep_text(gpis_linear *l, gpis_span text, char **out) {
    const int64_t length = text.end - text.begin;
    *out = gpis_alloc(l->lookup->context, length + 1, 1);
    if (!*out) return GPIS_NO_MEMORY;
    memcpy(*out, text.begin, (size_t)length);
    (*out)[length] = '\0';
    return GPIS_OK;
}

static gpis_status check_numbers(const gpis_linear *l, const gpis_linear_row *row, const gpis_spec *spec,
                                 gpis_span text) {
    for (int64_t i = row->first; i < l->term_count; i++)
        if (!isfinite(l->terms[i].factor)) return gpis_spec_fail(spec, text.begin, "a factor is too large");
    if (isnan(row->lower) || isnan(row->upper) || row->lower == INFINITY || row->upper == -INFINITY)
        return gpis_spec_fail(spec, text.begin, "a number is too large");
    return GPIS_OK;
}

/* Whether 0, the sum of a row without terms, is between its bounds. */
static gpis_status judge_empty(gpis_linear *l, const gpis_linear_row *row, const gpis_spec *spec, gpis_span text) {
    if (row->lower > 0 || row->upper < 0)
        return gpis_spec_fail(spec, text.begin, "the constraint is false for every x");
    return l->always_true ? GPIS_OK : keep_text(l, text, &l->always_true);
}

/* A text without columns may have the name of one that was read as a number. */
static gpis_status fail_empty(const gpis_linear *l, const gpis_spec *spec, gpis_span text) {
    const gpis_lookup *lookup = l->lookup;
    for (int64_t j = 0; lookup->columns.name && j < lookup->columns.d; j++) {
        const char *name = lookup->columns.name(lookup->columns.user, j);
        for (const char *at = text.begin; name[0] && at + strlen(name) <= text.end; at++)
            if (memcmp(at, name, strlen(name)) == 0)
                return gpis_spec_fail(spec, at, "the constraint names no column; put the name \"%.40s\" in quotes",
                                      name);
    }
    return gpis_spec_fail(spec, text.begin, "the constraint names no column");
}

gpis_status gpis_linear_add_row(gpis_linear *l, const gpis_spec *spec, const gpis_linear_side sides[2], double lower,
                                double upper, gpis_span text) {
    void *memory = l->rows;
    gpis_linear_row row = {.first = l->term_count, .lower = lower, .upper = upper};
    gpis_status status =
        gpis_grow(l->lookup->context, &memory, &l->row_capacity, l->count, l->count + 1, sizeof *l->rows);
    l->rows = memory;
    if (status == GPIS_OK) status = add_terms(l, &sides[0], 1.0);
    if (status == GPIS_OK) status = add_terms(l, &sides[1], -1.0);
    if (status != GPIS_OK) return status;
    if (l->term_count == row.first) return fail_empty(l, spec, text);
    merge_terms(l, row.first);
    row.count = l->term_count - row.first;
    status = check_numbers(l, &row, spec, text);
    if (status == GPIS_OK && row.count == 0) return judge_empty(l, &row, spec, text);
    if (status == GPIS_OK && lower > upper)
        status = gpis_spec_fail(spec, text.begin, "the constraint is false for every x");
    if (status == GPIS_OK) status = keep_text(l, text, &row.text);
    if (status == GPIS_OK) l->rows[l->count++] = row;
    return status;
}

void gpis_linear_clear(gpis_linear *l) {
    gpis_context *context = l->lookup->context;
    for (int64_t i = 0; i < l->count; i++) gpis_free(context, l->rows[i].text);
    gpis_free(context, l->rows);
    gpis_free(context, l->terms);
    gpis_free(context, l->always_true);
}
