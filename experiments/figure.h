/* Figures by gnuplot: lines that can be distinguished in black and white, good enough to print. */
#ifndef GPIS_FIGURE_H
#define GPIS_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct figure_line {
    const char *label; /* any text: it is shown as it is, what cannot be shown as '?' */
    const double *x, *y;
    const double *spread; /* error bars of this half length, or NULL */
    int64_t count;
    int style; /* colour, dashes and marker: 0, 1, ... */
} figure_line;

typedef struct figure {
    const char *name;                      /* identifies the parts of an SVG among others on a page: letters and '-' */
    const char *title, *x_label, *y_label; /* in gnuplot's enhanced text, where x_{true} has an index */
    bool log_x, log_y;                     /* a logarithmic x axis becomes linear where no x is positive */
    double rule;                           /* a horizontal line here, labelled `rule_label`; 0: none */
    const char *rule_label;
    double floor; /* with log_y: smaller values are drawn here */
    const figure_line *lines;
    int count;
} figure;

/* False, with a message that says what to install, if there is no gnuplot. */
bool figure_possible(void);
/* True if `path` ends in .svg, .png or .pdf. */
bool figure_format_known(const char *path);
/* False for a name with control characters (line ends, escape sequences), which is an accident or an attack. */
bool figure_name_allowed(const char *path);
/* Draws to a file by its ending; returns 0 or an exit code. The file takes its name when it is whole. */
int figure_draw(const figure *figure, const char *path);

#endif
