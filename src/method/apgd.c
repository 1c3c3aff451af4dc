/*
 * apgd: accelerated projected gradient (Nesterov; Beck and Teboulle) with the line search of the paper's Algorithm 3
 * and gradient restart (O'Donoghue and Candes).
 *
 *     x+ = P_K(z - eta A'(A z - y))
 *     z+ = x+ + ((tau - 1) / tau+) (x+ - x),    tau+ = (1 + sqrt(1 + 4 tau^2)) / 2
 */
#include "method/full_gradient.h"

static gpis_status run_apgd(gpis_run *run, const double *x0) { return gpis_full_gradient(run, x0, true); }

const gpis_method gpis_method_apgd = {"apgd", gpis_always_applicable, run_apgd};
