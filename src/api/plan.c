/* gpis_plan_make: the table of the planner, as the caller sees it. */
#include "plan/plan.h"

#include "api/complete.h"
#include "api/settings.h"

/* A gpis_plan with everything that gpis_plan_destroy frees. */
typedef struct made_plan {
    gpis_plan seen;        /* first: a gpis_plan * is a pointer to the whole */
    gpis_context *context; /* borrowed */
    gpis_plan_table table; /* holds the texts */
    gpis_plan_candidate candidates[GPIS_MAX_CANDIDATES];
    const gpis_plan_candidate *places[GPIS_MAX_CANDIDATES];
} made_plan;

static gpis_plan_candidate candidate_of(const gpis_candidate *c) {
    return (gpis_plan_candidate){.method = c->method,
                                 .sketch = c->sketch,
                                 .m = c->m,
                                 .passes = c->passes,
                                 .sketches = c->sketches,
                                 .flops = c->flops,
                                 .memory = c->memory,
                                 .seconds = c->seconds,
                                 .applicable = c->applicable,
                                 .chosen = c->chosen,
                                 .reason = c->reason};
}

static gpis_status make(gpis_context *context, const gpis_plan_table *table, gpis_plan **out) {
    made_plan *made = gpis_alloc_zero(context, 1, sizeof *made);
    if (!made) return GPIS_NO_MEMORY;
    made->context = context;
    made->table = *table;
    for (int i = 0; i < table->count; i++) {
        made->candidates[i] = candidate_of(&made->table.candidates[i]);
        made->places[i] = &made->candidates[i];
    }
    made->seen = (gpis_plan){.count = table->count,
                             .candidates = made->places,
                             .chosen = made->places[table->chosen],
                             .text = made->table.text};
    *out = &made->seen;
    return GPIS_OK;
}

/* Without a response, the plan is for as many columns of y as the set is made for. */
static gpis_problem assume_response(const gpis_problem *given) {
    gpis_problem assumed = *given;
    if (given->k > 0) return assumed;
    assumed.k = given->set ? given->set->k : 1;
    assumed.size = assumed.d * assumed.k;
    return assumed;
}

gpis_status gpis_plan_make(const gpis_problem *problem, const gpis_settings *settings, gpis_plan **plan) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    if (!plan) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the plan");
    *plan = NULL;
    context->message[0] = '\0';
    const gpis_problem assumed = assume_response(problem);
    const int64_t used = gpis_account_used(context);
    gpis_completion complete;
    gpis_call call = {0};
    gpis_plan_table table;
    gpis_status status = gpis_complete_begin(&assumed, &complete);
    if (status == GPIS_OK) status = gpis_complete_set(&complete);
    if (status == GPIS_OK) status = gpis_call_begin(&call, &complete.problem, settings);
    if (status == GPIS_OK) status = gpis_settings_check_end(context, &call.settings);
    if (status == GPIS_OK) {
        gpis_settings_fit_set(&call.settings, complete.problem.set);
        status = gpis_plan_choose(&complete.problem, &call.settings, used, false, &table);
    }
    if (status == GPIS_OK) status = make(context, &table, plan);
    gpis_call_end(&call, context);
    gpis_complete_end(&complete);
    return status;
}

void gpis_plan_destroy(gpis_plan *plan) {
    made_plan *made = (made_plan *)plan;
    if (made) gpis_free(made->context, made);
}
