/*
 * Data so small that their squares underflow. Norms, objectives and every bound on a rounding error assume that no
 * product loses digits by underflow. That holds if each column of A, unless it is zero, has a norm of at least 2^-450,
 * and Y an entry of that size, unless Y is zero: underflow then changes a sum of squares by less than n 2^-1074, which
 * is nothing beside 2^-900 (docs/maths, "Underflow"). Otherwise the data are refused, as they are where squares
 * overflow.
 *
 * A norm that is large enough shows that all is well with its column, and so does an objective at x = 0, which is
 * ||Y||^2, with Y; nothing more is done then. At another x an objective that is large enough says nothing about Y: only
 * that nothing underflows there. Where single columns have no such norm, most often because they are zero, the next
 * pass counts their entries that are not zero. Where all of A or the objective is small, a pass of its own does, before
 * anything is computed from such numbers.
 */
#include <math.h>

#include "method/run.h"

static bool is_small(double square) { return square < GPIS_TINY * GPIS_TINY; }

static int64_t small_columns(const gpis_curvature *curvature) {
    int64_t count = 0;
    for (int64_t j = 0; j < curvature->problem->d; j++) count += is_small(curvature->norms2[j]);
    return count;
}

static gpis_status refuse_columns(const gpis_run *run) {
    const gpis_problem *p = run->problem;
    for (int64_t j = 0; j < p->d; j++)
        if (run->nonzeros[j] > 0.0 && is_small(run->curvature.norms2[j]))
            return gpis_fail(run->context, GPIS_BAD_DATA,
                             "%s: column %s: the squares of its entries underflow; multiply it by a large number",
                             gpis_source_name(p->A), gpis_problem_label(p, j).text);
    return GPIS_OK;
}

void gpis_range_board(gpis_run *run, gpis_pass *pass) {
    if (run->range == GPIS_RANGE_DUE && (pass->X || pass->gram || pass->summary)) pass->nonzeros = run->nonzeros;
}

/* Counts now, by a pass of its own. */
static gpis_status count_now(gpis_run *run, bool small_response) {
    const gpis_problem *p = run->problem;
    double sizes[2];
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .nonzeros = run->nonzeros, .y_sizes = sizes};
    const gpis_status status = gpis_run_pass(run, &pass, 0.0);
    if (status == GPIS_OK && small_response && sizes[0] > 0.0 && sizes[1] == 0.0)
        return gpis_fail(run->context, GPIS_BAD_DATA,
                         "y: the squares of its entries underflow; multiply y by a large number");
    return status;
}

/* The objective that the pass has found is ||Y||^2. */
static bool is_at_zero(const gpis_run *run, const gpis_pass *pass) {
    for (int64_t i = 0; pass->X && i < run->problem->size; i++)
        if (pass->X[i] != 0.0) return false;
    return true;
}

gpis_status gpis_range_take(gpis_run *run, const gpis_pass *pass, double objective) {
    const bool small_response = !run->response_checked && is_small(objective);
    const bool shows_response = small_response || (!isnan(objective) && is_at_zero(run, pass));
    run->response_checked = run->response_checked || shows_response;
    if (pass->nonzeros) {
        run->range = GPIS_RANGE_CHECKED;
        return refuse_columns(run);
    }
    int64_t small = 0;
    if (run->range == GPIS_RANGE_UNKNOWN && run->curvature.norms_known) {
        small = small_columns(&run->curvature);
        run->range = small > 0 ? GPIS_RANGE_DUE : GPIS_RANGE_CHECKED;
    }
    if (small == 0 && !small_response) return GPIS_OK;
    if (!run->nonzeros) run->nonzeros = gpis_alloc(run->context, run->problem->d, sizeof *run->nonzeros);
    if (!run->nonzeros) return GPIS_NO_MEMORY;
    return small == run->problem->d || small_response ? count_now(run, small_response) : GPIS_OK;
}

gpis_status gpis_range_settle(gpis_run *run) {
    if (run->range != GPIS_RANGE_DUE) return GPIS_OK;
    if (!gpis_run_exhausted(run)) return count_now(run, false);
    gpis_record_forget_bounds(&run->record);
    if (run->outcome == GPIS_SOLVED) run->outcome = gpis_run_out_of_time(run) ? GPIS_TIME_LIMIT : GPIS_MAX_PASSES;
    return GPIS_OK;
}
