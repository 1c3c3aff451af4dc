/* A sketch of rows that lie on several ranks, gathered on rank 0 (gather.c). All ranks call these functions together.
 */
#ifndef GPIS_GATHER_H
#define GPIS_GATHER_H

#include "pass/sweep.h"
#include "ranks/join.h"

/* Before the sweep: sets pass->skip to the number of this rank's first rows that have to wait for another rank. */
void gpis_ranks_gather_plan(const gpis_join *join, gpis_pass *pass);
/* After the sweep: allocates what gpis_ranks_gather_run will receive into. */
gpis_status gpis_ranks_gather_reserve(const gpis_join *join, const gpis_pass *pass);
/* Afterwards the sketch is complete on rank 0, but not yet finished (gpis_sketch_finish). pass->Y: this rank's rows. */
gpis_status gpis_ranks_gather_run(const gpis_join *join, const gpis_pass *pass);

#endif
