/*
 * What the parts of a solve take.
 *
 * A pass costs so much for each stored entry of A; how much depends on the storage, and was measured (constants.h).
 * Rows of a file that come from the disk take as long as the disk takes, if that is longer: more arithmetic for each of
 * them is free then. Products of matrices are counted in flops at the speed of dsyrk, on all threads; what is small
 * (the factor, the inner problem) runs on one thread.
 *
 * The constants below are not speeds of machines but properties of the code and of usual problems.
 */
#include "cost/cost.h"

#include <math.h>

#include "certificate/probes.h"
#include "linalg/gram_dd.h"
#include "pass/pass.h"

static const gpis_cost_constants *const C = &gpis_cost_measured; /* C for constants: they are in every formula */

/* A'A of so many columns takes 2 MB, about what the caches next to a core hold. */
static const double MAX_COLUMNS_IN_CACHE = 512.0;
/* So many bytes of A are in the last cache from one pass to the next, and of so many hardly any. It may be large, but
 * is shared with others. */
static const double ALL_IN_CACHE = 32e6, NONE_IN_CACHE = 192e6;
/* Columns that the kernel of linalg/gram.h takes with the usual instruction sets; with more it is dsyrk. */
static const double NARROW_COLUMNS = 384.0;
/* m d^2, the products of the Gram matrix of a sketch: with fewer, single precision is no faster (linalg/coarse.h). */
static const double MIN_PRODUCTS_FOR_SINGLE = 1e9;
/* Steps of an inner problem that is solved by gradients and alternating directions: of all rounds together, and more
 * for each round. Typical of the problems in docs/design, The inner problem. */
static const double FIRST_STEPS = 200.0, STEPS_PER_ROUND = 60.0;
/* The step and the bound of a round, in products of squares and vectors: triangular solves with one vector run at a few
 * tenths of the speed of a product with H. Measured with 1600 columns. */
static const double BOUND_FLOPS = 50.0;
/* Faces that the inner problem of a round visits, where few entries are free. */
static const double FACES_PER_ROUND = 20.0;
/* The walk over the faces of a polyhedron of d entries, r linear rows and sums: each face takes d^2 r flops to whiten
 * the rows and 2 d r^2 for their QR decomposition, by kernels of the kind that factors take. It visits so many faces at
 * first, and so many in a later round, which begins on the face where the last one has ended. Measured with 200 to 500
 * entries and 20 to 200 rows, some, most or none of which come into effect, with the Gram matrix and with a sketch of
 * 12 d rows. */
static const double FIRST_WALK_FACES = 10.0, WALK_FACES_PER_ROUND = 4.0;
/* Between ranks: seconds for a message, and bytes a second. Usual figures for a network of 10 Gbit/s; the bench, which
 * runs on one machine, could only measure its memory. */
static const double LATENCY = 2e-5, NETWORK_BYTES = 1e9;
/* Times that a message goes through all ranks in a pass: the request, the points, who has failed, the sums. */
static const double EXCHANGES_PER_PASS = 4.0;

gpis_speed gpis_speed_of(const gpis_machine *machine, int threads) {
    const double one = machine->syrk_flops / machine->threads, share = fmin(1.0, (double)threads / machine->threads);
    return (gpis_speed){.entry = 8.0 / (machine->gradient_bytes * share),
                        .copy = 8.0 / (machine->read_bytes * share),
                        .flops = one * threads,
                        .flops_of_1 = one,
                        .disk = 1.0 / machine->disk_bytes};
}

/* ---- passes ---------------------------------------------------------------------------------------------------------
 */

/* An entry of A, whatever is done with it in a pass over the rows. The part of A that the last cache holds costs less.
 */
static double entry_seconds(const gpis_workload *w, const gpis_speed *s) {
    if (w->windows || w->storage == GPIS_STORED_NOWHERE) return s->entry;
    const double bytes = 8.0 * w->entries;
    const double share = fmin(1.0, fmax(0.0, (NONE_IN_CACHE - bytes) / (NONE_IN_CACHE - ALL_IN_CACHE)));
    return s->entry * (1.0 - share * (1.0 - C->cached));
}

static double gradient_seconds(const gpis_workload *w, const gpis_speed *s) {
    return w->entries * C->storage[w->storage].gradient * entry_seconds(w, s);
}

/* A pass whose arithmetic takes so many seconds. Rows of a file are read ahead meanwhile, from the page cache or from
 * the disk: the slower of the two decides. */
static double read_along(const gpis_workload *w, const gpis_speed *s, double seconds) {
    const double reading = w->windows ? fmax(C->window * gradient_seconds(w, s), w->disk * s->disk) : 0.0;
    return fmax(seconds, reading) + C->pass_start;
}

/* Products with v vectors at once: the rows are in cache after the first, and with many a matrix product is faster. */
static double products_with(const gpis_workload *w, const gpis_speed *s, double v) {
    const double one = gradient_seconds(w, s);
    const double each = one * ((1.0 - C->next_vector) + C->next_vector * v);
    const double product = one + 4.0 * w->entries * v / s->flops;
    return w->storage == GPIS_STORED_SPARSE ? each : fmin(each, product);
}

/* What ranks say to each other in a pass with so many numbers in its sums. A message goes to all and back by a tree. */
static double talk(const gpis_workload *w, double numbers) {
    if (w->ranks <= 1.0) return 0.0;
    return 2.0 * EXCHANGES_PER_PASS * ceil(log2(w->ranks)) * LATENCY + 2.0 * 8.0 * numbers / NETWORK_BYTES;
}

double gpis_cost_gradient_pass(const gpis_workload *w, const gpis_speed *s, bool probing) {
    const double talking = talk(w, 2.0 * w->d * (w->k + (probing ? GPIS_PROBES : 0.0)));
    const double plain = products_with(w, s, w->k);
    if (!probing) return read_along(w, s, plain) + talking;
    const double together = w->entries * C->storage[w->storage].probing * entry_seconds(w, s);
    return read_along(w, s, w->k > 1.0 ? plain + products_with(w, s, GPIS_PROBES) : together) + talking;
}

/* Every strip of a Gram pass has a sum of its own, which is cleared and added up. */
static double strips_seconds(double rows, double d, const gpis_speed *s) {
    return 2.0 * gpis_pass_gram_strips(rows, d) * d * d * s->copy;
}

static double dense_gram(double rows, double d, const gpis_speed *s) {
    return (d <= NARROW_COLUMNS ? C->narrow_gram : 1.0) * rows * d * d / s->flops + strips_seconds(rows, d, s);
}

/* The quick summary has two numbers for each entry. Its strips are new memory, and are added up by pairs of numbers. */
static double summary_strips_seconds(double rows, double d, const gpis_speed *s) {
    return 2.0 * gpis_pass_quick_strips(rows, d) * d * d * (C->fresh + 2.0) * s->copy;
}

static double pair_entries(double d) { return d <= MAX_COLUMNS_IN_CACHE ? C->pair : C->pair_out_of_cache; }

static double sparse_gram(const gpis_workload *w, const gpis_speed *s, double rows) {
    const double a_row = w->entries / w->n, pairs = 0.5 * rows * a_row * (a_row + 1.0);
    return pairs * pair_entries(w->d) * s->entry + strips_seconds(rows, w->d, s);
}

double gpis_cost_gram_pass(const gpis_workload *w, const gpis_speed *s) {
    const bool sparse = w->storage == GPIS_STORED_SPARSE;
    double gram = sparse ? sparse_gram(w, s, w->n) : dense_gram(w->n, w->d, s);
    if (w->summary && !sparse) gram += summary_strips_seconds(w->n, w->d, s) - strips_seconds(w->n, w->d, s);
    return read_along(w, s, gradient_seconds(w, s) + gram) + talk(w, 0.5 * w->d * w->d);
}

/* The count sketch is measured; the arithmetic of the others is known. */
double gpis_cost_sketch_pass(const gpis_workload *w, const gpis_speed *s, double m) {
    const double count = C->storage[w->storage].sketch, gradient = C->storage[w->storage].gradient;
    const double others = gradient * w->sketch->cost((int64_t)w->n, (int64_t)w->d, (int64_t)m);
    const double bucket = m * w->d * C->fresh * s->copy; /* the rows of the sketch are new memory */
    const double rows = read_along(w, s, w->entries * fmax(count, others) * entry_seconds(w, s) + bucket);
    if (w->ranks <= 1.0) return rows;
    /* Ranks that share a leaf of the sums (sketch/tree.h) wait for each other, and the nodes go up a tree. */
    const double waiting = fmin(w->ranks, 1.0 + w->ranks * (double)gpis_tree_leaf((int64_t)w->n, (int64_t)m) / w->n);
    return rows * waiting + talk(w, 0.0) + (2.0 + log2(w->ranks)) * 8.0 * m * w->d / NETWORK_BYTES;
}

/* ---- after a pass ---------------------------------------------------------------------------------------------------
 */

bool gpis_cost_single_pays(double m, double d, double ranks) {
    return ranks <= 1.0 && m * d * d >= MIN_PRODUCTS_FOR_SINGLE;
}

double gpis_cost_sketch_gram(const gpis_workload *w, const gpis_speed *s, double m) {
    return (gpis_cost_single_pays(m, w->d, w->ranks) ? C->single_gram : 1.0) * dense_gram(m, w->d, s);
}

/* m sampled rows, copied. */
static double sampled_rows(const gpis_workload *w, const gpis_speed *s, double m) {
    return m * C->draw * s->flops_of_1 / s->flops + w->entries * m / w->n * C->scattered * s->entry;
}

/* With the gradient at a point. */
static double sample_gram(const gpis_workload *w, const gpis_speed *s, double m) {
    const bool sparse = w->storage == GPIS_STORED_SPARSE;
    const double square = (sparse ? C->sample_square : C->fresh) * w->d * w->d * s->copy;
    const double gram = sparse ? sparse_gram(w, s, m) : dense_gram(m, w->d, s);
    return w->entries * m / w->n * s->entry + square + gram + C->pass_start;
}

double gpis_cost_sample(const gpis_workload *w, const gpis_speed *s, double m) {
    return sampled_rows(w, s, m) + sample_gram(w, s, m);
}

double gpis_cost_sketch(const gpis_workload *w, const gpis_speed *s, double m) {
    if (gpis_workload_samples(w)) return gpis_cost_sample(w, s, m);
    return gpis_cost_sketch_pass(w, s, m) + gpis_cost_sketch_gram(w, s, m);
}

/* The factor takes d^3 / 3, and as much again is done with it. */
double gpis_cost_factor_flops(const gpis_workload *w) { return 2.0 * (w->d * w->d) * w->d / 3.0; }

/* Measured on AMD EPYC: 100 columns run at a sixth of the speed of 1000. */
double gpis_cost_lapack_share(double d) {
    static const double COLUMNS_AT_HALF_SPEED = 1000.0;
    return d / (d + COLUMNS_AT_HALF_SPEED);
}

double gpis_cost_factor(const gpis_workload *w, const gpis_speed *s) {
    return gpis_cost_factor_flops(w) / (C->factor_speed * gpis_cost_lapack_share(w->d) * s->flops_of_1);
}

double gpis_cost_probes(const gpis_workload *w, const gpis_speed *s, double rounds) {
    return rounds * 8.0 * GPIS_PROBES * w->d * w->d / (C->apply_speed * s->flops_of_1);
}

/* Flops of inner problems: of factors, and of products and triangular solves with a vector, which are slower. */
typedef struct inner_flops {
    double factors, vectors;
} inner_flops;

static double walked_faces(double rounds) { return FIRST_WALK_FACES + WALK_FACES_PER_ROUND * fmax(0.0, rounds - 1.0); }

static double face_flops(const gpis_workload *w) { return w->d * w->rows_of_set * (w->d + 2.0 * w->rows_of_set); }

static inner_flops flops_of_inner(const gpis_workload *w, double rounds) {
    const double cube = w->d * w->d * w->d / 3.0, square = w->d * w->d * w->k, share = GPIS_FEW_FREE_SHARE;
    switch (w->inner) {
    case GPIS_INNER_BY_FACTOR: return (inner_flops){.vectors = BOUND_FLOPS * square * rounds};
    case GPIS_INNER_BY_FACES: /* a factor of the free columns for each round, or at first of most columns, a few times
                               */
        if (!w->face)
            return (inner_flops){.factors = w->k * cube * (3.5 + 0.25 * rounds),
                                 .vectors = BOUND_FLOPS * square * rounds};
        return (inner_flops){.factors = w->k * cube * share * share * rounds,
                             .vectors = w->k * FACES_PER_ROUND * 2.0 * square * rounds};
    case GPIS_INNER_BY_WALK:
        return (inner_flops){.factors = w->k * (cube * rounds + walked_faces(rounds) * face_flops(w)),
                             .vectors = BOUND_FLOPS * square * rounds};
    default: return (inner_flops){.vectors = 2.0 * square * (FIRST_STEPS + STEPS_PER_ROUND * rounds)};
    }
}

double gpis_cost_inner_flops(const gpis_workload *w, double rounds) {
    const inner_flops flops = flops_of_inner(w, rounds);
    return flops.factors + flops.vectors;
}

double gpis_cost_inner(const gpis_workload *w, const gpis_speed *s, double rounds) {
    const inner_flops flops = flops_of_inner(w, rounds);
    return flops.factors / (C->factor_speed * gpis_cost_lapack_share(w->d) * s->flops_of_1) +
           flops.vectors / (C->apply_speed * s->flops_of_1);
}

/* So few rows cost at most a fortieth of the Gram matrix, or are as few as make a model at all; with more than 8 d the
 * rounds hardly become fewer. */
double gpis_look_rows(double n, double d) {
    static const double SHARE = 1.0 / 40.0, LEAST_PER_COLUMN = 2.0, MOST_PER_COLUMN = 8.0;
    return floor(fmin(fmax(SHARE * n, LEAST_PER_COLUMN * d), MOST_PER_COLUMN * d));
}

/* The rows of a look are in cache after the first step; before that there is another product with them, and after the
 * last there is none. */
double gpis_cost_look(const gpis_workload *w, const gpis_speed *s) {
    const double m = gpis_look_rows(w->n, w->d);
    gpis_workload rows = *w;
    rows.n = m;
    rows.entries = w->entries * m / w->n;
    return sampled_rows(w, s, m) + (GPIS_LOOK_STEPS + 0.5) * (gradient_seconds(&rows, s) + C->pass_start);
}

/* ---- within a run ---------------------------------------------------------------------------------------------------
 */

/* A look takes no pass, so it is cheaper than a sketch, and it is lost only if a sketch is needed after all. Of sparse
 * rows, samples are proposed by themselves. */
bool gpis_may_look(const gpis_workload *w) {
    static const double MAX_SHARE = 0.25; /* of the rows */
    return w->walls && w->at_hand && w->storage != GPIS_STORED_SPARSE && !w->sketch->of_rows &&
           gpis_look_rows(w->n, w->d) <= MAX_SHARE * w->n;
}

/* The arithmetic of a pair takes longer than in the Gram matrix, and so does the wait for memory if the summary is not
 * in cache: it has a high and a low part for each entry. */
static double summary_pair_entries(double columns) {
    return C->summary_pair * C->pair + 2.0 * (pair_entries(columns) - C->pair);
}

double gpis_cost_summary_ratio(const gpis_source *A, int64_t k) {
    const gpis_machine usual = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&usual, usual.threads);
    const double d = (double)A->d, both = d + (double)k, a_row = fmax(1.0, (double)A->nonzeros / (double)A->n);
    if (A->block_kind != GPIS_BLOCK_CSR)
        return 1.0 + C->summary * 2.0 * gpis_gram_dd_products(A->d + k) / (d * s.flops * s.entry);
    const double pairs = 0.5 * (a_row + (double)k) * (a_row + (double)k + 1.0);
    return 1.0 + summary_pair_entries(both) * pairs / (a_row * C->storage[GPIS_STORED_SPARSE].gradient);
}

/* The same problem with its rows in memory, on one rank; dense ones as doubles. */
static gpis_workload in_memory(gpis_workload w) {
    w.windows = false;
    w.disk = 0.0;
    w.ranks = 1.0;
    if (w.storage != GPIS_STORED_SPARSE) w.storage = GPIS_STORED_ROWS;
    return w;
}

gpis_prices gpis_prices_of(const gpis_workload *work, const gpis_speed *s, double m) {
    const gpis_workload here = in_memory(*work), *w = &here;
    const double unit = gpis_cost_gradient_pass(w, s, false), factor = gpis_cost_factor(w, s);
    const double inner = gpis_cost_inner(w, s, 1.0), next_inner = gpis_cost_inner(w, s, 2.0) - inner;
    const double probing = gpis_cost_gradient_pass(w, s, true) + gpis_cost_probes(w, s, 1.0) + next_inner;
    gpis_prices prices = {.gram = gpis_cost_gram_pass(w, s) / unit,
                          .finish = (factor + inner) / unit + gpis_gram_passes(w) - 1.0,
                          .probing = probing / unit};
    if (m == 0.0) return prices;
    prices.sketch = (gpis_cost_sketch(w, s, m) + factor) / unit;
    prices.look = gpis_may_look(w) ? gpis_cost_look(w, s) / unit : 0.0;
    return prices;
}

gpis_effort gpis_effort_of(int64_t passes, double flops, double seconds) {
    return (gpis_effort){.passes = passes, .flops = flops, .seconds = seconds, .few = seconds, .many = seconds};
}
