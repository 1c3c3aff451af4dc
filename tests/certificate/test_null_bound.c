/* Multipliers made free of null vectors: exactly, without moving what is zero. */
#include "certificate/null_bound.h"

#include "support.h"

enum { D = 12, MAX_VECTORS = 4 };

/* The exact product, up to long double's rounding of a few terms of a few bits: N is small and whole. */
static long double along(const double *l, const double *v) {
    long double sum = 0;
    for (int j = 0; j < D; j++) sum += (long double)l[j] * v[j];
    return sum;
}

static void fill(uint64_t seed, int count, double *N, double *l) {
    gpis_random_normal(seed, 1, 0, D, l);
    for (int i = 0; i < count * D; i++) {
        const uint32_t bits = gpis_random_bits(seed, 2, (uint64_t)i).v[0];
        N[i] = bits % 2 ? 0.0 : (double)(bits >> 8 & 7) - 3.0;
    }
}

/* <l, N_i> is zero up to what `off` allows, and no more entries have moved than there are null vectors. */
static void nothing_is_left_along_them(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double size[D], l[D], before[D], off[D], N[MAX_VECTORS * D];
    for (int j = 0; j < D; j++) size[j] = 1.0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        const int count = 1 + (int)(seed % MAX_VECTORS);
        bool found;
        fill(seed, count, N, l);
        if (seed % 3 == 0) memcpy(N + (count - 1) * D, N, D * sizeof *N); /* they need not be independent */
        memcpy(before, l, sizeof l);
        assert_ok(context, gpis_null_bound_annihilate(context, count, D, N, NULL, size, l, off, &found));
        assert_true(found);
        int moved = 0;
        for (int j = 0; j < D; j++) moved += l[j] != before[j];
        assert_true(moved <= count);
        for (int i = 0; i < count; i++) {
            double allowed = 0.0, terms = 0.0;
            for (int j = 0; j < D; j++) {
                allowed += fabs(N[i * D + j]) * off[j];
                terms += fabs(N[i * D + j] * l[j]);
            }
            assert_true(fabsl(along(l, N + i * D)) <= (long double)allowed + 1e-18L * terms);
            assert_true(allowed <= 1e-12 * terms);
        }
    }
    test_context_end(context, &memory);
}

/* Zeros stay zeros as long as there are other entries to move, and the large entries move, not the small. */
static void zeros_stay(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double size[4] = {1, 1, 1, 1}, N[2 * 4] = {1, 1, -1, 0, 1, 0, 0, 1};
    double off[4], l[4] = {0.0, -5.0, -5.0000001, 0.0};
    bool found;
    assert_ok(context, gpis_null_bound_annihilate(context, 2, 4, N, NULL, size, l, off, &found));
    assert_true(found && l[0] == 0.0 && l[3] == 0.0 && off[0] == 0.0 && off[3] == 0.0);
    assert_true(l[1] == -5.0 && l[2] == -5.0);
    double tiny[4] = {1e-14, -5.0, -4.0, 0.0};
    assert_ok(context, gpis_null_bound_annihilate(context, 1, 4, N, NULL, size, tiny, off, &found));
    assert_true(found && tiny[0] == 1e-14 && tiny[2] == -4.0 && fabs(tiny[1] + 4.0 + 1e-14) <= off[1]);
    test_context_end(context, &memory);
}

/* N has no exact elimination in doubles, or is blurred itself: l is right for every N within the blur, by the
 * determinants of the 2 x 2 system in long double. */
static void inexact_elimination_is_counted(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double size[3] = {1, 1, 1};
    for (uint64_t seed = 0; seed < 300; seed++) {
        double N[2 * 3], blur[2 * 3], shift[2 * 3], off[3], l[3] = {-3.0, -2.0, -1.0};
        bool found;
        gpis_random_normal(seed, 3, 0, 6, N);
        gpis_random_normal(seed, 4, 0, 6, shift);
        for (int i = 0; i < 6; i++) blur[i] = seed % 2 ? 1e-13 * fabs(shift[i]) : 0.0;
        assert_ok(context, gpis_null_bound_annihilate(context, 2, 3, N, blur, size, l, off, &found));
        assert_true(found && l[2] == -1.0 && off[2] == 0.0);
        long double T[2 * 3]; /* a true N */
        for (int i = 0; i < 6; i++) T[i] = N[i] + copysignl(blur[i], shift[i]);
        const long double determinant = T[0] * T[4] - T[1] * T[3];
        const long double x = (T[2] * T[4] - T[1] * T[5]) / determinant, y = (T[0] * T[5] - T[2] * T[3]) / determinant;
        assert_true(fabsl(l[0] - x) <= off[0] && fabsl(l[1] - y) <= off[1]);
        assert_true(off[0] <= 1e-6 * (1.0 + fabs(l[0])) && off[1] <= 1e-6 * (1.0 + fabs(l[1])));
    }
    test_context_end(context, &memory);
}

/* Rows that may depend on each other or not, for all that is known of them: nothing is claimed. */
static void undecided_rank_is_given_up(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double size[3] = {1, 1, 1}, N[2 * 3] = {0.1, 0.7, 0.3, 0.1, 0.7, 0.3};
    double off[3], l[3] = {-3.0, -2.0, -1.0}, blur[2 * 3] = {0};
    bool found;
    assert_ok(context, gpis_null_bound_annihilate(context, 2, 3, N, blur, size, l, off, &found));
    assert_true(found); /* exactly the same */
    blur[4] = 1e-17;
    assert_ok(context, gpis_null_bound_annihilate(context, 2, 3, N, blur, size, l, off, &found));
    assert_false(found);
    test_context_end(context, &memory);
}

static gpis_status annihilate(gpis_context *context, void *user) {
    (void)user;
    const double size[3] = {1, 1, 1}, N[3] = {1, 0, -1};
    double off[3], l[3] = {1, 2, 3};
    bool found;
    return gpis_null_bound_annihilate(context, 1, 3, N, NULL, size, l, off, &found);
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(annihilate, NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left_along_them), cmocka_unit_test(zeros_stay),
                                       cmocka_unit_test(inexact_elimination_is_counted),
                                       cmocka_unit_test(undecided_rank_is_given_up), cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
