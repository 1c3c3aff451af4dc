/*
 * Linear regression on the Statistical Reference Datasets of NIST, at the default tolerance: every coefficient has the
 * digits that a QR factorisation (LAPACK's dgels and dgelsy) gives, less half a digit at most.
 *
 * Digits are counted against two references: the certified values, and the solution in quadruple precision of the very
 * matrix of doubles that both are given, in which powers such as x^10 are rounded. The two references also check each
 * other, and so the tables.
 */
#include <ctype.h>
#include <lapacke.h>

#include "calls.h"
#include "quad_least_squares.h"

enum { MAX_ROWS = 100, MAX_COLUMNS = 12 };

typedef struct table {
    const char *file;
    int degree;       /* of a polynomial in the one predictor; 0: the predictors as they are */
    bool intercept;   /* a constant column comes first */
    double magnified; /* by how much the errors of y are multiplied: Wampler4 and 5 are Wampler3 but for that */
    int64_t n, d;
    double A[MAX_ROWS * MAX_COLUMNS], y[MAX_ROWS], certified[MAX_COLUMNS];
} table;

static FILE *open_table(const char *name) {
    char path[512];
    snprintf(path, sizeof path, GPIS_DATA "/../tests/data/nist/%s.dat", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    return file;
}

/* A line of data: y, then the predictors. */
static void read_row(table *t, const char *line) {
    double number[MAX_COLUMNS];
    int count = 0, used = 0, read = 0;
    while (sscanf(line + used, "%lf%n", &number[count], &read) == 1) used += read, count++;
    if (count < 2) return;
    double *row = t->A + t->n * t->d;
    int64_t j = 0;
    if (t->intercept) row[j++] = 1.0;
    for (int power = 1; power <= t->degree; power++) row[j++] = pow(number[1], power);
    for (int i = 1; t->degree == 0 && i < count; i++) row[j++] = number[i];
    assert_true(j == t->d);
    t->y[t->n++] = number[0];
}

/* Certified values are on lines such as "  B0   -3482258.63459582   890420.383607373"; data follow a line "Data:  y x".
 */
static void read_table(table *t) {
    char line[256];
    bool data = false;
    FILE *file = open_table(t->file);
    t->n = t->d = 0;
    while (fgets(line, sizeof line, file)) {
        const char *text = line + strspn(line, " ");
        int number;
        double value;
        if (data)
            read_row(t, line);
        else if (isdigit((unsigned char)text[1]) && sscanf(text, "B%d %lf", &number, &value) == 2)
            t->certified[t->d++] = value;
        else if (sscanf(line, "Data: %*[ ]y%*[ ]x%d", &number) >= 0 && strstr(line, "Data:") == line)
            data = strchr(line, 'y') && !strstr(line, "Variable");
    }
    fclose(file);
    assert_true(t->n > 0 && t->d > 0);
    if (t->magnified == 0.0) return;
    for (int64_t i = 0; i < t->n; i++) { /* all coefficients are 1: y - sum of the row is the error, a whole number */
        double fit = 0.0;
        for (int64_t j = 0; j < t->d; j++) fit += t->A[i * t->d + j];
        t->y[i] = fit + t->magnified * (t->y[i] - fit);
    }
}

/* -log10 of the largest relative error of a coefficient: at most 15.9, the digits of a double. */
static double digits(const table *t, const double *x, const quad *truth) {
    double worst = 1.3e-16;
    for (int64_t j = 0; j < t->d; j++) {
        const quad error = (quad)x[j] - truth[j];
        worst = fmax(worst, (double)((error < 0 ? -error : error) / (truth[j] < 0 ? -truth[j] : truth[j])));
    }
    return -log10(worst);
}

static void solve_by_lapack(const table *t, bool pivoted, double *x) {
    double A[MAX_ROWS * MAX_COLUMNS], y[MAX_ROWS];
    lapack_int pivots[MAX_COLUMNS] = {0}, rank;
    const lapack_int n = (lapack_int)t->n, d = (lapack_int)t->d;
    memcpy(A, t->A, sizeof A);
    memcpy(y, t->y, sizeof y);
    if (pivoted)
        assert_int_equal(LAPACKE_dgelsy(LAPACK_ROW_MAJOR, n, d, 1, A, d, y, 1, pivots, 1e-16, &rank), 0);
    else
        assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', n, d, 1, A, d, y, 1), 0);
    memcpy(x, y, (size_t)t->d * sizeof *x);
}

static void solve_by_gpis(const table *t, double *x, int64_t *passes) {
    test_memory memory = {0};
    gpis_context *context = test_context(&memory);
    gpis_source *A;
    gpis_result *result;
    assert_int_equal(gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, t->n, t->d, t->d, &A), GPIS_OK);
    assert_int_equal(test_solve(context, A, t->y, 1, NULL, NULL, &result), GPIS_OK);
    if (result->outcome != GPIS_SOLVED) print_message("%s: %s\n", t->file, gpis_outcome_text(result->outcome));
    assert_true(result->backward_error < 1e-14); /* and not NaN */
    memcpy(x, result->x, (size_t)t->d * sizeof *x);
    *passes = result->passes;
    gpis_result_destroy(result);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

static void check_table(table *t) {
    quad exact[MAX_COLUMNS], certified[MAX_COLUMNS];
    double qr[MAX_COLUMNS], pivoted[MAX_COLUMNS], ours[MAX_COLUMNS];
    int64_t passes;
    read_table(t);
    for (int64_t j = 0; j < t->d; j++) certified[j] = t->certified[j];
    assert_true(quad_least_squares(t->n, t->d, t->A, t->y, exact));
    for (int64_t j = 0; j < t->d; j++) qr[j] = (double)exact[j];
    const double agree = digits(t, qr, certified); /* of the exact solution of the table as it was read */
    if (agree < (strcmp(t->file, "Filip") == 0 ? 7.0 : 12.5))
        fail_msg("%s: the table is wrong: %g digits", t->file, agree);
    solve_by_lapack(t, false, qr);
    solve_by_lapack(t, true, pivoted);
    solve_by_gpis(t, ours, &passes);
    const quad *const truths[] = {certified, exact};
    for (int i = 0; i < 2; i++) {
        double theirs = fmax(digits(t, qr, truths[i]), digits(t, pivoted, truths[i]));
        if (i == 0)
            theirs = fmin(theirs, agree); /* more is luck: even the exact solution of the rounded table has less */
        const double mine = digits(t, ours, truths[i]);
        print_message("%s%s: %.1f digits, LAPACK %.1f, against %s values (which agree to %.1f), %d passes\n", t->file,
                      t->magnified > 1.0 ? " with larger errors" : "", mine, theirs, i ? "exact" : "certified", agree,
                      (int)passes);
        if (mine < theirs - 0.5) fail_msg("%s: %.1f digits, and LAPACK has %.1f", t->file, mine, theirs);
    }
}

static void run(const char *file, int degree, bool intercept, double magnified) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    *t = (table){.file = file, .degree = degree, .intercept = intercept, .magnified = magnified};
    check_table(t);
    free(t);
}

static void lines(void **state) {
    (void)state;
    run("Norris", 1, true, 0.0);
    run("NoInt1", 0, false, 0.0);
    run("Pontius", 2, true, 0.0);
}

static void longley(void **state) {
    (void)state;
    run("Longley", 0, true, 0.0);
}

static void wampler(void **state) {
    (void)state;
    run("Wampler1", 5, true, 0.0);
    run("Wampler2", 5, true, 0.0);
    run("Wampler3", 5, true, 1.0);
    run("Wampler3", 5, true, 100.0);   /* Wampler4 */
    run("Wampler3", 5, true, 10000.0); /* Wampler5 */
}

static void filip(void **state) {
    (void)state;
    run("Filip", 10, true, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(longley), cmocka_unit_test(wampler),
                                       cmocka_unit_test(filip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
