/*
 * The NIST reference sets for linear least squares (StRD), against their certified values: 15 digits, computed by NIST
 * with multiple precision. What is reported is the number of digits that agree, LRE = -log10 of the relative error
 * (absolute where the certified value is 0), at most 15; the smallest over the coefficients counts. The floors below
 * are a digit or two under what is reached.
 */
#include "calls.h"

enum { MAX_ROWS = 64, MAX_COLS = 8, EXACT = 15 };

typedef struct nist {
    const char *name;
    int predictors; /* columns of x in the file */
    int degree;     /* of the polynomial in x, when there is one predictor */
    bool intercept;
    double floor_x, floor_objective; /* digits that must be reached */
    int n, d;
    double A[MAX_ROWS * MAX_COLS], y[MAX_ROWS];
    double certified[MAX_COLS], objective;
} nist;

static void expand_row(nist *s, int i, const double *x) {
    double *row = s->A + i * s->d;
    int j = 0;
    if (s->intercept) row[j++] = 1;
    if (s->predictors > 1) {
        for (int p = 0; p < s->predictors; p++) row[j++] = x[p];
    } else {
        double power = 1;
        for (int p = 1; p <= s->degree; p++) row[j++] = power *= x[0];
    }
    assert_int_equal(j, s->d);
}

/* Lines 4 to 6 of a file tell where its certified values and its data are. */
static void load_set(nist *s) {
    char path[512], line[512], name[8];
    int number = 0, data_from = 0, data_to = 0, found = 0, certified_from = 0, certified_to = 0;
    double value = 0;
    snprintf(path, sizeof path, GPIS_DATA "/nist/%s.dat", s->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    s->d = s->predictors * s->degree + s->intercept;
    s->n = 0;
    while (fgets(line, sizeof line, file)) {
        number++;
        if (number <= 6 && strstr(line, "Certified Values"))
            sscanf(strchr(line, '('), "(lines %d to %d)", &certified_from, &certified_to);
        if (number <= 6 && strstr(line, "  Data  "))
            sscanf(strchr(line, '('), "(lines %d to %d)", &data_from, &data_to);
        if (number >= certified_from && number <= certified_to) {
            if (sscanf(line, " %7s %lf", name, &value) == 2 && name[0] == 'B') s->certified[found++] = value;
            sscanf(line, " Residual %*d %lf", &s->objective);
        }
        if (data_from > 0 && number >= data_from && number <= data_to) {
            double x[MAX_COLS];
            char *at = line;
            s->y[s->n] = strtod(at, &at);
            for (int p = 0; p < s->predictors; p++) x[p] = strtod(at, &at);
            expand_row(s, s->n++, x);
        }
    }
    fclose(file);
    assert_int_equal(found, s->d);
    assert_int_equal(s->n, data_to - data_from + 1);
}

/* ||y - A x||^2 with long double sums. */
static double objective_at(const nist *s, const double *x) {
    long double sum = 0;
    for (int i = 0; i < s->n; i++) {
        long double r = s->y[i];
        for (int j = 0; j < s->d; j++) r -= (long double)s->A[i * s->d + j] * x[j];
        sum += r * r;
    }
    return (double)sum;
}

static double digits(double value, double certified) {
    const double error = certified != 0 ? fabs(value - certified) / fabs(certified) : fabs(value);
    return error > 0 ? fmin(EXACT, -log10(error)) : EXACT;
}

/* Where the fit is exact, the objective is compared with ||y||^2, since there is nothing else to be relative to. */
static double objective_digits(const nist *s, double objective) {
    const double zero[MAX_COLS] = {0};
    return s->objective > 0 ? digits(objective, s->objective) : digits(objective / objective_at(s, zero), 0);
}

static void check_set(void **state) {
    nist *s = *state;
    load_set(s);
    /* The certified values have 15 digits, which fixes the objective to about as many; this checks the design. */
    assert_true(objective_digits(s, objective_at(s, s->certified)) > 7);

    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-14;
    settings.max_passes = 200000;
    assert_ok(context, gpis_source_dense(context, s->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, s->n, s->d, s->d, &A));
    assert_ok(context, gpis_set_parse(context, "none", s->d, 1, &set));
    assert_ok(context, test_solve(context, A, s->y, 1, set, &settings, &result));

    double least = EXACT;
    for (int j = 0; j < s->d; j++) least = fmin(least, digits(result->x[j], s->certified[j]));
    const double of_objective = objective_digits(s, result->objective);
    print_message(
        "%-9s digits: %4.1f of the coefficients, %4.1f of the residual sum of squares; %s after %lld passes\n", s->name,
        least, of_objective, gpis_outcome_text(result->outcome), (long long)result->passes);
    assert_true(least >= s->floor_x);
    assert_true(of_objective >= s->floor_objective);

    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

/*
 * Filip's design: a polynomial of degree 10 at 82 points of [-9, -3], condition number 1e10 even with columns of one
 * size. NIST certifies its own data; here y is a polynomial with known coefficients plus a residual, and f is compared
 * with orthogonalisation in long double.
 */
static void filip(void **state) {
    (void)state;
    enum { N = 82, D = 11 };
    static double A[N * D], y[N];
    static long double Q[D + 1][N];
    long double best = 0;
    for (int i = 0; i < N; i++) {
        const double x = -9.0 + 6.0 * i / (N - 1);
        double power = 1;
        for (int j = 0; j < D; j++, power *= x) {
            A[i * D + j] = power;
            y[i] += power / pow(8.0, j) * (j % 2 ? -1 : 1);
        }
        y[i] += 0.01 * cos(7.0 * i * i);
    }
    for (int j = 0; j <= D; j++) {
        long double norm = 0;
        for (int i = 0; i < N; i++) Q[j][i] = j < D ? A[i * D + j] : y[i];
        for (int t = 0; t < 3 * j; t++) {
            long double along = 0;
            for (int i = 0; i < N; i++) along += Q[t % j][i] * Q[j][i];
            for (int i = 0; i < N; i++) Q[j][i] -= along * Q[t % j][i];
        }
        for (int i = 0; i < N; i++) norm += Q[j][i] * Q[j][i];
        for (int i = 0; i < N; i++) Q[j][i] /= sqrtl(norm);
        best = norm;
    }
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-12;
    settings.max_passes = 500;
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    assert_ok(context, gpis_set_parse(context, "none", D, 1, &set));
    assert_ok(context, test_solve(context, source, y, 1, set, &settings, &result));
    long double f = 0;
    for (int i = 0; i < N; i++) {
        long double r = y[i];
        for (int j = 0; j < D; j++) r -= (long double)A[i * D + j] * result->x[j];
        f += r * r;
    }
    print_message("Filip-like: f within %.1Le of the best; %s after %lld passes\n", (f - best) / best,
                  gpis_outcome_text(result->outcome), (long long)result->passes);
    assert_true(fabsl(f - best) <= 1e-10L * best);
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

int main(void) {
    static nist sets[] = {
        {.name = "Norris", .predictors = 1, .degree = 1, .intercept = true, .floor_x = 11, .floor_objective = 13},
        {.name = "Pontius", .predictors = 1, .degree = 2, .intercept = true, .floor_x = 11, .floor_objective = 11},
        {.name = "NoInt1", .predictors = 1, .degree = 1, .intercept = false, .floor_x = 13, .floor_objective = 13},
        {.name = "Longley", .predictors = 6, .degree = 1, .intercept = true, .floor_x = 10, .floor_objective = 11},
        {.name = "Wampler1", .predictors = 1, .degree = 5, .intercept = true, .floor_x = 9, .floor_objective = 13},
        {.name = "Wampler2", .predictors = 1, .degree = 5, .intercept = true, .floor_x = 11, .floor_objective = 13},
        {.name = "Wampler3", .predictors = 1, .degree = 5, .intercept = true, .floor_x = 9, .floor_objective = 12},
    };
    struct CMUnitTest tests[sizeof sets / sizeof sets[0] + 1];
    tests[sizeof sets / sizeof sets[0]] = (struct CMUnitTest){"Filip", filip, NULL, NULL, NULL};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        tests[i] = (struct CMUnitTest){sets[i].name, check_set, NULL, NULL, &sets[i]};
    return cmocka_run_group_tests_name("nist", tests, NULL, NULL);
}
