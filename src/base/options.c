/* Options by name, and the structs whose fields they set. */
#include "base/options.h"

#include <string.h>

#include "base/sized.h"

const gpis_option *gpis_option_at(int64_t index) {
    const gpis_option_row *row = gpis_option_row_at(index);
    return row ? &row->option : NULL;
}

/* "max_passes" is the same name as "max-passes". */
static bool is_named(const gpis_option *option, const char *name) {
    size_t i = 0;
    for (; option->name[i] && name[i]; i++)
        if (option->name[i] != (name[i] == '_' ? '-' : name[i])) return false;
    return option->name[i] == name[i];
}

static const gpis_option_row *find_row(const char *name) {
    const gpis_option_row *row = NULL;
    for (int64_t i = 0; name && (row = gpis_option_row_at(i)) != NULL; i++)
        if (is_named(&row->option, name)) return row;
    return NULL;
}

const gpis_option *gpis_option_find(const char *name) {
    const gpis_option_row *row = find_row(name);
    return row ? &row->option : NULL;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Puts a value, which the option takes, in its field; NULL: its default. */
static void put(const gpis_option_row *row, const char *value, void *field) {
    double number = 0.0;
    int64_t integer = 0;
    if (!value && *row->option.fallback) value = row->option.fallback;
    if (value) gpis_option_parse(&row->option, value, &number, &integer);
    switch (row->held) {
    case GPIS_HELD_AS_TEXT: *(const char **)field = value; break;
    case GPIS_HELD_AS_DOUBLE: *(double *)field = number; break;
    case GPIS_HELD_AS_INT64: *(int64_t *)field = integer; break;
    case GPIS_HELD_AS_UINT64: *(uint64_t *)field = (uint64_t)integer; break;
    case GPIS_HELD_AS_INT: *(int *)field = (int)integer; break;
    }
}

/* The field of a caller's struct, which begins with its size; NULL: it has no such field. */
static void *field_of(void *caller, ptrdiff_t offset) {
    size_t size;
    memcpy(&size, caller, sizeof size);
    return offset == GPIS_NO_FIELD || (size_t)offset >= size ? NULL : (char *)caller + offset;
}

static gpis_status set(const gpis_option_row *row, void *field, const char *value) {
    double number;
    int64_t integer;
    if (!field || (value && !gpis_option_parse(&row->option, value, &number, &integer))) return GPIS_BAD_ARGUMENT;
    put(row, value, field);
    return GPIS_OK;
}

gpis_status gpis_settings_set(gpis_settings *settings, const char *name, const char *value) {
    const gpis_option_row *row = find_row(name);
    return settings && row ? set(row, field_of(settings, row->in_settings), value) : GPIS_BAD_ARGUMENT;
}

gpis_status gpis_open_options_set(gpis_open_options *options, const char *name, const char *value) {
    const gpis_option_row *row = find_row(name);
    return options && row ? set(row, field_of(options, row->in_open), value) : GPIS_BAD_ARGUMENT;
}

size_t gpis_settings_get(const gpis_settings *settings, const char *name, char *text, size_t size) {
    const gpis_option_row *row = find_row(name);
    if (text && size > 0) text[0] = '\0';
    if (!settings || !row || !field_of((gpis_settings *)settings, row->in_settings)) return 0;
    return gpis_option_text(row, (const char *)settings + row->in_settings, text, size);
}

/* ---- structs ----------------------------------------------------------------------------------------------------- */

static gpis_settings default_settings(void) {
    gpis_settings settings = {.size = sizeof settings};
    const gpis_option_row *row;
    for (int64_t i = 0; (row = gpis_option_row_at(i)) != NULL; i++)
        if (row->in_settings != GPIS_NO_FIELD) put(row, NULL, (char *)&settings + row->in_settings);
    return settings;
}

static gpis_open_options default_opening(void) {
    gpis_open_options options = {.size = sizeof options};
    const gpis_option_row *row;
    for (int64_t i = 0; (row = gpis_option_row_at(i)) != NULL; i++)
        if (row->in_open != GPIS_NO_FIELD) put(row, NULL, (char *)&options + row->in_open);
    return options;
}

gpis_status gpis_settings_init(gpis_settings *settings, size_t size) {
    const gpis_settings defaults = default_settings();
    return gpis_sized_init(settings, size, &defaults, sizeof defaults);
}

gpis_status gpis_open_options_init(gpis_open_options *options, size_t size) {
    const gpis_open_options defaults = default_opening();
    return gpis_sized_init(options, size, &defaults, sizeof defaults);
}

/* The defaults are read as text: only where something of them is left. */
gpis_status gpis_settings_take(gpis_context *context, const gpis_settings *given, gpis_settings *out) {
    if (!given || given->size < sizeof *out) *out = default_settings();
    return gpis_sized_take(context, "settings", "gpis_settings_init", given, out, sizeof *out);
}

gpis_status gpis_open_options_take(gpis_context *context, const gpis_open_options *given, gpis_open_options *out) {
    *out = default_opening();
    return gpis_sized_take(context, "open options", "gpis_open_options_init", given, out, sizeof *out);
}
