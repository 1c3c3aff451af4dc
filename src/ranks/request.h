/*
 * What rank 0 asks of the other ranks. Between two tasks they wait for the next request; every task is then carried out
 * by all ranks together, rank 0 included.
 */
#ifndef GPIS_REQUEST_H
#define GPIS_REQUEST_H

#include "linalg/terms.h"
#include "ranks/join.h"

typedef enum gpis_task {
    GPIS_TASK_PASS,     /* a pass (parts.c) */
    GPIS_TASK_AUDIT,    /* the search for a number that is not finite (parts.c) */
    GPIS_TASK_GRAM,     /* a Gram matrix of rows that rank 0 holds (over.c); NUMBER: how many rows, COLUMNS: how long */
    GPIS_TASK_IDENTIFY, /* checksums of the data (identify.c); NUMBER: columns of y */
    GPIS_TASK_DISMISS   /* the end of the work (serve.c); NUMBER: the status of rank 0 */
} gpis_task;

/* The fields of a request: whole numbers, sent as doubles. A seed and a round take two fields, of 32 bits each. */
enum {
    GPIS_REQUEST_TASK,
    GPIS_REQUEST_NUMBER,
    GPIS_REQUEST_COLUMNS,
    GPIS_REQUEST_K,
    GPIS_REQUEST_PROBES,
    GPIS_REQUEST_MANY,
    GPIS_REQUEST_GRAM_COLUMNS,
    GPIS_REQUEST_WANTED,
    GPIS_REQUEST_GIVEN,
    GPIS_REQUEST_KIND,
    GPIS_REQUEST_M,
    GPIS_REQUEST_SKETCH_K,
    GPIS_REQUEST_SEED,
    GPIS_REQUEST_SEED_LOW,
    GPIS_REQUEST_ROUND,
    GPIS_REQUEST_ROUND_LOW,
    GPIS_REQUEST_FOLDS,
    GPIS_REQUEST_FOLD_SEED,
    GPIS_REQUEST_FOLD_SEED_LOW,
    GPIS_REQUEST_FOLD_FIRST,
    GPIS_REQUEST_FOLD_FIRST_LOW,
    GPIS_REQUEST_SIZE
};

/* All ranks: rank 0 sends the request, the others, which pass zeros, receive it. */
static inline gpis_status gpis_request_exchange(const gpis_join *join, double request[GPIS_REQUEST_SIZE]) {
    return gpis_join_sum(join, request, GPIS_REQUEST_SIZE);
}

/* Rank 0: sends a request that consists of a task and one number. */
static inline gpis_status gpis_request_send(const gpis_join *join, gpis_task task, int64_t number) {
    double request[GPIS_REQUEST_SIZE] = {[GPIS_REQUEST_TASK] = task, [GPIS_REQUEST_NUMBER] = (double)number};
    return gpis_request_exchange(join, request);
}

/* The other ranks: their share of each task. `Y`: their rows of it; `terms`: their weights. */
gpis_status gpis_parts_serve_pass(gpis_context *context, gpis_source *A, const double *Y, const gpis_terms *terms,
                                  const double *request);
gpis_status gpis_parts_serve_audit(gpis_context *context, gpis_source *A, const double *Y, const double *request);
gpis_status gpis_over_serve(gpis_context *context, gpis_source *A, int64_t m, int64_t d);
gpis_status gpis_identify_serve(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                const gpis_terms *terms);

#endif
