/*
 * The work that the rates promise. In epochs (one full gradient A'(A x - y)) a round costs
 *
 *     1 + c + k m/n         its gradient, its sketch, k inner iterations on the m rows of SA,
 *
 * and N rounds, each of contraction r(m, k), reach the tolerance when r^N <= tol. For given m and N the round must
 * contract by tol^(1/N). The sketch takes rho of that, and the rest, t = tol^(1/N) - rho, determines k:
 *
 *     GPIS       alpha^k (1 + rho) sqrt(L/mu) <= t                       (Theorem 1)
 *     Acc-GPIS   2 (1 + rho) sqrt(beta sigma L/mu) / (k + 1) <= t        (Theorem 3)
 *
 * where the second uses R <= (1 + rho)^2 |x - x*|_A^2 / mu.
 *
 * What is left is a search over N, and over m: the paper's sweet spot.
 */
#include <math.h>

#include "theory/theory.h"

/* A problem whose work is asked for. */
typedef struct forecast {
    gpis_context *context; /* borrowed */
    gpis_bounds_problem problem;
    gpis_bounds bounds; /* of problem.m, with inner problems solved exactly */
    bool accelerated;
} forecast;

static const gpis_work no_guarantee = {.epochs = INFINITY, .contraction = INFINITY};

typedef double cost_fn(forecast *p, int64_t at);

/* The index of the least cost among the points at[0 .. count - 1]. */
static int64_t cheapest(const int64_t *at, int64_t count, cost_fn *cost, forecast *p) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        const double price = cost(p, at[i]);
        if (price < least) least = price, best = i;
    }
    return best;
}

/* The whole number from low to high at which `cost` is least: takes the best point of a geometric grid, then a finer
 * grid of the cells beside it, and so on. Exact if the cost has one valley; where rounding up to whole rounds makes
 * small ripples, as good as those are small. */
static int64_t search(int64_t low, int64_t high, cost_fn *cost, forecast *p) {
    enum { CELLS = 64 };
    int64_t grid[CELLS + 1];
    while (high - low > CELLS) {
        const double ratio = pow((double)high / (double)low, 1.0 / CELLS), first = (double)low;
        grid[0] = low;
        for (int i = 1; i < CELLS; i++) grid[i] = gpis_max64(grid[i - 1] + 1, (int64_t)(first * pow(ratio, i)));
        grid[CELLS] = high;
        const int64_t best = cheapest(grid, CELLS + 1, cost, p);
        low = grid[gpis_max64(best - 1, 0)];
        high = grid[gpis_min64(best + 1, CELLS)];
    }
    const int64_t count = high - low + 1;
    for (int64_t i = 0; i < count; i++) grid[i] = low + i;
    return grid[cheapest(grid, count, cost, p)];
}

/* The iterations that a round needs to contract by rho + t. */
static double inner_needed(const forecast *p, double rho, double t) {
    const double back = (1 + rho) * sqrt(p->problem.cond);
    const double k = p->accelerated ? 2 * sqrt(p->problem.gamma_u * p->bounds.sigma) * back / t - 1
                                    : log(back / t) / -gpis_theory_log_alpha(&p->problem, &p->bounds);
    return fmax(1, ceil(k));
}

static double round_cost(const forecast *p, double k) {
    return 1 + p->problem.sketch_cost + k * (double)p->problem.m / (double)p->problem.n;
}

static double cost_of_rounds(forecast *p, int64_t rounds) {
    const double N = (double)rounds, rho = gpis_theory_rho(&p->problem, &p->bounds);
    const double t = exp(log(p->problem.tol) / N) - rho;
    /* With the fewest rounds t may round to 0. */
    return t > 0 ? N * round_cost(p, inner_needed(p, rho, t)) : INFINITY;
}

/* More rounds or iterations than this nobody runs: they are no guarantee. It also keeps them within an int64_t. */
static const double MAX_STEPS = 1e15;

/* The best number of rounds, and of inner iterations for it. Once the inner loop may leave half of 1 - rho in each
 * round, more rounds hardly save iterations; the search goes to four times as many. */
static gpis_work best_rounds(forecast *p) {
    const double rho = gpis_theory_rho(&p->problem, &p->bounds), goal = log(p->problem.tol);
    if (rho >= 1) return no_guarantee;
    const double fewest = goal / log(rho), most = 4 * goal / log((1 + rho) / 2) + 8;
    if (!(most >= 1 && most <= MAX_STEPS)) return no_guarantee;
    gpis_work work = no_guarantee;
    work.rounds = search((int64_t)fewest + 1, (int64_t)most, cost_of_rounds, p);
    const double k = inner_needed(p, rho, exp(goal / (double)work.rounds) - rho);
    if (!(k <= MAX_STEPS)) return no_guarantee;
    work.inner = (int64_t)k;
    work.epochs = (double)work.rounds * round_cost(p, k);
    return work;
}

/* The rounds that a given number of inner iterations needs. */
static gpis_work given_inner(const forecast *p) {
    const double contraction = p->accelerated ? p->bounds.round_acc : p->bounds.round_gpis;
    if (contraction >= 1) return no_guarantee;
    const double rounds = fmax(1, ceil(log(p->problem.tol) / log(contraction)));
    if (!(rounds <= MAX_STEPS)) return no_guarantee;
    gpis_work work = no_guarantee;
    work.rounds = (int64_t)rounds;
    work.inner = p->problem.inner;
    work.epochs = rounds * round_cost(p, (double)work.inner);
    return work;
}

static gpis_work work_of(forecast *p, int64_t m) {
    p->problem.m = m;
    gpis_bounds_compute(p->context, &p->problem, &p->bounds); /* checked before */
    if (!isfinite(p->bounds.sigma) || !isfinite(p->problem.cond)) return no_guarantee;
    gpis_work work = p->problem.inner > 0 ? given_inner(p) : best_rounds(p);
    if (work.rounds > 0) work.m = m;
    return work;
}

static double cost_of_m(forecast *p, int64_t m) { return work_of(p, m).epochs; }

/* Fills in the contraction of a round and the probability of all rounds together, once their numbers are chosen. */
static gpis_work complete(const forecast *p, gpis_work work) {
    if (work.rounds == 0) return work;
    gpis_bounds_problem problem = p->problem;
    gpis_bounds bounds;
    problem.m = work.m;
    problem.inner = work.inner;
    gpis_bounds_compute(p->context, &problem, &bounds);
    work.contraction = p->accelerated ? bounds.round_acc : bounds.round_gpis;
    work.probability = fmax(0, 1 - (double)work.rounds * (1 - bounds.probability));
    return work;
}

static gpis_status start(gpis_context *context, const gpis_bounds_problem *problem, int accelerated, forecast *p) {
    *p = (forecast){.context = context, .problem = *problem, .accelerated = accelerated != 0};
    if (problem->n < 1 || problem->m > problem->n || problem->d > problem->n)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "to predict work, n must be at least d and m, not %lld",
                         (long long)problem->n);
    if (!(problem->tol > 0 && problem->tol < 1))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the tolerance lies between 0 and 1, not %g", problem->tol);
    if (!(problem->sketch_cost >= 0 && isfinite(problem->sketch_cost)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch costs 0 epochs or more, not %g", problem->sketch_cost);
    return gpis_bounds_compute(context, problem, &p->bounds);
}

gpis_status gpis_bounds_work(gpis_context *context, const gpis_bounds_problem *problem, int accelerated,
                             gpis_work *out) {
    forecast p;
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the work");
    gpis_bounds_problem taken;
    gpis_status status = gpis_theory_take(context, problem, &taken);
    if (status == GPIS_OK) status = start(context, &taken, accelerated, &p);
    if (status == GPIS_OK) *out = complete(&p, work_of(&p, taken.m));
    return status;
}

gpis_status gpis_bounds_advise(gpis_context *context, const gpis_bounds_problem *problem, int accelerated,
                               gpis_work *out) {
    forecast p;
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the advice");
    gpis_bounds_problem any;
    gpis_status status = gpis_theory_take(context, problem, &any);
    any.m = 1; /* the problem's own m is not asked for */
    if (status == GPIS_OK) status = start(context, &any, accelerated, &p);
    if (status != GPIS_OK) return status;
    const int64_t low = gpis_min64(any.d + 1, any.n);
    *out = complete(&p, work_of(&p, search(low, any.n, cost_of_m, &p)));
    return GPIS_OK;
}
