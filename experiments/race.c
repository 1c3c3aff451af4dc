/* One problem, every method: f* first, by an independent certified solve, then each method against the clock. */
#include <cblas.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"

/* Asked for; and what is still fine enough for errors of 1e-10 where rounding stops the certificate before that. The
 * page tells what was reached. */
static const double REFERENCE_TOLERANCE = 1e-13, REFERENCE_AT_MOST = 1e-11;
enum { REFERENCE_SECONDS = 600 };

const sample *race_reach(const trace *t, double accuracy) {
    for (int64_t i = 0; i < t->count; i++)
        if (t->samples[i].error <= accuracy) return &t->samples[i];
    return NULL;
}

/* ---- a run --------------------------------------------------------------------------------------------------------
 */

typedef struct recorder {
    trace *trace;
    double best;
} recorder;

/* A gpis_progress_fn: keeps the line, ends at the last accuracy. */
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
    t->samples[t->count++] = (sample){p->pass, p->seconds, p->epochs, p->objective, error};
    return error <= accuracies[ACCURACIES - 1] || cli_interrupted();
}

typedef struct problem {
    gpis_context *context;
    gpis_source *A;
    gpis_set *set;
    gen_problem data;
} problem;

static double budget_of(const experiment *e, const reproduce_options *o) { return o->quick ? e->quick : e->budget; }

static int run_one(race *r, int which, problem *p, reproduce_options *o) {
    const runner *own = &runners[which];
    trace *t = &r->traces[which];
    recorder keeper = {t, r->best};
    gpis_result result = {0};
    gpis_settings settings = gpis_settings_default();
    settings.method = own->method;
    settings.certificate = GPIS_CERTIFICATE_NONE;
    settings.time_limit = budget_of(r->experiment, o);
    settings.seed = o->seed;
    settings.m = r->m;
    settings.gpcs = r->experiment->gpcs;
    if (own->batch > 0) settings.batch = own->batch;
    settings.progress = record;
    settings.progress_user = &keeper;
    fprintf(stderr, "[%d of %d] %s, %s, at most %.0f s: ", ++o->done, o->total, r->name, own->label,
            settings.time_limit);
    const gpis_status status = gpis_solve(p->context, p->A, p->data.y, p->data.k, p->set, &settings, &result);
    gpis_result_clear(p->context, &result);
    t->run = true;
    if (status != GPIS_OK) fputc('\n', stderr);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    if (t->failed) return cli_fail(CLI_TROUBLE, "out of memory");
    const sample *last = t->count > 0 ? &t->samples[t->count - 1] : NULL;
    if (last) fprintf(stderr, "%.1e after %.2f s, %.1f epochs\n", last->error, last->seconds, last->epochs);
    return cli_interrupted() ? CLI_INTERRUPTED : 0;
}

/* ---- the problem --------------------------------------------------------------------------------------------------
 */

/* U goes through a file, since that is how a set is told of it. */
static int make_set(problem *p, race *r, const reproduce_options *o) {
    char u_path[PATH_MAX], spec[PATH_MAX + 64];
    int code = result_path(u_path, o, r->name, "-U.npy");
    if (code != 0) return code;
    gen_set_spec(&p->data, u_path, spec, sizeof spec);
    gen_set_spec(&p->data, "U", r->set, sizeof r->set);
    gpis_status status = GPIS_OK;
    if (p->data.U) status = gpis_array_write(p->context, u_path, p->data.U, p->data.d, p->data.d, 2);
    if (status == GPIS_OK) status = gpis_set_parse(p->context, spec, p->data.d, p->data.k, &p->set);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

static int open_problem(problem *p, race *r, const reproduce_options *o) {
    const gen_recipe *recipe = gen_find_recipe(r->experiment->name);
    gen_options options = {.numbers = recipe->numbers, .form = recipe->form, .seed = o->seed};
    if (o->quick) options.numbers.n /= 10;
    if (recipe->form == GEN_YEAR) options.data = o->year_file;
    gpis_status status = gpis_context_create(&p->context);
    if (status == GPIS_OK) status = gpis_context_set_threads(p->context, (int)o->threads);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    const int code = gen_make(&options, &p->data);
    if (code != 0) return code;
    r->stand_in = p->data.stand_in;
    r->n = p->data.n;
    r->d = p->data.d;
    r->k = p->data.k;
    r->m = recipe->m < r->n / 4 ? recipe->m : r->n / 4;
    snprintf(r->name, sizeof r->name, "%s%s", r->experiment->name, r->stand_in ? "-stand-in" : "");
    status =
        gpis_source_dense(p->context, p->data.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->data.n, p->data.d, p->data.d, &p->A);
    return status == GPIS_OK ? make_set(p, r, o) : cli_fail_status(p->context, status);
}

static void close_problem(problem *p) {
    gpis_set_destroy(p->set);
    gpis_source_destroy(p->A);
    gpis_context_destroy(p->context);
    gen_problem_clear(&p->data);
}

static int stop_when_interrupted(void *user, const gpis_progress *progress) {
    (void)user;
    (void)progress;
    return cli_interrupted();
}

/* f*, certified, by a method that is not in the race. */
static int find_best(problem *p, race *r, reproduce_options *o) {
    gpis_result result = {0};
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.tol = REFERENCE_TOLERANCE;
    settings.time_limit = REFERENCE_SECONDS;
    settings.progress = stop_when_interrupted;
    fprintf(stderr, "[%d of %d] %s, f* to %.0e: ", ++o->done, o->total, r->name, REFERENCE_TOLERANCE);
    const gpis_status status = gpis_solve(p->context, p->A, p->data.y, p->data.k, p->set, &settings, &result);
    int code = status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
    r->best = result.objective;
    r->certified = code == 0 ? gpis_relative_gap(&result) : 1.0;
    r->reference_seconds = result.seconds;
    if (code == 0) fprintf(stderr, "%.10g, certified to %.0e, %.2f s\n", r->best, r->certified, r->reference_seconds);
    if (code == 0 && result.outcome == GPIS_INTERRUPTED) code = CLI_INTERRUPTED;
    if (code == 0 && result.outcome != GPIS_SOLVED && !(r->certified <= REFERENCE_AT_MOST))
        code = cli_fail(CLI_UNCERTIFIED,
                        "%s: f* could be certified to %.1e only, which is too coarse to measure errors of 1e-10 by",
                        r->name, r->certified);
    gpis_result_clear(p->context, &result);
    return code;
}

int race_run(race *r, const experiment *e, reproduce_options *o) {
    problem p = {0};
    r->experiment = e;
    snprintf(r->name, sizeof r->name, "%s", e->name);
    if (o->threads > 0) omp_set_num_threads((int)o->threads);
    openblas_set_num_threads(1);
    int code = open_problem(&p, r, o);
    if (code == 0) code = find_best(&p, r, o);
    for (int i = 0; i < RUNNERS && code == 0; i++)
        if (o->wanted[i]) code = run_one(r, i, &p, o);
    close_problem(&p);
    return code;
}

void race_clear(race *r) {
    for (int i = 0; i < RUNNERS; i++) free(r->traces[i].samples);
    *r = (race){0};
}
