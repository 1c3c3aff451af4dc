/*
 * A and Y of a problem. Columns are drawn clean first; then each flavour does its harm, one after the other. Scaling is
 * by powers of two, so that columns that depend on each other exactly still do so afterwards.
 */
#include "generate.h"
#include "quad.h"

#include <math.h>
#include <stdlib.h>

static double *at(problem *p, int64_t i, int64_t j) { return p->A + i * p->d + j; }
static double nearest_power(double value) { return exp2(round(log2(value))); }

static void clean(problem *p, draw *r) {
    const int integers = has_flavour(p, FLAVOUR_TIES);
    const double mean = !integers && draw_chance(r, 0.3) ? draw_power(r, -1, 3) : 0;
    const double zeros = draw_chance(r, 0.2) ? 0.6 : 0;
    for (int64_t i = 0; i < p->n * p->d; i++) {
        const double v = integers ? (double)draw_integer(r, -2, 2) : mean + draw_normal(r);
        p->A[i] = draw_chance(r, zeros) ? 0 : v;
    }
}

/* A becomes A diag(s) (I - 2 v v'): condition up to 1e12, spread over all columns. */
static void condition(problem *p, draw *r) {
    const int64_t d = p->d;
    double *v = ALLOCATE(double, d), *s = ALLOCATE(double, d), norm2 = 0;
    const double exponent = -(2 + 10 * draw_uniform(r));
    for (int64_t j = 0; j < d; j++) {
        v[j] = draw_normal(r);
        norm2 += v[j] * v[j];
        s[j] = d > 1 ? pow(10, exponent * (double)j / (double)(d - 1)) : 1;
    }
    for (int64_t i = 0; i < p->n; i++) {
        double dot = 0;
        for (int64_t j = 0; j < d; j++) dot += (*at(p, i, j) *= s[j]) * v[j];
        for (int64_t j = 0; j < d; j++) *at(p, i, j) -= 2 * dot / norm2 * v[j];
    }
    free(v);
    free(s);
}

/* Column j becomes a copy of another one, or a small multiple that is exact. */
static void duplicate(problem *p, draw *r) {
    for (int64_t copies = draw_integer(r, 1, 2); copies > 0; copies--) {
        static const double factors[] = {1, 1, -1, 2, -0.5};
        const int64_t from = draw_integer(r, 0, p->d - 1), to = draw_integer(r, 0, p->d - 1);
        const double factor = factors[draw_integer(r, 0, 4)];
        for (int64_t i = 0; from != to && i < p->n; i++) *at(p, i, to) = factor * *at(p, i, from);
    }
}

/* A constant column, and one column of zeros and ones for each level of a factor. */
static void dummies(problem *p, draw *r) {
    const int64_t levels = draw_integer(r, 1, p->d - 1 < 6 ? p->d - 1 : 6);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t level = draw_integer(r, 1, levels);
        *at(p, i, 0) = 1;
        for (int64_t j = 1; j <= levels; j++) *at(p, i, j) = j == level;
    }
}

/* The same decimal quantity in two units: the columns depend on each other but for the rounding of decimals. */
static void units(problem *p, draw *r) {
    const int64_t to = draw_integer(r, 0, p->d - 1), from = (to + draw_integer(r, 1, p->d - 1)) % p->d;
    static const double factors[] = {1e-3, 0.01, 0.3048, 1.609344, 1.8};
    const double factor = factors[draw_integer(r, 0, 4)];
    for (int64_t i = 0; i < p->n; i++) {
        *at(p, i, from) = round(1000 * *at(p, i, from)) / 1000;
        *at(p, i, to) = *at(p, i, from) * factor;
    }
}

static void nearly_dependent(problem *p, draw *r) {
    const int64_t to = draw_integer(r, 0, p->d - 1);
    const double distance = draw_power(r, -17, -12);
    double *weights = ALLOCATE(double, p->d);
    for (int64_t j = 0; j < p->d; j++) weights[j] = draw_chance(r, 0.5) ? draw_normal(r) : 0;
    weights[(to + 1) % p->d] = 1;
    for (int64_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < p->d; j++)
            if (j != to) sum += weights[j] * *at(p, i, j);
        *at(p, i, to) = sum * (1 + distance * draw_normal(r));
    }
    free(weights);
}

static void zero_column(problem *p, draw *r) {
    const int64_t j = draw_integer(r, 0, p->d - 1);
    for (int64_t i = 0; i < p->n; i++) *at(p, i, j) = 0;
}

static void scale_columns(problem *p, draw *r) {
    for (int64_t j = 0; j < p->d; j++) {
        const double scale = nearest_power(draw_power(r, -8, 8));
        for (int64_t i = 0; i < p->n; i++) *at(p, i, j) *= scale;
    }
}

static void heavy_rows(problem *p, draw *r) {
    for (int64_t count = draw_integer(r, 1, 3); count > 0; count--) {
        const int64_t i = draw_integer(r, 0, p->n - 1);
        for (int64_t j = 0; j < p->d; j++) *at(p, i, j) *= 0x1p20;
    }
}

/* Which of the flavours of data the problem gets. */
static void choose(problem *p, draw *r) {
    static const struct {
        int flavour, columns; /* columns that it needs */
        double probability;
    } table[] = {{FLAVOUR_TIES, 1, 0.15},        {FLAVOUR_CONDITION, 2, 0.15},  {FLAVOUR_DUPLICATE, 2, 0.15},
                 {FLAVOUR_DUMMIES, 2, 0.1},      {FLAVOUR_UNITS, 2, 0.08},      {FLAVOUR_NEAR_DEPENDENT, 2, 0.12},
                 {FLAVOUR_ZERO_COLUMN, 1, 0.08}, {FLAVOUR_SCALED, 2, 0.12},     {FLAVOUR_HEAVY_ROWS, 1, 0.1},
                 {FLAVOUR_EXACT, 1, 0.08},       {FLAVOUR_NEAR_EXACT, 1, 0.08}, {FLAVOUR_EXTREME, 1, 0.06},
                 {FLAVOUR_UNDERFLOW, 1, 0.03}};
    if (draw_chance(r, 0.15)) return;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (draw_chance(r, table[i].probability) && p->d >= table[i].columns) add_flavour(p, table[i].flavour);
    if (has_flavour(p, FLAVOUR_EXACT)) { /* all of A x must be exact in double precision */
        p->flavours &=
            ~(UINT32_C(1) << FLAVOUR_CONDITION | UINT32_C(1) << FLAVOUR_UNITS | UINT32_C(1) << FLAVOUR_NEAR_DEPENDENT |
              UINT32_C(1) << FLAVOUR_SCALED | UINT32_C(1) << FLAVOUR_NEAR_EXACT | UINT32_C(1) << FLAVOUR_HEAVY_ROWS);
        add_flavour(p, FLAVOUR_TIES);
    }
    if (has_flavour(p, FLAVOUR_UNDERFLOW)) p->flavours &= ~(UINT32_C(1) << FLAVOUR_EXTREME);
}

static void response(problem *p, draw *r, double *x) {
    const double noise = has_flavour(p, FLAVOUR_EXACT)        ? 0
                         : has_flavour(p, FLAVOUR_NEAR_EXACT) ? draw_power(r, -16, -8)
                                                              : draw_power(r, -3, 1);
    const int integers = has_flavour(p, FLAVOUR_EXACT);
    for (int64_t j = 0; j < p->d; j++) {
        double largest = 0;
        for (int64_t i = 0; i < p->n; i++) largest = fmax(largest, fabs(*at(p, i, j)));
        const double unit = integers || largest == 0 ? 1 : 1 / nearest_power(largest);
        for (int64_t c = 0; c < p->k; c++)
            x[j * p->k + c] = draw_chance(r, 0.3) ? 0
                              : integers          ? (double)draw_integer(r, -3, 3)
                                                  : unit * draw_normal(r);
    }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->k; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < p->d; j++) {
                sum += *at(p, i, j) * x[j * p->k + c];
                size += fabs(*at(p, i, j) * x[j * p->k + c]);
            }
            p->Y[i * p->k + c] = sum + noise * draw_normal(r) * (has_flavour(p, FLAVOUR_HEAVY_ROWS) ? 1 + size : 1);
        }
}

/* A and Y times powers of two; mostly the same one, so that x stays as it is. */
static void scale_all(problem *p, draw *r, double *x) {
    const int tiny = has_flavour(p, FLAVOUR_UNDERFLOW);
    const double scale_A = nearest_power(tiny ? draw_power(r, -170, -150) : draw_power(r, -100, 100));
    const double other = nearest_power(tiny ? draw_power(r, -170, -150) : draw_power(r, -100, 100));
    const double scale_Y = draw_chance(r, 0.7) ? scale_A : other;
    for (int64_t i = 0; i < p->n * p->d; i++) p->A[i] *= scale_A;
    for (int64_t i = 0; i < p->n * p->k; i++) p->Y[i] *= scale_Y;
    for (int64_t i = 0; i < p->d * p->k; i++) x[i] *= scale_Y / scale_A;
}

static void generate_flavours(problem *p, draw *r) {
    choose(p, r);
    clean(p, r);
    static const struct {
        int flavour;
        void (*apply)(problem *, draw *);
    } steps[] = {{FLAVOUR_CONDITION, condition},
                 {FLAVOUR_DUMMIES, dummies},
                 {FLAVOUR_DUPLICATE, duplicate},
                 {FLAVOUR_UNITS, units},
                 {FLAVOUR_NEAR_DEPENDENT, nearly_dependent},
                 {FLAVOUR_ZERO_COLUMN, zero_column},
                 {FLAVOUR_SCALED, scale_columns},
                 {FLAVOUR_HEAVY_ROWS, heavy_rows}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (has_flavour(p, steps[i].flavour)) steps[i].apply(p, r);
}

void generate_data(problem *p, draw *r, double *x) {
    if (has_flavour(p, FLAVOUR_TABLE) || has_flavour(p, FLAVOUR_RETURNS))
        generate_table(p, r);
    else
        generate_flavours(p, r);
    if (p->storage == STORAGE_FLOAT32)
        for (int64_t i = 0; i < p->n * p->d; i++) p->A[i] = (double)(float)p->A[i];
    response(p, r, x);
    const int extreme = has_flavour(p, FLAVOUR_EXTREME) || has_flavour(p, FLAVOUR_UNDERFLOW);
    if (extreme) scale_all(p, r, x);
    if (extreme && p->storage == STORAGE_FLOAT32) p->storage = STORAGE_ROWS;
    if (p->n < p->d) add_flavour(p, FLAVOUR_WIDE);
}
