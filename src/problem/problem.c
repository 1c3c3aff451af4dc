/* Names of columns. */
#include "problem/problem.h"

#include <stdio.h>

gpis_column_label gpis_problem_label(const gpis_problem *problem, int64_t j) {
    gpis_column_label constant;
    if (j < problem->A->d) return gpis_source_label(problem->A, j);
    snprintf(constant.text, sizeof constant.text, "the constant");
    return constant;
}
