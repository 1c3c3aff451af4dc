/* The choice among all proposals of all methods, and its reason in words. */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ranks/ranks.h"

_Static_assert((int)GPIS_MAX_PROPOSALS <= (int)GPIS_MAX_CANDIDATES, "a plan has a place for every proposal");

/* The choice is made for one rank and all threads of every machine, so that it does not depend on how many of them
 * there are; what is reported are the seconds with those that there are. */
typedef struct planner {
    gpis_inquiry inquiry;  /* its workload is that of all ranks */
    gpis_workload shared;  /* the workload of one rank on every machine */
    gpis_speed speed;      /* of the threads that there are, on all ranks */
    gpis_speed full_speed; /* of all threads of all machines */
    double used;           /* bytes that were in use before the solve */
    double available;      /* bytes that the solve may take */
    bool limited;          /* the caller has set a limit: what needs more is ruled out, even if it was asked for */
    gpis_proposals all;
} planner;

/* ---- the proposals --------------------------------------------------------------------------------------------------
 */

/* Plans are made for solves that take microseconds, too: no format is read where a text is copied. */
static void copy_text(char *to, size_t size, const char *text) {
    const size_t length = strnlen(text, size - 1);
    memcpy(to, text, length);
    to[length] = '\0';
}

static void rule_out(gpis_proposal *p, const char *reason) {
    p->possible = false;
    copy_text(p->reason, sizeof p->reason, reason);
}

static void check_memory(const planner *k, gpis_proposal *p) {
    if (p->memory <= k->available) return;
    p->possible = false;
    p->too_large = true;
    snprintf(p->reason, sizeof p->reason, "needs %s of memory, and %s are left", gpis_bytes(p->memory).text,
             gpis_bytes(k->available).text);
}

/* Asks the method what its proposal would take, and checks that it may be chosen. */
static void assess(const planner *k, const gpis_method *method, gpis_proposal *p) {
    gpis_workload here = *k->inquiry.work, shared = k->shared;
    if (p->sketch) here.sketch = shared.sketch = p->sketch;
    p->method = method;
    if (k->inquiry.brief && !p->settled && (p->impossible || p->unwise)) {
        p->memory = NAN;
        rule_out(p, p->impossible ? p->impossible : p->unwise);
        return;
    }
    p->effort = method->cost(&here, &k->speed, p->m);
    p->shared = method->cost(&shared, &k->full_speed, p->m);
    p->prices = gpis_prices_of(&shared, &k->full_speed, (double)p->m);
    p->memory = method->memory(k->inquiry.run, &here, p->m);
    p->possible = true;
    if (p->impossible)
        rule_out(p, p->impossible);
    else if (k->limited || !p->settled)
        check_memory(k, p);
    if (p->possible && p->unwise && !p->settled) rule_out(p, p->unwise);
}

/* A method that predicts nothing is considered only where it was asked for. */
static void add_unpredicted(planner *k, const gpis_method *method) {
    gpis_proposal *p = gpis_propose(&k->all);
    p->method = method;
    p->effort = p->shared = gpis_effort_of(0, NAN, NAN);
    p->prices = gpis_prices_of(&k->shared, &k->full_speed, 0.0);
    p->memory = NAN;
    p->possible = true;
    gpis_copy_text(p->title, sizeof p->title, method->name);
}

/* Where there are no rows, only a method that needs none. */
static bool fits_rows(const planner *k, const gpis_method *method) {
    return !k->inquiry.work->rowless || method->by_summary;
}

static void collect(planner *k, gpis_methods methods) {
    for (int i = 0; i < methods.count; i++) {
        const int before = k->all.count;
        if (!methods.rows[i]->propose || !fits_rows(k, methods.rows[i])) continue;
        methods.rows[i]->propose(&k->inquiry, &k->all);
        for (int j = before; j < k->all.count; j++) assess(k, methods.rows[i], &k->all.list[j]);
    }
    if (k->inquiry.asked && !k->inquiry.asked->propose) add_unpredicted(k, k->inquiry.asked);
}

/* ---- the choice -----------------------------------------------------------------------------------------------------
 */

static bool was_asked_for(const planner *k, const gpis_proposal *p) {
    const int64_t m = k->inquiry.run->settings->m;
    if (k->inquiry.asked && p->method != k->inquiry.asked) return false;
    return !p->method->chooses_m || m == 0 || p->m == m;
}

/* How many entries of the answer are free is not known beforehand, and no guess would be right for all problems. Each
 * proposal is therefore judged by its regret: how many times as long it takes as the best one, in the case that is
 * worse for it. */
static void find_regrets(planner *k) {
    double few = INFINITY, many = INFINITY;
    for (int i = 0; i < k->all.count; i++) {
        const gpis_proposal *p = &k->all.list[i];
        if (!p->possible || !was_asked_for(k, p)) continue;
        few = fmin(few, p->shared.few);
        many = fmin(many, p->shared.many);
    }
    for (int i = 0; i < k->all.count; i++) {
        gpis_proposal *p = &k->all.list[i];
        p->regret = fmax(p->shared.few / few, p->shared.many / many);
    }
}

/* What proposals are compared by: their regret, larger by how much less certain they are than the first. */
static double weight(const gpis_proposal *p) { return p->possible ? p->regret / p->worthwhile : INFINITY; }

/* Where the worse case is the same for both, the other one decides. */
static bool is_better(const gpis_proposal *p, const gpis_proposal *q) {
    static const double SAME = 1e-3; /* far less than any prediction can tell apart */
    const double a = weight(p), b = weight(q);
    if (isfinite(a) && fabs(a - b) <= SAME * b && p->worthwhile == q->worthwhile)
        return p->shared.seconds < q->shared.seconds;
    return a < b;
}

/* The best proposal among those asked for. Where none is possible it is the first: its method will say why not. */
static const gpis_proposal *choose(const planner *k) {
    const gpis_proposal *best = NULL;
    for (int i = 0; i < k->all.count; i++) {
        const gpis_proposal *p = &k->all.list[i];
        if (was_asked_for(k, p) && (!best || is_better(p, best))) best = p;
    }
    return best;
}

/* In the case that is worse for p. */
static double times_as_long(const gpis_proposal *p, const gpis_proposal *chosen) {
    return fmax(p->shared.few / chosen->shared.few, p->shared.many / chosen->shared.many);
}

/* Gives every proposal that is possible and was not chosen its reason. */
static void say_why_not(planner *k, const gpis_proposal *chosen) {
    for (int i = 0; i < k->all.count; i++) {
        gpis_proposal *p = &k->all.list[i];
        if (p == chosen || !p->possible || k->inquiry.brief) continue;
        if (!was_asked_for(k, p))
            snprintf(p->reason, sizeof p->reason, "not what was asked for");
        else if (p->regret <= chosen->regret && p->worthwhile < chosen->worthwhile && p->doubt)
            gpis_copy_text(p->reason, sizeof p->reason, p->doubt);
        else if (p->shared.few < chosen->shared.few && p->risk)
            gpis_copy_text(p->reason, sizeof p->reason, p->risk);
        else
            snprintf(p->reason, sizeof p->reason, "%.1f times as long", times_as_long(p, chosen));
    }
}

static void explain(const planner *k, const gpis_proposal *chosen, char *text, size_t size) {
    const gpis_verdict verdict = {&k->inquiry, &k->all, chosen};
    if (k->inquiry.asked && !chosen->method->chooses_m)
        snprintf(text, size, "%s, as asked for", chosen->method->name);
    else
        chosen->method->explain(&verdict, text, size);
}

/* ---- where nothing fits ---------------------------------------------------------------------------------------------
 */

/* The proposal that needs the least memory, among those that were asked for and need too much; NULL: there is none. */
static const gpis_proposal *smallest_too_large(const planner *k) {
    const gpis_proposal *least = NULL;
    for (int i = 0; i < k->all.count; i++) {
        const gpis_proposal *p = &k->all.list[i];
        if (p->too_large && was_asked_for(k, p) && (!least || p->memory < least->memory)) least = p;
    }
    return least;
}

static gpis_status fail_for_memory(const planner *k, const gpis_proposal *least) {
    gpis_context *context = k->inquiry.run->context;
    return gpis_fail(context, GPIS_NO_MEMORY,
                     "%s needs %s of memory besides the %s that hold y and what else is loaded, and %s are allowed: "
                     "give option memory %s%s",
                     least->title, gpis_bytes(least->memory).text, gpis_bytes(k->used).text,
                     gpis_bytes((double)context->limit).text, gpis_bytes(least->memory + k->used).text,
                     k->inquiry.asked ? ", or leave the method to the plan" : "");
}

/* ---- the plan -------------------------------------------------------------------------------------------------------
 */

/* Ranks on other machines bring processors and memory of their own, taken to be like those here. */
static gpis_machine all_machines(gpis_machine machine, int machines) {
    machine.threads *= machines;
    machine.read_bytes *= machines;
    machine.gradient_bytes *= machines;
    machine.disk_bytes *= machines;
    machine.syrk_flops *= machines;
    return machine;
}

static gpis_machine machine_of(const gpis_settings *settings) {
    gpis_machine machine = settings->machine ? *settings->machine : gpis_machine_default();
    if (machine.disk_bytes == 0.0) machine.disk_bytes = gpis_machine_default().disk_bytes;
    return machine;
}

static void write_down(const planner *k, const gpis_proposal *chosen, gpis_plan_table *out) {
    out->count = k->all.count;
    out->chosen = (int)(chosen - k->all.list);
    for (int i = 0; i < k->all.count; i++) {
        const gpis_proposal *p = &k->all.list[i];
        gpis_candidate *c = &out->candidates[i];
        *c = (gpis_candidate){.m = p->m,
                              .passes = p->effort.passes,
                              .sketches = p->effort.sketches,
                              .flops = p->effort.flops,
                              .memory = p->memory,
                              .seconds = p->effort.seconds,
                              .prices = p->prices,
                              .applicable = p->possible,
                              .chosen = p == chosen};
        copy_text(c->method, sizeof c->method, p->method->name);
        copy_text(c->sketch, sizeof c->sketch, p->sketch ? p->sketch->name : "");
        copy_text(c->reason, sizeof c->reason, p->reason);
    }
    explain(k, chosen, out->text, sizeof out->text);
}

gpis_status gpis_plan_choose_among(gpis_methods methods, const gpis_problem *problem, const gpis_settings *settings,
                                   int64_t used, bool brief, gpis_plan_table *out) {
    gpis_context *context = problem->context;
    const gpis_method *asked = NULL;
    out->count = 0;
    out->text[0] = '\0';
    if (settings->method && strcmp(settings->method, "auto") != 0) {
        asked = gpis_method_named(methods, settings->method);
        if (!asked) return gpis_method_unknown(context, methods, settings->method);
        if (problem->summary && !asked->by_summary)
            return gpis_fail(context, GPIS_NOT_APPLICABLE,
                             "%s cannot be used here: it reads the rows of A, and of a summary only sums are known",
                             asked->name);
    }
    const int ranks = gpis_ranks_count(problem->A), machines = gpis_ranks_machines(problem->A);
    const gpis_machine one = machine_of(settings), machine = all_machines(one, machines);
    const gpis_speed full_speed = gpis_speed_of(&machine, machine.threads);
    gpis_run run = {.context = context, .problem = problem, .settings = settings, .kind = gpis_run_kind(settings)};
    gpis_workload work = gpis_workload_of(problem, settings, run.kind, &one), shared = work;
    work.ranks = ranks;
    shared.ranks = machines;
    run.prices = gpis_prices_of(&shared, &full_speed, 0.0);
    const double limit = context->limit > 0 ? (double)(context->limit - used) : INFINITY;
    planner k = {.inquiry = {.run = &run, .work = &work, .asked = asked, .brief = brief},
                 .shared = shared,
                 .speed = gpis_speed_of(&machine, context->threads * ranks),
                 .full_speed = full_speed,
                 .used = (double)used,
                 .available = fmin(machine.memory, limit),
                 .limited = context->limit > 0};
    collect(&k, methods);
    find_regrets(&k);
    const gpis_proposal *chosen = choose(&k), *least = k.limited ? smallest_too_large(&k) : NULL;
    if (!chosen) return gpis_fail(context, GPIS_NOT_APPLICABLE, "no method proposes a way to solve this problem");
    if (!chosen->possible && least) return fail_for_memory(&k, least);
    say_why_not(&k, chosen);
    write_down(&k, chosen, out);
    return GPIS_OK;
}

gpis_status gpis_plan_choose(const gpis_problem *problem, const gpis_settings *settings, int64_t used, bool brief,
                             gpis_plan_table *out) {
    return gpis_plan_choose_among(gpis_all_methods(), problem, settings, used, brief, out);
}

gpis_choice gpis_plan_choice(const gpis_plan_table *plan) {
    const gpis_candidate *chosen = &plan->candidates[plan->chosen];
    gpis_choice choice = {
        .m = chosen->m, .passes = chosen->passes, .seconds = chosen->seconds, .prices = chosen->prices};
    gpis_copy_text(choice.method, sizeof choice.method, chosen->method);
    gpis_copy_text(choice.sketch, sizeof choice.sketch, chosen->sketch);
    gpis_copy_text(choice.plan, sizeof choice.plan, plan->text);
    return choice;
}
