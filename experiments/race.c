/*
 * One problem, every method: f* first, by an independent certified solve, then each method against the clock.
 *
 * Methods are run several times, in turn: all of them once, all of them again, and so on. What disturbs the machine for
 * a while then disturbs them alike, and the fastest of a method's repeats counts. Repeats have the same iterates, so
 * that nothing but time differs. Methods have one thread each unless more are asked for, and processor seconds are
 * compared: SAGA is sequential, so with more threads for the others a busy machine, where those wait for each other,
 * would show another order than an idle one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

/* Asked for; and what is still fine enough for errors of 1e-10 where rounding stops the certificate before that. The
 * page says what was reached. */
static const double REFERENCE_TOLERANCE = 1e-13, REFERENCE_AT_MOST = 1e-11;

/* Processor seconds after which a method is not repeated any more, in full and with --quick. */
static const double REPEAT_SECONDS = 16.0, QUICK_REPEAT_SECONDS = 1.0;
/* Wall-clock limit of a run, in units of its budget of processor time: for a machine that is all but stuck. */
static const double WALL_CLOCK_LIMIT = 20.0;

/* ---- a run --------------------------------------------------------------------------------------------------------
 */

typedef struct recorder {
    trace *trace;
    double best, budget; /* f*; processor seconds */
} recorder;

/* A gpis_progress_fn: keeps the line; ends at the last accuracy and when the budget is used up. */
static int record(void *user, const gpis_progress *p) {
    const recorder *r = user;
    trace *t = r->trace;
    if (t->count == t->capacity) {
        const int64_t capacity = t->capacity > 0 ? 2 * t->capacity : 256;
        sample *more = reallocarray(t->samples, (size_t)capacity, sizeof *more);
        t->failed = !more;
        if (!more) return 1;
        t->samples = more;
        t->capacity = capacity;
    }
    const double error = (p->objective - r->best) / r->best;
    t->samples[t->count++] = (sample){p->pass, p->seconds, p->processor_seconds, p->epochs, p->objective, error};
    return error <= GOAL || p->processor_seconds >= r->budget || cli_interrupted();
}

static gpis_settings settings_of(const race *r, const runner *own, const reproduce_options *o) {
    gpis_settings settings = gpis_settings_default();
    settings.method = own->method;
    settings.seed = o->seed;
    if (own->family == OURS) { /* as `gpis solve` does it, certificate included */
        settings.tol = GOAL;
        return settings;
    }
    settings.certificate = GPIS_CERTIFICATE_NONE;
    settings.m = r->m;
    settings.gpcs = r->experiment->gpcs;
    if (own->batch > 0) settings.batch = own->batch;
    return settings;
}

static double budget_of(const race *r, const reproduce_options *o) {
    return o->quick ? r->experiment->quick : r->experiment->budget;
}

/* One run from the start, into an empty trace. */
static int run_once(race *r, int which, problem *p, const reproduce_options *o, trace *t) {
    const double budget = budget_of(r, o);
    recorder keeper = {t, r->best, budget};
    gpis_result *result = NULL;
    gpis_settings settings = settings_of(r, &runners[which], o);
    settings.time_limit = WALL_CLOCK_LIMIT * budget;
    settings.progress = record;
    settings.progress_user = &keeper;
    const gpis_status status = gpis_solve(p->posed, &settings, &result);
    gpis_result_destroy(result);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    if (t->failed) return cli_fail(CLI_TROUBLE, "out of memory");
    return cli_interrupted() ? CLI_INTERRUPTED : 0;
}

/* ---- repeats ------------------------------------------------------------------------------------------------------
 */

/* Takes a run into the account of its method, and its trace if it was the fastest so far. A run that was interrupted
 * counts only where there is no other. */
static void keep(race *r, trace *all, trace *t, bool whole) {
    const sample *last = t->count > 0 ? &t->samples[t->count - 1] : NULL;
    const double seconds = last ? race_seconds(r, last) : INFINITY;
    const bool fastest = !all->run || (whole && seconds < all->best);
    if (last) {
        r->load.seconds += last->seconds;
        r->load.processor += last->processor;
        all->processor += last->processor;
    }
    if (fastest) {
        free(all->samples);
        all->samples = t->samples;
        all->count = t->count;
        all->capacity = t->capacity;
        *t = (trace){0};
    }
    if (whole) {
        all->second = fastest ? all->best : fmin(all->second, seconds);
        all->best = fmin(all->best, seconds);
        all->repeats++;
    }
    all->run = true;
}

/* Another repeat of a method that arrived, as long as it fits into the time for repeats. */
static bool worth_repeating(const trace *t, const reproduce_options *o) {
    const double limit = o->quick ? QUICK_REPEAT_SECONDS : REPEAT_SECONDS;
    return t->repeats > 0 && race_reach(t, GOAL) && t->processor * (1.0 + 1.0 / t->repeats) <= limit;
}

static void announce(const race *r, int which, reproduce_options *o) {
    fprintf(stderr, "[%d of %d] %s, %s, at most %.0f s of processor time: ", ++o->done, o->total, r->name,
            runners[which].label, budget_of(r, o));
}

static void report(const trace *t) {
    const sample *last = t->count > 0 ? &t->samples[t->count - 1] : NULL;
    if (last)
        fprintf(stderr, "%.1e after %.2f s, %.1f epochs\n", last->error, last->processor, last->epochs);
    else
        fputs("nothing\n", stderr);
}

static int run_and_keep(race *r, int which, problem *p, const reproduce_options *o) {
    trace t = {0};
    const int code = run_once(r, which, p, o, &t);
    if (code == 0 || code == CLI_INTERRUPTED) keep(r, &r->traces[which], &t, code == 0);
    free(t.samples);
    return code;
}

static int run_all(race *r, problem *p, reproduce_options *o) {
    int code = 0, repeats = 0;
    for (int i = 0; i < RUNNERS && code == 0; i++) {
        if (!o->wanted[i]) continue;
        r->traces[i] = (trace){.best = INFINITY, .second = INFINITY};
        announce(r, i, o);
        code = run_and_keep(r, i, p, o);
        report(&r->traces[i]);
    }
    for (int round = 1; round < MAX_REPEATS && code == 0; round++)
        for (int i = 0; i < RUNNERS && code == 0; i++) {
            if (!worth_repeating(&r->traces[i], o)) continue;
            code = run_and_keep(r, i, p, o);
            repeats++;
        }
    if (repeats > 0) fprintf(stderr, "%s: %d more runs in turn, the fastest of each method counts\n", r->name, repeats);
    return code;
}

/* ---- the problem --------------------------------------------------------------------------------------------------
 */

static int open_problem(problem *p, race *r, const reproduce_options *o) {
    const gen_recipe *recipe = gen_find_recipe(r->experiment->name);
    gen_options options = {.numbers = recipe->numbers, .form = recipe->form, .seed = o->seed};
    if (o->quick) options.numbers.n /= 10;
    if (recipe->form == GEN_YEAR) options.data = o->year_file;
    const int code = problem_open(p, &options, o->threads, NULL);
    if (code != 0) return code;
    r->stand_in = p->data.stand_in;
    r->n = p->data.n;
    r->d = p->data.d;
    r->k = p->data.k;
    r->m = recipe->m < r->n / 4 ? recipe->m : r->n / 4;
    r->sparsity = recipe->numbers.sparsity;
    r->cond = recipe->numbers.cond;
    r->threads = gpis_context_threads(p->context);
    r->by_processor = r->threads == 1;
    snprintf(r->name, sizeof r->name, "%s%s", r->experiment->name, r->stand_in ? "-stand-in" : "");
    gen_set_spec(&p->data, "U", r->set, sizeof r->set);
    return 0;
}

/* f*, certified, by a method that is not the paper's. */
static int find_best(problem *p, race *r, reproduce_options *o) {
    gpis_result *result = NULL;
    fprintf(stderr, "[%d of %d] %s, f* to %.0e: ", ++o->done, o->total, r->name, REFERENCE_TOLERANCE);
    int code = problem_solve(p, REFERENCE_TOLERANCE, &result);
    r->best = result ? result->objective : 0.0;
    r->certified = code == 0 ? gpis_relative_gap(result) : 1.0;
    r->reference_seconds = result ? result->seconds : 0.0;
    if (code == 0) fprintf(stderr, "%.10g, certified to %.0e, %.2f s\n", r->best, r->certified, r->reference_seconds);
    if (code == 0 && result->outcome != GPIS_SOLVED && !(r->certified <= REFERENCE_AT_MOST))
        code = cli_fail(CLI_UNCERTIFIED,
                        "%s: f* could be certified to %.1e only, which is too coarse to measure errors of 1e-10 by",
                        r->name, r->certified);
    gpis_result_destroy(result);
    return code;
}

int race_run(race *r, const experiment *e, reproduce_options *o) {
    problem p = {0};
    r->experiment = e;
    snprintf(r->name, sizeof r->name, "%s", e->name);
    int code = open_problem(&p, r, o);
    if (code == 0) code = find_best(&p, r, o);
    r->load.before = machine_load();
    if (code == 0) code = run_all(r, &p, o);
    r->load.after = machine_load();
    problem_close(&p);
    return code;
}

void race_clear(race *r) {
    for (int i = 0; i < RUNNERS; i++) free(r->traces[i].samples);
    *r = (race){0};
}
