/* What functions that make sets from text have in common. */
#ifndef GPIS_API_TEXT_H
#define GPIS_API_TEXT_H

#include "problem/problem.h"
#include "set/read.h"

/* Checks the arguments that all of them have, and sets *out to NULL. */
gpis_status gpis_text_check(gpis_context *context, const gpis_problem *problem, gpis_set **out);
/* The columns of A as texts name them. */
gpis_columns gpis_text_columns(const gpis_problem *problem);
/* A problem that has no response yet is taken to have one. */
int64_t gpis_text_responses(const gpis_problem *problem);

#endif
