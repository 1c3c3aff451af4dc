/* The rounds of the finish, for smaller and smaller shifts of the model. */
#include "method/finish.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cost/cost.h"
#include "linalg/dd.h"
#include "linalg/quadratic.h"
#include "method/certify.h"
#include "method/refine.h"

enum {
    MAX_ROUNDS = 40,         /* with one model */
    MAX_SLOW_ROUNDS = 3,     /* in a row, that neither close half of the gap nor lower f, before the next model */
    MAX_INNER_STEPS = 15000, /* of iterative solvers of the inner problem, in all rounds together */
    MAX_POLISH_ROUNDS = 8    /* after the tolerance is met, for the last digits of x */
};

/* The shifts to try, in units of the columns. Factors with a condition number of up to 1e10 leave the inner problem,
 * which is solved in double, six digits. A smaller shift resolves more directions, with fewer digits for each. */
static const double MODERATE_INVERSE = 1e20;
static const double SHIFTS[] = {1e-20, 1e-23};
/* For an audit, which cannot improve its point: larger shifts see less far, and ask less of the point. */
static const double SHIFTS_OF_AUDIT[] = {1e-17, 1e-14};
/* Where none of them leads to a bound, x can still gain digits. At a condition number of 1e14 and a residual of 1e-12
 * of y, the backward error falls from 4e-15 to 1e-17. */
static const double SMALLEST_SHIFT = 1e-26;

/* A point measured from the summary; d x k numbers each. */
typedef struct place {
    double *x, *g, *g_low;
    gpis_point point;
} place;

typedef struct finish {
    gpis_run *run;           /* borrowed */
    gpis_quadratic *summary; /* owned */
    place here, there;       /* where the run is, and where it may go next */
    double *memory;          /* owned: the numbers of both */
    double *kept;            /* a part of it: the latest point that was solved within a horizon, d x k */
    double kept_objective;   /* there; infinite: there is none */
    gpis_within kept_bound;
    double fall;         /* of f by the latest step */
    int64_t inner_steps; /* of the inner problem, so far */
    int polished;        /* rounds since the tolerance was met */
} finish;

/* ---- the summary ---- */

static gpis_load load_of(const gpis_problem *p) {
    double anywhere;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .summary = &anywhere};
    return gpis_run_load(p, &pass);
}

bool gpis_finish_fits(const gpis_problem *p) {
    const gpis_load load = load_of(p);
    const double square = 8.0 * (double)p->d * (double)p->d, summary = gpis_quadratic_memory(p->d, p->k);
    const double pass = gpis_pass_memory(p->context, p->A, &load);
    /* the model so far is given back only when the next one is there: H, R, R_low and work beside H and R */
    const double model = 6.0 * square + gpis_inner_memory(p->set);
    return summary + fmax(pass, model) <= (double)gpis_account_left(p->context);
}

static gpis_status make_summary(finish *f) {
    gpis_run *run = f->run;
    const gpis_problem *p = run->problem;
    gpis_status status = gpis_quadratic_create(run->context, p->d, p->k, &f->summary);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .summary = f->summary->W};
    const gpis_load load = gpis_run_load(p, &pass);
    status = gpis_run_pass(run, &pass, gpis_cost_summary_ratio(p->A, p->k + p->terms.constant) / (double)p->k);
    f->summary->response_error = p->terms.response_error;
    f->summary->gamma = gpis_pass_roundings(p->A, &load).summary;
    return status;
}

/* ---- points ---- */

static void measure(const finish *f, place *at) {
    at->point = gpis_quadratic_point(f->summary, at->x, at->g, at->g_low, f->run->curvature.norms2);
}

static gpis_status make_places(finish *f) {
    const int64_t size = f->run->problem->size;
    f->memory = gpis_alloc(f->run->context, 7 * size, sizeof *f->memory);
    if (!f->memory) return GPIS_NO_MEMORY;
    double **field[] = {&f->here.x, &f->here.g, &f->here.g_low, &f->there.x, &f->there.g, &f->there.g_low};
    for (int i = 0; i < 6; i++) *field[i] = f->memory + i * size;
    f->kept = f->memory + 6 * size;
    f->kept_objective = INFINITY;
    memcpy(f->here.x, f->run->record.best, (size_t)size * sizeof(double));
    measure(f, &f->here);
    return GPIS_OK;
}

/* <b + sign a, there.x - here.x> in double-double, for the gradients a = here.g and b = there.g. */
static double along_step(const finish *f, double sign) {
    const place *a = &f->here, *b = &f->there;
    gpis_dd sum = {0.0, 0.0};
    for (int64_t i = 0; i < f->run->problem->size; i++) {
        const gpis_dd g = gpis_dd_add((gpis_dd){sign * a->g[i], sign * a->g_low[i]}, (gpis_dd){b->g[i], b->g_low[i]});
        sum = gpis_dd_add(sum, gpis_dd_multiply(g, gpis_dd_two_sum(b->x[i], -a->x[i])));
    }
    return gpis_dd_value(sum);
}

/* The step went too far, or in a direction in which the model is wrong: goes to the lowest point on the way. */
static gpis_status shorten_step(finish *f) {
    const gpis_problem *p = f->run->problem;
    const double change = along_step(f, 1.0), curvature = along_step(f, -1.0); /* 2 <g, p> + <p, G p>, and <p, G p> */
    const double t = curvature > 0.0 ? 0.5 * (curvature - change) / curvature : 0.0;
    if (!(t > 0.0 && t < 1.0)) return GPIS_OK;
    for (int64_t i = 0; i < p->size; i++) f->there.x[i] = f->here.x[i] + t * (f->there.x[i] - f->here.x[i]);
    const gpis_status status = gpis_set_project(p->set, f->there.x, f->there.x);
    measure(f, &f->there);
    return status;
}

/* Goes to the minimiser of the model, if f is lower there: f(there) - f(here) = <g + g', there - here>, which shows
 * smaller falls than the difference of the objectives does. */
static gpis_status step(finish *f) {
    gpis_status status = GPIS_OK;
    memcpy(f->there.x, f->run->curvature.inner->s, (size_t)f->run->problem->size * sizeof(double));
    measure(f, &f->there);
    f->fall = -along_step(f, 1.0);
    if (!(f->fall > 0.0)) {
        status = shorten_step(f);
        f->fall = -along_step(f, 1.0);
    }
    if (status != GPIS_OK || !(f->fall > 0.0)) return status;
    const place before = f->here;
    f->here = f->there;
    f->there = before;
    gpis_record_replace(&f->run->record, &f->here.point);
    return GPIS_OK;
}

/* ---- rounds ---- */

/* Neither time nor steps of the inner problem are left. */
static bool is_out_of_time(const finish *f) { return gpis_run_out_of_time(f->run) || f->inner_steps > MAX_INNER_STEPS; }

/* Solves the inner problem around the present point, and enters its bounds. */
static gpis_status certify(finish *f) {
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
static bool is_polished(finish *f, double before) {
    const bool converges = f->fall > f->run->record.grain && f->fall < 0.1 * before;
    return !converges || ++f->polished > MAX_POLISH_ROUNDS;
}

/* Rounds with the present model, until the run is solved or they do not help any more. Each of them ends with the
 * bounds of the point that it has reached. An audit makes no steps. */
static gpis_status go_rounds(finish *f) {
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
        status = step(f);
        if (status != GPIS_OK || !(f->fall > 0.0)) break;
        status = certify(f);
        const bool helped = left < 0.5 * least || f->fall > 0.1 * record->tol * record->objective;
        slow = helped ? 0 : slow + 1;
        least = fmin(least, left);
    }
    return status;
}

/* Takes the model with this shift; *made is false if there is none, or none that is better than those before. */
static gpis_status take_model(finish *f, double shift, double max_inverse, bool *made) {
    gpis_run *run = f->run;
    gpis_model *model;
    gpis_status status = gpis_model_of_quadratic(run->context, f->summary, shift, &model);
    *made = status == GPIS_OK && model && model->inverse <= max_inverse;
    if (!*made) {
        gpis_model_destroy(model);
        return status;
    }
    return gpis_curvature_take_model(&run->curvature, model);
}

/* ---- models ---- */

/* The bound of the present best point is good enough, and all of K is within it. */
static bool is_settled(const gpis_record *record) {
    return gpis_record_is_solved(record) && gpis_record_bound(record).horizon == 0.0;
}

/* Keeps the best point with its bound within a horizon, unless one is kept that is as low. */
static void keep(finish *f) {
    const gpis_record *record = &f->run->record;
    if (!(record->objective < f->kept_objective * (1.0 - record->tol))) return;
    f->kept_bound = record->within;
    f->kept_objective = record->objective;
    memcpy(f->kept, record->best, (size_t)f->run->problem->size * sizeof *f->kept);
}

/* Smaller shifts have led to points that are farther away, and hardly lower or without a bound: goes back to the one
 * that was kept. */
static void go_back(finish *f) {
    gpis_record *record = &f->run->record;
    const bool lower = record->objective < f->kept_objective * (1.0 - record->tol);
    if (isinf(f->kept_objective) || is_settled(record) || (lower && gpis_record_is_solved(record))) return;
    memcpy(f->here.x, f->kept, (size_t)f->run->problem->size * sizeof *f->kept);
    measure(f, &f->here);
    gpis_record_replace(record, &f->here.point);
    gpis_record_enter_within(record, &f->here.point, f->kept_bound);
}

/*
 * A model without a shift if it is not too ill conditioned, else with smaller and smaller ones, and at last without one
 * again if rounding errors of the summary allow it. A bound within a horizon does not end the search: the next model
 * sees farther.
 */
static gpis_status go_through_models(finish *f) {
    enum { COUNT = sizeof SHIFTS / sizeof *SHIFTS };
    const gpis_record *record = &f->run->record;
    gpis_status status;
    bool made;
    for (int i = -1; i <= COUNT && !is_settled(record) && !is_out_of_time(f); i++) {
        const bool shifted = i >= 0 && i < COUNT;
        status = take_model(f, shifted ? SHIFTS[i] : 0.0, i < 0 ? MODERATE_INVERSE : INFINITY, &made);
        if (status == GPIS_OK && made) status = go_rounds(f);
        if (status != GPIS_OK) return status;
        if (gpis_record_is_solved(record)) keep(f);
        if (made && i < 0) return GPIS_OK;
    }
    if (isinf(f->kept_objective) && !gpis_record_is_solved(record) && !is_out_of_time(f)) {
        status = take_model(f, SMALLEST_SHIFT, INFINITY, &made);
        if (status == GPIS_OK && made) status = go_rounds(f);
        if (status != GPIS_OK) return status;
    }
    go_back(f);
    return GPIS_OK;
}

/* Near-exact fits cancel in the summary: then residuals from A itself are better. */
static bool is_sharp_enough(const finish *f) {
    const gpis_record *record = &f->run->record;
    const double noise = f->here.point.errors.objective;
    return noise <= fmax(record->noise, 0.1 * record->tol * f->here.point.objective);
}

/* The bounds of the point that an audit is about. */
static gpis_status audit_models(finish *f) {
    enum { COUNT = sizeof SHIFTS_OF_AUDIT / sizeof *SHIFTS_OF_AUDIT };
    gpis_status status = go_through_models(f);
    for (int i = 0; status == GPIS_OK && i < COUNT && !gpis_record_is_solved(&f->run->record); i++) {
        bool made;
        status = take_model(f, SHIFTS_OF_AUDIT[i], INFINITY, &made);
        if (status == GPIS_OK && made) status = certify(f);
    }
    return status;
}

gpis_status gpis_run_finish(gpis_run *run) {
    finish f = {.run = run};
    gpis_status status = make_summary(&f);
    if (status == GPIS_OK) status = make_places(&f);
    const bool sharp = status == GPIS_OK && is_sharp_enough(&f);
    if (sharp) {
        gpis_record_set_response(&run->record, gpis_quadratic_response_norm(f.summary));
        gpis_record_replace(&run->record, &f.here.point);
        status = run->audit ? audit_models(&f) : go_through_models(&f);
    }
    if (status == GPIS_OK) gpis_run_check(run);
    if (status == GPIS_OK && sharp) status = gpis_refine_estimate(run, &f.here.point);
    gpis_quadratic_destroy(f.summary);
    gpis_free(run->context, f.memory);
    return status;
}
