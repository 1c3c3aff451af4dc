/*
 * gpis: Gradient Projection Iterative Sketch, the paper's Algorithm 1. With sketches scaled so that E[S'S] = I, the
 * paper's m g is our g.
 *
 *     GPCS (optional)    S^0 A, S^0 y;   x+ = P_K(x - eta (S^0 A)'(S^0 A x - S^0 y)),   k_0 times
 *     GPIHS, t = 1, 2, ...
 *         g = A'(A x_0 - y) and S^t A, in one pass
 *         x+ = P_K(x - eta ((S^t A)'(S^t A)(x - x_0) + g)),   k_t times from x_0
 *         x_0 = x
 */
#include "method/sketched.h"

static gpis_status run_gpis(gpis_run *run, const double *x0) { return gpis_sketched_rounds(run, x0, false); }

const gpis_method gpis_method_gpis = {
    .name = "gpis", .applicable = gpis_sketched_applicable, .run = run_gpis, .needs_sketch = true};
