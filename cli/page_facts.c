#include "page_facts.h"

#include <stdlib.h>

bool cli_page_make(page *p, const cli_problem *problem, const cli_common *common, const char *a, const char *command) {
    static const char *const names[] = {"set", "subject-to", "bounds"};
    enum { KINDS = sizeof names / sizeof *names };
    int64_t count = 0;
    for (int i = 0; i < KINDS; i++) count += cli_problem_count(common, names[i]);
    page_constraint *constraints = calloc((size_t)count + 1, sizeof *constraints);
    *p = (page){.command = command,
                .a = a,
                .target = common->open.target,
                .rows = problem->shape.rows,
                .columns = problem->shape.cols,
                .responses = problem->k,
                .constraints = constraints,
                .radii = cli_is_path_of_radii(common),
                .penalties = problem->penalty.path_of,
                .intercept = cli_problem_is_yes(common, "intercept"),
                .standardized = cli_problem_is_yes(common, "standardize"),
                .weighted_by = cli_is_given(common, "weights") ? cli_problem_text(common, "weights") : NULL,
                .offset_by = cli_is_given(common, "offset") ? cli_problem_text(common, "offset") : NULL,
                .l1 = problem->penalty.l1,
                .l2 = problem->penalty.l2,
                .tol = common->settings.tol,
                .encoding = problem->encoding,
                .context = problem->context,
                .A = problem->A,
                .Y = cli_ranks() ? NULL : problem->Y, /* a rank has but some of the rows */
                .weights = problem->weights,
                .offset = problem->offset,
                .resident = problem->shape.resident,
                .set = problem->set,
                .problem = problem->problem,
                .settings = &common->settings,
                .ranges = problem->ranges,
                .load_seconds = problem->load_seconds};
    for (int i = 0; i < KINDS; i++)
        for (int64_t j = 0; constraints && j < cli_problem_count(common, names[i]); j++)
            constraints[p->constraint_count++] = (page_constraint){i == 2 ? "bounds of the file" : "subject to",
                                                                   cli_problem_text_at(common, names[i], j)};
    return constraints != NULL;
}

void cli_page_clear(page *p) { free((void *)p->constraints); }
