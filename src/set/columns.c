/* Columns by their names, their numbers and patterns. */
#include "set/columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by name ----------------------------------------------------------------------------------------------------- */

void gpis_lookup_clear(gpis_lookup *lookup) {
    gpis_free(lookup->context, lookup->order);
    lookup->order = NULL;
}

const char *gpis_lookup_name(const gpis_lookup *lookup, int64_t j, char made[GPIS_MADE_NAME]) {
    if (lookup->columns.name) return lookup->columns.name(lookup->columns.user, j);
    snprintf(made, GPIS_MADE_NAME, "x%lld", (long long)j + 1);
    return made;
}

static const char *name_of(const gpis_columns *columns, int64_t j) { return columns->name(columns->user, j); }

/* Columns of one name stay in their order. */
static int by_name(const void *a, const void *b, void *user) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const int order = strcmp(name_of(user, i), name_of(user, j));
    return order != 0 ? order : i < j ? -1 : i > j;
}

static gpis_status sort_names(gpis_lookup *lookup) {
    if (lookup->order) return GPIS_OK;
    lookup->order = gpis_alloc(lookup->context, lookup->columns.d, sizeof *lookup->order);
    if (!lookup->order) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < lookup->columns.d; j++) lookup->order[j] = j;
    qsort_r(lookup->order, (size_t)lookup->columns.d, sizeof *lookup->order, by_name, &lookup->columns);
    return GPIS_OK;
}

/* < 0, 0 or > 0 as the name comes before `word`, is the same or comes after it. */
static int compare(const char *name, gpis_span word) {
    const size_t length = (size_t)(word.end - word.begin);
    const int order = strncmp(name, word.begin, length);
    return order != 0 ? order : name[length] != '\0';
}

/* The place in the sorted names of the first that does not come before `word` or, with `behind`, that comes after. */
static int64_t search(const gpis_lookup *lookup, gpis_span word, bool behind) {
    int64_t low = 0, high = lookup->columns.d;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare(name_of(&lookup->columns, lookup->order[middle]), word) < (behind ? 1 : 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* x1, x2, ... where columns have no names. */
static void find_made(const gpis_lookup *lookup, gpis_span name, int64_t *first, int64_t *count) {
    int64_t number;
    if (name.end - name.begin < 2 || *name.begin != 'x' || name.begin[1] == '0') return;
    if (!gpis_parse_count((gpis_span){name.begin + 1, name.end}, &number) || number > lookup->columns.d) return;
    *first = number - 1;
    *count = 1;
}

gpis_status gpis_lookup_find(gpis_lookup *lookup, gpis_span name, int64_t *first, int64_t *count) {
    *count = 0;
    if (!lookup->columns.name) {
        find_made(lookup, name, first, count);
        return GPIS_OK;
    }
    if (memchr(name.begin, '\0', (size_t)(name.end - name.begin))) return GPIS_OK;
    const gpis_status status = sort_names(lookup);
    if (status != GPIS_OK) return status;
    const int64_t from = search(lookup, name, false), to = search(lookup, name, true);
    *count = to - from;
    if (*count > 0) *first = lookup->order[from];
    return GPIS_OK;
}

/* A word for a message. */
enum { SHOWN = 40 };
static int shown(gpis_span word) { return word.end - word.begin < SHOWN ? (int)(word.end - word.begin) : SHOWN; }

gpis_status gpis_lookup_fail(const gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name) {
    const char *nearest = gpis_lookup_nearest(lookup, name);
    if (!lookup->columns.name)
        return gpis_spec_fail(spec, at, "there is no column '%.*s': the columns have no names, and are x1 to x%lld",
                              shown(name), name.begin, (long long)lookup->columns.d);
    if (nearest)
        return gpis_spec_fail(spec, at, "there is no column '%.*s' (did you mean '%.*s'?)", shown(name), name.begin,
                              SHOWN, nearest);
    return gpis_spec_fail(spec, at, "there is no column '%.*s'", shown(name), name.begin);
}

gpis_status gpis_lookup_one(gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name, int64_t *out) {
    int64_t count;
    const gpis_status status = gpis_lookup_find(lookup, name, out, &count);
    if (status != GPIS_OK || count == 1) return status;
    if (count == 0) return gpis_lookup_fail(lookup, spec, at, name);
    return gpis_spec_fail(spec, at, "%lld columns are called '%.*s': say [#%lld] for the first of them",
                          (long long)count, shown(name), name.begin, (long long)*out + 1);
}

/* ---- an item of a list ------------------------------------------------------------------------------------------- */

/* The text of an item without its quotes. A star outside quotes is the byte STAR, which no name holds. */
enum { STAR = '\0' };
typedef struct item {
    const char *at; /* where it begins in the spec */
    gpis_span word;
    bool stars, quoted;
} item;

/* Reads [spec->at, ...) up to a comma or `close`; `word` has room for it. */
static gpis_status read_item(gpis_spec *spec, char close, char *word, item *out) {
    size_t length = 0, kept = 0; /* blanks at the end are not kept */
    gpis_spec_spaces(spec);
    *out = (item){.at = spec->at};
    while (spec->at < spec->end && *spec->at != ',' && *spec->at != close) {
        if (gpis_quote_opens(out->at, spec->at)) {
            const char *behind = gpis_quote_close(spec->at, spec->end);
            if (!behind) return gpis_spec_fail(spec, spec->at, "the quote is not closed");
            kept = length += gpis_quote_decode(spec->at, behind, word + length);
            spec->at = behind;
            out->quoted = true;
            continue;
        }
        out->stars = out->stars || *spec->at == '*';
        const bool blank = isspace((unsigned char)*spec->at) != 0;
        word[length++] = *spec->at == '*' ? STAR : *spec->at;
        if (!blank) kept = length;
        spec->at++;
    }
    if (kept == 0 && !out->quoted) return gpis_spec_expected(spec, "a column");
    out->word = (gpis_span){word, word + kept};
    return GPIS_OK;
}

/* Whether `name` matches: a STAR stands for any characters. After a mismatch the last star takes one more. */
static bool matches(gpis_span pattern, const char *name) {
    const char *at = pattern.begin, *star = NULL, *retry = NULL;
    while (*name) {
        if (at < pattern.end && *at == STAR) {
            star = ++at;
            retry = name;
        } else if (at < pattern.end && *at == *name) {
            at++, name++;
        } else if (star) {
            at = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (at < pattern.end && *at == STAR) at++;
    return at == pattern.end;
}

/* "7", "3-7" or "7-3", with '#' before it or without; false: neither. *from and *to count from 1. */
static bool is_range(gpis_span word, int64_t *from, int64_t *to) {
    if (word.begin < word.end && *word.begin == '#') word.begin++;
    const char *dash = memchr(word.begin, '-', (size_t)(word.end - word.begin));
    if (!gpis_parse_count((gpis_span){word.begin, dash ? dash : word.end}, from)) return false;
    *to = *from;
    return !dash || gpis_parse_count((gpis_span){dash + 1, word.end}, to);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

typedef struct list {
    gpis_lookup *lookup;
    gpis_spec *spec;
    char *word;       /* owned: room for an item */
    bool *listed;     /* owned: for each column */
    int64_t *columns; /* owned: room for all of them */
    int64_t count;
} list;

/* Adds a column; one that is listed twice is refused, unless a pattern does it. */
static gpis_status add_column(list *l, const item *i, int64_t j) {
    char made[GPIS_MADE_NAME];
    if (l->listed[j] && i->stars) return GPIS_OK;
    if (l->listed[j])
        return gpis_spec_fail(l->spec, i->at, "column '%.*s' is listed twice", SHOWN,
                              gpis_lookup_name(l->lookup, j, made));
    l->listed[j] = true;
    l->columns[l->count++] = j;
    return GPIS_OK;
}

static gpis_status add_pattern(list *l, const item *i) {
    char made[GPIS_MADE_NAME];
    int64_t found = 0;
    gpis_status status = GPIS_OK;
    for (int64_t j = 0; j < l->lookup->columns.d && status == GPIS_OK; j++) {
        if (!matches(i->word, gpis_lookup_name(l->lookup, j, made))) continue;
        status = add_column(l, i, j);
        found++;
    }
    const int64_t length = l->spec->at - i->at;
    if (status == GPIS_OK && found == 0)
        return gpis_spec_fail(l->spec, i->at, "no column matches '%.*s'", length < SHOWN ? (int)length : SHOWN, i->at);
    return status;
}

static gpis_status add_range(list *l, const item *i, int64_t from, int64_t to) {
    const int64_t d = l->lookup->columns.d;
    gpis_status status = GPIS_OK;
    if (from < 1 || from > d || to < 1 || to > d)
        return gpis_spec_fail(l->spec, i->at, "there is no column %lld; columns are 1 to %lld",
                              (long long)(from < 1 || from > d ? from : to), (long long)d);
    for (int64_t j = from;; j += from < to ? 1 : -1) {
        status = add_column(l, i, j - 1);
        if (j == to || status != GPIS_OK) return status;
    }
}

static gpis_status add_item(list *l, const item *i) {
    int64_t first = 0, count = 0, from, to;
    if (i->stars) return add_pattern(l, i);
    const bool numbers = !i->quoted && is_range(i->word, &from, &to);
    if (numbers && *i->word.begin == '#') return add_range(l, i, from, to);
    const gpis_status status = gpis_lookup_find(l->lookup, i->word, &first, &count);
    if (status != GPIS_OK) return status;
    if (count == 0 && numbers) return add_range(l, i, from, to);
    if (numbers && (from != first + 1 || to != from || count > 1))
        return gpis_spec_fail(l->spec, i->at,
                              "'%.*s' is the name of column %lld and the number of another: put the name in quotes, or "
                              "say #%.*s for the number",
                              shown(i->word), i->word.begin, (long long)first + 1, shown(i->word), i->word.begin);
    if (count == 1) return add_column(l, i, first);
    return gpis_lookup_one(l->lookup, l->spec, i->at, i->word, &first); /* which says what is wrong */
}

static gpis_status read_list(list *l, char close) {
    gpis_status status = GPIS_OK;
    do {
        item i;
        status = read_item(l->spec, close, l->word, &i);
        if (status == GPIS_OK) status = add_item(l, &i);
    } while (status == GPIS_OK && gpis_spec_take(l->spec, ','));
    return status == GPIS_OK ? gpis_spec_skip(l->spec, close) : status;
}

gpis_status gpis_select_columns(gpis_lookup *lookup, gpis_spec *spec, char close, gpis_selection *out) {
    const int64_t d = lookup->columns.d;
    list l = {.lookup = lookup,
              .spec = spec,
              .word = gpis_alloc(lookup->context, spec->end - spec->at + 1, 1),
              .listed = gpis_alloc_zero(lookup->context, d, sizeof *l.listed),
              .columns = gpis_alloc(lookup->context, d, sizeof *l.columns)};
    const gpis_status status = l.word && l.listed && l.columns ? read_list(&l, close) : GPIS_NO_MEMORY;
    gpis_free(lookup->context, l.word);
    gpis_free(lookup->context, l.listed);
    if (status == GPIS_OK)
        *out = (gpis_selection){l.columns, l.count};
    else
        gpis_free(lookup->context, l.columns);
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
