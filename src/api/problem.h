/* The problem as the caller has given it, made complete for a call. */
#ifndef GPIS_API_PROBLEM_H
#define GPIS_API_PROBLEM_H

#include "problem/problem.h"

/* Checks that the problem has a response and a set of the same shape. *complete has all terms; *made is the set that
 * was made for a problem without one, or with a penalty; or NULL. It is the caller's to destroy in any case. */
gpis_status gpis_problem_complete(const gpis_problem *given, gpis_problem *complete, gpis_set **made);

/* All ranks: each says how it fared, and checks that its problem has a response of the k columns that rank 0 will ask
 * for (0: it will ask for none). All return the status of the first that has failed, with its text. */
gpis_status gpis_problem_agree(const gpis_problem *problem, int64_t k, gpis_status status);

#endif
