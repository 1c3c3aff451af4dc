/*
 * The table of candidates, the choice, and its reason in words.
 *
 * The Gram matrix is what others must beat: its bound is proven and its passes are known. A sketch must save a fifth; a
 * sample of rows a quarter, since a few heavy rows would spoil it and that is found out only after some passes;
 * gradients alone, whose passes are a guess, nine tenths, unless no model fits in memory.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inner/solver.h"
#include "method/method.h"
#include "method/on_face.h"
#include "ranks/ranks.h"

static const int FACTORS[] = {3, 5, 8, 12, 16, 24, 32}; /* rows of a sketch, in columns of A */
static const int SAMPLE_FACTORS[] = {16, 64, 256};      /* rows of a sample, the same */
static const double SKETCH_MUST_BEAT = 0.8, SAMPLE_MUST_BEAT = 0.75, GUESS_MUST_BEAT = 0.1;
static const double LIKELY = 0.7; /* that the answer has few free entries, where that is what is planned for */
/* A sketch, a sample have at most so many of A's rows. */
static const double NOT_MUCH = 0.25, LITTLE = 0.125;

/* What is chosen from. */
typedef struct desk {
    const gpis_run *run; /* the problem, as methods ask for it */
    const gpis_settings *settings;
    gpis_workload work;
    gpis_workload together; /* the same with one rank a machine, so that the choice is the same for any number there */
    gpis_machine machine;   /* all machines together */
    int threads;            /* of all ranks */
    gpis_plan_table *plan;
    double used; /* bytes that were in use before the solve */
    double room; /* bytes that a solve may take */
    bool strict; /* the room is a limit: nothing that needs more is taken, asked for or not */
    bool too_large[GPIS_PLAN_MOST];
    double cost[GPIS_PLAN_MOST]; /* seconds with all threads of the machine, so that the choice is the same for any */
} desk;

static gpis_storage storage_of(const gpis_source *A) {
    if (A->class->on_demand) return GPIS_STORED_NOWHERE;
    if (A->block_kind == GPIS_BLOCK_CSR) return GPIS_STORED_SPARSE;
    if (A->order == GPIS_COLUMN_MAJOR) return GPIS_STORED_COLUMNS;
    return A->type == GPIS_FLOAT32 ? GPIS_STORED_FLOATS : GPIS_STORED_ROWS;
}

static gpis_inner_cost inner_of(const gpis_set *set) {
    while (set->inside) set = set->inside;
    if (gpis_inner_factor.applies(set) || gpis_inner_sphere.applies(set) || gpis_inner_plane.applies(set))
        return GPIS_INNER_BY_FACTOR;
    return gpis_inner_face.applies(set) ? GPIS_INNER_BY_FACES : GPIS_INNER_BY_GRADIENT;
}

static gpis_workload workload_of(const gpis_run *run, const gpis_machine *machine) {
    const gpis_settings *settings = run->settings;
    const bool windows = !run->problem->A->resident && !run->problem->A->class->on_demand;
    const double bytes = gpis_source_row_bytes(run->problem->A) * (double)run->problem->n;
    return (gpis_workload){.n = (double)run->problem->n,
                           .d = (double)run->problem->d,
                           .k = (double)run->problem->k,
                           .entries = fmax(1.0, (double)run->problem->A->nonzeros),
                           .storage = storage_of(run->problem->A),
                           .inner = inner_of(run->problem->set),
                           .tol = settings->tol,
                           .delta = settings->delta,
                           .probing = settings->certificate == GPIS_CERTIFICATE_ANY,
                           .face = gpis_on_face_applies(run) && run->problem->set->sum != GPIS_SUM_ANY,
                           .sketch = run->kind,
                           .at_hand = gpis_sample_is_at_hand(run->problem->A),
                           .windows = windows,
                           /* what is smaller stays in the page cache */
                           .disk = windows && bytes > machine->memory ? bytes : 0.0};
}

/* ---- candidates -----------------------------------------------------------------------------------------------------
 */

static gpis_candidate *add(desk *k, const gpis_method *method, int64_t m, const gpis_effort *work, double memory,
                           double cost) {
    gpis_plan_table *plan = k->plan;
    k->cost[plan->count] = cost;
    gpis_candidate *c = &plan->candidates[plan->count++];
    *c = (gpis_candidate){.m = m, .passes = work->passes, .sketches = work->sketches, .flops = work->flops};
    c->memory = memory;
    c->seconds = work->seconds;
    c->applicable = 1;
    snprintf(c->method, sizeof c->method, "%s", method->name);
    return c;
}

static void refuse(gpis_candidate *c, const char *reason) {
    c->applicable = 0;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
}

/* True, with the reason, when it takes more than there is. */
static bool is_too_large(desk *k, gpis_candidate *c) {
    if (c->memory <= k->room) return false;
    k->too_large[c - k->plan->candidates] = true;
    c->applicable = 0;
    snprintf(c->reason, sizeof c->reason, "needs %s of memory, and %s are left", gpis_bytes(c->memory).text,
             gpis_bytes(k->room).text);
    return true;
}

static bool is_sample(const gpis_candidate *c) { return c->m > 0 && gpis_sketch_find(c->sketch)->of_rows; }

static const char *noun(const gpis_candidate *c) { return is_sample(c) ? "sample" : "sketch"; }

/* newton with m rows of this kind of sketch; those the caller asks for by their number are not argued with. */
static void add_newton(desk *k, const gpis_sketch_class *kind, int64_t m, bool asked) {
    gpis_workload here = k->work, together = k->together;
    here.sketch = together.sketch = kind;
    const gpis_effort work = gpis_cost_newton(&here, &k->machine, k->threads, (double)m);
    const gpis_effort all = gpis_cost_newton(&together, &k->machine, k->machine.threads, (double)m);
    const double memory = gpis_memory_newton(k->run, &here, m);
    const double cost = LIKELY * all.seconds + (1.0 - LIKELY) * all.otherwise;
    gpis_candidate *c = add(k, &gpis_method_newton, m, &work, memory, cost);
    if (m > 0) snprintf(c->sketch, sizeof c->sketch, "%s", kind->name);
    const char *reason = gpis_method_newton.applicable(k->run);
    if (reason)
        refuse(c, reason);
    else if (is_sample(c) && !gpis_run_kind_named(k->settings) && !here.at_hand)
        refuse(c, "its rows are not at hand in memory");
    else if ((k->strict || !asked) && is_too_large(k, c))
        return;
    else if (asked)
        return;
    else if (m > 0 && k->settings->certificate == GPIS_CERTIFICATE_PROVEN && !here.face)
        refuse(c, is_sample(c) ? "a sample has no proven bound" : "a sketch has no proven bound");
    else if (is_sample(c) && here.storage != GPIS_STORED_SPARSE && !gpis_run_kind_named(k->settings))
        refuse(c, "of dense rows a sketch costs little more, and is safe");
    else if (is_sample(c) && (double)m > LITTLE * here.n)
        refuse(c, "too many rows for a sample of this A");
    else if ((double)m > NOT_MUCH * here.n)
        refuse(c, "too many rows for a sketch of this A");
    else if (m > 0 && kind->whole && !k->run->problem->A->resident)
        refuse(c, "this sketch needs all rows at once");
}

static void add_sketches(desk *k, const gpis_sketch_class *kind) {
    for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++)
        add_newton(k, kind, FACTORS[i] * k->run->problem->d, false);
}

static void add_samples(desk *k, const gpis_sketch_class *kind) {
    for (size_t i = 0; i < sizeof SAMPLE_FACTORS / sizeof *SAMPLE_FACTORS; i++)
        add_newton(k, kind, SAMPLE_FACTORS[i] * k->run->problem->d, false);
}

static void add_apgd(desk *k) {
    const gpis_effort work = gpis_cost_apgd(&k->work, &k->machine, k->threads);
    const gpis_effort all = gpis_cost_apgd(&k->together, &k->machine, k->machine.threads);
    gpis_candidate *c = add(k, &gpis_method_apgd, 0, &work, gpis_memory_apgd(k->run), all.seconds);
    if (k->strict) is_too_large(k, c);
}

/* All candidates; those that were not asked for are there to compare with. */
static void fill_table(desk *k, const gpis_method *asked) {
    const int64_t m = k->settings->m;
    const gpis_sketch_class *kind = k->run->kind, *named = gpis_run_kind_named(k->settings);
    const bool newton = !asked || asked == &gpis_method_newton, sampling = gpis_workload_samples(&k->work);
    add_newton(k, kind, 0, newton && asked && m == 0);
    if (newton && m > 0) {
        add_newton(k, kind, m, true);
    } else if (!gpis_run_is_unsketched(k->settings)) { /* a kind that is named is the only one */
        if (!sampling) add_sketches(k, kind);
        if (sampling || !named) add_samples(k, sampling ? kind : gpis_sketch_find("sample"));
    }
    add_apgd(k);
    if (newton || asked == &gpis_method_apgd) return;
    const gpis_effort unknown = {.flops = NAN, .seconds = NAN};
    add(k, asked, 0, &unknown, NAN, NAN);
}

/* ---- the choice -----------------------------------------------------------------------------------------------------
 */

/* What a candidate counts for: its cost, more if it is less certain; infinite if it cannot be taken. */
static double weight(const desk *k, int i) {
    const gpis_candidate *c = &k->plan->candidates[i];
    if (!c->applicable) return INFINITY;
    if (strcmp(c->method, gpis_method_apgd.name) == 0) return k->cost[i] / GUESS_MUST_BEAT;
    return c->m == 0 ? k->cost[i] : k->cost[i] / (is_sample(c) ? SAMPLE_MUST_BEAT : SKETCH_MUST_BEAT);
}

static bool was_asked_for(const desk *k, const gpis_method *asked, const gpis_candidate *c) {
    if (asked && strcmp(c->method, asked->name) != 0) return false;
    const bool newton = strcmp(c->method, gpis_method_newton.name) == 0;
    return !newton || k->settings->m == 0 || c->m == k->settings->m;
}

/* The lightest of those asked for; where none can be taken, the first of them: its method will say why not. */
static int lightest(const desk *k, const gpis_method *asked) {
    int best = -1;
    for (int i = 0; i < k->plan->count; i++) {
        if (!was_asked_for(k, asked, &k->plan->candidates[i])) continue;
        if (best < 0 || weight(k, i) < weight(k, best)) best = i;
    }
    return best;
}

static void say_why_not(const desk *k, const gpis_method *asked) {
    const int chosen = k->plan->chosen;
    for (int i = 0; i < k->plan->count; i++) {
        gpis_candidate *c = &k->plan->candidates[i];
        if (i == chosen || !c->applicable) continue;
        if (!was_asked_for(k, asked, c))
            snprintf(c->reason, sizeof c->reason, "not what was asked for");
        else if (k->cost[i] > k->cost[chosen] && c->seconds < k->plan->candidates[chosen].seconds)
            snprintf(c->reason, sizeof c->reason, "longer if many entries are free");
        else if (k->cost[i] > k->cost[chosen])
            snprintf(c->reason, sizeof c->reason, "%.1f times as long", k->cost[i] / k->cost[chosen]);
        else
            snprintf(c->reason, sizeof c->reason,
                     is_sample(c) ? "saves too little: a few heavy rows would spoil it"
                     : c->m > 0   ? "saves too little for a bound that is only probable"
                                  : "its passes are a guess");
    }
}

/* ---- words ----------------------------------------------------------------------------------------------------------
 */

/* Why no sketch, where the Gram matrix was chosen. */
static const char *against_sketches(const desk *k) {
    const gpis_plan_table *plan = k->plan;
    bool any = false;
    if (gpis_run_is_unsketched(k->settings)) return "no sketch, as asked for";
    for (int i = 0; i < plan->count; i++) any = any || (plan->candidates[i].m > 0 && plan->candidates[i].applicable);
    if (any) return "no sketch would save much";
    if (k->settings->certificate == GPIS_CERTIFICATE_PROVEN) return "a sketch would prove nothing";
    return "too few rows for a sketch";
}

static void explain(const desk *k, const gpis_method *asked) {
    gpis_plan_table *plan = k->plan;
    const gpis_candidate *c = &plan->candidates[plan->chosen];
    char *text = plan->text;
    const size_t size = sizeof plan->text;
    const long long passes = (long long)c->passes, m = (long long)c->m, d = (long long)k->run->problem->d;
    const char *hope = k->work.face ? " if few entries are free" : "";
    if (asked && asked != &gpis_method_newton)
        snprintf(text, size, "%s, as asked for", c->method);
    else if (strcmp(c->method, gpis_method_apgd.name) == 0)
        snprintf(text, size, "apgd: a model of %lld columns %s", d,
                 plan->candidates[0].applicable ? "would take far longer" : "does not fit in memory");
    else if (k->settings->m > 0)
        snprintf(text, size, "newton with a %s of %lld rows, as asked for; %lld passes expected%s", noun(c), m, passes,
                 hope);
    else if (m > 0 && plan->candidates[0].applicable)
        snprintf(text, size,
                 "newton with a %s of %lld rows, %lld passes expected%s; the Gram matrix of %lld columns would take "
                 "%.1f times as long",
                 noun(c), m, passes, hope, d, k->cost[0] / k->cost[plan->chosen]);
    else if (m > 0)
        snprintf(text, size, "newton with a %s of %lld rows, %lld passes expected%s", noun(c), m, passes, hope);
    else
        snprintf(text, size, "newton with the Gram matrix of %lld column%s, %lld passes expected; %s", d,
                 d > 1 ? "s" : "", passes, against_sketches(k));
}

static bool lacks_memory(const desk *k, const gpis_method *asked) {
    for (int i = 0; i < k->plan->count; i++)
        if (k->too_large[i] && was_asked_for(k, asked, &k->plan->candidates[i])) return true;
    return false;
}

/* Nothing that was asked for fits: what would be enough for the least of it. */
static gpis_status say_what_is_needed(const desk *k, const gpis_method *asked) {
    const gpis_context *context = k->run->context;
    const gpis_candidate *least = NULL;
    for (int i = 0; i < k->plan->count; i++) {
        const gpis_candidate *c = &k->plan->candidates[i];
        if (k->too_large[i] && was_asked_for(k, asked, c) && (!least || c->memory < least->memory)) least = c;
    }
    const bool sketch = least->m > 0, gram = !sketch && strcmp(least->method, gpis_method_newton.name) == 0;
    char rows[48] = "";
    if (sketch) snprintf(rows, sizeof rows, " with a %s of %lld rows", noun(least), (long long)least->m);
    return gpis_fail(k->run->context, GPIS_NO_MEMORY,
                     "%s%s needs %s of memory besides the %s that hold y and what else is loaded, and %s are allowed: "
                     "give option memory %s%s",
                     least->method, gram ? " with the Gram matrix" : rows, gpis_bytes(least->memory).text,
                     gpis_bytes(k->used).text, gpis_bytes((double)context->limit).text,
                     gpis_bytes(least->memory + k->used).text, asked ? ", or leave the method to the plan" : "");
}

/* Ranks on other machines bring processors and memory bandwidth of their own, taken to be like those here. */
static void spread_over_ranks(desk *k, const gpis_source *A) {
    const int ranks = gpis_ranks_count(A), machines = gpis_ranks_machines(A);
    k->together = k->work;
    k->work.ranks = ranks;
    k->together.ranks = machines;
    k->threads *= ranks;
    k->machine.threads *= machines;
    k->machine.read_bytes *= machines;
    k->machine.gradient_bytes *= machines;
    k->machine.disk_bytes *= machines;
    k->machine.syrk_flops *= machines;
}

gpis_status gpis_plan_choose(const gpis_problem *problem, const gpis_settings *settings, int64_t used,
                             gpis_plan_table *out) {
    gpis_context *context = problem->context;
    const char *name = settings->method;
    const gpis_method *asked = NULL;
    memset(out, 0, sizeof *out);
    if (name && strcmp(name, "auto") != 0) {
        asked = gpis_method_find(context, name);
        if (!asked) return GPIS_BAD_ARGUMENT;
    }
    const gpis_run run = {
        .context = context, .problem = problem, .settings = settings, .kind = gpis_run_kind(settings)};
    gpis_machine machine = settings->machine ? *settings->machine : gpis_machine_default();
    if (machine.disk_bytes == 0.0) machine.disk_bytes = gpis_machine_default().disk_bytes;
    desk table = {.run = &run,
                  .settings = settings,
                  .work = workload_of(&run, &machine),
                  .machine = machine,
                  .threads = context->threads,
                  .plan = out,
                  .used = (double)used,
                  .room = context->limit > 0 ? fmin(machine.memory, (double)(context->limit - used)) : machine.memory,
                  .strict = context->limit > 0};
    spread_over_ranks(&table, problem->A);
    fill_table(&table, asked);
    out->chosen = lightest(&table, asked);
    if (table.strict && !out->candidates[out->chosen].applicable && lacks_memory(&table, asked))
        return say_what_is_needed(&table, asked);
    out->candidates[out->chosen].chosen = 1;
    say_why_not(&table, asked);
    explain(&table, asked);
    return GPIS_OK;
}

gpis_choice gpis_plan_choice(const gpis_plan_table *plan) {
    const gpis_candidate *chosen = &plan->candidates[plan->chosen];
    gpis_choice choice = {.m = chosen->m, .passes = chosen->passes, .seconds = chosen->seconds};
    snprintf(choice.method, sizeof choice.method, "%s", chosen->method);
    snprintf(choice.sketch, sizeof choice.sketch, "%s", chosen->sketch);
    snprintf(choice.plan, sizeof choice.plan, "%s", plan->text);
    return choice;
}
