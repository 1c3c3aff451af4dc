/*
 * A run: one solve, or one audit of a given point, from start to end. What every method shares is in four parts, of
 * which each has its own file and its own functions; nobody else writes their fields:
 *
 *     problem    what is solved; const (problem/problem.h)
 *     account    how much was read and computed, and for how long (account.h)
 *     record     the best point, the lower bounds on f*, and what counts as solved (record.h)
 *     curvature  the norms of the columns, the model of A'A, the inner problem, dependent columns (curvature.h)
 *
 * The run itself makes the passes over A, reports them, and applies the rules that end it.
 */
#ifndef GPIS_RUN_H
#define GPIS_RUN_H

#include "linalg/quadratic.h"
#include "method/account.h"
#include "method/curvature.h"
#include "method/record.h"
#include "method/replay.h"
#include "pass/pass.h"
#include "problem/problem.h"

/* Whether the squares of columns of A underflow: not known; to be counted by the next pass; they do not. */
typedef enum gpis_range { GPIS_RANGE_UNKNOWN, GPIS_RANGE_DUE, GPIS_RANGE_CHECKED } gpis_range;

struct gpis_run {
    gpis_context *context;         /* of the problem */
    const gpis_problem *problem;   /* borrowed */
    const gpis_settings *settings; /* borrowed */
    const gpis_sketch_class *kind; /* of its sketches */
    int64_t m;                     /* rows of its sketches; 0: no sketch is planned */
    gpis_prices prices;            /* what its ways cost: as the plan says, or for the usual machine */
    gpis_account account;
    gpis_record record;
    gpis_curvature curvature;
    gpis_replay *replay; /* owned: the checkpoint; NULL: there is none */
    gpis_watch watch;    /* asks within a pass whether to stop */
    bool audit;          /* a given point is certified: there are no rounds that could improve it, and no time limit */
    bool best_constant;  /* audit: b was not given; the best one for x is looked at */
    const gpis_quadratic *summary; /* everything that f depends on; NULL: it has not been made */
    gpis_quadratic *made_summary;  /* owned: the same, if the run has made it by a pass, and not the caller */
    bool by_summary;               /* points are measured from the summary, without a pass */
    double reported;               /* the objective that was reported last */
    double *moments;       /* owned: of the columns (linalg/moments.h), the constant among them; NULL: unknown */
    bool extended;         /* residuals are computed in extended precision from now on */
    int64_t proof_due;     /* gpis_run_prove tries the second-order bound again from this pass on */
    bool ended;            /* no further round is made */
    bool stop_asked;       /* the caller's progress function has asked to stop: no further pass is made */
    double asked_at;       /* the clock when it was asked last between the steps of an inner problem */
    bool stopped_between;  /* the answer was yes */
    gpis_range range;      /* whether squares of the columns of A underflow (range.c) */
    bool response_checked; /* the same of Y: it is known that they do not */
    double *nonzeros;      /* owned: entries of each column that are not zero; NULL unless they are counted */
    double backward_error; /* the estimate at the best point (refine.h); NaN: not estimated */
    gpis_outcome outcome;  /* why it has ended */
    const char *found; /* which of the cases of its plan the run has seen, in words; NULL: there was one case only */
    char warning[512]; /* sentences for the caller, or "" */
};

gpis_status gpis_run_start(gpis_run *run, const gpis_problem *problem, const gpis_settings *settings);
void gpis_run_clear(gpis_run *run);
/* The Gram matrix alone is wanted as a model: the kind is "none". */
bool gpis_run_is_unsketched(const gpis_settings *settings);
/* The kind of sketch that the settings name; NULL if it is left to the plan. */
const gpis_sketch_class *gpis_run_kind_named(const gpis_settings *settings);
/* The same, with the usual kind where none is named. */
const gpis_sketch_class *gpis_run_kind(const gpis_settings *settings);

/* Adds a sentence to the warning. */
void gpis_run_warn(gpis_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- passes (run_pass.c) ---- */

/* The load of a pass with the terms of the problem, which passes of a run have in any case (load.c). */
gpis_load gpis_run_load(const gpis_problem *problem, const gpis_pass *pass);
/* Makes one pass, or takes its result from the checkpoint, and enters it in the account. `gradients` is its arithmetic
 * in units of one gradient over all rows. The first pass that evaluates a point also finds the norms of the columns.
 * Returns GPIS_STOPPED, and the run has ended, if the caller stopped it before or during the pass. */
gpis_status gpis_run_pass(gpis_run *run, const gpis_pass *pass, double gradients);
/* The same for a pass that evaluates a point (pass->X) with its gradient (pass->G): returns the measured point. */
gpis_status gpis_run_measure(gpis_run *run, const gpis_pass *pass, double gradients, gpis_point *point);
/* Measures the point x, with its gradient in g, by a pass of its own. */
gpis_status gpis_run_gradient(gpis_run *run, const double *x, double *g, gpis_point *point);

/* ---- underflow (range.c) ---- */

/* Asks of a pass what is still to be known. */
void gpis_range_board(gpis_run *run, gpis_pass *pass);
/* After a pass: GPIS_BAD_DATA if the squares of a column, or of Y, underflow. `objective` is that of the point that the
 * pass has measured; NaN: it has measured none. */
gpis_status gpis_range_take(gpis_run *run, const gpis_pass *pass, double objective);
/* At the end, where no pass has come by: makes one or, where none is allowed, gives up the bounds. */
gpis_status gpis_range_settle(gpis_run *run);

/* ---- the model (run_model.c) ---- */

/* Makes the Gram matrix by one pass, and its model and inner problem. */
gpis_status gpis_run_make_model(gpis_run *run);
/* Computes H = (SA)'(SA), d x d, by a pass over SA, which is a dense matrix of its own. With x, measures that point of
 * the sketched problem as well: ||SA x - SY||^2, and (SA)'(SA x - SY) in g. `coarse`: H in single precision. */
gpis_status gpis_run_sketch_gram(gpis_run *run, const gpis_sketch *sketch, bool coarse, double *H, const double *x,
                                 double *g, gpis_point *point);
/* Whether single precision is faster: small matrices are as fast in double, and ranks share the work in double only. */
bool gpis_run_coarse_pays(const gpis_run *run, const gpis_sketch *sketch);

/* Draws a sample of run->m rows, with H = (n/m) B'B. A column that is not zero but has no entry in the sample gets its
 * diagonal entry from the norms of A. With x, also finds a point from which the inner problem can start: x measured on
 * the sampled problem, with its gradient in g; or, with *on_A true, x measured on A itself, where a gradient pass was
 * needed for the norms. */
gpis_status gpis_run_sample_gram(gpis_run *run, uint64_t round, double *H, const double *x, double *g,
                                 gpis_point *point, bool *on_A, gpis_sample **sample);

/* Computes H of a sample that has been drawn and, with x, measures that point of the sampled problem (sample.h). */
gpis_status gpis_run_read_sample(gpis_run *run, gpis_sample *sample, double *H, const double *x, double *g,
                                 gpis_point *point);

/* What an estimate of A'A was made from: one of the two. Its rows serve where H is too near to singular. */
typedef struct gpis_origin {
    const gpis_sketch *sketch;
    const gpis_sample *sample;
    bool coarse; /* H was computed in single precision */
} gpis_origin;

/* Takes H = (an estimate of) A'A as the model, which owns it from then on; looks for dependent columns where a bound
 * depends on it; and makes the inner problem. `origin` is NULL for the Gram matrix itself. A model that is too coarse
 * (gpis_curvature_is_too_coarse) is left without an inner problem. */
gpis_status gpis_run_take_model(gpis_run *run, double *H, double roundings, const gpis_origin *origin);

/* ---- the summary (run_summary.c) ---- */

/* Makes the summary by one pass, in the place of the Gram matrix, or takes that of a problem without rows; and makes
 * the model and inner problem of its Gram matrix. From now on points are measured from it. */
gpis_status gpis_run_summarise(gpis_run *run);
/* Measures x from the summary, with its gradient in g. */
gpis_status gpis_run_measure_by_summary(gpis_run *run, const double *x, double *g, gpis_point *point);
/* From now on points are measured by passes again; the best point is to be measured next. */
void gpis_run_leave_summary(gpis_run *run);
/* Rounding errors of the summary stand between the objective and the tolerance, and a pass may be made. */
bool gpis_run_needs_rows(const gpis_run *run);

/* ---- the end (run.c) ---- */

/* Rounding errors of double precision stand between the objective and the tolerance, and extended precision, which has
 * not been tried, would help. */
bool gpis_run_needs_extended(const gpis_run *run);
/* From now on residuals are computed in extended precision; the best point is to be measured again. */
void gpis_run_extend(gpis_run *run);
/* Reports the latest pass to the caller, once, with what is known by now; the caller may end the run. Passes that a
 * method leaves unreported are reported before the next one begins. */
void gpis_run_report(gpis_run *run);
/* The same at the end of a run, with its result. */
void gpis_run_report_result(gpis_run *run);
/* Reports progress and applies the stopping rules. */
void gpis_run_check(gpis_run *run);
/* Applies the stopping rules; the latest pass is reported later, with what will be known then. */
void gpis_run_check_quietly(gpis_run *run);
/* Ends the run, unless it has ended already. */
void gpis_run_end(gpis_run *run, gpis_outcome outcome);
/* A run that is solved goes on, until it is solved again. */
void gpis_run_reopen(gpis_run *run);
/* The run cannot go on: ends it, with the limit that is reached as its reason, if there is one. */
void gpis_run_give_up(gpis_run *run);
/* No further pass may be made: the limit of passes or of time is reached, or there are no rows. */
bool gpis_run_exhausted(const gpis_run *run);
/* The problem has rows, and is not known by its summary alone. */
static inline bool gpis_run_has_rows(const gpis_run *run) { return !run->problem->summary; }
/* The limit of time is reached. */
bool gpis_run_out_of_time(const gpis_run *run);
/* Asked between the steps of long computations without a pass: whether the caller, or the clock, wants the run to stop.
 * It has ended then. */
bool gpis_run_is_to_stop(gpis_run *run);
/* The same for steps that may take microseconds, as those of inner problems: it is asked about ten times a second, and
 * not at all where the caller has no function for that and no limit of time. */
gpis_stop gpis_run_stop(gpis_run *run);

#endif
