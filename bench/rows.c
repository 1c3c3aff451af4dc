/*
 * The d x d part of a solve over a polyhedron, for bench/rows.py:
 *
 *     rows FILE ROUNDS
 *
 * FILE holds, as doubles in the order of the machine: d, m, R (0: no sum of sizes), H (d x d), g (d), lo, hi (d each),
 * C (m x d), lower, upper (m each). Minimises 1/2 x'Hx + g'x over lo <= x <= hi, lower <= C x <= upper and, with R, sum
 * |x_j| <= R. Prints the processor seconds of the best of ROUNDS solves, of making the model with its factor, and of
 * making the set; the minimum; and how far x breaks a constraint.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inner/inner.h"
#include "set/price.h"

typedef struct input {
    double *memory;
    int64_t d, m;
    double R;
    const double *H, *g, *lo, *hi, *C, *lower, *upper;
} input;

static int fail(const char *what) { return fprintf(stderr, "rows: %s\n", what), 1; }

static int read_input(const char *path, input *in) {
    FILE *f = fopen(path, "rb");
    if (!f) return fail("the file cannot be opened");
    fseek(f, 0, SEEK_END);
    const size_t count = (size_t)ftell(f) / sizeof(double);
    rewind(f);
    in->memory = malloc(count * sizeof(double));
    const size_t read = in->memory ? fread(in->memory, sizeof(double), count, f) : 0;
    fclose(f);
    if (read != count || count < 3) return fail("the file cannot be read");
    in->d = (int64_t)in->memory[0];
    in->m = (int64_t)in->memory[1];
    in->R = in->memory[2];
    in->H = in->memory + 3;
    in->g = in->H + in->d * in->d;
    in->lo = in->g + in->d;
    in->hi = in->lo + in->d;
    in->C = in->hi + in->d;
    in->lower = in->C + in->m * in->d;
    in->upper = in->lower + in->m;
    return in->upper + in->m == in->memory + count ? 0 : fail("the file has another size than it says");
}

static gpis_status make_set(gpis_context *context, const input *in, gpis_set **parts, gpis_set **out) {
    int64_t count = 1;
    gpis_status status = gpis_set_box(context, in->lo, in->hi, in->d, &parts[0]);
    if (status == GPIS_OK && in->m > 0)
        status = gpis_set_linear(context, in->C, in->lower, in->upper, in->m, in->d, NULL, &parts[count++]);
    if (status == GPIS_OK && in->R > 0) status = gpis_set_l1(context, in->R, in->d, &parts[count++]);
    return status == GPIS_OK ? gpis_set_intersection(context, count, parts, out) : status;
}

/* The gradient at x, and q around x, whose minimum is that of the problem less its value at x. */
static double gradient(const input *in, const double *x, double *g) {
    double value = 0.0;
    for (int64_t i = 0; i < in->d; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < in->d; j++) sum += in->H[i * in->d + j] * x[j];
        value += x[i] * (0.5 * sum + in->g[i]);
        g[i] = sum + in->g[i];
    }
    return value;
}

static gpis_status run(gpis_context *context, const input *in, int rounds, gpis_set *set, double making) {
    double *x = calloc((size_t)in->d, sizeof *x), *g = malloc((size_t)in->d * sizeof *g), best = INFINITY, model_time;
    double *H = gpis_alloc(context, in->d * in->d, sizeof *H), value = 0.0;
    gpis_violation violation = {0};
    gpis_model *model = NULL;
    gpis_status status = x && g && H ? gpis_set_project(set, x, x) : GPIS_NO_MEMORY;
    memcpy(H, in->H, (size_t)(in->d * in->d) * sizeof *H);
    const double start = gradient(in, x, g), before = gpis_processor_clock();
    if (status == GPIS_OK) status = gpis_model_create(context, in->d, H, 100.0, &model);
    model_time = gpis_processor_clock() - before;
    for (int i = 0; i < rounds && status == GPIS_OK; i++) {
        gpis_inner *inner = NULL;
        bool done = false;
        const double begun = gpis_processor_clock();
        status = gpis_inner_create(context, set, model, NULL, &inner);
        if (status != GPIS_OK) break;
        gpis_inner_begin(inner, x, g);
        status = gpis_inner_run(inner, 10000, &done);
        best = fmin(best, gpis_processor_clock() - begun);
        value = start + inner->value;
        if (status == GPIS_OK) status = gpis_set_violation(set, inner->s, &violation);
        gpis_inner_destroy(inner);
    }
    printf("%.6f %.6f %.6f %.17g %.3g\n", best, model_time, making, value, violation.most);
    gpis_model_destroy(model);
    free(x);
    free(g);
    return status;
}

int main(int argc, char **argv) {
    input in = {0};
    gpis_context *context = NULL;
    gpis_set *parts[3] = {NULL}, *set = NULL;
    if (argc != 3) return fail("usage: rows FILE ROUNDS");
    if (read_input(argv[1], &in) != 0 || gpis_context_create(&context) != GPIS_OK) return 1;
    const double before = gpis_processor_clock();
    gpis_status status = make_set(context, &in, parts, &set);
    if (status == GPIS_OK) status = run(context, &in, atoi(argv[2]), set, gpis_processor_clock() - before);
    if (status != GPIS_OK) fail(gpis_last_error(context));
    gpis_set_destroy(set);
    for (int i = 0; i < 3; i++) gpis_set_destroy(parts[i]);
    gpis_context_destroy(context);
    free(in.memory);
    return status == GPIS_OK ? 0 : 1;
}
