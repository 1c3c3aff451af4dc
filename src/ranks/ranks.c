/* Questions about the ranks of a source. For a source in one piece there is one rank, this one. */
#include "ranks/ranks.h"

#include <string.h>

#include "ranks/join.h"

int gpis_ranks_count(const gpis_source *A) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? join->ranks.ranks : 1;
}

int gpis_ranks_machines(const gpis_source *A) {
    const gpis_join *join = gpis_source_joined(A);
    if (!join) return 1;
    const int ranks = join->ranks.ranks, here = join->ranks.neighbours > 0 ? join->ranks.neighbours : ranks;
    return (ranks + here - 1) / here;
}

int64_t gpis_ranks_rows_here(const gpis_source *A) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? gpis_join_rows(join) : A->n;
}

int64_t gpis_ranks_first_row(const gpis_source *A) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? join->begin[join->ranks.rank] : 0;
}

bool gpis_ranks_is_served(const gpis_source *A) {
    const gpis_join *join = gpis_source_joined(A);
    return join && join->ranks.rank > 0;
}

gpis_status gpis_ranks_agree(const gpis_source *A, gpis_status status) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? gpis_join_agree(join, status) : status;
}

gpis_status gpis_ranks_share(const gpis_source *A, void *bytes, int64_t count) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? gpis_join_share(join, 0, bytes, count) : GPIS_OK;
}

gpis_status gpis_ranks_share_numbers(const gpis_source *A, double *numbers, int64_t count) {
    const gpis_join *join = gpis_source_joined(A);
    if (!join) return GPIS_OK;
    if (join->ranks.rank > 0) memset(numbers, 0, (size_t)count * sizeof *numbers);
    return gpis_join_sum(join, numbers, count);
}

gpis_status gpis_ranks_sum(const gpis_source *A, double *numbers, int64_t count) {
    const gpis_join *join = gpis_source_joined(A);
    return join ? gpis_join_sum(join, numbers, count) : GPIS_OK;
}
