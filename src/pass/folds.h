/*
 * The fold of a row: the one that the caller has given or, with K folds, floor(K u) for a random u in [0, 1) that
 * depends on the seed and the number of the row alone. So every partition of the rows, over parts, ranks and machines,
 * leads to the same folds.
 */
#ifndef GPIS_PASS_FOLDS_H
#define GPIS_PASS_FOLDS_H

#include "base/random.h"
#include "pass/pass.h"

static inline int64_t gpis_fold_of(const gpis_folds *folds, int64_t row) {
    const gpis_bits bits =
        gpis_random_bits(folds->seed, gpis_stream(GPIS_STREAM_FOLD, 0), (uint64_t)(folds->first + row));
    return (int64_t)gpis_random_below(bits.v[0], (uint32_t)folds->count);
}

/* The fold of row i of a pass. */
static inline int64_t gpis_pass_fold(const gpis_pass *pass, int64_t i) {
    return pass->terms.fold ? pass->terms.fold[i] : gpis_fold_of(&pass->folds, pass->row0 + i);
}

#endif
