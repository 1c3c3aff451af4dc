/*
 * Data on which rounding errors can be counted from outside.
 *
 * One term of a sum is LARGE, a power of four, and the others are zero or SMALL, just below half a unit in the last
 * place of LARGE. When a single SMALL term is added to a partial sum that contains LARGE, it is lost, which is nearly
 * the most that one rounding can lose. Terms that meet before they meet LARGE are not lost, or not all of them. So for
 * whatever order of additions
 *
 *     (exact sum - computed sum) / (2^-53 * exact sum)
 *
 * is at most the number of additions that LARGE goes through, and it is that number for the right choice of the SMALL
 * terms: one in each of the partial sums that LARGE is added to. The tests try many choices and keep the largest
 * result, so that nothing here depends on the code that counts roundings.
 */
#ifndef GPIS_TESTS_WORST_ROWS_H
#define GPIS_TESTS_WORST_ROWS_H

#include <float.h>

#include "linalg/gram_two.h"
#include "pass/cut.h"
#include "sketch/matrices.h"

/* The numbers whose squares are LARGE and SMALL, for sums with that many bits of mantissa. Floats hold both. */
typedef struct worst_terms {
    double root_of_large, root_of_small;
} worst_terms;

static inline worst_terms worst_terms_of(int bits) {
    const int e = bits / 2 + 1;
    return (worst_terms){ldexp(1.0, e), (double)(float)(0.99999 * sqrt(ldexp(1.0, 2 * e - bits)))};
}

/* How far `sum` is from LARGE + count * SMALL, in units of 2^-53 of that. LARGE - sum is exact. */
static inline double units_off(worst_terms terms, double sum, int64_t count) {
    const double large = terms.root_of_large * terms.root_of_large;
    const double rest = (double)count * (terms.root_of_small * terms.root_of_small);
    return fabs((large - fabs(sum)) + rest) / (0.5 * DBL_EPSILON * (large + rest));
}

/* The same for a sum in two doubles; errors of the low part itself do not count. */
static inline double units_off_two(worst_terms terms, double high, double low, int64_t count) {
    const double large = terms.root_of_large * terms.root_of_large;
    const double rest = (double)count * (terms.root_of_small * terms.root_of_small);
    const double off = fabs(((large - high) - low) + rest) / (0.5 * DBL_EPSILON * (large + rest));
    return off < 0.01 ? 0.0 : off;
}

/* LARGE is the term of the first row of a strip, the first one unless `strip` says otherwise. Of the first `block` rows
 * of that strip those are SMALL whose number modulo 8 is in `mask`, and of each further block its first row. In blocks
 * of one row, `mask` decides for all rows. A row that is chosen has a SMALL term in the first response, or in every
 * response. */
typedef struct choice {
    int mask;
    int64_t block;
    bool every_response;
    int64_t strip;
} choice;

enum { MAX_CHOICES = 40 };

/* The choices that are worth trying for a cut: blocks are those that a kernel may sum by themselves, and masks select
 * the rows of one lane, of 2, 4 or 8, or of the even rows and one sum of odd rows. */
static inline int list_choices(const gpis_cut *cut, const gpis_load *load, choice *list) {
    static const int masks[] = {0xff, 0x57, 0x55, 0x11, 0x01};
    const int64_t block = gpis_min64(cut->part_rows, gpis_gram_block_rows(gpis_max64(1, load->gram)));
    const int64_t blocks[] = {1, GPIS_GRAM_TWO_SHORT, block, cut->part_rows, cut->chunk_rows};
    int count = 0;
    for (int b = 0; b < 5; b++)
        for (int m = 0; m < 5 && (b == 0 || blocks[b] != blocks[b - 1]) && (b != 1 || load->quick); m++)
            list[count++] = (choice){masks[m], blocks[b], false, 0};
    if (load->k > 1) list[count++] = (choice){0xff, cut->chunk_rows, true, 0};
    if (cut->strips > 1) list[count++] = (choice){0xff, 1, false, 1};
    return count;
}

/* Of every other strip, only its first row is SMALL. */
static inline bool is_chosen(const gpis_cut *cut, choice how, int64_t i) {
    const int64_t run_rows = cut->run * cut->chunk_rows, run = i / run_rows;
    if (run % cut->strips != how.strip) return run < cut->strips && i % run_rows == 0;
    if (how.block == 1 || i - how.strip * run_rows < how.block) return how.mask >> (i % 8) & 1;
    return i % how.block == 0;
}

/* Rows of A and Y: Y[i] = A[i][0] is the root of a term, and A[i][1] is 1, so that no row is empty. A and Y can be
 * written for another choice as often as wanted. */
typedef struct worst_rows {
    int64_t n, d, k;
    int64_t heavy; /* the row of LARGE */
    worst_terms terms;
    double *A, *Y;
    int64_t chosen, squares; /* SMALL terms: of the first response, and of all responses */
} worst_rows;

static inline worst_rows worst_rows_new(int64_t n, int64_t d, int64_t k, worst_terms terms) {
    return (worst_rows){.n = n,
                        .d = d,
                        .k = k,
                        .terms = terms,
                        .A = calloc((size_t)(n * d), sizeof(double)),
                        .Y = calloc((size_t)(n * k), sizeof(double))};
}

static inline void worst_rows_clear(worst_rows *w) { free(w->A), free(w->Y); }

/* Row i gets the root of LARGE, of SMALL, or zero. To be called for row 0 first. */
static inline void worst_rows_set(worst_rows *w, int64_t i, bool chosen, bool every_response) {
    const double value = i == w->heavy ? w->terms.root_of_large : chosen ? w->terms.root_of_small : 0.0;
    const bool others = i == w->heavy || (chosen && every_response);
    if (i == 0) w->chosen = w->squares = 0;
    w->A[i * w->d] = value;
    w->A[i * w->d + 1] = 1.0;
    w->Y[i * w->k] = value;
    for (int64_t c = 1; c < w->k; c++) w->Y[i * w->k + c] = others ? w->terms.root_of_small : 0.0;
    w->chosen += i != w->heavy && chosen;
    w->squares += (i != w->heavy && chosen) + (others ? w->k - 1 : 0);
}

static inline void worst_rows_fill(worst_rows *w, const gpis_cut *cut, choice how) {
    w->heavy = how.strip * cut->run * cut->chunk_rows;
    for (int64_t i = 0; i < w->n; i++) worst_rows_set(w, i, is_chosen(cut, how, i), how.every_response);
}

/* The storages of matrices.h, and rows made on demand. */
enum { ON_DEMAND = STORAGES, ALL_STORAGES };

static inline int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const gpis_block *b = user;
    memcpy(rows, (const double *)b->values + row0 * b->d, (size_t)(nrows * b->d) * sizeof *rows);
    return 0;
}

static inline gpis_source *source_of(gpis_context *context, matrix *m, int stored_as) {
    gpis_block *b = &m->block;
    const bool columns = stored_as == COLUMN_64 || stored_as == COLUMN_32;
    gpis_source *A = NULL;
    if (stored_as == ON_DEMAND)
        assert_ok(context, gpis_source_callback(context, b->nrows, b->d, make_rows, b, 1, &A));
    else if (b->kind == GPIS_BLOCK_CSR)
        assert_ok(context, gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A));
    else
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             b->nrows, b->d, columns ? b->col_stride : b->row_stride, &A));
    return A;
}

/* The matrix as it is stored; on demand it is made from row-major doubles. */
static inline matrix stored_rows(const double *a, int64_t n, int64_t d, int stored_as) {
    return store(a, n, d, stored_as == ON_DEMAND ? ROW_64 : (storage)stored_as);
}

#endif
