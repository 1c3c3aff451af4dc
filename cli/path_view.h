/* Paths of answers as they are shown: how good their points are, and their charts. */
#ifndef GPIS_CLI_PATH_VIEW_H
#define GPIS_CLI_PATH_VIEW_H

#include "chart.h"
#include "entries.h"

/* A path as it is reported; cv is NULL for `gpis path`. */
typedef struct cli_path {
    const gpis_source *A; /* has the names of the columns */
    int64_t rows;
    const gpis_path *path;
    const gpis_cv *cv;
} cli_path;

double path_relative_gap(const gpis_path_point *point); /* infinite: no bound */
/* Of all points together. */
typedef struct path_gaps {
    double relative; /* the largest relative gap that is finite */
    double absolute; /* the largest gap of points that have none; 0: all have */
    bool known;      /* all points have bounds */
    bool proven;     /* by which no random number is used */
    int64_t solved;  /* points that are certified to the tolerance */
} path_gaps;
path_gaps path_worst_gaps(const gpis_path *path);
/* ---- charts (path_chart.c) ---- */

enum { PATH_LABEL = 160 };

/* A path as arrays of numbers. */
typedef struct path_view {
    const cli_path *p;
    double *value;              /* owned: of each point */
    cli_sized *order;           /* owned: entries of x, the largest at the end first */
    double *curve;              /* owned: lines x count, the coefficients that are drawn */
    chart_series *series;       /* owned: of these lines */
    char (*labels)[PATH_LABEL]; /* owned: of the first `named` of them */
    int lines, named;
} path_view;
bool path_view_make(path_view *view, const cli_path *p); /* false: no memory; to be cleared all the same */
void path_view_clear(path_view *view);

/* The coefficients with their names at the ends, and the errors of cross-validation with their bars and both choices:
 * in a page, or as a drawing of its own. */
void path_view_draw_coefficients(FILE *f, const path_view *view, bool in_page);
void path_view_draw_errors(FILE *f, const path_view *view, bool in_page);
/* The drawing of --figure; false: no memory. */
bool path_view_figure(FILE *stream, const cli_path *p);

#endif
