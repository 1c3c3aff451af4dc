/*
 * What the parts of a solve take: seconds and flops.
 *
 * The unit of passes is the machine's gradient pass over as many entries of dense doubles; the factors of the other
 * kinds of storage were measured against it. Rows of a file that come from the disk take as long as the disk takes, if
 * that is longer: more arithmetic for each of them is free then. Matrix products are counted in flops at the speed of
 * dsyrk; what is small (factor, inner problem) runs on one thread.
 */
#include <math.h>

#include "certificate/probes.h"
#include "pass/pass.h"
#include "plan/plan.h"

/* Units a stored entry costs in a gradient, in one that carries probes, and in a count sketch. */
static const struct {
    double gradient, probing, sketch;
} STORAGE[] = {
    [GPIS_STORED_ROWS] = {1.0, 1.4, 1.4},    [GPIS_STORED_COLUMNS] = {1.5, 2.8, 3.0},
    [GPIS_STORED_FLOATS] = {0.6, 1.1, 0.9},  [GPIS_STORED_SPARSE] = {3.0, 12.0, 18.0},
    [GPIS_STORED_NOWHERE] = {2.0, 2.4, 2.4},
};

static const double BY_WINDOWS = 1.2;       /* units: a cached file read by windows, against one in memory */
static const double START_OF_A_PASS = 2e-5; /* seconds: threads, sums of the strips */
static const double PAIR = 1.5; /* units: a pair of entries of a sparse row in A'A, while that is in cache */
static const double PAIR_OUT_OF_CACHE = 8.0;
static const double COLUMNS_IN_CACHE = 512.0;
static const double COARSE = 0.6;     /* a Gram matrix in single precision, against double */
static const double DRAW = 4e-7;      /* seconds: the number of a sampled row, on one thread */
static const double SCATTERED = 3.0;  /* units: an entry of a row that is read by itself, and copied */
static const double COLLECTED = 24.0; /* doubles read in the time that an entry of a sample's H takes: all new memory */
static const double FACTOR_SPEED = 0.6;    /* of dsyrk on one thread */
static const double GRADIENT_SPEED = 0.15; /* products of H with a vector, on one thread */
static const double LATENCY = 2e-5;        /* seconds: a message between ranks */
static const double NETWORK = 1e9;         /* bytes a second */
static const double INNER_START = 200.0;   /* steps of an inner problem without faces, from nothing */
static const double INNER_STEPS = 60.0;    /* and each round */
static const double FACES = 20.0;          /* that the inner problem of a round visits there */
static const double FREE = 0.25;           /* the share of columns that are, or may be, free on a face */

/* The machine as so many threads see it. */
typedef struct speed {
    double unit;  /* seconds for an entry of a dense gradient pass */
    double copy;  /* seconds for a double of a plain read */
    double flops; /* of dsyrk, a second */
    double one;   /* the same on one thread */
    double disk;  /* seconds for a byte of it */
} speed;

static speed speed_of(const gpis_machine *machine, int threads) {
    const double one = machine->syrk_flops / machine->threads, share = fmin(1.0, (double)threads / machine->threads);
    return (speed){.unit = 8.0 / (machine->gradient_bytes * share),
                   .copy = 8.0 / (machine->read_bytes * share),
                   .flops = one * threads,
                   .one = one,
                   .disk = 1.0 / machine->disk_bytes};
}

/* A pass whose arithmetic takes so long. */
static double read_along(const gpis_workload *w, const speed *s, double seconds) {
    return fmax(w->windows ? BY_WINDOWS * seconds : seconds, w->disk * s->disk) + START_OF_A_PASS;
}

/* v vectors at once: the rows stay in cache after the first, until a matrix product is faster. */
static double several(const gpis_workload *w, const speed *s, double v) {
    const double one = w->entries * STORAGE[w->storage].gradient * s->unit;
    const double each = one * (0.4 + 0.6 * v), product = one + 4.0 * w->entries * v / s->flops;
    return w->storage == GPIS_STORED_SPARSE ? each : fmin(each, product);
}

/* A pass over ranks: the request, the points, who has failed, the sums; a message goes to all and back by a tree. */
static double talk(const gpis_workload *w, double numbers) {
    enum { EXCHANGES = 4 };
    if (w->ranks <= 1.0) return 0.0;
    return 2.0 * EXCHANGES * ceil(log2(w->ranks)) * LATENCY + 2.0 * 8.0 * numbers / NETWORK;
}

static double gradient_pass(const gpis_workload *w, const speed *s, bool probing) {
    const double talking = talk(w, 2.0 * w->d * (w->k + (probing ? GPIS_PROBES : 0.0)));
    const double plain = several(w, s, w->k);
    if (!probing) return read_along(w, s, plain) + talking;
    const double together = w->entries * STORAGE[w->storage].probing * s->unit;
    return read_along(w, s, w->k > 1.0 ? plain + several(w, s, GPIS_PROBES) : together) + talking;
}

static double dense_gram(double rows, double d, const speed *s) {
    return rows * d * d / s->flops + 2.0 * gpis_pass_gram_strips(rows, d) * d * d * s->copy;
}

/* Large ones are made in single precision (linalg/coarse.h). */
static double sketch_gram(const gpis_workload *w, double m, const speed *s) {
    const bool coarse = w->ranks <= 1.0 && m * w->d * w->d >= 1e9;
    return (coarse ? COARSE : 1.0) * dense_gram(m, w->d, s);
}
static double sparse_gram(const gpis_workload *w, double rows, const speed *s) {
    const double a_row = w->entries / w->n, pairs = 0.5 * rows * a_row * (a_row + 1.0);
    return pairs * (w->d <= COLUMNS_IN_CACHE ? PAIR : PAIR_OUT_OF_CACHE) * s->unit +
           2.0 * gpis_pass_gram_strips(rows, w->d) * w->d * w->d * s->copy;
}

static double gram_pass(const gpis_workload *w, const speed *s) {
    const double read = w->entries * STORAGE[w->storage].gradient * s->unit, talking = talk(w, 0.5 * w->d * w->d);
    if (w->storage != GPIS_STORED_SPARSE) return read_along(w, s, read + dense_gram(w->n, w->d, s)) + talking;
    return read_along(w, s, read + sparse_gram(w, w->n, s)) + talking;
}

/* The Gram matrix of m sampled rows. */
static double sampled_gram(const gpis_workload *w, const speed *s, double m) {
    const double entries = w->entries * m / w->n;
    const double rows = m * DRAW * s->one / s->flops + entries * (SCATTERED + 1.0) * s->unit;
    const double square = COLLECTED * w->d * w->d * s->copy;
    return rows + square + (w->storage == GPIS_STORED_SPARSE ? sparse_gram(w, m, s) : dense_gram(m, w->d, s)) +
           START_OF_A_PASS;
}

/* The count sketch is measured; of the others their arithmetic is known. */
static double sketch_pass(const gpis_workload *w, const speed *s, double m) {
    const double count = STORAGE[w->storage].sketch, gradient = STORAGE[w->storage].gradient;
    const double others = gradient * w->sketch->cost((int64_t)w->n, (int64_t)w->d, (int64_t)m);
    const double rows = read_along(w, s, w->entries * fmax(count, others) * s->unit);
    if (w->ranks <= 1.0) return rows;
    /* ranks that share a leaf of the sums (tree.h) wait for each other; nodes go up a tree */
    const double waiting = fmin(w->ranks, 1.0 + w->ranks * (double)gpis_tree_leaf((int64_t)w->n, (int64_t)m) / w->n);
    return rows * waiting + talk(w, 0.0) + (2.0 + log2(w->ranks)) * 8.0 * m * w->d / NETWORK;
}

/* The inner problems of so many rounds, the first from nothing. */
static double inner_flops(const gpis_workload *w, double rounds) {
    const double cube = w->d * w->d * w->d / 3.0, square = w->d * w->d * w->k;
    switch (w->inner) {
    case GPIS_INNER_BY_FACTOR: return 8.0 * square * rounds;
    case GPIS_INNER_BY_FACES:
        if (w->face) return w->k * (cube * FREE * FREE + FACES * 2.0 * square) * rounds; /* most entries are not free */
        return w->k * cube * (2.0 + 0.25 * rounds);
    default: return 2.0 * square * (INNER_START + INNER_STEPS * rounds);
    }
}

static double inner_seconds(const gpis_workload *w, const speed *s, double rounds) {
    const double slow = w->inner == GPIS_INNER_BY_FACES ? FACTOR_SPEED : GRADIENT_SPEED;
    return inner_flops(w, rounds) / (slow * s->one);
}

static gpis_effort by_gram(const gpis_workload *w, const speed *s) {
    const gpis_effort work = {.passes = gpis_passes_gram(), .flops = w->entries * w->entries / w->n};
    return (gpis_effort){.passes = work.passes,
                         .flops = work.flops,
                         .seconds = gram_pass(w, s) + ((double)work.passes - 1.0) * gradient_pass(w, s, false)};
}

/* One pass is that of the sketch, or of the Gram matrix; a sample has none. */
static double gradients_of(const gpis_workload *w, double m, int64_t passes) {
    return (double)passes - (m > 0.0 && gpis_workload_samples(w) ? 0.0 : 1.0);
}

/* What follows the sketch, until probes have made the bound good enough. */
static gpis_effort by_probes(const gpis_workload *w, const speed *s, double m) {
    const int64_t passes = gpis_passes_sketch(w, m);
    const double gradients = gradients_of(w, m, passes), probing = w->probing ? gradients : 0.0;
    return (gpis_effort){.passes = passes,
                         .flops = 4.0 * w->entries * GPIS_PROBES * probing,
                         .seconds = gradients * gradient_pass(w, s, w->probing) +
                                    probing * 4.0 * GPIS_PROBES * w->d * w->d / (GRADIENT_SPEED * s->one)};
}

/* What follows the sketch, where the rounds end on a face. */
static gpis_effort by_face(const gpis_workload *w, const speed *s, double m) {
    const int64_t passes = gpis_passes_face(w, m);
    const double share = FREE * FREE, gradients = gradients_of(w, m, passes);
    return (gpis_effort){.passes = passes,
                         .flops = share * w->entries * w->entries / w->n,
                         .seconds = gradients * gradient_pass(w, s, false) + share * gram_pass(w, s)};
}

gpis_effort gpis_cost_newton(const gpis_workload *w, const gpis_machine *machine, int threads, double m) {
    const speed s = speed_of(machine, threads);
    const double square = w->d * w->d, factor = 2.0 * square * w->d / 3.0;
    const bool sampling = m > 0.0 && gpis_workload_samples(w);
    gpis_effort work = m == 0.0 ? by_gram(w, &s) : w->face ? by_face(w, &s, m) : by_probes(w, &s, m);
    const double gradients = gradients_of(w, m, work.passes), rounds = m > 0.0 ? gradients : 1.0;
    work.otherwise = work.seconds;
    if (m > 0.0 && w->face) /* probes, or the Gram matrix after all */
        work.otherwise = fmin(by_probes(w, &s, m).seconds, work.seconds + by_gram(w, &s).seconds);
    double always = factor / (FACTOR_SPEED * s.one) + inner_seconds(w, &s, rounds);
    work.flops += 4.0 * w->entries * w->k * gradients + factor + inner_flops(w, rounds);
    if (m > 0.0) {
        const double a_row = w->entries / w->n;
        work.sketches = 1;
        work.flops += sampling ? m * a_row * a_row : 2.0 * w->entries + m * square;
        always += sampling ? sampled_gram(w, &s, m) : sketch_pass(w, &s, m) + sketch_gram(w, m, &s);
    }
    work.seconds += always;
    work.otherwise += always;
    return work;
}

/* A step also needs ||A p||^2 for its line search. */
gpis_effort gpis_cost_apgd(const gpis_workload *w, const gpis_machine *machine, int threads) {
    const speed s = speed_of(machine, threads);
    const double passes = (double)gpis_passes_gradient(w);
    return (gpis_effort){.passes = (int64_t)passes,
                         .flops = 6.0 * w->entries * w->k * passes,
                         .seconds = passes * 1.3 * gradient_pass(w, &s, false),
                         .otherwise = passes * 1.3 * gradient_pass(w, &s, false)};
}
