/* The figures of the experiments: relative error against seconds and epochs, the steps of syn4, bounds. */
#include <stdlib.h>

#include "experiment.h"
#include "figure.h"

static int draw_both(const figure *f, const reproduce_options *o, const char *name) {
    static const char *const endings[] = {".svg", ".png"};
    char path[PATH_MAX];
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        code = result_path(path, o, name, endings[i]);
        if (code == 0) code = figure_draw(f, path);
    }
    return code;
}

typedef double (*take_fn)(const sample *sample);
static double take_seconds(const sample *s) { return s->seconds; }
static double take_processor(const sample *s) { return s->processor; }
static double take_epochs(const sample *s) { return s->epochs; }
static double take_error(const sample *s) { return s->error; }

static double *column(const trace *t, take_fn take) {
    double *values = gen_allocate(t->count, 1);
    for (int64_t i = 0; values && i < t->count; i++) values[i] = take(&t->samples[i]);
    return values;
}

static int draw_against(const race *r, const reproduce_options *o, take_fn take, const char *what,
                        const char *x_label) {
    figure_line lines[RUNNERS] = {{0}};
    double *owned[2 * RUNNERS] = {NULL};
    char title[160], name[64];
    int count = 0, code = 0;
    snprintf(title, sizeof title, "%s%s (%lld x %lld)", r->experiment->title, r->stand_in ? ", STAND-IN data" : "",
             (long long)r->n, (long long)r->d);
    snprintf(name, sizeof name, "%s-%s", r->name, what);
    for (int i = 0; i < RUNNERS && code == 0; i++) {
        const trace *t = &r->traces[i];
        if (t->count == 0) continue;
        double *x = owned[2 * count] = column(t, take), *y = owned[2 * count + 1] = column(t, take_error);
        if (!x || !y) code = CLI_TROUBLE;
        lines[count++] = (figure_line){.label = runners[i].label, .x = x, .y = y, .count = t->count, .style = i};
    }
    const double goal = accuracies[ACCURACIES - 1];
    const figure f = {.name = name,
                      .title = title,
                      .x_label = x_label,
                      .y_label = "relative error (f − f*) / f*",
                      .log_x = true,
                      .log_y = true,
                      .rule = goal,
                      .rule_label = "10^{-10}",
                      .floor = goal / 5,
                      .lines = lines,
                      .count = count};
    if (code == 0 && count > 0) code = draw_both(&f, o, name);
    for (int i = 0; i < 2 * RUNNERS; i++) free(owned[i]);
    return code;
}

int draw_race(const race *r, const reproduce_options *o) {
    const int code = r->by_processor
                         ? draw_against(r, o, take_processor, "seconds", "processor time, one thread (seconds)")
                         : draw_against(r, o, take_seconds, "seconds", "wall-clock time (seconds)");
    return code == 0 ? draw_against(r, o, take_epochs, "epochs", "epochs (full gradients)") : code;
}

int draw_sweep(const sweep *s, const reproduce_options *o) {
    double x[SPARSITIES];
    char title[128];
    for (int i = 0; i < SPARSITIES; i++) x[i] = (double)s->sparsity[i];
    snprintf(title, sizeof title, "Syn4: mean line-search step of GPIS (%lld x %lld, %lld trials)", (long long)s->n,
             (long long)s->d, (long long)s->trials);
    const figure_line line = {
        .label = "mean ± deviation", .x = x, .y = s->mean, .spread = s->deviation, .count = SPARSITIES};
    const figure f = {.name = "syn4-steps",
                      .title = title,
                      .x_label = "sparsity s of x_{true}, of 100 entries",
                      .y_label = "mean step η L  (1: the safe step)",
                      .rule = 1.0,
                      .rule_label = "1 / L",
                      .lines = &line,
                      .count = 1};
    return draw_both(&f, o, "syn4-steps");
}

int draw_study(const study *s, const reproduce_options *o) {
    char by_m[128], by_inner[128];
    const figure_line sizes[] = {
        {.label = "Proposition 2", .x = s->m, .y = s->proposition, .count = SKETCH_SIZES, .style = 2},
        {.label = "direct bound", .x = s->m, .y = s->direct, .count = SKETCH_SIZES, .style = 3},
        {.label = "measured, Gaussian", .x = s->m, .y = s->gaussian, .count = SKETCH_SIZES, .style = 0},
        {.label = "measured, count sketch", .x = s->m, .y = s->count, .count = SKETCH_SIZES, .style = 1},
        {.label = "√(d/m)", .x = s->m, .y = s->rule_of_thumb, .count = SKETCH_SIZES, .style = 7},
    };
    const figure_line inner[] = {
        {.label = "Theorem 1 (GPIS)", .x = s->inner, .y = s->theorem[0], .count = INNER_LENGTHS, .style = 2},
        {.label = "Theorem 2 (GPIS)", .x = s->inner, .y = s->theorem[1], .count = INNER_LENGTHS, .style = 3},
        {.label = "Theorem 3 (Acc-GPIS)", .x = s->inner, .y = s->theorem[2], .count = INNER_LENGTHS, .style = 4},
        {.label = "GPIS, measured", .x = s->inner, .y = s->gpis, .count = INNER_LENGTHS, .style = 0},
        {.label = "Acc-GPIS, measured", .x = s->inner, .y = s->acc_gpis, .count = INNER_LENGTHS, .style = 1},
    };
    snprintf(by_m, sizeof by_m, "A round solved exactly (d = %lld)", (long long)s->d);
    snprintf(by_inner, sizeof by_inner, "A round of k inner iterations (d = %lld, m = %lld)", (long long)s->d,
             (long long)s->rows);
    figure f = {.name = "bounds-m",
                .title = by_m,
                .x_label = "rows m of the sketch",
                .y_label = "factor of ||A(x − x*)||, one round",
                .log_x = true,
                .log_y = true,
                .rule = 1.0,
                .rule_label = "no contraction",
                .lines = sizes,
                .count = sizeof sizes / sizeof sizes[0]};
    int code = draw_both(&f, o, "bounds-m");
    f.name = "bounds-inner";
    f.title = by_inner;
    f.x_label = "inner iterations k";
    f.lines = inner;
    f.count = sizeof inner / sizeof inner[0];
    if (code == 0) code = draw_both(&f, o, "bounds-inner");
    return code;
}
