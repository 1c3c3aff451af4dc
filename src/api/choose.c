/*
 * The choice of the method. A checkpoint keeps the choice that was made when the run began, since the speeds the
 * planner goes by may differ by now. But a checkpoint is a file, and its checksum is no signature: what it says is
 * believed only where the planner itself could have said it of this problem.
 */
#include "api/choose.h"

#include <math.h>
#include <string.h>

#include "api/settings.h"
#include "plan/plan.h"

/* Whether this is text that ends within its array and that can be printed. */
static bool is_text(const char *text, size_t size) {
    const char *end = memchr(text, '\0', size);
    for (const char *at = text; end && at < end; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) return false;
    return end != NULL;
}

/* The candidate of the plan that the checkpoint names; NULL if it names none that the settings allow. */
static const gpis_candidate *find_candidate(const gpis_plan_table *plan, const gpis_settings *settings,
                                            const gpis_choice *kept) {
    const bool named = settings->method && strcmp(settings->method, "auto") != 0;
    if (named && strcmp(settings->method, kept->method) != 0) return NULL;
    for (int i = 0; i < plan->count; i++) {
        const gpis_candidate *c = &plan->candidates[i];
        const gpis_method *method = gpis_method_named(gpis_all_methods(), c->method);
        if (method && method->chooses_m && settings->m > 0 && c->m != settings->m) continue;
        if (strcmp(c->method, kept->method) == 0 && strcmp(c->sketch, kept->sketch) == 0 && c->m == kept->m) return c;
    }
    return NULL;
}

/* Whether these can be prices of a run: finite, and a sketch and a look may cost nothing, where there is none. */
static bool are_prices(const gpis_prices *p) {
    const bool finite =
        isfinite(p->gram) && isfinite(p->finish) && isfinite(p->probing) && isfinite(p->sketch) && isfinite(p->look);
    return finite && p->gram > 0.0 && p->finish > 0.0 && p->probing > 0.0 && p->sketch >= 0.0 && p->look >= 0.0;
}

/* The candidate that a checkpoint has kept; NULL, with the message set, if it cannot have been kept by a run like this.
 */
static const gpis_candidate *check_kept(const gpis_run *run, const gpis_plan_table *plan, const gpis_choice *kept) {
    const bool readable = is_text(kept->method, sizeof kept->method) && is_text(kept->sketch, sizeof kept->sketch) &&
                          is_text(kept->plan, sizeof kept->plan) && kept->passes >= 0 && are_prices(&kept->prices) &&
                          (isnan(kept->seconds) || (isfinite(kept->seconds) && kept->seconds >= 0.0));
    const gpis_candidate *candidate = readable ? find_candidate(plan, run->settings, kept) : NULL;
    if (!candidate)
        gpis_fail(run->context, GPIS_BAD_DATA,
                  "%s: it says that the problem was solved in a way that cannot be; remove it and start again",
                  run->settings->checkpoint);
    return candidate;
}

gpis_status gpis_choose(gpis_run *run, gpis_choice *choice, const gpis_method **method) {
    gpis_plan_table plan;
    bool resumed;
    if (run->problem->summary && run->settings->checkpoint)
        return gpis_fail(run->context, GPIS_NOT_APPLICABLE,
                         "a checkpoint keeps what passes give, and a summary needs none: leave option checkpoint out");
    gpis_status status = gpis_replay_resume(run, choice, &resumed);
    if (status == GPIS_OK)
        status = gpis_plan_choose(run->problem, run->settings, run->account.memory_before, true, &plan);
    if (status != GPIS_OK) return status;
    const gpis_candidate *chosen = resumed ? check_kept(run, &plan, choice) : &plan.candidates[plan.chosen];
    if (!chosen) return GPIS_BAD_DATA;
    if (!resumed) *choice = gpis_plan_choice(&plan);
    *method = gpis_method_find(run->context, choice->method);
    if (!*method) return GPIS_BAD_ARGUMENT;
    if (choice->sketch[0]) run->kind = gpis_sketch_find(choice->sketch);
    const char *reason = (*method)->applicable(run);
    if (!reason && !run->problem->set->has_support && !gpis_settings_are_limited(run->settings) && (*method)->endless)
        reason = "the set has no support function, so no certificate ends the run: give option max-passes or option "
                 "time-limit";
    if (!reason && run->settings->checkpoint && (*method)->by_rows)
        return gpis_fail(
            run->context, GPIS_NOT_APPLICABLE,
            "%s cannot be used here: a checkpoint keeps what whole passes give, and %s reads rows one by one",
            (*method)->name, (*method)->name);
    if (reason)
        return gpis_fail(run->context, GPIS_NOT_APPLICABLE, "%s cannot be used here: %s", (*method)->name, reason);
    if (isfinite(chosen->memory) && !gpis_account_affords(run->context, (*method)->name, chosen->memory))
        return GPIS_NO_MEMORY;
    return run->settings->checkpoint && !resumed ? gpis_replay_create(run, choice) : GPIS_OK;
}
