/* Lists of columns in specs: complaints have the form that those of specs have. */
#include "set/columns.h"

#include <stdio.h>
#include <string.h>

/* ---- from text --------------------------------------------------------------------------------------------------- */

/* A complaint of a gpis_column_text. */
static gpis_status complain(const void *user, const char *at, const char *complaint) {
    return gpis_spec_fail(user, at, "%s", complaint);
}

static gpis_column_text text_of(const gpis_spec *spec) {
    return (gpis_column_text){.at = spec->at, .end = spec->end, .fail = complain, .user = spec};
}

gpis_status gpis_lookup_fail(const gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name) {
    const gpis_column_text text = text_of(spec);
    return gpis_column_text_unknown(lookup, &text, at, name);
}

gpis_status gpis_lookup_one(gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name, int64_t *out) {
    enum { SHOWN = 40 };
    int64_t count;
    const gpis_status status = gpis_lookup_find(lookup, name, out, &count);
    if (status != GPIS_OK || count == 1) return status;
    if (count == 0) return gpis_lookup_fail(lookup, spec, at, name);
    return gpis_spec_fail(spec, at, "%lld columns are called '%.*s': say [#%lld] for the first of them",
                          (long long)count, (int)gpis_min64(name.end - name.begin, SHOWN), name.begin,
                          (long long)*out + 1);
}

gpis_status gpis_select_columns(gpis_lookup *lookup, gpis_spec *spec, char close, gpis_selection *out) {
    const char stops[] = {',', close, '\0'};
    gpis_column_text text = text_of(spec);
    gpis_status status = gpis_selection_begin(lookup, out);
    if (status == GPIS_OK) status = gpis_select_list(out, &text, stops);
    spec->at = text.at;
    if (status == GPIS_OK) status = gpis_spec_skip(spec, close);
    gpis_free(lookup->context, out->listed);
    out->listed = NULL;
    if (status != GPIS_OK) gpis_selection_clear(out);
    return status;
}

/* ---- as text ----------------------------------------------------------------------------------------------------- */

/* The end of the run of columns i, i + 1, ... of the list that count up or down by one. */
static int64_t run_end(const int64_t *columns, int64_t i, int64_t count) {
    if (i + 1 == count) return count;
    const int64_t step = columns[i + 1] - columns[i];
    if (step != 1 && step != -1) return i + 1;
    int64_t end = i + 2;
    while (end < count && columns[end] - columns[end - 1] == step) end++;
    return end;
}

/* Whether some column has this text as its name. */
static bool is_name(gpis_lookup *lookup, gpis_span text) {
    int64_t first, count = 0;
    return lookup && lookup->columns.name && gpis_lookup_find(lookup, text, &first, &count) == GPIS_OK && count > 0;
}

char *gpis_columns_text(gpis_context *context, gpis_lookup *lookup, const int64_t *columns, int64_t count) {
    enum { LONGEST_RANGE = 48 };
    int64_t runs = 0, used = 0;
    for (int64_t i = 0; i < count; i = run_end(columns, i, count)) runs++;
    char *text = gpis_alloc(context, runs * LONGEST_RANGE + 1, 1);
    for (int64_t i = 0, end; text && i < count; i = end) {
        char range[LONGEST_RANGE];
        end = run_end(columns, i, count);
        const long long from = columns[i] + 1, to = columns[end - 1] + 1;
        const int length = end - i == 1 ? snprintf(range, sizeof range, "%lld", from)
                                        : snprintf(range, sizeof range, "%lld-%lld", from, to);
        const char *comma = i > 0 ? "," : "", *mark = is_name(lookup, (gpis_span){range, range + length}) ? "#" : "";
        used += snprintf(text + used, (size_t)(runs * LONGEST_RANGE + 1 - used), "%s%s%s", comma, mark, range);
    }
    return text;
}
