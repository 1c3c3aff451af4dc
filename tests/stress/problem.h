/*
 * problem.h: one problem of the stress suite, a pure function of (seed, number).
 *
 *     minimise ||Y - A X||_F^2 + sum_j penalty_j sum_c |X_jc| over X in K
 *
 * (f stands for all of that.)
 */
#ifndef GPIS_STRESS_PROBLEM_H
#define GPIS_STRESS_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

/* What is difficult about a problem; it may have several of these at once. */
#define FLAVOUR_LIST(ENTRY)                                                               \
    ENTRY(PLAIN, "plain")         /* none of those below */                               \
    ENTRY(DUPLICATE, "duplicate") /* equal columns, or one a multiple of another */       \
    ENTRY(DUMMIES, "dummies")     /* 0/1 columns that add up to a constant one */         \
    ENTRY(ZERO_COLUMN, "zero column")                                                     \
    ENTRY(UNITS, "units")                     /* decimals in another unit: km beside m */ \
    ENTRY(NEAR_DEPENDENT, "nearly dependent") /* a combination to 1e-12 ... 1e-17 */      \
    ENTRY(SCALED, "columns 1e+-8")                                                        \
    ENTRY(CONDITION, "condition 1e12")                                                    \
    ENTRY(HEAVY_ROWS, "heavy rows")                                                       \
    ENTRY(TIES, "ties") /* small integers */                                              \
    ENTRY(WIDE, "n < d")                                                                  \
    ENTRY(EXACT, "zero residual")                                                         \
    ENTRY(NEAR_EXACT, "near-exact fit")                                                   \
    ENTRY(EXTREME, "scale 1e+-100")                                                       \
    ENTRY(UNDERFLOW, "near underflow") /* 1e-150 ... 1e-170 */                            \
    ENTRY(TABLE, "table")              /* of people: factors, counts, money, two units */ \
    ENTRY(RETURNS, "returns")          /* of assets, about as many rows as columns */     \
    ENTRY(PENALTY, "penalty")                                                             \
    ENTRY(FIXED, "lo = hi")                                                               \
    ENTRY(RADIUS_0, "radius 0")                                                           \
    ENTRY(RADIUS_FAR, "radius far")         /* far beyond what binds */                   \
    ENTRY(RADIUS_TOUCHES, "radius touches") /* the solution without noise is on the boundary */

enum {
#define FLAVOUR_ENUM(name, text) FLAVOUR_##name,
    FLAVOUR_LIST(FLAVOUR_ENUM)
#undef FLAVOUR_ENUM
        FLAVOURS
};

#define KIND_LIST(ENTRY)                    \
    ENTRY(NONE, "none")                     \
    ENTRY(NONNEG, "nonneg")                 \
    ENTRY(BOX, "box")                       \
    ENTRY(LINF, "linf")                     \
    ENTRY(L1, "l1")                         \
    ENTRY(L2, "l2")                         \
    ENTRY(SIMPLEX, "simplex")               \
    ENTRY(CAPPED_SIMPLEX, "capped-simplex") \
    ENTRY(GROUP, "group")                   \
    ENTRY(MONOTONE, "monotone")             \
    ENTRY(TV, "tv")                         \
    ENTRY(AFFINE, "affine")                 \
    ENTRY(NUCLEAR, "nuclear")               \
    ENTRY(BLOCKS, "blocks")

typedef enum set_kind {
#define KIND_ENUM(name, text) KIND_##name,
    KIND_LIST(KIND_ENUM)
#undef KIND_ENUM
        KINDS
} set_kind;

typedef enum set_turn { TURN_NONE, TURN_DCT, TURN_MATRIX } set_turn;

/* K, for each column of X (nuclear: for X as a whole). Of the fields only those that its kind needs are set. */
typedef struct constraint {
    set_kind kind;
    int64_t d;
    double R;
    int64_t size;          /* group: entries of a block */
    double *lower, *upper; /* box: d each; owned */
    int64_t rows;          /* affine: C (rows x d, row-major) x = b; owned */
    double *C, *b;
    set_turn turn; /* K = {x : U x in the set described by the other fields} */
    double *U;     /* TURN_MATRIX: d x d, row-major; owned */
    int64_t count; /* blocks: entries columns[b][0 ... parts[b].d - 1] of x are in parts[b]; owned */
    int64_t **columns;
    struct constraint *parts;
    double *penalty; /* d: adds the sum of penalty_j |x_j| to the objective; NULL: none; owned. Not of parts */
} constraint;

typedef enum storage {
    STORAGE_ROWS,
    STORAGE_COLUMNS,
    STORAGE_FLOAT32,
    STORAGE_CSR,
    STORAGE_CALLBACK,
    STORAGE_PARTS,
    STORAGE_RANKS, /* rows shared by two ranks, which are threads of one process */
    STORAGES
} storage;

typedef struct problem {
    uint64_t seed, number;
    int64_t n, d, k;
    double *A, *Y; /* n x d and n x k, row-major; owned */
    constraint set;
    uint32_t flavours; /* bit FLAVOUR_... */
    /* how it is solved */
    const char *method, *sketch;
    int64_t m;          /* rows of the sketch; 0: as gpis says */
    int64_t max_passes; /* 0: no limit */
    double tol;
    int proven; /* non-zero: a proven bound is insisted on */
    int again;  /* non-zero: solved once more with a tolerance 1e-3 times as large */
    int threads;
    storage storage;
} problem;

problem problem_draw(uint64_t seed, uint64_t number);
void problem_clear(problem *p);
/* One line: shape, set, flavours, method, storage, threads, tolerance. */
void problem_describe(const problem *p, char *text, size_t size);
/* "l1", "l1@dct", "box@U", "blocks". */
void constraint_name(const constraint *c, char *text, size_t size);
const char *flavour_name(int flavour);
const char *storage_name(storage how);

#endif
