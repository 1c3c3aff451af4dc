/* What newton tells the planner: what it could do (newton_plan.c), what that takes (newton_cost.c, newton_memory.c). */
#ifndef GPIS_NEWTON_PLAN_H
#define GPIS_NEWTON_PLAN_H

#include <math.h>

#include "method/method.h"

void gpis_newton_propose(const gpis_inquiry *inquiry, gpis_proposals *all);
gpis_effort gpis_newton_cost(const gpis_workload *work, const gpis_speed *speed, int64_t m);
double gpis_newton_memory(const gpis_run *run, const gpis_workload *work, int64_t m);
/* Gradient passes with probes until a sketch of m rows has certified the tolerance; rounds until it is clear which few
 * columns are free. */
double gpis_newton_rounds_with_probes(const gpis_workload *work, double m);
double gpis_newton_rounds_to_face(const gpis_workload *work, double m);
/* Shares of the entries of the answer. */
typedef struct gpis_free_share {
    double share;     /* are likely to be free */
    double unsettled; /* come and go beside them, as they do where A is badly conditioned */
} gpis_free_share;

/* What is taken to come and go where nothing is known of it. A guess. */
#define GPIS_USUALLY_UNSETTLED 0.07

/* The share of the columns that the Gram matrix of a face has. */
static inline double gpis_share_of_face(gpis_free_share free) { return fmin(1.0, free.share + free.unsettled); }

/* Rounds that end on a face, in units of a plain gradient pass: those until it is clear which columns are free, of
 * which `rounds_to_face` are forecast, and the one at the solution; without the products of the face's Gram matrix. */
double gpis_newton_passes_to_face(double rounds_to_face, gpis_free_share free);

/* What a run has seen, and what was forecast for it. */
typedef struct gpis_seen {
    gpis_free_share free;      /* entries */
    double rounds_to_face;     /* forecast: until it is clear which columns are free */
    double rounds_with_probes; /* forecast: until probes have certified the tolerance */
    double probed;             /* rounds with probes that have been made */
    bool proof;                /* a probable bound is not enough */
} gpis_seen;

/* What the rest of a run costs in each way, in units of a plain gradient pass (newton_weigh.c). */
typedef struct gpis_outlook {
    double face;   /* rounds with the sketch that end on a face */
    double probes; /* rounds with the sketch that end with a probable bound */
    double gram;   /* the Gram matrix takes the place of the sketch */
} gpis_outlook;

gpis_outlook gpis_newton_outlook(const gpis_prices *prices, const gpis_seen *seen);

void gpis_newton_explain(const gpis_verdict *verdict, char *text, size_t size);

#endif
