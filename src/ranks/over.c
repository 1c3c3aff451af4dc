/*
 * H = B'B by all ranks, where only rank 0 holds B: a sketch. Without their help the other ranks would be idle. Each
 * rank receives some rows of B and computes their Gram matrix, and the upper triangles are added up.
 */
#include "pass/ridge.h"
#include "pass/sweep.h"
#include "ranks/ranks.h"
#include "ranks/request.h"

/* Entries of a symmetric d x d matrix as it is sent. */
static int64_t triangle(int64_t d) { return d * (d + 1) / 2; }

static int64_t share_of(int64_t m, int rank, int ranks) { return m / ranks * rank + gpis_min64(rank, m % ranks); }

/* All ranks call this. Each receives its share of B from rank 0; `sums` holds the upper triangle while it is added up.
 */
static gpis_status gram_together(gpis_context *context, const gpis_join *join, double *B, int64_t m, int64_t d,
                                 double *H, double *sums, gpis_status status) {
    const int ranks = join->ranks.ranks, me = join->ranks.rank;
    gpis_source *rows = NULL;
    status = gpis_join_agree(join, status);
    for (int r = 1; r < ranks && status == GPIS_OK; r++) {
        const int64_t first = share_of(m, r, ranks), count = share_of(m, r + 1, ranks) - first;
        status = gpis_join_move(join, 0, r, me == 0 ? B + first * d : B, count * d);
    }
    if (status != GPIS_OK) return status;
    const int64_t mine = share_of(m, me + 1, ranks) - share_of(m, me, ranks);
    const gpis_pass pass = {.gram = H};
    if (mine > 0) status = gpis_source_dense(context, B, GPIS_FLOAT64, GPIS_ROW_MAJOR, mine, d, d, &rows);
    if (mine > 0 && status == GPIS_OK) status = gpis_pass_sweep(context, rows, &pass);
    gpis_source_destroy(rows);
    status = gpis_join_agree(join, status);
    if (status != GPIS_OK) return status;
    double *to = sums;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) *to++ = mine > 0 ? H[i * d + j] : 0.0;
    status = gpis_join_sum(join, sums, triangle(d));
    to = sums;
    for (int64_t i = 0; me == 0 && i < d; i++)
        for (int64_t j = i; j < d; j++) H[i * d + j] = H[j * d + i] = *to++;
    return status;
}

gpis_status gpis_over_serve(gpis_context *context, gpis_source *A, int64_t m, int64_t d) {
    const gpis_join *join = gpis_source_joined(A);
    const int64_t most = m / join->ranks.ranks + 1;
    double *B = gpis_alloc(context, most * d, sizeof *B), *H = gpis_alloc(context, d * d, sizeof *H);
    double *sums = gpis_alloc(context, triangle(d), sizeof *sums);
    const gpis_status status =
        gram_together(context, join, B, m, d, H, sums, B && H && sums ? GPIS_OK : GPIS_NO_MEMORY);
    gpis_free(context, B);
    gpis_free(context, H);
    gpis_free(context, sums);
    return status;
}

gpis_status gpis_ranks_pass_over(gpis_context *context, gpis_source *A, const double *B, int64_t m, int64_t d,
                                 const gpis_pass *pass, const double *norms2, gpis_point *point) {
    static const double MIN_PRODUCTS = 1e8; /* some milliseconds of work: for less, sending B takes longer */
    const gpis_join *join = gpis_source_joined(A);
    gpis_pass rest = *pass;
    gpis_status status = GPIS_OK;
    if (pass->gram && join && join->ranks.ranks > 1 && (double)m * (double)d * (double)d >= MIN_PRODUCTS) {
        double *sums = gpis_alloc(context, triangle(d), sizeof *sums);
        if (!sums) return GPIS_NO_MEMORY;
        double request[GPIS_REQUEST_SIZE] = {[GPIS_REQUEST_TASK] = GPIS_TASK_GRAM,
                                             [GPIS_REQUEST_NUMBER] = (double)m,
                                             [GPIS_REQUEST_COLUMNS] = (double)d};
        status = gpis_request_exchange(join, request);
        if (status == GPIS_OK) status = gram_together(context, join, (double *)B, m, d, pass->gram, sums, GPIS_OK);
        if (status == GPIS_OK) gpis_ridge_add_diagonal(pass->terms.ridge, d, pass->gram);
        gpis_free(context, sums);
        rest.gram = NULL;
        if (!pass->X) return status;
    }
    gpis_source *rows = NULL;
    if (status == GPIS_OK) status = gpis_source_dense(context, B, GPIS_FLOAT64, GPIS_ROW_MAJOR, m, d, d, &rows);
    if (status == GPIS_OK) status = gpis_pass_run(context, rows, &rest);
    if (status == GPIS_OK && rest.X) *point = gpis_pass_point(rows, &rest, norms2);
    gpis_source_destroy(rows);
    return status;
}
