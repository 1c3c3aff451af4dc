/*
 * The kinds of passes whose roundings are counted, and the roundings that are found in one pass over the rows of
 * worst_rows.h.
 */
#ifndef GPIS_TESTS_WORST_PASS_H
#define GPIS_TESTS_WORST_PASS_H

#include "worst_rows.h"

typedef enum gram_columns { NO_GRAM, ALL_COLUMNS, SOME_COLUMNS } gram_columns;

typedef struct kind_of_pass {
    const char *name;
    int64_t k, probes;
    bool extended;
    gram_columns gram;
    bool quick;   /* with the summary in two doubles */
    int64_t many; /* points beside X, measured in the same pass */
} kind_of_pass;

static const kind_of_pass passes[] = {
    {"one response", 1, 0, false, NO_GRAM, false, 0},
    {"8 responses", 8, 0, false, NO_GRAM, false, 0},
    {"60 responses", 60, 0, false, NO_GRAM, false, 0},
    {"4 probes", 1, 4, false, NO_GRAM, false, 0},
    {"8 probes", 1, 8, false, NO_GRAM, false, 0},
    {"20 probes", 1, 20, false, NO_GRAM, false, 0},
    {"Gram matrix", 1, 0, false, ALL_COLUMNS, false, 0},
    {"Gram matrix of some columns", 1, 0, false, SOME_COLUMNS, false, 0},
    {"Gram matrix, 12 responses", 12, 0, false, ALL_COLUMNS, false, 0},
    {"extended precision", 1, 0, true, NO_GRAM, false, 0},
    {"extended precision, probes", 1, 4, true, NO_GRAM, false, 0},
    {"extended precision, 60 responses", 60, 0, true, NO_GRAM, false, 0},
    {"extended precision, Gram matrix", 1, 0, true, ALL_COLUMNS, false, 0},
    {"quick summary", 1, 0, false, NO_GRAM, true, 0},
    {"quick summary, 12 responses", 12, 0, false, NO_GRAM, true, 0},
    {"3 points", 1, 0, false, NO_GRAM, false, 3},
    {"40 points", 1, 0, false, NO_GRAM, false, 40},
};
enum { PASSES = sizeof passes / sizeof passes[0] };

/* Sums by BLAS, whose order is not ours to know, are counted as if all rows were added one after the other. */
static inline bool by_blas(const kind_of_pass *how, int64_t d) {
    const bool gram = how->gram == ALL_COLUMNS && !gpis_gram_by_blocks(d);
    return how->k > 8 || how->probes > 8 || how->many > 0 || gram;
}

/* The roundings of the sums of a pass: counted, or found. */
enum { OBJECTIVE, GRADIENT, PRODUCTS, GRAM, SUMMARY, MANY_OBJECTIVES, MANY_GRADIENTS, SUMS };
static const char *const sum_names[] = {"objective",
                                        "gradient",
                                        "products A'A V",
                                        "Gram matrix",
                                        "summary",
                                        "objective of a further point",
                                        "gradient of a further point"};
typedef struct paths {
    double of[SUMS];
} paths;

static inline void take_larger(paths *longest, const paths *other) {
    for (int s = 0; s < SUMS; s++) longest->of[s] = fmax(longest->of[s], other->of[s]);
}

/* A pass of that kind with memory of its own. X is zero, and so is V but for a one in column 0 of the first probe. */
typedef struct made_pass {
    gpis_pass pass;
    double *X, *G, *V, *AAV, *gram, *summary, *XS, *GS, *squares, objective;
    double *memory; /* owned */
} made_pass;

static inline void made_pass_start(made_pass *m, const kind_of_pass *how, int64_t d, const double *Y) {
    static const int64_t columns[] = {0, 1};
    const int64_t vectors = d * how->k, products = d * how->probes;
    const int64_t gram_size = how->gram == ALL_COLUMNS ? d * d : 4, columns_of_both = how->quick ? d + how->k : 0;
    const int64_t summary_size = 2 * columns_of_both * columns_of_both, points = d * how->many;
    m->memory = calloc((size_t)(2 * vectors + 2 * products + gram_size + summary_size + 2 * points + 2 * how->many),
                       sizeof *m->memory);
    m->X = m->memory;
    m->G = m->X + vectors;
    m->V = m->G + vectors;
    m->AAV = m->V + products;
    m->gram = m->AAV + products;
    m->summary = m->gram + gram_size;
    m->XS = m->summary + summary_size;
    m->GS = m->XS + points;
    m->squares = m->GS + points;
    if (how->probes) m->V[0] = 1.0;
    m->pass = (gpis_pass){.k = how->k,
                          .Y = Y,
                          .X = m->X,
                          .extended = how->extended,
                          .objective = &m->objective,
                          .G = m->G,
                          .V = how->probes ? m->V : NULL,
                          .probes = how->probes,
                          .AAV = how->probes ? m->AAV : NULL,
                          .columns = how->gram == SOME_COLUMNS ? columns : NULL,
                          .count = how->gram == SOME_COLUMNS ? 2 : 0,
                          .gram = how->gram ? m->gram : NULL,
                          .quick = how->quick,
                          .summary = how->quick ? m->summary : NULL,
                          .XS = how->many ? m->XS : NULL,
                          .many = how->many,
                          .GS = how->many ? m->GS : NULL,
                          .squares = how->many ? m->squares : NULL};
}

static inline void made_pass_clear(made_pass *m) { free(m->memory); }

static inline gpis_load load_for(const kind_of_pass *how, int64_t d) {
    made_pass m;
    made_pass_start(&m, how, d, NULL);
    const gpis_load load = gpis_load_of(&m.pass, d);
    made_pass_clear(&m);
    return load;
}

/* One pass over the rows at X = 0, where the residual is -Y, with a probe along column 0. */
static inline paths run_pass(gpis_context *context, gpis_source *A, const worst_rows *w, const kind_of_pass *how,
                             paths *count) {
    made_pass m;
    made_pass_start(&m, how, w->d, w->Y);
    assert_ok(context, gpis_pass_run(context, A, &m.pass));
    const gpis_load load = gpis_load_of(&m.pass, w->d);
    const gpis_roundings roundings = gpis_pass_roundings(A, &load);
    *count = (paths){{roundings.objective, roundings.gradient, roundings.products, roundings.gram,
                      roundings.summary / (0.5 * DBL_EPSILON), roundings.objective, roundings.gradient}};
    const int64_t both = w->d + how->k;
    const paths found = {{
        [OBJECTIVE] = units_off(w->terms, m.objective, w->squares),
        [GRADIENT] = units_off(w->terms, m.G[0], w->chosen),
        [PRODUCTS] = how->probes ? units_off(w->terms, m.AAV[0], w->chosen) : 0.0,
        [GRAM] = how->gram ? units_off(w->terms, m.gram[0], w->chosen) : 0.0,
        [SUMMARY] = how->quick ? units_off_two(w->terms, m.summary[0], m.summary[both * both], w->chosen) : 0.0,
        [MANY_OBJECTIVES] = how->many ? units_off(w->terms, m.squares[how->many - 1], w->chosen) : 0.0,
        [MANY_GRADIENTS] = how->many ? units_off(w->terms, m.GS[how->many - 1], w->chosen) : 0.0,
    }};
    made_pass_clear(&m);
    return found;
}

/* The product of each term is exact on these data, and need not be on others: one more rounding. */
static inline void check_paths(const paths *found, const paths *count, bool sharp, const char *pass,
                               const char *where) {
    for (int s = 0; s < SUMS; s++) {
        if (found->of[s] == 0.0) continue;
        if (found->of[s] + 1.0 > count->of[s])
            fail_msg("%s, %s, %s: %.2f roundings and one of the product were found, and %.2f counted", where, pass,
                     sum_names[s], found->of[s], count->of[s]);
        if (sharp && count->of[s] > 2.0 * found->of[s] + 24.0)
            fail_msg("%s, %s, %s: only %.2f roundings were found, and %.2f counted", where, pass, sum_names[s],
                     found->of[s], count->of[s]);
    }
}

#endif
