/*
 * The fold of a row: the one that the caller has given or, with K folds, floor(K u) for a random u in [0, 1) that
 * depends on the seed and the number of the row alone. So every partition of the rows, over parts, ranks and machines,
 * leads to the same folds.
 */
#ifndef GPIS_PASS_FOLDS_H
#define GPIS_PASS_FOLDS_H

#include "base/random.h"
#include "pass/pass.h"

/* The four numbers that a call of the generator gives are those of four rows. */
enum { GPIS_FOLD_ROWS = 4 };

static inline gpis_bits gpis_fold_bits(const gpis_folds *folds, int64_t row) {
    return gpis_random_bits(folds->seed, gpis_stream(GPIS_STREAM_FOLD, 0),
                            (uint64_t)(folds->first + row) / GPIS_FOLD_ROWS);
}

static inline int64_t gpis_fold_from(const gpis_folds *folds, const gpis_bits *bits, int64_t row) {
    return (int64_t)gpis_random_below(bits->v[(uint64_t)(folds->first + row) % GPIS_FOLD_ROWS], (uint32_t)folds->count);
}

static inline int64_t gpis_fold_of(const gpis_folds *folds, int64_t row) {
    const gpis_bits bits = gpis_fold_bits(folds, row);
    return gpis_fold_from(folds, &bits, row);
}

/* The fold of row i of a pass. */
static inline int64_t gpis_pass_fold(const gpis_pass *pass, int64_t i) {
    return pass->terms.fold ? pass->terms.fold[i] : gpis_fold_of(&pass->folds, pass->row0 + i);
}

/* The folds of rows first .. first + count - 1 of a pass. */
static inline void gpis_pass_folds(const gpis_pass *pass, int64_t first, int64_t count, int64_t *fold) {
    gpis_bits bits = {{0}};
    for (int64_t i = 0; pass->terms.fold && i < count; i++) fold[i] = pass->terms.fold[first + i];
    for (int64_t i = 0; !pass->terms.fold && i < count; i++) {
        const int64_t row = pass->row0 + first + i;
        if (i == 0 || (pass->folds.first + row) % GPIS_FOLD_ROWS == 0) bits = gpis_fold_bits(&pass->folds, row);
        fold[i] = gpis_fold_from(&pass->folds, &bits, row);
    }
}

#endif
