/*
 * Checkpoints, resumed by the solves that could have written them. Builds for fuzzing do not compare checksums, so that
 * what a record says reaches the solver. The key in a checkpoint names the version of gpis and the bits of this
 * machine, so valid seeds have to be made at the start of each run (FUZZ_FRESH).
 */
#include "fuzz.h"

#include <stdio.h>
#include <unistd.h>

enum { N = 14, D = 3 };
static const char PATH[] = "run.checkpoint";

static const struct scene {
    const char *method, *sketch, *set;
    int64_t m;
    int gpcs;
} scenes[] = {
    {"newton", "auto", "none", 0, 0},    {"newton", "count", "l1:0.7", 8, 0}, {"gpis", "count", "l1:0.7", 8, 1},
    {"apgd", "auto", "simplex:1", 0, 0}, {"auto", "auto", "box:-1,2", 0, 0},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Numbers without a pattern, the same on every machine. */
static double number(int64_t i, int64_t j) { return (double)((i * 37 + j * 101 + i * i * 13 + 17) % 61) / 16.0 - 2.0; }

static gpis_status solve(const struct scene *s, int resume) {
    static double A[N * D], y[N];
    gpis_context *context = fuzz_context();
    gpis_source *source = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    for (int64_t i = 0; i < N; i++) {
        y[i] = number(i, D);
        for (int64_t j = 0; j < D; j++) A[i * D + j] = number(i, j);
    }
    gpis_settings settings = gpis_settings_default();
    settings.method = s->method;
    settings.sketch = s->sketch;
    settings.m = s->m;
    settings.gpcs = s->gpcs;
    settings.max_passes = 20;
    settings.checkpoint = PATH;
    settings.checkpoint_every = 1e9; /* nothing here has to survive a crash */
    settings.resume = resume;
    gpis_problem *problem = NULL;
    const bool made = gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source) == GPIS_OK &&
                      gpis_problem_create(context, source, &problem) == GPIS_OK &&
                      gpis_set_parse(context, s->set, problem, &set) == GPIS_OK;
    fuzz_require(made, "the problem was refused");
    gpis_status status = gpis_problem_response(problem, y, N, 1);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK) status = gpis_solve(problem, &settings, &result);
    if (status != GPIS_OK) fuzz_check_refusal(context, status, result);
    if (status == GPIS_OK) fuzz_look(result->x, D);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(source);
    fuzz_context_end(context);
    return status;
}

void fuzz_start(const char *fresh) {
    for (int i = 0; fresh && i < SCENES; i++) {
        char seed[64];
        unlink(PATH);
        fuzz_require(solve(&scenes[i], 0) == GPIS_OK, "a fresh checkpoint was not made");
        snprintf(seed, sizeof seed, "fresh-%d-%s", i, scenes[i].method);
        fuzz_keep_seed(fresh, PATH, seed);
    }
}

void fuzz_input(const uint8_t *data, size_t size) {
    for (int i = 0; i < SCENES; i++) {
        fuzz_write(PATH, data, size); /* anew each time: a solve appends to it */
        if (solve(&scenes[i], 1) == GPIS_OK) fuzz_accept();
    }
}
