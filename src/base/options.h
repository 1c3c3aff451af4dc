/*
 * options: the table of everything that can be set by name and text, as gpis.h publishes it, with the fields that the
 * options stand for. A new option is a row of the table in option_table.c, a field, and the code that uses the field.
 * The defaults of the structs, the program's options and their help, and the key of a checkpoint follow from the table.
 */
#ifndef GPIS_OPTIONS_H
#define GPIS_OPTIONS_H

#include "base/base.h"

/* How a field holds its value. */
typedef enum gpis_option_storage {
    GPIS_HELD_AS_TEXT, /* const char *; NULL: unset */
    GPIS_HELD_AS_DOUBLE,
    GPIS_HELD_AS_INT64,
    GPIS_HELD_AS_UINT64,
    GPIS_HELD_AS_INT /* or an enum, whose values are the words of `choices` in their order */
} gpis_option_storage;

enum { GPIS_NO_FIELD = -1, GPIS_MAX_LIST_NUMBERS = 64 };

typedef struct gpis_option_row {
    gpis_option option;
    gpis_option_storage held;
    ptrdiff_t in_settings, in_open; /* offset in gpis_settings and in gpis_open_options, or GPIS_NO_FIELD */
} gpis_option_row;

const gpis_option_row *gpis_option_row_at(int64_t index); /* NULL behind the last */

/* The caller's struct, filled up with defaults; NULL: the defaults. Whether the values make sense is not checked. */
gpis_status gpis_settings_take(gpis_context *context, const gpis_settings *given, gpis_settings *out);
gpis_status gpis_open_options_take(gpis_context *context, const gpis_open_options *given, gpis_open_options *out);

/* ---- values as text (option_text.c) ------------------------------------------------------------------------------ */

/* True where the option takes this text; *number or *integer is then what it says. A flag is 0 or 1, a choice the place
 * of the word. An integer above 2^63 - 1, which only an option with high = 2^64 takes, is stored as its 64 bits. */
bool gpis_option_parse(const gpis_option *option, const char *text, double *number, int64_t *integer);
/* The value of a field as gpis_option_parse takes it, "" where it has none. Returns its length; it is cut to `size`. */
size_t gpis_option_text(const gpis_option_row *row, const void *field, char *text, size_t size);
/* Number `place`, from 0, of a list such as "20,40,80", or its last one. The list has been parsed before. */
int64_t gpis_list_at(const char *list, int64_t place);

#endif
