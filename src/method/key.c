/* The key of a run: written from a run, and compared with that of another. */
#include "method/key.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/number.h"
#include "base/options.h"
#include "ranks/ranks.h"
#include "source/text.h"

typedef struct key {
    gpis_context *context; /* borrowed */
    char *text;            /* owned; NULL after a failure */
    int64_t size, used;    /* bytes; the last of those in use is the '\0' */
} key;

/* Makes the text large enough for so many bytes more. */
static bool grow(key *k, int64_t bytes) {
    if (k->text && k->used + bytes <= k->size) return true;
    const int64_t size = 2 * (k->used + bytes);
    char *larger = k->text ? gpis_alloc(k->context, size, 1) : NULL;
    if (larger) memcpy(larger, k->text, (size_t)k->used);
    gpis_free(k->context, k->text);
    k->text = larger;
    k->size = size;
    return larger != NULL;
}

/* After a failure it does nothing. */
__attribute__((format(printf, 3, 4))) static void add(key *k, const char *name, const char *format, ...) {
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int before = (int)strlen(name) + 1, length = vsnprintf(NULL, 0, format, values);
    if (grow(k, before + length + 1)) {
        char *at = k->text + k->used - 1;
        snprintf(at, (size_t)before + 1, "%s\t", name);
        vsnprintf(at + before, (size_t)length + 1, format, again);
        memcpy(at + before + length, "\n", 2);
        k->used += before + length + 1;
    }
    va_end(again);
    va_end(values);
}

static void add_mark(key *k, const char *name, uint32_t sum) { add(k, name, "#%08lx", (unsigned long)sum); }

static void add_sum(key *k, const char *name, const void *values, int64_t bytes) {
    add_mark(k, name, gpis_checksum(0, values, values ? bytes : 0));
}

static gpis_status add_data(key *k, const gpis_run *run) {
    gpis_source_info info;
    gpis_identity identity;
    gpis_source_describe(run->problem->A, &info);
    const gpis_status status = gpis_ranks_identify(run->context, run->problem->A, run->problem->Y, run->problem->k,
                                                   &run->problem->terms, &identity);
    if (status != GPIS_OK) return status;
    add(k, "A of", "%lld x %lld", (long long)info.rows, (long long)info.cols);
    add(k, "A of", "%s, %s", info.type == GPIS_FLOAT64 ? "float64" : "float32", info.layout);
    add(k, "A of", "%lld entries", (long long)info.nonzeros);
    add(k, "rows over", "%d ranks", identity.ranks);
    add_mark(k, "cut of the rows over ranks", identity.cut);
    add_mark(k, "kind of processor", identity.processors);
    add(k, "y of", "%lld x %lld", (long long)run->problem->n, (long long)run->problem->k);
    add_mark(k, "A", identity.A);
    add_mark(k, "y", identity.Y);
    add_mark(k, "weights", identity.weights);
    add_sum(k, "start (x0)", run->settings->x0, run->settings->x0_entries * (int64_t)sizeof(double));
    return GPIS_OK;
}

/* The terms besides y and the weights; of standardised columns the set and the ridge tell. */
static void add_terms(key *k, const gpis_problem *p) {
    add(k, "option intercept", "%s", p->intercept ? "yes" : "no");
    add(k, "option standardize", "%s", p->standardize ? "yes" : "no");
    add(k, "ridge", "%.17g", p->ridge);
    add_sum(k, "ridge of the columns", p->terms.ridge, p->d * (int64_t)sizeof(double));
}

/* The spec, and by where it projects a vector, the content of the files that it names. */
static gpis_status add_set(key *k, const gpis_run *run) {
    add(k, "option set", "%s", run->problem->set->spec);
    double *v = gpis_alloc(run->context, run->problem->size, sizeof *v);
    if (!v) return GPIS_NO_MEMORY;
    gpis_random_normal(0, 0, 0, run->problem->size, v);
    const gpis_status status = gpis_set_project(run->problem->set, v, v);
    if (status == GPIS_OK) add_sum(k, "content of the files of option set", v, run->problem->size * (int64_t)sizeof *v);
    gpis_free(run->context, v);
    return status;
}

static void add_option(key *k, const gpis_option_row *row, const void *field) {
    char name[40], value[GPIS_NUMBER_TEXT];
    snprintf(name, sizeof name, "option %s", row->option.name);
    const char *text = row->held == GPIS_HELD_AS_TEXT ? *(const char *const *)field : value;
    if (text == value) gpis_option_text(row, field, value, sizeof value);
    add(k, name, "%s", text && *text ? text : row->option.unset ? row->option.unset : "0");
}

/* The options that the table declares part of the key. */
static void add_settings(key *k, const gpis_settings *settings) {
    const gpis_option_row *row;
    for (int64_t i = 0; (row = gpis_option_row_at(i)) != NULL; i++)
        if (row->option.in_checkpoint && row->in_settings != GPIS_NO_FIELD)
            add_option(k, row, (const char *)settings + row->in_settings);
}

gpis_status gpis_key_make(const gpis_run *run, char **text) {
    enum { USUAL_SIZE = 2048 };
    key k = {.context = run->context, .text = gpis_alloc(run->context, USUAL_SIZE, 1), .size = USUAL_SIZE, .used = 1};
    if (k.text) k.text[0] = '\0';
    add(&k, "gpis", "%s", gpis_version());
    gpis_status status = add_data(&k, run);
    if (status == GPIS_OK) add_terms(&k, run->problem);
    if (status == GPIS_OK) status = add_set(&k, run);
    if (status == GPIS_OK) add_settings(&k, run->settings);
    if (status == GPIS_OK && !k.text) status = GPIS_NO_MEMORY;
    if (status != GPIS_OK) {
        gpis_free(run->context, k.text);
        k.text = NULL;
    }
    *text = k.text;
    return status;
}

gpis_status gpis_key_compare(gpis_context *context, const char *path, const char *before, const char *now) {
    static const char advice[] = "give what it was made with, or remove it";
    while (*before && *now) {
        const int old_length = (int)strcspn(before, "\n"), new_length = (int)strcspn(now, "\n");
        const int name = (int)strcspn(now, "\t\n");
        if (old_length != new_length || memcmp(before, now, (size_t)old_length) != 0) {
            const bool same_name = name < old_length && memcmp(before, now, (size_t)name + 1) == 0;
            if (!same_name) break;
            if (now[name + 1] == '#')
                return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s: was made with another %.*s; %s", path, name, now,
                                 advice);
            const gpis_span old_value = {before + name + 1, before + old_length};
            const gpis_span new_value = {now + name + 1, now + new_length};
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s: was made with %.*s %s, not %s; %s", path, name, now,
                             gpis_text_excerpt(old_value).text, gpis_text_excerpt(new_value).text, advice);
        }
        before += old_length + (before[old_length] == '\n');
        now += new_length + (now[new_length] == '\n');
    }
    if (!*before && !*now) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s: was made by another gpis; resume it with that one", path);
}
