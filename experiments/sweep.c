/*
 * Syn4: the mean step that the line search of GPIS accepts, against the sparsity s of the true x. Steps are shown as
 * eta L, L = ||A||^2 (n by the recipe), so that 1 is the longest step that is safe everywhere.
 *
 * The paper states neither the rounds nor the inner iterations here: ten rounds of a hundred are run, enough to be at
 * the solution.
 */
#include <math.h>

#include "experiment.h"

enum { ROUNDS = 10, INNER = 100, SKETCH_PER_COLUMN = 8 };

static const int64_t SPARSITY[SPARSITIES] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100};

typedef struct mean_step {
    double sum;
    int64_t count;
} mean_step;

static int add_step(void *user, const gpis_progress *p) {
    mean_step *m = user;
    if (p->step > 0.0) {
        m->sum += p->step * (double)p->inner_iterations;
        m->count += p->inner_iterations;
    }
    return cli_interrupted();
}

/* One random problem solved by GPIS; *step: mean eta L. Nothing is timed, so all threads take part. */
static int trial(const gen_options *options, int64_t m, double *step) {
    char inner[24];
    problem p = {0};
    gpis_result *result = NULL;
    mean_step mean = {0};
    gpis_settings settings = gpis_settings_default();
    settings.method = "gpis";
    settings.certificate = GPIS_CERTIFICATE_NONE;
    settings.max_passes = ROUNDS + 1;
    settings.m = m;
    settings.seed = options->seed;
    snprintf(inner, sizeof inner, "%d", (int)INNER);
    settings.inner = inner;
    settings.progress = add_step;
    settings.progress_user = &mean;
    int code = problem_open(&p, options, 0, NULL);
    const gpis_status status = code == 0 ? gpis_solve(p.posed, &settings, &result) : GPIS_OK;
    if (status != GPIS_OK) code = cli_fail_status(p.context, status);
    *step = mean.count > 0 ? mean.sum / (double)mean.count * (double)p.data.n : 0.0;
    gpis_result_destroy(result);
    problem_close(&p);
    if (code == 0 && cli_interrupted()) code = CLI_INTERRUPTED;
    return code;
}

static void summarise(sweep *s, int i) {
    double sum = 0, squares = 0;
    for (int64_t t = 0; t < s->trials; t++) sum += s->step[i][t];
    s->mean[i] = sum / (double)s->trials;
    for (int64_t t = 0; t < s->trials; t++) squares += pow(s->step[i][t] - s->mean[i], 2);
    s->deviation[i] = sqrt(squares / (double)(s->trials > 1 ? s->trials - 1 : 1));
}

int sweep_run(sweep *s, reproduce_options *o) {
    const gen_recipe *recipe = gen_find_recipe("syn4");
    gen_options options = {.numbers = recipe->numbers, .form = recipe->form};
    if (o->quick) options.numbers.n /= 10;
    s->n = options.numbers.n;
    s->d = options.numbers.d;
    s->m = SKETCH_PER_COLUMN * s->d < s->n / 4 ? SKETCH_PER_COLUMN * s->d : s->n / 4;
    s->trials = o->quick ? 5 : MOST_TRIALS;
    int code = 0;
    for (int i = 0; i < SPARSITIES && code == 0; i++) {
        s->sparsity[i] = options.numbers.sparsity = SPARSITY[i];
        fprintf(stderr, "[%d of %d] syn4, %lld nonzeros, %lld trials: ", ++o->done, o->total, (long long)SPARSITY[i],
                (long long)s->trials);
        for (int64_t t = 0; t < s->trials && code == 0; t++) {
            options.seed = o->seed + (uint64_t)(t * SPARSITIES + i);
            code = trial(&options, s->m, &s->step[i][t]);
        }
        summarise(s, i);
        if (code == 0) fprintf(stderr, "mean step %.3g / L\n", s->mean[i]);
    }
    s->run = code == 0;
    return code;
}
