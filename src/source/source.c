/* What all sources have in common: making, describing, auditing and freeing them. */
#include "source/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "source/text.h"

gpis_source *gpis_source_new(gpis_context *context, const gpis_source_class *class, const char *name) {
    gpis_source *source = gpis_alloc_zero(context, 1, sizeof *source);
    if (!source) return NULL;
    source->class = class;
    source->context = context;
    if (name && !(source->name = gpis_duplicate_text(context, name))) {
        gpis_free(context, source);
        return NULL;
    }
    return source;
}

void gpis_source_destroy(gpis_source *source) {
    if (!source) return;
    gpis_context *context = source->context;
    if (source->state) source->class->destroy(source);
    gpis_free(context, source->columns);
    gpis_encoding_destroy(source->encoding);
    gpis_free(context, source->target);
    gpis_free(context, source->weights);
    gpis_free(context, source->offset);
    gpis_free(context, source->cache_trouble);
    gpis_free(context, source->name);
    gpis_free(context, source);
}

const char *gpis_source_name(const gpis_source *source) { return source->name ? source->name : "A"; }

static const char *layout(const gpis_source *source) {
    if (source->class->on_demand) return "rows on demand";
    if (source->block_kind == GPIS_BLOCK_CSR) return "compressed rows";
    return source->order == GPIS_ROW_MAJOR ? "row-major" : "column-major";
}

double gpis_source_row_bytes(const gpis_source *source) {
    const double width = source->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    if (source->block_kind == GPIS_BLOCK_DENSE) return width * (double)source->d;
    return sizeof(int64_t) + (sizeof(int32_t) + width) * (double)source->nonzeros / (double)source->n;
}

gpis_status gpis_source_unchanged(gpis_source *source) {
    return source->class->unchanged ? source->class->unchanged(source) : GPIS_OK;
}

static int64_t bytes_per_pass(const gpis_source *source) {
    const int64_t width = source->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    if (source->class->on_demand) return 0;
    if (source->block_kind == GPIS_BLOCK_DENSE) return source->nonzeros * width;
    return source->nonzeros * (width + (int64_t)sizeof(int32_t)) + (source->n + 1) * (int64_t)sizeof(int64_t);
}

void gpis_source_describe(const gpis_source *source, gpis_source_info *info) {
    if (!info) return;
    *info = (gpis_source_info){.kind = "none", .layout = "no rows"};
    if (!source) return;
    *info = (gpis_source_info){.rows = source->n,
                               .cols = source->d,
                               .nonzeros = source->nonzeros,
                               .type = source->type,
                               .kind = source->class->kind,
                               .layout = layout(source),
                               .bytes = bytes_per_pass(source),
                               .resident = source->resident,
                               .dimensions = source->dimensions ? source->dimensions : 2,
                               .cache_trouble = source->cache_trouble};
    if (source->class->describe) source->class->describe(source, info);
}

/* Half of what there is: the other half is for y, the model and the windows, or for the other programs of the machine.
 */
int64_t gpis_source_budget(const gpis_context *context, const gpis_open_options *options) {
    if (options->memory > 0) return gpis_min64(options->memory, gpis_account_left(context)) / 2;
    if (context->limit > 0) return gpis_account_left(context) / 2;
    int64_t bytes;
    if (!gpis_checked_mul(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE), &bytes)) return INT64_MAX;
    return bytes / 2;
}

gpis_source *gpis_source_piece(gpis_source *source) {
    return source->class->piece ? source->class->piece(source) : source;
}

int64_t gpis_source_rows_here(const gpis_source *source) {
    return source->class->rows_here ? source->class->rows_here(source) : source->n;
}

char **gpis_source_names(gpis_context *context, const char *words, int64_t bytes, int64_t count) {
    char **names = gpis_alloc(context, count * (int64_t)sizeof *names + bytes, 1);
    if (!names) return NULL;
    char *at = memcpy(names + count, words, (size_t)bytes);
    for (int64_t j = 0; j < count; j++, at += strlen(at) + 1) names[j] = at;
    return names;
}

gpis_status gpis_source_name_columns(gpis_source *source, const char *const *names, int64_t d) {
    int64_t bytes = 0, used = 0;
    if (!source) return GPIS_BAD_ARGUMENT;
    if (!names || d != source->d)
        return gpis_fail(source->context, GPIS_BAD_SHAPE,
                         "there are %" PRId64 " names for the %" PRId64 " columns of A", names ? d : 0, source->d);
    for (int64_t j = 0; j < d; j++) {
        if (!names[j])
            return gpis_fail(source->context, GPIS_BAD_ARGUMENT, "the name of column %" PRId64 " is NULL", j + 1);
        bytes += (int64_t)strlen(names[j]) + 1;
    }
    char *words = gpis_alloc(source->context, bytes, 1);
    for (int64_t j = 0; words && j < d; j++) used += stpcpy(words + used, names[j]) - (words + used) + 1;
    char **columns = words ? gpis_source_names(source->context, words, bytes, d) : NULL;
    gpis_free(source->context, words);
    if (!columns) return GPIS_NO_MEMORY;
    gpis_free(source->context, source->columns);
    source->columns = columns;
    return GPIS_OK;
}

const char *gpis_source_column(const gpis_source *source, int64_t j) {
    while (source && !source->columns && source->of) source = source->of;
    return source && source->columns && j >= 0 && j < source->d ? source->columns[j] : NULL;
}

/* The number of column j (from 0), which has no name, as the author of the file counts: from 1, and including the
 * columns of a table that are not in A. */
static int64_t column_number(const gpis_source *source, int64_t j) {
    gpis_encoding_column column = {.size = sizeof column};
    const gpis_encoding *encoding = gpis_source_encoding(source);
    return encoding && gpis_encoding_column_at(encoding, j, &column) == GPIS_OK ? column.number : j + 1;
}

gpis_column_label gpis_source_label(const gpis_source *source, int64_t j) {
    const char *name = gpis_source_column(source, j);
    gpis_column_label label;
    if (name)
        snprintf(label.text, sizeof label.text, "'%s'", gpis_text_excerpt((gpis_span){name, name + strlen(name)}).text);
    else
        snprintf(label.text, sizeof label.text, "%" PRId64, column_number(source, j));
    return label;
}

static gpis_status not_finite(gpis_context *context, const gpis_source *source, int64_t row, int64_t col,
                              double value) {
    const char *name = gpis_source_column(source, col);
    return gpis_fail(context, GPIS_BAD_DATA,
                     "%s: row %" PRId64 ", column %" PRId64 "%s%.40s%s is %s; remove or replace it",
                     gpis_source_name(source), source->first + row + 1, column_number(source, col), name ? " (" : "",
                     name ? name : "", name ? ")" : "",
                     isnan(value) ? "nan"
                     : value > 0  ? "inf"
                                  : "-inf");
}

gpis_status gpis_source_audit(gpis_context *context, gpis_source *source) {
    if (!context || !source) return gpis_fail(context, GPIS_BAD_ARGUMENT, "an audit needs a source");
    if (source->class->audit) return source->class->audit(context, source);
    /* A block in memory stays in cache while column-major rows are walked; one from a file is long enough to be read.
     */
    const double bytes = source->resident ? 1 << 20 : 1 << 23;
    const int64_t step = gpis_max64(1, gpis_min64(source->n, (int64_t)(bytes / gpis_source_row_bytes(source))));
    void *scratch = NULL;
    gpis_status status = GPIS_OK;
    if (source->class->scratch_bytes && !source->class->in_place) {
        scratch = gpis_alloc(context, source->class->scratch_bytes(source, step), 1);
        if (!scratch) return GPIS_NO_MEMORY;
    }
    for (int64_t row0 = 0; row0 < source->n && status == GPIS_OK; row0 += step) {
        gpis_block block;
        int64_t row, col;
        double value;
        status = source->class->block(source, row0, gpis_min64(step, source->n - row0), scratch, &block);
        if (status != GPIS_OK) break;
        const bool found = gpis_block_find_nonfinite(&block, &row, &col, &value);
        if (source->class->done) source->class->done(source, &block);
        if (found) status = not_finite(context, source, row, col, value);
    }
    gpis_free(context, scratch);
    return status;
}
