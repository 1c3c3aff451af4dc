/* From a spec to a set: terms, lists of columns, transforms and parentheses (read.h has the grammar). */
#include "set/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "linalg/blas.h"
#include "set/kinds.h"

static const char USAGE[] = "SPEC & SPEC, SPEC[COLUMNS], SPEC@dct, (SPEC)";

/* Parentheses and brackets within each other: each is a call of this file's functions. */
enum { MAX_DEPTH = 32 };
/* The work of the inner problem doubles with each transform (inner/inside.c solves the problem inside twice), so that
 * dozens of transforms would take forever. */
enum { MAX_TRANSFORMS = 4 };

/* What a part of the spec is read for. */
typedef struct place {
    gpis_lookup *lookup; /* borrowed: the columns that are the entries here */
    int64_t k;
    int depth, transforms; /* around this part */
} place;

/* One of the sets that hold together. */
typedef struct term {
    gpis_set *set;    /* owned */
    int64_t *columns; /* owned: its entries; NULL: all of them, in their order */
} term;

static gpis_status read_terms(gpis_spec *spec, const place *p, gpis_set **out);
static gpis_status read_whole(gpis_spec *base, gpis_spec *suffixes, const place *p, gpis_set **out);

/* The spec of the part [begin, end), without the blanks around it. */
static gpis_spec part_of(const gpis_spec *spec, const char *begin, const char *end) {
    gpis_spec part = *spec;
    while (begin < end && isspace((unsigned char)*begin)) begin++;
    while (begin < end && isspace((unsigned char)end[-1])) end--;
    part.at = begin;
    part.end = end;
    part.usage = USAGE;
    return part;
}

/* ---- several sets that hold together ----------------------------------------------------------------------------- */

/* owner[j]: how many of the terms have column j. */
static bool count_owners(const term *terms, int64_t count, int64_t d, int64_t *owner) {
    bool disjoint = true;
    memset(owner, 0, (size_t)d * sizeof *owner);
    for (int64_t t = 0; t < count; t++)
        for (int64_t i = 0; i < terms[t].set->d; i++) {
            const int64_t j = terms[t].columns ? terms[t].columns[i] : i;
            disjoint = ++owner[j] == 1 && disjoint;
        }
    return disjoint;
}

/* A product of the terms, which have no column in common; the columns of none of them are free. `owner` as
 * count_owners leaves it. */
static gpis_status make_product(const place *p, term *terms, int64_t count, int64_t *owner, gpis_set **out) {
    gpis_context *context = p->lookup->context;
    const int64_t d = p->lookup->columns.d;
    const int64_t **columns = gpis_alloc(context, count + 1, sizeof *columns);
    gpis_set **sets = gpis_alloc(context, count + 1, sizeof *sets), *none = NULL, *s = NULL;
    gpis_status status = columns && sets ? GPIS_OK : GPIS_NO_MEMORY;
    int64_t free = 0;
    for (int64_t j = 0; j < d; j++)
        if (owner[j] == 0) owner[free++] = j;
    if (status == GPIS_OK && free > 0) status = gpis_set_none(context, free, &none);
    for (int64_t t = 0; t < count && status == GPIS_OK; t++) {
        columns[t] = terms[t].columns;
        sets[t] = terms[t].set;
    }
    if (status == GPIS_OK) {
        columns[count] = owner;
        sets[count] = none;
        status = gpis_set_blocks(context, d, count + (none != NULL), columns, sets, &s);
    }
    if (status == GPIS_OK && !s->matrix) status = gpis_set_responses(s, p->k);
    for (int64_t t = 0; t < count && status == GPIS_OK; t++) {
        gpis_set_adopt(s, terms[t].set);
        terms[t].set = NULL;
    }
    if (status == GPIS_OK && none) gpis_set_adopt(s, none);
    if (status != GPIS_OK) gpis_set_destroy(none);
    gpis_free(context, columns);
    gpis_free(context, sets);
    return gpis_set_finish(s, status, out);
}

/* Makes of each term a set of all columns, and of these their intersection. */
static gpis_status make_intersection(const place *p, term *terms, int64_t count, int64_t *owner, gpis_set **out) {
    gpis_context *context = p->lookup->context;
    gpis_set **sets = gpis_alloc_zero(context, count, sizeof *sets), *s = NULL;
    gpis_status status = sets ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t t = 0; t < count && status == GPIS_OK; t++) {
        if (terms[t].columns) {
            count_owners(&terms[t], 1, p->lookup->columns.d, owner);
            status = make_product(p, &terms[t], 1, owner, &sets[t]);
        } else {
            sets[t] = terms[t].set;
            terms[t].set = NULL;
        }
    }
    if (status == GPIS_OK) status = gpis_set_intersection(context, count, sets, &s);
    if (status == GPIS_OK && !s->matrix) status = gpis_set_responses(s, p->k);
    for (int64_t t = 0; t < count && sets; t++) {
        if (status == GPIS_OK)
            gpis_set_adopt(s, sets[t]);
        else
            gpis_set_destroy(sets[t]);
    }
    gpis_free(context, sets);
    return gpis_set_finish(s, status, out);
}

/* "SPEC[COLUMNS] & SPEC": to be freed. */
static char *describe(const place *p, const term *terms, int64_t count) {
    gpis_context *context = p->lookup->context;
    char *all = NULL;
    int64_t used = 0, capacity = 0;
    for (int64_t t = 0; t < count; t++) {
        const term *at = &terms[t];
        const char *spec = at->set->spec;
        char *list = at->columns ? gpis_columns_text(context, p->lookup, at->columns, at->set->d) : NULL;
        const bool compound = list && gpis_spec_is_compound(spec);
        const int64_t wanted = used + (int64_t)(strlen(spec) + (list ? strlen(list) : 0)) + 16;
        void *memory = all;
        const bool failed =
            (at->columns && !list) || gpis_grow(context, &memory, &capacity, used, wanted, 1) != GPIS_OK;
        all = memory;
        if (!failed)
            used += snprintf(all + used, (size_t)(capacity - used), "%s%s%s%s%s%s%s", t > 0 ? " & " : "",
                             compound ? "(" : "", spec, compound ? ")" : "", list ? "[" : "", list ? list : "",
                             list ? "]" : "");
        gpis_free(context, list);
        if (!failed) continue;
        gpis_free(context, all);
        return NULL;
    }
    return all;
}

/* The set in which all terms hold. The terms are used up, also after a failure. */
static gpis_status combine(const place *p, term *terms, int64_t count, gpis_set **out) {
    gpis_context *context = p->lookup->context;
    const int64_t d = p->lookup->columns.d;
    if (count == 1 && !terms[0].columns) {
        *out = terms[0].set;
        terms[0].set = NULL;
        return GPIS_OK;
    }
    int64_t *owner = gpis_alloc(context, d, sizeof *owner);
    char *text = describe(p, terms, count);
    gpis_status status = owner && text ? GPIS_OK : GPIS_NO_MEMORY;
    gpis_set *s = NULL;
    if (status == GPIS_OK)
        status = count_owners(terms, count, d, owner) ? make_product(p, terms, count, owner, &s)
                                                      : make_intersection(p, terms, count, owner, &s);
    if (status == GPIS_OK) status = gpis_set_describe(s, "%s", text);
    gpis_free(context, text);
    gpis_free(context, owner);
    return gpis_set_finish(s, status, out);
}

gpis_status gpis_set_name_entries(const gpis_lookup *lookup, gpis_set *set) {
    if (!lookup->columns.name) return GPIS_OK;
    const char **names = gpis_alloc(lookup->context, set->d, sizeof *names);
    if (!names) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < set->d; j++) names[j] = lookup->columns.name(lookup->columns.user, j);
    const gpis_status status = gpis_set_name_columns(set, names, set->d);
    gpis_free(lookup->context, names);
    return status;
}

/* ---- a term ------------------------------------------------------------------------------------------------------ */

/* Cuts the term's base off its suffixes, which begin with the first '@' or '['. */
static void split_term(const gpis_spec *whole, gpis_spec *base, gpis_spec *suffixes) {
    const char *cut = gpis_spec_find(whole->at, whole->end, "@[");
    if (!cut) cut = whole->end;
    *base = part_of(whole, whole->at, cut);
    *suffixes = part_of(whole, cut, whole->end);
}

/* The last of the suffixes, which is cut off; *kind is '@', '[' or, if there is none, NUL. */
static gpis_status cut_last(gpis_spec *suffixes, gpis_spec *last, char *kind) {
    const char *begin = suffixes->at, *next = begin;
    *kind = '\0';
    if (begin == suffixes->end) return GPIS_OK;
    while (next && next < suffixes->end) {
        begin = next;
        const char *behind = *begin == '[' ? gpis_spec_find(begin + 1, suffixes->end, "]") : NULL;
        if (*begin == '[' && !behind) {
            suffixes->at = suffixes->end;
            return gpis_spec_expected(suffixes, "']'");
        }
        next = gpis_spec_find(behind ? behind + 1 : begin + 1, suffixes->end, "@[");
        for (const char *c = behind ? behind + 1 : begin; behind && c < (next ? next : suffixes->end); c++)
            if (!isspace((unsigned char)*c)) return gpis_spec_fail(suffixes, c, "unexpected '%c'", *c);
    }
    *kind = *begin;
    *last = part_of(suffixes, begin + 1, suffixes->end);
    *suffixes = part_of(suffixes, suffixes->at, begin);
    return GPIS_OK;
}

/* Names of the columns of a list, for what is within its brackets. */
typedef struct listed_names {
    const gpis_columns *all;
    const int64_t *columns;
} listed_names;
static const char *listed_name(const void *user, int64_t j) {
    const listed_names *names = user;
    return names->all->name(names->all->user, names->columns[j]);
}

/* BASE SUFFIXES [COLUMNS], of which `list` is the last. */
static gpis_status read_selected(gpis_spec *base, gpis_spec *suffixes, gpis_spec *list, const place *p, term *out) {
    gpis_selection selection = {0};
    gpis_status status = gpis_select_columns(p->lookup, list, ']', &selection);
    if (status == GPIS_OK) status = gpis_spec_end(list);
    const listed_names names = {&p->lookup->columns, selection.columns};
    gpis_lookup lookup = {
        p->lookup->context, {selection.count, p->lookup->columns.name ? listed_name : NULL, &names}, NULL};
    const place inner = {&lookup, p->k, p->depth + 1, p->transforms};
    if (status == GPIS_OK) status = read_whole(base, suffixes, &inner, &out->set);
    gpis_lookup_clear(&lookup);
    out->columns = selection.columns;
    return status;
}

/* BASE SUFFIXES @TRANSFORM. */
static gpis_status read_transformed(gpis_spec *base, gpis_spec *suffixes, gpis_spec *transform, const place *p,
                                    gpis_set **out) {
    const place inner = {p->lookup, p->k, p->depth + 1, p->transforms + 1};
    gpis_set *inside = NULL;
    if (inner.transforms > MAX_TRANSFORMS)
        return gpis_fail(base->context, GPIS_BAD_SET, "set %.150s: more than %d transforms are not possible",
                         base->text, MAX_TRANSFORMS);
    const gpis_status status = read_whole(base, suffixes, &inner, &inside);
    return status == GPIS_OK ? gpis_set_parse_transform(inside, transform, out) : status;
}

/* NAME:ARGUMENTS, whose entries are then named. */
static gpis_status read_named(gpis_spec *base, const place *p, gpis_set **out) {
    gpis_set *s = NULL;
    gpis_status status = gpis_set_read_kind(base, p->lookup->columns.d, p->k, &s);
    if (status == GPIS_OK) status = gpis_set_name_entries(p->lookup, s);
    return gpis_set_finish(s, status, out);
}

/* NAME:ARGUMENTS, (SPEC) or {CONSTRAINTS}. */
static gpis_status read_base(gpis_spec *base, const place *p, gpis_set **out) {
    const char open = base->at < base->end ? *base->at : '\0', close = open == '(' ? ')' : '}';
    if (open != '(' && open != '{') return read_named(base, p, out);
    const char stop[] = {close, '\0'}, *behind = gpis_spec_find(base->at + 1, base->end, stop);
    gpis_spec inside = part_of(base, base->at + 1, behind ? behind : base->end);
    base->at = behind ? behind + 1 : base->end;
    if (!behind) return gpis_spec_expected(base, open == '(' ? "')'" : "'}'");
    gpis_spec_spaces(base);
    if (base->at < base->end) return gpis_spec_end(base);
    if (open == '{') return gpis_set_read_rows(p->lookup, &inside, 1, p->k, out);
    const place inner = {p->lookup, p->k, p->depth + 1, p->transforms};
    return read_terms(&inside, &inner, out);
}

static gpis_status read_term(gpis_spec *base, gpis_spec *suffixes, const place *p, term *out) {
    gpis_spec last;
    char kind;
    if (p->depth > MAX_DEPTH)
        return gpis_spec_fail(base, base->at, "more than %d parentheses, brackets and transforms within each other",
                              MAX_DEPTH);
    const gpis_status status = cut_last(suffixes, &last, &kind);
    if (status != GPIS_OK) return status;
    if (kind == '[') return read_selected(base, suffixes, &last, p, out);
    if (kind == '@') return read_transformed(base, suffixes, &last, p, &out->set);
    return read_base(base, p, &out->set);
}

/* The same as a set of all columns. */
static gpis_status read_whole(gpis_spec *base, gpis_spec *suffixes, const place *p, gpis_set **out) {
    term t = {0};
    gpis_status status = read_term(base, suffixes, p, &t);
    if (status == GPIS_OK) status = combine(p, &t, 1, out);
    gpis_set_destroy(t.set);
    gpis_free(p->lookup->context, t.columns);
    return status;
}

/* ---- the whole spec ---------------------------------------------------------------------------------------------- */

static gpis_status read_terms(gpis_spec *spec, const place *p, gpis_set **out) {
    gpis_context *context = spec->context;
    void *memory = NULL;
    int64_t count = 0, capacity = 0;
    gpis_status status = GPIS_OK;
    const char *at = spec->at, *next;
    do {
        next = gpis_spec_find(at, spec->end, "&");
        gpis_spec base, suffixes, whole = part_of(spec, at, next ? next : spec->end);
        status = gpis_grow(context, &memory, &capacity, count, count + 1, sizeof(term));
        if (status == GPIS_OK) {
            term *terms = memory;
            terms[count] = (term){0};
            split_term(&whole, &base, &suffixes);
            status = read_term(&base, &suffixes, p, &terms[count++]);
        }
        at = next ? next + 1 : NULL;
    } while (at && status == GPIS_OK);
    term *terms = memory;
    if (status == GPIS_OK) status = combine(p, terms, count, out);
    for (int64_t t = 0; t < count; t++) {
        gpis_set_destroy(terms[t].set);
        gpis_free(context, terms[t].columns);
    }
    gpis_free(context, memory);
    return status;
}

/* Checks the shape of X. */
static gpis_status check_shape(gpis_context *context, int64_t d, int64_t k) {
    int64_t size;
    if (d < 1 || k < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "a set for X of %lld x %lld, which is empty", (long long)d,
                         (long long)k);
    if (!gpis_checked_mul(d, k, &size))
        return gpis_fail(context, GPIS_TOO_LARGE, "a set for X of %lld x %lld is too large", (long long)d,
                         (long long)k);
    return gpis_account_affords_x(context, d, k) ? GPIS_OK : GPIS_NO_MEMORY;
}

/* Reads a spec or, with `linear`, the constraints of `count` texts for X of the columns x k. */
static gpis_status read_all(gpis_spec *specs, int64_t count, bool linear, const gpis_columns *columns, int64_t k,
                            gpis_set **out) {
    gpis_context *context = specs->context;
    gpis_lookup lookup = {context, *columns, NULL};
    const place p = {.lookup = &lookup, .k = k};
    int outside;
    gpis_status status = check_shape(context, columns->d, k);
    if (status != GPIS_OK) return status;
    status = gpis_blas_enter(context, 1, &outside);
    if (status == GPIS_OK)
        status = linear ? gpis_set_read_rows(&lookup, specs, count, k, out) : read_terms(specs, &p, out);
    gpis_blas_leave(outside);
    gpis_lookup_clear(&lookup);
    return status;
}

gpis_status gpis_set_read(gpis_context *context, const char *text, const gpis_columns *columns, int64_t k,
                          gpis_set **out) {
    if (!context || !out) return GPIS_BAD_ARGUMENT;
    *out = NULL;
    if (!text) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the spec of the set is NULL");
    gpis_spec spec = {context, text, text, text + strlen(text), USAGE, "set"};
    return read_all(&spec, 1, false, columns, k, out);
}

gpis_status gpis_set_read_linear(gpis_context *context, const char *const *texts, int64_t count,
                                 const gpis_columns *columns, int64_t k, gpis_set **out) {
    if (!context || !out) return GPIS_BAD_ARGUMENT;
    *out = NULL;
    if (!texts || count < 1) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no text of a constraint");
    for (int64_t i = 0; i < count; i++)
        if (!texts[i])
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "the text of constraint %lld is NULL", (long long)i + 1);
    gpis_spec *specs = gpis_alloc(context, count, sizeof *specs);
    if (!specs) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < count; i++)
        specs[i] = (gpis_spec){context, texts[i], texts[i], texts[i] + strlen(texts[i]), "", "constraint"};
    const gpis_status status = read_all(specs, count, true, columns, k, out);
    gpis_free(context, specs);
    return status;
}
