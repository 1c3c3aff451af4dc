/* Sets from memory: the same bits as from a spec, their texts, what is refused and with which message, and failing
 * allocations. */
#include <omp.h>

#include "made.h"

enum { D = 6 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    world w;
} fixture;

static int begin(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->context = test_context(&f->memory);
    world_begin(&f->w, D);
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    world_end(&f->w);
    test_context_end(f->context, &f->memory);
    free(f);
    return 0;
}

/* ---- the same set ----------------------------------------------------------------------------------------------- */

/* One of each constructor with its spec, for x of D entries. */
typedef gpis_status (*make_fn)(gpis_context *context, const world *w, gpis_set **out);

static gpis_status make_none(gpis_context *c, const world *w, gpis_set **out) { return gpis_set_none(c, w->d, out); }
static gpis_status make_nonneg(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_nonneg(c, w->d, out);
}
static gpis_status make_box(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_box(c, w->lo, w->hi, w->d, out);
}
static gpis_status make_flat_box(gpis_context *c, const world *w, gpis_set **out) {
    const double lower[D] = {-1, -1, -1, -1, -1, -1}, upper[D] = {2.5, 2.5, 2.5, 2.5, 2.5, 2.5};
    return gpis_set_box(c, lower, upper, w->d, out);
}
static gpis_status make_lower(gpis_context *c, const world *w, gpis_set **out) {
    const double lower[D] = {0};
    return gpis_set_box(c, lower, NULL, w->d, out);
}
static gpis_status make_free_box(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_box(c, NULL, NULL, w->d, out);
}
static gpis_status make_l1(gpis_context *c, const world *w, gpis_set **out) { return gpis_set_l1(c, 0.1, w->d, out); }
static gpis_status make_l2(gpis_context *c, const world *w, gpis_set **out) { return gpis_set_l2(c, 0.5, w->d, out); }
static gpis_status make_linf(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_linf(c, 0.5, w->d, out);
}
static gpis_status make_sum(gpis_context *c, const world *w, gpis_set **set) {
    (void)w;
    return gpis_set_sum(c, -1, 1.5, D, set);
}
static gpis_status make_simplex(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_simplex(c, 1.5, w->d, out);
}
static gpis_status make_capped(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_capped_simplex(c, 1.5, w->d, out);
}
static gpis_status make_group(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_group(c, 0.7, 3, w->d, out);
}
static gpis_status make_monotone(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_monotone(c, w->d, out);
}
static gpis_status make_tv(gpis_context *c, const world *w, gpis_set **out) { return gpis_set_tv(c, 0.7, w->d, out); }
static gpis_status make_affine(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_affine(c, w->C, w->b, w->m, w->d, out);
}
static gpis_status make_nuclear(gpis_context *c, const world *w, gpis_set **out) {
    return gpis_set_nuclear(c, 0.7, w->d, 2, out);
}

static const struct {
    make_fn make;
    const char *pattern; /* the spec of the same set */
    const char *text;    /* its text, if that is not the spec; '?' stands for a hexadecimal digit */
} pairs[] = {
    {make_none, "none", NULL},
    {make_nonneg, "nonneg", NULL},
    {make_box, "box:$/lo.npy,$/hi.npy", "box:#????????,#????????"},
    {make_flat_box, "box:-1,2.5", NULL},
    {make_lower, "box:0,inf", NULL},
    {make_free_box, "box:-inf,inf", NULL},
    {make_l1, "l1:0.1", NULL},
    {make_l2, "l2:0.5", NULL},
    {make_linf, "linf:0.5", NULL},
    {make_sum, "sum:-1,1.5", NULL},
    {make_simplex, "simplex:1.5", NULL},
    {make_capped, "capped-simplex:1.5", NULL},
    {make_group, "group:0.7:3", NULL},
    {make_monotone, "monotone", NULL},
    {make_tv, "tv:0.7", NULL},
    {make_affine, "affine:$/C.npy,$/b.npy", "affine:#????????,#????????"},
    {make_nuclear, "nuclear:0.7", NULL},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static bool is_called(const char *text, const char *pattern) {
    if (strlen(text) != strlen(pattern)) return false;
    for (; *text; text++, pattern++)
        if (*text != *pattern && !(*pattern == '?' && strchr("0123456789abcdef", *text))) return false;
    return true;
}

/* Projections, supports and cones of both, bit for bit. */
static void assert_same(gpis_context *context, gpis_set *a, gpis_set *b) {
    double v[2 * D], x[2 * D], y[2 * D], f, g;
    assert_true(a->d == b->d && a->k == b->k && a->matrix == b->matrix && a->unbounded == b->unbounded);
    assert_true(a->radius == b->radius && a->sum == b->sum && a->shape == b->shape && a->constants == b->constants);
    for (uint64_t seed = 1; seed < 6; seed++) {
        fill_normal(v, a->d * a->k, seed, seed % 2 ? 3 : 0.1);
        assert_ok(context, gpis_set_project(a, v, x));
        assert_ok(context, gpis_set_project(b, v, y));
        assert_memory_equal(x, y, (size_t)(a->d * a->k) * sizeof *x);
        assert_ok(context, gpis_set_support(a, v, &f));
        assert_ok(context, gpis_set_support(b, v, &g));
        assert_true(f == g);
        assert_ok(context, gpis_set_recession(a, v, x));
        assert_ok(context, gpis_set_recession(b, v, y));
        assert_memory_equal(x, y, (size_t)(a->d * a->k) * sizeof *x);
    }
}

static void test_same_as_spec(void **state) {
    fixture *f = *state;
    for (int i = 0; i < PAIRS; i++) {
        gpis_set *made = NULL;
        gpis_set *parsed = world_set(f->context, &f->w, pairs[i].pattern, "1", 2);
        assert_ok(f->context, pairs[i].make(f->context, &f->w, &made));
        assert_int_equal(made->k, made->matrix ? 2 : 1);
        assert_ok(f->context, gpis_set_responses(made, 2));
        assert_same(f->context, made, parsed);
        if (pairs[i].text)
            assert_true(is_called(gpis_set_spec(made), pairs[i].text));
        else
            assert_string_equal(gpis_set_spec(made), gpis_set_spec(parsed));
        gpis_set_destroy(made);
        gpis_set_destroy(parsed);
    }
}

/* Transforms keep the base; the copy of U is their own. */
static void test_transforms(void **state) {
    fixture *f = *state;
    gpis_set *base = NULL, *set = NULL, *again = NULL;
    assert_ok(f->context, gpis_set_l1(f->context, 0.5, D, &base));
    assert_ok(f->context, gpis_set_dct(f->context, base, &set));
    assert_string_equal(gpis_set_spec(set), "l1:0.5@dct");
    assert_ok(f->context, gpis_set_responses(set, 2));
    gpis_set *parsed = world_set(f->context, &f->w, "l1:0.5@dct", "1", 2);
    assert_same(f->context, set, parsed);
    gpis_set_destroy(parsed);

    double U[D * D];
    memcpy(U, f->w.U, sizeof U);
    assert_ok(f->context, gpis_set_transform(f->context, set, U, &again));
    memset(U, 0, sizeof U);
    assert_true(is_called(gpis_set_spec(again), "l1:0.5@dct@#????????"));
    parsed = world_set(f->context, &f->w, "l1:0.5@dct@$/U.npy", "1", 2);
    assert_same(f->context, again, parsed);
    gpis_set_destroy(parsed);
    gpis_set_destroy(again);
    gpis_set_destroy(set);
    gpis_set_destroy(base);
}

/* Arrays are copied; the text of the set depends on their contents, and equal arrays have equal texts. */
static void test_arrays_are_copied(void **state) {
    fixture *f = *state;
    gpis_set *set = NULL, *same = NULL, *other = NULL;
    double lower[D], v[D] = {0}, x[D];
    for (int i = 0; i < D; i++) lower[i] = i + 1;
    assert_ok(f->context, gpis_set_box(f->context, lower, NULL, D, &set));
    assert_ok(f->context, gpis_set_box(f->context, lower, NULL, D, &same));
    lower[3] = 100;
    assert_ok(f->context, gpis_set_box(f->context, lower, NULL, D, &other));
    assert_ok(f->context, gpis_set_project(set, v, x));
    assert_true(x[3] == 4);
    assert_string_equal(gpis_set_spec(set), gpis_set_spec(same));
    assert_string_not_equal(gpis_set_spec(set), gpis_set_spec(other));
    gpis_set_destroy(set);
    gpis_set_destroy(same);
    gpis_set_destroy(other);
}

/* ---- products --------------------------------------------------------------------------------------------------- */

static void test_blocks(void **state) {
    fixture *f = *state;
    const int64_t first[] = {0, 1, 4}, second[] = {5, 2}, third[] = {3};
    const int64_t *columns[] = {first, second, third};
    gpis_set *sets[3] = {NULL}, *set = NULL;
    double v[D] = {-1, 2, 3, 4, -5, 6}, x[D];
    const double expected[D] = {0, 2, 1, 4, 0, 1};
    assert_ok(f->context, gpis_set_nonneg(f->context, 3, &sets[0]));
    assert_ok(f->context, gpis_set_linf(f->context, 1, 2, &sets[1]));
    assert_ok(f->context, gpis_set_none(f->context, 1, &sets[2]));
    assert_ok(f->context, gpis_set_blocks(f->context, D, 3, columns, sets, &set));
    assert_string_equal(gpis_set_spec(set), "nonneg[1-2,5] & linf:1[6,3] & none[4]");
    assert_non_null(set->class->bounds); /* bounds and nothing else: solved from face to face */
    assert_ok(f->context, gpis_set_project(set, v, x));
    assert_memory_equal(x, expected, sizeof x);
    gpis_set_destroy(set);
    gpis_set_destroy(sets[1]);

    /* the order of the columns is that of the entries: monotone in block 2 is x_6 <= x_3 */
    assert_ok(f->context, gpis_set_monotone(f->context, 2, &sets[1]));
    assert_ok(f->context, gpis_set_blocks(f->context, D, 3, columns, sets, &set));
    assert_null(set->class->bounds);
    assert_true(set->unbounded && !set->exact_recession);
    assert_ok(f->context, gpis_set_project(set, v, x));
    assert_true(x[2] == 4.5 && x[5] == 4.5 && x[0] == 0 && x[1] == 2 && x[3] == 4 && x[4] == 0);
    gpis_set_destroy(set);
    for (int b = 0; b < 3; b++) gpis_set_destroy(sets[b]);
}

/* A long list of columns is written out, so that the text makes the same set. */
static void test_long_lists(void **state) {
    fixture *f = *state;
    enum { ENTRIES = 40 };
    int64_t even[ENTRIES / 2], odd[ENTRIES / 2];
    const int64_t *columns[] = {even, odd}, *swapped[] = {odd, even};
    gpis_set *sets[2] = {NULL}, *set = NULL, *other = NULL;
    for (int i = 0; i < ENTRIES / 2; i++) even[i] = 2 * i, odd[i] = 2 * i + 1;
    assert_ok(f->context, gpis_set_l1(f->context, 1, ENTRIES / 2, &sets[0]));
    assert_ok(f->context, gpis_set_l2(f->context, 1, ENTRIES / 2, &sets[1]));
    assert_ok(f->context, gpis_set_blocks(f->context, ENTRIES, 2, columns, sets, &set));
    assert_ok(f->context, gpis_set_blocks(f->context, ENTRIES, 2, swapped, sets, &other));
    assert_int_equal(strncmp(gpis_set_spec(set), "l1:1[1,3,5,7,", 13), 0);
    assert_non_null(strstr(gpis_set_spec(set), ",37,39] & l2:1[2,4,6,"));
    assert_string_not_equal(gpis_set_spec(set), gpis_set_spec(other));
    gpis_set_destroy(other);
    assert_ok(f->context, test_set(f->context, gpis_set_spec(set), ENTRIES, 1, &other));
    assert_string_equal(gpis_set_spec(set), gpis_set_spec(other));
    gpis_set_destroy(set);
    gpis_set_destroy(other);
    for (int b = 0; b < 2; b++) gpis_set_destroy(sets[b]);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

/* The call must fail with this status and leave NULL and one line that says so. */
#define refuse(f, call, expected, says)                                                             \
    do {                                                                                            \
        set = (gpis_set *)(f);                                                                      \
        const gpis_status got_ = (call);                                                            \
        const char *message_ = gpis_last_error((f)->context);                                       \
        if (got_ != (expected) || set || !strstr(message_, says) || strchr(message_, '\n'))         \
            fail_msg("%s: %s, '%s'; expected '%s'", #call, gpis_status_text(got_), message_, says); \
    } while (0)

static void test_bad_arguments(void **state) {
    fixture *f = *state;
    gpis_context *c = f->context;
    gpis_set *set = NULL;
    refuse(f, gpis_set_l1(c, -1, D, &set), GPIS_BAD_SET, "set l1: R must be finite and >= 0, not -1");
    refuse(f, gpis_set_l2(c, NAN, D, &set), GPIS_BAD_SET, "set l2: R must be finite and >= 0, not nan");
    refuse(f, gpis_set_linf(c, INFINITY, D, &set), GPIS_BAD_SET, "not inf");
    refuse(f, gpis_set_simplex(c, -1e-300, D, &set), GPIS_BAD_SET, "not -1e-300");
    refuse(f, gpis_set_capped_simplex(c, -1, D, &set), GPIS_BAD_SET, "set capped-simplex: R must");
    refuse(f, gpis_set_tv(c, -1, D, &set), GPIS_BAD_SET, "set tv: R must");
    refuse(f, gpis_set_group(c, -1, 2, D, &set), GPIS_BAD_SET, "set group: R must");
    refuse(f, gpis_set_group(c, 1, 4, D, &set), GPIS_BAD_SET, "must divide the number of columns, 6: it is 4");
    refuse(f, gpis_set_group(c, 1, 0, D, &set), GPIS_BAD_SET, "it is 0");
    refuse(f, gpis_set_nuclear(c, -1, D, 2, &set), GPIS_BAD_SET, "set nuclear: R must");
    refuse(f, gpis_set_nuclear(c, 1, D, 0, &set), GPIS_BAD_SHAPE, "X of 6 x 0 is empty");
    refuse(f, gpis_set_none(c, 0, &set), GPIS_BAD_SHAPE, "set none: X of 0 x 1 is empty");
    refuse(f, gpis_set_nonneg(c, -3, &set), GPIS_BAD_SHAPE, "X of -3 x 1 is empty");
    refuse(f, gpis_set_monotone(c, 0, &set), GPIS_BAD_SHAPE, "empty");
    refuse(f, gpis_set_nuclear(c, 1, INT64_MAX / 2, 3, &set), GPIS_TOO_LARGE, "too large");
    assert_int_equal(gpis_set_l1(c, 1, D, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_set_l1(NULL, 1, D, &set), GPIS_BAD_ARGUMENT);
    assert_null(set);
}

static void test_bad_arrays(void **state) {
    fixture *f = *state;
    world *w = &f->w;
    gpis_context *c = f->context;
    gpis_set *set = NULL, *base = NULL;
    double lower[D] = {0}, upper[D] = {1, 1, 1, 1, 1, 1};
    upper[4] = -1;
    refuse(f, gpis_set_box(c, lower, upper, D, &set), GPIS_BAD_SET,
           "no finite number is between 0 and -1, the bounds of entry 5");
    upper[4] = NAN;
    refuse(f, gpis_set_box(c, lower, upper, D, &set), GPIS_BAD_SET, "the bounds of entry 5");
    upper[4] = -INFINITY;
    refuse(f, gpis_set_box(c, NULL, upper, D, &set), GPIS_BAD_SET, "no finite number is between -inf and -inf");
    lower[2] = INFINITY;
    refuse(f, gpis_set_box(c, lower, NULL, D, &set), GPIS_BAD_SET,
           "no finite number is between inf and inf, the bounds of entry 3");
    refuse(f, gpis_set_box(c, lower, NULL, 0, &set), GPIS_BAD_SHAPE, "empty");
    assert_int_equal(gpis_set_box(NULL, NULL, NULL, D, &set), GPIS_BAD_ARGUMENT);

    refuse(f, gpis_set_affine(c, NULL, w->b, 1, D, &set), GPIS_BAD_ARGUMENT, "C or b is NULL");
    refuse(f, gpis_set_affine(c, w->C, NULL, 1, D, &set), GPIS_BAD_ARGUMENT, "C or b is NULL");
    refuse(f, gpis_set_affine(c, w->C, w->b, 0, D, &set), GPIS_BAD_SHAPE, "C of 0 x 6 is empty");
    refuse(f, gpis_set_affine(c, w->C, w->b, INT64_MAX, D, &set), GPIS_TOO_LARGE, "too large");
    w->b[w->m - 1] += 1e-6; /* of the row that repeats the first one */
    refuse(f, gpis_set_affine(c, w->C, w->b, w->m, D, &set), GPIS_BAD_SET, "no x satisfies row");
    w->C[D + 1] = NAN;
    refuse(f, gpis_set_affine(c, w->C, w->b, w->m, D, &set), GPIS_BAD_DATA, "C: row 2, column 2 is nan");
    w->C[D + 1] = 0;
    w->b[1] = INFINITY;
    refuse(f, gpis_set_affine(c, w->C, w->b, w->m, D, &set), GPIS_BAD_DATA, "b: row 2, column 1 is inf");

    assert_ok(c, gpis_set_l1(c, 1, D, &base));
    refuse(f, gpis_set_transform(c, NULL, w->U, &set), GPIS_BAD_ARGUMENT, "needs the set it is for");
    refuse(f, gpis_set_transform(c, base, NULL, &set), GPIS_BAD_ARGUMENT, "U of its transform is NULL");
    w->U[8] += 1e-9;
    refuse(f, gpis_set_transform(c, base, w->U, &set), GPIS_BAD_SET, "U: rows 1 and 2 are not orthonormal");
    w->U[8] = NAN;
    refuse(f, gpis_set_transform(c, base, w->U, &set), GPIS_BAD_DATA, "U: row 2, column 3 is nan");
    gpis_set_destroy(base);
    assert_ok(c, gpis_set_nuclear(c, 1, D, 1, &base));
    refuse(f, gpis_set_dct(c, base, &set), GPIS_BAD_SET,
           "set nuclear:1: works on X as a matrix and takes no transform");
    assert_int_equal(gpis_set_responses(base, 2), GPIS_BAD_SHAPE);
    assert_ok(c, gpis_set_responses(base, 1));
    assert_int_equal(gpis_set_responses(base, 0), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_set_responses(NULL, 1), GPIS_BAD_ARGUMENT);
    gpis_set_destroy(base);
}

static void test_bad_blocks(void **state) {
    fixture *f = *state;
    gpis_context *c = f->context, *stranger = NULL;
    const int64_t first[] = {0, 1, 2}, rest[] = {3, 4, 5}, overlap[] = {2, 3, 4}, beyond[] = {3, 4, 6},
                  twice[] = {3, 3, 4}, below[] = {3, -1, 5};
    const struct {
        const int64_t *second;
        const char *says;
        gpis_status status;
    } bad[] = {{overlap, "column 2 (counted from 0) is in block 1 and in block 2", GPIS_BAD_SET},
               {twice, "column 3 (counted from 0) is in block 2 and in block 2", GPIS_BAD_SET},
               {beyond, "block 2: there is no column 6; columns are counted from 0 to 5", GPIS_BAD_SHAPE},
               {below, "there is no column -1", GPIS_BAD_SHAPE},
               {NULL, "block 2: its columns or its set are NULL", GPIS_BAD_ARGUMENT}};
    gpis_set *sets[2] = {NULL}, *set = NULL;
    assert_ok(c, gpis_set_l1(c, 1, 3, &sets[0]));
    assert_ok(c, gpis_set_l2(c, 1, 3, &sets[1]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int64_t *columns[] = {first, bad[i].second};
        refuse(f, gpis_set_blocks(c, D, 2, columns, sets, &set), bad[i].status, bad[i].says);
    }
    const int64_t *columns[] = {first, rest};
    refuse(f, gpis_set_blocks(c, D, 1, columns, sets, &set), GPIS_BAD_SET, "column 3 (counted from 0) is in no block");
    refuse(f, gpis_set_blocks(c, D + 1, 2, columns, sets, &set), GPIS_BAD_SET, "column 6 (counted from 0) is in no");
    refuse(f, gpis_set_blocks(c, 0, 2, columns, sets, &set), GPIS_BAD_SHAPE, "needs a block and a column");
    refuse(f, gpis_set_blocks(c, D, 0, columns, sets, &set), GPIS_BAD_SHAPE, "needs a block and a column");
    refuse(f, gpis_set_blocks(c, D, 2, NULL, sets, &set), GPIS_BAD_ARGUMENT, "blocks need");
    refuse(f, gpis_set_blocks(c, D, 2, columns, NULL, &set), GPIS_BAD_ARGUMENT, "blocks need");
    assert_int_equal(gpis_set_blocks(c, D, 2, columns, sets, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_set_blocks(NULL, D, 2, columns, sets, &set), GPIS_BAD_ARGUMENT);
    gpis_set *with_null[] = {sets[0], NULL};
    refuse(f, gpis_set_blocks(c, D, 2, columns, with_null, &set), GPIS_BAD_ARGUMENT, "block 2: its columns or its set");

    gpis_set *foreign[] = {sets[0], NULL}, *matrices[] = {NULL, NULL};
    assert_int_equal(gpis_context_create(&stranger), GPIS_OK);
    assert_ok(stranger, gpis_set_l2(stranger, 1, 3, &foreign[1]));
    refuse(f, gpis_set_blocks(c, D, 2, columns, foreign, &set), GPIS_BAD_ARGUMENT, "made with another context");
    refuse(f, gpis_set_dct(c, foreign[1], &set), GPIS_BAD_ARGUMENT, "made with another context");
    assert_ok(c, gpis_set_nuclear(c, 1, 3, 2, &matrices[0]));
    assert_ok(c, gpis_set_nuclear(c, 1, 3, 4, &matrices[1]));
    refuse(f, gpis_set_blocks(c, D, 2, columns, matrices, &set), GPIS_BAD_SHAPE,
           "block 2 is for 4 columns of X and a block before for 2");
    for (int b = 0; b < 2; b++) gpis_set_destroy(sets[b]), gpis_set_destroy(matrices[b]);
    gpis_set_destroy(foreign[1]);
    gpis_context_destroy(stranger);
}

/* ---- allocations ------------------------------------------------------------------------------------------------ */

typedef struct attempt {
    const world *w;
    make_fn make;
} attempt;

static gpis_status make_and_destroy(gpis_context *context, void *user) {
    const attempt *a = user;
    gpis_set *set = NULL;
    const gpis_status status = a->make(context, a->w, &set);
    assert_int_equal(status == GPIS_OK, set != NULL);
    gpis_set_destroy(set);
    return status;
}

static gpis_status make_product_of(gpis_context *context, const char *const specs[2]) {
    const int64_t first[] = {0, 2, 4}, second[] = {5, 3, 1};
    const int64_t *columns[] = {first, second};
    gpis_set *sets[2] = {NULL, NULL}, *set = NULL;
    gpis_status status = test_set(context, specs[0], 3, 2, &sets[0]);
    if (status == GPIS_OK) status = test_set(context, specs[1], 3, 2, &sets[1]);
    if (status == GPIS_OK) status = gpis_set_blocks(context, D, 2, columns, sets, &set);
    gpis_set_destroy(set);
    gpis_set_destroy(sets[0]);
    gpis_set_destroy(sets[1]);
    return status;
}
static gpis_status make_product(gpis_context *c, void *user) {
    return (void)user, make_product_of(c, (const char *const[]){"l1:1", "monotone"});
}
static gpis_status make_bounds(gpis_context *c, void *user) {
    return (void)user, make_product_of(c, (const char *const[]){"nonneg", "none"});
}
static gpis_status make_matrix(gpis_context *c, void *user) {
    return (void)user, make_product_of(c, (const char *const[]){"nuclear:1", "tv:1"});
}

static gpis_status make_transform(gpis_context *context, void *user) {
    const world *w = user;
    gpis_set *base = NULL, *turned = NULL, *set = NULL;
    gpis_status status = gpis_set_l1(context, 1, D, &base);
    if (status == GPIS_OK) status = gpis_set_transform(context, base, w->U, &turned);
    if (status == GPIS_OK) status = gpis_set_dct(context, turned, &set);
    gpis_set_destroy(set);
    gpis_set_destroy(turned);
    gpis_set_destroy(base);
    return status;
}

static gpis_status make_own(gpis_context *context, void *user) {
    (void)user;
    own_set own = {D, 1};
    const gpis_custom_set functions = own_functions("ball", &own);
    gpis_set *set = NULL;
    const gpis_status status = gpis_set_custom(context, &functions, D, 2, &set);
    gpis_set_destroy(set);
    return status;
}

static void test_failing_allocations(void **state) {
    fixture *f = *state;
    for (int i = 0; i < PAIRS; i++) {
        attempt a = {&f->w, pairs[i].make};
        assert_true(test_every_allocation(make_and_destroy, &a) >= 4);
    }
    assert_true(test_every_allocation(make_product, NULL) >= 12);
    assert_true(test_every_allocation(make_bounds, NULL) >= 12);
    assert_true(test_every_allocation(make_matrix, NULL) >= 12);
    assert_true(test_every_allocation(make_transform, &f->w) >= 12);
    assert_true(test_every_allocation(make_own, NULL) >= 7);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* An allocator that remembers how many threads BLAS would take at the latest call: constructors allocate right before
 * they factor or multiply. */
static void *allocate_and_look(void *user, size_t alignment, size_t bytes) {
    void *memory = NULL;
    *(int *)user = omp_get_max_threads();
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

/* Whatever the caller's number of threads, BLAS runs on one while a set is made, so that the set has the same bits; and
 * the number is the caller's again afterwards. */
static void test_one_thread_for_blas(void **state) {
    enum { THREADS = 4 };
    const fixture *f = *state;
    const int before = omp_get_max_threads();
    int seen = 0;
    const gpis_allocator allocator = {allocate_and_look, release, &seen};
    gpis_context *context = NULL;
    gpis_set *affine = NULL, *base = NULL, *turned = NULL;
    assert_int_equal(gpis_context_create_with(&allocator, &context), GPIS_OK);
    omp_set_num_threads(THREADS);
    assert_ok(context, make_affine(context, &f->w, &affine));
    assert_int_equal(seen, 1);
    assert_ok(context, gpis_set_l1(context, 1, D, &base));
    seen = 0;
    assert_ok(context, gpis_set_transform(context, base, f->w.U, &turned));
    assert_int_equal(seen, 1);
    assert_int_equal(omp_get_max_threads(), THREADS);
    omp_set_num_threads(before);
    gpis_set_destroy(turned);
    gpis_set_destroy(base);
    gpis_set_destroy(affine);
    gpis_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_as_spec, begin, end),
        cmocka_unit_test_setup_teardown(test_transforms, begin, end),
        cmocka_unit_test_setup_teardown(test_arrays_are_copied, begin, end),
        cmocka_unit_test_setup_teardown(test_blocks, begin, end),
        cmocka_unit_test_setup_teardown(test_long_lists, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_arguments, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_arrays, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_blocks, begin, end),
        cmocka_unit_test_setup_teardown(test_failing_allocations, begin, end),
        cmocka_unit_test_setup_teardown(test_one_thread_for_blas, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
