/*
 * Ranges and labels are chosen here and not by gnuplot, whose logarithmic axes have a label at powers of ten only: a
 * range from 2 to 9 would get none at all.
 */
#include "axis.h"

#include <math.h>

enum { WANTED_TICKS = 7 };
static const double MARGIN = 0.03; /* of the range, left free at both ends */

static void add_tick(axis *a, double value) {
    const double slack = a->logarithmic ? 1e-9 * value : 1e-9 * (a->high - a->low);
    if (a->count < MAX_TICKS && value >= a->low - slack && value <= a->high + slack) a->ticks[a->count++] = value;
}

/* 1, 2 or 5 times a power of ten, such that `length` is some WANTED_TICKS steps long. */
static double round_step(double length) {
    const double rough = length / WANTED_TICKS, power = pow(10.0, floor(log10(rough)));
    const double ratio = rough / power;
    return power * (ratio <= 1.0 ? 1.0 : ratio <= 2.0 ? 2.0 : ratio <= 5.0 ? 5.0 : 10.0);
}

static void tick_evenly(axis *a) {
    const double step = round_step(a->high - a->low);
    for (double i = ceil(a->low / step - 1e-9); i * step <= a->high && a->count < MAX_TICKS; i++) add_tick(a, i * step);
}

static void tick_decades(axis *a, double decades) {
    const double step = fmax(1.0, ceil(decades / WANTED_TICKS));
    for (double e = step * ceil(log10(a->low) / step - 1e-9); e <= log10(a->high) + 1e-9; e += step)
        add_tick(a, pow(10.0, e));
}

/* 1, 2, 5, 10, 20, ... */
static void tick_within_decades(axis *a) {
    static const double digits[] = {1.0, 2.0, 5.0};
    for (double e = floor(log10(a->low)); e <= log10(a->high); e++)
        for (int i = 0; i < 3; i++) add_tick(a, digits[i] * pow(10.0, e));
}

/* A range of no length, or so short that its ends are the same to the digits that are printed, is widened. */
static void widen(double *low, double *high, bool logarithmic) {
    if (logarithmic) {
        if (*high / *low >= 1.001) return;
        *low /= 2.0;
        *high *= 2.0;
    } else if (*high - *low <= 1e-6 * fmax(fabs(*low), fabs(*high))) {
        const double half = fmax(0.5, 0.5 * fabs(*low));
        *low -= half;
        *high += half;
    }
}

axis axis_fit(double low, double high, bool logarithmic) {
    axis a = {.logarithmic = logarithmic};
    widen(&low, &high, logarithmic);
    if (logarithmic) {
        const double decades = log10(high) - log10(low), margin = pow(10.0, MARGIN * decades);
        a.low = low / margin;
        a.high = high * margin;
        if (decades >= 3.0) tick_decades(&a, decades);
        if (a.count < 2) {
            a.count = 0;
            tick_within_decades(&a);
        }
        if (a.count >= 3 || decades >= 1.0) return a;
        a.count = 0; /* less than a decade: labels as on a linear axis are closer together */
    } else {
        const double margin = MARGIN * (high - low);
        a.low = low == 0.0 ? 0.0 : low - margin;
        a.high = high + margin;
    }
    tick_evenly(&a);
    return a;
}

/* "0.2", "50", or "10^{-7}" where the labels of a logarithmic axis are many sizes apart. */
static void print_label(FILE *script, const axis *a, double value) {
    const double last = fmax(fabs(a->ticks[a->count - 1]), fabs(a->ticks[0]));
    const bool plain = !a->logarithmic || (a->ticks[0] >= 0.99e-3 && last <= 1.01e4);
    const double exponent = value > 0.0 ? floor(log10(value) + 1e-9) : 0.0, digit = value / pow(10.0, exponent);
    if (plain)
        fprintf(script, "'%.6g'", fabs(value) < 1e-12 * last ? 0.0 : value);
    else if (fabs(digit - 1.0) < 1e-6)
        fprintf(script, "'10^{%.0f}'", exponent);
    else
        fprintf(script, "'%.4g·10^{%.0f}'", digit, exponent);
}

void axis_print(FILE *script, const axis *a, char name) {
    if (a->logarithmic) fprintf(script, "set logscale %c\n", name);
    fprintf(script, "set %crange [%.9g:%.9g]\nset %ctics (", name, a->low, a->high, name);
    for (int i = 0; i < a->count; i++) {
        if (i > 0) fputs(", ", script);
        print_label(script, a, a->ticks[i]);
        fprintf(script, " %.9g", a->ticks[i]);
    }
    fputs(")\n", script);
}
