/* Encodings: making, describing and freeing them. */
#include "source/encoding.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/sized.h"
#include "source/source.h"

/* ---- life -------------------------------------------------------------------------------------------------------- */

gpis_encoding *gpis_encoding_new(gpis_context *context, gpis_missing missing, int64_t count) {
    gpis_encoding *e = gpis_alloc_zero(context, 1, sizeof *e);
    if (!e) return NULL;
    *e = (gpis_encoding){.context = context, .missing = missing, .count = count};
    e->columns = gpis_alloc_zero(context, count, sizeof *e->columns);
    if (missing == GPIS_MISSING_MEAN) e->means = gpis_alloc_zero(context, count, sizeof *e->means);
    if (e->columns && (e->means || missing != GPIS_MISSING_MEAN)) return e;
    gpis_encoding_destroy(e);
    return NULL;
}

gpis_status gpis_encoding_add_category(gpis_encoding *e, int64_t column) {
    gpis_category *category = gpis_alloc_zero(e->context, 1, sizeof *category);
    if (!category) return GPIS_NO_MEMORY;
    category->levels.context = e->context;
    e->columns[column].category = category;
    return GPIS_OK;
}

gpis_status gpis_category_reserve(gpis_context *context, gpis_category *c) {
    if (c->rows_capacity >= c->levels.count) return GPIS_OK;
    void *memory = c->rows;
    const int64_t before = c->rows_capacity;
    const gpis_status status = gpis_grow(context, &memory, &c->rows_capacity, before, c->levels.count, sizeof *c->rows);
    c->rows = memory;
    if (status == GPIS_OK) memset(c->rows + before, 0, (size_t)(c->rows_capacity - before) * sizeof *c->rows);
    return status;
}

static void free_category(gpis_context *context, gpis_category *category) {
    if (!category) return;
    gpis_levels_clear(&category->levels);
    gpis_free(context, category->rows);
    gpis_free(context, category);
}

void gpis_encoding_destroy(gpis_encoding *e) {
    if (!e) return;
    for (int64_t j = 0; e->columns && j < e->count; j++) free_category(e->context, e->columns[j].category);
    gpis_free(e->context, e->columns);
    gpis_free(e->context, e->means);
    gpis_free(e->context, e->names);
    gpis_free(e->context, e);
}

gpis_status gpis_encoding_copy(gpis_context *context, const gpis_encoding *e, gpis_encoding **out) {
    const size_t length = gpis_encoding_text(e, NULL, 0);
    char *text = gpis_alloc(context, (int64_t)length + 1, 1);
    *out = NULL;
    if (!text) return GPIS_NO_MEMORY;
    gpis_encoding_text(e, text, length + 1);
    const gpis_status status = gpis_encoding_parse(context, text, out);
    gpis_free(context, text);
    if (status != GPIS_OK) return status;
    (*out)->applied = true;
    (*out)->rows = (*out)->dropped = 0;
    for (int64_t j = 0; j < (*out)->count; j++) {
        if ((*out)->means) (*out)->means[j].missing = 0;
        if ((*out)->columns[j].category) (*out)->columns[j].category->fixed = true;
    }
    return GPIS_OK;
}

/* ---- columns of A ------------------------------------------------------------------------------------------------ */

static int64_t width_of(const gpis_encoded *column) {
    return column->category ? column->category->levels.count - 1 : 1;
}

void gpis_encoding_finish(gpis_encoding *e) {
    int64_t first = 0;
    e->plain = !e->means;
    for (int64_t j = 0; j < e->count; j++) {
        e->plain = e->plain && !e->columns[j].category;
        e->columns[j].first = first;
        first += width_of(&e->columns[j]);
    }
}

int64_t gpis_encoding_width(const gpis_encoding *e) {
    const gpis_encoded *last = &e->columns[e->count - 1];
    return last->first + width_of(last);
}

uint32_t gpis_encoding_checksum(const gpis_encoding *e) {
    uint32_t sum = 0;
    if (!e || e->plain) return 0;
    for (int64_t j = 0; j < e->count; j++) {
        const gpis_category *c = e->columns[j].category;
        const double mean = e->means && !c ? gpis_encoding_mean(e, j) : 0.0;
        sum = gpis_checksum(sum, &mean, sizeof mean);
        if (c) sum = gpis_checksum(sum, c->levels.text, c->levels.used);
        for (int64_t k = 0; c && e->means && k < c->levels.count; k++) {
            const double share = gpis_encoding_share(e, j, k);
            sum = gpis_checksum(sum, &share, sizeof share);
        }
    }
    return sum;
}

double gpis_encoding_mean(const gpis_encoding *e, int64_t column) {
    const gpis_encoded_mean *m = &e->means[column];
    return m->present > 0 ? gpis_dd_divide(m->sum, gpis_dd_of((double)m->present)).high : 0.0;
}

double gpis_encoding_share(const gpis_encoding *e, int64_t column, int64_t level) {
    const int64_t present = e->means[column].present;
    return present > 0 ? (double)e->columns[column].category->rows[level] / (double)present : 0.0;
}

/* Writes "wd=NNW", or "x3=NNW" where columns have no names, with its NUL; returns the length. `to` NULL: only the
 * length.
 */
static int64_t write_name(const gpis_encoded *column, int64_t level, char *to) {
    char made[32];
    const char *name = column->name, *text = level > 0 ? gpis_levels_at(&column->category->levels, level) : "";
    if (!name) {
        snprintf(made, sizeof made, "x%lld", (long long)column->number);
        name = made;
    }
    const size_t length = strlen(name) + (level > 0) + strlen(text) + 1;
    if (to) snprintf(to, length, "%s%s%s", name, level > 0 ? "=" : "", text);
    return (int64_t)length;
}

static int64_t write_names(const gpis_encoding *e, char *to) {
    int64_t used = 0;
    for (int64_t j = 0; j < e->count; j++) {
        const gpis_encoded *column = &e->columns[j];
        if (!column->category) used += write_name(column, 0, to ? to + used : NULL);
        for (int64_t k = 1; column->category && k < column->category->levels.count; k++)
            used += write_name(column, k, to ? to + used : NULL);
    }
    return used;
}

gpis_status gpis_encoding_names(gpis_context *context, const gpis_encoding *e, char ***out) {
    bool named = false;
    *out = NULL;
    for (int64_t j = 0; j < e->count && !named; j++) named = e->columns[j].name || e->columns[j].category;
    if (!named) return GPIS_OK;
    const int64_t bytes = write_names(e, NULL);
    char *words = gpis_alloc(context, bytes, 1);
    if (!words) return GPIS_NO_MEMORY;
    write_names(e, words);
    *out = gpis_source_names(context, words, bytes, gpis_encoding_width(e));
    gpis_free(context, words);
    return *out ? GPIS_OK : GPIS_NO_MEMORY;
}

/* ---- for callers ------------------------------------------------------------------------------------------------- */

const gpis_encoding *gpis_source_encoding(const gpis_source *source) {
    while (source && !source->encoding && source->of) source = source->of;
    return source ? source->encoding : NULL;
}

gpis_status gpis_encoding_describe(const gpis_encoding *e, gpis_encoding_info *info) {
    if (!e || !info) return GPIS_BAD_ARGUMENT;
    gpis_encoding_info all = {.columns = e->count, .rows = e->rows, .dropped = e->dropped, .missing = e->missing};
    for (int64_t j = 0; e->means && j < e->count; j++) all.filled += e->means[j].missing;
    return gpis_sized_give(info, &all, sizeof all);
}

gpis_status gpis_encoding_column_at(const gpis_encoding *e, int64_t j, gpis_encoding_column *column) {
    if (!e || !column || j < 0 || j >= e->count) return GPIS_BAD_ARGUMENT;
    const gpis_encoded *c = &e->columns[j];
    gpis_encoding_column all = {.name = c->name, .number = c->number, .first = c->first};
    if (c->category) all.levels = c->category->levels.count;
    if (e->means) all.filled = e->means[j].missing;
    if (e->means && !c->category) all.mean = gpis_encoding_mean(e, j);
    return gpis_sized_give(column, &all, sizeof all);
}

const char *gpis_encoding_level(const gpis_encoding *e, int64_t j, int64_t level) {
    if (!e || j < 0 || j >= e->count || !e->columns[j].category) return NULL;
    const gpis_levels *levels = &e->columns[j].category->levels;
    return level >= 0 && level < levels->count ? gpis_levels_at(levels, level) : NULL;
}
