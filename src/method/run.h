/*
 * A run: what every method shares. The problem, the account of what was read and computed, the best point so far, the
 * best lower bound on f*, and the rules that end a run. A lower bound holds for the problem, not for a point, so bounds
 * found at different points combine: gap = best objective - best lower bound.
 */
#ifndef GPIS_RUN_H
#define GPIS_RUN_H

#include "certificate/certificate.h"
#include "inner/inner.h"
#include "linalg/dependent.h"
#include "method/replay.h"
#include "method/sample.h"
#include "pass/pass.h"
#include "problem/problem.h"

enum { GPIS_NULLS = 64 }; /* null vectors of A that are looked for, at most */

struct gpis_run {
    gpis_context *context;         /* of the problem */
    const gpis_problem *problem;   /* borrowed */
    const gpis_settings *settings; /* borrowed */
    const gpis_sketch_class *kind; /* of its sketches */
    gpis_replay *replay;           /* owned: the checkpoint; NULL: none */
    gpis_watch watch;              /* of its passes */
    /* the account */
    double started, pass_started;
    double processor_started; /* processor time of the process when the run began, less what was not charged */
    double processor_paused;  /* processor time charged when the clock was last paused */
    bool paused;              /* the clock is not charged */
    bool audit;               /* a given point is certified: there are no rounds that could improve it */
    int64_t used;             /* bytes in use before it */
    int64_t passes, sketches, inner_iterations, m;
    int64_t reported; /* the caller has been told of so many passes */
    double epochs, bytes_read;
    double step_sum; /* of the steps that line searches accepted since the last report */
    int64_t steps;   /* how many those are */
    /* what is known */
    double *best;        /* owned: the best feasible point, d x k */
    double objective;    /* there */
    double measured;     /* the same, as it was last known: extended precision makes it unknown for one pass */
    double lower;        /* f* >= lower, proven; 0 to begin with: f is a sum of squares */
    double nearby;       /* the same for some data within `nearness` of A, proven; 0 to begin with */
    double likely;       /* f* >= likely, but for a chance of at most settings->delta; 0 to begin with */
    double noise;        /* of the best objective, by rounding */
    double grain;        /* an objective below this is zero, for an x in double precision */
    bool extended;       /* residuals are computed in extended precision from now on */
    bool idle;           /* what gpis_run_idle said last */
    double previous_gap; /* NaN before the first */
    double *norms2;      /* owned: squared norms of the columns of A, once norms_known */
    bool norms_known;
    gpis_model *model; /* owned: of the Gram matrix or of a sketch; NULL until it is made */
    bool sketched;     /* it is of a sketch: its c, if positive, is probable only */
    gpis_inner *inner; /* owned: the inner problem on it */
    int64_t deficit;   /* columns of A that depend on others to working accuracy, once dependence_known */
    bool dependence_known, dependence_sought[2]; /* in the Gram matrix, in a sketch */
    bool nearby_sought;                          /* whether it has been measured how nearly they depend */
    bool full_rank; /* to working accuracy, as the QR decomposition of a sketch has shown */
    /* Owned: `found` rows v of d entries, null vectors of A to working accuracy. First come `nulls` rows with A v = 0,
     * proven, which every model is given; then `near_nulls` with (A + E) v = 0, ||E_j|| <= nearness ||a_j||. */
    double *null;
    int64_t nulls, near_nulls, found;
    double nearness;   /* 0 until it is measured */
    int64_t proof_due; /* the pass from which the second-order bound is tried (again) */
    gpis_outcome outcome;
    bool ended;
    char warning[256];
};

gpis_status gpis_run_start(gpis_run *run, const gpis_problem *problem, const gpis_settings *settings);
void gpis_run_clear(gpis_run *run);
/* The Gram matrix alone is wanted as a model: the kind is "none". */
bool gpis_run_is_unsketched(const gpis_settings *settings);
/* The kind of sketch that the settings name; NULL: it is left to the plan. */
const gpis_sketch_class *gpis_run_kind_named(const gpis_settings *settings);
/* The same, and the usual kind where none is named. */
const gpis_sketch_class *gpis_run_kind(const gpis_settings *settings);

/* Another sentence of the warning. */
void gpis_run_warn(gpis_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One pass, made or taken from the checkpoint, entered in the account; `gradients` is its arithmetic in units of one
 * full gradient. The first one that evaluates a point also finds the norms of the columns. GPIS_STOPPED, and the run
 * has ended, when the caller stopped it before it began or on the way. */
gpis_status gpis_run_pass(gpis_run *run, const gpis_pass *pass, double gradients);
/* The same for a pass that evaluates objective and gradient at X, which it has places for: the point it has measured.
 */
gpis_status gpis_run_measure(gpis_run *run, const gpis_pass *pass, double gradients, gpis_point *point);
/* The pass that every method needs: the point x with its gradient in g. */
gpis_status gpis_run_gradient(gpis_run *run, const double *x, double *g, gpis_point *point);
/* One pass that makes the Gram matrix, its model and the inner problem. With x it measures that point too, with its
 * gradient in g. */
gpis_status gpis_run_make_model(gpis_run *run, const double *x, double *g, gpis_point *point);
/* Whether the memory that is left is enough for it. */
bool gpis_run_model_fits(const gpis_run *run);
/* What that pass costs, in units of one gradient pass. */
double gpis_run_model_cost(const gpis_run *run);

/* A feasible point: kept if it is the best so far. */
void gpis_run_offer(gpis_run *run, const gpis_point *point);
/* The same, kept in any case. */
void gpis_run_replace(gpis_run *run, const gpis_point *point);
/* The first-order bound at a point, entered as a lower bound on f*. */
gpis_status gpis_run_first_order(gpis_run *run, const gpis_point *point);
/* H = (SA)'(SA), d x d: SA is a dense matrix of its own, and a pass over its rows is the fast way to it. With x, that
 * point of the sketched problem as well: ||SA x - SY||^2, and (SA)'(SA x - SY) in g. `coarse`: H in single precision.
 */
gpis_status gpis_run_sketch_gram(gpis_run *run, const gpis_sketch *sketch, bool coarse, double *H, const double *x,
                                 double *g, gpis_point *point);
/* Whether single precision is faster: small ones are as fast in double, and ranks share the work in it. */
bool gpis_run_coarse_pays(const gpis_run *run, const gpis_sketch *sketch);
/* Whether the model, made of such an H, has lost too much by it. */
bool gpis_run_model_is_too_coarse(const gpis_run *run);
/* Where an estimate of A'A comes from: one of the two, which serves where H is too near to singular. */
typedef struct gpis_origin {
    const gpis_sketch *sketch;
    const gpis_sample *sample;
    bool coarse; /* H is in single precision */
} gpis_origin;

/* Takes H = (an estimate of) A'A, owned from then on, as the model, and makes the inner problem on it. `origin` is NULL
 * when it is exact. Of a model that is too coarse there is no inner problem. */
gpis_status gpis_run_take_model(gpis_run *run, double *H, double roundings, const gpis_origin *origin);

/* Looks for exactly dependent columns where a bound depends on it, by a pass of its own, and tells the model (before
 * there is an inner problem on it). */
gpis_status gpis_run_settle_dependence(gpis_run *run);
/* The same where a bounded set pays too much for a model with a shift, at this point; the inner problem is made anew.
 */
gpis_status gpis_run_reconsider_model(gpis_run *run, const gpis_point *point);
/* Where nothing is proven for A because columns depend on each other but for rounding: measures how nearly, by passes
 * of its own, and tells the model. *found: the bounds of the model, now for data near A, are to be tried again. */
gpis_status gpis_run_look_nearby(gpis_run *run, const gpis_point *point, bool *found);
/* Its passes: sets run->nearness, improves the rows of run->null behind the exact ones, and sets run->near_nulls if
 * they are null vectors but for rounding of the data. */
gpis_status gpis_run_measure_nearby(gpis_run *run);
/* A warning, if the bound is for data near A, or is not good enough, because columns depend on others. */
void gpis_run_explain_dependence(gpis_run *run);

/* Solves the inner problem around a point, until run->inner->s is good enough to go to. */
gpis_status gpis_run_inner(gpis_run *run, const gpis_point *point);
/* The second-order bound at a point: solves the inner problem as far as the bound is worth it or, with for_step, until
 * run->inner->s is good enough to go to. */
gpis_status gpis_run_second_order(gpis_run *run, const gpis_point *point, bool for_step);

/* The bounds at a point as a gradient method wants them: first order always, second order when it is likely to be
 * enough (or `now`), since it costs a Gram matrix. */
gpis_status gpis_run_prove(gpis_run *run, const gpis_point *point, bool now);

double gpis_run_seconds(const gpis_run *run); /* since the start */
/* What is done only to measure is not charged: seconds between these two do not count. */
double gpis_run_pause(gpis_run *run);
void gpis_run_resume(gpis_run *run, double paused);

/* True when, since objective and gap were what is given, neither has changed by more than rounding and the tolerance
 * make of it. */
bool gpis_run_idle(gpis_run *run, double objective, double gap);

/* True where rounding errors of double precision stand between the objective and the tolerance, so that extended
 * precision would help. */
bool gpis_run_noise_is_in_the_way(const gpis_run *run);
/* From now on residuals are computed in extended precision; the best point is to be measured again. */
void gpis_run_extend(gpis_run *run);

/* A lower bound on f* and what it is worth. */
typedef struct gpis_bound {
    double lower;
    bool probable;         /* it may be wrong, with a chance of at most settings->delta */
    double backward_error; /* 0: for A itself; else for some data so near to A, relative to each column */
} gpis_bound;
/* Of those that the settings accept, the first that is good enough for the tolerance, or else the highest. */
gpis_bound gpis_run_bound(const gpis_run *run);
/* That bound, and the gap to it. */
double gpis_run_lower(const gpis_run *run);
double gpis_run_gap(const gpis_run *run);
/* True when the gap is within the tolerance, or the objective is zero to working accuracy. */
bool gpis_run_solved(const gpis_run *run);
/* Tells the caller of the last pass, once, with what is known by now; the caller may end the run. Passes that a method
 * leaves unreported are reported before the next one begins. */
void gpis_run_report(gpis_run *run);
/* Reports progress and applies the stopping rules: sets run->ended and run->outcome. */
void gpis_run_check(gpis_run *run);
void gpis_run_end(gpis_run *run, gpis_outcome outcome);
/* True when no further pass may be made: the passes or the time are spent. */
bool gpis_run_exhausted(const gpis_run *run);

#endif
