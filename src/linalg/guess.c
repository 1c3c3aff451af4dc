/*
 * Guesses at null vectors, from vectors that are right in their first digits. There are three kinds.
 *
 *   fractions   A column is a combination of others by small fractions, in units that are powers of two: duplicates,
 *               dummy variables beside a constant, thousands beside units. Brought to one denominator, v is whole.
 *   decimals    The combination has a few decimal digits, in the units of the data: v = (-1, 3.14) for a constant
 *               column of 3.14 beside one of ones. The double nearest to 3.14 is what the data hold, too.
 *   data        v holds entries of A itself: of two constant columns 0.3 and 0.1, v = (-0.1, 0.3) is exact, whatever
 *               the doubles are, and so it is for any two columns whose entries have one ratio as real numbers.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/null_vectors.h"

/* How far, relatively, a digit may be from where the model has it. */
static const double NEAR = 1e-10;

/* ---- fractions --------------------------------------------------------------------------------------------------- */

/* The first convergent of the continued fraction of w that is nearer than any fraction with so small a denominator
 * would be by chance. */
static bool find_fraction(double w, double *p, double *q) {
    static const double NEAREST = 1e-7, CHANCE = 1e-3, LARGEST = 0x1p16, HIGHEST = 0x1p24;
    double p0 = 0.0, q0 = 1.0, p1 = 1.0, q1 = 0.0, rest = fabs(w);
    for (;;) {
        const double whole = floor(rest), p2 = whole * p1 + p0, q2 = whole * q1 + q0;
        if (!(q2 <= LARGEST && p2 <= HIGHEST)) return false;
        *p = copysign(p2, w);
        *q = q2;
        if (fabs(fabs(w) - p2 / q2) <= fmin(NEAREST, CHANCE / (q2 * q2))) return true;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        rest = 1.0 / (rest - whole);
    }
}

static double greatest_divisor(double a, double b) {
    while (b > 0.0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The unit of a column: the power of two below its norm. */
static int unit_of(const gpis_model *m, int64_t j) { return ilogb(1.0 / m->scale[j]); }

static bool guess_fractions(const gpis_model *m, const double *w, int64_t own, double *v) {
    static const double LARGEST = 0x1p24;
    double denominator = 1.0, p, q;
    for (int64_t j = 0; j < m->d; j++) {
        v[j] = w[j];
        if (w[j] == 0.0) continue;
        if (!find_fraction(ldexp(w[j], unit_of(m, j) - unit_of(m, own)), &p, &q)) return false;
        v[j] = p / q; /* made whole below: p and q are small */
        denominator *= q / greatest_divisor(denominator, q);
        if (denominator > LARGEST) return false;
    }
    for (int64_t j = 0; j < m->d; j++)
        if (v[j] != 0.0) v[j] = ldexp(rint(v[j] * denominator), unit_of(m, own) - unit_of(m, j));
    return true;
}

/* ---- decimals ---------------------------------------------------------------------------------------------------- */

/* The double nearest to the shortest decimal number near w: a quotient of two whole numbers that are exact in double,
 * rounded once, as a reader of text would have it. */
static bool find_decimal(double w, double *value) {
    static const double LARGEST = 1e9;
    double power = 1.0;
    for (int places = 0; places <= 22; places++, power *= 10.0) { /* 10^22 is the last power that is a double */
        const double whole = rint(w * power);
        if (fabs(whole) > LARGEST && places > 0) return false;
        *value = whole / power;
        if (whole != 0.0 && fabs(whole) <= 0x1p53 && fabs(*value - w) <= NEAR * fabs(w)) return true;
    }
    return false;
}

static bool guess_decimals(const gpis_model *m, const double *w, double *v) {
    for (int64_t j = 0; j < m->d; j++) {
        v[j] = 0.0;
        if (w[j] != 0.0 && !find_decimal(w[j], &v[j])) return false;
    }
    return true;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Of the columns other than `own` the one whose term in this row is largest; -1: all of its terms are zero. */
static int64_t find_partner(int64_t d, const double *w, int64_t own, const double *row) {
    double largest = 0.0;
    int64_t partner = -1;
    for (int64_t j = 0; j < d; j++) {
        if (j == own || !(fabs(w[j] * row[j]) > largest)) continue;
        largest = fabs(w[j] * row[j]);
        partner = j;
    }
    return partner;
}

/* An entry of the row, among the columns of w, that is `wanted` up to its sign and its last digits. */
static bool find_entry(int64_t d, const double *w, const double *row, double wanted, double *value) {
    for (int64_t j = 0; j < d; j++) {
        *value = copysign(row[j], wanted);
        if (w[j] != 0.0 && fabs(*value - wanted) <= NEAR * fabs(wanted)) return true;
    }
    return false;
}

/* w times the entry of its partner in the first row that has one, so that the partner's own entry of v is an entry of A
 * as well. */
static bool guess_from_data(const gpis_model *m, const double *w, int64_t own, const double *rows, int64_t count,
                            double *v) {
    const int64_t d = m->d;
    int64_t i = 0, partner = -1;
    while (i < count && (rows[i * d + own] == 0.0 || (partner = find_partner(d, w, own, rows + i * d)) < 0)) i++;
    if (i == count) return false;
    const double *row = rows + i * d, factor = row[partner];
    for (int64_t j = 0; j < d; j++) {
        const double wanted = w[j] * factor;
        v[j] = 0.0;
        if (w[j] != 0.0 && !find_entry(d, w, row, wanted, &v[j]) && !find_decimal(wanted, &v[j])) return false;
    }
    v[own] = -factor;
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* <v, H v> is small enough to be rounding, and no entry is out of range. */
static bool is_likely(const gpis_model *m, const double *v) {
    const double allowed = 16.0 * (double)m->d * sqrt(m->roundings) * DBL_EPSILON;
    double curvature = 0.0, size = 0.0;
    for (int64_t i = 0; i < m->d; i++) {
        if (v[i] == 0.0) continue;
        double row = -v[i] * m->H[i * m->d + i] * (m->shift / (1.0 + m->shift));
        for (int64_t j = 0; j < m->d; j++) row += m->H[i * m->d + j] * v[j];
        curvature += v[i] * row;
        size += v[i] * v[i] * m->H[i * m->d + i];
    }
    return isfinite(size) && curvature <= allowed * size;
}

static bool is_new(int64_t d, const double *V, int count) {
    for (int i = 0; i < count; i++)
        if (memcmp(V + i * d, V + count * d, (size_t)d * sizeof *V) == 0) return false;
    return true;
}

int gpis_null_vectors_guess(const gpis_model *m, const double *w, int64_t own, const double *rows, int64_t count,
                            double *V) {
    int found = 0;
    for (int kind = 0; kind < GPIS_GUESSES; kind++) {
        double *v = V + found * m->d;
        const bool made = kind == 0   ? guess_fractions(m, w, own, v)
                          : kind == 1 ? guess_decimals(m, w, v)
                                      : guess_from_data(m, w, own, rows, count, v);
        if (made && is_likely(m, v) && is_new(m->d, V, found)) found++;
    }
    return found;
}
