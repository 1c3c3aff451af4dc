/* Bounds at a measured point, and the inner problem that they come from. */
#include "method/certify.h"

#include <math.h>

#include "certificate/centred.h"
#include "certificate/certificate.h"
#include "method/dependence.h"
#include "method/refine.h"

gpis_status gpis_certify_first(gpis_record *record, const gpis_point *point) {
    double gap;
    const gpis_status status = gpis_certificate_first(record->problem->context, record->problem->set, point, &gap);
    if (status == GPIS_OK) gpis_record_enter_proven(record, point, gpis_record_objective_at(record, point) - gap);
    return status;
}

gpis_status gpis_run_certify_first(gpis_run *run, const gpis_point *point) {
    const gpis_problem *p = run->problem;
    gpis_column_sums sums;
    double gap;
    if (!p->core || !(run->by_summary || run->moments)) return gpis_certify_first(&run->record, point);
    if (run->by_summary)
        sums = (gpis_column_sums){gpis_quadratic_row(run->summary, p->core->d), run->summary->gamma};
    else
        sums = (gpis_column_sums){run->moments + p->d, gpis_column_sums_gamma(p->n)};
    const gpis_status status = gpis_certificate_centred(p->context, p->core, point, sums, &gap);
    if (status == GPIS_OK)
        gpis_record_enter_proven(&run->record, point, gpis_record_objective_at(&run->record, point) - gap);
    return status;
}

/*
 * The first-order bound of an unbounded set. Where K is unbounded along one line only, and A is not flat along that, it
 * holds over all of K. Elsewhere it holds within a horizon, which is far if the multiplier is nearly finite. Where A
 * has fewer rows than columns, and not only a few, the finish takes far longer than all before it; such a bound may end
 * the run first.
 */
static gpis_status certify_first_tilted(gpis_run *run, const gpis_point *point) {
    const gpis_problem *p = run->problem;
    gpis_record *record = &run->record;
    const gpis_model *model = run->curvature.model;
    gpis_tilted bound;
    if (run->curvature.sketched || !(model->slack > 0.0) || gpis_certificate_has_first(p->set)) return GPIS_OK;
    const gpis_status status = gpis_certificate_first_tilted(p->context, p->set, point, &bound);
    if (status != GPIS_OK) return status;
    const double reach = gpis_certificate_line_reach(p->set, point, model);
    const double lower = gpis_record_objective_at(record, point) - bound.base;
    if (isfinite(reach)) gpis_record_enter_proven(record, point, lower - bound.tilt * reach);
    if (!gpis_problem_is_wide(p)) return GPIS_OK;
    if (run->by_summary) gpis_record_set_response(record, gpis_quadratic_response_norm(run->summary));
    gpis_record_enter_within(record, point, (gpis_within){lower, bound.tilt, 0.0});
    return GPIS_OK;
}

/* ---- the inner problem ---- */

/* How far the inner problem has been solved, in units of f. */
typedef struct inner_state {
    double gap;                    /* upper bound on how far the model can fall */
    gpis_second_order bound;       /* with the multiplier of the solver */
    gpis_second_order at_solution; /* with the multiplier at s, whose ties and bounds are exact; or the same */
    double fallen;                 /* how far it has fallen */
    double left;                   /* upper bound on how far it can still fall */
} inner_state;

/*
 * The inner problem is solved when the bound on the model's fall and the fall at s meet. For a bound alone it is enough
 * that 30 % of the bound is left. For a step, what is left is the error of the next point: a fifth of the tolerance is
 * allowed with an exact model; a sketched one is not worth more than a twentieth of its own fall. The inner problem
 * also ends when half as much work again moves neither of the two (rounding errors, or no bound at all).
 */
static bool inner_is_solved(const gpis_record *record, bool sketched, inner_state now, inner_state before,
                            bool for_step) {
    static const double SHARE_OF_TOLERANCE = 0.2, SHARE_FOR_BOUND = 0.3, SHARE_FOR_SKETCHED_STEP = 0.05;
    if (gpis_record_is_solved(record)) return true;
    if (!isfinite(now.gap)) return now.fallen - before.fallen <= 1e-6 * now.fallen + record->noise;
    const double tolerance = SHARE_OF_TOLERANCE * record->tol * record->objective;
    const double share = !for_step ? SHARE_FOR_BOUND : sketched ? SHARE_FOR_SKETCHED_STEP : 0.0;
    if (now.left <= fmax(share * now.gap, tolerance) + 2.0 * record->noise) return true;
    return now.gap >= 0.999 * before.gap && now.fallen - before.fallen <= 1e-3 * now.left;
}

/* Only the finish has factors in double-double. */
static bool is_of_finish(const gpis_model *model) { return model->R_low != NULL; }

/* A lower bound on f* from the Gram matrix: for A, or for the data near A that the model's claims are about. Bounds
 * within a horizon by other models than those of the finish do not see far: the finish may fall back on them, but they
 * do not end a run, and where bounds of first order may (the response is known), they are left out. */
static void enter_proven(gpis_record *record, const gpis_model *model, const gpis_point *point,
                         gpis_second_order bound) {
    const double F = gpis_record_objective_at(record, point), lower = F - bound.gap;
    if (model->nearness > 0.0)
        gpis_record_enter_nearby(record, point, lower, model->nearness);
    else
        gpis_record_enter_proven(record, point, lower);
    if (model->nearness > 0.0 || (record->response > 0.0 && !is_of_finish(model))) return;
    gpis_record_enter_within(record, point, (gpis_within){F - bound.base, 0.0, model->slack});
    gpis_record_enter_within(record, point, (gpis_within){F - bound.tilted, bound.tilt, model->slack});
}

/* The bound at the solution of the inner problem with a sketched model, and the c that the probes allow. */
static gpis_status enter_probable(gpis_record *record, const gpis_curvature *curvature, const gpis_point *point) {
    const gpis_problem *p = record->problem;
    const gpis_model *model = curvature->model;
    gpis_second_order bound;
    if (!(model->c > 0.0)) return GPIS_OK;
    const gpis_status status =
        gpis_certificate_second(p->context, p->set, point, model, model->c, curvature->inner->dual, &bound);
    if (status == GPIS_OK)
        gpis_record_enter_probable(record, point, gpis_record_objective_at(record, point) - bound.gap);
    return status;
}

/* One burst of the solver, and how far that has brought it. A bound within a horizon counts, if `within`. With a
 * sketched model, of which little may be known, c = 1 says how far the model itself can fall. */
static gpis_status advance(gpis_curvature *curvature, const gpis_point *point, int64_t burst, bool within,
                           inner_state *now, bool *done) {
    const gpis_problem *p = curvature->problem;
    gpis_inner *inner = curvature->inner;
    const double c = curvature->sketched ? 1.0 : curvature->model->c;
    gpis_status status = gpis_inner_run(inner, burst, done);
    if (status != GPIS_OK) return status;
    now->fallen = 2.0 * gpis_inner_fall(inner);
    status = gpis_certificate_second(p->context, p->set, point, curvature->model, c, inner->dual, &now->bound);
    now->at_solution = now->bound;
    if (status == GPIS_OK && inner->dual != inner->s && is_of_finish(curvature->model))
        status = gpis_certificate_second(p->context, p->set, point, curvature->model, c, inner->s, &now->at_solution);
    now->gap = within ? fmin(fmin(now->bound.base, now->bound.tilted), now->at_solution.base) : now->bound.gap;
    /* the solver's own bound, where it has one, contains neither c nor the rounding errors of the pass */
    now->left = fmin(now->gap - now->fallen, 2.0 * (inner->value - inner->bound));
    return status;
}

static gpis_status solve_inner(gpis_record *record, gpis_curvature *curvature, gpis_account *account,
                               const gpis_point *point, bool for_step) {
    enum { FIRST_BURST = 50 };
    const gpis_problem *p = record->problem;
    const bool finishing = is_of_finish(curvature->model);
    /* iterations: about as much arithmetic as 50 passes; in the finish, whose rounds need no pass, fewer */
    const int64_t most = finishing ? 2000 : 5000 + 50 * (p->n / p->d);
    const int64_t before = curvature->inner->iterations;
    inner_state now = {.gap = INFINITY}, last;
    bool done = false;
    gpis_inner_begin(curvature->inner, point->x, point->g);
    for (int64_t burst = FIRST_BURST; !done && curvature->inner->iterations - before < most; burst += burst / 2) {
        last = now;
        const gpis_status status = advance(curvature, point, burst, finishing, &now, &done);
        if (status != GPIS_OK) return status;
        if (!curvature->sketched) enter_proven(record, curvature->model, point, now.bound);
        if (!curvature->sketched) enter_proven(record, curvature->model, point, now.at_solution);
        if (inner_is_solved(record, curvature->sketched, now, last, for_step)) break;
    }
    gpis_account_enter_inner(account, curvature->inner->iterations - before);
    return GPIS_OK;
}

gpis_status gpis_certify_step(gpis_record *record, gpis_curvature *curvature, gpis_account *account,
                              const gpis_point *point) {
    return solve_inner(record, curvature, account, point, true);
}

gpis_status gpis_run_second_order(gpis_run *run, const gpis_point *point, bool for_step) {
    gpis_record *record = &run->record;
    gpis_curvature *curvature = &run->curvature;
    bool nearby = false;
    gpis_status status = gpis_run_reconsider_dependence(run, point);
    if (status == GPIS_OK) status = certify_first_tilted(run, point);
    if (status == GPIS_OK) status = solve_inner(record, curvature, &run->account, point, for_step);
    if (status == GPIS_OK) status = gpis_run_look_nearby(run, point, &nearby);
    if (status == GPIS_OK && nearby) status = solve_inner(record, curvature, &run->account, point, for_step);
    return status == GPIS_OK && curvature->sketched ? enter_probable(record, curvature, point) : status;
}

/* ---- the second-order bound of gradient methods ---- */

/*
 * Whether to pay for the second-order bound now. The first-order gap shrinks like the square root of the true error, so
 * the square of the relative gap is a guess at the true relative error. An unbounded set has no first-order bound,
 * unless its entries have penalties: there as many passes are made before as pay for the Gram matrix. After each
 * attempt the passes must grow by a quarter.
 */
static bool proof_is_due(const gpis_run *run) {
    enum { MAX_COLUMNS = 4000 };                   /* a Gram matrix of 128 MB */
    static const double LIKELY_TO_BE_ENOUGH = 1e3; /* the guess may be so many times the tolerance */
    if (run->settings->certificate == GPIS_CERTIFICATE_NONE || run->problem->d > MAX_COLUMNS) return false;
    if (run->account.passes < run->proof_due) return false;
    if (!gpis_certificate_has_first(run->problem->set))
        return run->curvature.model || (double)run->account.passes > run->prices.gram;
    const double first = gpis_record_gap(&run->record) / run->record.objective;
    return first * first <= LIKELY_TO_BE_ENOUGH * run->settings->tol;
}

/* With a free constant there is no first-order bound without the sums of the columns. Where the Gram matrix does not
 * fit in memory, so that there will be no other bound, a pass of its own finds them. */
static gpis_status find_column_sums(gpis_run *run) {
    const gpis_problem *p = run->problem;
    if (!p->core || run->moments || run->by_summary || !gpis_certificate_has_first(p->core)) return GPIS_OK;
    if (run->curvature.model || gpis_run_exhausted(run) || gpis_curvature_fits(p)) return GPIS_OK;
    double *moments = gpis_alloc(run->context, 3 * p->d, sizeof *moments);
    double *zeros = gpis_alloc_zero(run->context, p->d, sizeof *zeros);
    const gpis_pass pass = {.V = zeros, .probes = 1, .moments = moments};
    const gpis_status status = moments && zeros ? gpis_run_pass(run, &pass, 0.5) : GPIS_NO_MEMORY;
    gpis_free(run->context, zeros);
    if (status == GPIS_OK)
        run->moments = moments;
    else
        gpis_free(run->context, moments);
    return status;
}

gpis_status gpis_run_prove(gpis_run *run, const gpis_point *point, bool now) {
    const gpis_model *model = run->curvature.model;
    gpis_status status = find_column_sums(run);
    if (status == GPIS_OK) status = gpis_run_certify_first(run, point);
    now = now && run->settings->certificate != GPIS_CERTIFICATE_NONE;
    if (status == GPIS_OK && gpis_record_is_solved(&run->record)) return gpis_refine_estimate(run, point);
    if (status != GPIS_OK || !(now || proof_is_due(run))) return status;
    const bool needs_gram = !model || run->curvature.sketched;
    if (!model && gpis_run_exhausted(run)) return GPIS_OK;
    if (needs_gram && !gpis_curvature_fits(run->problem)) return GPIS_OK;
    if (needs_gram) status = gpis_run_make_model(run);
    if (status == GPIS_OK) status = gpis_run_second_order(run, point, false);
    run->proof_due = run->account.passes + run->account.passes / 4 + 1;
    if (status == GPIS_OK && gpis_record_is_solved(&run->record)) status = gpis_refine_estimate(run, point);
    return status;
}
