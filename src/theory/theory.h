/* theory: the paper's bounds as numbers. bounds.c has the propositions and theorems, work.c the work they promise. */
#ifndef GPIS_THEORY_H
#define GPIS_THEORY_H

#include "base/base.h"

/* The caller's problem, filled up with defaults. */
gpis_status gpis_theory_take(gpis_context *context, const gpis_bounds_problem *given, gpis_bounds_problem *out);

/* b_m, the mean length of m independent standard normal numbers. */
double gpis_theory_mean_length(int64_t m);

/* log(alpha); 0 where Proposition 1 is vacuous. alpha^k is exp(k log(alpha)) even where alpha rounds to 1. */
double gpis_theory_log_alpha(const gpis_bounds_problem *problem, const gpis_bounds *bounds);

/* The bound on rho that the rates use: the direct one if the problem asks for it, else Proposition 2. */
double gpis_theory_rho(const gpis_bounds_problem *problem, const gpis_bounds *bounds);

#endif
