/*
 * Small charts in SVG, with axes, lines, points, bars and labels, for pages that stand alone. Lines differ by dashes
 * and markers as well as by colour. Behind each chart is a table of its numbers, folded away, which is its text
 * alternative and what the page's script reads values from when a pointer or the arrow keys move over the chart.
 */
#ifndef GPIS_CLI_CHART_H
#define GPIS_CLI_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One line: `count` points over the x of the chart. A y that is not finite is a gap. */
typedef struct chart_series {
    const char *label;
    const double *y;
    const double *error; /* half the length of a bar at each point; NULL: none */
    bool label_at_end;   /* the label stands at the end of the line; otherwise the legend has it */
    bool faint;          /* grey, and without a label */
} chart_series;

/* A line across the chart, at a value of y, or of x. */
typedef struct chart_mark {
    const char *label;
    double value;
    bool vertical;
} chart_mark;

typedef enum chart_kind { CHART_LINES, CHART_POINTS, CHART_BARS } chart_kind;

typedef struct chart {
    const char *id; /* of the elements of this chart; letters only, unique within a page */
    const char *title, *description;
    const char *x_label, *y_label;
    chart_kind kind;
    bool log_x, log_y;
    bool from_zero; /* the x axis begins at 0 */
    bool reverse_x; /* x falls from left to right */
    int64_t count;  /* of points */
    const double *x;
    double bar_width; /* CHART_BARS: x is the left end of each */
    const chart_series *series;
    int series_count;
    const chart_mark *marks;
    int mark_count;
    bool table; /* with the table behind it, and a pointer that reads values */
} chart;

/* As a part of a page, whose style and script it needs. */
void chart_draw(FILE *stream, const chart *chart);
/* As an SVG file of its own, larger and without a legend or a table. */
void chart_draw_alone(FILE *stream, const chart *chart);

#endif
