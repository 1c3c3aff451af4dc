/* What the files of this module share: the tasks that rank 0 gives to the others, and the sketch over ranks. */
#ifndef GPIS_PARTS_H
#define GPIS_PARTS_H

#include "pass/sweep.h"
#include "ranks/join.h"

/* What rank 0 can ask of the others; all of them do it with rank 0. */
typedef enum gpis_task {
    GPIS_TASK_PASS,
    GPIS_TASK_AUDIT,
    GPIS_TASK_GRAM,     /* over.c; its number: rows of B */
    GPIS_TASK_IDENTIFY, /* identify.c; its number: columns of y */
    GPIS_TASK_DISMISS
} gpis_task;
/* Rank 0: the task begins, on all ranks. For those that one number tells. */
gpis_status gpis_parts_ask(const gpis_join *join, gpis_task task, int64_t number);
/* The other ranks. */
gpis_status gpis_over_serve(gpis_context *context, gpis_source *A, int64_t m);
gpis_status gpis_identify_serve(gpis_context *context, gpis_source *A, const double *Y, int64_t k);

/* Numbers of a symmetric matrix, as it is sent. */
static inline int64_t gpis_triangle(int64_t d) { return d * (d + 1) / 2; }

/* ---- the sketch over ranks (gather.c) ---- */

/* Before the sweep: pass->skip is set to the rows that have to wait for another rank. */
void gpis_gather_plan(const gpis_join *join, gpis_pass *pass);
/* After the sweep: memory for what gpis_gather_run will receive. */
gpis_status gpis_gather_reserve(const gpis_join *join, const gpis_pass *pass);
/* All ranks: the sketch is whole on rank 0, not finished. `Y`, k: this rank's rows. */
gpis_status gpis_gather_run(const gpis_join *join, const gpis_pass *pass);

#endif
