/*
 * Tables as they are met in practice. Columns depend on each other by construction, and their sizes differ by many
 * orders.
 *
 *     table     people in a census or a hospital: a constant; several factors, each with a 0/1 column for every level;
 *               counts; amounts of money with heavy tails; a quantity in two units; a column of zeros
 *     returns   of assets, about as many days as assets or fewer: a few common factors and small noise
 */
#include <math.h>
#include <stdlib.h>

#include "generate.h"
#include "quad.h"

static double *at(problem *p, int64_t i, int64_t j) { return p->A + i * p->d + j; }

void table_shape(problem *p, draw *r) {
    const int large = draw_chance(r, 0.15); /* too large for the reference, which is then left out */
    if (draw_chance(r, 0.6)) {
        add_flavour(p, FLAVOUR_TABLE);
        p->d = large ? draw_integer(r, 60, 150) : draw_integer(r, 20, 40);
        p->n = large ? draw_integer(r, 4000, 20000) : draw_integer(r, 2000, 4000);
    } else {
        add_flavour(p, FLAVOUR_RETURNS);
        p->d = large ? draw_integer(r, 150, 300) : draw_integer(r, 16, 48);
        p->n = draw_integer(r, p->d / 2, 2 * p->d);
    }
    p->k = 1;
}

/* The columns first ... first + levels - 1: which of the levels each row has. Some levels are rare. */
static void factor(problem *p, draw *r, int64_t first, int64_t levels) {
    for (int64_t i = 0; i < p->n; i++) {
        const double u = draw_uniform(r);
        const int64_t level = (int64_t)(u * u * (double)levels);
        for (int64_t j = 0; j < levels; j++) *at(p, i, first + j) = j == level;
    }
}

static void count_column(problem *p, draw *r, int64_t j) {
    const double mean = draw_power(r, -1, 1.5);
    for (int64_t i = 0; i < p->n; i++) *at(p, i, j) = floor(-mean * log(1 - draw_uniform(r)));
}

/* Cents; most entries small, a few a thousand times as large. */
static void money_column(problem *p, draw *r, int64_t j) {
    const double typical = draw_power(r, -1, 4);
    for (int64_t i = 0; i < p->n; i++) *at(p, i, j) = round(100 * typical * exp(1.5 * draw_normal(r))) / 100;
}

static void small_column(problem *p, draw *r, int64_t j) {
    for (int64_t i = 0; i < p->n; i++) *at(p, i, j) = round(1e6 * 1e-3 * draw_uniform(r)) / 1e6;
}

/* A temperature in Celsius and in Fahrenheit: with the constant, one of them is superfluous. */
static void temperature_columns(problem *p, draw *r, int64_t j) {
    for (int64_t i = 0; i < p->n; i++) {
        *at(p, i, j) = round(10 * (37 + draw_normal(r))) / 10;
        *at(p, i, j + 1) = 1.8 * *at(p, i, j) + 32;
    }
}

static void census(problem *p, draw *r) {
    int64_t used = 4; /* a constant, two temperatures, zeros */
    for (int64_t i = 0; i < p->n; i++) *at(p, i, 0) = 1;
    temperature_columns(p, r, 1);
    for (int64_t i = 0; i < p->n; i++) *at(p, i, 3) = 0;
    while (used < p->d) {
        const int64_t left = p->d - used;
        const double what = draw_uniform(r);
        if (what < 0.5 && left >= 2) {
            const int64_t levels = draw_integer(r, 2, left < 12 ? left : 12);
            factor(p, r, used, levels);
            used += levels;
        } else if (what < 0.7) {
            count_column(p, r, used++);
        } else if (what < 0.9) {
            money_column(p, r, used++);
        } else {
            small_column(p, r, used++);
        }
    }
}

static void returns(problem *p, draw *r) {
    enum { FACTORS = 4 };
    double *loadings = ALLOCATE(double, p->d *FACTORS), common[FACTORS];
    for (int64_t j = 0; j < p->d * FACTORS; j++) loadings[j] = j % FACTORS ? 0.4 * draw_normal(r) : 1;
    for (int64_t i = 0; i < p->n; i++) {
        for (int f = 0; f < FACTORS; f++) common[f] = 0.01 * draw_normal(r);
        for (int64_t j = 0; j < p->d; j++) {
            double sum = 0.0004 + 0.01 * draw_normal(r);
            for (int f = 0; f < FACTORS; f++) sum += loadings[j * FACTORS + f] * common[f];
            *at(p, i, j) = sum;
        }
    }
    free(loadings);
}

void generate_table(problem *p, draw *r) {
    if (has_flavour(p, FLAVOUR_TABLE))
        census(p, r);
    else
        returns(p, r);
}
