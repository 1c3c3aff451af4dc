/* One encoding for the parts of a table: levels and sums of all of them, in the order of the parts. */
#include <inttypes.h>
#include <string.h>

#include "source/encoding.h"

/* Whether column j is the same in both, except for what is merged. */
static bool is_same_column(const gpis_encoding *a, const gpis_encoding *b, int64_t j) {
    const gpis_encoded *p = &a->columns[j], *q = &b->columns[j];
    if (!p->category != !q->category || !p->name != !q->name) return false;
    return p->name ? strcmp(p->name, q->name) == 0 : p->number == q->number;
}

static gpis_status add_levels(gpis_context *context, gpis_category *to, const gpis_category *from) {
    for (int64_t k = 0; k < from->levels.count; k++) {
        const gpis_span text = gpis_levels_span(&from->levels, k);
        int64_t at = gpis_levels_find(&to->levels, text);
        gpis_status status = at < 0 ? gpis_levels_add(&to->levels, text) : GPIS_OK;
        if (at < 0) at = to->levels.count - 1;
        if (status == GPIS_OK) status = gpis_category_reserve(context, to);
        if (status != GPIS_OK) return status;
        to->rows[at] += from->rows && k < from->rows_capacity ? from->rows[k] : 0;
    }
    return GPIS_OK;
}

static gpis_status add_part(gpis_context *context, gpis_encoding *to, const gpis_encoding *from, int64_t part) {
    gpis_status status = GPIS_OK;
    if (from->count != to->count || from->missing != to->missing)
        return gpis_fail(context, GPIS_BAD_SHAPE,
                         "part %" PRId64 " of a table has %" PRId64 " columns that are used, the first has %" PRId64
                         "; open all parts with the same options",
                         part + 1, from->count, to->count);
    for (int64_t j = 0; j < to->count && status == GPIS_OK; j++) {
        if (!is_same_column(to, from, j))
            return gpis_fail(context, GPIS_BAD_SHAPE,
                             "column %" PRId64 " of part %" PRId64
                             " of a table ('%.40s') is not that of the first part "
                             "('%.40s'); parts have the same columns in the same order",
                             j + 1, part + 1, from->columns[j].name ? from->columns[j].name : "",
                             to->columns[j].name ? to->columns[j].name : "");
        if (to->columns[j].category) status = add_levels(context, to->columns[j].category, from->columns[j].category);
        if (!to->means) continue;
        to->means[j].sum = gpis_dd_add(to->means[j].sum, from->means[j].sum);
        to->means[j].present += from->means[j].present;
        to->means[j].missing += from->means[j].missing;
    }
    to->rows += from->rows;
    to->dropped += from->dropped;
    return status;
}

gpis_status gpis_encoding_merge(gpis_context *context, const gpis_encoding *const *parts, int64_t count,
                                gpis_encoding **out) {
    if (!context || !parts || count < 1 || !out || !parts[0])
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "encodings to be merged, and a place for the result, are needed");
    gpis_encoding *all;
    *out = NULL;
    gpis_status status = gpis_encoding_copy(context, parts[0], &all);
    if (status != GPIS_OK) return status;
    all->rows = parts[0]->rows;
    all->dropped = parts[0]->dropped;
    for (int64_t j = 0; all->means && j < all->count; j++) all->means[j].missing = parts[0]->means[j].missing;
    for (int64_t i = 1; i < count && status == GPIS_OK; i++)
        status = parts[i] ? add_part(context, all, parts[i], i)
                          : gpis_fail(context, GPIS_BAD_ARGUMENT, "encoding %" PRId64 " is NULL", i + 1);
    if (status == GPIS_OK) {
        gpis_encoding_finish(all);
        *out = all;
    } else {
        gpis_encoding_destroy(all);
    }
    return status;
}
