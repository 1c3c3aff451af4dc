/*
 * The record of a run: the best feasible point so far, the best lower bounds on f*, and what counts as solved.
 *
 * A lower bound holds for the problem and not for a point, so bounds that were found at different points combine:
 *
 *     gap = objective of the best point - best lower bound,
 *
 * where a bound from another point than the best one is lowered by the rounding error of the best objective, which it
 * does not contain.
 *
 * Where the set has a penalty h (set/penalty.h), F = f + h takes the place of f in all of this, h >= 0.
 *
 * Bounds are of four kinds, which are kept apart: proven for A; probable, that is, wrong with a chance of at most
 * delta over our own random numbers; proven for A within a horizon, that is, for all points of K that are not too far
 * from the best one; and proven for some data very near to A, where columns of A depend on each other except for
 * rounding.
 */
#ifndef GPIS_RECORD_H
#define GPIS_RECORD_H

#include "linalg/point.h"
#include "problem/problem.h"

/* A lower bound on f* and what it is worth. */
typedef struct gpis_bound {
    double lower;
    bool probable;   /* it is wrong with a chance of at most delta */
    double horizon;  /* 0: the bound holds on all of K; else for all s in K with ||D (s - x)|| <= horizon ||y|| */
    double nearness; /* 0: the bound is for A; else it is for some A + E with ||E_j|| <= nearness ||a_j|| */
} gpis_bound;

/* The best lower bound of one kind: of all points, and of those that come from the best point. */
typedef struct gpis_lower {
    double anywhere, at_best;
} gpis_lower;

/* A bound within a horizon: f(s) >= lower - tilt r - slack r^2 for every s in K, where r = ||D (s - best)||. */
typedef struct gpis_within {
    double lower; /* -INFINITY: there is none at the present best point */
    double tilt, slack;
} gpis_within;

/* Only the functions below write these fields. Invariants: `objective` never rises by more than its error and the
 * bounds never fall, except by gpis_record_replace and gpis_record_forget_objective, which say so; `noise` and `grain`
 * belong to `best`. */
typedef struct gpis_record {
    const gpis_problem *problem; /* borrowed */
    double tol;                  /* the relative gap that counts as solved */
    gpis_certificate wanted;     /* the kinds of bounds that count */
    double *best;                /* owned, with `gradient`: the best feasible point, d x k */
    double *gradient;            /* A'(A best - Y), d x k, as it was measured at `best` or very near to it */
    bool gradient_known;         /* it has been measured */
    double objective;            /* F(best) = f + h, h the penalty of the set; infinite until it is measured */
    double fit;                  /* f(best), without the penalty */
    double known_objective;      /* F(best) as it was last known; `objective` is infinite while it is measured again */
    double noise;                /* an upper bound on the error of `objective` by rounding */
    double grain;                /* the most that rounding x to double adds to the least objective */
    gpis_lower proven;           /* f* >= proven */
    gpis_lower probable;         /* f* >= probable, but for a chance of delta */
    gpis_lower nearby;           /* f* >= nearby for some data within `nearness` of A */
    gpis_within within;          /* at `best` */
    bool coarse;                 /* objectives come from a quick summary: a small one may be mere rounding */
    double response;             /* ||y||; 0 until it is known */
    double nearness;             /* backward error of the bound `nearby`, relative to each column */
    bool idle;                   /* the latest round improved neither the objective nor the gap (gpis_record_judge) */
} gpis_record;

gpis_status gpis_record_begin(gpis_record *record, const gpis_problem *problem, double tol, gpis_certificate wanted);
void gpis_record_clear(gpis_record *record);

/* ---- the best point ---- */

/* Makes x, which has not been measured, the best point as long as there is no other. */
void gpis_record_start_at(gpis_record *record, const double *x);
/* Keeps a measured feasible point if it is the best so far, or the best one itself, known more exactly. */
void gpis_record_offer(gpis_record *record, const gpis_point *point);
/* Keeps it even if its objective is a little higher than that of the best point. */
void gpis_record_replace(gpis_record *record, const gpis_point *point);
/* Moves the best point to x, at which f differs from f(best) by at most `change`: what is known of the one is taken for
 * the other, widened by that much. Not if the run would not count as solved any more or, where it does not count as
 * solved, if that is more than the error of the objective; returns whether it was done. */
bool gpis_record_move(gpis_record *record, const double *x, double change);
/* Keeps another point of nearly the same objective in the place of the best one, unless the run would no longer be
 * solved with it or, if it is not solved, the objective would rise by more than rounding. Returns whether it did. */
bool gpis_record_exchange(gpis_record *record, const gpis_point *point);
/* From now on objectives come from a quick summary, or do not any more. While they do, only the tolerance counts: that
 * an objective is as small as its noise says nothing about x. */
void gpis_record_set_coarse(gpis_record *record, bool coarse);
/* The best point is about to be measured again, more exactly: whatever is measured next takes its place. */
void gpis_record_forget_objective(gpis_record *record);
/* The pass that was to measure the best point again was stopped: the objective that was known before holds. */
void gpis_record_recall_objective(gpis_record *record);
/* The objective of the best point, also while it is being measured again. */
double gpis_record_known_objective(const gpis_record *record);

/* F at a measured point, as the record counts it. */
double gpis_record_objective_at(const gpis_record *record, const gpis_point *point);

/* ---- lower bounds on f* ---- */

/* f* >= lower, as found at this point; NULL: at no point of the run. */
void gpis_record_enter_proven(gpis_record *record, const gpis_point *point, double lower);
void gpis_record_enter_probable(gpis_record *record, const gpis_point *point, double lower);
void gpis_record_enter_nearby(gpis_record *record, const gpis_point *point, double lower, double nearness);
/* ||y||, the unit of horizons. Before it is known there are no bounds within a horizon. */
void gpis_record_set_response(gpis_record *record, double norm);
/* Such a bound as was found at this point; counts only if that is the best point. Of two bounds the one with the
 * farther horizon is kept. */
void gpis_record_enter_within(gpis_record *record, const gpis_point *point, gpis_within bound);

/* Whatever was entered cannot be relied on. */
void gpis_record_forget_bounds(gpis_record *record);

/* A bound within a horizon of so many times ||y|| counts as solved: a better point would need terms a_j x_j that are a
 * hundred times as long as y and cancel each other. */
#define GPIS_FAR_HORIZON 100.0

/* Of the bounds that are wanted: the first that meets the tolerance, in the order proven, probable, within, nearby;
 * where none does, the highest. The horizon of a bound that meets the tolerance is the largest for which it does. */
gpis_bound gpis_record_bound(const gpis_record *record);
double gpis_record_lower(const gpis_record *record); /* that bound */
double gpis_record_gap(const gpis_record *record);   /* objective - lower, at least 0 */

/* ---- what counts ---- */

/* How well the best point is solved. A run without a certificate is never solved. */
typedef enum gpis_settled {
    GPIS_SETTLED_NOT,
    GPIS_SETTLED_BY_TOLERANCE, /* the gap is within the tolerance */
    GPIS_SETTLED_AS_ZERO,      /* the objective is zero to working accuracy: rounding x to double alone explains it */
    GPIS_SETTLED_BY_GRAIN      /* the gap is as small as an x in double precision allows; that is more than tol f */
} gpis_settled;
gpis_settled gpis_record_settled(const gpis_record *record);
bool gpis_record_is_solved(const gpis_record *record); /* one of the last three */
/* Sets and returns `idle`: since objective and gap had the given values, neither has changed by more than rounding and
 * the tolerance account for. */
bool gpis_record_judge(gpis_record *record, double objective, double gap);
/* Rounding errors of the objective stand between the gap and the tolerance, so that residuals in extended precision
 * would help: either the rest of the gap is small enough, or there is no bound and nothing but rounding moves. */
bool gpis_record_is_limited_by_noise(const gpis_record *record);
/* Whether rounding errors leave the objective fewer than ten digits. */
bool gpis_record_is_rough(const gpis_record *record);

#endif
