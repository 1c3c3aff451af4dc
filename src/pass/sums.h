/*
 * The sums of a pass, as one table. A row of it says where the result goes, how many numbers there are, how a strip
 * holds them and whether they are sent as a triangle. From the table follow the memory of a strip, the addition of the
 * strips, what ranks send to each other, what a checkpoint records, and the check that everything is finite.
 *
 * To add a sum: a name in gpis_pass_sum, a row in the table of sums.c, a pointer in gpis_pass, and its kernel in
 * chunk.c.
 */
#ifndef GPIS_PASS_SUMS_H
#define GPIS_PASS_SUMS_H

#include "pass/pass.h"

/* In the order in which a strip holds them, a rank sends them and a checkpoint records them. The products A'A V lie
 * right behind the gradient, since one kernel adds to both. */
typedef enum gpis_pass_sum {
    GPIS_PASS_OBJECTIVE,
    GPIS_PASS_AP2,
    GPIS_PASS_GRADIENT,
    GPIS_PASS_PRODUCTS,
    GPIS_PASS_NORMS,
    GPIS_PASS_MISSES,
    GPIS_PASS_GRAM,
    GPIS_PASS_SUMS
} gpis_pass_sum;

/* True where the pass asks for this sum. */
bool gpis_pass_sum_is_wanted(const gpis_load *load, gpis_pass_sum sum);
/* Where the pass wants it; NULL: it does not. */
double *gpis_pass_sum_place(const gpis_pass *pass, gpis_pass_sum sum);
void gpis_pass_sum_set_place(gpis_pass *pass, gpis_pass_sum sum, double *place);
/* How many numbers the caller gets, 0 where it is not wanted. */
int64_t gpis_pass_sum_count(const gpis_load *load, gpis_pass_sum sum);

/* The sums of one strip. at[s] is NULL where sum s is not wanted. G is k x d and A'A V probes x d where the cut is
 * `transposed`, else d x k and d x probes. Of the Gram matrix only the upper triangle is kept up. */
typedef struct gpis_strip {
    double *at[GPIS_PASS_SUMS];
    double *low; /* extended precision: G + low is the sum */
} gpis_strip;

/* Numbers that a strip holds: all sums that are wanted and, in extended precision, `low`. */
int64_t gpis_strip_size(const gpis_load *load);
/* Lays a strip out in `memory`, gpis_strip_size numbers. */
gpis_strip gpis_strip_at(const gpis_load *load, double *memory);
/* Adds the strips up in their order, and puts the sums where the pass wants them. The strips are used up. */
void gpis_strips_collect(const gpis_pass *pass, const gpis_load *load, bool transposed, gpis_strip *strips,
                         int64_t count, int threads);

/* ---- as a message: each sum as the caller gets it, but for the Gram matrix, of which the upper triangle is sent
 * ------ */

int64_t gpis_message_size(const gpis_load *load);
/* Adds what the pass has received to the numbers of a message. */
void gpis_message_add(const gpis_pass *pass, const gpis_load *load, double *message);
/* Puts the numbers of a message where the pass wants them. */
void gpis_message_deliver(const gpis_pass *pass, const gpis_load *load, const double *message);

#endif
