/*
 * pgd: projected gradient (the paper's (3)) with the line search of its Algorithm 3.
 *
 *     x+ = P_K(x - eta A'(A x - y))
 */
#include "method/full_gradient.h"

static gpis_status run_pgd(gpis_run *run, const double *x0) { return gpis_full_gradient(run, x0, false); }

const gpis_method gpis_method_pgd = {
    .name = "pgd", .applicable = gpis_always_applicable, .run = run_pgd, .endless = true};
