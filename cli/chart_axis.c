/* The axes of charts. */
#include "chart_axis.h"

#include <math.h>
#include <stdlib.h>

#include "html.h"

/* ---- ticks ------------------------------------------------------------------------------------------------------- */

static double round_step(double span, int wanted) {
    const double rough = span / wanted, power = pow(10, floor(log10(rough))), m = rough / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

/* Powers of ten; where these would be few, 2 and 5 times them as well. */
static int power_ticks(double low, double high, int wanted, double *ticks, int room) {
    static const double times[] = {1, 2, 5};
    const double first = floor(log10(low) + 1e-9), last = floor(log10(high) + 1e-9);
    const int each = log10(high / low) < 2 ? 3 : 1;
    const double step = each > 1 ? 1 : fmax(1, ceil((last - ceil(log10(low) - 1e-9)) / wanted));
    int count = 0;
    for (double e = step > 1 ? ceil(log10(low) - 1e-9) : first; e <= last; e += step)
        for (int i = 0; i < each && count < room; i++) {
            const double tick = times[i] * pow(10, e);
            if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks[count++] = tick;
        }
    return count;
}

int chart_ticks(double low, double high, bool logarithmic, int wanted, double *ticks, int room) {
    int count = 0;
    if (!(high > low)) return 0;
    if (logarithmic) return power_ticks(low, high, wanted, ticks, room);
    const double step = round_step(high - low, wanted), first = ceil(low / step - 1e-9);
    for (double i = first; i * step <= high + 1e-9 * step && count < room; i++) ticks[count++] = i * step;
    return count;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

double axis_place(const axis *a, double value) {
    const double low = a->logarithmic ? log10(a->low) : a->low, high = a->logarithmic ? log10(a->high) : a->high;
    const double v = a->logarithmic ? log10(value) : value;
    const double share = (v - low) / (high - low);
    return a->from + (a->to - a->from) * (a->reversed ? 1 - share : share);
}

bool axis_shows(const axis *a, double value) { return isfinite(value) && (!a->logarithmic || value > 0); }

void axis_include(axis *a, double value) {
    if (!axis_shows(a, value)) return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

void axis_round_ends(axis *a, double margin) {
    if (!(a->low <= a->high)) a->low = 1, a->high = 10;
    if (a->logarithmic) {
        a->low = pow(10, floor(log10(a->low) + 1e-9));
        a->high = pow(10, ceil(log10(a->high) - 1e-9));
        if (a->low == a->high) a->high *= 10;
        return;
    }
    const double span = a->high - a->low, room = span > 0 ? margin * span : fmax(1, fabs(a->high)) / 2;
    a->low -= room;
    a->high += room;
}

/* "1e-08" as 10 to a raised power is hard to read aloud; "1e-8" is not. */
void axis_write_tick(FILE *f, const axis *a, double value) {
    if (a->logarithmic && (value < 1e-3 || value > 1e4)) {
        const int power = (int)floor(log10(value) + 1e-9);
        fprintf(f, "%ge%s%d", round(value / pow(10, power)), power < 0 ? "&#8722;" : "", abs(power));
        return;
    }
    html_number(f, fabs(value) < 1e-9 * (a->high - a->low) ? 0 : value, 5);
}
