/* Specs of sets, as text; they may name the .npy files in the folder, and columns. A set that parses must be usable. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set/read.h"

enum { N = 10, D = 6, K = 2 };

void fuzz_start(const char *fresh) {
    static const double lo[D] = {-1, -1, 0, -INFINITY, 0, -3}, hi[D] = {1, 0, 0, 2, INFINITY, 3};
    static const double C[2 * D] = {1, 1, 1, 1, 1, 1, 1, -1, 0, 0, 0, 0}, b[2] = {1, 0};
    static const double U[D * D] = {[1] = 1,         [D] = -1,        [2 * D + 2] = 1,
                                    [3 * D + 5] = 1, [4 * D + 4] = 1, [5 * D + 3] = 1};
    (void)fresh;
    fuzz_write_npy("lo.npy", lo, D, 1, 1);
    fuzz_write_npy("hi.npy", hi, D, 1, 1);
    fuzz_write_npy("C.npy", C, 2, D, 2);
    fuzz_write_npy("b.npy", b, 2, 1, 1);
    fuzz_write_npy("U.npy", U, D, D, 2);
}

/* Names that a spec could take for something else. */
static const char *name_of(const void *user, int64_t j) {
    static const char *const names[D] = {"a", "price 1", "price,2", "4", "x[\"]", "a"};
    (void)user;
    return names[j];
}

/* The spec that gpis_set_spec returns makes the same set. */
static void parse_again(gpis_context *context, gpis_set *set, const gpis_columns *columns, int64_t k) {
    gpis_set *again = NULL;
    fuzz_require(gpis_set_read(context, gpis_set_spec(set), columns, k, &again) == GPIS_OK,
                 "a set's own spec was refused");
    fuzz_require(strcmp(gpis_set_spec(again), gpis_set_spec(set)) == 0, "a set's own spec makes another set");
    gpis_set_destroy(again);
}

static void use(gpis_set *set, int64_t size) {
    double v[D * K] = {0}, x[D * K] = {0}, value;
    for (int64_t i = 0; i < size; i++) v[i] = (double)((i * 7 + 3) % 5) - 2.0;
    if (gpis_set_project(set, v, x) == GPIS_OK)
        for (int64_t i = 0; i < size; i++) fuzz_require(isfinite(x[i]), "a projection that is not finite");
    if (gpis_set_distance(set, x, &value) == GPIS_OK) fuzz_require(value >= 0.0, "a distance that is not >= 0");
    if (gpis_set_support(set, v, &value) == GPIS_OK) fuzz_require(!isnan(value), "a support that is not a number");
}

/* A few passes over a small problem: the set meets its inner solver. */
static void solve(gpis_context *context, gpis_set *set, int64_t d, int64_t k) {
    static double A[N * D], y[N * K];
    gpis_source *source = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.max_passes = 4;
    for (int64_t i = 0; i < N * d; i++) A[i] = (double)((i * i * 7 + i * 3) % 11) - 5.0;
    for (int64_t i = 0; i < N * k; i++) y[i] = (double)((i * 5 + 2) % 7) - 3.0;
    fuzz_require(gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, d, d, &source) == GPIS_OK,
                 "the problem was refused");
    gpis_problem *problem = NULL;
    gpis_status status = gpis_problem_create(context, source, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, y, N, k);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK) status = gpis_solve(problem, &settings, &result);
    if (status == GPIS_OK)
        fuzz_look(result->x, d * k);
    else
        fuzz_check_refusal(context, status, result);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_source_destroy(source);
}

static void try_spec(const char *spec, int64_t d, int64_t k, bool named) {
    gpis_context *context = fuzz_context();
    const gpis_columns columns = {d, named ? name_of : NULL, NULL};
    gpis_set *set = NULL;
    const gpis_status status = gpis_set_read(context, spec, &columns, k, &set);
    if (status == GPIS_OK) {
        fuzz_accept();
        parse_again(context, set, &columns, k);
        use(set, d * k);
        solve(context, set, d, k);
    } else {
        fuzz_check_refusal(context, status, set);
    }
    gpis_set_destroy(set);
    fuzz_context_end(context);
}

void fuzz_input(const uint8_t *data, size_t size) {
    char *spec = malloc(size + 1);
    fuzz_require(spec != NULL, "no memory");
    memcpy(spec, data, size);
    spec[size] = '\0';
    try_spec(spec, D, 1, true);
    try_spec(spec, D, K, false);
    try_spec(spec, 1, 1, false);
    free(spec);
}
