/*
 * How many passes a method makes to the relative tolerance.
 *
 * A sketch of m rows gives H whose eigenvalues against A'A lie within (1 +- sqrt(gamma))^2, gamma = d / m. The best
 * point of the hull does as well as conjugate gradients with H as preconditioner: the error of f shrinks by gamma a
 * round, and the sketched problem's own solution starts at gamma f*. So after j gradient passes it is about gamma^j f*.
 * The bound on it is larger by 1 / c, and c is what the probes promise after j passes: both must be good enough.
 */
#include <math.h>

#include "certificate/probes.h"
#include "plan/plan.h"

enum {
    GRAM_PASSES = 2,  /* the Gram matrix with the gradient at the start, the gradient at the solution */
    MOST_PASSES = 200 /* a sketch that needs more is no candidate in earnest */
};

int64_t gpis_passes_gram(void) { return GRAM_PASSES; }

/* Where few entries are free, so are directions; measured with l1. */
static double contraction(const gpis_workload *work, double m) {
    const double gamma = work->d / m;
    return fmin(0.9, work->face ? 0.6 * gamma : gamma);
}

int64_t gpis_passes_sketch(const gpis_workload *work, double m) {
    const double root = fmin(0.95, sqrt(work->d / m)), rate = contraction(work, m);
    const double lowest = 1.0 / ((1.0 + root) * (1.0 + root)), highest = 1.0 / ((1.0 - root) * (1.0 - root));
    double error = 1.0;
    for (int j = 1; j < MOST_PASSES; j++) {
        const double c =
            work->probing ? gpis_probes_expect(lowest, highest, work->d, j, GPIS_PROBES, 0.5 * work->delta) : 1.0;
        error *= rate;
        if (c > 0.0 && error <= work->tol * c) return j + (gpis_workload_samples(work) ? 0 : 1);
    }
    return MOST_PASSES;
}

/* The sketch; rounds until it is clear which columns are free, the last of which brings their Gram matrix; and the
 * gradient at the solution. Measured with l1: three rounds at least, and an error of f of some thousandths. */
int64_t gpis_passes_face(const gpis_workload *work, double m) {
    enum { ROUNDS = 3 };
    static const double CLEAR = 3e-3;
    const double rounds = ceil(log(CLEAR) / log(contraction(work, m)));
    return (gpis_workload_samples(work) ? 1 : 2) + (int64_t)fmax(ROUNDS, rounds);
}

/* exp(-2 j / sqrt(cond)) = tol: nobody knows the condition number beforehand, but with n < d it is bad. */
int64_t gpis_passes_gradient(const gpis_workload *work) {
    const double root = work->n < work->d ? 1000.0 : 100.0;
    return (int64_t)ceil(0.5 * root * log(1.0 / work->tol));
}
