/*
 * Checksums by which a checkpoint recognises its data, whatever their storage. Each rank sends the number of its rows,
 * the length of the vectors that its processor computes with, a checksum of some rows of A and one of its y; rank 0
 * makes one checksum of each of these over all ranks.
 */
#include "base/checksum.h"
#include "linalg/dense.h"
#include "ranks/ranks.h"
#include "ranks/request.h"

enum { ROWS, LANES, SUM_OF_A, SUM_OF_Y, SUM_OF_WEIGHTS, MARKS };

/* The marks of this rank. */
static gpis_status mark(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const gpis_terms *terms,
                        double *marks) {
    const int64_t rows = gpis_source_rows_here(A);
    uint32_t sum = 0;
    const gpis_status status = gpis_source_fingerprint(context, A, &sum);
    marks[ROWS] = (double)rows;
    marks[LANES] = gpis_dense_lanes();
    marks[SUM_OF_A] = sum;
    marks[SUM_OF_Y] = gpis_checksum(0, Y, rows * k * (int64_t)sizeof *Y);
    marks[SUM_OF_WEIGHTS] = gpis_checksum(0, terms->weights, terms->weights ? rows * (int64_t)sizeof(double) : 0);
    return status;
}

/* All ranks call this. `marks`: MARKS numbers for each rank, or NULL if there is no memory. */
static gpis_status exchange(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const gpis_terms *terms,
                            double *marks) {
    const gpis_join *join = gpis_source_joined(A);
    gpis_status status =
        marks ? mark(context, A, Y, k, terms, marks + (int64_t)join->ranks.rank * MARKS) : GPIS_NO_MEMORY;
    status = gpis_join_agree(join, status);
    return status == GPIS_OK ? gpis_join_sum(join, marks, (int64_t)join->ranks.ranks * MARKS) : status;
}

static uint32_t checksum_of(const double *marks, int ranks, int which) {
    uint32_t sum = 0;
    for (int64_t r = 0; r < ranks; r++) sum = gpis_checksum(sum, marks + r * MARKS + which, sizeof *marks);
    return sum;
}

gpis_status gpis_ranks_identify(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                const gpis_terms *terms, gpis_identity *out) {
    const gpis_join *join = gpis_source_joined(A);
    const int ranks = join ? join->ranks.ranks : 1;
    double *marks = gpis_alloc_zero(context, (int64_t)ranks * MARKS, sizeof *marks);
    if (!marks) return GPIS_NO_MEMORY;
    gpis_status status = ranks > 1 ? gpis_request_send(join, GPIS_TASK_IDENTIFY, k) : GPIS_OK;
    if (status == GPIS_OK)
        status = ranks > 1 ? exchange(context, A, Y, k, terms, marks) : mark(context, A, Y, k, terms, marks);
    *out = (gpis_identity){.ranks = ranks,
                           .cut = checksum_of(marks, ranks, ROWS),
                           .processors = checksum_of(marks, ranks, LANES),
                           .A = checksum_of(marks, ranks, SUM_OF_A),
                           .Y = checksum_of(marks, ranks, SUM_OF_Y),
                           .weights = checksum_of(marks, ranks, SUM_OF_WEIGHTS)};
    gpis_free(context, marks);
    return status;
}

gpis_status gpis_identify_serve(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                const gpis_terms *terms) {
    const gpis_join *join = gpis_source_joined(A);
    double *marks = gpis_alloc_zero(context, (int64_t)join->ranks.ranks * MARKS, sizeof *marks);
    const gpis_status status = exchange(context, A, Y, k, terms, marks);
    gpis_free(context, marks);
    return status;
}
