/*
 * Tables in text: records of fields, in a dialect that the first lines show (dialect.c).
 *
 * The text is read in chunks, and each chunk is cut into a piece for every thread. A piece begins behind a line end
 * that is in no quotes, if every quote opens or closes a quoted field. Where that guess is wrong, because a quote is a
 * plain character in the middle of a field, a piece ends elsewhere than the next one begins, and the next one is parsed
 * again from there. So the result is that of one thread that reads from the beginning to the end. Pieces are put
 * together in their order: rows go to the sink, new levels get their numbers, sums are added up, and the first trouble
 * is reported.
 */
#include "source/table.h"

#include <inttypes.h>
#include <string.h>

#include "source/table_trouble.h"
#include "source/text.h"

enum {
    SAMPLE_BYTES = 1 << 16,
    PIECE_BYTES = 1 << 19,     /* text and numbers of a piece stay in the cache of a core */
    MIN_PIECE_BYTES = 1 << 14, /* shorter pieces are not worth a thread */
    MAX_THREADS = 64,
    MEMORY_SHARE =
        64, /* a chunk takes this part of the memory that is left; its numbers may need eight times as much */
    MAX_LEVELS = 100000
};

typedef struct table {
    gpis_context *context; /* borrowed */
    const char *path;      /* borrowed */
    gpis_sink *sink;       /* borrowed */
    gpis_text text;
    gpis_sample sample;
    gpis_table_plan plan;
    gpis_table_piece *pieces; /* owned: one for each thread */
    int threads;
    int64_t line;                   /* number of the line at which the text stands */
    int64_t blank;                  /* the last blank line of a table of one column; 0: none */
    int64_t point_line, comma_line; /* the first lines with these decimal marks; 0: none */
    bool expected;                  /* the number of all rows was guessed */
} table;

/* ---- the first lines --------------------------------------------------------------------------------------------- */

static void skip_byte_order_mark(gpis_text *text) {
    const char *at = text->buffer + text->begin;
    if (text->end - text->begin >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) text->begin += 3;
}

static gpis_status start(table *t) {
    gpis_status status = gpis_text_ahead(&t->text, SAMPLE_BYTES);
    bool enough = false;
    if (status == GPIS_OK && t->text.end == t->text.begin)
        return gpis_fail(t->context, GPIS_BAD_DATA, "%s: is empty (0 bytes)", t->path);
    if (status == GPIS_OK) skip_byte_order_mark(&t->text);
    while (status == GPIS_OK && !enough) {
        const char *begin = t->text.buffer + t->text.begin, *limit = t->text.buffer + t->text.end;
        status =
            gpis_sample_take(t->context, t->path, t->sink->options, begin, limit, t->text.ended, &t->sample, &enough);
        if (status == GPIS_OK && !enough) {
            gpis_sample_clear(&t->sample);
            status = gpis_text_ahead(&t->text, 2 * (t->text.end - t->text.begin));
        }
    }
    if (status != GPIS_OK) return status;
    if (t->sample.dialect.columns == 0)
        return gpis_fail(t->context, GPIS_BAD_DATA, "%s: has blank lines only and no rows of numbers", t->path);
    t->line = t->sample.rows_line;
    t->text.begin = t->sample.rows - t->text.buffer;
    status = gpis_table_plan_make(&t->sample, t->sink->options, &t->plan);
    t->sink->labels = t->plan.labels;
    t->sink->roles = t->plan.roles;
    t->sink->d = t->plan.width;
    return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static bool odd_quotes(const char *at, const char *end) {
    int64_t count = 0;
    for (; at < end; at++) count += *at == '"';
    return count % 2 != 0;
}

/* Behind the first line end from `at` on that is in no quotes; `inside` says whether `at` is. */
static const char *next_line(const char *at, const char *limit, bool inside) {
    for (; at < limit; at++) {
        if (*at == '"')
            inside = !inside;
        else if (*at == '\n' && !inside)
            return at + 1;
    }
    return limit;
}

/* Cuts [begin, limit) into pieces of about the same length and parses them all. Returns their number. */
static int parse_pieces(table *t, const char *begin, const char *limit) {
    const int64_t bytes = limit - begin;
    const int count = (int)gpis_max64(1, gpis_min64(t->threads, bytes / MIN_PIECE_BYTES));
    const char *from = begin, *counted = begin;
    bool inside = false;
    for (int k = 0; k < count; k++) {
        const char *nominal = begin + bytes / count * (k + 1), *stop = limit;
        if (k + 1 < count) {
            if (nominal < from) nominal = from;
            inside = odd_quotes(counted, nominal) != inside;
            counted = nominal;
            stop = next_line(nominal, limit, inside);
        }
        t->pieces[k].begin = from;
        t->pieces[k].stop = from = stop;
    }
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int k = 0; k < count; k++) gpis_table_piece_parse(&t->pieces[k], t->pieces[k].begin, t->pieces[k].stop, limit);
    return count;
}

/* ---- putting pieces together ------------------------------------------------------------------------------------- */

static gpis_status too_many_levels(const table *t, int64_t slot) {
    const gpis_encoded *column = &t->plan.encoding->columns[slot];
    const char *name = column->name ? column->name : "";
    return gpis_fail(t->context, GPIS_BAD_DATA,
                     "%s: column %" PRId64
                     "%s%.40s%s has more than %d different values; if it only identifies rows, leave "
                     "it out with option exclude",
                     t->path, column->number, column->name ? " (" : "", name, column->name ? ")" : "", MAX_LEVELS);
}

/* Gives the new levels of a piece the next numbers, and enters these in its rows. */
static gpis_status number_levels(table *t, gpis_table_piece *p, int64_t category) {
    const int64_t slot = t->plan.category_slots[category], width = t->plan.width;
    gpis_levels *levels = &t->plan.encoding->columns[slot].category->levels;
    const gpis_levels *fresh = &p->fresh[category];
    int64_t *number = gpis_alloc(t->context, fresh->count, sizeof *number);
    gpis_status status = number ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t k = 0; k < fresh->count && status == GPIS_OK; k++) {
        const gpis_span text = gpis_levels_span(fresh, k);
        number[k] = gpis_levels_find(levels, text); /* a piece before this one may have had it, too */
        if (number[k] < 0) {
            number[k] = levels->count;
            status = levels->count < MAX_LEVELS ? gpis_levels_add(levels, text) : too_many_levels(t, slot);
        }
    }
    for (int64_t i = 0; i < p->rows && status == GPIS_OK; i++) {
        double *code = &p->values[i * width + slot];
        if (*code < 0) *code = (double)number[(int64_t)(-1.0 - *code)];
    }
    gpis_free(t->context, number);
    return status;
}

/* Decimal marks and blank lines, which concern the whole table. */
static gpis_status check_lines(table *t, const gpis_table_piece *p) {
    if (p->point_line && !t->point_line) t->point_line = t->line + p->point_line - 1;
    if (p->comma_line && !t->comma_line) t->comma_line = t->line + p->comma_line - 1;
    if (t->point_line && t->comma_line) return gpis_table_mixed_marks(&t->plan, t->point_line, t->comma_line);
    if (t->blank && p->rows + p->dropped > 0)
        return gpis_fail(t->context, GPIS_BAD_DATA, "%s: line %" PRId64 " is blank; remove it", t->path, t->blank);
    if (p->blank_line) t->blank = t->line + p->blank_line - 1;
    return GPIS_OK;
}

/* *cut: the text ends within a record, and the file goes on. */
static gpis_status add_piece(table *t, gpis_table_piece *p, bool *cut) {
    gpis_status status = check_lines(t, p);
    for (int64_t i = 0; i < t->plan.categories && status == GPIS_OK; i++)
        if (p->fresh[i].count > 0) status = number_levels(t, p, i);
    if (status == GPIS_OK) status = gpis_encoding_count_rows(t->plan.encoding, p->values, p->rows);
    if (status == GPIS_OK) status = gpis_sink_append(t->sink, p->rows, p->values, p->labels);
    t->plan.encoding->dropped += p->dropped;
    *cut = p->trouble.fault == GPIS_FAULT_OPEN_QUOTE && !t->text.ended;
    if (status == GPIS_OK && !*cut) {
        const gpis_table_place place = {&t->plan, &t->sample, t->line};
        status = gpis_table_complain(&place, &p->trouble);
    }
    t->line += p->lines;
    return status;
}

/* Parses what the buffer holds. *left is the number of bytes that it cannot use yet. */
static gpis_status parse_chunk(table *t, int64_t *left) {
    const char *limit = t->text.buffer + t->text.end, *at = t->text.buffer + t->text.begin;
    const int count = parse_pieces(t, at, limit);
    gpis_status status = GPIS_OK;
    bool cut = false;
    for (int k = 0; k < count && status == GPIS_OK && !cut; k++) {
        gpis_table_piece *p = &t->pieces[k];
        if (at >= p->stop) continue; /* a record of a piece before it goes on to here */
        if (at != p->begin) gpis_table_piece_parse(p, at, p->stop, limit);
        status = add_piece(t, p, &cut);
        at = p->next;
    }
    t->text.begin = at - t->text.buffer;
    t->text.after = t->line;
    *left = limit - at;
    return status;
}

/* Makes space for all rows, once the first chunk has shown how many bytes a row has. */
static gpis_status expect_rows(table *t) {
    const double part = gpis_text_part(&t->text);
    if (t->expected || t->text.ended || part <= 0.0 || t->sink->rows == 0) return GPIS_OK;
    t->expected = true;
    return gpis_sink_expect(t->sink, 1.03 * (double)t->sink->rows / part);
}

static gpis_status read_rows(table *t) {
    const int64_t most = gpis_max64(SAMPLE_BYTES, gpis_account_left(t->context) / MEMORY_SHARE);
    const int64_t chunk = gpis_min64((int64_t)PIECE_BYTES * t->threads, most);
    gpis_status status = GPIS_OK;
    int64_t left = t->text.end - t->text.begin, wanted = chunk;
    while (status == GPIS_OK) {
        status = gpis_text_ahead(&t->text, wanted);
        if (status != GPIS_OK || t->text.begin == t->text.end) break;
        status = parse_chunk(t, &left);
        if (status == GPIS_OK) status = expect_rows(t);
        wanted = left < chunk / 2 ? chunk : 2 * left; /* of a record longer than the chunk more is needed */
    }
    return status;
}

/* ---- the whole file ---------------------------------------------------------------------------------------------- */

/* After the last row: there are rows, and every column has values. */
static gpis_status finish(table *t) {
    gpis_encoding *e = t->plan.encoding;
    if (e->rows == 0)
        return gpis_fail(t->context, GPIS_BAD_DATA, "%s: has %s and no rows of numbers%s", t->path,
                         t->sample.dialect.header ? "a header" : "lines",
                         e->dropped ? ": in every row a field is missing" : "");
    for (int64_t j = 0; j < e->count; j++) {
        const gpis_encoded *column = &e->columns[j];
        const bool empty = column->category ? column->category->levels.count == 0 : e->means && !e->means[j].present;
        if (empty)
            return gpis_fail(t->context, GPIS_BAD_DATA,
                             "%s: column %" PRId64 "%s%.40s%s has no values; leave it out with option exclude", t->path,
                             column->number, column->name ? " (" : "", column->name ? column->name : "",
                             column->name ? ")" : "");
    }
    gpis_encoding_finish(e);
    if (gpis_encoding_width(e) > 0) return GPIS_OK;
    return gpis_fail(t->context, GPIS_BAD_DATA,
                     "%s: no column is left for A: every categorical column has one level only", t->path);
}

static gpis_status parse(table *t) {
    gpis_status status = gpis_text_open(t->context, t->path, t->sink->options, &t->text);
    if (status == GPIS_OK) status = start(t);
    if (status != GPIS_OK) return status;
    t->pieces = gpis_alloc_zero(t->context, t->threads, sizeof *t->pieces);
    if (!t->pieces) return GPIS_NO_MEMORY;
    for (int k = 0; k < t->threads && status == GPIS_OK; k++)
        status = gpis_table_piece_begin(t->context, &t->plan, &t->pieces[k]);
    if (status == GPIS_OK) status = read_rows(t);
    return status == GPIS_OK ? finish(t) : status;
}

gpis_status gpis_table_parse(gpis_context *context, const char *path, gpis_sink *sink, gpis_encoding **encoding) {
    table t = {.context = context,
               .path = path,
               .sink = sink,
               .threads = (int)gpis_max64(1, gpis_min64(context->threads, MAX_THREADS)),
               .sample.context = context,
               .plan.context = context};
    const gpis_status status = parse(&t);
    *encoding = NULL;
    for (int k = 0; t.pieces && k < t.threads; k++) gpis_table_piece_clear(&t.pieces[k]);
    gpis_free(context, t.pieces);
    if (status == GPIS_OK) {
        *encoding = t.plan.encoding;
        t.plan.encoding = NULL;
    }
    gpis_table_plan_clear(&t.plan);
    gpis_sample_clear(&t.sample);
    gpis_text_close(&t.text);
    return status;
}

gpis_status gpis_table_read(gpis_context *context, const char *path, const gpis_open_options *options,
                            gpis_array *out) {
    const gpis_open_options plain = {.size = sizeof plain,
                                     .format = options->format,
                                     .delimiter = options->delimiter,
                                     .header = options->header,
                                     .progress = options->progress,
                                     .progress_user = options->progress_user};
    gpis_sink sink = {.context = context, .options = &plain};
    gpis_encoding *encoding;
    *out = (gpis_array){0};
    const gpis_status status = gpis_table_parse(context, path, &sink, &encoding);
    if (status == GPIS_OK) {
        *out = (gpis_array){sink.held.values, sink.rows, sink.d, sink.d == 1 ? 1 : 2};
        sink.held.values = NULL;
        gpis_encoding_destroy(encoding);
    }
    gpis_sink_clear(&sink);
    return status;
}
