/* Fields: a doubled quote inside quotes is one quote; blanks around a field are not part of it. */
#include "source/fields.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static void skip_spaces(gpis_fields *f) {
    while (f->at < f->end && is_space(*f->at) && *f->at != f->separator) f->at++;
    while (f->separator == ' ' && f->at < f->end && is_space(*f->at)) f->at++;
}

static bool at_separator(const gpis_fields *f) {
    return *f->at == f->separator || (f->separator == ' ' && *f->at == '\t');
}

/* Moves from the opening quote to after the closing one; doubled quotes become single ones in place. */
static gpis_span cut_quoted(gpis_fields *f) {
    char *begin = ++f->at, *to = begin;
    for (; f->at < f->end; f->at++) {
        if (*f->at == '"' && !(f->at + 1 < f->end && f->at[1] == '"')) break;
        if (*f->at == '"') f->at++;
        *to++ = *f->at;
    }
    if (f->at == f->end)
        f->broken = true;
    else
        f->at++;
    if (f->separator != ' ') skip_spaces(f);
    if (f->at < f->end && !at_separator(f)) f->broken = true;
    return (gpis_span){begin, to};
}

static gpis_span cut_plain(gpis_fields *f) {
    char *begin = f->at;
    while (f->at < f->end && !at_separator(f)) f->at++;
    char *end = f->at;
    while (end > begin && is_space(end[-1])) end--;
    return (gpis_span){begin, end};
}

bool gpis_fields_next(gpis_fields *f, gpis_span *field) {
    if (!f->open || f->broken) return false;
    skip_spaces(f);
    if (f->separator == ' ' && f->at == f->end) return false;
    *field = f->at < f->end && *f->at == '"' ? cut_quoted(f) : cut_plain(f);
    f->open = f->at < f->end;
    if (f->open && !f->broken) f->at++;
    return !f->broken;
}

char gpis_fields_separator(gpis_span line, const char *candidates) {
    for (; *candidates; candidates++) {
        bool inside = false;
        for (const char *at = line.begin; at < line.end; at++) {
            if (*at == '"')
                inside = !inside;
            else if (!inside && *at == *candidates)
                return *candidates;
        }
    }
    return '\0';
}
