/*
 * newton: a model H of A'A from one pass, then rounds of
 *
 *     g  = A'(A x - y)                                     one pass, always from the data
 *     s  = argmin over K of 1/2 <s - x, H (s - x)> + <g, s - x>
 *     x+ = the best point of the hull of all points so far (hull.h), no pass
 *
 * The model is the exact Gram matrix A'A, or (SA)'(SA) of a sketch with m rows. A sample of rows (sample.h) is such a
 * sketch too, and needs no pass where A is in memory. Residuals are always computed from A, so H only preconditions:
 * errors in H slow the rounds down but do not enter the answer.
 *
 * The inner problem also yields the second-order certificate at x. With the Gram matrix that certificate is proven.
 * With a sketch its constant c comes from random probes that ride along in the gradient passes, and the certificate is
 * probable (certificate/probes.h). The rounds then start from the solution of the sketched problem, which costs no
 * further pass (the paper's GPCS). Where few entries of the answer are free, no probes are needed: the rounds end on a
 * face (on_face.h), with a proof.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "method/certify.h"
#include "method/finish.h"
#include "method/look.h"
#include "method/method.h"
#include "method/newton.h"
#include "method/newton_plan.h"
#include "method/refine.h"

enum {
    PATIENCE = 3,        /* rounds in a row without progress before something else is tried, or the run ends */
    MAX_SLOW_ROUNDS = 3, /* rounds in a row that shrink the error by less than half, before another model is made */
    MAX_ROUNDS_PER_MODEL = 24, /* a model that has not led to a certificate after so many rounds is a bad one */
    MAX_PASSES_OF_PROBES = 40, /* a run of so many passes does not wait for probes any more */
    ROWS_PER_COLUMN = 8        /* of the sketch that replaces a Gram matrix which has lost digits */
};

/* ---- look: the facts ---- */

/* How many rounds a model is given. A sample that represents A well shrinks the error by d/m in each round, so it needs
 * few of them. */
static int max_rounds(const gpis_newton *s) {
    const gpis_run *run = s->run;
    if (!s->sampling) return MAX_ROUNDS_PER_MODEL;
    const double rate = fmin(0.5, (double)run->problem->d / (double)run->m);
    return (int)fmin(MAX_ROUNDS_PER_MODEL, 4.0 + 1.25 * log(run->settings->tol) / log(rate));
}

/* In extended precision x goes on improving where the objective hardly shows it. At condition 1e12, where the factor of
 * the model comes from its rows, six further rounds are worth a digit of f. */
static int patience(const gpis_run *run) {
    if (!run->extended) return PATIENCE;
    return run->curvature.dependence.full_rank ? 3 * PATIENCE : 2 * PATIENCE;
}

/* The step that follows the best point would lower f by more than rounding; and the tolerance asks for such digits, or
 * the model is one of dependent columns, whose steps are less accurate. */
static bool is_worth_polish(const gpis_newton *s) {
    static const double MANY_DIGITS = 1e-10; /* a smaller tolerance asks for them */
    const gpis_model *model = s->run->curvature.model;
    const bool wanted = s->run->settings->tol < MANY_DIGITS || (model && (model->nulls > 0 || model->shift > 0.0));
    return wanted && !s->face && isfinite(s->pace.left) && s->pace.left > 2.0 * DBL_EPSILON * s->run->record.objective;
}

static gpis_model_kind kind_of_model(const gpis_curvature *curvature) {
    if (!curvature->model) return GPIS_MODEL_NONE;
    return curvature->sketched ? GPIS_MODEL_SKETCH : GPIS_MODEL_GRAM;
}

/* The finish, which makes its own last steps, has ended the run. Where it could not use its summary (a nearly exact
 * fit), the answer is from before and may still be refined. */
static bool is_finished(const gpis_newton *s) {
    const bool may_refine = gpis_refine_applies(s->run) && isnan(s->run->backward_error);
    return s->run->ended && s->phase == GPIS_PHASE_FINISH && !may_refine;
}

/* Rounds with a Gram matrix are as good as in exact arithmetic, and few. If they are many, or slow, digits are missing.
 * Some part of the price of a summary, in gradient passes, is then spent already. */
static int finish_after(const gpis_newton *s) {
    enum { MANY = 8 };
    static const double SHARE = 0.25, SHARE_IF_SLOW = 1.0 / 16.0;
    const gpis_problem *p = s->run->problem;
    const double price = gpis_cost_summary_ratio(p->A, p->k) / (double)p->k;
    const bool slow = s->pace.slow >= MAX_SLOW_ROUNDS;
    return (int)fmin(1e6, fmax(slow ? MAX_SLOW_ROUNDS : MANY, (slow ? SHARE_IF_SLOW : SHARE) * price));
}

bool gpis_newton_may_measure(const gpis_newton *s) { return s->run->by_summary || !gpis_run_exhausted(s->run); }

/* Columns depend on each other, nearly or exactly: what follows needs more digits than the summary has. */
static bool is_flat_by_summary(const gpis_newton *s) {
    const gpis_model *model = s->run->curvature.model;
    return s->run->by_summary && model && model->slack > 0.0 && s->pace.rounds >= 2;
}

gpis_facts gpis_newton_look(const gpis_newton *s) {
    const gpis_run *run = s->run;
    const gpis_settings *settings = run->settings;
    const gpis_model_kind model = kind_of_model(&run->curvature);
    const bool sketched = model == GPIS_MODEL_SKETCH;
    return (gpis_facts){
        .ended = run->ended,
        .solved = run->ended && run->outcome == GPIS_SOLVED,
        .exhausted = gpis_run_exhausted(run),
        .rowless = !gpis_run_has_rows(run),
        .wants_bounds = settings->certificate != GPIS_CERTIFICATE_NONE,
        .wants_proof = settings->certificate == GPIS_CERTIFICATE_PROVEN,
        .started = s->phase != GPIS_PHASE_SKETCH,
        .given_start = settings->x0 != NULL,
        .one_pass = settings->max_passes == 1 && !settings->checkpoint, /* its passes depend on no limit */
        .sharp = s->sharp,
        .hull_tried = s->measured_for == GPIS_PHASE_HULL,
        .model = model,
        .begins_with_sketch = run->m > 0 && !s->sketch_skipped,
        .gram_tried = s->gram_tried,
        .gram_fits = sketched && gpis_curvature_fits(run->problem),
        .gram_is_cheaper = sketched && gpis_newton_gram_is_cheaper(s),
        .can_average = sketched && gpis_newton_can_average(s),
        .has_lost_digits = model == GPIS_MODEL_GRAM && !s->sketch_tried && run->curvature.model->shift > 0.0,
        .flat = model == GPIS_MODEL_GRAM && run->curvature.model->slack > 0.0,
        .flat_sketch = sketched && run->curvature.model->shift > 0.0,
        .finish_tried = s->finish_tried,
        .can_finish = !s->finish_tried && !gpis_finish_is_dear(run->problem) && gpis_finish_fits(run->problem),
        .summarises = s->summarises,
        .by_summary = run->by_summary,
        .needs_rows = gpis_run_needs_rows(run) || is_flat_by_summary(s),
        .rough = run->by_summary && gpis_record_is_rough(&run->record),
        .extended = run->extended,
        .noise_in_the_way = !run->by_summary && gpis_run_needs_extended(run),
        .can_extend = !run->extended,
        .expects_face = s->expects_face,
        .on_face = s->face != NULL,
        .probes_useful = s->probes && gpis_probes_wanted(s->probes),
        .probes_young =
            s->probes && s->probes->steps < MAX_ROUNDS_PER_MODEL && run->account.passes < MAX_PASSES_OF_PROBES,
        .can_polish = run->curvature.inner && s->phase != GPIS_PHASE_POLISH && !is_finished(s),
        .can_refine = run->problem->set->shape == GPIS_SHAPE_WHOLE,
        .worth_polish = is_worth_polish(s),
        .slow = s->pace.slow,
        .slow_limit = MAX_SLOW_ROUNDS,
        .rounds = s->pace.rounds,
        .rounds_limit = max_rounds(s),
        .finish_after = finish_after(s),
        .idle = s->pace.idle,
        .patience = patience(run),
    };
}

/* ---- prepare: what a phase does before its pass ---- */

static void go_to(gpis_newton *s, const double *x) { memcpy(s->x, x, (size_t)s->run->problem->size * sizeof(double)); }

/* Goes to the solution of the sketched problem, on which s->x has been measured. */
static gpis_status solve_sketched(gpis_newton *s) {
    gpis_run *run = s->run;
    const gpis_status status = gpis_certify_step(&run->record, &run->curvature, &run->account, &s->point);
    if (status != GPIS_OK) return status;
    gpis_newton_predict(s, &s->point);
    go_to(s, s->next);
    s->prediction_rate = fmin(1.0, sqrt((double)run->problem->d / (double)run->m));
    return GPIS_OK;
}

/* Makes the model of the rows that were looked at, and weighs again with what it shows. If it does not serve, the plan
 * is what it was. */
static gpis_status stay_with_sample(gpis_newton *s, gpis_sample *sample, double unsettled) {
    static const double TIMES_PROMISED = 4.0, SMALL = 1e-4; /* a nearly exact fit is no promise */
    gpis_run *run = s->run;
    const gpis_sketch_class *kind = run->kind;
    const int64_t m = run->m;
    bool seen;
    gpis_status status = gpis_newton_take_sample(s, sample, &seen);
    const double at_x0 = seen ? s->point.objective : 0.0;
    if (status == GPIS_OK && seen) status = solve_sketched(s);
    if (status != GPIS_OK) return status;
    s->expects_face = false;
    if (seen) s->look_promised = TIMES_PROMISED * (at_x0 - 2.0 * gpis_inner_fall(run->curvature.inner)) + SMALL * at_x0;
    if (seen) gpis_newton_weigh_look(s, (gpis_free_share){gpis_newton_share(s), unsettled}, kind, m);
    if (s->expects_face) return GPIS_OK;
    gpis_newton_drop_sketch(s);
    run->kind = kind;
    run->m = m;
    return GPIS_OK;
}

static gpis_status look_first(gpis_newton *s) {
    gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const int64_t m = (int64_t)gpis_look_rows((double)p->n, (double)p->d);
    gpis_sample *sample = NULL;
    gpis_free_share glance;
    gpis_status status =
        gpis_sample_create(run->context, p->A, p->Y, p->k, &p->terms, m, run->settings->seed, 0, &sample);
    if (status == GPIS_OK) status = gpis_look_glance(run, sample, s->x, &glance);
    if (status == GPIS_OK) gpis_newton_weigh_look(s, glance, run->kind, run->m);
    if (status == GPIS_OK && s->expects_face) status = stay_with_sample(s, sample, glance.unsettled);
    if (status == GPIS_OK) run->found = s->expects_face ? "few were seen" : "many were seen";
    gpis_sample_destroy(sample);
    return status;
}

/* Starts from the solution of the sketched problem. The first pass tells whether it beats x0. */
static gpis_status start_from_sketch(gpis_newton *s) {
    gpis_run *run = s->run;
    bool on_A = false;
    gpis_status status = gpis_newton_looks_first(s) ? look_first(s) : GPIS_OK;
    if (status != GPIS_OK || s->sketch_skipped || s->expects_face) return status;
    status = gpis_newton_make_sketch(s, run->m, run->problem->k);
    if (status == GPIS_OK && !s->sampling) status = gpis_newton_sketch_all(s);
    if (status == GPIS_OK) status = gpis_newton_add_to_model(s, s->x, &on_A);
    if (status != GPIS_OK) return status;
    if (on_A) {
        gpis_record_offer(&run->record, &s->point);
        gpis_hull_add(s->hull, &s->point);
    }
    status = solve_sketched(s);
    if (status == GPIS_OK) gpis_newton_weigh_sketch(s);
    return status;
}

/* The next point may lie on a face that is small enough: the Gram matrix of its columns then rides in the pass to it.
 */
static gpis_status look_for_face(gpis_newton *s) {
    gpis_run *run = s->run;
    const bool many = gpis_on_face_free(run->problem, s->next) > gpis_on_face_most(run);
    if (many || gpis_newton_face_is_late(s)) s->expects_face = false;
    if (!s->expects_face) return GPIS_OK;
    return gpis_on_face_create(run, s->next, s->predicted, s->prediction_rate * s->prediction_error, &s->face);
}

/* Sampled rows need no pass: the model is new before the pass of the round begins, and its probes ride along. */
static gpis_status prepare_round(gpis_newton *s, gpis_action *action) {
    const gpis_run *run = s->run;
    bool on_A;
    gpis_status status = GPIS_OK;
    if (action->sketch && !run->curvature.sketched)
        status = gpis_newton_make_sketch(s, ROWS_PER_COLUMN * run->problem->d, 0);
    if (status == GPIS_OK && action->look_for_face) status = look_for_face(s);
    if (status == GPIS_OK && action->sketch && s->sampling) {
        status = gpis_newton_add_to_model(s, NULL, &on_A);
        action->probes = !s->expects_face && s->probes;
    }
    go_to(s, s->next);
    return status;
}

/* Points of the summary are known less well than those that are measured from now on. */
static void prepare_rows(gpis_newton *s) {
    gpis_run_reopen(s->run);
    gpis_run_leave_summary(s->run);
    gpis_hull_empty(s->hull);
    go_to(s, s->run->record.best);
}

/* Points that were measured in double precision are not mixed with those that are measured from now on. */
static void prepare_extended(gpis_newton *s) {
    gpis_run_extend(s->run);
    gpis_hull_empty(s->hull);
    go_to(s, s->run->record.best);
}

/* The finish leaves the best point in the record; points from before are known less well. */
static gpis_status go_to_finish(gpis_newton *s) {
    s->finish_tried = s->sketch_tried = true; /* no sketch has digits that the summary lacks */
    gpis_newton_leave_face(s);
    gpis_hull_empty(s->hull);
    const gpis_status status = gpis_run_finish(s->run);
    if (!s->run->curvature.sketched) { /* probes belong to the sketched model, which is gone */
        gpis_probes_destroy(s->probes);
        s->probes = NULL;
    }
    go_to(s, s->run->record.best);
    memcpy(s->next, s->x, (size_t)s->run->problem->size * sizeof(double));
    return status;
}

/* Steps that the objective hardly shows but the last digits of x do: as many as refine.h finds useful, or one. */
static gpis_status polish(gpis_newton *s) {
    gpis_run *run = s->run;
    const gpis_record *record = &run->record;
    if (gpis_refine_applies(run) && !run->by_summary) return gpis_refine(run, &s->best, s->x, s->g);
    const bool worth = run->by_summary ? is_worth_polish(s) : run->extended || is_worth_polish(s);
    if (!worth || !gpis_newton_may_measure(s)) return gpis_refine_estimate(run, &s->best);
    go_to(s, s->next);
    const gpis_status status = run->by_summary ? gpis_run_measure_by_summary(run, s->x, s->g, &s->point)
                                               : gpis_run_gradient(run, s->x, s->g, &s->point);
    if (status != GPIS_OK || gpis_record_objective_at(record, &s->point) > record->objective + record->noise)
        return status;
    return gpis_record_exchange(&run->record, &s->point) ? gpis_refine_estimate(run, &s->point) : GPIS_OK;
}

/* A new model or another precision gets a fresh count of slow and idle rounds. */
static void restart_pace(gpis_newton *s, const gpis_action *action) {
    const bool another_way = action->phase == GPIS_PHASE_GRAM || action->phase == GPIS_PHASE_EXTENDED ||
                             action->phase == GPIS_PHASE_LEAVE_FACE || action->sketch;
    if (another_way || action->phase == GPIS_PHASE_ROWS) s->pace.idle = 0;
    if (another_way || action->give_up_on_face) s->pace.slow = s->pace.rounds = 0;
}

/* A combination of points that are far away is outside of the set by their rounding errors, which are larger than its
 * own. It is about to be measured wherever it is, so it is moved into the set first. */
static gpis_status go_to_combination(gpis_newton *s) {
    const gpis_status status = gpis_set_project(s->run->problem->set, s->xh, s->xh);
    if (status == GPIS_OK) go_to(s, s->xh);
    return status;
}

static gpis_status prepare(gpis_newton *s, gpis_action *action) {
    if (action->give_up_on_face) s->expects_face = false;
    if (action->phase != GPIS_PHASE_HULL) s->phase = action->phase;
    restart_pace(s, action);
    switch (action->phase) {
    case GPIS_PHASE_SKETCH: return start_from_sketch(s);
    case GPIS_PHASE_START: return action->gram && s->summarises ? gpis_newton_make_gram(s) : GPIS_OK;
    case GPIS_PHASE_HULL: return go_to_combination(s);
    case GPIS_PHASE_ROWS: prepare_rows(s); return GPIS_OK;
    case GPIS_PHASE_EXTENDED: prepare_extended(s); return GPIS_OK;
    case GPIS_PHASE_ROUND: return prepare_round(s, action);
    case GPIS_PHASE_GRAM: return gpis_newton_make_gram(s);
    case GPIS_PHASE_LEAVE_FACE: gpis_newton_leave_face(s); return GPIS_OK;
    case GPIS_PHASE_FINISH: return go_to_finish(s);
    case GPIS_PHASE_POLISH: return polish(s);
    case GPIS_PHASE_END:
        if (action->stalled) gpis_run_give_up(s->run);
        return GPIS_OK;
    }
    return GPIS_OK;
}

/* ---- the method ---- */

/* The only reading of A in a round, unless there is a summary: measures s->x, with everything that rides along. */
static gpis_status measure(gpis_newton *s, const gpis_action *action) {
    gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    gpis_pass pass = {.k = p->k, .Y = p->Y, .X = s->x, .extended = run->extended, .G = s->g};
    double gradients = 1.0;
    const bool by_pass = !run->by_summary || action->sketch;
    s->measured_for = action->phase;
    gpis_status status = by_pass ? gpis_newton_board(s, action, &pass, &gradients)
                                 : gpis_run_measure_by_summary(run, s->x, s->g, &s->point);
    if (status == GPIS_OK && by_pass) status = gpis_run_measure(run, &pass, gradients, &s->point);
    if (status != GPIS_OK) return status;
    gpis_record_offer(&run->record, &s->point);
    gpis_hull_add(s->hull, &s->point);
    if (gpis_newton_look_has_misled(s)) s->expects_face = false;
    return gpis_newton_take(s, action, &pass);
}

static gpis_status begin(gpis_newton *s, const double *x0) {
    gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const int64_t size = p->size, probes = GPIS_PROBES * p->d;
    s->vectors = gpis_alloc(run->context, 6 * size + 2 * probes + p->d, sizeof *s->vectors);
    if (!s->vectors) return GPIS_NO_MEMORY;
    double **field[] = {&s->x, &s->g, &s->xh, &s->gh, &s->next, &s->predicted};
    for (int i = 0; i < 6; i++) *field[i] = s->vectors + i * size;
    s->V = s->vectors + 6 * size;
    s->AAV = s->V + probes;
    s->step = s->AAV + probes;
    s->phase = s->measured_for = GPIS_PHASE_SKETCH; /* no point has been measured */
    s->pace = (gpis_pace){.left = INFINITY, .objective = INFINITY, .gap = INFINITY};
    go_to(s, x0);
    s->summarises = gpis_workload_summarises(p);
    if (gpis_refine_is_small(p) && gpis_run_has_rows(run)) gpis_run_extend(run);
    return gpis_hull_create(run->context, p->d, p->k, p->set->shape == GPIS_SHAPE_WHOLE, p->set, &s->hull);
}

static void end(gpis_newton *s) {
    gpis_on_face_destroy(s->face);
    gpis_probes_destroy(s->probes);
    gpis_sketch_destroy(s->sketch);
    gpis_hull_destroy(s->hull);
    gpis_free(s->run->context, s->gram);
    gpis_free(s->run->context, s->vectors);
}

static gpis_status run_newton(gpis_run *run, const double *x0) {
    gpis_newton s = {.run = run};
    gpis_action action = {0};
    gpis_status status = begin(&s, x0);
    while (status == GPIS_OK && action.phase != GPIS_PHASE_END) {
        const gpis_facts facts = gpis_newton_look(&s);
        action = gpis_decide(&facts);
        s.measured = gpis_phase_measures(action.phase);
        status = prepare(&s, &action);
        if (status == GPIS_OK && s.measured) status = measure(&s, &action);
        if (status == GPIS_OK && gpis_phase_certifies(action.phase)) status = gpis_newton_certify(&s);
    }
    end(&s);
    return status;
}

const gpis_method gpis_method_newton = {.name = "newton",
                                        .applicable = gpis_model_applicable,
                                        .run = run_newton,
                                        .chooses_m = true,
                                        .by_summary = true,
                                        .propose = gpis_newton_propose,
                                        .cost = gpis_newton_cost,
                                        .memory = gpis_newton_memory,
                                        .explain = gpis_newton_explain};
