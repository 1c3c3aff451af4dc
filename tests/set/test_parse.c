/* Specs: what parses, how it prints, what is refused and with which message; vectors that are refused; and failing
 * allocations. */
#include <locale.h>

#include "world.h"

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    world w;
} fixture;

static int begin(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->context = test_context(&f->memory);
    world_begin(&f->w, 6);
    static const double weights[6] = {1, 0.5, 0, 2, 1, 1}, groups[6] = {1, 2, 1, 7, 7, -3};
    world_write(&f->w, "weights", weights, 6, 1, 1);
    world_write(&f->w, "groups", groups, 6, 1, 1);
    world_write(&f->w, "odd & [1]", f->w.lo, 6, 1, 1);
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

/* Parses `pattern` (see world_spec) for X of 6 x 2. */
static gpis_status parse(fixture *f, const char *pattern, gpis_set **set) {
    char spec[256];
    world_spec(&f->w, pattern, "#", spec, sizeof spec);
    *set = NULL;
    return test_set(f->context, spec, 6, 2, set);
}

static const struct {
    const char *pattern, *canonical;
} good[] = {
    {"none", "none"},
    {"nonneg", "nonneg"},
    {"box:-1,2.50", "box:-1,2.5"},
    {"box:-inf,+Infinity", "box:-inf,inf"},
    {"box:-0,1e0", "box:0,1"},
    {"box:1,1", "box:1,1"},
    {"box:$/lo.npy,$/hi.npy", "box:$/lo.npy,$/hi.npy"},
    {"box:$/lo.npy,10", "box:$/lo.npy,10"},
    {"box:-1e3,$/hi.npy", "box:-1000,$/hi.npy"},
    {"l1:3.5000", "l1:3.5"},
    {"l1:0.1", "l1:0.1"},
    {"l1:0.30000000000000004", "l1:0.30000000000000004"},
    {"l1:-0", "l1:0"},
    {"l2:1e-300", "l2:1e-300"},
    {"l2:1e15", "l2:1e+15"},
    {"l2:123456", "l2:123456"},
    {"linf:1e300", "linf:1e+300"},
    {"simplex:0", "simplex:0"},
    {"capped-simplex:1", "capped-simplex:1"},
    {"group:2:3", "group:2:3"},
    {"group:2:06", "group:2:6"},
    {"nuclear:7", "nuclear:7"},
    {"tv:0.25", "tv:0.25"},
    {"monotone", "monotone"},
    {"affine:$/C.npy,$/b.npy", "affine:$/C.npy,$/b.npy"},
    {"l1:2.0@dct", "l1:2@dct"},
    {"l1:1@dct@dct@dct@dct", "l1:1@dct@dct@dct@dct"},
    {"l1:3.5@$/U.npy", "l1:3.5@$/U.npy"},
    {"box:$/lo.npy,$/hi.npy@$/U.npy@dct", "box:$/lo.npy,$/hi.npy@$/U.npy@dct"},
    {"box:,0.1", "box:-inf,0.1"},
    {"box:0,", "box:0,inf"},
    {"box:,", "box:-inf,inf"},
    {"box:\"$/lo.npy\",'$/hi.npy'", "box:$/lo.npy,$/hi.npy"},
    {"box:\"$/odd & [1].npy\",1", "box:\"$/odd & [1].npy\",1"},
    {"sum:1", "sum:1"},
    {"sum:1,1", "sum:1"},
    {"sum:-1,2.50", "sum:-1,2.5"},
    {"sum:,2", "sum:-inf,2"},
    {"l1:3,$/weights.npy", "l1:3,$/weights.npy"},
    {"group:2:$/groups.npy", "group:2:$/groups.npy"},
    {"nonneg[1-2]", "nonneg[1-2]"},
    {"nonneg[ 2 , 1 , x6 ]", "nonneg[2-1,6]"},
    {"nonneg[x*]", "nonneg[1-6]"},
    {"monotone[6-1]", "monotone[6-1]"},
    {"tv:1[3,1,5]", "tv:1[3,1,5]"},
    {"nonneg[1] & l1:2[3-4]", "nonneg[1] & l1:2[3-4]"},
    {"nonneg&box:,1", "nonneg & box:-inf,1"},
    {"simplex:1[1-3] & box:,0.5[1-3] & nonneg[5]", "simplex:1[1-3] & box:-inf,0.5[1-3] & nonneg[5]"},
    {"(nonneg)", "nonneg"},
    {"((nonneg) & (l1:3))", "nonneg & l1:3"},
    {"(nonneg & l1:3)[1-4]", "(nonneg & l1:3)[1-4]"},
    {"(nonneg[1] & l1:3)[6-3]", "(nonneg[1] & l1:3)[6-3]"}, /* numbers within a list are those of the list */
    {"l1:2[1-4]@dct", "l1:2[1-4]@dct"},
    {"l1:2@dct[1-4]", "l1:2@dct[1-4]"},
    {"(nonneg[1-3] & linf:2[4-6])@dct", "(nonneg[1-3] & linf:2[4-6])@dct"},
    {"{x1 + x2 <= 1}", "{x1 + x2 <= 1}"},
    {"{ x2>=x1 ; 0.1<=x3<=0.4 }", "{-x1 + x2 >= 0; 0.1 <= x3 <= 0.4}"},
    {"{sum(*) = 1} & box:0,0.5", "{sum(1-6) = 1} & box:0,0.5"},
    {"{x1 + x2 <= 1}[3-4]", "{x1 + x2 <= 1}[3-4]"},
    {"l2:1 & nonneg", "l2:1 & nonneg"},
};
enum { GOOD = sizeof good / sizeof good[0] };

static void assert_canonical(fixture *f, const char *pattern, const char *canonical) {
    char expected[256];
    double v[12], x[12], y[12];
    gpis_set *set = NULL, *again = NULL;
    world_spec(&f->w, canonical, "#", expected, sizeof expected);
    assert_ok(f->context, parse(f, pattern, &set));
    assert_string_equal(gpis_set_spec(set), expected);
    assert_ok(f->context, test_set(f->context, gpis_set_spec(set), 6, 2, &again));
    assert_string_equal(gpis_set_spec(again), expected);
    fill_normal(v, 12, 3, 5);
    assert_ok(f->context, gpis_set_project(set, v, x));
    assert_ok(f->context, gpis_set_project(again, v, y));
    assert_memory_equal(x, y, sizeof x);
    gpis_set_destroy(set);
    gpis_set_destroy(again);
}

static void test_good(void **state) {
    for (int i = 0; i < GOOD; i++) assert_canonical(*state, good[i].pattern, good[i].canonical);
}

/* A decimal comma in the program's locale changes nothing. */
static void test_locale(void **state) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    assert_canonical(*state, "box:-1.5,2.25", "box:-1.5,2.25");
    setlocale(LC_ALL, "C");
    if (!found) print_message("no locale with a decimal comma is installed: only the C locale was tried\n");
}

/* The status, and a part of the message that says what and where. */
static const struct {
    const char *pattern;
    gpis_status status;
    const char *says;
} bad[] = {
    {"", GPIS_BAD_SET, "there is no ''; known: none, nonneg, box, l1, l2, linf, sum, simplex, capped-simplex, group"},
    {"lasso:3", GPIS_BAD_SET, "there is no 'lasso'; known: none, nonneg"},
    {"l1 :3", GPIS_BAD_SET, "there is no 'l1 '"},
    {"l1", GPIS_BAD_SET, "set l1: expected ':', found the end at position 3; usage: l1:R"},
    {"l1:", GPIS_BAD_SET, "expected a number, found the end at position 4; usage: l1:R"},
    {"l1:3x", GPIS_BAD_SET, "set l1:3x: unexpected 'x' at position 5; usage: l1:R"},
    {"l1:x", GPIS_BAD_SET, "expected a number, found 'x' at position 4"},
    {"l1: 3", GPIS_BAD_SET, "expected a number, found ' ' at position 4"},
    {"l1:-1", GPIS_BAD_SET, "R must be finite and >= 0, not -1 at position 4"},
    {"l1:inf", GPIS_BAD_SET, "R must be finite and >= 0, not inf at position 4"},
    {"l1:1e999", GPIS_BAD_SET, "R must be finite and >= 0, not 1e999 at position 4"},
    {"l2:nan", GPIS_BAD_SET, "NaN"},
    {"l1:3,5", GPIS_BAD_SET, "expected the name of a .npy file, found '5' at position 6"},
    {"none:1", GPIS_BAD_SET, "unexpected ':' at position 5; usage: none"},
    {"monotone:", GPIS_BAD_SET, "unexpected ':' at position 9"},
    {"box:1", GPIS_BAD_SET, "expected ',', found the end at position 6"},
    {"box:2,1", GPIS_BAD_SET, "no finite number is between 2 and 1, the bounds of entry 1"},
    {"box:inf,inf", GPIS_BAD_SET, "no finite number is between inf and inf"},
    {"box:-inf,-inf", GPIS_BAD_SET, "no finite number is between -inf and -inf"},
    {"box:1,nan", GPIS_BAD_SET, "NaN is not a bound at position 7"},
    {"box:1,2,3", GPIS_BAD_SET, "unexpected ',' at position 8"},
    {"box:$/hi.npy,$/lo.npy", GPIS_BAD_SET, "the bounds of entry 1"},
    {"box:$/absent.npy,1", GPIS_IO, "absent.npy"},
    {"box:$/U.npy,1", GPIS_BAD_SHAPE, "bounds must be 6 x 1, not 6 x 6"},
    {"group:1", GPIS_BAD_SET, "expected ':', found the end at position 8; usage: group:R:SIZE"},
    {"group:1:4", GPIS_BAD_SET, "SIZE must divide the number of columns, 6: it is 4 at position 9"},
    {"group:1:0", GPIS_BAD_SET, "at least 1, not 0 at position 9"},
    {"group:1:-2", GPIS_BAD_SET, "expected a whole number, found '-' at position 9"},
    {"group:1:99999999999999999999", GPIS_BAD_SET, "too large at position 9"},
    {"affine:$/C.npy", GPIS_BAD_SET, "expected ',', found the end"},
    {"affine:1,2", GPIS_BAD_SET, "expected the name of a .npy file, found '1' at position 8"},
    {"affine:$/C.npy,$/absent.npy", GPIS_IO, "absent.npy"},
    {"affine:$/b.npy,$/b.npy", GPIS_BAD_SHAPE, "C must have 6 columns, as A has, not 1"},
    {"affine:$/C.npy,$/lo.npy", GPIS_BAD_DATA, "lo.npy"},
    {"affine:$/U.npy,$/b.npy", GPIS_BAD_SHAPE, "b must be 6 x 1, as C has rows, not 3 x 1"},
    {"l1:1@", GPIS_BAD_SET, "expected dct or the name of a .npy file at position 6; usage: SPEC@dct or SPEC@FILE.npy"},
    {"l1:1@fft", GPIS_BAD_SET, "expected dct or the name of a .npy file at position 6"},
    {"l1:1@dctx", GPIS_BAD_SET, "expected dct or the name of a .npy file at position 6"},
    {"@dct", GPIS_BAD_SET, "there is no ''"},
    {"l1:x@dct", GPIS_BAD_SET, "expected a number, found 'x' at position 4; usage: l1:R"},
    {"l1:@dct", GPIS_BAD_SET, "expected a number, found the end at position 4; usage: l1:R"},
    {"nuclear:1@dct", GPIS_BAD_SET, "nuclear works on X as a matrix and takes no transform at position 10"},
    {"l1:1@dct@dct@dct@dct@dct", GPIS_BAD_SET, "more than 4 transforms are not possible"},
    {"l1:1@$/absent.npy", GPIS_IO, "absent.npy"},
    {"l1:1@$/C.npy", GPIS_BAD_SHAPE, "U must be 6 x 6, not 3 x 6"},
    {"sum:", GPIS_BAD_SET, "expected a number, found the end at position 5; usage: sum:R or sum:LO,HI"},
    {"sum:inf", GPIS_BAD_SET, "the sum must be finite at position 5"},
    {"sum:2,1", GPIS_BAD_SET, "no number is between LO and HI at position 5"},
    {"sum:1,2,3", GPIS_BAD_SET, "unexpected ',' at position 8"},
    {"l1:3,$/C.npy", GPIS_BAD_SHAPE, "weights must be 6 x 1, not 3 x 6"},
    {"l1:3,$/lo.npy", GPIS_BAD_SET, "weight"},
    {"group:1:$/C.npy", GPIS_BAD_SHAPE, "groups must be 6 x 1, not 3 x 6"},
    {"group:1:$/weights.npy", GPIS_BAD_DATA, "row 2: the number of a group must be whole, not 0.5"},
    {"nonneg &", GPIS_BAD_SET, "there is no ''"},
    {"& nonneg", GPIS_BAD_SET, "there is no ''"},
    {"nonneg & l1:x", GPIS_BAD_SET, "expected a number, found 'x' at position 13; usage: l1:R"},
    {"nonneg[", GPIS_BAD_SET, "expected ']', found the end at position 8; usage: SPEC & SPEC, SPEC[COLUMNS]"},
    {"nonneg[]", GPIS_BAD_SET, "expected a column, found ']' at position 8"},
    {"nonneg[1", GPIS_BAD_SET, "expected ']', found the end at position 9"},
    {"nonneg[7]", GPIS_BAD_SET, "there is no column 7; columns are 1 to 6 at position 8"},
    {"nonneg[1,2,1]", GPIS_BAD_SET, "column 'x1' is listed twice at position 12"},
    {"nonneg[y*]", GPIS_BAD_SET, "no column matches 'y*' at position 8"},
    {"l1:1 & nonneg[1] x", GPIS_BAD_SET, "unexpected 'x' at position 18"},
    {"nonneg]", GPIS_BAD_SET, "there is no 'nonneg]'"},
    {"(nonneg", GPIS_BAD_SET, "expected ')', found the end at position 8"},
    {"(nonneg) x", GPIS_BAD_SET, "unexpected 'x' at position 10"},
    {"{x1 <= 1", GPIS_BAD_SET, "expected '}', found the end at position 9"},
    {"{x1 < 1}", GPIS_BAD_SET, "write <= at position 5"},
    {"{x1 <= 1; x9 <= 1}", GPIS_BAD_SET, "there is no column 'x9'"},
    {"{}", GPIS_BAD_SET, "expected a number or a column, found the end at position 2"},
    {"{x1 >= 2; x1 <= 1}", GPIS_BAD_SET, "'x1 >= 2' and 'x1 <= 1' cannot both hold"},
    {"nonneg[1] & {x1 <= -1}", GPIS_BAD_SET, "cannot hold"},
    {"(l1:1[1-3] & l1:2[4])[1-3]", GPIS_BAD_SET, "there is no column 4; columns are 1 to 3 at position 19"},
};
enum { BAD = sizeof bad / sizeof bad[0] };

static void assert_refused(fixture *f, const char *pattern, gpis_status status, const char *says) {
    gpis_set *set = (gpis_set *)f;
    const gpis_status got = parse(f, pattern, &set);
    const char *message = gpis_last_error(f->context);
    if (got != status || set || !strstr(message, says) || strchr(message, '\n'))
        fail_msg("'%s': %s, '%s'; expected %s, '%s'", pattern, gpis_status_text(got), message, gpis_status_text(status),
                 says);
}

static void test_bad(void **state) {
    for (int i = 0; i < BAD; i++) assert_refused(*state, bad[i].pattern, bad[i].status, bad[i].says);
}

static void test_bad_arguments(void **state) {
    fixture *f = *state;
    gpis_set *set = NULL;
    assert_int_equal(test_set(f->context, NULL, 1, 1, &set), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_set(NULL, "none", 1, 1, &set), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_set(f->context, "none", 1, 1, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_set(f->context, "none", 0, 1, &set), GPIS_BAD_SHAPE);
    assert_int_equal(test_set(f->context, "none", 1, -1, &set), GPIS_BAD_SHAPE);
    assert_int_equal(test_set(f->context, "none", INT64_MAX / 2, 3, &set), GPIS_TOO_LARGE);
    assert_int_equal(test_set(f->context, "none", INT64_MAX / 2, 1, &set), GPIS_NO_MEMORY);
    char endless[4000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_int_equal(test_set(f->context, endless, 1, 1, &set), GPIS_BAD_SET);
    assert_null(set);
}

/* Vectors that every set refuses. */
static void test_nonfinite_is_refused(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const char *const specs[] = {"none", "l1:1", "simplex:1", "nuclear:1", "monotone", "tv:1", "l1:1@dct"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        gpis_set *set = NULL;
        assert_ok(context, test_set(context, specs[i], 3, 1, &set));
        double v[3] = {1, NAN, 2}, x[3], value;
        for (int round = 0; round < 2; round++) {
            assert_int_equal(gpis_set_project(set, v, x), GPIS_BAD_DATA);
            assert_int_equal(gpis_set_support(set, v, &value), GPIS_BAD_DATA);
            assert_int_equal(gpis_set_distance(set, v, &value), GPIS_BAD_DATA);
            v[1] = -INFINITY;
        }
        assert_int_equal(gpis_set_project(set, NULL, x), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_set_project(set, x, NULL), GPIS_BAD_ARGUMENT);
        gpis_set_destroy(set);
    }
    assert_int_equal(gpis_set_project(NULL, NULL, NULL), GPIS_BAD_ARGUMENT);
    gpis_set_destroy(NULL);
    test_context_end(context, &memory);
}

/* A U that is orthogonal to 12 digits is as good as one that is orthogonal to 16. */
static void test_nearly_orthogonal(void **state) {
    fixture *f = *state;
    double v[12], x[12];
    gpis_set *set = NULL;
    f->w.U[8] += 4e-13;
    world_write(&f->w, "U", f->w.U, 6, 6, 2);
    assert_ok(f->context, parse(f, "none@$/U.npy", &set));
    fill_normal(v, 12, 6, 1);
    assert_ok(f->context, gpis_set_project(set, v, x));
    for (int i = 0; i < 12; i++) assert_close(x[i], v[i], 5e-15);
    gpis_set_destroy(set);
    assert_ok(f->context, parse(f, "linf:0.1@$/U.npy", &set)); /* members are members by the U of the file */
    assert_ok(f->context, gpis_set_project(set, v, x));
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 6; i++) {
            long double z = 0;
            for (int j = 0; j < 6; j++) z += (long double)f->w.U[i * 6 + j] * x[j * 2 + c];
            assert_true(fabsl(z) <= 0.1L * (1 + 1e-14L));
        }
    gpis_set_destroy(set);
}

/* Files whose contents do not make a set. */
static void test_bad_files(void **state) {
    fixture *f = *state;
    world *w = &f->w;
    w->U[8] += 1e-9;
    world_write(w, "U", w->U, 6, 6, 2);
    assert_refused(f, "l1:1@$/U.npy", GPIS_BAD_SET, "rows 1 and 2 are not orthonormal");
    w->U[8] = NAN;
    world_write(w, "U", w->U, 6, 6, 2);
    assert_refused(f, "l1:1@$/U.npy", GPIS_BAD_DATA, "U.npy");

    w->b[2] += 1e-6; /* the row that repeats the first one */
    world_write(w, "b", w->b, 3, 1, 1);
    assert_refused(f, "affine:$/C.npy,$/b.npy", GPIS_BAD_SET, "no x satisfies row");
    memset(w->C + 6, 0, 6 * sizeof(double));
    world_write(w, "C", w->C, 3, 6, 2);
    assert_refused(f, "affine:$/C.npy,$/b.npy", GPIS_BAD_SET, "no x satisfies row 2");

    w->lo[3] = NAN;
    world_write(w, "lo", w->lo, 6, 1, 1);
    assert_refused(f, "box:$/lo.npy,1", GPIS_BAD_SET, "the bounds of entry 4");
}

/* Rows of any number and rank: all of them redundant zeros, a plain vector, as many as there are unknowns and more. */
static void test_affine_ranks(void **state) {
    fixture *f = *state;
    world *w = &f->w;
    double C[60] = {0}, b[10] = {0}, x[12], v[12];
    gpis_set *set = NULL;
    fill_normal(v, 12, 4, 1);
    world_write(w, "C", C, 2, 6, 2);
    world_write(w, "b", b, 2, 1, 1);
    assert_ok(f->context, parse(f, "affine:$/C.npy,$/b.npy", &set)); /* 0 = 0 */
    assert_ok(f->context, gpis_set_project(set, v, x));
    assert_memory_equal(v, x, sizeof x);
    gpis_set_destroy(set);

    for (int i = 0; i < 6; i++) C[i] = 2;
    b[0] = 12;
    world_write(w, "C", C, 6, 1, 1);
    world_write(w, "b", b, 1, 1, 1);
    assert_ok(f->context, parse(f, "affine:$/C.npy,$/b.npy", &set)); /* sum x = 6 */
    for (int i = 0; i < 12; i++) v[i] += 1e10;                       /* far off along the row: digits cancel */
    assert_ok(f->context, gpis_set_project(set, v, x));
    for (int j = 0; j < 2; j++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += x[2 * i + j];
        assert_close(sum, 6, 1e-14);
    }
    gpis_set_destroy(set);

    fill_normal(C, 60, 5, 1); /* 10 rows that all go through (1, 2, ..., 6): one point is left */
    for (int i = 0; i < 10; i++) {
        b[i] = 0;
        for (int j = 0; j < 6; j++) b[i] += C[6 * i + j] * (j + 1);
    }
    world_write(w, "C", C, 10, 6, 2);
    world_write(w, "b", b, 10, 1, 2);
    assert_ok(f->context, parse(f, "affine:$/C.npy,$/b.npy", &set));
    assert_true(gpis_set_is_bounded(set));
    assert_ok(f->context, gpis_set_project(set, v, x));
    for (int i = 0; i < 12; i++) assert_close(x[i], i / 2 + 1, 1e-12);
    gpis_set_destroy(set);
}

static gpis_status parse_and_destroy(gpis_context *context, void *spec) {
    gpis_set *set = NULL;
    const gpis_status status = test_set(context, spec, 6, 2, &set);
    gpis_set_destroy(set);
    return status;
}

static void test_failing_allocations(void **state) {
    fixture *f = *state;
    for (int i = 0; i < GOOD; i++) {
        char spec[256];
        world_spec(&f->w, good[i].pattern, "#", spec, sizeof spec);
        assert_true(test_every_allocation(parse_and_destroy, spec) >= 4);
    }
}

/* Parentheses without end do not exhaust the stack, and the message of a long text shows the place. */
static void test_long(void **state) {
    fixture *f = *state;
    char text[4000];
    gpis_set *set = NULL;
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(test_set(f->context, text, 6, 1, &set), GPIS_BAD_SET);
    text[0] = '\0';
    for (int i = 0; i < 100; i++) strcat(text, "nonneg[1-2] & ");
    strcat(text, "l1:oops");
    assert_int_equal(test_set(f->context, text, 6, 1, &set), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(f->context), "set ..."));
    assert_non_null(strstr(gpis_last_error(f->context), "& l1:oops: expected a number, found 'o' at position 1404"));
    assert_null(set);
}

/* What SPEC[COLUMNS] and SPEC & SPEC mean: projections by hand. */
static void test_meaning(void **state) {
    fixture *f = *state;
    static const struct {
        const char *spec;
        double v[6], x[6];
    } cases[] = {
        {"nonneg[2,4]", {-1, -2, -3, -4, -5, -6}, {-1, 0, -3, 0, -5, -6}},
        {"nonneg[2,4] & box:,-4[5-6]", {-1, -2, -3, -4, -5, 6}, {-1, 0, -3, 0, -5, -4}},
        {"nonneg & box:,2", {-1, 1, 3, 0, 2, 5}, {0, 1, 2, 0, 2, 2}},
        {"monotone[6-1]", {1, 2, 3, 3, 2, 1}, {2.25, 2.25, 2.25, 2.25, 2, 1}},
        {"monotone[3,1]", {1, 7, 3, 8, 9, 2}, {2, 7, 2, 8, 9, 2}}, /* x3 <= x1 */
        {"sum:2[1-2]", {1, 3, 5, 6, 7, 8}, {0, 2, 5, 6, 7, 8}},
        {"{x1 + x2 <= 2}", {2, 2, 3, 4, 5, 6}, {1, 1, 3, 4, 5, 6}},
        {"{2 x1 >= 3; x1 <= 4; x1 <= 2}", {9, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}}, /* the tighter bound holds */
        {"({x1 <= 1} & nonneg)[4,2]", {5, -5, 5, 5, 5, 5}, {5, 0, 5, 1, 5, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpis_set *set = NULL;
        double x[6];
        assert_ok(f->context, test_set(f->context, cases[i].spec, 6, 1, &set));
        assert_ok(f->context, gpis_set_project(set, cases[i].v, x));
        for (int j = 0; j < 6; j++)
            if (fabs(x[j] - cases[i].x[j]) > 1e-12) fail_msg("%s: x%d is %g", cases[i].spec, j + 1, x[j]);
        gpis_set_destroy(set);
    }
}

/* What is always true is told, and leaves the set as it is. */
static void test_warning(void **state) {
    fixture *f = *state;
    gpis_set *set = NULL;
    assert_ok(f->context, test_set(f->context, "nonneg & {x1 - x1 <= 3}", 6, 1, &set));
    assert_string_equal(gpis_set_warning(set), "the constraint 'x1 - x1 <= 3' is always true");
    gpis_set_destroy(set);
    assert_ok(f->context, test_set(f->context, "nonneg & {x1 <= 3}", 6, 1, &set));
    assert_string_equal(gpis_set_warning(set), "");
    gpis_set_destroy(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good, begin, end),
        cmocka_unit_test_setup_teardown(test_locale, begin, end),
        cmocka_unit_test_setup_teardown(test_bad, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_arguments, begin, end),
        cmocka_unit_test_setup_teardown(test_nearly_orthogonal, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_files, begin, end),
        cmocka_unit_test(test_nonfinite_is_refused),
        cmocka_unit_test_setup_teardown(test_affine_ranks, begin, end),
        cmocka_unit_test_setup_teardown(test_long, begin, end),
        cmocka_unit_test_setup_teardown(test_meaning, begin, end),
        cmocka_unit_test_setup_teardown(test_warning, begin, end),
        cmocka_unit_test_setup_teardown(test_failing_allocations, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
