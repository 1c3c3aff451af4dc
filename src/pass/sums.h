/*
 * The sums of a pass, as one table. A row of it says where the result goes, how many numbers there are, how a strip
 * holds them, whether they are sent as a triangle and whether they can be negative. From the table follow the memory of
 * a strip, the addition of the strips, what ranks send to each other, what a checkpoint records and what it may
 * contain, and the check that everything is finite.
 *
 * To add a sum: a name in gpis_pass_sum, a row in the table of sums.c, a pointer in gpis_pass, and its kernel in
 * chunk.c.
 */
#ifndef GPIS_PASS_SUMS_H
#define GPIS_PASS_SUMS_H

#include "pass/pass.h"

/* In this order a strip holds the sums, a rank sends them and a checkpoint records them. The products A'A V follow the
 * gradient, since one kernel adds to both. */
typedef enum gpis_pass_sum {
    GPIS_PASS_OBJECTIVE,
    GPIS_PASS_AP2,
    GPIS_PASS_GRADIENT,
    GPIS_PASS_PRODUCTS,
    GPIS_PASS_NORMS,
    GPIS_PASS_MISSES,
    GPIS_PASS_GRAM,
    GPIS_PASS_NONZEROS,
    GPIS_PASS_Y_SIZES,
    GPIS_PASS_MOMENTS,
    GPIS_PASS_MANY_GRADIENTS,
    GPIS_PASS_SQUARES,
    GPIS_PASS_SUMMARY,
    GPIS_PASS_SUMS
} gpis_pass_sum;

/* Whether the pass computes this sum. */
bool gpis_pass_sum_is_wanted(const gpis_load *load, gpis_pass_sum sum);
/* Whether no entry of the sum can be negative, so that a checkpoint with a negative one is refused. */
bool gpis_pass_sum_is_nonnegative(gpis_pass_sum sum);
/* Where the result goes; NULL: the sum is not wanted. */
double *gpis_pass_sum_place(const gpis_pass *pass, gpis_pass_sum sum);
void gpis_pass_sum_set_place(gpis_pass *pass, gpis_pass_sum sum, double *place);
/* The number of entries of the result; 0 if the sum is not wanted. */
int64_t gpis_pass_sum_count(const gpis_load *load, gpis_pass_sum sum);

/* The sums of one strip. at[s] is NULL if sum s is not wanted. G is k x d and A'A V probes x d if the cut is
 * `transposed`, else d x k and d x probes. Of the Gram matrix only the upper triangle is computed, of the summary only
 * the lower one.
 */
typedef struct gpis_strip {
    double *at[GPIS_PASS_SUMS];
    double *low; /* in extended precision the gradient is G + low; else NULL */
} gpis_strip;

/* The number of doubles of a strip: of all sums that are wanted and, in extended precision, of `low`. */
int64_t gpis_strip_size(const gpis_load *load);
/* The strip that occupies the gpis_strip_size doubles at `memory`. */
gpis_strip gpis_strip_at(const gpis_load *load, double *memory);
/* Adds up the strips in their order and writes the results of the pass. The contents of the strips are destroyed. */
void gpis_strips_collect(const gpis_pass *pass, const gpis_load *load, bool transposed, gpis_strip *strips,
                         int64_t count, int threads);

/* ---- messages between ranks: all results in a row, of symmetric matrices the upper triangle only ---- */

int64_t gpis_message_size(const gpis_load *load);
/* How many of these numbers, from the first, are to be added up as doubles. The others are in double-double: high
 * parts, then as many low parts. */
int64_t gpis_message_doubles(const gpis_load *load);
/* total += part, for `count` numbers in double-double: high parts, then low parts. */
void gpis_message_add_dd(double *total, const double *part, int64_t count);
/* Adds the results of the pass to the message. */
void gpis_message_add(const gpis_pass *pass, const gpis_load *load, double *message);
/* Writes the numbers of the message to the results of the pass. */
void gpis_message_deliver(const gpis_pass *pass, const gpis_load *load, const double *message);

#endif
