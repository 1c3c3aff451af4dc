/*
 * The measured numbers of the cost model (cost.h). Their values are in constants.c, which bench/constants.py writes.
 *
 * All but a few are ratios, so that one set of numbers serves every machine: gpis_machine has the speeds, and these
 * say how the other parts of a solve compare with them. The unit "entry" is the time that a gradient pass over dense
 * rows of doubles in memory takes for each of their entries.
 */
#ifndef GPIS_COST_CONSTANTS_H
#define GPIS_COST_CONSTANTS_H

/* How the rows of A are stored, as far as the cost of a pass depends on it. */
typedef enum gpis_storage {
    GPIS_STORED_ROWS,    /* dense doubles, row after row */
    GPIS_STORED_COLUMNS, /* dense, column after column */
    GPIS_STORED_FLOATS,  /* dense rows of floats */
    GPIS_STORED_SPARSE,  /* compressed rows */
    GPIS_STORED_NOWHERE, /* rows made on demand */
    GPIS_STORED_KINDS
} gpis_storage;

typedef struct gpis_cost_constants {
    /* What a stored entry costs, in entries of dense doubles: in a gradient pass, in one that carries the probes of a
     * sketched model, and in a pass that makes a count sketch. */
    struct {
        double gradient, probing, sketch;
    } storage[GPIS_STORED_KINDS];
    double cached;      /* entries: a stored entry of dense doubles that the last cache holds, in a gradient pass */
    double window;      /* a gradient pass over a file in the page cache: times one in memory */
    double pass_start;  /* seconds: threads are started, and the sums of the strips are added up */
    double line_search; /* a gradient pass that finds ||A p||^2 as well: times one that does not */
    double next_vector; /* each further response in a gradient pass: times the first */
    double pair;        /* entries: the product of two entries of a sparse row, while A'A is in cache */
    double pair_out_of_cache; /* entries: the same where A'A is not in cache */
    double narrow_gram;       /* a Gram matrix of as few columns as the kernel of gram.h takes: times dsyrk */
    double single_gram;       /* a Gram matrix of dense rows in single precision: times double precision */
    double summary;           /* a product in the summary of dense rows: times one in the Gram matrix */
    double summary_pair;      /* a pair of entries of a sparse row in the summary, in cache: times one in A'A */
    double fresh;             /* plain reads of a double: a number that is written to new memory */
    double draw;              /* seconds: to draw the number of a sampled row, on one thread */
    double scattered;         /* entries: to read and copy an entry of a row that was sampled */
    double
        sample_square; /* plain reads of a double: an entry of the Gram matrix of sampled sparse rows, in new memory */
    double factor_speed; /* flops of a Cholesky factor of very many columns on one thread: times dsyrk's */
    double apply_speed;  /* flops of H times a vector on one thread: share of dsyrk's */
} gpis_cost_constants;

extern const gpis_cost_constants gpis_cost_measured;

#endif
