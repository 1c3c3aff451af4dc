/* --penalty l1:LAMBDA or l1:LAMBDA,W.npy: read, given to the problem, and told in the summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int fail_text(const char *text, const char *at, const char *why) {
    return cli_fail(CLI_BAD_INPUT, "--penalty %s: %s, at character %d; it is l1:LAMBDA or l1:LAMBDA,W.npy", text, why,
                    (int)(at - text) + 1);
}

/* Reads one text. */
static int read_text(cli_penalty *penalty, const char *text) {
    char *end = NULL;
    if (strncmp(text, "l1:", 3) != 0) return fail_text(text, text, "there is no such penalty");
    if (penalty->l1 >= 0) return cli_fail(CLI_BAD_INPUT, "--penalty l1 is given twice; give it once");
    const char *number = text + 3;
    penalty->l1 = strtod(number, &end);
    if (end == number) return fail_text(text, number, "a number is missing");
    if (!(penalty->l1 >= 0 && isfinite(penalty->l1))) return fail_text(text, number, "LAMBDA must be finite and >= 0");
    if (*end != '\0' && *end != ',') return fail_text(text, end, "this does not belong to a number");
    if (*end == ',') penalty->path = end + 1;
    return penalty->path && !*penalty->path ? fail_text(text, end + 1, "the name of a file is missing") : 0;
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
    const char *text;
    int code = 0;
    p->penalty.l1 = -1; /* not given */
    for (int i = 0; code == 0 && (text = cli_repeated_text(common, "penalty", i)); i++)
        code = read_text(&p->penalty, text);
    if (code == 0) code = read_weights(p, common);
    if (p->penalty.l1 < 0) p->penalty.l1 = 0;
    if (code != 0 || p->penalty.l1 == 0) return code;
    const gpis_status status = gpis_problem_penalty(p->problem, p->penalty.l1, p->penalty.weights.data, p->shape.cols);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

/* scikit-learn's Lasso minimises 1/(2 n) ||y - A x||^2 + alpha ||x||_1. */
void cli_penalty_print(const cli_problem *p, const gpis_result *r) {
    if (p->penalty.l1 == 0) return;
    printf("penalty       %.6g of the objective: %.6g times ", r->penalty, p->penalty.l1);
    if (p->penalty.path)
        printf("the sizes of the coefficients, weighted by %s", cli_printable(p->penalty.path).text);
    else
        printf("the sum of the sizes of the coefficients");
    printf(" (scikit-learn's alpha = %.10g)\n", p->penalty.l1 / (2.0 * (double)p->shape.rows));
}
