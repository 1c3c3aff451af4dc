/* problem_draw and the texts of a problem: see problem.h. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "quad.h"

static const char *const kind_names[] = {
#define KIND_TEXT(name, text) text,
    KIND_LIST(KIND_TEXT)
#undef KIND_TEXT
};
static const char *const flavour_names[] = {
#define FLAVOUR_TEXT(name, text) text,
    FLAVOUR_LIST(FLAVOUR_TEXT)
#undef FLAVOUR_TEXT
};
static const char *const storage_names[] = {"rows", "columns", "float32", "csr", "callback", "parts", "ranks"};

const char *flavour_name(int flavour) { return flavour_names[flavour]; }
const char *storage_name(storage how) { return storage_names[how]; }

/* Small problems mostly, since quadruple precision takes about 40 ns an operation. */
static void draw_shape(problem *p, set_kind kind, draw *r) {
    const double size = draw_uniform(r);
    p->d = size < 0.75 ? draw_log_integer(r, 1, 12) : size < 0.95 ? draw_integer(r, 8, 24) : draw_integer(r, 25, 60);
    p->n = draw_chance(r, 0.8) ? draw_log_integer(r, 3, 300) : draw_log_integer(r, 300, p->d > 24 ? 1500 : 4000);
    if (p->d > 1 && draw_chance(r, 0.08)) p->n = draw_integer(r, (p->d + 2) / 3, p->d - 1);
    if (draw_chance(r, 0.015)) { /* long enough to be timed against LAPACK */
        p->n = draw_integer(r, 4000, 12000);
        p->d = draw_integer(r, 12, 36);
    }
    p->k = draw_chance(r, 0.8) ? 1 : draw_integer(r, 2, 3);
    if (kind == KIND_NUCLEAR) {
        p->k = draw_integer(r, 1, 3);
        if (p->d > 24) p->d = 24;
    }
}

static void draw_solving(problem *p, draw *r) {
    static const struct {
        const char *method;
        double share;
        int64_t max_passes;
    } methods[] = {{"auto", 0.78, 0},       {"newton", 0.88, 0}, {"apgd", 0.92, 300}, {"gpis", 0.95, 300},
                   {"acc-gpis", 0.98, 300}, {"pgd", 0.99, 300},  {"saga", 1, 50}};
    const double share = draw_uniform(r);
    size_t i = 0;
    while (share >= methods[i].share) i++;
    p->method = methods[i].method;
    p->max_passes = methods[i].max_passes;
    p->sketch = "auto";
    if (i == 1 && p->n > 6 * p->d &&
        draw_chance(r, 0.5)) { /* newton with sketches, which no plan takes when n is small */
        p->sketch = draw_chance(r, 0.5) ? "count" : "sample";
        p->m = draw_integer(r, 3, 5) * p->d;
    }
    p->tol = draw_chance(r, 0.6) ? 1e-8 : draw_power(r, -13, -6);
    p->proven = draw_chance(r, 0.15);
    p->again = i < 2 && draw_chance(r, 0.2);
    p->threads = draw_chance(r, 0.8) ? 1 : 2;
    p->storage = draw_chance(r, 0.5) ? STORAGE_ROWS : (storage)draw_integer(r, 0, STORAGES - 1);
    const int one_by_one = p->storage < STORAGE_CALLBACK;
    if (!strcmp(p->method, "saga") && !one_by_one) p->storage = STORAGE_ROWS; /* it reads rows in random order */
}

problem problem_draw(uint64_t seed, uint64_t number) {
    problem p = {.seed = seed, .number = number};
    draw shape = draw_begin(seed, number, 1), data = draw_begin(seed, number, 2), set = draw_begin(seed, number, 3),
         solving = draw_begin(seed, number, 4), table = draw_begin(seed, number, 5),
         penalty = draw_begin(seed, number, 6);
    const set_kind kind = (set_kind)draw_integer(&shape, 0, KINDS - 1);
    draw_shape(&p, kind, &shape);
    if (kind != KIND_NUCLEAR && draw_chance(&table, 0.03)) table_shape(&p, &table);
    draw_solving(&p, &solving);
    p.A = ALLOCATE(double, p.n *p.d);
    p.Y = ALLOCATE(double, p.n *p.k);
    double *x = ALLOCATE(double, p.d *p.k);
    generate_data(&p, &data, x);
    generate_set(&p, kind, &set, x);
    generate_penalty(&p, &penalty);
    if (!p.flavours) add_flavour(&p, FLAVOUR_PLAIN);
    free(x);
    return p;
}

static void constraint_clear(constraint *c) {
    for (int64_t b = 0; b < c->count; b++) {
        constraint_clear(c->parts + b);
        free(c->columns[b]);
    }
    free(c->parts);
    free(c->columns);
    free(c->lower);
    free(c->upper);
    free(c->C);
    free(c->b);
    free(c->U);
    free(c->penalty);
}

void problem_clear(problem *p) {
    constraint_clear(&p->set);
    free(p->A);
    free(p->Y);
    *p = (problem){0};
}

void constraint_name(const constraint *c, char *text, size_t size) {
    static const char *const turns[] = {"", "@dct", "@U"};
    snprintf(text, size, "%s%s", kind_names[c->kind], turns[c->turn]);
}

static void append(char *text, size_t size, const char *more) {
    const size_t used = strlen(text);
    if (used + 1 < size) snprintf(text + used, size - used, "%s", more);
}

static void append_constraint(const constraint *c, char *text, size_t size) {
    char part[96], name[32];
    constraint_name(c, name, sizeof name);
    append(text, size, name);
    if (c->kind == KIND_AFFINE) {
        snprintf(part, sizeof part, "(%lld rows)", (long long)c->rows);
        append(text, size, part);
    } else if (c->kind != KIND_NONE && c->kind != KIND_NONNEG && c->kind != KIND_BOX && c->kind != KIND_MONOTONE &&
               c->kind != KIND_BLOCKS) {
        snprintf(part, sizeof part, ":%.6g", c->R);
        append(text, size, part);
    }
    if (c->kind == KIND_GROUP) {
        snprintf(part, sizeof part, ":%lld", (long long)c->size);
        append(text, size, part);
    }
    for (int64_t b = 0; b < c->count; b++) {
        append(text, size, b ? " & " : " ");
        append_constraint(c->parts + b, text, size);
    }
}

void problem_describe(const problem *p, char *text, size_t size) {
    char part[128];
    snprintf(text, size, "%lld x %lld", (long long)p->n, (long long)p->d);
    if (p->k > 1) {
        snprintf(part, sizeof part, ", k %lld", (long long)p->k);
        append(text, size, part);
    }
    append(text, size, ", ");
    append_constraint(&p->set, text, size);
    if (p->set.penalty) append(text, size, ", l1 penalty");
    append(text, size, " [");
    for (int f = 0, first = 1; f < FLAVOURS; f++)
        if (has_flavour(p, f)) {
            append(text, size, first ? "" : ", ");
            append(text, size, flavour_names[f]);
            first = 0;
        }
    snprintf(part, sizeof part, "] %s, %s, tol %.1e", p->method, storage_names[p->storage], p->tol);
    append(text, size, part);
    if (p->m) {
        snprintf(part, sizeof part, ", sketch %s %lld", p->sketch, (long long)p->m);
        append(text, size, part);
    }
    if (p->proven) append(text, size, ", proven");
    if (p->threads > 1) append(text, size, ", 2 threads");
}
