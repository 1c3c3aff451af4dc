/* Texts of sets without a radius. */
#include "set/radius.h"

#include <stdio.h>
#include <string.h>

#include "set/kinds.h"

static const gpis_set_class *const kinds[] = {
#define ADDRESS(symbol) &gpis_kind_##symbol,
    GPIS_SET_LIST(ADDRESS)
#undef ADDRESS
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Whether the usage of a kind begins with NAME:R. A sum can be negative and is no radius. */
static bool has_radius(const gpis_set_class *kind) {
    const char *colon = strchr(kind->usage, ':');
    return colon && colon[1] == 'R' && kind != &gpis_kind_sum;
}

static bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/* Kinds that consist of x >= 0 and a sum. */
static bool is_simplex(const gpis_radius_spec *s) {
    const char *name = s->text + s->name;
    return (s->length == 7 && memcmp(name, "simplex", 7) == 0) ||
           (s->length == 14 && memcmp(name, "capped-simplex", 14) == 0);
}

static gpis_status refuse(const gpis_radius_spec *s, const char *complaint) {
    char names[256] = "";
    for (int i = 0; i < KINDS; i++) {
        const size_t used = strlen(names);
        if (has_radius(kinds[i])) snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", kinds[i]->name);
    }
    return gpis_fail(s->context, GPIS_BAD_SET, "set %.150s: %s; sets with a radius are %s", s->text, complaint, names);
}

/* If the name at `at` is a set without its radius, enters it. Returns where the text goes on. */
static size_t look_at(gpis_radius_spec *s, size_t at, int *found) {
    size_t end = at;
    while (is_name_character(s->text[end])) end++;
    for (int i = 0; i < KINDS; i++) {
        if (strlen(kinds[i]->name) != end - at || memcmp(kinds[i]->name, s->text + at, end - at) != 0) continue;
        const bool letter = s->text[end] == ':' && s->text[end + 1] == 'R' && !is_name_character(s->text[end + 2]);
        if (!has_radius(kinds[i]) || (s->text[end] == ':' && !letter)) continue;
        ++*found;
        s->name = at;
        s->length = end - at;
        s->colon = !letter;
        s->place = letter ? end + 1 : end;
        s->after = letter ? end + 2 : end;
    }
    return end > at ? end : at + 1;
}

gpis_status gpis_radius_spec_read(gpis_context *context, const char *text, gpis_radius_spec *out) {
    int found = 0;
    bool begins = true; /* a term can begin here */
    *out = (gpis_radius_spec){.context = context, .text = gpis_duplicate_text(context, text)};
    if (!out->text) return GPIS_NO_MEMORY;
    for (size_t i = 0; out->text[i];) {
        const char c = out->text[i];
        if (begins && is_name_character(c)) {
            i = look_at(out, i, &found);
            begins = false;
        } else {
            begins = c == '&' || c == '(' || (begins && c == ' ');
            if (c == '[') /* names of columns are no sets */
                while (out->text[i + 1] && out->text[i] != ']') i++;
            i++;
        }
    }
    if (found == 1) return GPIS_OK;
    return refuse(out, found ? "more than one set has no radius; give all but one theirs"
                             : "a path needs one set without its radius, and it has none");
}

void gpis_radius_spec_clear(gpis_radius_spec *s) {
    if (s->context) gpis_free(s->context, s->text);
    *s = (gpis_radius_spec){0};
}

/* The text with another name for the kind, and what stands in the place of the radius. */
static char *compose(const gpis_radius_spec *s, const char *name, const char *radius, size_t after) {
    const size_t size = strlen(s->text) + 96;
    char *text = gpis_alloc(s->context, (int64_t)size, 1);
    const size_t behind = s->name + s->length, middle = s->place > behind ? s->place - behind : 0;
    if (text)
        snprintf(text, size, "%.*s%s%.*s%s%s", (int)s->name, s->text, name, radius[0] ? (int)middle : 0,
                 s->text + behind, radius, s->text + after);
    return text;
}

static char *with_radius(const gpis_radius_spec *s, const char *name, double R) {
    char radius[40];
    snprintf(radius, sizeof radius, "%s%.17g", s->colon ? ":" : "", R);
    return compose(s, name, radius, s->after);
}

char *gpis_radius_spec_text(const gpis_radius_spec *s, double R) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)s->length, s->text + s->name);
    return with_radius(s, name, R);
}

char *gpis_radius_spec_growing(const gpis_radius_spec *s, double R) {
    return is_simplex(s) ? with_radius(s, "capped-simplex", R) : gpis_radius_spec_text(s, R);
}

char *gpis_radius_spec_rest(const gpis_radius_spec *s) {
    size_t after = s->after; /* further arguments, and a transform of a set that is not there, go with it */
    while (s->text[after] && !strchr(is_simplex(s) ? "[@ &)" : "[ &)", s->text[after])) after++;
    return compose(s, is_simplex(s) ? "nonneg" : "none", "", after);
}
