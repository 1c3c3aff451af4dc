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

enum {
    PATIENCE = 3, /* so many rounds in which nothing but rounding errors moves end the run */
    PROBES = GPIS_PROBES,
    SLOW = 3,      /* so many rounds that shrink the error by less than half are a reason for another model */
    ENOUGH = 24,   /* steps: a model that is not proven by then is a bad one */
    MOST_FACES = 3 /* tried */
};

/* x has been measured. */
static void take_point(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_run_offer(run, &s->point);
    gpis_hull_add(s->hull, &s->point);
}

/* The inner problem around x, where the gradient is g, has been solved: its minimiser is next, and the model's gradient
 * there is what is to be expected. */
static void foresee(gpis_newton *s, const double *x, const double *g) {
    const gpis_run *run = s->run;
    memcpy(s->next, run->inner->s, (size_t)run->size * sizeof(double));
    if (!run->sketched || run->k > 1) return;
    double *step = s->V; /* the directions of probes are written there anew for each pass */
    for (int64_t j = 0; j < run->d; j++) step[j] = s->next[j] - x[j];
    gpis_model_apply(run->model, 1, step, s->foreseen);
    for (int64_t j = 0; j < run->d; j++) s->foreseen[j] += g[j];
}

/* The gradient at the point foreseen has been measured. */
static void compare(gpis_newton *s) {
    const gpis_run *run = s->run;
    const double before = s->wrong;
    s->wrong = 0.0;
    for (int64_t j = 0; j < run->d; j++)
        if (run->norms2[j] > 0.0) s->wrong = fmax(s->wrong, fabs(s->g[j] - s->foreseen[j]) / sqrt(run->norms2[j]));
    if (before > 0.0) s->improving = fmin(1.0, s->wrong / before);
}

/* The start is the solution of the sketched problem, if that is better than x0 it will show. */
static gpis_status start_from_sketch(gpis_newton *s, const double *x0) {
    gpis_run *run = s->run;
    gpis_status status = gpis_newton_make_sketch(s, run->m, run->k);
    if (status == GPIS_OK && !s->sampling) status = gpis_newton_sketch_all(s);
    if (status == GPIS_OK) status = gpis_newton_add_to_model(s, x0);
    if (status != GPIS_OK) return status;
    if (run->norms_known) take_point(s); /* for them x0 itself had to be measured; no other pass has been there yet */
    status = gpis_run_inner(run, &s->point);
    if (status != GPIS_OK) return status;
    foresee(s, x0, s->g);
    memcpy(s->x, s->next, (size_t)run->size * sizeof(double));
    s->improving = fmin(1.0, sqrt((double)run->d / (double)run->m));
    s->hoping = s->hoped = gpis_on_face_applies(run) && gpis_on_face_free(run, s->x) <= gpis_on_face_most(run);
    return GPIS_OK;
}

/* ---- a round --------------------------------------------------------------------------------------------------------
 */

static bool has_use_for_probes(const gpis_newton *s) { return s->probes && gpis_probes_wanted(s->probes); }

/* The probes may still find a bound, or a better one. */
static bool is_waiting(const gpis_newton *s) { return !s->face && has_use_for_probes(s) && s->probes->steps < ENOUGH; }

/* f and g at x; probes ride along, and with `resketch` a new sketch of A. The first-order bound is tried here too: at
 * the end objectives are all alike, and the best point of the hull need not be the one whose gradient tells most. */
static gpis_status evaluate(gpis_newton *s, bool resketch) {
    gpis_run *run = s->run;
    const bool probing = !resketch && !s->hoping && (run->extended ? is_waiting(s) : has_use_for_probes(s));
    const bool facing = s->face && !s->face->model;
    gpis_pass pass = {.k = run->k, .Y = run->Y, .X = s->x, .extended = run->extended, .G = s->g};
    if (probing) {
        gpis_probes_directions(s->probes, s->V);
        pass.V = s->V;
        pass.probes = PROBES;
        pass.AAV = s->AAV;
    }
    if (facing) {
        pass.columns = s->face->columns;
        pass.count = s->face->count;
        pass.gram = s->face->H;
    }
    gpis_status status = GPIS_OK;
    const gpis_load load = gpis_load_of(&pass, run->d);
    if (resketch) {
        pass.sketch = s->sketch;
        run->sketches++;
        status = gpis_sketch_restart(s->sketch, (uint64_t)s->models);
    }
    const double along = (probing ? (double)PROBES / (double)run->k : 0.0) +
                         (double)load.gram * (double)load.gram / (4.0 * (double)run->size);
    if (status == GPIS_OK) status = gpis_run_measure(run, &pass, 1.0 + along, &s->point);
    if (status == GPIS_OK && probing)
        status = gpis_probes_absorb(s->probes, s->AAV, gpis_pass_roundings(run->A, &load).gradient);
    if (status == GPIS_OK && probing && gpis_model_covers(run->model, 1, run->norms2))
        run->model->c = gpis_probes_bound(s->probes);
    if (status == GPIS_OK && facing) status = gpis_on_face_take_gram(s->face, &load);
    if (status == GPIS_OK) take_point(s);
    return status == GPIS_OK ? gpis_run_first_order(run, &s->point) : status;
}

/* The objective of the hull's best point is as good as measured. */
static bool is_sharp(const gpis_newton *s, double error) {
    return error <= fmax(1e-10, 0.01 * s->run->settings->tol) * s->best.objective;
}

/* The best point of the hull. It is measured where the points it comes from are too far away to know it by them; should
 * that not help, the best measured point serves. */
static gpis_status step(gpis_newton *s) {
    gpis_run *run = s->run;
    double added;
    s->best = gpis_hull_minimise(s->hull, s->xh, s->gh, &added);
    if (!is_sharp(s, added) && !gpis_run_exhausted(run)) {
        memcpy(s->x, s->xh, (size_t)run->size * sizeof(double));
        const gpis_status status = evaluate(s, false);
        if (status != GPIS_OK) return status;
        s->best = gpis_hull_minimise(s->hull, s->xh, s->gh, &added);
    }
    if (!is_sharp(s, added)) s->best = gpis_hull_best(s->hull, s->xh, s->gh);
    gpis_run_offer(run, &s->best);
    return GPIS_OK;
}

/* The best point so far is measured in extended precision, and what was measured before is forgotten. */
static gpis_status measure_again(gpis_newton *s) {
    memcpy(s->x, s->run->best, (size_t)s->run->size * sizeof(double));
    gpis_hull_empty(s->hull);
    return evaluate(s, false);
}

/* The bounds at the best point of the hull, and where to go from there. */
static gpis_status bound_by_model(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_status status = GPIS_OK;
    if (run->model) status = gpis_run_second_order(run, &s->best, true);
    if (status == GPIS_OK && run->model) foresee(s, s->xh, s->gh);
    return status == GPIS_OK ? gpis_run_first_order(run, &s->best) : status;
}

static void leave_face(gpis_newton *s) {
    gpis_on_face_destroy(s->face);
    s->face = NULL;
    s->hoping = s->hoping && ++s->faces < MOST_FACES;
}

/* The same at the point measured last, on its face. */
static gpis_status bound_on_face(gpis_newton *s) {
    gpis_run *run = s->run;
    bool holds = s->face->model->slack == 0.0 && gpis_on_face_contains(s->face, s->x);
    gpis_status status = GPIS_OK;
    if (holds) status = gpis_on_face_solve(s->face, &s->point, s->next, &holds);
    if (status != GPIS_OK || gpis_run_solved(run) || holds) return status;
    leave_face(s);
    return bound_by_model(s);
}

/* Bounds; in extended precision, where rounding errors stand in the way of the tolerance. */
static gpis_status certify(gpis_newton *s) {
    gpis_run *run = s->run;
    gpis_status status = s->face ? bound_on_face(s) : bound_by_model(s);
    if (status != GPIS_OK || gpis_run_solved(run) || is_waiting(s) || !gpis_run_extend(run, false)) return status;
    status = measure_again(s);
    if (status != GPIS_OK) return status;
    status = step(s);
    return status == GPIS_OK ? certify(s) : status;
}

/* At a tight tolerance one round more: the objective hardly feels it, the last digits of x do. */
static gpis_status polish(gpis_newton *s) {
    gpis_run *run = s->run;
    memcpy(s->x, s->next, (size_t)run->size * sizeof(double));
    const gpis_status status = gpis_run_gradient(run, s->x, s->g, &s->point);
    if (status == GPIS_OK && s->point.objective <= run->objective + run->noise) gpis_run_replace(run, &s->point);
    return status;
}

/* How the rounds go: what the model says is left, relative to the round before. */
typedef struct pace {
    double left; /* the fall of the model at the last point: about f(x) - f* */
    int slow, idle;
    int rounds;    /* since the model was made or changed */
    bool resketch; /* the next pass carries a sketch */
    bool hopeless; /* sketches do not help */
} pace;

/* A Gram matrix that had to be shifted has lost digits that a sketch, held by its rows, still has. */
static bool has_lost_digits(const gpis_newton *s) { return !s->sketch_tried && s->run->model->shift > 0.0; }

/* Rounds that a model is given. A sample that is like A shrinks the error by d/m each, and is soon done. */
static int most_rounds(const gpis_newton *s) {
    const gpis_run *run = s->run;
    if (!s->sampling) return ENOUGH;
    const double rate = fmin(0.5, (double)run->d / (double)run->m);
    return (int)fmin(ENOUGH, 4.0 + 1.25 * log(run->settings->tol) / log(rate));
}

/* Averaging pays when the error shrinks by less than half a round, or takes all too many of them, and not for want of
 * digits; the sketch rides in the next pass. */
static void judge_pace(gpis_newton *s, pace *now) {
    const gpis_run *run = s->run;
    if (s->face) return;
    const double left = 2.0 * gpis_inner_fall(run->inner);
    const bool matters = left > fmax(run->noise, 0.1 * run->settings->tol * run->objective);
    now->slow = matters && left > 0.5 * now->left ? now->slow + 1 : 0;
    now->left = left;
    if (now->slow < SLOW && ++now->rounds < most_rounds(s)) return;
    now->slow = now->rounds = 0;
    now->resketch = run->sketched ? gpis_newton_can_average(s) : has_lost_digits(s);
    now->hopeless = run->sketched && !now->resketch;
}

/* In extended precision a point creeps on where the objective hardly shows it: at condition 1e12, where the model is
 * held by its rows, six rounds more are worth a digit of f. */
static int patience(const gpis_run *run) {
    if (!run->extended) return PATIENCE;
    return run->full_rank ? 3 * PATIENCE : 2 * PATIENCE;
}

/* Nothing moves any more, or not enough. Residuals in extended precision may help first. A sketch gives way to the Gram
 * matrix, whose bounds need no probes; a Gram matrix that has lost digits to a sketch. */
static gpis_status last_resort(gpis_newton *s, pace *now) {
    gpis_run *run = s->run;
    const bool no_more = run->settings->certificate == GPIS_CERTIFICATE_NONE || gpis_run_exhausted(run);
    const bool moving = now->hopeless && now->idle < patience(run);
    now->idle = 0;
    now->hopeless = false;
    s->hoping = false;
    if (s->face) {
        leave_face(s);
        return GPIS_OK;
    }
    if (!no_more && !moving && gpis_run_extend(run, true)) return measure_again(s);
    if (!no_more && run->sketched && !s->gram_tried && gpis_run_model_fits(run)) return gpis_newton_make_gram(s);
    if (!no_more && has_lost_digits(s))
        now->resketch = true;
    else if (!moving)
        gpis_run_end(run, GPIS_STALLED);
    return GPIS_OK;
}

/* The next point may be on a face small enough; its Gram matrix rides in the pass to there. */
static gpis_status look_for_face(gpis_newton *s) {
    gpis_run *run = s->run;
    if (gpis_on_face_free(run, s->next) > gpis_on_face_most(run)) s->hoping = false;
    if (!s->hoping) return GPIS_OK;
    return gpis_on_face_create(run, s->next, s->foreseen, s->improving * s->wrong, &s->face);
}

/* A round's pass, and what becomes of the sketch it may carry. Sampled rows need no pass: probes of the new model ride
 * along in this one already. */
static gpis_status go_on(gpis_newton *s, pace *now) {
    enum { ROWS_A_COLUMN = 8 };
    bool resketch = now->resketch;
    gpis_status status =
        resketch && !s->run->sketched ? gpis_newton_make_sketch(s, ROWS_A_COLUMN * s->run->d, 0) : GPIS_OK;
    now->resketch = false;
    if (status == GPIS_OK && s->hoping && !s->face && !resketch) status = look_for_face(s);
    memcpy(s->x, s->next, (size_t)s->run->size * sizeof(double));
    if (status == GPIS_OK && resketch && s->sampling) {
        status = gpis_newton_add_to_model(s, NULL);
        resketch = false;
    }
    if (status == GPIS_OK) status = evaluate(s, resketch);
    if (status == GPIS_OK && s->hoping && !s->face) compare(s);
    return status == GPIS_OK && resketch ? gpis_newton_add_to_model(s, NULL) : status;
}

/* Without a start of the caller's there is no hope that the Gram matrix is not needed: it is made in the same pass. */
static gpis_status first_pass(gpis_newton *s) {
    gpis_run *run = s->run;
    const bool hopeful = run->settings->x0 || run->settings->certificate == GPIS_CERTIFICATE_NONE;
    if (run->model || hopeful || (run->settings->max_passes == 1)) return evaluate(s, false);
    s->gram_tried = true;
    const gpis_status status = gpis_run_make_model(run, s->x, s->g, &s->point);
    if (status == GPIS_OK) take_point(s);
    return status;
}

/* There will be no face: where only a proof will do, or probes are the dearer way to a bound, the Gram matrix is due.
 */
static bool wants_gram(const gpis_newton *s) {
    static const double ROUNDS = 8.0;
    const double probing =
        s->run->A->block_kind == GPIS_BLOCK_CSR ? 5.0 : 1.4; /* gradient passes, for one with probes */
    const bool sketch_proves = s->hoping || s->face;
    const bool dear = s->hoped && gpis_run_model_cost(s->run) < ROUNDS * probing;
    return (dear || s->run->settings->certificate == GPIS_CERTIFICATE_PROVEN) && s->run->sketched && !sketch_proves &&
           !s->gram_tried && gpis_run_model_fits(s->run);
}

static gpis_status rounds(gpis_newton *s) {
    gpis_run *run = s->run;
    pace now = {.left = INFINITY};
    gpis_status status = first_pass(s);
    if (status == GPIS_OK && s->hoping) compare(s);
    while (status == GPIS_OK) {
        const double before = run->objective, gap = gpis_run_gap(run);
        status = step(s);
        if (status == GPIS_OK) status = certify(s);
        if (status != GPIS_OK) break;
        gpis_run_check(run);
        if (run->ended) break;
        if (!run->model || wants_gram(s)) { /* the same point once more, with the model */
            status = gpis_newton_make_gram(s);
            continue;
        }
        judge_pace(s, &now);
        status = go_on(s, &now);
        now.idle = gpis_run_idle(run, before, gap) && !is_waiting(s) ? now.idle + 1 : 0;
        if (status == GPIS_OK && (now.idle >= patience(run) || now.hopeless)) status = last_resort(s, &now);
    }
    const bool worth_it = status == GPIS_OK && run->outcome == GPIS_SOLVED && run->extended && run->inner;
    return worth_it && !gpis_run_exhausted(run) ? polish(s) : status;
}

/* ---- the method -----------------------------------------------------------------------------------------------------
 */

static gpis_status run_newton(gpis_run *run, const double *x0) {
    gpis_newton s = {.run = run};
    double *vectors = gpis_alloc(run->context, 6 * run->size + 2 * PROBES * run->d, sizeof *vectors);
    gpis_status status =
        vectors ? gpis_hull_create(run->context, run->d, run->k, run->set->shape == GPIS_SHAPE_WHOLE, &s.hull)
                : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        double **field[] = {&s.x, &s.g, &s.xh, &s.gh, &s.next, &s.foreseen};
        for (int i = 0; i < 6; i++) *field[i] = vectors + i * run->size;
        s.V = vectors + 6 * run->size;
        s.AAV = s.V + PROBES * run->d;
        memcpy(s.x, x0, (size_t)run->size * sizeof(double));
        if (run->m > 0) status = start_from_sketch(&s, x0);
        if (status == GPIS_OK) status = rounds(&s);
    }
    gpis_on_face_destroy(s.face);
    gpis_probes_destroy(s.probes);
    gpis_sketch_destroy(s.sketch);
    gpis_hull_destroy(s.hull);
    gpis_free(run->context, vectors);
    return status;
}

static const char *applicable(const gpis_run *run) {
    enum { MOST_COLUMNS = 20000 };
    return run->d > MOST_COLUMNS ? "its model would be too large" : NULL;
}

const gpis_method gpis_method_newton = {"newton", applicable, run_newton};
