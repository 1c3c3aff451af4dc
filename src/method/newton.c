/*
 * newton: a model H of A'A from one pass, then rounds of
 *
 *     g  = A'(A x - y)                                     one pass, always from the data
 *     s  = argmin over K of 1/2 <s - x, H (s - x)> + <g, s - x>
 *     x+ = the best point of the hull of all points so far (hull.h), no pass
 *
 * The model is the exact Gram matrix, or (SA)'(SA) of a sketch with m rows: one dial, from a few rows to all n. Rows
 * that are sampled (sample.h) are such a sketch too, and need no pass where A is in memory.
 * Residuals are always recomputed from A, so H only preconditions; errors in it slow the rounds down but do not enter
 * the answer.
 *
 * The inner problem also yields the second-order certificate at x. With the Gram matrix it is proven. With a sketch the
 * constant in it comes from random probes that ride along in the gradient passes, and it is probable (probes.h); the
 * sketched problem's own solution, which costs no further pass, is where the rounds start (the paper's GPCS). Where few
 * entries of the answer are free, no probes are needed: the rounds end on a face (on_face.h), proven.
 */
#include <math.h>
#include <string.h>

#include "method/method.h"
#include "method/newton.h"
#include "method/newton_plan.h"

enum {
    PATIENCE = 3,              /* rounds in which nothing moves but by rounding, before the run ends */
    MAX_SLOW_ROUNDS = 3,       /* rounds that shrink the error by less than half, before another model is made */
    MAX_ROUNDS_PER_MODEL = 24, /* and a model that is not certified by then is a bad one */
    MAX_FACES = 3,             /* faces that are tried */
    ROWS_PER_COLUMN = 8        /* of the sketch that takes the place of a Gram matrix which has lost digits */
};

/* ---- facts
 * ------------------------------------------------------------------------------------------------------------
 */

/* Rounds that a model is given. A sample that is like A shrinks the error by d/m each, and is soon done. */
static int most_rounds(const gpis_newton *s) {
    const gpis_run *run = s->run;
    if (!s->sampling) return MAX_ROUNDS_PER_MODEL;
    const double rate = fmin(0.5, (double)run->problem->d / (double)run->m);
    return (int)fmin(MAX_ROUNDS_PER_MODEL, 4.0 + 1.25 * log(run->settings->tol) / log(rate));
}

/* In extended precision a point creeps on where the objective hardly shows it: at condition 1e12, where the model is
 * held by its rows, six rounds more are worth a digit of f. */
static int patience(const gpis_run *run) {
    if (!run->extended) return PATIENCE;
    return run->full_rank ? 3 * PATIENCE : 2 * PATIENCE;
}

/* Whether the Gram matrix costs less than the rounds that would go by until probes have certified the model. */
static bool gram_is_cheaper(const gpis_newton *s) {
    static const double ROUNDS_OF_PROBES = 8.0; /* what most sketched models need to a tolerance of 1e-10 */
    const gpis_source *A = s->run->problem->A;
    return s->expected_face_at_start && gpis_cost_gram_ratio(A) < ROUNDS_OF_PROBES * gpis_cost_probing_ratio(A);
}

static gpis_facts look(const gpis_newton *s) {
    const gpis_run *run = s->run;
    const gpis_settings *settings = run->settings;
    const bool sketched = run->model && run->sketched;
    return (gpis_facts){
        .ended = run->ended,
        .solved = run->ended && run->outcome == GPIS_SOLVED,
        .exhausted = gpis_run_exhausted(run),
        .wants_bounds = settings->certificate != GPIS_CERTIFICATE_NONE,
        .wants_proof = settings->certificate == GPIS_CERTIFICATE_PROVEN,
        .started = s->started,
        .given_start = settings->x0 != NULL,
        .one_pass = settings->max_passes == 1,
        .sharp = s->sharp,
        .hull_tried = s->hull_tried,
        .model = !run->model     ? GPIS_MODEL_NONE
                 : run->sketched ? GPIS_MODEL_SKETCH
                                 : GPIS_MODEL_GRAM,
        .begins_with_sketch = s->begins_with_sketch,
        .gram_tried = s->gram_tried,
        .gram_fits = sketched && gpis_run_model_fits(run),
        .gram_is_cheaper = sketched && gram_is_cheaper(s),
        .can_average = sketched && gpis_newton_can_average(s),
        .has_lost_digits = run->model && !run->sketched && !s->sketch_tried && run->model->shift > 0.0,
        .extended = run->extended,
        .noise_in_the_way = gpis_run_noise_is_in_the_way(run),
        .can_extend = !run->extended,
        .expects_face = s->expects_face,
        .on_face = s->face != NULL,
        .probes_useful = s->probes && gpis_probes_wanted(s->probes),
        .probes_young = s->probes && s->probes->steps < MAX_ROUNDS_PER_MODEL,
        .can_polish = run->inner && !s->polished,
        .slow = s->pace.slow,
        .slow_limit = MAX_SLOW_ROUNDS,
        .rounds = s->pace.rounds,
        .rounds_limit = most_rounds(s),
        .idle = s->pace.idle,
        .patience = patience(run),
    };
}

/* ---- after a pass: the best point, its bounds, and where to go from there
 * ----------------------------------------------
 */

/* The inner problem around a point has been solved: its minimiser is next, and the model's gradient there is what is to
 * be expected. */
static void foresee(gpis_newton *s, const gpis_point *from) {
    const gpis_run *run = s->run;
    memcpy(s->next, run->inner->s, (size_t)run->problem->size * sizeof(double));
    if (!run->sketched || run->problem->k > 1) return;
    for (int64_t j = 0; j < run->problem->d; j++) s->step[j] = s->next[j] - from->x[j];
    gpis_model_apply(run->model, 1, s->step, s->foreseen);
    for (int64_t j = 0; j < run->problem->d; j++) s->foreseen[j] += from->g[j];
}

/* The gradient at the point foreseen has been measured. */
static void compare(gpis_newton *s) {
    const gpis_run *run = s->run;
    const double before = s->wrong;
    s->wrong = 0.0;
    for (int64_t j = 0; j < run->problem->d; j++)
        if (run->norms2[j] > 0.0) s->wrong = fmax(s->wrong, fabs(s->g[j] - s->foreseen[j]) / sqrt(run->norms2[j]));
    if (before > 0.0) s->improving = fmin(1.0, s->wrong / before);
}

static gpis_status bound_by_model(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_status status = GPIS_OK;
    if (run->model) status = gpis_run_second_order(run, &s->best, true);
    if (status == GPIS_OK && run->model) foresee(s, &s->best);
    return status == GPIS_OK ? gpis_run_first_order(run, &s->best) : status;
}

static void leave_face(gpis_newton *s) {
    gpis_on_face_destroy(s->face);
    s->face = NULL;
    s->expects_face = s->expects_face && ++s->faces_left < MAX_FACES;
}

/* The same at the point measured last, on its face; by the model of all columns where the face does not hold. */
static gpis_status bound_on_face(gpis_newton *s) {
    bool holds = s->face->model->slack == 0.0 && gpis_on_face_contains(s->face, s->x);
    gpis_status status = GPIS_OK;
    if (holds) status = gpis_on_face_solve(s->face, &s->point, s->next, &holds);
    if (status != GPIS_OK || gpis_run_solved(s->run) || holds) return status;
    leave_face(s);
    return bound_by_model(s);
}

/* Averaging pays when the error shrinks by less than half a round, or takes all too many of them, and not for want of
 * digits. */
static void judge_pace(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_pace *pace = &s->pace;
    if (run->inner && !s->face) {
        const double left = 2.0 * gpis_inner_fall(run->inner);
        const bool matters = left > fmax(run->noise, 0.1 * run->settings->tol * run->objective);
        pace->slow = matters && left > 0.5 * pace->left ? pace->slow + 1 : 0;
        pace->left = left;
        pace->rounds++;
    }
    if (s->round_made) {
        const gpis_facts facts = look(s);
        const bool idle = gpis_run_idle(run, pace->objective, pace->gap);
        pace->idle = idle && !gpis_is_waiting_for_probes(&facts) ? pace->idle + 1 : 0;
    }
    s->round_made = false;
    pace->objective = run->objective;
    pace->gap = gpis_run_gap(run);
}

/* The objective of the hull's best point is as good as measured. */
static bool is_sharp(const gpis_newton *s, double added) {
    return added <= fmax(1e-10, 0.01 * s->run->settings->tol) * s->best.objective;
}

/* The best point of the hull, its bounds, and the next point. A point that is not known well enough is measured first,
 * if it may be; should that not help, the best measured point serves. */
static gpis_status settle(gpis_newton *s) {
    gpis_run *run = s->run;
    double added;
    s->best = gpis_hull_minimise(s->hull, s->xh, s->gh, &added);
    s->sharp = is_sharp(s, added);
    if (!s->sharp && !s->hull_tried && !gpis_run_exhausted(run)) return GPIS_OK;
    if (!s->sharp) s->best = gpis_hull_best(s->hull, s->xh, s->gh);
    gpis_run_offer(run, &s->best);
    const gpis_status status = s->face ? bound_on_face(s) : bound_by_model(s);
    if (status != GPIS_OK) return status;
    judge_pace(s);
    gpis_run_check(run);
    return GPIS_OK;
}

/* ---- actions
 * ----------------------------------------------------------------------------------------------------------
 */

/* Measures x, with all who ride along. The first-order bound is tried here too: at the end objectives are all alike,
 * and the best point of the hull need not be the one whose gradient tells most. */
static gpis_status measure(gpis_newton *s, const gpis_action *action) {
    gpis_run *run = s->run;
    gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = s->x, .extended = run->extended, .G = s->g};
    double gradients = 1.0;
    gpis_status status = gpis_newton_board(s, action, &pass, &gradients);
    if (status == GPIS_OK) status = gpis_run_measure(run, &pass, gradients, &s->point);
    if (status != GPIS_OK) return status;
    gpis_run_offer(run, &s->point);
    gpis_hull_add(s->hull, &s->point);
    status = gpis_run_first_order(run, &s->point);
    if (s->expects_face && !s->face) compare(s);
    return status == GPIS_OK ? gpis_newton_alight(s, action, &pass) : status;
}

static gpis_status measure_at(gpis_newton *s, const double *x, const gpis_action *action) {
    if (x != s->x) memcpy(s->x, x, (size_t)s->run->problem->size * sizeof(double));
    s->hull_tried = action->phase == GPIS_PHASE_HULL;
    s->started = true;
    const gpis_status status = measure(s, action);
    return status == GPIS_OK ? settle(s) : status;
}

/* The rounds start from the solution of the sketched problem. The first pass tells whether it beats x0. */
static gpis_status start_from_sketch(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_status status = gpis_newton_make_sketch(s, run->m, run->problem->k);
    if (status == GPIS_OK && !s->sampling) status = gpis_newton_sketch_all(s);
    if (status == GPIS_OK) status = gpis_newton_add_to_model(s, s->x);
    if (status != GPIS_OK) return status;
    if (run->norms_known) { /* for them x0 itself had to be measured */
        gpis_run_offer(run, &s->point);
        gpis_hull_add(s->hull, &s->point);
    }
    status = gpis_run_inner(run, &s->point);
    if (status != GPIS_OK) return status;
    foresee(s, &s->point);
    memcpy(s->x, s->next, (size_t)run->problem->size * sizeof(double));
    s->improving = fmin(1.0, sqrt((double)run->problem->d / (double)run->m));
    s->expects_face = s->expected_face_at_start =
        gpis_on_face_applies(run) && gpis_on_face_free(run, s->x) <= gpis_on_face_most(run);
    return GPIS_OK;
}

static gpis_status start_with_gram(gpis_newton *s) {
    gpis_run *run = s->run;
    s->gram_tried = s->started = true;
    const gpis_status status = gpis_run_make_model(run, s->x, s->g, &s->point);
    if (status != GPIS_OK) return status;
    gpis_run_offer(run, &s->point);
    gpis_hull_add(s->hull, &s->point);
    return settle(s);
}

/* The next point may be on a face small enough; its Gram matrix rides in the pass to there. */
static gpis_status look_for_face(gpis_newton *s) {
    gpis_run *run = s->run;
    if (gpis_on_face_free(run, s->next) > gpis_on_face_most(run)) s->expects_face = false;
    if (!s->expects_face) return GPIS_OK;
    return gpis_on_face_create(run, s->next, s->foreseen, s->improving * s->wrong, &s->face);
}

/* Sampled rows need no pass: the model is new already when the round's pass begins, and its probes ride along. */
static gpis_status go_round(gpis_newton *s, gpis_action action) {
    gpis_run *run = s->run;
    gpis_status status = GPIS_OK;
    if (action.sketch && !run->sketched) status = gpis_newton_make_sketch(s, ROWS_PER_COLUMN * run->problem->d, 0);
    if (status == GPIS_OK && action.look_for_face) status = look_for_face(s);
    if (status == GPIS_OK && action.sketch && s->sampling) {
        status = gpis_newton_add_to_model(s, NULL);
        action.sketch = false;
        action.probes = !s->expects_face && s->probes;
    }
    s->round_made = true;
    return status == GPIS_OK ? measure_at(s, s->next, &action) : status;
}

/* What was measured before, in double precision, is forgotten. */
static gpis_status measure_in_extended_precision(gpis_newton *s, const gpis_action *action) {
    gpis_run_extend(s->run);
    gpis_hull_empty(s->hull);
    return measure_at(s, s->run->best, action);
}

/* The objective hardly feels one round more, the last digits of x do. */
static gpis_status polish(gpis_newton *s) {
    gpis_run *run = s->run;
    s->polished = true;
    memcpy(s->x, s->next, (size_t)run->problem->size * sizeof(double));
    const gpis_status status = gpis_run_gradient(run, s->x, s->g, &s->point);
    if (status == GPIS_OK && s->point.objective <= run->objective + run->noise) gpis_run_replace(run, &s->point);
    return status;
}

/* What follows from a decision besides its pass. */
static void take_to_heart(gpis_newton *s, const gpis_action *action) {
    const bool another_way = action->phase == GPIS_PHASE_GRAM || action->phase == GPIS_PHASE_EXTENDED ||
                             action->phase == GPIS_PHASE_LEAVE_FACE || action->sketch;
    if (action->give_up_on_face) s->expects_face = false;
    if (another_way) s->pace.idle = 0;
    if (another_way || action->give_up_on_face) s->pace.slow = s->pace.rounds = 0;
}

static gpis_status act(gpis_newton *s, const gpis_action *action) {
    gpis_status status = GPIS_OK;
    take_to_heart(s, action);
    switch (action->phase) {
    case GPIS_PHASE_SKETCH: return start_from_sketch(s);
    case GPIS_PHASE_START: return action->gram ? start_with_gram(s) : measure_at(s, s->x, action);
    case GPIS_PHASE_HULL: return measure_at(s, s->xh, action);
    case GPIS_PHASE_EXTENDED: return measure_in_extended_precision(s, action);
    case GPIS_PHASE_ROUND: return go_round(s, *action);
    case GPIS_PHASE_GRAM: status = gpis_newton_make_gram(s); break;
    case GPIS_PHASE_LEAVE_FACE: leave_face(s); break;
    case GPIS_PHASE_POLISH: return polish(s);
    case GPIS_PHASE_END:
        if (action->stalled) gpis_run_end(s->run, GPIS_STALLED);
        return GPIS_OK;
    }
    return status == GPIS_OK ? settle(s) : status;
}

/* ---- the method -----------------------------------------------------------------------------------------------------
 */

static gpis_status begin(gpis_newton *s, const double *x0) {
    gpis_run *run = s->run;
    const int64_t size = run->problem->size, probes = GPIS_PROBES * run->problem->d;
    s->vectors = gpis_alloc(run->context, 6 * size + 2 * probes + run->problem->d, sizeof *s->vectors);
    if (!s->vectors) return GPIS_NO_MEMORY;
    double **field[] = {&s->x, &s->g, &s->xh, &s->gh, &s->next, &s->foreseen};
    for (int i = 0; i < 6; i++) *field[i] = s->vectors + i * size;
    s->V = s->vectors + 6 * size;
    s->AAV = s->V + probes;
    s->step = s->AAV + probes;
    s->begins_with_sketch = run->m > 0;
    s->pace = (gpis_pace){.left = INFINITY, .objective = INFINITY, .gap = INFINITY};
    memcpy(s->x, x0, (size_t)size * sizeof(double));
    return gpis_hull_create(run->context, run->problem->d, run->problem->k,
                            run->problem->set->shape == GPIS_SHAPE_WHOLE, &s->hull);
}

static void end(gpis_newton *s) {
    gpis_on_face_destroy(s->face);
    gpis_probes_destroy(s->probes);
    gpis_sketch_destroy(s->sketch);
    gpis_hull_destroy(s->hull);
    gpis_free(s->run->context, s->vectors);
}

static gpis_status run_newton(gpis_run *run, const double *x0) {
    gpis_newton s = {.run = run};
    gpis_action action = {0};
    gpis_status status = begin(&s, x0);
    while (status == GPIS_OK && action.phase != GPIS_PHASE_END) {
        const gpis_facts facts = look(&s);
        action = gpis_decide(&facts);
        status = act(&s, &action);
    }
    end(&s);
    return status;
}

const gpis_method gpis_method_newton = {.name = "newton",
                                        .applicable = gpis_model_applicable,
                                        .run = run_newton,
                                        .chooses_m = true,
                                        .propose = gpis_newton_propose,
                                        .cost = gpis_newton_cost,
                                        .memory = gpis_newton_memory,
                                        .explain = gpis_newton_explain};
