/* --penalty l1:LAMBDA, l1:LAMBDA,W.npy and l2:LAMBDA: read, given to the problem, and told in the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int fail_text(const char *text, const char *at, const char *why) {
    return cli_fail(CLI_BAD_INPUT, "--penalty %s: %s, at character %d; it is l1:LAMBDA, l1:LAMBDA,W.npy or l2:LAMBDA",
                    text, why, (int)(at - text) + 1);
}

static const double NOT_GIVEN = -1;

/* Reads one text, of which each kind may be given once. */
static int read_text(cli_penalty *penalty, const char *text, bool path) {
    if (path && cli_penalty_lacks_lambda(text)) {
        penalty->path_of = true;
        penalty->l1 = 1;
        penalty->path = text[2] ? text + 3 : NULL;
        return 0;
    }
    const bool l1 = strncmp(text, "l1:", 3) == 0, l2 = strncmp(text, "l2:", 3) == 0;
    double *lambda = l1 ? &penalty->l1 : &penalty->l2;
    char *end = NULL;
    if (strcmp(text, "l2") == 0 && path)
        return cli_fail(CLI_BAD_INPUT,
                        "--penalty l2: there are paths of radii (--set l2) and of l1 penalties (--penalty "
                        "l1); l2:LAMBDA is an l2 penalty beside either");
    if (strcmp(text, "l1") == 0 || strcmp(text, "l2") == 0) return fail_text(text, text + 2, "LAMBDA is missing");
    if (!l1 && !l2) return fail_text(text, text, "there is no such penalty");
    if (*lambda != NOT_GIVEN) return cli_fail(CLI_BAD_INPUT, "--penalty %.2s is given twice; give it once", text);
    const char *number = text + 3;
    *lambda = strtod(number, &end);
    if (end == number) return fail_text(text, number, "a number is missing");
    if (!(*lambda >= 0 && isfinite(*lambda))) return fail_text(text, number, "LAMBDA must be finite and >= 0");
    if (*end != '\0' && !(l1 && *end == ',')) return fail_text(text, end, "this does not belong to a number");
    if (*end == '\0') return 0;
    penalty->path = end + 1;
    return *penalty->path ? 0 : fail_text(text, end + 1, "the name of a file is missing");
}

static int read_weights(cli_problem *p, const cli_common *common) {
    cli_penalty *penalty = &p->penalty;
    if (!penalty->path) return 0;
    const gpis_open_options options = cli_open_options(&p->loading, common, penalty->path, true);
    const gpis_status status = gpis_array_read_with(p->context, penalty->path, &options, &penalty->weights);
    cli_loading_end(&p->loading);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    const gpis_array *w = &penalty->weights;
    if (w->rows * w->cols == p->shape.cols && (w->rows == 1 || w->cols == 1)) return 0;
    return cli_fail(CLI_BAD_INPUT, "%s is %lld x %lld, but A has %lld columns and needs as many weights", penalty->path,
                    (long long)w->rows, (long long)w->cols, (long long)p->shape.cols);
}

int cli_penalty_take(cli_problem *p, const cli_common *common) {
    cli_penalty *penalty = &p->penalty;
    int code = 0;
    penalty->l1 = penalty->l2 = NOT_GIVEN;
    for (int64_t i = 0; i < cli_problem_count(common, "penalty") && code == 0; i++)
        code = read_text(penalty, cli_problem_text_at(common, "penalty", i), common->path);
    if (code == 0) code = read_weights(p, common);
    if (penalty->l1 == NOT_GIVEN) penalty->l1 = 0;
    if (penalty->l2 == NOT_GIVEN) penalty->l2 = 0;
    if (code != 0) return code;
    gpis_status status = gpis_problem_penalty(p->problem, penalty->l1, penalty->weights.data, p->shape.cols);
    if (status == GPIS_OK && penalty->l2 > 0) status = gpis_problem_ridge(p->problem, penalty->l2);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

/* n or, with weights, their sum. On several ranks only the number of rows is known here. */
static double weight_of_rows(const cli_problem *p) {
    double sum = 0;
    if (!p->weights || cli_ranks()) return (double)p->shape.rows;
    for (int64_t i = 0; i < p->rows_here; i++) sum += p->weights[i];
    return sum;
}

/*
 * scikit-learn's Lasso minimises 1/(2 n) ||y - A x||^2 + alpha ||x||_1, its ElasticNet
 * 1/(2 n) ||y - A x||^2 + alpha (l1_ratio ||x||_1 + (1 - l1_ratio)/2 ||x||^2), its Ridge ||y - A x||^2 + alpha ||x||^2.
 */
void cli_penalty_print(const cli_problem *p, const gpis_result *r) {
    const cli_penalty *penalty = &p->penalty;
    const double n = weight_of_rows(p), l1 = penalty->l1 / (2 * n), l2 = penalty->l2 / n;
    if (penalty->l1 == 0 && penalty->l2 == 0) return;
    printf("penalty       ");
    if (penalty->l1 > 0) printf("%.6g times the sum of the sizes of the coefficients", penalty->l1);
    if (penalty->path) printf(", weighted by %s", cli_printable(penalty->path).text);
    if (penalty->l1 > 0) printf(": %.6g of the objective", r->penalty);
    if (penalty->l2 > 0) printf("%s%.6g times the sum of their squares", penalty->l1 > 0 ? "; " : "", penalty->l2);
    if (l2 == 0)
        printf(" (scikit-learn's alpha = %.10g)\n", l1);
    else if (l1 == 0)
        printf(" (scikit-learn's alpha = %.10g)\n", penalty->l2);
    else
        printf(" (scikit-learn's alpha = %.10g, l1_ratio = %.10g)\n", l1 + l2, l1 / (l1 + l2));
}
