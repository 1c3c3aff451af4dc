/*
 * Sets in other coordinates (gpis_set.inside): the three functions are consistent, and members become members. By the
 * definitions: the columns of T are T e_j, and T' and T^-1 must be those of that matrix.
 */
#include "set/kinds.h"
#include "world.h"

static const char *const TURNED[] = {"l1:#@dct", "box:-1,0.5@$/U.npy", "monotone",
                                     "tv:#",     "tv:#@dct",           "l2:#@dct@$/U.npy"};
enum { TURNED_COUNT = sizeof TURNED / sizeof *TURNED };

static gpis_set *set_make(gpis_context *context, const world *w, const char *pattern, int64_t k) {
    char spec[256];
    gpis_set *set = NULL;
    world_spec(w, pattern, "1.5", spec, sizeof spec);
    assert_ok(context, test_set(context, spec, w->d, k, &set));
    return set;
}

static void check_ways(const gpis_set *s) {
    enum { MAX_ENTRIES = 8 };
    const int64_t d = s->d;
    double E[MAX_ENTRIES * MAX_ENTRIES] = {0}, T[MAX_ENTRIES * MAX_ENTRIES], out[MAX_ENTRIES * MAX_ENTRIES],
                           v[MAX_ENTRIES], w[MAX_ENTRIES]; /* row j of T: T e_j */
    assert_true(d <= MAX_ENTRIES);
    for (int64_t j = 0; j < d; j++) E[j * d + j] = 1.0;
    s->class->turn(s, GPIS_TO_OUTSIDE, d, E, T);
    s->class->turn(s, GPIS_TO_INSIDE, d, T, out);
    for (int64_t i = 0; i < d * d; i++) assert_close(out[i], E[i], 1e-14);
    fill_normal(v, d, 5, 1.0);
    s->class->turn(s, GPIS_TRANSPOSED, 1, v, w);
    for (int64_t j = 0; j < d; j++) assert_close(w[j], dot(T + j * d, v, d), 1e-14);
    s->class->turn(s, GPIS_TO_OUTSIDE, 1, v, w);
    for (int64_t i = 0; i < d; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < d; j++) sum += T[j * d + i] * v[j];
        assert_close(w[i], sum, 1e-14);
    }
}

/* x in K if and only if what is not loose of z is inside. */
static void check_members(gpis_set *s) {
    enum { MAX_ENTRIES = 8 };
    const int64_t d = s->d, loose = s->loose;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double v[MAX_ENTRIES], x[MAX_ENTRIES], z[MAX_ENTRIES], away, away_inside;
        fill_normal(v, d, seed, 1.0);
        assert_ok(s->context, gpis_set_project(s, v, x));
        s->class->turn(s, GPIS_TO_INSIDE, 1, x, z);
        assert_ok(s->context, gpis_set_distance(s->inside, z + loose, &away));
        assert_true(away <= 1e-13);
        fill_normal(z, d, seed + 100, 1.0);
        assert_ok(s->context, gpis_set_distance(s->inside, z + loose, &away_inside));
        s->class->turn(s, GPIS_TO_OUTSIDE, 1, z, x);
        assert_ok(s->context, gpis_set_distance(s, x, &away));
        assert_int_equal(away > 1e-12, away_inside > 1e-12);
        assert_ok(s->context, gpis_set_project(s->inside, z + loose, z + loose));
        s->class->turn(s, GPIS_TO_OUTSIDE, 1, z, x);
        assert_ok(s->context, gpis_set_distance(s, x, &away));
        assert_true(away <= 1e-13);
    }
}

static void ways_and_members(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 2; d <= 8; d++) {
        world w;
        world_begin(&w, d);
        for (int spec = 0; spec < TURNED_COUNT; spec++) {
            gpis_set *set = set_make(context, &w, TURNED[spec], 1);
            assert_non_null(set->inside);
            assert_int_equal(set->inside->d + set->loose, d);
            check_ways(set);
            check_members(set);
            gpis_set_destroy(set);
            set = set_make(context, &w, TURNED[spec], 3);
            assert_int_equal(set->inside->k, 3);
            gpis_set_destroy(set);
        }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* Nothing to compare: no jumps. */
static void one_entry(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 1);
    for (int spec = 2; spec < 4; spec++) {
        gpis_set *set = set_make(context, &w, TURNED[spec], 1);
        assert_null(set->inside);
        gpis_set_destroy(set);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* affine: its normals are orthonormal, and steps across them stay in the set. */
static void normals(void **state) {
    (void)state;
    enum { D = 7 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    gpis_set *set = set_make(context, &w, "affine:$/C.npy,$/b.npy", 1);
    int64_t count;
    const double *Q = set->class->normals(set, &count);
    assert_int_equal(count, w.m - 1); /* one row is redundant */
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) assert_close(dot(Q + i * D, Q + j * D, D), i == j, 1e-14);
    double v[D], away;
    fill_normal(v, D, 3, 1.0);
    assert_ok(context, gpis_set_project(set, v, v));
    for (int64_t j = 0; j < D; j++) v[j] += 0.5 * Q[j];
    assert_ok(context, gpis_set_distance(set, v, &away));
    assert_close(away, 0.5, 1e-13);
    gpis_set_destroy(set);
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ways_and_members), cmocka_unit_test(one_entry),
                                       cmocka_unit_test(normals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
