/*
 * plan: which way to solve a problem is the fastest on this machine.
 *
 * Every method proposes what it could do with the problem and predicts what that would take (method/method.h), by the
 * cost model of cost/cost.h. The planner compares the proposals, chooses one, and says why. It knows no method by name,
 * and no data: the choice follows from the shape of the problem, the settings and the speeds of the machine.
 */
#ifndef GPIS_PLAN_H
#define GPIS_PLAN_H

#include "method/method.h"
#include "method/replay.h"

/* One way to solve the problem, and the table of them, with their texts in place: gpis.h says what the fields of
 * gpis_plan_candidate and gpis_plan mean, which gpis_plan_make fills from these. */
typedef struct gpis_candidate {
    char method[16], sketch[16];
    int64_t m, passes, sketches;
    double flops, memory, seconds;
    gpis_prices prices; /* for the decisions of a run that follows this candidate */
    int applicable, chosen;
    char reason[96];
} gpis_candidate;

enum { GPIS_MAX_CANDIDATES = 16 };
typedef struct gpis_plan_table {
    int count, chosen;
    gpis_candidate candidates[GPIS_MAX_CANDIDATES];
    char text[256];
} gpis_plan_table;

/* The plan for a problem, all methods considered. The settings have been checked. `used`: bytes that were in use before
 * the solve. `brief`: only the choice and its reason are wanted, and nothing is predicted for what cannot be chosen. */
gpis_status gpis_plan_choose(const gpis_problem *problem, const gpis_settings *settings, int64_t used, bool brief,
                             gpis_plan_table *out);
/* The same with these methods alone. */
gpis_status gpis_plan_choose_among(gpis_methods methods, const gpis_problem *problem, const gpis_settings *settings,
                                   int64_t used, bool brief, gpis_plan_table *out);
/* The part of a plan that a solve needs. */
gpis_choice gpis_plan_choice(const gpis_plan_table *plan);

#endif
