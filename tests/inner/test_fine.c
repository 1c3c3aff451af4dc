/*
 * The problem in double-double as an object: memory, and lack of it. What it finds is tested by its bounds
 * (certificate/test_known.c) and by the stress suite.
 */
#include "inner/spectral.h"

#include "calls.h"
#include "certificate/problems.h"
#include "pass/pass.h"

static const char *const SETS[] = {"none",
                                   "nonneg",
                                   "l1:1",
                                   "simplex:1",
                                   "group:1:2",
                                   "l2:1",
                                   "nuclear:1",
                                   "tv:1",
                                   "monotone",
                                   "box:-1,0.5",
                                   "affine:$/C.npy,$/b.npy",
                                   "l1:1@dct",
                                   "box:0,1@$/U.npy",
                                   "affine:$/C.npy,$/b.npy@dct",
                                   "tv:1@$/U.npy",
                                   "box:-1,2 & l1:1 & sum:-0.5,1",
                                   "monotone & l1:1 & nonneg"};
enum { SET_COUNT = sizeof SETS / sizeof *SETS, K = 2 };

static gpis_status solve(gpis_context *context, gpis_set *set, const gpis_quadratic *summary) {
    const int64_t size = set->d * K;
    gpis_fine *fine = NULL;
    double *v = gpis_alloc_zero(context, 6 * size, sizeof *v);
    gpis_status status = v ? gpis_fine_create(context, set, summary, &fine) : GPIS_NO_MEMORY;
    const gpis_fine_point at = {v, status == GPIS_OK ? v + size : NULL};
    for (int64_t c = 0; status == GPIS_OK && c < K; c++) {
        gpis_known_multiplier l = {.l = v + 2 * size, .l_low = v + 3 * size, .off = v + 4 * size};
        gpis_fine_solve(fine, c, v + 5 * size, (gpis_fine_aim){.goal = 1e-20, .shift = GPIS_FINE_HIDDEN}, &at, &l);
    }
    gpis_fine_destroy(fine);
    gpis_free(context, v);
    return status;
}

/* A ball of the nuclear norm, which holds all responses together. */
static gpis_status solve_together(gpis_context *context, gpis_set *set, const gpis_quadratic *summary) {
    gpis_set *none = NULL;
    gpis_fine *fine = NULL;
    gpis_spectral *spectral = NULL;
    double *v = gpis_alloc_zero(context, 2 * set->d * K, sizeof *v);
    gpis_status status = v ? gpis_set_none(context, set->d, &none) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_fine_create(context, none, summary, &fine);
    if (status == GPIS_OK) status = gpis_spectral_create(context, set, fine, &spectral);
    if (status == GPIS_OK)
        gpis_spectral_solve(spectral, (gpis_fine_aim){.goal = 1e-20, .shift = GPIS_FINE_HIDDEN},
                            &(gpis_fine_point){v, v + set->d * K});
    gpis_spectral_destroy(spectral);
    gpis_fine_destroy(fine);
    gpis_set_destroy(none);
    gpis_free(context, v);
    return status;
}

static gpis_status make_and_solve(gpis_context *context, const world *w, const char *spec, double *taken) {
    char text[256];
    gpis_set *set = NULL;
    gpis_source *A = NULL;
    gpis_quadratic *summary = NULL;
    problem p = problem_make(FINE, 2 * w->d, w->d, K, 5);
    world_spec(w, spec, "1", text, sizeof text);
    gpis_status status = test_set(context, text, w->d, K, &set);
    if (status == GPIS_OK) status = gpis_source_dense(context, p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p.n, p.d, p.d, &A);
    if (status == GPIS_OK) status = gpis_quadratic_create(context, p.d, K, &summary);
    const gpis_pass pass = {.k = K, .Y = p.Y, .summary = summary ? summary->W : NULL};
    if (status == GPIS_OK) status = gpis_pass_run(context, A, &pass);
    const int64_t before = gpis_account_used(context);
    atomic_store(&context->peak, before);
    const bool together = status == GPIS_OK && gpis_spectral_applies(set);
    if (status == GPIS_OK) status = (together ? solve_together : solve)(context, set, summary);
    *taken = (double)(atomic_load(&context->peak) - before);
    const double foreseen =
        status == GPIS_OK ? gpis_fine_memory(set) + (together ? gpis_spectral_memory(w->d, K) : 0.0) : 0.0;
    if (status == GPIS_OK && *taken > foreseen + 48.0 * (double)(w->d * K) + 64.0)
        fail_msg("%s takes %g bytes, not %g", text, *taken, foreseen);
    gpis_quadratic_destroy(summary);
    gpis_source_destroy(A);
    gpis_set_destroy(set);
    problem_clear(&p);
    return status;
}

static void memory_is_foreseen(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 40);
    for (int i = 0; i < SET_COUNT; i++) {
        double taken;
        assert_ok(context, make_and_solve(context, &w, SETS[i], &taken));
    }
    world_end(&w);
    test_context_end(context, &memory);
}

typedef struct attempt {
    const world *w;
    const char *spec;
} attempt;

static gpis_status attempt_once(gpis_context *context, void *user) {
    const attempt *a = user;
    double taken;
    return make_and_solve(context, a->w, a->spec, &taken);
}

static void lack_of_memory(void **state) {
    (void)state;
    world w;
    world_begin(&w, 6);
    for (int i = 0; i < SET_COUNT; i++) {
        attempt a = {&w, SETS[i]};
        assert_true(test_every_allocation(attempt_once, &a) >= 20);
    }
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_foreseen), cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
