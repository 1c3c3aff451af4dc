/*
 * Refinement of a least-squares solution (K is the whole space) to the accuracy of a QR factorisation.
 *
 * The tolerance is about the objective, which is flat near its minimum: an x whose objective is within 1e-8 of the best
 * one has about 4 correct digits. From x1 with the measured gradient g1 the step x2 = x1 - H^-1 g1 shrinks the error by
 * a factor that is known in advance: the relative error of the model H of A'A, which is tiny unless A is very ill
 * conditioned. The backward error of x1 (linalg/backward.h), multiplied by that factor, is therefore what to expect of
 * x2. Where this is about the unit roundoff, x2 is taken as it is, without a pass; elsewhere x2 is measured, in
 * extended precision, and the next step goes out from there.
 */
#ifndef GPIS_REFINE_H
#define GPIS_REFINE_H

#include "method/run.h"

/* ---- the decision ---- */

typedef enum gpis_refinement {
    GPIS_REFINE_STOP,   /* x stays as it is */
    GPIS_REFINE_STEP,   /* take the next step without measuring it, and stop */
    GPIS_REFINE_MEASURE /* take the next step, measure it, and decide again */
} gpis_refinement;

typedef struct gpis_refine_facts {
    double estimate;  /* backward error of the present x; NaN: not known */
    double before;    /* that of the x before; infinite: there was none */
    double rate;      /* factor by which one step is expected to shrink the error */
    bool exact;       /* the gradient comes from extended precision */
    bool sensitive;   /* A is so ill conditioned that rounding errors of a gradient in double cost digits of x */
    int passes;       /* passes that the refinement has made */
    bool may_measure; /* a further pass is allowed */
    /* With the model of a sketch only. */
    int exact_passes; /* those of the passes that were made in extended precision */
    double entries;   /* of A, which a pass reads */
    double planned;   /* passes in all, in the present precision and before it */
} gpis_refine_facts;

/* Pure. */
gpis_refinement gpis_refine_decide(const gpis_refine_facts *facts);

/* The same with the model of a sketch, where every step is measured: whether another one is made, and whether
 * gradients are to come from extended precision from now on, since double has given what it can. Both are pure. */
bool gpis_refine_goes_on(const gpis_refine_facts *facts);
bool gpis_refine_turns_exact(const gpis_refine_facts *facts);
/* Plans the further passes in the present precision from a backward error, or a bound of it. */
void gpis_refine_plan(gpis_refine_facts *facts, double error);
/* Cuts the plan if this error is near to what is wanted. */
void gpis_refine_cut(gpis_refine_facts *facts, double error);
/* What this takes after a solve to the tolerance, where a step shrinks the error by `rate`: passes, and the same in
 * units of a gradient pass in double. */
typedef struct gpis_refine_passes {
    double passes, gradients;
} gpis_refine_passes;
gpis_refine_passes gpis_refine_expect(double entries, double rate, double tol);

/* The factor by which one step with this model shrinks the error, as rounding errors usually are; at most 1. */
double gpis_refine_rate(const gpis_model *model);

/* ---- a run ---- */

/* Whether the answer of this run can be refined: every x is allowed, and the model lacks no direction. With a sketch
 * that takes passes, which are not made where not even a bound is wanted. */
bool gpis_refine_applies(const gpis_run *run);
/* Whether the problem is so small that its passes are made in extended precision from the beginning. */
bool gpis_refine_is_small(const gpis_problem *problem);
/* Enters the estimate of the backward error at a measured point where it can be made; nothing if that is not the best
 * point. */
gpis_status gpis_refine_estimate(gpis_run *run, const gpis_point *point);
/* The estimate of the backward error at a measured point; NaN where there is none. */
gpis_status gpis_refine_measure_error(const gpis_run *run, const gpis_point *point, double *backward_error);
/* Makes a point the answer, unless its objective is higher than rounding explains, or the run would not count as solved
 * any more. */
bool gpis_refine_take(gpis_run *run, const gpis_point *point);
/* Refines from a measured point, with the model of a sketch (refine_sketched.c) or with that of all rows. `x` and `g`
 * (d x k each) are overwritten; the point may borrow them. */
gpis_status gpis_refine(gpis_run *run, const gpis_point *from, double *x, double *g);
gpis_status gpis_refine_with_sketch(gpis_run *run, const gpis_point *from, double *x, double *g);

#endif
