/*
 * Somebody's program: knows the installed gpis.h and nothing else. Solves
 *
 *     min (x1 - 1)^2 + (x2 + 2)^2 + (x1 + x2 - 3)^2   over x >= 0,
 *
 * whose answer is x = (2, 0) with objective 6: at x2 = 0 the best x1 is (1 + 3) / 2, and there the slope in x2 is 2 >
 * 0. Returns 0 when the certificate says so too.
 */
#include <gpis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static gpis_status solve(gpis_problem *problem, gpis_set *set, gpis_result **result) {
    static const double y[3] = {1, -2, 3};
    gpis_status status = gpis_problem_response(problem, y, 3, 1);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    return status == GPIS_OK ? gpis_solve(problem, NULL, result) : status;
}

int main(void) {
    static const double rows[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    gpis_context *context = NULL;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_problem *problem = NULL;
    gpis_result *result = NULL;
    if (gpis_context_create(&context) != GPIS_OK) return 1;

    gpis_status status = gpis_source_dense(context, rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, 3, 2, 2, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &problem);
    if (status == GPIS_OK) status = gpis_set_parse(context, "nonneg", problem, &set);
    if (status == GPIS_OK) status = solve(problem, set, &result);
    int good = 0;
    if (status != GPIS_OK)
        fprintf(stderr, "gpis %s: %s\n", gpis_version(), gpis_last_error(context));
    else {
        printf("gpis %s: x = (%g, %g), objective %g, gap %.1e %s\n", gpis_version(), result->x[0], result->x[1],
               result->objective, result->gap, gpis_gap_kind_text(result->gap_kind));
        good = result->outcome == GPIS_SOLVED && result->gap_kind == GPIS_GAP_PROVEN && result->gap >= 0 &&
               gpis_relative_gap(result) <= 1e-8 && result->feasibility == 0 && fabs(result->objective - 6) <= 6e-8 &&
               fabs(result->x[0] - 2) <= 1e-3 && fabs(result->x[1]) <= 1e-3 && strchr(gpis_version(), '.');
    }
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_context_destroy(context);
    return good ? 0 : 1;
}
