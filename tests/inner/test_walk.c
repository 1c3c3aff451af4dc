/* Inner problems over random polyhedra, with and without a penalty, against an enumeration of all faces; models that
 * are singular; and the same problem again, from the face of the last solution. */
#include "inner/inner.h"
#include "set/draw.h"
#include "set/extend.h"

enum { N = 9 };

typedef struct trial {
    random_polyhedron p;
    gpis_set *set; /* with the penalty, if there is one */
    double lambda[FACES_D];
    double H[FACES_D * FACES_D], x[FACES_D], g[FACES_D];
    long double best; /* the minimum of q + 1/2 (h(s) - h(x)) */
    long double s[FACES_D];
    gpis_model *model;
} trial;

/* H = A'A; `flat`: the last column of A is the first one again. The data are small whole numbers, so that H is exact.
 */
static void draw_model(gpis_context *context, trial *t, uint64_t seed, bool flat) {
    const int d = t->p.f.d;
    double A[N * FACES_D], *H = gpis_alloc(context, d * d, sizeof *H);
    assert_non_null(H);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < d; j++)
            A[i * d + j] = flat && j == d - 1 && d > 1 ? A[i * d] : whole(seed, 600 + i * d + j, -3, 3);
    for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += A[i * d + a] * A[i * d + b];
            t->H[a * d + b] = H[a * d + b] = sum;
        }
    assert_ok(context, gpis_model_create(context, d, H, 1, &t->model));
}

static void begin(gpis_context *context, uint64_t seed, bool flat, bool penalised, trial *t) {
    double tilted[FACES_D], half[FACES_D];
    *t = (trial){.model = NULL};
    draw(context, seed, &t->p);
    draw_model(context, t, seed, flat);
    const int d = t->p.f.d;
    fill_normal(t->x, d, seed, 2);
    fill_normal(t->g, d, seed + 1, 20);
    assert_ok(context, gpis_set_project(t->p.set, t->x, t->x));
    for (int j = 0; j < d; j++) t->lambda[j] = penalised ? 10 * whole(seed, 700 + j, 0, 2) : 0;
    if (penalised)
        assert_ok(context, gpis_set_extend(context, t->p.set, &(gpis_extension){.penalty = t->lambda}, &t->set));
    long double constant = 0; /* q at s is 1/2 s'Hs + tilted's + constant */
    for (int a = 0; a < d; a++) {
        long double Hx = 0;
        for (int b = 0; b < d; b++) Hx += (long double)t->H[a * d + b] * t->x[b];
        tilted[a] = (double)(t->g[a] - Hx);
        half[a] = 0.5 * t->lambda[a];
        constant += t->x[a] * (0.5L * Hx - t->g[a]) - half[a] * fabsl((long double)t->x[a]);
    }
    t->best = constant + (penalised ? faces_penalised(&t->p.f, t->H, tilted, half, t->s)
                                    : faces_minimise(&t->p.f, t->H, tilted, t->s));
}

static void end(trial *t) {
    gpis_model_destroy(t->model);
    gpis_set_destroy(t->set);
    let_go(&t->p);
}

static void solve(gpis_context *context, const trial *t, int seed, bool flat) {
    gpis_inner *inner = NULL;
    gpis_set *set = t->set ? t->set : t->p.set;
    bool done;
    assert_ok(context, gpis_inner_create(context, set, t->model, NULL, &inner));
    for (int again = 0; again < 2; again++) {
        gpis_inner_begin(inner, t->x, t->g);
        assert_ok(context, gpis_inner_run(inner, 5000, &done));
        if (!done || !(fabs(inner->value - (double)t->best) <= (flat ? 1e-9 : 1e-11) * (1 + fabs((double)t->best))))
            fail_msg("seed %d, %s: the minimum is %.17g, not %.17Lg", seed, gpis_set_spec(set), inner->value, t->best);
        for (int j = 0; j < t->p.f.d && !flat; j++)
            assert_true(fabsl(inner->s[j] - t->s[j]) <= 1e-9L * (1 + fabsl(t->s[j])));
    }
    gpis_inner_destroy(inner);
}

static void check(bool flat, bool penalised, uint64_t seeds) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        trial t;
        begin(context, seed, flat, penalised, &t);
        if (isfinite((double)t.best) && (!flat || gpis_set_is_bounded(t.p.set)))
            solve(context, &t, (int)seed, flat || !(t.model->inverse < 1e8));
        end(&t);
    }
    test_context_end(context, &memory);
}

static void test_plain(void **state) {
    (void)state;
    check(false, false, 300);
}

static void test_penalised(void **state) {
    (void)state;
    check(false, true, 150);
}

static void test_flat(void **state) {
    (void)state;
    check(true, false, 200);
}

static gpis_status make_inner(gpis_context *context, void *user) {
    const trial *t = user;
    gpis_inner *inner = NULL;
    bool done;
    gpis_set *box = NULL, *sum = NULL, *set = NULL;
    double lo[3] = {0, 0, 0}, *H = gpis_alloc_zero(context, 9, sizeof *H);
    gpis_model *model = NULL;
    gpis_status status = H ? GPIS_OK : GPIS_NO_MEMORY;
    for (int i = 0; H && i < 3; i++) H[4 * i] = 1;
    if (status == GPIS_OK) status = gpis_model_create(context, 3, H, 1, &model);
    if (status == GPIS_OK) status = gpis_set_box(context, lo, lo, 3, &box);
    if (status == GPIS_OK) status = gpis_set_sum(context, -1, 1, 3, &sum);
    if (status == GPIS_OK) status = gpis_set_intersection(context, 2, (gpis_set *[]){box, sum}, &set);
    if (status == GPIS_OK) status = gpis_inner_create(context, set, model, NULL, &inner);
    if (status == GPIS_OK) gpis_inner_begin(inner, lo, t->g);
    if (status == GPIS_OK) status = gpis_inner_run(inner, 10, &done);
    gpis_inner_destroy(inner);
    gpis_set_destroy(set);
    gpis_set_destroy(sum);
    gpis_set_destroy(box);
    gpis_model_destroy(model);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    trial t = {.g = {1, 2, 3}};
    test_every_allocation(make_inner, &t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_penalised),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
