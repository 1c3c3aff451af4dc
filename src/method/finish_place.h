/*
 * What the parts of the finish share: the points that are measured from the summary, and the way from one to the next.
 * finish_models.c makes rounds with models of the summary, finish_fine.c solves the problem in double-double.
 */
#ifndef GPIS_FINISH_PLACE_H
#define GPIS_FINISH_PLACE_H

#include "linalg/quadratic.h"
#include "method/run.h"

/* The shifts of the summary to try, in units of the columns. A smaller shift resolves more directions. */
enum { GPIS_FINISH_SHIFTS = 2 };
static const double GPIS_FINISH_SHIFT[GPIS_FINISH_SHIFTS] = {1e-20, 1e-23};

/* A point measured from the summary; d x k numbers each. */
typedef struct gpis_place {
    double *x, *g, *g_low;
    gpis_point point;
} gpis_place;

typedef struct gpis_finish {
    gpis_run *run;                 /* borrowed */
    const gpis_quadratic *summary; /* borrowed */
    bool rough;                    /* the objective cancels in the summary: the record is not told of points from it */
    gpis_place here, there;        /* where the run is, and where it may go next */
    double *memory;                /* owned: the numbers of both */
    double *kept;                  /* a part of it: the latest point that was solved within a horizon, d x k */
    double kept_objective;         /* there; infinite: there is none */
    gpis_within kept_bound;
    double fall;         /* of F by the latest step */
    int64_t inner_steps; /* of the inner problem, so far */
    int polished;        /* rounds since the tolerance was met */
    gpis_stop stop;      /* asks the run */
    bool stopped;        /* it was to stop */
} gpis_finish;

/* Whether the run is to stop: asked between the steps of everything that takes long. */
bool gpis_finish_is_stopped(gpis_finish *f);
/* Begins at the best point of the run. */
gpis_status gpis_finish_begin(gpis_finish *f);
/* Goes to s, if F is lower there, or to the lowest point on the way. */
gpis_status gpis_finish_step(gpis_finish *f, const double *s);
/* The bound of the present best point is good enough, and all of K is within it. */
bool gpis_finish_is_settled(const gpis_record *record);
/* Keeps the best point with its bound within a horizon if that meets the tolerance, unless one is kept that is as low;
 * and goes back to it, unless the points since then are lower and have such a bound. */
void gpis_finish_keep(gpis_finish *f);
void gpis_finish_go_back(gpis_finish *f);

/* ---- finish_models.c: rounds with models, for smaller and smaller shifts ---- */

gpis_status gpis_finish_by_models(gpis_finish *f);

/* ---- finish_fine.c: the problem in double-double ---- */

/* Whether it is tried: the problem is not too large, and its penalty, if it has one, can be taken along. */
bool gpis_finish_has_fine(const gpis_problem *problem);
gpis_status gpis_finish_finely(gpis_finish *f);
/* The same with the first shift alone. */
gpis_status gpis_finish_finely_once(gpis_finish *f);

#endif
