/* gpis_path_make, gpis_cv_make and gpis_ranges_make: every set with a radius, difficult columns, failing allocations.
 */
#include "certificate/problems.h"

typedef struct world_of_path {
    problem p;
    gpis_source *A;
    gpis_problem *problem;
} world_of_path;

static gpis_status open(gpis_context *context, flavour what, int64_t n, int64_t d, world_of_path *w) {
    *w = (world_of_path){.p = problem_make(what, n, d, 1, 5)};
    gpis_status status =
        gpis_source_dense(context, w->p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, w->p.n, w->p.d, w->p.d, &w->A);
    if (status == GPIS_OK) status = gpis_problem_create(context, w->A, &w->problem);
    if (status == GPIS_OK) status = gpis_problem_response(w->problem, w->p.Y, w->p.n, 1);
    if (status == GPIS_OK) status = gpis_problem_intercept(w->problem, 1);
    return status;
}

static void shut(world_of_path *w) {
    gpis_problem_destroy(w->problem);
    gpis_source_destroy(w->A);
    problem_clear(&w->p);
}

/* Every point is solved, objectives fall along the path, and each x is in its set. */
static void every_set_with_a_radius(void **state) {
    (void)state;
    static const char *const specs[] = {"l1",    "l2",      "linf",      "simplex",     "capped-simplex",
                                        "tv",    "nuclear", "group:R:2", "l1 & nonneg", "l1[1-2] & box:-1,1[3-4]",
                                        "l1@dct"};
    static const flavour flavours[] = {FINE, DUPLICATE, ZERO, WIDE};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (size_t f = 0; f < sizeof flavours / sizeof *flavours; f++) {
            world_of_path w;
            gpis_path *path = NULL;
            gpis_path_options options = gpis_path_options_default();
            gpis_settings settings = gpis_settings_default();
            settings.tol = 1e-7;
            options.set = specs[s];
            options.points = 6;
            assert_ok(context, open(context, flavours[f], 30, 4, &w));
            for (int64_t i = 0; i < w.p.n; i++) /* so that no sign rules everything out */
                for (int64_t j = 0; j < w.p.d; j++) w.p.Y[i] += (1.0 + (double)j) * w.p.A[i * w.p.d + j];
            if (gpis_path_make(w.problem, &options, &settings, &path) != GPIS_OK)
                fail_msg("%s, flavour %d: %s", specs[s], flavours[f], gpis_last_error(context));
            assert_int_equal(path->count, 6);
            for (int64_t i = 0; i < path->count; i++) {
                const gpis_path_point *p = path->points[i];
                if (p->outcome != GPIS_SOLVED)
                    fail_msg("%s, flavour %d, point %d: gap %g", specs[s], flavours[f], (int)i, p->gap);
                const double before = i > 0 ? path->points[i - 1]->objective : INFINITY;
                if (strcmp(specs[s], "simplex") != 0 && !(p->objective <= before * (1.0 + 1e-6) + 1e-9))
                    fail_msg("%s, flavour %d, point %d: %g after %g", specs[s], flavours[f], (int)i, p->objective,
                             before);
            }
            gpis_path_destroy(path);
            shut(&w);
        }
    test_context_end(context, &memory);
}

/* A sum that has to be R, with an R beyond what the rows alone would choose: every x still has that sum. */
static void sums_that_must_be_large(void **state) {
    (void)state;
    static const double values[] = {0.5, 8.0, 40.0, 300.0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_path_options options = gpis_path_options_default();
    options.set = "simplex";
    options.values = values;
    options.value_count = 4;
    world_of_path w;
    gpis_path *path = NULL;
    assert_ok(context, open(context, FINE, 30, 4, &w));
    for (int64_t i = 0; i < w.p.n; i++)
        for (int64_t j = 0; j < w.p.d; j++) w.p.Y[i] += (1.0 + (double)j) * w.p.A[i * w.p.d + j];
    assert_ok(context, gpis_path_make(w.problem, &options, NULL, &path));
    for (int64_t i = 0; i < path->count; i++) {
        const gpis_path_point *p = path->points[i];
        double sum = 0.0;
        for (int64_t j = 0; j < w.p.d; j++) {
            assert_true(p->x[j] >= 0.0);
            sum += p->x[j];
        }
        assert_close(sum, values[i], 1e-13 * values[i]);
        assert_int_equal(p->outcome, GPIS_SOLVED);
    }
    gpis_path_destroy(path);
    shut(&w);
    test_context_end(context, &memory);
}

/* A path of radii for a problem with a penalty: each point minimises the objective with the penalty, and so do the
 * points without a fold, whose penalty has the share of the weights that their rows have. */
static void radii_with_a_penalty(void **state) {
    (void)state;
    enum { ROWS = 30, COLUMNS = 4, OTHERS = 2 * ROWS / 3 };
    static const double values[] = {0.7, 2.0}, lambda[COLUMNS] = {30.0, 5.0, 0.0, 12.0};
    double part[COLUMNS];
    int64_t fold[ROWS];
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_path_options options = gpis_path_options_default();
    options.values = values;
    options.value_count = 2;
    options.folds = 2;
    options.fold = fold;
    options.fold_rows = ROWS;
    world_of_path w;
    gpis_cv *cv = NULL;
    gpis_source *rows = NULL;
    gpis_problem *others = NULL;
    assert_ok(context, open(context, FINE, ROWS, COLUMNS, &w));
    for (int64_t i = 0; i < ROWS; i++) {
        fold[i] = i >= OTHERS;
        for (int64_t j = 0; j < COLUMNS; j++) w.p.Y[i] += (1.0 + (double)j) * w.p.A[i * COLUMNS + j];
    }
    assert_ok(context, gpis_problem_penalty(w.problem, 1.0, lambda, COLUMNS));
    assert_ok(context, gpis_cv_make(w.problem, &options, NULL, &cv));
    /* the rows that are not in the second fold, which is predicted by them */
    for (int j = 0; j < COLUMNS; j++) part[j] = lambda[j] * OTHERS / ROWS;
    assert_ok(context, gpis_source_slice(context, w.A, 0, OTHERS, &rows));
    assert_ok(context, gpis_problem_create(context, rows, &others));
    assert_ok(context, gpis_problem_response(others, w.p.Y, OTHERS, 1));
    assert_ok(context, gpis_problem_intercept(others, 1));
    assert_ok(context, gpis_problem_penalty(others, 1.0, part, COLUMNS));
    for (int i = 0; i < 2; i++) {
        const gpis_path_point *point = cv->path->points[i];
        gpis_set *set = NULL;
        gpis_result *result = NULL, *of_others = NULL;
        double error = 0.0;
        assert_ok(context, gpis_set_l1(context, values[i], COLUMNS, &set));
        assert_ok(context, gpis_problem_constrain(w.problem, set));
        assert_ok(context, gpis_problem_constrain(others, set));
        assert_ok(context, gpis_solve(w.problem, NULL, &result));
        assert_ok(context, gpis_solve(others, NULL, &of_others));
        assert_int_equal(point->outcome, GPIS_SOLVED);
        assert_close(point->objective, result->objective, 1e-7 * result->objective);
        assert_close(point->penalty, result->penalty, 1e-4 * result->penalty);
        for (int64_t r = OTHERS; r < ROWS; r++) {
            double miss = w.p.Y[r] - of_others->intercept[0];
            for (int64_t j = 0; j < COLUMNS; j++) miss -= w.p.A[r * COLUMNS + j] * of_others->x[j];
            error += miss * miss / (ROWS - OTHERS);
        }
        assert_close(cv->errors[i * 2 + 1], error, 1e-3 * error);
        gpis_result_destroy(result);
        gpis_result_destroy(of_others);
        assert_ok(context, gpis_problem_constrain(w.problem, NULL));
        assert_ok(context, gpis_problem_constrain(others, NULL));
        gpis_set_destroy(set);
    }
    gpis_cv_destroy(cv);
    gpis_problem_destroy(others);
    gpis_source_destroy(rows);
    shut(&w);
    test_context_end(context, &memory);
}

static void one_column(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world_of_path w;
    gpis_cv *cv = NULL;
    gpis_path_options options = gpis_path_options_default();
    options.folds = 3;
    options.points = 5;
    assert_ok(context, open(context, FINE, 20, 1, &w));
    assert_ok(context, gpis_cv_make(w.problem, &options, NULL, &cv));
    assert_int_equal(cv->folds, 3);
    assert_true(cv->one_se <= cv->best && cv->fit && cv->fit->outcome == GPIS_SOLVED);
    gpis_cv_destroy(cv);
    shut(&w);
    test_context_end(context, &memory);
}

/* A fold that has no weight, and what else does not fit. */
static void bad_folds(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world_of_path w;
    gpis_cv *cv = NULL;
    double weights[20];
    int64_t fold[20];
    gpis_path_options options = gpis_path_options_default();
    assert_ok(context, open(context, FINE, 20, 2, &w));
    for (int i = 0; i < 20; i++) fold[i] = i % 2, weights[i] = i % 2;
    options.folds = 2;
    options.fold = fold;
    options.fold_rows = 20;
    assert_ok(context, gpis_problem_weights(w.problem, weights, 20));
    assert_int_equal(gpis_cv_make(w.problem, &options, NULL, &cv), GPIS_BAD_DATA);
    assert_non_null(strstr(gpis_last_error(context), "fold 1 has no row of positive weight"));
    options.fold_rows = 19;
    assert_int_equal(gpis_cv_make(w.problem, &options, NULL, &cv), GPIS_BAD_SHAPE);
    options = gpis_path_options_default();
    options.folds = 21;
    assert_int_equal(gpis_cv_make(w.problem, &options, NULL, &cv), GPIS_BAD_ARGUMENT);
    options.folds = 2;
    options.repeats = INT64_MAX / 2;
    assert_int_equal(gpis_cv_make(w.problem, &options, NULL, &cv), GPIS_BAD_ARGUMENT);
    options.repeats = 1;
    options.eps = 2.0;
    assert_int_equal(gpis_cv_make(w.problem, &options, NULL, &cv), GPIS_BAD_ARGUMENT);
    assert_null(cv);
    shut(&w);
    test_context_end(context, &memory);
}

/* Each drawing of the folds has a standard error of its own, and their mean does not shrink with their number. */
static void standard_error_of_repeats(void **state) {
    (void)state;
    enum { FOLDS = 4, REPEATS = 3, ALL = FOLDS * REPEATS };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world_of_path w;
    gpis_cv *cv = NULL;
    gpis_path_options options = gpis_path_options_default();
    options.points = 5;
    options.folds = FOLDS;
    options.repeats = REPEATS;
    assert_ok(context, open(context, FINE, 60, 4, &w));
    assert_ok(context, gpis_cv_make(w.problem, &options, NULL, &cv));
    assert_int_equal(cv->folds, ALL);
    for (int i = 0; i < 5; i++) {
        double total = 0.0, errors = 0.0;
        for (int r = 0; r < REPEATS; r++) {
            const double *e = cv->errors + i * ALL + r * FOLDS;
            double sum = 0.0, squares = 0.0;
            for (int f = 0; f < FOLDS; f++) sum += e[f], squares += e[f] * e[f];
            total += sum;
            errors += sqrt((squares - sum * sum / FOLDS) / (FOLDS - 1) / FOLDS);
        }
        assert_float_equal(cv->mean[i], total / ALL, 1e-12 * cv->mean[i]);
        assert_float_equal(cv->standard_error[i], errors / REPEATS, 1e-9 * cv->standard_error[i]);
    }
    gpis_cv_destroy(cv);
    shut(&w);
    test_context_end(context, &memory);
}

/* From the result of a poor point the same ranges follow as from that of a solve: the point itself, which is far above
 * the level, is not called attained. */
static void ranges_of_a_poor_point(void **state) {
    (void)state;
    static const double poor[] = {50.0, -50.0, 3.0, 0.0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world_of_path w;
    gpis_result *best = NULL, *checked = NULL;
    gpis_ranges *of_best = NULL, *of_poor = NULL;
    assert_ok(context, open(context, FINE, 30, 4, &w));
    assert_ok(context, gpis_solve(w.problem, NULL, &best));
    assert_ok(context, gpis_check(w.problem, poor, 4, NULL, &checked));
    assert_ok(context, gpis_ranges_make(w.problem, best, 0.01, 0.0, NULL, &of_best));
    assert_ok(context, gpis_ranges_make(w.problem, checked, 0.01, 0.0, NULL, &of_poor));
    for (int j = 0; j < 4; j++) {
        const gpis_range_ends *a = &of_best->ends[j], *b = &of_poor->ends[j];
        const double near = 1e-9 * (a->upper - a->lower);
        assert_true(a->lower <= b->inner_lower + near && b->inner_upper <= a->upper + near);
        assert_true(b->lower <= a->inner_lower + near && a->inner_upper <= b->upper + near);
    }
    gpis_ranges_destroy(of_best);
    gpis_ranges_destroy(of_poor);
    gpis_result_destroy(best);
    gpis_result_destroy(checked);
    shut(&w);
    test_context_end(context, &memory);
}

/* The least ||x|| of all x that fit y exactly, with a free constant, for fewer rows than columns: with centred columns
 * and y, R^2 = y'(A A' + 1 1')^-1 y. Elimination in long double. */
static double least_norm(const problem *p) {
    enum { MOST = 20 };
    long double W[MOST][MOST + 1], mean = 0, square = 0;
    const int n = (int)p->n;
    for (int i = 0; i < n; i++) mean += p->Y[i] / (long double)n;
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < n; l++) {
            W[i][l] = 1;
            for (int64_t j = 0; j < p->d; j++) {
                long double middle = 0;
                for (int m = 0; m < n; m++) middle += p->A[m * p->d + j] / (long double)n;
                W[i][l] += (p->A[i * p->d + j] - middle) * (p->A[l * p->d + j] - middle);
            }
        }
        W[i][n] = p->Y[i] - mean;
    }
    for (int i = 0; i < n; i++) { /* of W = L D L', the sum of (L^-1 y)_i^2 / D_i */
        square += W[i][n] * W[i][n] / W[i][i];
        for (int l = i + 1; l < n; l++)
            for (int m = n; m >= i; m--) W[l][m] -= W[l][i] / W[i][i] * W[i][m];
    }
    return (double)sqrtl(square);
}

/* Where there are many answers without the set, the grid begins at the least radius of one: there the objective is the
 * least of all, and at a radius that is 2 % smaller it is not. */
static void paths_begin_where_the_objective_is_least(void **state) {
    (void)state;
    static const char *const specs[] = {"l1", "l2", "linf", "tv", "nuclear", "group:R:2", "l1@dct", "l2 & nonneg"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int wide = 0; wide < 2; wide++) {
            world_of_path w;
            gpis_path *path = NULL;
            gpis_result *without = NULL;
            gpis_set *rest = NULL;
            gpis_path_options options = gpis_path_options_default();
            options.set = specs[s];
            options.points = 2;
            options.eps = 0.98;
            assert_ok(context, open(context, wide ? FINE : DUPLICATE, wide ? 8 : 30, wide ? 20 : 6, &w));
            for (int64_t i = 0; i < w.p.n; i++) /* so that no sign rules everything out */
                for (int64_t j = 0; j < w.p.d; j++) w.p.Y[i] += (1.0 + (double)j) * w.p.A[i * w.p.d + j];
            if (strstr(specs[s], "nonneg")) assert_ok(context, gpis_set_parse(context, "nonneg", w.problem, &rest));
            if (rest) assert_ok(context, gpis_problem_constrain(w.problem, rest));
            assert_ok(context, gpis_solve(w.problem, NULL, &without));
            if (rest) assert_ok(context, gpis_problem_constrain(w.problem, NULL));
            assert_ok(context, gpis_path_make(w.problem, &options, NULL, &path));
            double total = 0.0;
            for (int64_t i = 0; i < w.p.n; i++) total += w.p.Y[i] * w.p.Y[i];
            const double least = without->objective, at = path->points[1]->objective,
                         before = path->points[0]->objective;
            if (!(at - least <= 1e-8 * total && before - least >= 1e-6 * (total - least)))
                fail_msg("%s, wide %d: %g and %g above the least %g, radius %g", specs[s], wide, before - least,
                         at - least, least, path->points[1]->value);
            const double R = wide && strcmp(specs[s], "l2") == 0 ? least_norm(&w.p) : path->points[1]->value;
            assert_float_equal(path->points[1]->value, R, 1e-5 * R);
            gpis_path_destroy(path);
            gpis_result_destroy(without);
            shut(&w);
            gpis_set_destroy(rest);
        }
    test_context_end(context, &memory);
}

/* How columns of a problem depend on those before them. */
typedef enum dependence { EXACTLY, BUT_FOR_ROUNDING } dependence;

/* Rows of d columns with ones behind them: columns 2 and d - 1 depend on nothing, all others on columns 0 and 1. */
static void draw_dependent(dependence how, int64_t n, int64_t d, double *rows, double *y) {
    gpis_random_normal(7, 1, 0, n * (d + 1), rows);
    gpis_random_normal(7, 2, 0, n, y);
    for (int64_t i = 0; i < n; i++) {
        double *a = rows + i * (d + 1);
        a[0] = floor(1000.0 * a[0]), a[1] = floor(1000.0 * a[1]);
        for (int64_t j = 3; j < d - 1; j++)
            a[j] = how == EXACTLY ? (double)(j - 2) * a[0] + (double)(j - 4) * a[1] : a[0] / (1000.0 * (double)(j - 2));
        a[d] = 1.0;
        for (int64_t j = 0; j < 3; j++) y[i] += a[j] / (j < 2 ? 1000.0 : 1.0);
    }
}

/* The independent columns. The inverse of their Gram matrix in long double, which loses no more than a few digits. */
enum { FREE = 5 };
static void invert(int size, long double (*W)[2 * FREE]) {
    for (int p = 0; p < size; p++) {
        for (int j = 2 * size - 1; j >= p; j--) W[p][j] /= W[p][p];
        for (int i = 0; i < size; i++)
            for (int j = 2 * size - 1; i != p && j >= p; j--) W[i][j] -= W[i][p] * W[p][j];
    }
}

/* The range of an independent column is x_j +- sqrt(eps f (A_F'A_F)^-1_jj) for any basis F of the columns. */
static void check_dependent(gpis_context *context, dependence how, int64_t n, int64_t d, bool intercept, bool nonneg) {
    enum { MOST = 40 };
    double rows[MOST * (MOST + 1)], A[MOST * MOST], y[MOST];
    const int size = intercept ? FREE : FREE - 1;
    const int64_t basis[FREE] = {0, 1, 2, d - 1, d};
    long double W[FREE][2 * FREE] = {{0}}, b[FREE] = {0}, x[FREE] = {0}, f = 0;
    const double eps = 0.02;
    gpis_source *source = NULL;
    gpis_problem *p = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_ranges *ranges = NULL;
    draw_dependent(how, n, d, rows, y);
    for (int64_t i = 0; i < n; i++) memcpy(A + i * d, rows + i * (d + 1), (size_t)d * sizeof *A);
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < size; r++) {
            b[r] += (long double)rows[i * (d + 1) + basis[r]] * y[i];
            for (int c = 0; c < size; c++)
                W[r][c] += (long double)rows[i * (d + 1) + basis[r]] * rows[i * (d + 1) + basis[c]];
        }
    for (int r = 0; r < size; r++) W[r][size + r] = 1;
    invert(size, W);
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++) x[r] += W[r][size + c] * b[c];
    for (int64_t i = 0; i < n; i++) {
        long double left = y[i];
        for (int r = 0; r < size; r++) left -= rows[i * (d + 1) + basis[r]] * x[r];
        f += left * left;
    }
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &source));
    assert_ok(context, gpis_problem_create(context, source, &p));
    assert_ok(context, gpis_problem_response(p, y, n, 1));
    assert_ok(context, gpis_problem_intercept(p, intercept));
    if (nonneg) assert_ok(context, gpis_set_parse(context, "box:-1000,", p, &set));
    if (nonneg) assert_ok(context, gpis_problem_constrain(p, set));
    assert_ok(context, gpis_solve(p, NULL, &result));
    assert_ok(context, gpis_ranges_make(p, result, eps, 0.0, NULL, &ranges));
    assert_true(how == EXACTLY ? ranges->nearness == 0.0 : ranges->nearness > 0.0 && ranges->nearness < 1e-15);
    for (int r = 2; r < size; r++) {
        const gpis_range_ends *e = r == 4 ? ranges->intercept : &ranges->ends[basis[r]];
        const double half = (double)sqrtl(eps * f * W[r][size + r]), middle = (double)x[r], near = 1e-8 * half;
        const bool sound = e->lower <= middle - half + near && e->upper >= middle + half - near,
                   attained = e->inner_lower >= middle - half - near && e->inner_upper <= middle + half + near,
                   tight = e->inner_lower - e->lower <= 3e-3 * half && e->upper - e->inner_upper <= 3e-3 * half;
        if (!sound || !attained || !tight)
            fail_msg("kind %d, %d x %d, intercept %d, bounds %d, column %d: [%.9g %.9g] and not [%.9g %.9g]", how,
                     (int)n, (int)d, intercept, nonneg, (int)basis[r], e->lower, e->upper, middle - half,
                     middle + half);
    }
    for (int64_t j = 0; j < d - 1; j++) {
        const gpis_range_ends *e = &ranges->ends[j];
        const bool involved = j != 2 && (how == EXACTLY || j != 1);
        if (involved && !nonneg) assert_true(e->lower == -INFINITY && e->upper == INFINITY);
        if (!involved) assert_true(isfinite(e->lower) && isfinite(e->upper));
        assert_true(e->lower <= e->inner_lower && e->inner_upper <= e->upper);
    }
    gpis_ranges_destroy(ranges);
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_problem_destroy(p);
    gpis_source_destroy(source);
}

/* Columns that depend on each other have no ends where no set holds them; the others have theirs, also where there are
 * fewer rows than columns. */
static void ranges_of_dependent_columns(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int how = EXACTLY; how <= BUT_FOR_ROUNDING; how++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (int nonneg = 0; nonneg < 2; nonneg++) {
                check_dependent(context, (dependence)how, 40, 5, intercept, nonneg);
                check_dependent(context, (dependence)how, 30, 8, intercept, nonneg);
                check_dependent(context, (dependence)how, 9, 14, intercept, nonneg);
            }
    test_context_end(context, &memory);
}

static gpis_status make_all(gpis_context *context, void *user) {
    world_of_path w;
    gpis_cv *cv = NULL;
    gpis_ranges *ranges = NULL;
    gpis_path_options options = gpis_path_options_default();
    options.folds = 2;
    options.points = 3;
    options.penalised = *(int *)user;
    gpis_status status = gpis_context_set_threads(context, 1);
    if (status == GPIS_OK) status = open(context, FINE, 12, 3, &w);
    if (status == GPIS_OK) status = gpis_cv_make(w.problem, &options, NULL, &cv);
    gpis_result *result = NULL;
    if (status == GPIS_OK) status = gpis_solve(w.problem, NULL, &result);
    if (status == GPIS_OK) status = gpis_ranges_make(w.problem, result, 0.1, 0.0, NULL, &ranges);
    for (int64_t j = 0; status == GPIS_OK && j < 3; j++)
        assert_true(ranges->ends[j].lower <= result->x[j] && result->x[j] <= ranges->ends[j].upper);
    gpis_ranges_destroy(ranges);
    gpis_result_destroy(result);
    gpis_cv_destroy(cv);
    shut(&w);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    for (int penalised = 0; penalised < 2; penalised++) assert_true(test_every_allocation(make_all, &penalised) > 50);
}

static int refuse_between_passes(void *user, const gpis_pass_progress *now) {
    (void)user;
    return now->done == now->rows;
}

/* Between sweeps, and where there is no sweep at all, as with a summary, the caller is asked whether to go on. */
static void points_can_be_stopped(void **state) {
    (void)state;
    static const char *const specs[] = {"l1", "tv", "group:R:2"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        world_of_path w;
        gpis_path *path = NULL;
        gpis_cv *cv = NULL;
        gpis_path_options options = gpis_path_options_default();
        gpis_settings settings = gpis_settings_default();
        options.set = specs[s];
        options.points = 6;
        options.folds = 3;
        settings.pass_progress = refuse_between_passes;
        assert_ok(context, open(context, FINE, 30, 4, &w));
        const gpis_status made = gpis_path_make(w.problem, &options, &settings, &path);
        if (made != GPIS_STOPPED) fail_msg("%s: %s", specs[s], gpis_last_error(context));
        assert_null(path);
        assert_int_equal(gpis_cv_make(w.problem, &options, &settings, &cv), GPIS_STOPPED);
        assert_null(cv);
        shut(&w);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set_with_a_radius),
                                       cmocka_unit_test(sums_that_must_be_large),
                                       cmocka_unit_test(radii_with_a_penalty),
                                       cmocka_unit_test(one_column),
                                       cmocka_unit_test(bad_folds),
                                       cmocka_unit_test(standard_error_of_repeats),
                                       cmocka_unit_test(paths_begin_where_the_objective_is_least),
                                       cmocka_unit_test(ranges_of_a_poor_point),
                                       cmocka_unit_test(ranges_of_dependent_columns),
                                       cmocka_unit_test(points_can_be_stopped),
                                       cmocka_unit_test(failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
