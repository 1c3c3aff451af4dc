/*
 * acc-gpis: Accelerated Gradient Projection Iterative Sketch, the paper's Algorithm 2: Algorithm 1 (gpis.c) with
 * Nesterov's extrapolation in each inner loop, begun anew (tau_0 = 1) in each round, and gradient restart.
 *
 *     x+ = P_K(z - eta ((S^t A)'(S^t A)(z - x_0) + g))
 *     z+ = x+ + ((tau - 1) / tau+) (x+ - x),    tau+ = (1 + sqrt(1 + 4 tau^2)) / 2
 */
#include "method/sketched.h"

static gpis_status run_acc_gpis(gpis_run *run, const double *x0) { return gpis_sketched_rounds(run, x0, true); }

const gpis_method gpis_method_acc_gpis = {
    .name = "acc-gpis", .applicable = gpis_sketched_applicable, .run = run_acc_gpis, .needs_sketch = true};
