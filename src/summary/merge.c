/*
 * Summaries of different rows become one: their sums are added in double-double, which is one more rounding of 10 u^2
 * for each of them (docs/maths, "Summaries that add up"). They must be about the same things.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source/encoding.h"
#include "source/text.h"
#include "summary/summary.h"

/* What messages call a part: its file, or its number, from 0. */
typedef struct label {
    char text[160];
} label;

static label label_of(const gpis_summary *part, int64_t i) {
    label l;
    if (part->A->name)
        snprintf(l.text, sizeof l.text, "%.150s", part->A->name);
    else
        snprintf(l.text, sizeof l.text, "summary %" PRId64, i + 1);
    return l;
}

/* What two summaries do not have in common; "": nothing. */
typedef struct difference {
    char text[200];
} difference;

static bool differ(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") != 0; }

static const char *shown(const char *name, gpis_excerpt *space) {
    if (!name) return "(no name)";
    *space = gpis_text_excerpt((gpis_span){name, name + strlen(name)});
    return space->text;
}

__attribute__((format(printf, 1, 2))) static difference say(const char *format, ...) {
    difference out;
    va_list values;
    va_start(values, format);
    vsnprintf(out.text, sizeof out.text, format, values);
    va_end(values);
    return out;
}

static difference compare_names(const char *what, const char *(*name)(const gpis_summary *, int64_t), int64_t count,
                                const gpis_summary *a, const gpis_summary *b) {
    gpis_excerpt one, other;
    for (int64_t j = 0; j < count; j++)
        if (differ(name(a, j), name(b, j)))
            return say("%s %" PRId64 " is %s in one and %s in the other", what, j + 1, shown(name(a, j), &one),
                       shown(name(b, j), &other));
    return say("%s", "");
}

static difference compare_folds(const gpis_summary *a, const gpis_summary *b) {
    if (a->folds != b->folds && (a->folds == 1 || b->folds == 1))
        return say("one has %" PRId64 " folds and the other none", a->folds > 1 ? a->folds : b->folds);
    if (a->folds != b->folds) return say("one has %" PRId64 " folds and the other %" PRId64, a->folds, b->folds);
    if (a->folds > 1 && a->given_folds != b->given_folds)
        return say("the folds of one were drawn, those of the other given");
    if (a->folds > 1 && a->seed != b->seed)
        return say("their folds were drawn with seeds %" PRIu64 " and %" PRIu64, a->seed, b->seed);
    return say("%s", "");
}

static difference compare(const gpis_summary *a, const gpis_summary *b) {
    if (a->d != b->d) return say("one has %" PRId64 " columns and the other %" PRId64, a->d, b->d);
    if (a->k != b->k) return say("one has %" PRId64 " responses and the other %" PRId64, a->k, b->k);
    difference found = compare_names("column", gpis_summary_column, a->d, a, b);
    if (!found.text[0]) found = compare_names("response", gpis_summary_response, a->k, a, b);
    if (!found.text[0] && a->weighted != b->weighted) found = say("one has weights and the other has none");
    if (!found.text[0] && a->offset != b->offset) found = say("one has an offset and the other has none");
    if (!found.text[0]) found = compare_folds(a, b);
    if (!found.text[0] && gpis_encoding_checksum(a->A->encoding) != gpis_encoding_checksum(b->A->encoding))
        found = say("their columns have different levels, or means for what is missing");
    return found;
}

static gpis_status check_parts(gpis_context *context, const gpis_summary *const *parts, int64_t count) {
    int64_t rows = 0;
    if (count < 1 || !parts) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there are no summaries to merge");
    for (int64_t i = 0; i < count; i++) {
        if (!parts[i]) return gpis_fail(context, GPIS_BAD_ARGUMENT, "summary %" PRId64 " is NULL", i + 1);
        const difference found = compare(parts[0], parts[i]);
        if (found.text[0])
            return gpis_fail(context, GPIS_BAD_SHAPE, "%s and %s do not merge: %s", label_of(parts[0], 0).text,
                             label_of(parts[i], i).text, found.text);
        if (!gpis_checked_add(rows, parts[i]->A->n, &rows))
            return gpis_fail(context, GPIS_TOO_LARGE, "the summaries have too many rows together");
    }
    return GPIS_OK;
}

/* A summary like `first`, with that many folds, whose sums and rows are to be filled in. */
static gpis_status make_like(gpis_context *context, const gpis_summary *first, int64_t folds, gpis_summary **out) {
    gpis_status status = gpis_summary_new(context, first->d, first->k, folds, out);
    if (status != GPIS_OK) return status;
    (*out)->weighted = first->weighted;
    (*out)->offset = first->offset;
    (*out)->given_folds = first->given_folds;
    (*out)->seed = first->seed;
    status = gpis_summary_take_names(*out, first->A);
    return status == GPIS_OK ? gpis_summary_name_responses(*out, (const char *const *)first->responses) : status;
}

/* Completes a summary and hands it over, or destroys it. */
static gpis_status finish(gpis_summary *s, gpis_status status, gpis_summary **out) {
    if (status == GPIS_OK) status = gpis_summary_complete(s);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_summary_destroy(s);
    return status;
}

gpis_status gpis_summary_merge(gpis_context *context, const gpis_summary *const *parts, int64_t count,
                               gpis_summary **out) {
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a merged summary needs a place to put it");
    *out = NULL;
    gpis_status status = check_parts(context, parts, count);
    if (status != GPIS_OK) return status;
    gpis_summary *s = NULL;
    status = make_like(context, parts[0], parts[0]->folds, &s);
    for (int64_t f = 0; status == GPIS_OK && f < s->folds; f++) {
        gpis_quadratic_copy(s->fold[f], parts[0]->fold[f]);
        for (int64_t i = 1; i < count; i++) gpis_quadratic_add(s->fold[f], parts[i]->fold[f]);
        for (int64_t i = 0; i < count; i++) s->rows[f] += parts[i]->rows[f];
    }
    return finish(s, status, out);
}

gpis_status gpis_summary_fold(const gpis_summary *summary, int64_t fold, int others, gpis_summary **out) {
    if (out) *out = NULL;
    if (!summary || !out) return GPIS_BAD_ARGUMENT;
    gpis_context *context = summary->context;
    if (fold < 0 || fold >= summary->folds || (others && summary->folds == 1))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s has %" PRId64 " fold%s: there is no fold %" PRId64 "%s",
                         summary->A->name ? summary->A->name : "the summary", summary->folds,
                         summary->folds == 1 ? "" : "s", fold + 1, others ? " to leave out" : "");
    gpis_summary *s = NULL;
    gpis_status status = make_like(context, summary, others ? summary->folds - 1 : 1, &s);
    for (int64_t f = 0; status == GPIS_OK && f < s->folds; f++) {
        const int64_t from = !others ? fold : f < fold ? f : f + 1;
        gpis_quadratic_copy(s->fold[f], summary->fold[from]);
        s->rows[f] = summary->rows[from];
    }
    if (status == GPIS_OK && s->folds > 1) s->given_folds = true; /* the numbers have changed */
    return finish(s, status, out);
}
