/*
 * The answer with its names: coefficients, and the constraints that hold them with their shadow prices; as JSON, as a
 * table for spreadsheets and as lines of the summary. Names are data: in CSV they are quoted, in JSON escaped, and on a
 * terminal made printable.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_SHOWN = 10, WIDEST_CONSTRAINT = 56 }; /* constraints in the summary, and characters of each */

static int64_t entries(const cli_problem *p) { return p->shape.cols * p->k; }

/* The name of column j: that of the file, or x1, x2, ... in `made`. */
static const char *name_of(const cli_problem *p, int64_t j, char made[32]) {
    const char *name = gpis_source_column(p->A, j);
    if (name) return name;
    snprintf(made, 32, "x%lld", (long long)j + 1);
    return made;
}

/* For each entry of x the active constraint that bounds it, the dearest if there are two; NULL: none. The caller frees
 * the array, which is NULL when there is no memory. */
static const gpis_active **bounds_of_entries(const cli_problem *p, const gpis_result *r) {
    const gpis_active **held = calloc((size_t)entries(p), sizeof *held);
    for (int64_t i = 0; held && i < r->active_count; i++) {
        const gpis_active *a = r->active[i];
        if (a->column < 0) continue;
        const gpis_active **place = &held[a->column * p->k + a->response];
        if (!*place || fabs(a->multiplier) > fabs((*place)->multiplier)) *place = a;
    }
    return held;
}

double cli_l1_norm(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += fabs(x[i]);
    return sum;
}

/* Coefficients with the intercept, if there is one, which comes first and has no constraint. */
typedef struct coefficient {
    const char *name;
    double value;
    const gpis_active *held; /* NULL: nothing holds it */
} coefficient;

static int64_t lines(const cli_problem *p, const gpis_result *r) { return entries(p) + (r->intercept ? p->k : 0); }

/* Line i of the answer, of response i % k. */
static coefficient line_at(const cli_problem *p, const gpis_result *r, const gpis_active **held, int64_t i,
                           char made[32]) {
    if (r->intercept && i < p->k) return (coefficient){"(intercept)", r->intercept[i], NULL};
    const int64_t e = r->intercept ? i - p->k : i;
    return (coefficient){name_of(p, e / p->k, made), r->x[e], held ? held[e] : NULL};
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

json_t *cli_coefficients_json(const cli_problem *p, const gpis_result *r) {
    const gpis_active **held = bounds_of_entries(p, r);
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
        json_object_set_new(one, "column", a->column < 0 ? json_null() : cli_json_text(name_of(p, a->column, made)));
        if (p->k > 1) json_object_set_new(one, "response", json_integer(a->response + 1));
        json_object_set_new(one, "multiplier", cli_json_number(a->multiplier));
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* ---- CSV ----------------------------------------------------------------------------------------------------------
 */

/* A field, in quotes where it holds what could end it. */
static void write_field(FILE *stream, const char *text) {
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

/* The shortest of the usual precisions that reads back as the same number. */
static void write_number(FILE *stream, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, stream);
}

static void write_line(FILE *stream, const cli_problem *p, const char *name, int64_t response, const double *value,
                       const gpis_active *active) {
    write_field(stream, name);
    if (p->k > 1) fprintf(stream, ",%lld", (long long)response + 1);
    putc(',', stream);
    if (value) write_number(stream, *value);
    putc(',', stream);
    write_field(stream, active ? active->text : "");
    putc(',', stream);
    write_number(stream, active ? active->multiplier : 0);
    putc('\n', stream);
}

void cli_write_csv(FILE *stream, const cli_problem *p, const gpis_result *r) {
    const gpis_active **held = bounds_of_entries(p, r);
    fprintf(stream, "name,%scoefficient,active,multiplier\n", p->k > 1 ? "response," : "");
    for (int64_t i = 0; i < lines(p, r); i++) {
        char made[32];
        const coefficient c = line_at(p, r, held, i, made);
        write_line(stream, p, c.name, i % p->k, &c.value, c.held);
    }
    for (int64_t i = 0; i < r->active_count; i++) /* those of several coefficients have lines of their own */
        if (r->active[i]->column < 0) write_line(stream, p, "", r->active[i]->response, NULL, r->active[i]);
    free(held);
}

/* ---- the summary --------------------------------------------------------------------------------------------------
 */

/* Dearest first; ties as they come. */
static int by_price(const void *a, const void *b) {
    const gpis_active *p = *(const gpis_active *const *)a, *q = *(const gpis_active *const *)b;
    const double size_p = fabs(p->multiplier), size_q = fabs(q->multiplier);
    if (size_p != size_q) return size_p < size_q ? 1 : -1;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return p->response < q->response ? -1 : p->response > q->response;
}

/* Characters of UTF-8. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* The text of a constraint as the summary shows it: printable, and cut where it is long. */
static cli_text shown(const cli_problem *p, const gpis_active *a) {
    cli_text text = cli_printable(a->text);
    char *at = text.text;
    for (int width = 0; *at; at++) {
        if (((unsigned char)*at & 0xC0) == 0x80) continue;
        if (++width > WIDEST_CONSTRAINT) {
            snprintf(at, 8, "...");
            break;
        }
    }
    const size_t used = strlen(text.text);
    if (p->k > 1) snprintf(text.text + used, sizeof text.text - used, " [response %lld]", (long long)a->response + 1);
    return text;
}

void cli_print_active(const cli_problem *p, const gpis_result *r) {
    if (r->active_count == 0) return;
    const gpis_active **order = calloc((size_t)r->active_count, sizeof *order);
    if (!order) return; /* a summary without this part is still true */
    memcpy(order, r->active, (size_t)r->active_count * sizeof *order);
    qsort(order, (size_t)r->active_count, sizeof *order, by_price);
    const int64_t count = r->active_count < MOST_SHOWN ? r->active_count : MOST_SHOWN;
    int width = 0;
    for (int64_t i = 0; i < count; i++) {
        const int one = width_of(shown(p, order[i]).text);
        if (one > width) width = one;
    }
    puts("active constraints, and how much the objective falls for a unit more of room (=: of the right side)");
    for (int64_t i = 0; i < count; i++) {
        const cli_text text = shown(p, order[i]);
        printf("  %s%*s  % .4g\n", text.text, width - width_of(text.text), "", order[i]->multiplier);
    }
    if (r->active_count > count) printf("  and %lld more\n", (long long)(r->active_count - count));
    free(order);
}
