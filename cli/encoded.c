/* Tables that were encoded: what is told about levels and missing fields, and one encoding for the parts of a table. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Column j of those that are used; false: there is no further one. */
static bool column_at(const gpis_encoding *encoding, int64_t j, gpis_encoding_column *column) {
    *column = (gpis_encoding_column){.size = sizeof *column};
    return gpis_encoding_column_at(encoding, j, column) == GPIS_OK;
}

/* The name of a column for people: its own, or x3. */
static void name_column(const gpis_encoding_column *column, char *text, size_t size) {
    if (column->name)
        snprintf(text, size, "%.60s", cli_printable(column->name).text);
    else
        snprintf(text, size, "x%lld", (long long)column->number);
}

void cli_tell_missing(const char *path, const gpis_encoding *encoding) {
    gpis_encoding_info info = {.size = sizeof info};
    if (!encoding || gpis_encoding_describe(encoding, &info) != GPIS_OK) return;
    if (info.dropped > 0)
        cli_fail(0, "note: %s: %lld of %lld rows are left out, since a field is missing in them", path,
                 (long long)info.dropped, (long long)(info.dropped + info.rows));
    if (info.filled > 0)
        cli_fail(0, "note: %s: %lld missing fields are the means of their columns", path, (long long)info.filled);
}

void cli_tell_encoding(const char *path, const gpis_encoding *encoding) {
    gpis_encoding_column column;
    char list[400] = "", name[64];
    cli_tell_missing(path, encoding);
    if (!encoding) return;
    for (int64_t j = 0; column_at(encoding, j, &column); j++) {
        const size_t used = strlen(list);
        if (column.levels == 0 || used > sizeof list - 100) continue;
        name_column(&column, name, sizeof name);
        snprintf(list + used, sizeof list - used, "%s'%.30s' with '%.30s'", used ? ", " : "", name,
                 cli_printable(gpis_encoding_level(encoding, j, 0)).text);
    }
    if (*list) cli_fail(0, "note: %s: levels are compared with the first one: %s", path, list);
}

void cli_print_encoding(const gpis_encoding *encoding) {
    enum { SHOWN = 8 };
    gpis_encoding_info info = {.size = sizeof info};
    gpis_encoding_column column;
    char name[64];
    if (!encoding || gpis_encoding_describe(encoding, &info) != GPIS_OK) return;
    if (info.dropped > 0) printf("  left out   %lld rows, since a field is missing\n", (long long)info.dropped);
    if (info.filled > 0) printf("  missing    %lld fields are the means of their columns\n", (long long)info.filled);
    for (int64_t j = 0; column_at(encoding, j, &column); j++) {
        if (column.levels == 0) continue;
        name_column(&column, name, sizeof name);
        printf("  levels     %s: %s (the reference)", name, cli_printable(gpis_encoding_level(encoding, j, 0)).text);
        for (int64_t k = 1; k < column.levels && k < SHOWN; k++)
            printf(", %s", cli_printable(gpis_encoding_level(encoding, j, k)).text);
        if (column.levels > SHOWN) printf(" ... (%lld in all)", (long long)column.levels);
        putchar('\n');
    }
}

json_t *cli_json_encoding(const gpis_encoding *encoding) {
    gpis_encoding_info info = {.size = sizeof info};
    gpis_encoding_column column;
    if (!encoding || gpis_encoding_describe(encoding, &info) != GPIS_OK) return json_null();
    json_t *categorical = json_array();
    for (int64_t j = 0; column_at(encoding, j, &column); j++) {
        if (column.levels == 0) continue;
        json_t *levels = json_array();
        for (int64_t k = 0; k < column.levels; k++)
            json_array_append_new(levels, cli_json_text(gpis_encoding_level(encoding, j, k)));
        json_t *name = column.name ? cli_json_text(column.name) : json_null();
        json_array_append_new(categorical,
                              json_pack("{s:o, s:I, s:I, s:o}", "name", name, "number", (json_int_t)column.number,
                                        "first", (json_int_t)column.first + 1, "levels", levels));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "rows", (json_int_t)info.rows, "dropped", (json_int_t)info.dropped,
                     "filled", (json_int_t)info.filled, "categorical", categorical);
}

/* ---- one encoding for all parts ---------------------------------------------------------------------------------- */

/* All ranks: the text that one of them has, for all. NULL: there is no memory, on some rank. */
static char *share_text(const char *mine) {
    const gpis_ranks *ranks = cli_ranks();
    double length = mine ? (double)strlen(mine) : 0.0;
    if (!ranks) return mine ? strdup(mine) : NULL;
    length = cli_ranks_largest(length);
    double *bytes = calloc((size_t)length + 1, sizeof *bytes);
    char *text = malloc((size_t)length + 1);
    const int code = cli_ranks_agree(bytes && text ? 0 : CLI_TROUBLE);
    for (size_t i = 0; code == 0 && mine && mine[i]; i++) bytes[i] = (double)(unsigned char)mine[i];
    if (code == 0) ranks->reduce_sum(ranks->user, bytes, (int64_t)length);
    for (size_t i = 0; code == 0 && i < (size_t)length; i++) text[i] = (char)(unsigned char)bytes[i];
    if (code == 0) text[(size_t)length] = '\0';
    free(bytes);
    if (code == 0) return text;
    free(text);
    return NULL;
}

static char *text_of(const gpis_encoding *encoding) {
    const size_t length = gpis_encoding_text(encoding, NULL, 0);
    char *text = encoding ? malloc(length + 1) : NULL;
    if (text) gpis_encoding_text(encoding, text, length + 1);
    return text;
}

int cli_merge_encodings(gpis_context *context, const gpis_encoding *const *mine, int count, gpis_encoding **out) {
    gpis_encoding **all = calloc((size_t)count, sizeof *all);
    gpis_status status = all ? GPIS_OK : GPIS_NO_MEMORY;
    int code = cli_ranks_agree(all ? 0 : cli_fail(CLI_TROUBLE, "out of memory"));
    *out = NULL;
    for (int i = 0; i < count && code == 0; i++) {
        char *own = text_of(mine[i]), *text = share_text(own);
        status = text ? gpis_encoding_parse(context, text, &all[i]) : GPIS_NO_MEMORY;
        free(own);
        free(text);
        code = cli_ranks_agree(status == GPIS_OK ? 0 : cli_fail_status(context, status));
    }
    if (code == 0) {
        status = gpis_encoding_merge(context, (const gpis_encoding *const *)all, count, out);
        code = cli_ranks_agree(status == GPIS_OK ? 0 : cli_fail_status(context, status));
    }
    for (int i = 0; all && i < count; i++) gpis_encoding_destroy(all[i]);
    free(all);
    return code;
}

bool cli_same_levels(const gpis_encoding *a, const gpis_encoding *b) {
    gpis_encoding_column p, q;
    gpis_encoding_info info = {.size = sizeof info};
    if (gpis_encoding_describe(a, &info) != GPIS_OK || info.missing == GPIS_MISSING_MEAN) return false;
    for (int64_t j = 0; column_at(a, j, &p); j++) {
        if (!column_at(b, j, &q) || p.levels != q.levels) return false;
        for (int64_t k = 0; k < p.levels; k++)
            if (strcmp(gpis_encoding_level(a, j, k), gpis_encoding_level(b, j, k)) != 0) return false;
    }
    return true;
}
