/* Values of options: read from text, whatever the locale, written as text, and what is wrong with a text. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static gpis_span whole(const char *text) { return (gpis_span){text, text + strlen(text)}; }

/* The end of an integer's range: that of int64_t where `high` is infinite, that of uint64_t where it is 2^64. */
static uint64_t most(const gpis_option *option) {
    if (option->high == 0x1p64) return UINT64_MAX;
    return option->high < (double)INT64_MAX ? (uint64_t)option->high : (uint64_t)INT64_MAX;
}

static bool parse_integer(const gpis_option *option, gpis_span span, int64_t *integer) {
    uint64_t value;
    if (span.begin < span.end && *span.begin == '+') span.begin++;
    if (!gpis_parse_unsigned(span, &value) || value < (uint64_t)option->low || value > most(option)) return false;
    memcpy(integer, &value, sizeof value);
    return true;
}

static bool parse_number(const gpis_option *option, const char *text, double *number) {
    return gpis_parse_number(whole(text), number) && *number >= option->low && *number <= option->high;
}

/* A number and, if it is not bytes, a unit: K, M, G or T, each 1024 times the one before; KB and KiB are the same. */
static bool parse_bytes(const gpis_option *option, const char *text, int64_t *bytes) {
    static const char units[] = "KMGT";
    double number;
    const char *end = text + strspn(text, "+-.0123456789");
    if (end > text && (*end == 'e' || *end == 'E') && strspn(end + 1, "+-0123456789") > 0)
        end += 1 + strspn(end + 1, "+-0123456789");
    if (!gpis_parse_number((gpis_span){text, end}, &number)) return false;
    end += strspn(end, " ");
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (const char *u = units; unit && u <= unit; u++) number *= 1024.0;
    if (unit) end += 1 + (tolower((unsigned char)end[1]) == 'i');
    if (toupper((unsigned char)*end) == 'B') end++;
    if (*end || !(number >= option->low && number <= option->high)) return false;
    *bytes = (int64_t)number;
    return true;
}

/* Calls parse_integer for each number; *count is how many there are, up to the first that is wrong. */
static bool parse_list(const gpis_option *option, const char *text, int *count) {
    *count = 0;
    for (;;) {
        int64_t integer;
        const char *end = text + strcspn(text, ",");
        if (!parse_integer(option, (gpis_span){text, end}, &integer)) return false;
        if (++*count > GPIS_MAX_LIST_NUMBERS) return false;
        if (!*end) return true;
        text = end + 1;
    }
}

/* Cuts the next word off a list of choices; false when there is none. */
static bool next_choice(const char **choices, gpis_span *word) {
    *choices += strspn(*choices, ", ");
    *word = (gpis_span){*choices, *choices + strcspn(*choices, ",")};
    *choices = word->end;
    return word->end > word->begin;
}

static bool is_word(gpis_span word, const char *text) {
    return strlen(text) == (size_t)(word.end - word.begin) && memcmp(word.begin, text, strlen(text)) == 0;
}

static bool parse_choice(const char *choices, const char *text, int64_t *place) {
    gpis_span word;
    for (*place = 0; next_choice(&choices, &word); ++*place)
        if (is_word(word, text)) return true;
    return false;
}

bool gpis_option_parse(const gpis_option *option, const char *text, double *number, int64_t *integer) {
    int count;
    switch (option->type) {
    case GPIS_OPTION_TEXT: return true;
    case GPIS_OPTION_FILE: return *text != '\0';
    case GPIS_OPTION_NUMBER: return parse_number(option, text, number);
    case GPIS_OPTION_INTEGER: return parse_integer(option, whole(text), integer);
    case GPIS_OPTION_INTEGERS: return parse_list(option, text, &count);
    case GPIS_OPTION_BYTES: return parse_bytes(option, text, integer);
    case GPIS_OPTION_FLAG: return parse_choice("no, yes", text, integer);
    case GPIS_OPTION_CHOICE: return parse_choice(option->choices, text, integer);
    }
    return false;
}

int64_t gpis_list_at(const char *list, int64_t place) {
    int64_t integer = 0;
    for (;; place--) {
        const char *end = list + strcspn(list, ",");
        const char *begin = list + (*list == '+');
        gpis_parse_count((gpis_span){begin, end}, &integer);
        if (place <= 0 || !*end) return integer;
        list = end + 1;
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static size_t put_text(char *text, size_t size, const char *value) {
    return (size_t)snprintf(text, text ? size : 0, "%s", value);
}

/* Number `place`, from 0, of a list of choices; an empty span where there is none. */
static gpis_span choice_at(const char *choices, int place) {
    gpis_span word = {choices, choices};
    for (int i = 0; i <= place; i++)
        if (!next_choice(&choices, &word)) break;
    return word;
}

/* Zero stands for no value where it is none that the option takes. */
static bool is_value(const gpis_option *option, double field) { return field != 0.0 || option->low <= 0.0; }

size_t gpis_option_text(const gpis_option_row *row, const void *field, char *text, size_t size) {
    char number[GPIS_NUMBER_TEXT] = "";
    gpis_span word;
    switch (row->held) {
    case GPIS_HELD_AS_TEXT: return put_text(text, size, *(const char *const *)field ? *(const char *const *)field : "");
    case GPIS_HELD_AS_DOUBLE:
        if (is_value(&row->option, *(const double *)field)) gpis_number_text(*(const double *)field, number);
        return put_text(text, size, number);
    case GPIS_HELD_AS_INT64:
        if (is_value(&row->option, (double)*(const int64_t *)field))
            snprintf(number, sizeof number, "%" PRId64, *(const int64_t *)field);
        return put_text(text, size, number);
    case GPIS_HELD_AS_UINT64:
        snprintf(number, sizeof number, "%" PRIu64, *(const uint64_t *)field);
        return put_text(text, size, number);
    case GPIS_HELD_AS_INT:
        if (row->option.type == GPIS_OPTION_FLAG) return put_text(text, size, *(const int *)field ? "yes" : "no");
        if (row->option.type != GPIS_OPTION_CHOICE) {
            snprintf(number, sizeof number, "%d", *(const int *)field);
            return put_text(text, size, number);
        }
        word = choice_at(row->option.choices, *(const int *)field);
        return (size_t)snprintf(text, text ? size : 0, "%.*s", (int)(word.end - word.begin), word.begin);
    }
    return 0;
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* "any, proven or none" */
static void list_choices(const char *choices, char *text, size_t size) {
    gpis_span word;
    size_t used = 0;
    for (bool first = true; next_choice(&choices, &word) && used < size; first = false) {
        const char *before = first ? "" : *choices ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", before, (int)(word.end - word.begin), word.begin);
    }
}

size_t gpis_option_explain(const gpis_option *option, const char *value, char *text, size_t size) {
    char words[128] = "";
    double number;
    int64_t integer;
    int length = 0, count = 0;
    if (text && size > 0) text[0] = '\0';
    if (!option || !value || gpis_option_parse(option, value, &number, &integer)) return 0;
    if (!text) size = 0;
    switch (option->type) {
    case GPIS_OPTION_TEXT: break;
    case GPIS_OPTION_FILE: length = snprintf(text, size, "%s wants the name of a file", option->name); break;
    case GPIS_OPTION_NUMBER:
        length = snprintf(text, size, "%s wants a number from %g to %g, not '%s'", option->name, option->low,
                          option->high, value);
        break;
    case GPIS_OPTION_INTEGERS:
        parse_list(option, value, &count);
        if (count > GPIS_MAX_LIST_NUMBERS) {
            length = snprintf(text, size, "%s takes at most %d numbers", option->name, GPIS_MAX_LIST_NUMBERS);
            break;
        }
        length = snprintf(text, size, "%s wants whole numbers from %.0f to %" PRIu64 " with commas between, not '%s'",
                          option->name, option->low, most(option), value);
        break;
    case GPIS_OPTION_INTEGER:
        length = snprintf(text, size, "%s wants a whole number from %.0f to %" PRIu64 ", not '%s'", option->name,
                          option->low, most(option), value);
        break;
    case GPIS_OPTION_BYTES:
        length = snprintf(text, size,
                          "%s wants a number of bytes such as 800000000, 300MB, 512K, 1.5G or 1GiB (K, M, G, T: times "
                          "1024), not '%s'",
                          option->name, value);
        break;
    case GPIS_OPTION_FLAG:
    case GPIS_OPTION_CHOICE:
        list_choices(option->type == GPIS_OPTION_FLAG ? "yes, no" : option->choices, words, sizeof words);
        length = snprintf(text, size, "%s is %s, not '%s'", option->name, words, value);
        break;
    }
    return length > 0 ? (size_t)length : 0;
}
