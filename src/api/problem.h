/* The problem as the caller has given it, and what ranks agree on about it. */
#ifndef GPIS_API_PROBLEM_H
#define GPIS_API_PROBLEM_H

#include "problem/problem.h"

/* All ranks: each says how it fared, and checks that its problem has a response of the k columns that rank 0 will ask
 * for (0: it will ask for none), and the terms of rank 0. All return the status of the first that has failed, with its
 * text. */
gpis_status gpis_problem_agree(const gpis_problem *problem, int64_t k, gpis_status status);

/* The rows of a problem, with a constant column and no other term; whether other terms fit does not matter. */
gpis_problem gpis_problem_rows(const gpis_problem *given);

/* Why a term of the rows cannot be given to a problem that has no rows. */
gpis_status gpis_problem_refuse_rows(const gpis_problem *problem, const char *what);

/* Why a set of this shape does not fit X of A->d x k. */
gpis_status gpis_problem_refuse_shape(const gpis_problem *problem, const gpis_set *set, int64_t k);

#endif
