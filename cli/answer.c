/*
 * The answer with its names: coefficients, and the constraints that hold them with their shadow prices; as JSON and as
 * a table for spreadsheets. Names are data: in CSV they are quoted, in JSON escaped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int64_t entries(const cli_problem *p) { return p->shape.cols * p->k; }

/* Coefficients with the intercept, if there is one, which comes first and has no constraint. */
typedef struct coefficient {
    const char *name;
    double value;
    const gpis_active *held;     /* NULL: nothing holds it */
    const gpis_range_ends *ends; /* how far it can go; NULL: not asked for */
} coefficient;

static int64_t lines(const cli_problem *p, const gpis_result *r) { return entries(p) + (r->intercept ? p->k : 0); }

/* Line i of the answer, of response i % k. */
static coefficient line_at(const cli_problem *p, const gpis_result *r, const gpis_active **held, int64_t i,
                           char made[32]) {
    const gpis_ranges *ranges = p->ranges;
    if (r->intercept && i < p->k)
        return (coefficient){"(intercept)", r->intercept[i], NULL, ranges ? &ranges->intercept[i] : NULL};
    const int64_t e = r->intercept ? i - p->k : i;
    return (coefficient){cli_column_name(p->A, e / p->k, made), r->x[e], held ? held[e] : NULL,
                         ranges ? &ranges->ends[e] : NULL};
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

json_t *cli_coefficients_json(const cli_problem *p, const gpis_result *r) {
    const gpis_active **held = cli_held_entries(r);
    json_t *list = held ? json_array() : NULL;
    for (int64_t i = 0; list && i < lines(p, r); i++) {
        char made[32];
        const coefficient c = line_at(p, r, held, i, made);
        json_t *one = json_object();
        json_object_set_new(one, "name", cli_json_text(c.name));
        if (p->k > 1) json_object_set_new(one, "response", json_integer(i % p->k + 1));
        json_object_set_new(one, "value", cli_json_number(c.value));
        json_object_set_new(one, "active", c.held ? cli_json_text(c.held->text) : json_null());
        json_object_set_new(one, "multiplier", cli_json_number(c.held ? c.held->multiplier : 0));
        if (c.ends) {
            json_object_set_new(one, "lower", cli_json_number(c.ends->lower));
            json_object_set_new(one, "upper", cli_json_number(c.ends->upper));
            json_object_set_new(one, "inner_lower", cli_json_number(c.ends->inner_lower));
            json_object_set_new(one, "inner_upper", cli_json_number(c.ends->inner_upper));
        }
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    free(held);
    return list;
}

json_t *cli_active_json(const cli_problem *p, const gpis_result *r) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < r->active_count; i++) {
        const gpis_active *a = r->active[i];
        char made[32];
        json_t *one = json_object();
        json_object_set_new(one, "constraint", cli_json_text(a->text));
        json_object_set_new(one, "column",
                            a->column < 0 ? json_null() : cli_json_text(cli_column_name(p->A, a->column, made)));
        if (p->k > 1) json_object_set_new(one, "response", json_integer(a->response + 1));
        json_object_set_new(one, "multiplier", cli_json_number(a->multiplier));
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

void cli_write_field(FILE *stream, const char *text) {
    const bool plain = strcspn(text, ",;\"\t\r\n") == strlen(text) && text[0] != ' ' && text[0] != '\0' &&
                       text[strlen(text) - 1] != ' ';
    if (plain || !*text) {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (; *text; text++) {
        if (*text == '"') putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

cli_number_text cli_shortest_number(double value) {
    cli_number_text number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value) break;
    }
    return number;
}

void cli_write_number(FILE *stream, double value) { fputs(cli_shortest_number(value).text, stream); }

static void write_line(FILE *stream, const cli_problem *p, const char *name, int64_t response, const double *value,
                       const gpis_active *active, const gpis_range_ends *ends) {
    cli_write_field(stream, name);
    if (p->k > 1) fprintf(stream, ",%lld", (long long)response + 1);
    putc(',', stream);
    if (value) cli_write_number(stream, *value);
    putc(',', stream);
    cli_write_field(stream, active ? active->text : "");
    putc(',', stream);
    cli_write_number(stream, active ? active->multiplier : 0);
    const double numbers[] = {ends ? ends->lower : 0, ends ? ends->upper : 0, ends ? ends->inner_lower : 0,
                              ends ? ends->inner_upper : 0};
    for (int i = 0; p->ranges && i < 4; i++) {
        putc(',', stream);
        if (ends) cli_write_number(stream, numbers[i]);
    }
    putc('\n', stream);
}

void cli_write_csv(FILE *stream, const cli_problem *p, const gpis_result *r) {
    const gpis_active **held = cli_held_entries(r);
    fprintf(stream, "name,%scoefficient,active,multiplier%s\n", p->k > 1 ? "response," : "",
            p->ranges ? ",lower,upper,inner_lower,inner_upper" : "");
    for (int64_t i = 0; i < lines(p, r); i++) {
        char made[32];
        const coefficient c = line_at(p, r, held, i, made);
        write_line(stream, p, c.name, i % p->k, &c.value, c.held, c.ends);
    }
    for (int64_t i = 0; i < r->active_count; i++) /* those of several coefficients have lines of their own */
        if (r->active[i]->column < 0) write_line(stream, p, "", r->active[i]->response, NULL, r->active[i], NULL);
    free(held);
}
