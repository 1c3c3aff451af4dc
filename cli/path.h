/* What `gpis path` and `gpis cv` share. */
#ifndef GPIS_CLI_PATH_H
#define GPIS_CLI_PATH_H

#include "cli.h"

/* A path as it is reported; cv is NULL for `gpis path`. */
typedef struct cli_path {
    const cli_problem *problem;
    const gpis_path *path;
    const gpis_cv *cv;
} cli_path;

/* The table: a line for each point (path_output.c). */
void cli_path_csv(FILE *stream, const cli_path *p);
json_t *cli_path_json(const cli_path *p); /* NULL when there is no memory */
void cli_path_print(const cli_path *p);   /* the summary */

/* A figure, an SVG drawing: the coefficients against the radius, with their names at the ends, or the curve of
 * cross-validation with its bars and both choices (path_figure.c). */
void cli_path_figure(FILE *stream, const cli_path *p);

#endif
