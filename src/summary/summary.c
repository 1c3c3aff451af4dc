/* Summaries: made empty, named, completed, described, destroyed. */
#include "summary/summary.h"

#include <string.h>

#include "base/sized.h"
#include "source/encoding.h"
#include "summary/rows.h"

gpis_status gpis_summary_new(gpis_context *context, int64_t d, int64_t k, int64_t folds, gpis_summary **out) {
    *out = NULL;
    gpis_summary *s = gpis_alloc_zero(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    *s = (gpis_summary){.context = context, .d = d, .k = k, .folds = folds};
    s->fold = gpis_alloc_zero(context, folds, sizeof *s->fold);
    s->rows = gpis_alloc_zero(context, folds, sizeof *s->rows);
    gpis_status status = s->fold && s->rows ? gpis_summary_rows_new(context, d, &s->A) : GPIS_NO_MEMORY;
    for (int64_t f = 0; status == GPIS_OK && f < folds; f++)
        status = gpis_quadratic_create(context, d + 1, k, &s->fold[f]);
    if (status != GPIS_OK) {
        gpis_summary_destroy(s);
        return status;
    }
    *out = s;
    return GPIS_OK;
}

void gpis_summary_destroy(gpis_summary *s) {
    if (!s) return;
    gpis_context *context = s->context;
    if (s->folds > 1) gpis_quadratic_destroy(s->whole);
    for (int64_t f = 0; s->fold && f < s->folds; f++) gpis_quadratic_destroy(s->fold[f]);
    gpis_source_destroy(s->A);
    gpis_free(context, s->responses);
    gpis_free(context, s->rows);
    gpis_free(context, s->fold);
    gpis_free(context, s);
}

/* ---- names ---- */

/* Copies names, of which some may be NULL and become "". */
static gpis_status copy_names(gpis_context *context, const char *(*name)(const void *, int64_t), const void *from,
                              int64_t count, char ***out) {
    int64_t bytes = 0, at = 0;
    bool any = false;
    *out = NULL;
    for (int64_t j = 0; j < count; j++) {
        const char *text = name(from, j);
        any = any || text;
        bytes += (text ? (int64_t)strlen(text) : 0) + 1;
    }
    if (!any) return GPIS_OK;
    char *words = gpis_alloc(context, bytes, 1);
    if (!words) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < count; j++) {
        const char *text = name(from, j);
        const size_t length = text ? strlen(text) : 0;
        if (length > 0) memcpy(words + at, text, length);
        words[at + (int64_t)length] = '\0';
        at += (int64_t)length + 1;
    }
    *out = gpis_source_names(context, words, bytes, count);
    gpis_free(context, words);
    return *out ? GPIS_OK : GPIS_NO_MEMORY;
}

static const char *name_of_column(const void *source, int64_t j) { return gpis_source_column(source, j); }

static const char *name_in_list(const void *names, int64_t c) { return ((const char *const *)names)[c]; }

gpis_status gpis_summary_take_names(gpis_summary *s, const gpis_source *from) {
    const gpis_encoding *encoding = gpis_source_encoding(from);
    gpis_status status = copy_names(s->context, name_of_column, from, s->d, &s->A->columns);
    if (status == GPIS_OK && encoding) status = gpis_encoding_copy(s->context, encoding, &s->A->encoding);
    return status;
}

gpis_status gpis_summary_name_responses(gpis_summary *s, const char *const *names) {
    return names ? copy_names(s->context, name_in_list, names, s->k, &s->responses) : GPIS_OK;
}

const char *gpis_summary_column(const gpis_summary *s, int64_t j) {
    const char *name = s ? gpis_source_column(s->A, j) : NULL;
    return name && name[0] ? name : NULL;
}

const char *gpis_summary_response(const gpis_summary *s, int64_t c) {
    const char *name = s && s->responses && c >= 0 && c < s->k ? s->responses[c] : NULL;
    return name && name[0] ? name : NULL;
}

const gpis_source *gpis_summary_source(const gpis_summary *s) { return s ? s->A : NULL; }

/* ---- sums of folds ---- */

/* The sum of all folds but `left_out` (-1: of all of them). */
static gpis_status add_folds(const gpis_summary *s, int64_t left_out, gpis_quadratic **out) {
    const gpis_status status = gpis_quadratic_create(s->context, s->d + 1, s->k, out);
    if (status != GPIS_OK) return status;
    const int64_t first = left_out == 0 ? 1 : 0;
    gpis_quadratic_copy(*out, s->fold[first]);
    for (int64_t f = first + 1; f < s->folds; f++)
        if (f != left_out) gpis_quadratic_add(*out, s->fold[f]);
    return GPIS_OK;
}

gpis_status gpis_summary_complete(gpis_summary *s) {
    int64_t rows = 0;
    for (int64_t f = 0; f < s->folds; f++) rows += s->rows[f];
    s->A->n = rows;
    s->A->nonzeros = gpis_checked_mul(rows, s->d, &s->A->nonzeros) ? s->A->nonzeros : INT64_MAX;
    if (s->folds > 1) return add_folds(s, -1, &s->whole);
    s->whole = s->fold[0];
    return GPIS_OK;
}

gpis_status gpis_summary_training(const gpis_summary *s, int64_t fold, gpis_quadratic **out) {
    return add_folds(s, fold, out);
}

/* ---- what is in it ---- */

gpis_status gpis_summary_describe(const gpis_summary *s, gpis_summary_info *info) {
    if (!s || !info) return GPIS_BAD_ARGUMENT;
    const gpis_summary_info known = {.rows = s->A->n,
                                     .columns = s->d,
                                     .responses = s->k,
                                     .folds = s->folds,
                                     .weights_sum = gpis_quadratic_entry(s->whole, s->d, s->d).high,
                                     .gamma = s->whole->gamma,
                                     .weighted = s->weighted,
                                     .offset = s->offset,
                                     .given_folds = s->given_folds,
                                     .seed = s->seed};
    return gpis_sized_give(info, &known, sizeof known);
}

int64_t gpis_summary_fold_rows(const gpis_summary *s, int64_t fold) {
    return s && fold >= 0 && fold < s->folds ? s->rows[fold] : -1;
}
