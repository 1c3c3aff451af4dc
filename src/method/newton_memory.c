/*
 * What newton holds at its height, in bytes, besides A, y and the set: the largest of its phases. The memory of a phase
 * is the sum of what is alive in it; passes and sketches know themselves what they take.
 *
 * This is the usual course. What is done only when that goes badly (another model, averaging) looks at the memory that
 * is left before it begins.
 */
#include <math.h>

#include "linalg/backward.h"
#include "linalg/coarse.h"
#include "linalg/quadratic.h"
#include "method/look.h"
#include "method/newton.h"
#include "method/newton_plan.h"

enum {
    POINTS = 2 * GPIS_HULL_POINTS + 20, /* arrays of d x k: hull, best point, result, inner problem, a bound */
    VECTORS = 32,                       /* arrays of d: norms, scales, active set, the image of a probe */
    STRUCTS = 1 << 16                   /* bytes: everything that is not an array */
};

static double pass(const gpis_run *run, int64_t probes, int64_t gram, bool sketch) {
    const gpis_load load = gpis_load_with_terms(gpis_load_worst(run->problem->d, run->problem->k, probes, gram, sketch),
                                                &run->problem->terms);
    return gpis_pass_memory(run->context, run->problem->A, &load);
}

/* The largest face that there may be: its Gram matrix and the pass that makes it, or its model and inner problem. */
static double on_face(const gpis_run *run) {
    const int64_t count = gpis_on_face_most(run);
    const double square = 8.0 * (double)count * (double)count;
    return fmax(square + pass(run, 0, count, false), 4.0 * square);
}

/* The Gram matrix of a sketch is a pass over its m rows, dense unless they are sampled from compressed ones. */
static double sketch_gram_pass(const gpis_run *run, int64_t m, bool sampled) {
    const gpis_source *A = run->problem->A;
    const bool sparse = sampled && A->block_kind == GPIS_BLOCK_CSR;
    const gpis_source SA = {.n = m,
                            .d = run->problem->d,
                            .nonzeros = sparse ? A->nonzeros / A->n * m : m * run->problem->d,
                            .type = GPIS_FLOAT64,
                            .block_kind = sparse ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE,
                            .resident = true};
    gpis_load load = gpis_load_worst(run->problem->d, sampled ? run->problem->k : 0, 0, run->problem->d, false);
    if (sampled) load = gpis_load_with_terms(load, &run->problem->terms);
    const double pass = gpis_pass_memory(run->context, &SA, &load);
    return sampled ? pass : fmax(pass, gpis_coarse_memory(run->context, run->problem->d));
}

/* The summary, the pass that makes it, and all that follows while it is there. */
static double with_summary(const gpis_run *run, double rounds) {
    const gpis_problem *p = run->problem;
    const gpis_load plain = gpis_load_with_terms((gpis_load){.d = p->d, .k = p->k}, &p->terms);
    const gpis_load load = gpis_load_with_summary(plain, true);
    const double square = 8.0 * (double)p->d * (double)p->d;
    return gpis_quadratic_memory(p->d, p->k) +
           fmax(fmax(gpis_pass_memory(run->context, p->A, &load), rounds), 3.0 * square);
}

double gpis_newton_memory(const gpis_run *run, const gpis_workload *work, int64_t m) {
    const double d = work->d, k = work->k, square = 8.0 * d * d;
    const double always = 8.0 * (POINTS * d * k + VECTORS * d) + STRUCTS;
    /* the model is H and its factor; to make it takes one more square */
    const double model = 2.0 * square + gpis_inner_memory(run->problem->set);
    /* at the end of a solve without constraints */
    const double estimating =
        run->problem->set->shape == GPIS_SHAPE_WHOLE ? gpis_backward_memory(run->problem->d) : 0.0;
    if (m == 0) {
        const double rounds = model + fmax(pass(run, 0, 0, false), estimating),
                     making = square + pass(run, 0, run->problem->d, false);
        const double gram = fmax(fmax(rounds, making), 3.0 * square);
        return always + (work->summary ? fmax(with_summary(run, rounds), gram) : gram);
    }
    const int64_t count = work->probing ? GPIS_PROBES : 0;
    const double steps = GPIS_PROBE_STEPS, probes = 8.0 * (double)count * ((steps + 3.0) * d + steps * steps);
    const double facing = gpis_on_face_applies(run) ? on_face(run) : 0.0;
    const double rounds = model + probes + fmax(fmax(pass(run, count, 0, false), facing), estimating);
    if (gpis_workload_samples(work)) { /* the rows are given back when there is a model */
        const double rows = gpis_sample_memory(run->problem->A, run->problem->k, m);
        return always + fmax(rows + fmax(square + sketch_gram_pass(run, m, true), 3.0 * square), rounds);
    }
    /* the nodes of the tree of sums, and what other ranks send */
    const double held = gpis_tree_depth(run->problem->n, m) + (work->ranks > 1.0 ? 2.0 : 0.0);
    const double sketch = 8.0 * held * (double)m * (d + k) +
                          work->sketch->memory(run->problem->n, run->problem->d, m, run->context->threads);
    const double absorbing = pass(run, 0, 0, true), making = square + sketch_gram_pass(run, m, false);
    const double looking = work->walls && work->at_hand ? gpis_look_memory(run->problem) : 0.0;
    return always + fmax(looking, sketch + fmax(fmax(absorbing, making), fmax(rounds, 3.0 * square)));
}
