/* Complementary multipliers for bounds and a sum. */
#include "certificate/complementary.h"

#include <math.h>

#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "set/polyhedron.h"

static const double AT_LIMIT = 1e-12; /* a sum that is nearer to R than this share of it has reached R */

/* One column: entries i * stride of each array. */
typedef struct column {
    const gpis_set *set; /* its bounds and its sum */
    int64_t stride;
    const double *x, *low; /* x + low is the point; low is NULL where x is exact */
    const double *s;
    double *l;
} column;

static bool is_of_sizes(const gpis_set *set) { return set->sum == GPIS_SUM_OF_SIZES_WITHIN; }

static bool is_free(const gpis_set *set, int64_t i, double s) {
    double lo, hi;
    set->class->bounds(set, i, &lo, &hi);
    return is_of_sizes(set) ? s != 0.0 : s > lo && s < hi;
}

/* The sum has reached R, so that its multiplier need not be 0. */
static bool is_at_limit(const column *c) {
    double sum = 0.0;
    for (int64_t i = 0; i < c->set->d; i++) {
        const double s = c->s[i * c->stride];
        sum += is_of_sizes(c->set) ? fabs(s) : s;
    }
    if (c->set->sum == GPIS_SUM_ANY) return false;
    return c->set->sum == GPIS_SUM_IS_R || sum >= (1.0 - AT_LIMIT) * c->set->R;
}

/* The multiplier of the sum: the mean of l over the free entries or, where there are none, the least that the others
 * allow. */
static double find_lambda(const column *c) {
    const gpis_set *set = c->set;
    double mean = 0.0, most = is_of_sizes(set) || set->sum == GPIS_SUM_AT_MOST_R ? 0.0 : -INFINITY;
    int64_t count = 0;
    if (!is_at_limit(c)) return 0.0;
    for (int64_t i = 0; i < set->d; i++) {
        const double l = c->l[i * c->stride], s = c->s[i * c->stride];
        most = fmax(most, is_of_sizes(set) ? fabs(l) : l);
        if (!is_free(set, i, s)) continue;
        mean += is_of_sizes(set) && s < 0.0 ? -l : l;
        count++;
    }
    const double lambda = count > 0 ? mean / (double)count : most;
    return set->sum == GPIS_SUM_IS_R ? lambda : fmax(0.0, lambda);
}

/* lambda (R - sum), from above. The sum is that of compensated arithmetic. */
static double beyond_limit(const column *c, double lambda) {
    if (lambda == 0.0) return 0.0;
    gpis_sum rest = {c->set->R, 0.0};
    double terms = c->set->R;
    for (int64_t i = 0; i < c->set->d; i++) {
        const double x = c->x[i * c->stride], low = c->low ? c->low[i * c->stride] : 0.0;
        const double sign = is_of_sizes(c->set) && x < 0.0 ? 1.0 : -1.0;
        gpis_sum_add(&rest, sign * x);
        gpis_sum_add(&rest, sign * low);
        terms += fabs(x);
    }
    const double error = 8.0 * (double)c->set->d * GPIS_UNIT * GPIS_UNIT * terms;
    const double value = gpis_sum_value(rest);
    return lambda * value + fabs(lambda) * (error + 2.0 * GPIS_UNIT * fabs(value));
}

/* Makes l complementary and returns the bound on <l, z - x>, but for beyond_limit. All terms are >= 0 for x in K. */
static double clean_bounds(const column *c, double lambda) {
    double linear = 0.0;
    for (int64_t i = 0; i < c->set->d; i++) {
        const double x = c->x[i * c->stride], s = c->s[i * c->stride];
        double *l = &c->l[i * c->stride], lo, hi;
        c->set->class->bounds(c->set, i, &lo, &hi);
        const double wall = *l > lambda ? hi : lo;
        if (s != wall) *l = lambda;
        if (*l != lambda) linear += (*l - lambda) * (wall - x);
    }
    return linear;
}

static double clean_sizes(const column *c, double lambda) {
    double linear = 0.0;
    for (int64_t i = 0; i < c->set->d; i++) {
        const double x = c->x[i * c->stride], s = c->s[i * c->stride];
        double *l = &c->l[i * c->stride];
        *l = s > 0.0 ? lambda : s < 0.0 ? -lambda : fmax(-lambda, fmin(lambda, *l));
        linear += x > 0.0 ? (lambda - *l) * x : (-lambda - *l) * x;
    }
    return linear;
}

/* Makes l complementary. Returns the bound on <l, z - x>. */
static double clean(const column *c) {
    const double lambda = find_lambda(c);
    const double linear = is_of_sizes(c->set) ? clean_sizes(c, lambda) : clean_bounds(c, lambda);
    const double limit = beyond_limit(c, lambda);
    return linear + limit + ((double)c->set->d + 8.0) * GPIS_UNIT * (fabs(linear) + fabs(limit));
}

/* ---- in terms of jumps ---- */

/* The same for a set of jumps x_j - x_(j-1), in which x_1 is not constrained: <l, z - x> is the sum of L_j times the
 * jumps, L_j = l_j + ... + l_d, where L_1 must be 0. `work` has 4 d entries. The l that is left is
 * l + l_low exactly. */
static double clean_jumps(const gpis_set *set, const double *x, const double *s, double *l, double *l_low,
                          double *work) {
    const int64_t d = set->d, k = set->k;
    double *jumps = work, *low = work + d, *steps = work + 2 * d, *L = work + 3 * d, sum = 0.0;
    for (int64_t j = d - 1; j > 0; j--) {
        L[j] = sum += l[j * k];
        jumps[j] = x[j * k];
        low[j] = gpis_two_sum(&jumps[j], -x[(j - 1) * k]);
        steps[j] = s[j * k] - s[(j - 1) * k];
    }
    const double linear = clean(&(column){set->inside, 1, jumps + 1, low + 1, steps + 1, L + 1});
    for (int64_t j = 0; j < d; j++) {
        l[j * k] = j > 0 ? L[j] : 0.0;
        l_low[j * k] = j + 1 < d ? gpis_two_sum(&l[j * k], -L[j + 1]) : 0.0;
    }
    return linear;
}

/* ---- in a ball ---- */

/* ||x||_2 <= R: l is made lambda x, lambda >= 0, and <l, z - x> <= lambda ||x|| (R - ||x||). With R^2 - ||x||^2 as a
 * compensated sum, whose products are exact in two doubles, that is lambda ||x|| (R^2 - ||x||^2) / (R + ||x||). */
static double clean_ball(const gpis_set *set, const double *x, double *l, double *l_low) {
    const int64_t d = set->d, k = set->k;
    gpis_sum rest = {0};
    double along = 0.0, square = 0.0;
    for (int64_t i = 0; i < d; i++) {
        along += l[i * k] * x[i * k];
        square += x[i * k] * x[i * k];
    }
    const double norm = sqrt(square), at_limit = (1.0 - AT_LIMIT) * set->R;
    const double lambda = norm >= at_limit && square > 0.0 ? fmax(0.0, along / square) : 0.0;
    for (int64_t i = 0; i <= d; i++) {
        const double factor = i < d ? x[i * k] : set->R, product = factor * factor, sign = i < d ? -1.0 : 1.0;
        gpis_sum_add(&rest, sign * product);
        gpis_sum_add(&rest, sign * fma(factor, factor, -product));
        if (i == d) continue;
        l[i * k] = lambda * x[i * k];
        l_low[i * k] = fma(lambda, x[i * k], -l[i * k]);
    }
    if (lambda == 0.0) return 0.0;
    const double error = 8.0 * ((double)d + 1.0) * GPIS_UNIT * GPIS_UNIT * (square + set->R * set->R);
    const double value = gpis_sum_value(rest), share = norm / (set->R + norm);
    return lambda * share * (value + error + ((double)d + 16.0) * GPIS_UNIT * fabs(value));
}

/* ---- rows and weighted sums ---- */

static gpis_status clean_polyhedron(gpis_set *set, const gpis_point *point, const double *s, double *l, double *l_low,
                                    double *linear, double *lost) {
    const int64_t d = set->d, k = set->k;
    double *work = gpis_alloc(set->context, 4 * d, sizeof *work), part, off, total = 0.0;
    gpis_status status = work ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t c = 0; c < k && status == GPIS_OK; c++) {
        for (int64_t j = 0; j < d; j++) {
            work[j] = point->x[j * k + c];
            work[d + j] = s[j * k + c];
            work[2 * d + j] = l[j * k + c];
        }
        status = gpis_polyhedron_complementary(set, work, work + d, work + 2 * d, work + 3 * d, &part, &off);
        for (int64_t j = 0; j < d && status == GPIS_OK; j++) {
            l[j * k + c] = work[2 * d + j];
            l_low[j * k + c] = work[3 * d + j];
        }
        total += part;
        *lost = hypot(*lost, off);
    }
    gpis_free(set->context, work);
    if (status == GPIS_OK && !isnan(total)) *linear = total + (double)k * GPIS_UNIT * fabs(total);
    return status;
}

/* ---- which sets ---- */

/* Bounds of single entries beside a sum of sizes are not covered; without a sum, certificate.c has the same. */
static bool has_sum(const gpis_set *set) {
    if (!set->class->bounds || set->matrix) return false;
    for (int64_t i = 0; is_of_sizes(set) && i < set->d; i++) {
        double lo, hi;
        set->class->bounds(set, i, &lo, &hi);
        if (isfinite(lo) || isfinite(hi)) return false;
    }
    return true;
}

/* K is a set of jumps: the first entry is loose, and the others are as above. */
static bool is_of_jumps(const gpis_set *set) {
    return set->inside && set->loose == 1 && set->d > 1 && has_sum(set->inside);
}

bool gpis_complementary_applies(const gpis_set *set) {
    if (set->penalty || set->polyhedron) return set->polyhedron != NULL;
    return is_of_jumps(set) || set->shape == GPIS_SHAPE_BALL || (has_sum(set) && set->sum != GPIS_SUM_ANY);
}

gpis_status gpis_complementary_clean(gpis_set *set, const gpis_point *point, const double *s, double *l, double *l_low,
                                     double *linear, double *lost) {
    const bool jumps = is_of_jumps(set), ball = set->shape == GPIS_SHAPE_BALL;
    double *work = NULL, sum = 0.0;
    *linear = INFINITY;
    *lost = 0.0;
    if (set->polyhedron) return clean_polyhedron(set, point, s, l, l_low, linear, lost);
    if (jumps && !(work = gpis_alloc(set->context, 4 * set->d, sizeof *work))) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < set->d * set->k; i++) l_low[i] = 0.0;
    for (int64_t j = 0; j < set->k; j++)
        sum += ball    ? clean_ball(set, point->x + j, l + j, l_low + j)
               : jumps ? clean_jumps(set, point->x + j, s + j, l + j, l_low + j, work)
                       : clean(&(column){set, set->k, point->x + j, NULL, s + j, l + j});
    gpis_free(set->context, work);
    if (!isnan(sum)) *linear = sum + (double)set->k * GPIS_UNIT * fabs(sum);
    return GPIS_OK;
}
