/* Figures by gnuplot: lines that can be told apart in black and white, good enough to print. */
#ifndef GPIS_FIGURE_H
#define GPIS_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct figure_line {
    const char *label;
    const double *x, *y;
    const double *spread; /* error bars of this half length, or NULL */
    int64_t count;
    int style; /* colour, dashes and marker: 0, 1, ... */
} figure_line;

typedef struct figure {
    const char *name; /* identifies the parts of an SVG among others on a page */
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    double rule; /* a horizontal line here, labelled `rule_label`; 0: none */
    const char *rule_label;
    double floor; /* with log_y: smaller values are drawn here */
    const figure_line *lines;
    int count;
} figure;

/* False, with a message that tells what to install, if there is no gnuplot. */
bool figure_possible(void);
/* True if `path` ends in .svg, .png or .pdf. */
bool figure_format_known(const char *path);
/* Draws to a file by its ending; returns 0 or an exit code. */
int figure_draw(const figure *figure, const char *path);

#endif
