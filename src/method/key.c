/* The key of a run: written from a run, and compared with that of another. */
#include "method/key.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "ranks/ranks.h"
#include "source/text.h"

typedef struct key {
    gpis_context *context; /* borrowed */
    char *text;            /* owned */
    int64_t room, used;
} key;

__attribute__((format(printf, 3, 4))) static void add(key *k, const char *name, const char *format, ...) {
    va_list values;
    char *at = k->text + k->used;
    const size_t left = (size_t)(k->room - k->used);
    va_start(values, format);
    int length = snprintf(at, left, "%s\t", name);
    length += vsnprintf(at + length, left - (size_t)length, format, values);
    va_end(values);
    at[length] = '\n';
    at[length + 1] = '\0';
    k->used += length + 1;
}

static void add_number(key *k, const char *name, double value) {
    char text[GPIS_NUMBER_TEXT];
    gpis_number_text(value, text);
    add(k, name, "%s", text);
}

static void add_mark(key *k, const char *name, uint32_t sum) { add(k, name, "#%08lx", (unsigned long)sum); }

static void add_sum(key *k, const char *name, const void *values, int64_t bytes) {
    add_mark(k, name, gpis_checksum(0, values, values ? bytes : 0));
}

static gpis_status add_data(key *k, const gpis_run *run) {
    gpis_source_info info;
    gpis_identity identity;
    gpis_source_describe(run->problem->A, &info);
    const gpis_status status =
        gpis_ranks_identify(run->context, run->problem->A, run->problem->Y, run->problem->k, &identity);
    if (status != GPIS_OK) return status;
    add(k, "A of", "%lld x %lld", (long long)info.rows, (long long)info.cols);
    add(k, "A of", "%s, %s", info.type == GPIS_FLOAT64 ? "float64" : "float32", info.layout);
    add(k, "A of", "%lld entries", (long long)info.nonzeros);
    add(k, "rows over", "%d ranks", identity.ranks);
    add_mark(k, "cut of the rows over ranks", identity.cut);
    add(k, "y of", "%lld x %lld", (long long)run->problem->n, (long long)run->problem->k);
    add_mark(k, "A", identity.A);
    add_mark(k, "y", identity.Y);
    add_sum(k, "start (--x0)", run->settings->x0, run->problem->size * (int64_t)sizeof(double));
    return GPIS_OK;
}

/* The spec, and by where it projects a vector, the content of the files that it names. */
static gpis_status add_set(key *k, const gpis_run *run) {
    add(k, "--set", "%s", run->problem->set->spec);
    double *v = gpis_alloc(run->context, run->problem->size, sizeof *v);
    if (!v) return GPIS_NO_MEMORY;
    gpis_random_normal(0, 0, 0, run->problem->size, v);
    const gpis_status status = gpis_set_project(run->problem->set, v, v);
    if (status == GPIS_OK) add_sum(k, "content of the files of --set", v, run->problem->size * (int64_t)sizeof *v);
    gpis_free(run->context, v);
    return status;
}

static void add_settings(key *k, const gpis_settings *s) {
    static const char *const certificates[] = {"any", "proven", "none"};
    static const char *const restarts[] = {"gradient", "function", "none"};
    add(k, "--method", "%s", s->method ? s->method : "auto");
    add_number(k, "--tol", s->tol);
    add(k, "--certificate", "%s", certificates[s->certificate]);
    add_number(k, "--delta", s->delta);
    add(k, "--seed", "%llu", (unsigned long long)s->seed);
    add(k, "--sketch", "%s", s->sketch);
    if (s->m > 0)
        add(k, "--m", "%lld", (long long)s->m);
    else
        add(k, "--m", "as planned");
    add(k, "--memory", "%lld", (long long)s->memory); /* whether there is room for another model */
    add(k, "--gpcs", "%s", s->gpcs ? "yes" : "no");
    add_number(k, "--gamma-u", s->gamma_u);
    add_number(k, "--gamma-d", s->gamma_d);
    add_number(k, "--step", s->fixed_step);
    add(k, "--restart", "%s", restarts[s->restart]);
    add_sum(k, "list --inner", s->inner_iterations, s->inner_rounds * (int64_t)sizeof *s->inner_iterations);
}

gpis_status gpis_key_make(const gpis_run *run, char **text) {
    enum { ROOM_BESIDES_SET = 2048 };
    const gpis_settings *s = run->settings;
    key k = {.context = run->context, .room = ROOM_BESIDES_SET};
    k.room += (int64_t)(strlen(run->problem->set->spec) + strlen(s->method ? s->method : "") + strlen(s->sketch));
    *text = k.text = gpis_alloc(run->context, k.room, 1);
    if (!k.text) return GPIS_NO_MEMORY;
    add(&k, "gpis", "%s", gpis_version());
    gpis_status status = add_data(&k, run);
    if (status == GPIS_OK) status = add_set(&k, run);
    if (status == GPIS_OK) add_settings(&k, s);
    if (status != GPIS_OK) {
        gpis_free(run->context, k.text);
        *text = NULL;
    }
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
