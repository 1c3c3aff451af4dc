/* gpis gen: the paper's problems. A recipe fills a gen_problem; gen.c writes it. */
#ifndef GPIS_CLI_GEN_H
#define GPIS_CLI_GEN_H

#include "cli.h"

typedef enum gen_form {
    GEN_SPARSE,     /* x has s nonzeros; l1 ball */
    GEN_DICTIONARY, /* U x has s nonzeros for an orthogonal U; l1 ball in the domain of U */
    GEN_LOW_RANK,   /* X is d x k of rank s; nuclear ball */
    GEN_LARGE,      /* as GEN_SPARSE, rows drawn one by one and written as they come */
    GEN_MAGIC04,    /* a real data set and random features; l1 ball */
    GEN_YEAR        /* a real data set or its stand-in; no constraint */
} gen_form;

/* Sizes and numbers of a problem. In the table of recipes a negative number means: this one has no such option. */
typedef struct gen_numbers {
    int64_t n, d, k, sparsity;
    double cond;  /* ratio of the extreme eigenvalues of A'A */
    double noise; /* ||w|| / ||A x_true|| */
} gen_numbers;

typedef struct gen_options {
    gen_numbers numbers;
    gen_form form;
    uint64_t seed;
    const char *folder; /* where the files go; NULL: nowhere (only GEN_LARGE writes as it makes) */
    bool single;        /* A in float32 */
    bool literal;       /* singular values by the paper's printed formula */
    const char *data;   /* the file of magic04 or year, or NULL: what comes with the program */
} gen_options;

typedef struct gen_recipe {
    const char *name;
    gen_form form;
    gen_numbers numbers; /* the paper's, as defaults */
    int64_t m;           /* the paper's sketch size; 0: the paper does not say */
} gen_recipe;

const gen_recipe *gen_find_recipe(const char *name); /* NULL if there is none */

typedef struct gen_problem {
    int64_t n, d, k;
    double *A, *y;      /* owned: n x d (NULL: it is written already), n x k */
    double *x_true, *U; /* owned: d x k, d x d; NULL where there is none */
    char **columns;     /* owned: d names, or NULL */
    const char *target; /* the name of y where columns have names */
    double objective;   /* of x_true */
    double radius;      /* of the set */
    const char *set;    /* "l1", "nuclear", "none" */
    bool stand_in;      /* drawn like a real data set that is not available */
} gen_problem;

/* Fills a problem by its form's recipe; each returns 0 or an exit code, the message being out. */
int gen_make(const gen_options *options, gen_problem *problem);
int gen_synthetic(const gen_options *options, gen_problem *problem);
int gen_large(const gen_options *options, gen_problem *problem);
int gen_magic04(const gen_options *options, gen_problem *problem);
int gen_year(const gen_options *options, gen_problem *problem);
void gen_problem_clear(gen_problem *problem);
/* x_true with the given number of nonzeros, the l1 set and its radius (gen_synthetic.c). */
int gen_sparse(const gen_options *options, gen_problem *problem);
/* The set to solve it with, as "l1:3.5@PATH"; `u_path` is where U lies (not used where there is none). */
void gen_set_spec(const gen_problem *problem, const char *u_path, char *spec, size_t size);

/* Makes a folder and those above it, and takes away a problem.json from before, which would tell lies while the files
 * beside it change; writes all files of a problem (gen_write.c). */
int gen_make_folder(const char *folder);
int gen_write(const char *folder, const gen_problem *problem, const json_t *about);

/* ---- real data (gen_data.c) -------------------------------------------------------------------------------------- */

/* Where a data file that comes with the program lies; `path` has PATH_MAX bytes. */
void gen_data_path(const char *file, char *path);
/* Row i of `wanted` rows spread evenly over `rows`. */
int64_t gen_spread(int64_t i, int64_t wanted, int64_t rows);
/* Each column to mean 0 and variance 1, y to mean 0; returns 0 or an exit code (a constant column). */
int gen_normalise(gen_problem *problem);

/* ---- random matrices (gen_matrix.c): the same bits at any number of threads -------------------------------------- */

/* Streams of random numbers, one for each use. */
enum {
    GEN_STREAM_ROWS = 1,
    GEN_STREAM_BASIS,
    GEN_STREAM_SUPPORT,
    GEN_STREAM_VALUES,
    GEN_STREAM_DICTIONARY,
    GEN_STREAM_NOISE,
    GEN_STREAM_FEATURES
};

double *gen_allocate(int64_t rows, int64_t cols); /* zeros; NULL, the message being out */
void gen_normal(uint64_t seed, int stream, int64_t count, double *out);
/* Q, d x d, orthogonal, uniformly distributed. */
int gen_orthogonal(uint64_t seed, int stream, int64_t d, double *Q);
/* A = Q diag(sigma) V', n x d, Q and V random with orthonormal columns. */
int gen_spectrum(uint64_t seed, int64_t n, int64_t d, const double *sigma, double *A);
/* Y = A X, n x k. */
void gen_multiply(int64_t n, int64_t d, int64_t k, const double *A, const double *X, double *Y);
double gen_sum_of_squares(const double *v, int64_t count);

#endif
