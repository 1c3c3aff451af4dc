/* The entries of an answer with their names, for tables, charts and pages. */
#ifndef GPIS_CLI_ENTRIES_H
#define GPIS_CLI_ENTRIES_H

#include "gpis.h"

/* The name of column j: that of the file, or x1, x2, ... in `made`. */
const char *cli_column_name(const gpis_source *A, int64_t j, char made[32]);
/* For each entry of x the active constraint that bounds it, the dearest if there are two; NULL: none. The caller frees
 * the array, which is NULL when there is no memory. */
const gpis_active **cli_held_entries(const gpis_result *result);
/* The entries of x with their sizes |x_e|, the largest first. */
typedef struct cli_sized {
    double size;
    int64_t entry;
} cli_sized;
void cli_order_by_size(const double *x, int64_t count, cli_sized *order);
int64_t cli_count_nonzeros(const double *x, int64_t count);

#endif
