/*
 * What newton takes: passes, and from them seconds.
 *
 * A sketch of m rows gives H whose eigenvalues against A'A lie within (1 +- sqrt(gamma))^2, gamma = d / m. The best
 * point of the hull does as well as conjugate gradients with H as preconditioner: the error of f shrinks by gamma a
 * round, and the sketched problem's own solution starts at gamma f*. So after j gradient passes it is about gamma^j f*.
 * The bound on it is larger by 1 / c, and c is what the probes promise after j passes: both must be good enough.
 */
#include <math.h>

#include "certificate/probes.h"
#include "method/newton_plan.h"

enum {
    GRAM_PASSES = 2, /* one for the Gram matrix, with the gradient at the start, and one at the solution */
    MAX_PASSES = 200 /* with more passes than this no sketch is chosen, so they are not counted */
};

/* The chance that few entries of the answer are free, where that is planned for. A guess: it only has to keep sketches
 * from being so small that a solve takes very long if it turns out wrong. */
static const double CHANCE_OF_FACE = 0.7;

/* The factor by which a round shrinks the error of f. Where few entries are free, the error has few directions; the
 * 0.6 was measured with l1. A model that is nearly useless still makes some progress, hence the 0.9. */
static double contraction(const gpis_workload *work, double m) {
    const double gamma = work->d / m;
    return fmin(0.9, work->face ? 0.6 * gamma : gamma);
}

/* Passes until probes have certified the tolerance, the one that makes the sketch included, if it takes one. */
static int64_t passes_with_probes(const gpis_workload *work, double m) {
    const double root = fmin(0.95, sqrt(work->d / m)), rate = contraction(work, m);
    const double lowest = 1.0 / ((1.0 + root) * (1.0 + root)), highest = 1.0 / ((1.0 - root) * (1.0 - root));
    double error = 1.0;
    for (int j = 1; j < MAX_PASSES; j++) {
        const double c =
            work->probing ? gpis_probes_expect(lowest, highest, work->d, j, GPIS_PROBES, 0.5 * work->delta) : 1.0;
        error *= rate;
        if (c > 0.0 && error <= work->tol * c) return j + (gpis_workload_samples(work) ? 0 : 1);
    }
    return MAX_PASSES;
}

/* The same where the rounds end on a face: the sketch; rounds until it is clear which columns are free, the last of
 * which brings their Gram matrix; and the gradient at the solution. Measured with l1: it is clear once the error of f
 * is below some thousandths, and never before the third round. */
static int64_t passes_to_face(const gpis_workload *work, double m) {
    static const double MIN_ROUNDS = 3.0, CLEAR_ERROR = 3e-3;
    const double rounds = ceil(log(CLEAR_ERROR) / log(contraction(work, m)));
    return (gpis_workload_samples(work) ? 1 : 2) + (int64_t)fmax(MIN_ROUNDS, rounds);
}

/* Gradient passes among these: one pass makes the sketch, or the Gram matrix; a sample takes none. */
static double gradients_of(const gpis_workload *w, double m, int64_t passes) {
    return (double)passes - (m > 0.0 && gpis_workload_samples(w) ? 0.0 : 1.0);
}

/* ---- the passes of each of the three ways ---------------------------------------------------------------------------
 */

static gpis_effort with_gram(const gpis_workload *w, const gpis_speed *s) {
    return (gpis_effort){.passes = GRAM_PASSES,
                         .flops = w->entries * w->entries / w->n,
                         .seconds =
                             gpis_cost_gram_pass(w, s) + (GRAM_PASSES - 1.0) * gpis_cost_gradient_pass(w, s, false)};
}

/* With a sketch, until probes have made the bound good enough; the sketch itself not included. */
static gpis_effort with_probes(const gpis_workload *w, const gpis_speed *s, double m) {
    const int64_t passes = passes_with_probes(w, m);
    const double gradients = gradients_of(w, m, passes), probing = w->probing ? gradients : 0.0;
    return (gpis_effort){.passes = passes,
                         .flops = 4.0 * w->entries * GPIS_PROBES * probing,
                         .seconds =
                             gradients * gpis_cost_gradient_pass(w, s, w->probing) + gpis_cost_probes(w, s, probing)};
}

/* With a sketch, where the rounds end on a face; the sketch itself not included. */
static gpis_effort with_face(const gpis_workload *w, const gpis_speed *s, double m) {
    const int64_t passes = passes_to_face(w, m);
    const double share = GPIS_LIKELY_FREE_SHARE * GPIS_LIKELY_FREE_SHARE, gradients = gradients_of(w, m, passes);
    return (gpis_effort){.passes = passes,
                         .flops = share * w->entries * w->entries / w->n,
                         .seconds =
                             gradients * gpis_cost_gradient_pass(w, s, false) + share * gpis_cost_gram_pass(w, s)};
}

/* Seconds of the passes where no face is found in the end: probes, or the Gram matrix after all. */
static double without_face(const gpis_workload *w, const gpis_speed *s, double m, double seconds_so_far) {
    return fmin(with_probes(w, s, m).seconds, seconds_so_far + with_gram(w, s).seconds);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------
 */

/* The sketch, or the sample, and its Gram matrix. */
static double sketch_seconds(const gpis_workload *w, const gpis_speed *s, double m) {
    if (gpis_workload_samples(w)) return gpis_cost_sample(w, s, m);
    return gpis_cost_sketch_pass(w, s, m) + gpis_cost_sketch_gram(w, s, m);
}

static double sketch_flops(const gpis_workload *w, double m) {
    const double a_row = w->entries / w->n;
    return gpis_workload_samples(w) ? m * a_row * a_row : 2.0 * w->entries + m * (w->d * w->d);
}

gpis_effort gpis_newton_cost(const gpis_workload *w, const gpis_speed *s, int64_t rows) {
    const double m = (double)rows;
    gpis_effort work = m == 0.0 ? with_gram(w, s) : w->face ? with_face(w, s, m) : with_probes(w, s, m);
    const double gradients = gradients_of(w, m, work.passes), rounds = m > 0.0 ? gradients : 1.0;
    double otherwise = m > 0.0 && w->face ? without_face(w, s, m, work.seconds) : work.seconds;
    double always = gpis_cost_factor(w, s) + gpis_cost_inner(w, s, rounds);
    work.flops += 4.0 * w->entries * w->k * gradients + gpis_cost_factor_flops(w) + gpis_cost_inner_flops(w, rounds);
    if (m > 0.0) {
        work.sketches = 1;
        work.flops += sketch_flops(w, m);
        always += sketch_seconds(w, s, m);
    }
    work.seconds += always;
    otherwise += always;
    work.expected = CHANCE_OF_FACE * work.seconds + (1.0 - CHANCE_OF_FACE) * otherwise;
    return work;
}
