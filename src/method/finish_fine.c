/* The finish by the problem in double-double (inner/fine.h). */
#include <math.h>
#include <string.h>

#include "certificate/certificate.h"
#include "certificate/known.h"
#include "inner/spectral.h"
#include "linalg/accurate.h"
#include "method/finish_place.h"

/* What the multiplier at v proves, as seen from the present point. */
static gpis_status enter_known(gpis_finish *f, const gpis_point *v, const gpis_known_multiplier *l) {
    gpis_record *record = &f->run->record;
    gpis_set *set = f->run->problem->set;
    gpis_model *model = NULL;
    gpis_status status = GPIS_OK;
    if (!gpis_set_is_bounded(set)) status = gpis_model_of_quadratic(f->run->context, f->summary, 0.0, &f->stop, &model);
    if (status == GPIS_OK) {
        const gpis_known_bound bound = gpis_certificate_known(set, v, l, model);
        const double away = bound.tilt * gpis_known_distance(set, v, f->here.x);
        const double lost = (away + gpis_certificate_noise(set, &f->here.point)) * (1.0 + 1e-9);
        gpis_record_enter_proven(record, NULL, bound.whole);
        gpis_record_enter_within(record, &f->here.point, (gpis_within){bound.lower - lost, bound.tilt, 0.0});
    }
    gpis_model_destroy(model);
    return status;
}

/* x := the solution, rounded to double, if f is lower there. `s` is memory for it. A solution of a problem with a
 * larger set counts only if it is in K. */
static gpis_status step_to_solution(gpis_finish *f, const double *x, bool relaxed, double *s) {
    const gpis_problem *p = f->run->problem;
    if (f->run->audit || !gpis_all_finite(x, p->size)) return GPIS_OK;
    const gpis_status status = gpis_set_approach(p->set, x, s);
    const bool moved = memcmp(x, s, (size_t)p->size * sizeof *s) != 0;
    return status == GPIS_OK && !(relaxed && moved) ? gpis_finish_step(f, s) : status;
}

/* What solves the problem in double-double: over K, or over a larger set. */
typedef struct solver {
    const gpis_set *set;     /* borrowed: the problem's own, or the larger one */
    gpis_fine *fine;         /* owned */
    gpis_spectral *spectral; /* owned: for a ball of the nuclear norm, NULL for other sets */
} solver;

/* The problem over a set that contains K, in double-double: its point and multiplier, and what they prove. */
static gpis_status solve_over(gpis_finish *f, const solver *by, double shift) {
    enum { VECTORS = 8 };
    static const double SHARE_OF_TOLERANCE = 1e-6;
    gpis_run *run = f->run;
    const gpis_problem *p = run->problem;
    double *part[VECTORS], *memory = gpis_alloc(run->context, VECTORS * p->size, sizeof *memory);
    if (!memory) return GPIS_NO_MEMORY;
    for (int i = 0; i < VECTORS; i++) part[i] = memory + i * p->size;
    const gpis_fine_point at = {part[0], part[1]};
    gpis_known_multiplier l = {.l = part[2], .l_low = part[3], .off = part[4]};
    const double objective = gpis_record_objective_at(&run->record, &f->here.point);
    const gpis_fine_aim aim = {SHARE_OF_TOLERANCE * run->record.tol * objective / (double)p->k, shift, &f->stop};
    if (by->spectral)
        gpis_spectral_solve(by->spectral, aim, &at);
    else
        for (int64_t c = 0; c < p->k; c++) gpis_fine_solve(by->fine, c, f->here.x, aim, &at, &l);
    gpis_status status = step_to_solution(f, at.x, by->set != p->set, part[7]);
    if (status == GPIS_OK) {
        const gpis_point v = gpis_quadratic_point(f->summary, at.x, at.x_low, part[5], part[6], run->curvature.norms2);
        if (by->spectral) status = gpis_spectral_multiplier(run->context, p->set, &v, &l);
        if (status == GPIS_OK) status = enter_known(f, &v, &l);
    }
    gpis_free(run->context, memory);
    return status;
}

/*
 * Where columns nearly depend on each other, a point that is not far away is preferred to others that are hardly
 * better. So the shifts are those of the models, and the last one, which follows directions as far as they can be told
 * from rounding errors, is for what they do not solve, or where the set bounds x, for all of K.
 */
static gpis_status go_through_shifts(gpis_finish *f, const solver *by) {
    enum { COUNT = GPIS_FINISH_SHIFTS };
    const gpis_record *record = &f->run->record;
    const bool bounded = gpis_set_is_bounded(f->run->problem->set);
    gpis_status status = GPIS_OK;
    for (int i = 0; status == GPIS_OK && i <= COUNT; i++) {
        if (gpis_finish_is_stopped(f) || gpis_finish_is_settled(record)) break;
        if (i == COUNT && !bounded && gpis_record_is_solved(record)) break;
        status = solve_over(f, by, i < COUNT ? GPIS_FINISH_SHIFT[i] : GPIS_FINE_HIDDEN);
        if (gpis_record_is_solved(record)) gpis_finish_keep(f);
    }
    if (status == GPIS_OK) gpis_finish_go_back(f);
    return status;
}

/* Whether the problem can be solved over K itself. */
static bool has_form(const gpis_set *set) { return gpis_flat_exists(set) || gpis_lift_applies(set); }

/* Over K, if it has a flat form, is a polyhedron or a ball of the nuclear norm; else over all x. */
static gpis_status make_solver(gpis_finish *f, solver *by, gpis_set **none) {
    const gpis_problem *p = f->run->problem;
    gpis_context *context = f->run->context;
    const bool flat = has_form(p->set), spectral = gpis_spectral_applies(p->set);
    gpis_status status = flat ? GPIS_OK : gpis_set_none(context, p->d, none);
    if (status == GPIS_OK) status = gpis_fine_create(context, flat ? p->set : *none, f->summary, &by->fine);
    if (status == GPIS_OK && spectral) status = gpis_spectral_create(context, p->set, by->fine, &by->spectral);
    by->set = flat || spectral ? p->set : *none;
    return status;
}

/* More than a few seconds. */
static bool is_too_large(const gpis_problem *p) {
    static const double MAX_COLUMNS = 600.0;
    const double responses = gpis_spectral_applies(p->set) ? (double)p->k : 1.0;
    int64_t entries = p->d, equations = 0;
    if (gpis_lift_applies(p->set)) gpis_lift_count(p->set, &entries, &equations);
    return (double)entries * cbrt(responses) > MAX_COLUMNS;
}

bool gpis_finish_has_fine(const gpis_problem *p) { return !is_too_large(p) && !(p->set->penalty && !has_form(p->set)); }

/* Solves the problem over K or the larger set with one shift, or with all of them. */
static gpis_status solve_finely(gpis_finish *f, bool all_shifts) {
    const gpis_problem *p = f->run->problem;
    gpis_set *none = NULL;
    solver by = {.set = p->set};
    if (!gpis_finish_has_fine(p)) return GPIS_OK;
    gpis_status status = make_solver(f, &by, &none);
    if (status == GPIS_OK) status = all_shifts ? go_through_shifts(f, &by) : solve_over(f, &by, GPIS_FINISH_SHIFT[0]);
    gpis_spectral_destroy(by.spectral);
    gpis_fine_destroy(by.fine);
    gpis_set_destroy(none);
    return status;
}

/* Solves the whole problem in double-double: the bounds that this yields need no model, and x is the solution rounded
 * to double. A set without a flat form is left out, unless it has a solver of its own: what is then proven holds for K,
 * too, and may be enough if K does not bind. Penalties over such sets are left to the rounds with models. */
gpis_status gpis_finish_finely(gpis_finish *f) { return solve_finely(f, true); }
gpis_status gpis_finish_finely_once(gpis_finish *f) { return solve_finely(f, false); }
