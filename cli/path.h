/* What `gpis path` and `gpis cv` share. */
#ifndef GPIS_CLI_PATH_H
#define GPIS_CLI_PATH_H

#include "cli.h"
#include "path_view.h"

/* The table: a line for each point (path_output.c); false: no memory. */
bool cli_path_csv(FILE *stream, const cli_path *p);
json_t *cli_path_json(const cli_path *p); /* NULL when there is no memory */
void cli_path_print(const cli_path *p);   /* the summary */

#endif
