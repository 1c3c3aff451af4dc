/* The rounds of the finish, for smaller and smaller shifts of the model. */
#include <math.h>

#include "method/certify.h"
#include "method/finish_place.h"

enum {
    MAX_ROUNDS = 40,         /* with one model */
    MAX_SLOW_ROUNDS = 3,     /* in a row, that neither close half of the gap nor lower f, before the next model */
    MAX_INNER_STEPS = 15000, /* of iterative solvers of the inner problem, in all rounds together */
    MAX_POLISH_ROUNDS = 8    /* after the tolerance is met, for the last digits of x */
};

/* Factors with a condition number of up to 1e10 leave the inner problem, which is solved in double, six digits. */
static const double MODERATE_INVERSE = 1e20;
/* For an audit, which cannot improve its point: larger shifts see less far, and ask less of the point. */
static const double SHIFTS_OF_AUDIT[] = {1e-17, 1e-14};
/* Where none of them leads to a bound, x can still gain digits. At a condition number of 1e14 and a residual of 1e-12
 * of y, the backward error falls from 4e-15 to 1e-17. */
static const double SMALLEST_SHIFT = 1e-26;

/* Neither time nor steps of the inner problem are left. */
static bool is_out_of_time(gpis_finish *f) { return gpis_finish_is_stopped(f) || f->inner_steps > MAX_INNER_STEPS; }

/* Solves the inner problem around the present point, and enters its bounds. */
static gpis_status certify(gpis_finish *f) {
    gpis_run *run = f->run;
    const gpis_status status = gpis_certify_step(&run->record, &run->curvature, &run->account, &f->here.point);
    f->inner_steps += run->account.inner_iterations;
    return status;
}

/* How much of f may still be above the minimum, as far as is known: the gap without the slack of the model. */
static double left_of(const gpis_record *record) {
    const double lower = fmax(gpis_record_lower(record), record->within.lower);
    return record->objective - lower;
}

/* Whether another round is worth its arithmetic once the tolerance is met. Only the last digits of x can gain, as long
 * as each step is far smaller than the one before: steady small falls lead along directions that A hardly has. */
static bool is_polished(gpis_finish *f, double before) {
    const bool converges = f->fall > f->run->record.grain && f->fall < 0.1 * before;
    return !converges || ++f->polished > MAX_POLISH_ROUNDS;
}

/* Rounds with the present model, until the run is solved or they do not help any more. Each of them ends with the
 * bounds of the point that it has reached. An audit makes no steps. */
static gpis_status go_rounds(gpis_finish *f) {
    gpis_run *run = f->run;
    gpis_record *record = &run->record;
    double least = INFINITY, before = INFINITY;
    gpis_status status = certify(f);
    f->fall = INFINITY;
    for (int round = 0, slow = 0; status == GPIS_OK && round < MAX_ROUNDS && slow < MAX_SLOW_ROUNDS; round++) {
        const double left = left_of(record);
        if (run->audit || is_out_of_time(f) || (gpis_record_is_solved(record) && round > 0 && is_polished(f, before)))
            break;
        before = f->fall;
        status = gpis_finish_step(f, run->curvature.inner->s);
        if (status != GPIS_OK || !(f->fall > 0.0)) break;
        status = certify(f);
        const bool helped = left < 0.5 * least || f->fall > 0.1 * record->tol * record->objective;
        slow = helped ? 0 : slow + 1;
        least = fmin(least, left);
    }
    return status;
}

/* Takes the model with this shift; *made is false if there is none, or none that is better than those before. */
static gpis_status take_model(gpis_finish *f, double shift, double max_inverse, bool *made) {
    gpis_run *run = f->run;
    gpis_model *model;
    gpis_status status = gpis_model_of_quadratic(run->context, f->summary, shift, &f->stop, &model);
    *made = status == GPIS_OK && model && model->inverse <= max_inverse;
    if (!*made) {
        gpis_model_destroy(model);
        return status;
    }
    return gpis_curvature_take_model(&run->curvature, model);
}

/* ---- models ---- */

/*
 * A model without a shift if it is not too ill conditioned, else with smaller and smaller ones, and at last without one
 * again if rounding errors of the summary allow it. A bound within a horizon does not end the search: the next model
 * sees farther.
 */
static gpis_status go_through_models(gpis_finish *f) {
    enum { COUNT = GPIS_FINISH_SHIFTS };
    const gpis_record *record = &f->run->record;
    gpis_status status;
    bool made;
    for (int i = -1; i <= COUNT && !gpis_finish_is_settled(record) && !is_out_of_time(f); i++) {
        const bool shifted = i >= 0 && i < COUNT;
        status = take_model(f, shifted ? GPIS_FINISH_SHIFT[i] : 0.0, i < 0 ? MODERATE_INVERSE : INFINITY, &made);
        if (status == GPIS_OK && made) status = go_rounds(f);
        if (status != GPIS_OK) return status;
        if (gpis_record_is_solved(record)) gpis_finish_keep(f);
        if (made && i < 0) return GPIS_OK;
    }
    if (isinf(f->kept_objective) && !gpis_record_is_solved(record) && !is_out_of_time(f)) {
        status = take_model(f, SMALLEST_SHIFT, INFINITY, &made);
        if (status == GPIS_OK && made) status = go_rounds(f);
        if (status != GPIS_OK) return status;
    }
    gpis_finish_go_back(f);
    return GPIS_OK;
}

/* The bounds of the point that an audit is about. */
static gpis_status audit_models(gpis_finish *f) {
    enum { COUNT = sizeof SHIFTS_OF_AUDIT / sizeof *SHIFTS_OF_AUDIT };
    gpis_status status = go_through_models(f);
    for (int i = 0; status == GPIS_OK && i < COUNT && !gpis_record_is_solved(&f->run->record); i++) {
        bool made;
        status = take_model(f, SHIFTS_OF_AUDIT[i], INFINITY, &made);
        if (status == GPIS_OK && made) status = certify(f);
    }
    return status;
}

gpis_status gpis_finish_by_models(gpis_finish *f) { return f->run->audit ? audit_models(f) : go_through_models(f); }
