/*
 * The paper's factors for a Gaussian sketch of m rows, and the rates made of them. With w = sqrt(d):
 *
 *     Proposition 1   alpha <= 1 - (mu/L) (b_m - w - theta)^2 / (b_m + w + theta)^2
 *     Proposition 2   rho   <= m / (b_m - W - theta)^2  (sqrt(2) b_m (W + theta)/m + |b_m^2/m - 1|)
 *     Proposition 3   sigma <= (b_m + w + theta)^2 / (b_m - w - theta)^2
 *     Theorem 1       a round of k iterations:  alpha^k (1 + rho) sqrt(L/mu) + rho
 *     Theorem 2       last term, corrected:     sqrt(beta sigma/k) / (1 - rho)
 *     Theorem 3       the same:                 2 sqrt(beta sigma) / ((k + 1)(1 - rho))
 *
 * A bound in which b_m - w - theta or b_m - W - theta is not positive is vacuous, even though its square is
 * positive. No factor depends on the scale of S, except the step: the paper's S is sqrt(m) times ours, so our step is m
 * times its step. docs/maths/theory.md derives the direct bound on rho, the corrections and the line-search form of
 * alpha.
 */
#include <math.h>

#include "base/sized.h"
#include "theory/theory.h"

gpis_status gpis_bounds_init(gpis_bounds_problem *problem, size_t size) {
    const gpis_bounds_problem usual = {.size = sizeof usual,
                                       .cond = 1,
                                       .width = INFINITY,
                                       .theta = 7.5,
                                       .gamma_u = 1,
                                       .tol = 1e-5,
                                       .sketch_cost = 0.25};
    return gpis_sized_init(problem, size, &usual, sizeof usual);
}

gpis_status gpis_theory_take(gpis_context *context, const gpis_bounds_problem *given, gpis_bounds_problem *out) {
    *out = gpis_bounds_default();
    if (!given) return gpis_fail(context, GPIS_BAD_ARGUMENT, "bounds are made for a problem, and none is given");
    return gpis_sized_take(context, "the terms of a bound", "gpis_bounds_init", given, out, sizeof *out);
}

double gpis_theory_mean_length(int64_t m) {
    const double x = (double)m;
    if (m < 256) return sqrt(2) * tgamma((x + 1) / 2) / tgamma(x / 2);
    /* For larger m Gamma overflows, and a difference of its logarithms cancels; this series is accurate to 1e-16. */
    const double r = 1 / x;
    return sqrt(x) * (1 - r * (1.0 / 4 - r * (1.0 / 32 + r * (5.0 / 128 - r * (21.0 / 2048 + r * 399.0 / 8192)))));
}

/* The probability that nothing fails; 0 where the bound on it is vacuous. */
static double chance(double failures) { return fmax(0, 1 - failures); }

/* Proposition 2 as printed: the sup in rho by polarisation, v'Mz = ((v+z)'M(v+z) - (v-z)'M(v-z)) / 4. */
static double rho_printed(double m, double b, double W, double theta) {
    const double low = b - W - theta;
    if (low <= 0) return INFINITY;
    return (sqrt(2) * b * (W + theta) + fabs(b * b - m)) / (low * low);
}

/* With v = c z + w, w orthogonal to z: m v'(S'S - I)z = c (|Gz|^2 - m) + |Gz| h'w, where G = sqrt(m) S, and h =
 * G'Gz/|Gz| off z is standard normal and independent of |Gz|, which lies in b_m +- theta. */
static double rho_direct(double m, double b, double W, double theta) {
    const double low = b - W - theta, longest = b + theta, shortest = b - theta;
    if (low <= 0) return INFINITY;
    const double along = fmax(fabs(longest * longest - m), fabs(m - shortest * shortest));
    return (along + longest * (W + theta)) / (low * low);
}

/* The least that an inner iteration gains: q = eta mu_S with eta >= 1/(beta L_S). */
static double inner_gain(const gpis_bounds_problem *p, const gpis_bounds *b) {
    return 1 / (p->gamma_u * p->cond * b->sigma);
}

double gpis_theory_log_alpha(const gpis_bounds_problem *p, const gpis_bounds *b) {
    const double q = inner_gain(p, b);
    return p->gamma_u > 1 ? (log1p(-q) - log1p(q)) / 2 : log1p(-q);
}

double gpis_theory_rho(const gpis_bounds_problem *p, const gpis_bounds *b) {
    return p->direct ? b->rho_direct : b->rho;
}

static void compute_factors(const gpis_bounds_problem *p, gpis_bounds *out) {
    const double m = (double)p->m, root = sqrt((double)p->d), theta = p->theta;
    const double tail = exp(-theta * theta / 2), printed_tail = 8 * exp(-theta * theta / 8);
    out->b = gpis_theory_mean_length(p->m);
    out->width = fmin(p->width, root);
    const double low = out->b - root - theta, high = out->b + root + theta;
    out->step = m / (high * high);
    out->sigma = low > 0 ? (high / low) * (high / low) : INFINITY;
    out->sigma_probability = chance(2 * tail);
    out->alpha_gap = -expm1(gpis_theory_log_alpha(p, out));
    out->alpha = 1 - out->alpha_gap;
    out->alpha_probability = chance(2 * tail);
    out->rho = rho_printed(m, out->b, out->width, theta);
    out->rho_probability = (1 - tail) * chance(printed_tail);
    out->rho_direct = rho_direct(m, out->b, out->width, theta);
    out->rho_direct_probability = chance(4 * tail);
    /* What may fail: both bounds on S over range(A), the lower one over A C, and the supremum in rho. */
    out->probability = chance(p->direct ? 6 * tail : 3 * tail + printed_tail);
}

static void compute_rates(const gpis_bounds_problem *p, gpis_bounds *out) {
    const double k = (double)p->inner, rho = gpis_theory_rho(p, out), log_alpha = gpis_theory_log_alpha(p, out);
    const bool exact = p->inner == 0, vacuous = !isfinite(rho) || !isfinite(out->sigma);
    const double spread = sqrt(p->gamma_u * out->sigma), back = (1 + rho) * sqrt(p->cond);
    out->round_gpis = out->round_acc = out->floor_gpis = out->floor_acc = INFINITY;
    if (vacuous) return;
    out->round_gpis = rho + (exact ? 0 : exp(k * log_alpha) * back);
    out->round_acc = rho + (exact ? 0 : 2 * spread / (k + 1) * back);
    if (rho >= 1) return;
    out->floor_gpis = exact ? 0 : spread / sqrt(k) / (1 - rho);
    out->floor_acc = exact ? 0 : 2 * spread / (k + 1) / (1 - rho);
}

static gpis_status check(gpis_context *context, const gpis_bounds_problem *p) {
    if (p->m < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch has at least 1 row, not m = %lld", (long long)p->m);
    if (p->d < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "A has at least 1 column, not d = %lld", (long long)p->d);
    if (!(p->cond >= 1))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "L/mu is at least 1 (infinite when mu = 0), not %g", p->cond);
    if (!(p->width >= 0)) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a width is at least 0, not %g", p->width);
    if (!(p->theta >= 0 && isfinite(p->theta)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "theta is a number from 0 up, not %g", p->theta);
    if (!(p->gamma_u >= 1 && isfinite(p->gamma_u)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "gamma_u is 1 (fixed steps) or more, not %g", p->gamma_u);
    if (p->inner < 0)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "inner iterations are at least 1 (0: exact), not %lld",
                         (long long)p->inner);
    return GPIS_OK;
}

gpis_status gpis_bounds_compute(gpis_context *context, const gpis_bounds_problem *problem, gpis_bounds *out) {
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the bounds");
    gpis_bounds_problem taken;
    gpis_status status = gpis_theory_take(context, problem, &taken);
    if (status == GPIS_OK) status = check(context, &taken);
    if (status != GPIS_OK) return status;
    compute_factors(&taken, out);
    compute_rates(&taken, out);
    return GPIS_OK;
}

gpis_status gpis_bounds_width_l1(gpis_context *context, int64_t d, int64_t s, double *width) {
    if (!context || !width) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the width");
    if (d < 1 || s < 1 || s > d)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the nonzeros of x are from 1 to d = %lld, not %lld", (long long)d,
                         (long long)s);
    const double x = (double)s;
    *width = sqrt(fmin((double)d, 2 * x * log((double)d / x) + 1.25 * x));
    return GPIS_OK;
}

gpis_status gpis_bounds_theta(gpis_context *context, double delta, int direct, double *theta) {
    if (!context || !theta) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put theta");
    if (!(delta > 0 && delta < 1))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "delta lies between 0 and 1, not %g", delta);
    if (direct) {
        *theta = sqrt(2 * log(6 / delta));
        return GPIS_OK;
    }
    /* 8 u + 3 u^4 = delta for u = exp(-theta^2/8): convex and increasing, so Newton from above falls on the root. */
    double u = delta / 8;
    for (int i = 0; i < 50; i++) u -= (8 * u + 3 * pow(u, 4) - delta) / (8 + 12 * pow(u, 3));
    *theta = sqrt(-8 * log(u));
    return GPIS_OK;
}
