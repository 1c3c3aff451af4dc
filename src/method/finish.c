/* The summary of the finish, and what is done with it. */
#include "method/finish.h"

#include <math.h>
#include <string.h>

#include "certificate/certificate.h"
#include "cost/cost.h"
#include "inner/lift.h"
#include "inner/spectral.h"
#include "method/finish_place.h"
#include "method/refine.h"

/* ---- the summary ---- */

static gpis_load load_of(const gpis_problem *p) {
    double anywhere;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .summary = &anywhere};
    return gpis_run_load(p, &pass);
}

bool gpis_finish_is_dear(const gpis_problem *p) {
    enum { MANY_COLUMNS = 1000 }; /* with so many a factor in double-double takes several seconds */
    return p->n < p->d && p->d > MANY_COLUMNS && !gpis_certificate_has_first(p->set);
}

bool gpis_finish_fits(const gpis_problem *p) {
    if (gpis_account_is_unlimited(p->context)) return true;
    const gpis_load load = load_of(p);
    const double square = 8.0 * (double)p->d * (double)p->d, summary = gpis_quadratic_memory(p->d, p->k);
    const double pass = gpis_pass_memory(p->context, p->A, &load);
    /* the model so far is given back only when the next one is there: H, R, R_low and work beside H and R */
    double model = 6.0 * square + gpis_inner_memory(p->set);
    const double spectral = gpis_spectral_applies(p->set) ? gpis_spectral_memory(p->d, p->k) : 0.0;
    if (gpis_finish_has_fine(p)) model = fmax(model, 7.0 * square + gpis_fine_memory(p->set) + spectral);
    return summary + fmax(pass, model) <= (double)gpis_account_left(p->context);
}

static gpis_status make_summary(gpis_run *run, gpis_quadratic **out) {
    const gpis_problem *p = run->problem;
    gpis_status status = gpis_quadratic_create(run->context, p->d, p->k, out);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .summary = (*out)->W};
    const gpis_load load = gpis_run_load(p, &pass);
    status = gpis_run_pass(run, &pass, gpis_cost_summary_ratio(p->A, p->k + p->terms.constant) / (double)p->k);
    (*out)->response_error = p->terms.response_error;
    (*out)->gamma = gpis_pass_roundings(p->A, &load).summary;
    return status;
}

/* Near-exact fits cancel in the summary: then residuals from A itself are better. */
static bool is_sharp_enough(const gpis_finish *f) {
    const gpis_record *record = &f->run->record;
    const double noise = gpis_certificate_noise(f->run->problem->set, &f->here.point);
    return noise <= fmax(record->noise, 0.1 * record->tol * gpis_record_objective_at(record, &f->here.point));
}

/* The problem in double-double, and the rounds with models, until the run is solved. Without a constraint rounds with
 * models come first: they give x its last digits. */
static gpis_status go_both_ways(gpis_finish *f) {
    const gpis_run *run = f->run;
    const bool whole = run->problem->set->shape == GPIS_SHAPE_WHOLE;
    gpis_status status = whole ? GPIS_OK : gpis_finish_finely(f);
    if (status == GPIS_OK && !gpis_record_is_solved(&run->record)) status = gpis_finish_by_models(f);
    if (status == GPIS_OK && !gpis_record_is_solved(&run->record)) status = gpis_finish_finely(f);
    return status;
}

/* A nearly exact fit: the summary does not tell how good x is, but the problem in double-double has an x that is better
 * than any before, and bounds that are true. Residuals from A itself measure that x, in extended precision. */
static gpis_status go_roughly(gpis_finish *f) {
    gpis_run *run = f->run;
    const gpis_problem *p = run->problem;
    gpis_point point;
    f->rough = true;
    gpis_status status = gpis_finish_finely(f);
    const bool moved = memcmp(f->here.x, run->record.best, (size_t)p->size * sizeof *f->here.x) != 0;
    if (status != GPIS_OK || !moved || f->stopped || gpis_run_exhausted(run)) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .X = f->here.x, .extended = true, .G = f->here.g};
    status = gpis_run_measure(run, &pass, 1.0, &point);
    if (status == GPIS_OK) gpis_record_offer(&run->record, &point);
    return status;
}

gpis_status gpis_run_finish(gpis_run *run) {
    gpis_quadratic *summary = NULL;
    gpis_status status = make_summary(run, &summary);
    gpis_finish f = {.run = run, .summary = summary};
    if (status == GPIS_OK) status = gpis_finish_begin(&f);
    const bool sharp = status == GPIS_OK && is_sharp_enough(&f);
    if (sharp) {
        gpis_record_set_response(&run->record, gpis_quadratic_response_norm(f.summary));
        gpis_record_replace(&run->record, &f.here.point);
        status = go_both_ways(&f);
    } else if (status == GPIS_OK)
        status = go_roughly(&f);
    if (status == GPIS_OK && !gpis_record_is_solved(&run->record)) status = gpis_finish_turned(run, summary);
    if (status == GPIS_OK) gpis_run_check(run);
    if (status == GPIS_OK && sharp) status = gpis_refine_estimate(run, &f.here.point);
    gpis_quadratic_destroy(summary);
    gpis_free(run->context, f.memory);
    return status;
}

bool gpis_run_may_shortcut(const gpis_run *run, bool *quick) {
    enum { QUICK = 64 }; /* entries: some milliseconds */
    const gpis_problem *p = run->problem;
    int64_t entries, equations;
    if (!run->by_summary || !p->set->class->piece || !gpis_lift_applies(p->set)) return false;
    gpis_lift_count(p->set, &entries, &equations);
    *quick = entries <= QUICK;
    return gpis_finish_has_fine(p) && gpis_finish_fits(p);
}

gpis_status gpis_run_shortcut(gpis_run *run) {
    gpis_finish f = {.run = run, .summary = run->summary, .rough = true};
    gpis_status status = gpis_finish_begin(&f);
    const bool sharp = status == GPIS_OK && is_sharp_enough(&f);
    if (sharp) status = gpis_finish_finely_once(&f);
    if (status == GPIS_OK && sharp && is_sharp_enough(&f)) gpis_record_replace(&run->record, &f.here.point);
    gpis_free(run->context, f.memory);
    return status;
}
