/* A pass over rows in several parts, here and on other ranks: what the files of this room share. */
#ifndef GPIS_PARTS_H
#define GPIS_PARTS_H

#include "pass/pass.h"
#include "source/join.h"

/* One sweep over a source in one piece. A sketch absorbs its rows and is not finished; nothing is audited. */
gpis_status gpis_pass_sweep(gpis_context *context, gpis_source *A, const gpis_pass *pass);
/* Whether all that a pass gave is finite; where what is not comes from (`rows`: of Y); what to say if from nowhere. */
bool gpis_pass_is_finite(const gpis_context *context, const gpis_pass *pass, int64_t d);
gpis_status gpis_pass_audit(gpis_context *context, gpis_source *A, const gpis_pass *pass, int64_t rows);
gpis_status gpis_pass_overflow(gpis_context *context, const gpis_source *A);

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

/* gpis_pass_run for a joined source. */
gpis_status gpis_parts_run(gpis_context *context, gpis_source *A, const gpis_pass *pass);

/* ---- the sketch over ranks (gather.c) ---- */

/* Before the sweep: pass->skip is set to the rows that have to wait for another rank. */
void gpis_gather_plan(const gpis_join *join, gpis_pass *pass);
/* After the sweep: memory for what gpis_gather_run will receive. */
gpis_status gpis_gather_reserve(const gpis_join *join, const gpis_pass *pass);
/* All ranks: the sketch is whole on rank 0, not finished. `Y`, k: this rank's rows. */
gpis_status gpis_gather_run(const gpis_join *join, const gpis_pass *pass);

#endif
