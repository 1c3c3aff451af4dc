/*
 * newton after a pass: the best point of the hull, its bounds, and the point to which the next round goes. Also what
 * the model predicts there, and how fast the rounds get on.
 */
#include <math.h>
#include <string.h>

#include "method/certify.h"
#include "method/finish.h"
#include "method/newton.h"
#include "method/refine.h"

enum { MAX_FACES = 3 }; /* after so many faces that did not hold no other is tried */

/* ---- predictions ---- */

void gpis_newton_predict(gpis_newton *s, const gpis_point *from) {
    const gpis_curvature *curvature = &s->run->curvature;
    const gpis_problem *p = s->run->problem;
    memcpy(s->next, curvature->inner->s, (size_t)p->size * sizeof(double));
    if (!curvature->sketched || p->k > 1) return;
    for (int64_t j = 0; j < p->d; j++) s->step[j] = s->next[j] - from->x[j];
    gpis_model_apply(curvature->model, 1, s->step, s->predicted);
    for (int64_t j = 0; j < p->d; j++) s->predicted[j] += from->g[j];
}

void gpis_newton_compare(gpis_newton *s) {
    const double *norms2 = s->run->curvature.norms2;
    const double before = s->prediction_error;
    s->prediction_error = 0.0;
    for (int64_t j = 0; j < s->run->problem->d; j++)
        if (norms2[j] > 0.0)
            s->prediction_error = fmax(s->prediction_error, fabs(s->g[j] - s->predicted[j]) / sqrt(norms2[j]));
    if (before > 0.0) s->prediction_rate = fmin(1.0, s->prediction_error / before);
}

/* ---- bounds ---- */

/* Tries the solver in double-double once: where it is quick at once, else after some rounds that were not enough.
 * *solved: nothing else is left to do. */
static gpis_status try_shortcut(gpis_newton *s, bool *solved) {
    enum { MANY_ROUNDS = 4 };
    gpis_run *run = s->run;
    bool quick;
    *solved = false;
    if (s->shortcut_tried || run->settings->certificate == GPIS_CERTIFICATE_NONE) return GPIS_OK;
    if (!gpis_run_may_shortcut(run, &quick) || !(quick || s->pace.rounds >= MANY_ROUNDS)) return GPIS_OK;
    s->shortcut_tried = true;
    const gpis_status status = gpis_run_shortcut(run);
    *solved = gpis_record_is_solved(&run->record);
    return status;
}

/* The best point of the hull is the one that was just measured, whose first-order bound the record has already. */
static bool is_measured_point(const gpis_newton *s) {
    const gpis_point *a = &s->best, *b = &s->point;
    const size_t bytes = (size_t)s->run->problem->size * sizeof(double);
    return s->measured && a->objective == b->objective && memcmp(&a->errors, &b->errors, sizeof a->errors) == 0 &&
           memcmp(a->x, b->x, bytes) == 0 && memcmp(a->g, b->g, bytes) == 0;
}

static gpis_status bound_by_model(gpis_newton *s) {
    gpis_run *run = s->run;
    bool solved;
    gpis_status status = try_shortcut(s, &solved);
    if (status != GPIS_OK || solved) return status;
    if (run->curvature.model) status = gpis_run_second_order(run, &s->best, true);
    if (status == GPIS_OK && run->curvature.model) gpis_newton_predict(s, &s->best);
    return status == GPIS_OK && !is_measured_point(s) ? gpis_run_certify_first(run, &s->best) : status;
}

void gpis_newton_leave_face(gpis_newton *s) {
    gpis_on_face_destroy(s->face);
    s->face = NULL;
    s->expects_face = s->expects_face && ++s->faces_left < MAX_FACES;
}

/* The bound and the next point on the face of the point that was measured last; those of the model of all columns if
 * the face does not hold. */
static gpis_status bound_on_face(gpis_newton *s) {
    gpis_run *run = s->run;
    bool holds = s->face->model->slack == 0.0 && gpis_on_face_contains(s->face, s->x);
    gpis_status status = GPIS_OK;
    if (holds) status = gpis_on_face_solve(s->face, &run->record, &run->account, &s->point, s->next, &holds);
    if (status != GPIS_OK || gpis_record_is_solved(&run->record) || holds) return status;
    gpis_newton_leave_face(s);
    return bound_by_model(s);
}

/* ---- the pace ---- */

/* A round is slow if the error that the model sees shrinks by less than half, unless that error is mere rounding or far
 * below the tolerance. Slow rounds are a reason for another model. */
static void judge_model(gpis_pace *pace, const gpis_record *record, const gpis_inner *inner) {
    const double left = 2.0 * gpis_inner_fall(inner);
    const bool matters = left > fmax(record->noise, 0.1 * record->tol * record->objective);
    pace->slow = matters && left > 0.5 * pace->left ? pace->slow + 1 : 0;
    pace->left = left;
    pace->rounds++;
}

/* After this many passes, a round has to close a twentieth of the gap: at a lower pace no run ends in a reasonable
 * time, and another way is worth more than another hundred rounds. */
static bool is_creeping(const gpis_newton *s) {
    enum { FIRST_PASSES = 30 };
    static const double SHARE_OF_GAP = 0.05;
    const gpis_record *record = &s->run->record;
    const double gap = gpis_record_gap(record);
    return s->run->account.passes > FIRST_PASSES && s->pace.objective - record->objective < SHARE_OF_GAP * gap &&
           s->pace.gap - gap < SHARE_OF_GAP * gap;
}

static void judge_pace(gpis_newton *s) {
    gpis_record *record = &s->run->record;
    gpis_pace *pace = &s->pace;
    if (s->run->curvature.inner && !s->face) judge_model(pace, record, s->run->curvature.inner);
    if (s->phase == GPIS_PHASE_ROUND) {
        const gpis_facts facts = gpis_newton_look(s);
        const bool idle = gpis_record_judge(record, pace->objective, pace->gap) || is_creeping(s);
        pace->idle = idle && !gpis_is_waiting_for_probes(&facts) ? pace->idle + 1 : 0;
    }
    pace->objective = record->objective;
    pace->gap = gpis_record_gap(record);
}

/* ---- the step ---- */

/* The objective of the hull's best point is known as well as if it had been measured: the combination added less than
 * this share of it. */
static bool is_sharp(const gpis_newton *s, double added) {
    const double objective = gpis_record_objective_at(&s->run->record, &s->best);
    return added <= fmax(1e-10, 0.01 * s->run->settings->tol) * objective;
}

/* The answer is not to be a point that was not measured, unless its objective is known far better than the tolerance
 * asks for. */
static bool is_to_be_measured(const gpis_newton *s, double added) {
    const double share = fmax(1e-12, 1e-4 * s->run->settings->tol);
    const double objective = gpis_record_objective_at(&s->run->record, &s->best);
    return gpis_record_is_solved(&s->run->record) && added > share * objective && s->measured_for != GPIS_PHASE_HULL &&
           gpis_newton_may_measure(s);
}

gpis_status gpis_newton_certify(gpis_newton *s) {
    gpis_run *run = s->run;
    double added;
    s->best = gpis_hull_minimise(s->hull, s->xh, s->gh, &added);
    s->sharp = is_sharp(s, added);
    if (!s->sharp && s->measured_for != GPIS_PHASE_HULL && gpis_newton_may_measure(s)) return GPIS_OK;
    if (!s->sharp) s->best = gpis_hull_best(s->hull, s->xh, s->gh);
    gpis_record_offer(&run->record, &s->best);
    const gpis_status status = s->face ? bound_on_face(s) : bound_by_model(s);
    if (status != GPIS_OK) return status;
    if (is_to_be_measured(s, added)) {
        s->sharp = false;
        return GPIS_OK;
    }
    judge_pace(s);
    if (run->by_summary || (gpis_record_is_solved(&run->record) && gpis_refine_applies(run)))
        gpis_run_check_quietly(run); /* the next round needs no pass; refinement may still change the answer a little */
    else
        gpis_run_check(run);
    return GPIS_OK;
}
