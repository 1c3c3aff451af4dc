/* One axis of a figure: a range that fits the data, and where its labels stand. */
#ifndef GPIS_AXIS_H
#define GPIS_AXIS_H

#include <stdbool.h>
#include <stdio.h>

enum { MAX_TICKS = 24 };

typedef struct axis {
    bool logarithmic;
    double low, high;
    double ticks[MAX_TICKS];
    int count;
} axis;

/* The axis for values from `low` to `high`, both finite and low <= high; positive if it is logarithmic. It has at least
 * two labels within its range. */
axis axis_fit(double low, double high, bool logarithmic);
/* Range, scale and labels of the axis `name` ('x' or 'y') as gnuplot commands. */
void axis_print(FILE *script, const axis *axis, char name);

#endif
