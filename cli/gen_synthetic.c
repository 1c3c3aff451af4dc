/*
 * The paper's synthetic problems (its supplement, "Procedure to generate synthetic data sets"):
 *   A = Q diag(sigma) V', y = A x_true + w, ||w|| / ||A x_true|| given,
 * x_true sparse, sparse in an orthogonal domain U, or a matrix of low rank; the radius of the set is the norm of
 * x_true.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

/* Singular values that decay geometrically from sqrt(n), which makes entries of A near 1 in size.
 * Table 2 of the paper states L/mu = cond, so sigma_1 / sigma_d = sqrt(cond), exactly. The printed recipe,
 * sigma_i = sigma_{i-1} / cond^(1/d), gives L/mu near cond^2. */
static void fill_sigma(const gen_options *o, double *sigma) {
    const int64_t n = o->numbers.n, d = o->numbers.d;
    const double log_ratio =
        o->literal ? log(o->numbers.cond) / (double)d : 0.5 * log(o->numbers.cond) / (double)(d > 1 ? d - 1 : 1);
    for (int64_t i = 0; i < d; i++) sigma[i] = sqrt((double)n) * exp(-(double)i * log_ratio);
}

/* z: `nonzeros` standard normal entries at random places of d. */
static int fill_sparse(uint64_t seed, int64_t d, int64_t nonzeros, double *z) {
    double *values = gen_allocate(nonzeros, 1), *picks = gen_allocate(nonzeros, 1);
    int64_t *place = calloc((size_t)d, sizeof *place);
    const int code = values && picks && place ? 0 : CLI_TROUBLE;
    if (code == 0) {
        gen_normal(seed, GEN_STREAM_VALUES, nonzeros, values);
        gpis_random_uniform(seed, GEN_STREAM_SUPPORT, 0, nonzeros, picks);
        for (int64_t j = 0; j < d; j++) place[j] = j;
        for (int64_t i = 0; i < nonzeros; i++) { /* Fisher and Yates, as far as needed */
            const int64_t other = i + (int64_t)(picks[i] * (double)(d - i)), chosen = place[other];
            place[other] = place[i];
            z[chosen] = values[i];
        }
    }
    free(values);
    free(picks);
    free(place);
    return code;
}

int gen_sparse(const gen_options *o, gen_problem *p) {
    const int code = fill_sparse(o->seed, p->d, o->numbers.sparsity, p->x_true);
    p->set = "l1";
    p->radius = cblas_dasum((int)p->d, p->x_true, 1);
    return code;
}

/* z sparse, x = U'z, so that U x = z. */
static int make_dictionary(const gen_options *o, gen_problem *p) {
    double *z = gen_allocate(p->d, 1);
    p->U = gen_allocate(p->d, p->d);
    int code = z && p->U ? gen_orthogonal(o->seed, GEN_STREAM_DICTIONARY, p->d, p->U) : CLI_TROUBLE;
    if (code == 0) code = fill_sparse(o->seed, p->d, o->numbers.sparsity, z);
    if (code == 0) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)p->d, (int)p->d, 1.0, p->U, (int)p->d, z, 1, 0.0, p->x_true, 1);
        p->set = "l1";
        p->radius = cblas_dasum((int)p->d, z, 1);
    }
    free(z);
    return code;
}

/* X = L R with Gaussian factors of `sparsity` columns and rows. */
static int make_low_rank(const gen_options *o, gen_problem *p) {
    const int64_t d = p->d, k = p->k, rank = o->numbers.sparsity, least = d < k ? d : k;
    double *factors = gen_allocate(d + k, rank), *copy = gen_allocate(d, k), *sigma = gen_allocate(least, 1);
    int code = factors && copy && sigma ? 0 : CLI_TROUBLE;
    if (code == 0) {
        gen_normal(o->seed, GEN_STREAM_VALUES, (d + k) * rank, factors);
        gen_multiply(d, rank, k, factors, factors + d * rank, p->x_true);
        memcpy(copy, p->x_true, (size_t)(d * k) * sizeof *copy);
        if (LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', (int)k, (int)d, copy, (int)k, sigma, NULL, 1, NULL, 1) != 0)
            code = cli_fail(CLI_TROUBLE, "the singular values of x_true could not be computed");
        p->set = "nuclear";
        p->radius = cblas_dasum((int)least, sigma, 1);
    }
    free(factors);
    free(copy);
    free(sigma);
    return code;
}

/* y = A x_true + w */
static int add_noise(const gen_options *o, gen_problem *p) {
    const int64_t count = p->n * p->k;
    double *w = gen_allocate(p->n, p->k);
    if (!w) return CLI_TROUBLE;
    gen_multiply(p->n, p->d, p->k, p->A, p->x_true, p->y);
    gen_normal(o->seed, GEN_STREAM_NOISE, count, w);
    const double scale = o->numbers.noise * sqrt(gen_sum_of_squares(p->y, count) / gen_sum_of_squares(w, count));
    for (int64_t i = 0; i < count; i++) {
        w[i] *= scale;
        p->y[i] += w[i];
    }
    p->objective = gen_sum_of_squares(w, count);
    free(w);
    return 0;
}

int gen_synthetic(const gen_options *o, gen_problem *p) {
    const gen_numbers *numbers = &o->numbers;
    p->n = numbers->n;
    p->d = numbers->d;
    p->k = numbers->k > 0 ? numbers->k : 1;
    if (p->n < p->d) return cli_fail(CLI_BAD_INPUT, "gen needs at least as many rows (--n) as columns (--d)");
    if (numbers->sparsity > p->d || (o->form == GEN_LOW_RANK && numbers->sparsity > p->k))
        return cli_fail(CLI_BAD_INPUT, "--sparsity %lld is more than x has entries", (long long)numbers->sparsity);

    double *sigma = gen_allocate(p->d, 1);
    if (sigma) p->A = gen_allocate(p->n, p->d); /* each only after the one before: one message */
    if (p->A) p->y = gen_allocate(p->n, p->k);
    if (p->y) p->x_true = gen_allocate(p->d, p->k);
    int code = p->x_true ? 0 : CLI_TROUBLE;
    if (code == 0) {
        fill_sigma(o, sigma);
        code = gen_spectrum(o->seed, p->n, p->d, sigma, p->A);
    }
    if (code == 0)
        code = o->form == GEN_SPARSE       ? gen_sparse(o, p)
               : o->form == GEN_DICTIONARY ? make_dictionary(o, p)
                                           : make_low_rank(o, p);
    if (code == 0) code = add_noise(o, p);
    free(sigma);
    return code;
}
