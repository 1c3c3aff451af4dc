/*
 * Multipliers of monotone and tv in double-double. With the partial sums P_j = l_1 + ... + l_j,
 *
 *     <l, x> = P_1 (x_1 - x_2) + ... + P_{d-1} (x_{d-1} - x_d) + P_d x_d,
 *
 * so both support functions are finite only if P_d = 0; then that of tv:R is R max |P_j|, and that of monotone is 0 if
 * all P_j >= 0. Differences of sums in double-double are such vectors almost exactly, whatever the sizes of their
 * entries. What a sum is too much is taken from the entry of the largest weight, where it costs least.
 */
#include <float.h>
#include <math.h>

#include "linalg/dd.h"
#include "set/kinds.h"
#include "set/multiplier.h"

static gpis_dd entry_of(const gpis_multiplier *m, int64_t j) { return (gpis_dd){m->l[j], m->l_low[j]}; }

static void set_entry(const gpis_multiplier *m, int64_t j, gpis_dd value) {
    m->l[j] = value.high;
    m->l_low[j] = value.low;
}

/* Makes the sum of entries [first, end) zero, but for an error of GPIS_DD_UNIT times their sizes for each of them. */
static void clear_sum(const gpis_multiplier *m, int64_t first, int64_t end) {
    gpis_dd sum = {0.0, 0.0};
    int64_t heaviest = first;
    for (int64_t j = first; j < end; j++) {
        sum = gpis_dd_add(sum, entry_of(m, j));
        if (m->weight[j] > m->weight[heaviest]) heaviest = j;
    }
    set_entry(m, heaviest, gpis_dd_subtract(entry_of(m, heaviest), sum));
}

/* A bound on the errors of the partial sums and of their differences, in the norm of l. */
static double slack_of(const gpis_set *s, const gpis_multiplier *m) {
    double size = 0.0;
    for (int64_t j = 0; j < s->d; j++) size += fabs(m->l[j]);
    return 4.0 * (double)s->d * GPIS_DD_UNIT * size;
}

gpis_status gpis_chain_tv(gpis_set *s, gpis_multiplier *m) {
    gpis_dd sum = {0.0, 0.0};
    double largest = 0.0;
    clear_sum(m, 0, s->d);
    for (int64_t j = 0; j + 1 < s->d; j++) {
        sum = gpis_dd_add(sum, entry_of(m, j));
        largest = fmax(largest, fabs(sum.high));
    }
    m->slack = slack_of(s, m);
    m->value = s->R * (largest * (1.0 + 8.0 * DBL_EPSILON) + m->slack);
    return GPIS_OK;
}

/* Neighbours are equal up to the rounding of other coordinates. Any P_j >= 0 makes a true bound; this decides only
 * which of them are worth keeping. */
static bool is_tie(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

/* Where m->at has no tie, P_j = 0; elsewhere a negative P_j becomes 0. Entries without weight are left as they are. */
gpis_status gpis_chain_monotone(gpis_set *s, gpis_multiplier *m) {
    const int64_t d = s->d;
    for (int64_t first = 0, end; first < d; first = end) {
        for (end = first + 1; end < d && is_tie(m->at[end - 1], m->at[end]); end++) continue;
        int64_t last = end - 1; /* the last entry with a weight */
        while (last > first && m->weight[last] == 0.0) last--;
        clear_sum(m, first, end);
        gpis_dd sum = {0.0, 0.0}, kept = {0.0, 0.0}; /* P_j as it comes, and as it is kept */
        for (int64_t j = first; j < end; j++) {
            const gpis_dd before = kept;
            sum = gpis_dd_add(sum, entry_of(m, j));
            kept = j < last && sum.high > 0.0 ? sum : gpis_dd_of(0.0);
            set_entry(m, j, gpis_dd_subtract(kept, before));
        }
    }
    m->slack = slack_of(s, m);
    m->value = 0.0;
    return GPIS_OK;
}
