/* Linear constraints as text, for columns with names and without. Constraints that parse must say the same when they
 * are parsed again from their own text, and every point of their set must satisfy them. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set/linear_read.h"
#include "set/read.h"

enum { D = 4 };

static const char *name_of(const void *user, int64_t j) {
    static const char *const names[D] = {"tv", "net sales", "a\"b", "tv"};
    (void)user;
    return names[j];
}

/* The rows of the text, which is taken to be good. */
static gpis_linear rows_of(gpis_lookup *lookup, const char *text) {
    gpis_linear l = {.lookup = lookup};
    const char *end = text + strlen(text);
    for (const char *at = text, *next; at; at = next ? next + 1 : NULL) {
        next = gpis_spec_find(at, end, ";");
        gpis_spec spec = {lookup->context, text, at, next ? next : end, "", "constraint"};
        fuzz_require(gpis_linear_add(&l, &spec) == GPIS_OK, "a constraint is good in a set only");
    }
    return l;
}

static void compare(const gpis_linear *a, const gpis_linear *b) {
    fuzz_require(a->count == b->count && a->term_count == b->term_count, "another number of rows");
    for (int64_t i = 0; i < a->count; i++)
        fuzz_require(a->rows[i].lower == b->rows[i].lower && a->rows[i].upper == b->rows[i].upper, "other limits");
    for (int64_t t = 0; t < a->term_count; t++)
        fuzz_require(a->terms[t].column == b->terms[t].column && a->terms[t].factor == b->terms[t].factor,
                     "other factors");
}

static void read_again(gpis_context *context, const gpis_columns *columns, const char *text) {
    gpis_lookup lookup = {context, *columns, NULL};
    gpis_linear first = rows_of(&lookup, text), second = {.lookup = &lookup};
    char *canonical = gpis_linear_text(&first);
    fuzz_require(canonical != NULL, "no memory");
    if (first.count > 0) {
        second = rows_of(&lookup, canonical);
        compare(&first, &second);
    }
    gpis_free(context, canonical);
    gpis_linear_clear(&first);
    gpis_linear_clear(&second);
    gpis_lookup_clear(&lookup);
}

static void try_text(const char *text, bool named) {
    gpis_context *context = fuzz_context();
    const gpis_columns columns = {D, named ? name_of : NULL, NULL};
    gpis_set *set = NULL;
    const gpis_status status = gpis_set_read_linear(context, &text, 1, &columns, 1, &set);
    if (status == GPIS_OK) {
        fuzz_accept();
        double v[D] = {1, -2, 0.5, 3}, x[D];
        read_again(context, &columns, text);
        if (gpis_set_project(set, v, x) == GPIS_OK)
            for (int j = 0; j < D; j++) fuzz_require(isfinite(x[j]), "a projection that is not finite");
    } else {
        fuzz_check_refusal(context, status, set);
    }
    gpis_set_destroy(set);
    fuzz_context_end(context);
}

void fuzz_start(const char *fresh) { (void)fresh; }

void fuzz_input(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    fuzz_require(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    try_text(text, true);
    try_text(text, false);
    free(text);
}
