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
#include "method/refine.h"

enum { MAX_PASSES = 200 }; /* with more passes than this no sketch is chosen, so they are not counted */

/* The factor by which a round shrinks the error of f. Where few entries are free, the error has few directions; the
 * 0.6 was measured with l1. A model that is nearly useless still makes some progress, hence the 0.9. */
static double contraction(const gpis_workload *work, double m) {
    const double gamma = work->d / m;
    return fmin(0.9, work->face ? 0.6 * gamma : gamma);
}

/* Over a set with walls the face changes on the way, and rounds are more than over the whole space. Measured with l1
 * and simplex where nearly all entries are free. */
static const double ROUNDS_BETWEEN_WALLS = 1.25;

double gpis_newton_rounds_with_probes(const gpis_workload *work, double m) {
    const double root = fmin(0.95, sqrt(work->d / m)), rate = contraction(work, m);
    const double lowest = 1.0 / ((1.0 + root) * (1.0 + root)), highest = 1.0 / ((1.0 - root) * (1.0 - root));
    double error = 1.0;
    for (int j = 1; j < MAX_PASSES; j++) {
        const double c =
            work->probing ? gpis_probes_expect(lowest, highest, work->d, j, GPIS_PROBES, 0.5 * work->delta) : 1.0;
        error *= rate;
        if (c > 0.0 && error <= work->tol * c) return work->walls ? ceil(ROUNDS_BETWEEN_WALLS * j) : j;
    }
    return MAX_PASSES;
}

/* The pass that makes the sketch, if it takes one. */
static double sketch_passes(const gpis_workload *work) { return gpis_workload_samples(work) ? 0.0 : 1.0; }

/* The same where the rounds end on a face: until it is clear which columns are free; the last of these rounds brings
 * their Gram matrix. Measured with l1: it is clear once the error of f is below some thousandths, and never before the
 * third round. */
double gpis_newton_rounds_to_face(const gpis_workload *work, double m) {
    static const double MIN_ROUNDS = 3.0, CLEAR_ERROR = 3e-3;
    return fmax(MIN_ROUNDS, ceil(log(CLEAR_ERROR) / log(contraction(work, m))));
}

/* The more columns are free, and the more of them still come and go, the longer it takes until it is clear which: of
 * the rounds that are forecast, a third is needed where hardly any column is free, and all of them at a third, or where
 * a fifth comes and goes. Measured with l1, nonneg and box, and A'A with condition numbers from 30 to 1e7; so is what
 * the norms of the columns add to the first pass, and what it takes to collect the columns of the face. */
static double rounds_needed(double rounds_to_face, gpis_free_share free) {
    return (0.3 + 1.5 * free.share + 3.0 * free.unsettled) * rounds_to_face;
}

double gpis_newton_passes_to_face(double rounds_to_face, gpis_free_share free) {
    static const double NORMS = 0.2, COLUMNS = 1.5;
    return rounds_needed(rounds_to_face, free) + 1.0 + NORMS + COLUMNS * gpis_share_of_face(free);
}

/* ---- the passes of each of the three ways ---------------------------------------------------------------------------
 */

/* One pass for the Gram matrix and one at the solution; or one for the summary; or none where that is given. */
static gpis_effort with_gram(const gpis_workload *w, const gpis_speed *s) {
    const double passes = gpis_gram_passes(w);
    if (w->rowless) return (gpis_effort){.seconds = w->entries * s->copy};
    return (gpis_effort){.passes = (int64_t)passes,
                         .flops = w->entries * w->entries / w->n,
                         .seconds = gpis_cost_gram_pass(w, s) + (passes - 1.0) * gpis_cost_gradient_pass(w, s, false)};
}

/* With a sketch, until probes have made the bound good enough, and to the last digits of x where every x is allowed;
 * the sketch itself not included. */
static gpis_effort with_probes(const gpis_workload *w, const gpis_speed *s, double m) {
    const double rounds = gpis_newton_rounds_with_probes(w, m), probing = w->probing ? rounds : 0.0;
    const double rate = fmin(0.95, sqrt(w->d / m));
    const gpis_refine_passes refined =
        w->whole && w->probing ? gpis_refine_expect(w->entries, rate, w->tol) : (gpis_refine_passes){0};
    return (gpis_effort){.passes = (int64_t)(sketch_passes(w) + rounds + refined.passes),
                         .flops = 4.0 * w->entries * GPIS_PROBES * probing,
                         .seconds = rounds * gpis_cost_gradient_pass(w, s, w->probing) +
                                    gpis_cost_probes(w, s, probing) +
                                    refined.gradients * gpis_cost_gradient_pass(w, s, false)};
}

/* With the model of a sketch or a sample of m rows, where the rounds end on a face, and the gradient at the solution;
 * the model itself not included. */
static gpis_effort with_face(const gpis_workload *w, const gpis_speed *s, double m) {
    const gpis_free_share free = {GPIS_FEW_FREE_SHARE, GPIS_USUALLY_UNSETTLED};
    const double few = gpis_share_of_face(free), rounds = gpis_newton_rounds_to_face(w, m);
    return (gpis_effort){.passes = (int64_t)(sketch_passes(w) + ceil(rounds_needed(rounds, free)) + 1.0),
                         .flops = few * few * w->entries * w->entries / w->n,
                         .seconds = gpis_newton_passes_to_face(rounds, free) * gpis_cost_gradient_pass(w, s, false) +
                                    few * few * gpis_cost_gram_pass(w, s)};
}

/* ---- all of it ------------------------------------------------------------------------------------------------------
 */

static double sketch_flops(const gpis_workload *w, double m) {
    const double a_row = w->entries / w->n;
    return gpis_workload_samples(w) ? m * a_row * a_row : 2.0 * w->entries + m * (w->d * w->d);
}

/* The model of d columns and the inner problems of the rounds, after all passes. */
static gpis_effort complete(const gpis_workload *w, const gpis_speed *s, gpis_effort work, double rounds) {
    work.flops += 4.0 * w->entries * w->k * rounds + gpis_cost_factor_flops(w) + gpis_cost_inner_flops(w, rounds);
    work.seconds += gpis_cost_factor(w, s) + gpis_cost_inner(w, s, rounds);
    return work;
}

/* With a sketch, whose rounds end as `passes` says. */
static gpis_effort with_sketch(const gpis_workload *w, const gpis_speed *s, double m, gpis_effort passes) {
    gpis_effort work = complete(w, s, passes, (double)passes.passes - sketch_passes(w));
    work.sketches = 1;
    work.flops += sketch_flops(w, m);
    work.seconds += gpis_cost_sketch(w, s, m);
    return work;
}

/* Few entries are free: the rounds end on a face, unless even the Gram matrix of a few columns is dearer than probes.
 */
static gpis_effort if_few_are_free(const gpis_workload *w, const gpis_speed *s, double m, gpis_effort probes) {
    const gpis_effort face = with_face(w, s, m);
    return with_sketch(w, s, m, w->probing && probes.seconds < face.seconds ? probes : face);
}

/* Many entries are free: a run that began with a sketch weighs its ways again (newton_weigh.c) when it has seen that,
 * and may take the Gram matrix. */
static double seconds_if_many_are_free(const gpis_workload *w, const gpis_speed *s, double m, gpis_effort probes,
                                       double until_known) {
    const double gram = until_known + complete(w, s, with_gram(w, s), 1.0).seconds;
    return w->proof ? gram : fmin(with_sketch(w, s, m, probes).seconds, gram);
}

/* Both cases with a sketch, over a set with walls. */
static gpis_effort between_walls(const gpis_workload *few, const gpis_workload *many, const gpis_speed *s, double m) {
    const gpis_effort probes = with_probes(many, s, m);
    gpis_effort work = if_few_are_free(few, s, m, probes);
    work.few = work.seconds;
    work.many = seconds_if_many_are_free(many, s, m, probes, gpis_cost_sketch(many, s, m) + gpis_cost_factor(many, s));
    return work;
}

/* The same where a look at some rows comes first. If few entries are free, the model of these rows serves for the
 * rounds, and no sketch is made. */
static gpis_effort after_look(const gpis_workload *few, const gpis_workload *many, const gpis_speed *s, double m) {
    const double rows = gpis_look_rows(few->n, few->d), look = gpis_cost_look(few, s);
    gpis_workload sampled = *few;
    sampled.sketch = gpis_sketch_find("sample");
    gpis_effort work = with_sketch(&sampled, s, rows, with_face(&sampled, s, rows));
    work.few = work.seconds + look;
    work.many = seconds_if_many_are_free(many, s, m, with_probes(many, s, m), 0.0) + look;
    return work;
}

gpis_effort gpis_newton_cost(const gpis_workload *w, const gpis_speed *s, int64_t rows) {
    const double m = (double)rows;
    gpis_workload few = *w, many = *w;
    gpis_effort work;
    few.face = w->walls;
    many.face = false;
    if (m > 0.0 && w->walls) {
        work = (gpis_may_look(w) ? after_look : between_walls)(&few, &many, s, m);
    } else {
        work = m > 0.0 ? with_sketch(w, s, m, with_probes(w, s, m)) : complete(&few, s, with_gram(w, s), 1.0);
        work.few = work.seconds;
        work.many = m > 0.0 ? work.seconds : complete(&many, s, with_gram(w, s), 1.0).seconds;
    }
    work.seconds = sqrt(work.few * work.many);
    return work;
}
