/* Axes of charts: from numbers to places in the drawing, and the numbers that are written beside them. */
#ifndef GPIS_CLI_CHART_AXIS_H
#define GPIS_CLI_CHART_AXIS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct axis {
    double low, high; /* shown */
    bool logarithmic;
    double from, to; /* in the view box */
    bool reversed;   /* the largest value is at `from` */
} axis;

double axis_place(const axis *a, double value);
bool axis_shows(const axis *a, double value); /* false: not finite, or without a logarithm */
void axis_include(axis *a, double value);     /* widens the axis where it does not have the value */
/* Room around the values, `margin` times their span; round ends of logarithmic axes. */
void axis_round_ends(axis *a, double margin);
void axis_write_tick(FILE *f, const axis *a, double value);

/* Round numbers from low to high, about `wanted` of them; returns how many, at most `room`. */
int chart_ticks(double low, double high, bool logarithmic, int wanted, double *ticks, int room);

#endif
