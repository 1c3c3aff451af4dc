/*
 * The options of a table, and its header, made into a plan: the columns of A in the order of the option columns,
 * without those that have a role and those that are excluded; levels for the categorical ones. With an encoding of
 * another table, the columns that it names.
 */
#include "source/table_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "source/source.h"

/* What the plan is made from. */
typedef struct maker {
    const gpis_sample *sample;
    const gpis_open_options *options;
    gpis_table_plan *plan;
    gpis_lookup lookup;
    const char *option; /* the option that is being read */
    int64_t *used;      /* owned: the columns of A, in their order */
} maker;

static gpis_span span_of(const char *text) { return (gpis_span){text, text + strlen(text)}; }

static gpis_excerpt show(const char *text) { return gpis_text_excerpt(span_of(text)); }

/* ---- roles ------------------------------------------------------------------------------------------------------- */

static gpis_status no_such_column(const maker *m, const char *role, const char *text) {
    char *const *names = m->sample->names;
    const int64_t columns = m->sample->dialect.columns;
    const gpis_excerpt first = show(names ? names[0] : ""), last = show(names ? names[columns - 1] : "");
    if (names && names[0][0] == '#' && columns == 1)
        return gpis_fail(m->sample->context, GPIS_BAD_ARGUMENT,
                         "%s: has no column '%s' to be the %s; line %" PRId64 " is '%s': remove the lines of comments",
                         m->sample->path, text, role, m->sample->first_line, first.text);
    if (columns == 1)
        return gpis_fail(m->sample->context, GPIS_BAD_ARGUMENT,
                         "%s: has no column '%s' to be the %s; its only column is %s%s%s; if it has more, name their "
                         "delimiter (option delimiter)",
                         m->sample->path, text, role, names ? "'" : "1", first.text, names ? "'" : "");
    return gpis_fail(m->sample->context, GPIS_BAD_ARGUMENT,
                     "%s: has no column '%s' to be the %s; its columns are 1 to %" PRId64 "%s%s%s%s%s", m->sample->path,
                     text, role, columns, names ? ", '" : "", first.text, names ? "' to '" : "", last.text,
                     names ? "'" : "");
}

/* The column that has a role, by its name or, if no column has that name, by its number from 1; -1: there is none. */
static gpis_status find_role(maker *m, const char *role, const char *text, int64_t *out) {
    const int64_t columns = m->sample->dialect.columns;
    int64_t number;
    *out = -1;
    for (int64_t j = 0; m->sample->names && j < columns; j++) {
        if (strcmp(m->sample->names[j], text) != 0) continue;
        if (*out >= 0)
            return gpis_fail(m->sample->context, GPIS_BAD_ARGUMENT,
                             "%s: columns %" PRId64 " and %" PRId64 " are both named '%s'; give the %s by number",
                             m->sample->path, *out + 1, j + 1, text, role);
        *out = j;
    }
    if (*out < 0 && gpis_parse_count(span_of(text), &number) && number >= 1 && number <= columns) *out = number - 1;
    return GPIS_OK;
}

/* Takes the columns with roles out of the table. Only the target must be a column: others may be files. */
static gpis_status take_roles(maker *m) {
    static const gpis_open_options none = {0};
    const gpis_open_options *options = m->options ? m->options : &none;
    const struct {
        const char *name, *text;
    } roles[GPIS_ROLES] = {[GPIS_ROLE_TARGET] = {"target", options->target},
                           [GPIS_ROLE_WEIGHTS] = {"weights", options->weights},
                           [GPIS_ROLE_OFFSET] = {"offset", options->offset}};
    gpis_table_plan *p = m->plan;
    for (int r = 0; r < GPIS_ROLES; r++) {
        int64_t j = -1;
        const gpis_status status = roles[r].text ? find_role(m, roles[r].name, roles[r].text, &j) : GPIS_OK;
        if (status != GPIS_OK) return status;
        if (j < 0 && r == GPIS_ROLE_TARGET && roles[r].text) return no_such_column(m, roles[r].name, roles[r].text);
        if (j < 0) continue;
        if (p->columns[j].use == GPIS_USE_LABEL)
            return gpis_fail(p->context, GPIS_BAD_ARGUMENT, "%s: column '%s' cannot be the %s and something else too",
                             p->path, roles[r].text, roles[r].name);
        p->columns[j] = (gpis_table_column){.use = GPIS_USE_LABEL, .slot = p->labels++};
        p->roles |= 1u << r;
    }
    if (p->labels < p->dialect.columns) return GPIS_OK;
    return gpis_fail(p->context, GPIS_BAD_SHAPE, "%s: has no column but the target%s", p->path,
                     p->labels > 1 ? ", weights and offset" : "");
}

/* ---- lists of columns -------------------------------------------------------------------------------------------- */

static const char *name_at(const void *names, int64_t j) { return ((char *const *)names)[j]; }

/* A gpis_column_text's complaint, with the file and the option. */
static gpis_status complain(const void *user, const char *at, const char *complaint) {
    const maker *m = user;
    (void)at;
    return gpis_fail(m->sample->context, GPIS_BAD_ARGUMENT, "%s: option %s: %s", m->sample->path, m->option, complaint);
}

static gpis_column_text text_of(maker *m, const char *option, const char *text) {
    m->option = option;
    return (gpis_column_text){.at = text, .end = text + strlen(text), .fail = complain, .user = m};
}

/* Marks in `listed` the columns that an option lists. */
static gpis_status read_exclude(maker *m, bool *excluded) {
    gpis_selection selection = {0};
    if (!m->options || !m->options->exclude) return GPIS_OK;
    gpis_column_text text = text_of(m, "exclude", m->options->exclude);
    gpis_status status = gpis_selection_begin(&m->lookup, &selection);
    if (status == GPIS_OK) status = gpis_select_list(&selection, &text, ",");
    for (int64_t i = 0; status == GPIS_OK && i < selection.count; i++) excluded[selection.columns[i]] = true;
    gpis_selection_clear(&selection);
    return status;
}

/* The columns of A: those that the option columns lists, or all, without roles and excluded ones. */
static gpis_status read_columns(maker *m) {
    const int64_t d = m->sample->dialect.columns;
    gpis_table_plan *p = m->plan;
    gpis_selection selection = {0};
    bool *excluded = gpis_alloc_zero(p->context, d, sizeof *excluded);
    const bool listed = m->options && m->options->columns;
    gpis_status status = excluded ? gpis_selection_begin(&m->lookup, &selection) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && listed) {
        gpis_column_text text = text_of(m, "columns", m->options->columns);
        status = gpis_select_list(&selection, &text, ",");
    }
    for (int64_t j = 0; status == GPIS_OK && !listed && j < d; j++) selection.columns[selection.count++] = j;
    if (status == GPIS_OK) status = read_exclude(m, excluded);
    for (int64_t i = 0; status == GPIS_OK && i < selection.count; i++) {
        const int64_t j = selection.columns[i];
        if (p->columns[j].use != GPIS_USE_LABEL && !excluded[j]) m->used[p->width++] = j;
    }
    if (status == GPIS_OK && p->width == 0)
        status = gpis_fail(p->context, GPIS_BAD_SHAPE, "%s: no column is left for A", p->path);
    gpis_selection_clear(&selection);
    gpis_free(p->context, excluded);
    return status;
}

/* ---- categorical columns ----------------------------------------------------------------------------------------- */

/* "a|b|c" behind a column, up to a comma or the end. */
static gpis_status read_levels(maker *m, gpis_column_text *text, gpis_category *category) {
    gpis_context *context = m->plan->context;
    char *word = gpis_alloc(context, text->end - text->at + 1, 1);
    gpis_status status = word ? GPIS_OK : GPIS_NO_MEMORY;
    category->fixed = true;
    for (bool more = true; status == GPIS_OK && more;) {
        gpis_column_word w;
        status = gpis_column_text_word(text, "|,", word, &w);
        if (status != GPIS_OK) break;
        for (char *c = word; c < w.word.end; c++) *c = (char)(*c == GPIS_STAR ? '*' : *c);
        if (gpis_levels_find(&category->levels, w.word) >= 0)
            status = complain(m, text->at, "a level is listed twice");
        else if (gpis_text_is_missing(w.word))
            status = complain(m, text->at, "a level is empty, or a word for a missing field");
        else
            status = gpis_levels_add(&category->levels, w.word);
        more = text->at < text->end && *text->at == '|';
        text->at += more;
    }
    gpis_free(context, word);
    return status;
}

/* The place of a column in the raw row; -1: it is not there. */
static int64_t slot_of(const maker *m, int64_t j) {
    for (int64_t i = 0; i < m->plan->width; i++)
        if (m->used[i] == j) return i;
    return -1;
}

static gpis_status add_category(maker *m, gpis_column_text *text, int64_t j) {
    gpis_table_plan *p = m->plan;
    const int64_t slot = slot_of(m, j);
    char complaint[128], made[GPIS_MADE_NAME];
    if (slot < 0) {
        snprintf(complaint, sizeof complaint, "column '%.40s' is not among the columns of A",
                 gpis_lookup_name(&m->lookup, j, made));
        return complain(m, text->at, complaint);
    }
    p->categories++;
    return gpis_encoding_add_category(p->encoding, slot);
}

/* "wd,station=a|b|c,type*": a pattern takes no levels. */
static gpis_status read_categorical(maker *m) {
    if (!m->options || !m->options->categorical) return GPIS_OK;
    gpis_column_text text = text_of(m, "categorical", m->options->categorical);
    gpis_selection selection = {0};
    gpis_status status = gpis_selection_begin(&m->lookup, &selection);
    for (bool more = true; status == GPIS_OK && more;) {
        const int64_t before = selection.count;
        status = gpis_select_item(&selection, &text, ",=");
        for (int64_t i = before; status == GPIS_OK && i < selection.count; i++)
            status = add_category(m, &text, selection.columns[i]);
        if (status == GPIS_OK && text.at < text.end && *text.at == '=') {
            text.at++;
            if (selection.count != before + 1) status = complain(m, text.at, "levels belong to one column");
            if (status == GPIS_OK)
                status =
                    read_levels(m, &text, m->plan->encoding->columns[slot_of(m, selection.columns[before])].category);
        }
        more = text.at < text.end && *text.at == ',';
        text.at += more;
    }
    gpis_selection_clear(&selection);
    return status;
}

/* ---- an encoding that is given ----------------------------------------------------------------------------------- */

static gpis_status column_has_role(const maker *m, const gpis_encoded *column) {
    char made[GPIS_MADE_NAME];
    if (!column->name) snprintf(made, sizeof made, "%" PRId64, column->number);
    return gpis_fail(m->plan->context, GPIS_BAD_SHAPE,
                     "%s: column '%s' is one of A in the table before: it cannot be the target, weights or offset too",
                     m->plan->path, column->name ? show(column->name).text : made);
}

static gpis_status column_is_missing(const maker *m, const gpis_encoded *column) {
    if (column->name)
        return gpis_fail(m->plan->context, GPIS_BAD_SHAPE, "%s: has no column '%s', which the table before has",
                         m->plan->path, show(column->name).text);
    return gpis_fail(m->plan->context, GPIS_BAD_SHAPE, "%s: has no column %" PRId64 ", which the table before has",
                     m->plan->path, column->number);
}

/* Finds the columns that the encoding names, in this table; where one of them has no names, by number. */
static gpis_status find_encoded(maker *m) {
    gpis_table_plan *p = m->plan;
    gpis_status status = gpis_encoding_copy(p->context, m->options->encoding, &p->encoding);
    if (status != GPIS_OK) return status;
    p->missing = p->encoding->missing;
    for (int64_t i = 0; i < p->encoding->count; i++) {
        const gpis_encoded *column = &p->encoding->columns[i];
        int64_t j = column->number - 1, count = 1;
        const bool named = column->name && m->sample->names;
        const bool in_place = j < p->dialect.columns && (!named || strcmp(m->sample->names[j], column->name) == 0);
        if (named && !in_place) status = gpis_lookup_find(&m->lookup, span_of(column->name), &j, &count);
        if (status != GPIS_OK) return status;
        if (count > 1)
            return gpis_fail(p->context, GPIS_BAD_SHAPE, "%s: %" PRId64 " columns are named '%s'", p->path, count,
                             show(column->name).text);
        if (count == 0 || j >= p->dialect.columns) return column_is_missing(m, column);
        if (p->columns[j].use != GPIS_USE_NOTHING) return column_has_role(m, column);
        m->used[p->width++] = j;
        p->categories += column->category != NULL;
        p->columns[j].use = GPIS_USE_NUMBER;
    }
    return GPIS_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Gives the encoding the names of its columns. */
static gpis_status name_columns(maker *m) {
    gpis_table_plan *p = m->plan;
    int64_t bytes = 0, used = 0;
    for (int64_t i = 0; i < p->width; i++) p->encoding->columns[i].number = m->used[i] + 1;
    if (!m->sample->names) return GPIS_OK;
    for (int64_t i = 0; i < p->width; i++) bytes += (int64_t)strlen(m->sample->names[m->used[i]]) + 1;
    char *words = gpis_alloc(p->context, bytes, 1);
    if (!words) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < p->width; i++) used += 1 + sprintf(words + used, "%s", m->sample->names[m->used[i]]);
    p->encoding->names = gpis_source_names(p->context, words, bytes, p->width);
    gpis_free(p->context, words);
    for (int64_t i = 0; p->encoding->names && i < p->width; i++) p->encoding->columns[i].name = p->encoding->names[i];
    return p->encoding->names ? GPIS_OK : GPIS_NO_MEMORY;
}

/* Enters for each column of the table where it goes. */
static gpis_status enter_columns(maker *m) {
    gpis_table_plan *p = m->plan;
    int64_t categories = 0;
    p->category_slots = gpis_alloc(p->context, p->categories, sizeof *p->category_slots);
    if (!p->category_slots) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < p->width; i++) {
        const bool level = p->encoding->columns[i].category != NULL;
        if (level) p->category_slots[categories] = i;
        p->columns[m->used[i]] =
            (gpis_table_column){level ? GPIS_USE_LEVEL : GPIS_USE_NUMBER, i, level ? categories++ : 0};
    }
    return GPIS_OK;
}

/* The columns of numbers that hold text in the first lines, all in one message. */
static gpis_status refuse_text(const maker *m) {
    const gpis_table_plan *p = m->plan;
    enum { MAX_NAMED = 6 };
    char list[320] = "";
    int64_t count = 0, dates = 0, ornate = 0;
    for (int64_t j = 0; j < p->dialect.columns; j++) {
        const gpis_sampled *s = &m->sample->columns[j];
        if (p->columns[j].use != GPIS_USE_NUMBER || !s->text.text[0] || s->number) continue;
        dates += s->kind == GPIS_TEXT_DATE;
        ornate += s->kind == GPIS_TEXT_ORNATE;
        if (count++ >= MAX_NAMED) continue;
        const size_t length = strlen(list);
        const gpis_excerpt name = show(m->sample->names ? m->sample->names[j] : "");
        snprintf(list + length, sizeof list - length, "%s%s%.20s%s%" PRId64 "%s ('%.20s')", length ? ", " : "",
                 m->sample->names ? "'" : "", name.text, m->sample->names ? "', column " : "column ", j + 1,
                 s->kind == GPIS_TEXT_DATE ? ", a date" : "", s->text.text);
    }
    if (count == 0) return GPIS_OK;
    const char *others = count > MAX_NAMED ? " and others" : "";
    if (p->encoding->applied)
        return gpis_fail(p->context, GPIS_BAD_DATA, "%s: text in %s%s, where the table before has numbers%s", p->path,
                         list, others, m->sample->names ? "" : "; without a header columns go by their numbers");
    return gpis_fail(p->context, GPIS_BAD_DATA, "%s: text in %s%s: %s%s%s", p->path, list, others,
                     dates + ornate < count
                         ? "name the columns in option categorical, or leave them out with option exclude"
                         : "leave them out with option exclude",
                     dates ? "; turn dates into numbers first, such as days or the month" : "",
                     ornate ? "; " GPIS_PLAIN_NUMBERS : "");
}

static gpis_status make(maker *m) {
    gpis_table_plan *p = m->plan;
    gpis_status status = take_roles(m);
    if (status != GPIS_OK) return status;
    if (m->options && m->options->encoding) {
        status = find_encoded(m);
    } else {
        status = read_columns(m);
        if (status == GPIS_OK && !(p->encoding = gpis_encoding_new(p->context, p->missing, p->width)))
            status = GPIS_NO_MEMORY;
        if (status == GPIS_OK) status = read_categorical(m);
        if (status == GPIS_OK) status = name_columns(m);
    }
    if (status == GPIS_OK) status = enter_columns(m);
    return status == GPIS_OK ? refuse_text(m) : status;
}

gpis_status gpis_table_plan_make(const gpis_sample *sample, const gpis_open_options *options, gpis_table_plan *p) {
    const int64_t d = sample->dialect.columns;
    gpis_context *context = sample->context;
    *p = (gpis_table_plan){.context = context,
                           .path = sample->path,
                           .dialect = sample->dialect,
                           .missing = options ? options->missing : GPIS_MISSING_ERROR,
                           .columns = gpis_alloc_zero(context, d, sizeof *p->columns)};
    maker m = {.sample = sample,
               .options = options,
               .plan = p,
               .lookup = {.context = context, .columns = {d, sample->names ? name_at : NULL, sample->names}},
               .used = gpis_alloc(context, gpis_max64(d, options && options->encoding ? options->encoding->count : 0),
                                  sizeof *m.used)};
    const gpis_status status = p->columns && m.used ? make(&m) : GPIS_NO_MEMORY;
    gpis_lookup_clear(&m.lookup);
    gpis_free(context, m.used);
    return status;
}

void gpis_table_plan_clear(gpis_table_plan *p) {
    gpis_encoding_destroy(p->encoding);
    gpis_free(p->context, p->columns);
    gpis_free(p->context, p->category_slots);
    *p = (gpis_table_plan){.context = p->context};
}
