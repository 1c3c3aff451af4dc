/*
 * The problem of digits.h, for the test of --memory.
 *
 *   rows csv FILE N D       a table of N rows and D columns, and y as its last
 *   rows svm FILE N D       the same in LIBSVM text, without the zeros
 *   rows solve BYTES N D    solves it over l1:3 under a memory limit, with rows made on demand; prints the objective
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"
#include "gpis.h"

static int write_csv(FILE *file, int64_t n, int64_t d) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            putc_unlocked('0' + digit(i, j), file);
            putc_unlocked(',', file);
        }
        fprintf(file, "%d\n", label(i, d));
    }
    return fclose(file);
}

static int write_svm(FILE *file, int64_t n, int64_t d) {
    char(*names)[24] = calloc((size_t)d, sizeof *names); /* " 7:" */
    if (!names) return 1;
    for (int64_t j = 0; j < d; j++) snprintf(names[j], sizeof *names, " %" PRId64 ":", j + 1);
    for (int64_t i = 0; i < n; i++) {
        fprintf(file, "%d", label(i, d));
        for (int64_t j = 0; j < d; j++) {
            if (digit(i, j) == 0) continue;
            fputs_unlocked(names[j], file);
            putc_unlocked('0' + digit(i, j), file);
        }
        putc_unlocked('\n', file);
    }
    free(names);
    return fclose(file);
}

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const int64_t d = *(const int64_t *)user;
    for (int64_t i = 0; i < nrows; i++)
        for (int64_t j = 0; j < d; j++) rows[i * d + j] = digit(row0 + i, j);
    return 0;
}

static int solve(int64_t bytes, int64_t n, int64_t d) {
    gpis_context *context = NULL;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_problem *problem = NULL;
    gpis_result *result = NULL;
    double *y = malloc((size_t)n * sizeof *y);
    if (!y || gpis_context_create(&context) != GPIS_OK) return 3;
    for (int64_t i = 0; i < n; i++) y[i] = label(i, d);
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-12;
    gpis_status status = gpis_context_set_memory(context, bytes);
    if (status == GPIS_OK) status = gpis_source_callback(context, n, d, make_rows, &d, 1, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, y, n, 1);
    if (status == GPIS_OK) status = gpis_set_parse(context, "l1:3", problem, &set);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK) status = gpis_solve(problem, &settings, &result);
    if (status != GPIS_OK) fprintf(stderr, "rows: %s\n", gpis_last_error(context));
    const int code = status == GPIS_OK && result->outcome == GPIS_SOLVED ? 0 : 1;
    printf("%.17g\n", result ? result->objective : 0.0);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_context_destroy(context);
    free(y);
    return code;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    const int64_t n = atoll(argv[3]), d = atoll(argv[4]);
    if (strcmp(argv[1], "solve") == 0) return solve(atoll(argv[2]), n, d);
    FILE *file = fopen(argv[2], "w");
    if (!file) return 3;
    return (strcmp(argv[1], "csv") == 0 ? write_csv : write_svm)(file, n, d) == 0 ? 0 : 3;
}
