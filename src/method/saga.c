/*
 * saga: minibatch SAGA (Defazio, Bach, Lacoste-Julien), the paper's stochastic rival. With N batches of b rows and
 * F(x) = 1/N sum_j phi_j(x), phi_j = 1/(2b) ||A_j x - y_j||^2, an iteration draws a batch j and does
 *
 *     x+ = P_K(x - eta [ A_j'(r_j - r_j_old) / b + gbar ]),      r_j = A_j x - y_j
 *     gbar += A_j'(r_j - r_j_old) / n,   r_j_old = r_j
 *
 * with eta = 1 / (3 Lhat), Lhat the mean over the batches of the largest eigenvalue of A_j'A_j / b. For least squares a
 * row's gradient is its residual times the row, so the table of old gradients is one number a row and response. A ridge
 * is not drawn: its gradient ridge_j x_j / n is known, and is a part of each step; Lhat grows by the largest ridge_j /
 * n.
 *
 * As in the paper, finding Lhat is not charged; nor is the full pass that measures f after each epoch.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "method/certify.h"
#include "method/method.h"
#include "pass/batch.h"

typedef struct saga {
    gpis_run *run; /* borrowed */
    gpis_batches batches;
    double eta;
    double *x, *g;         /* owned, as all below: the iterate, and the full gradient there once it is measured */
    double *gbar;          /* (1/n) A' (old residuals) */
    double *table;         /* old residuals, n x k */
    double *fresh;         /* b x k */
    double *direction, *v; /* d x k */
    uint64_t drawn;        /* number of batches drawn */
} saga;

/* eta = 1 / (3 Lhat) */
static gpis_status find_step(saga *s) {
    const int64_t b = s->batches.rows;
    double *work = gpis_alloc(s->run->context, b * (b + 1), sizeof *work), sum = 0.0;
    if (!work) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < s->batches.count; j++) {
        gpis_block rows;
        gpis_batch_take(&s->batches, j, &rows);
        sum += gpis_batch_norm2(&s->batches, &rows, work) / (double)b;
    }
    gpis_free(s->run->context, work);
    const gpis_problem *p = s->run->problem;
    double L = sum / (double)s->batches.count, largest = 0.0;
    for (int64_t j = 0; p->terms.ridge && j < p->d; j++) largest = fmax(largest, p->terms.ridge[j]);
    L += largest / (double)p->n;
    s->eta = L > 0.0 ? 1.0 / (3.0 * L) : 1.0;
    return GPIS_OK;
}

/* Fills the table and its mean gradient at the starting point, which takes one epoch. */
static void fill_table(saga *s) {
    const int64_t size = s->run->problem->size;
    memset(s->gbar, 0, (size_t)size * sizeof(double));
    for (int64_t j = 0; j < s->batches.count; j++) {
        gpis_block rows;
        gpis_batch_take(&s->batches, j, &rows);
        double *old = s->table + rows.row0 * s->run->problem->k;
        gpis_batch_residual(&s->batches, &rows, s->x, old);
        gpis_batch_adjoint(&s->batches, &rows, old, s->gbar);
    }
    for (int64_t i = 0; i < size; i++) s->gbar[i] /= (double)s->run->problem->n;
    gpis_account_enter_work(&s->run->account, 1.0, 0.0);
}

static gpis_status iteration(saga *s) {
    const gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    const int64_t b = s->batches.rows, size = p->size;
    const gpis_bits bits = gpis_random_bits(run->settings->seed, gpis_stream(GPIS_STREAM_SHUFFLE, 0), s->drawn++);
    gpis_block rows;
    gpis_batch_take(&s->batches, gpis_random_below(bits.v[0], (uint32_t)s->batches.count), &rows);
    const int64_t entries = rows.nrows * p->k;
    double *old = s->table + rows.row0 * p->k;
    gpis_batch_residual(&s->batches, &rows, s->x, s->fresh);
    for (int64_t i = 0; i < entries; i++) {
        const double r = s->fresh[i];
        s->fresh[i] = r - old[i];
        old[i] = r;
    }
    memset(s->direction, 0, (size_t)size * sizeof(double));
    gpis_batch_adjoint(&s->batches, &rows, s->fresh, s->direction);
    const double by_b = 1.0 / (double)b, by_n = 1.0 / (double)p->n;
    for (int64_t i = 0; i < size; i++) {
        const double known = p->terms.ridge ? by_n * p->terms.ridge[i / p->k] * s->x[i] : 0.0;
        s->v[i] = s->x[i] - s->eta * (by_b * s->direction[i] + s->gbar[i] + known);
        s->gbar[i] += by_n * s->direction[i];
    }
    return gpis_set_project(p->set, s->v, s->x);
}

/* Measures x by a full pass. SAGA itself does not need that, so it is not charged. */
static gpis_status measure(saga *s) {
    gpis_run *run = s->run;
    gpis_point point;
    gpis_account_pause(&run->account);
    gpis_status status = gpis_run_gradient(run, s->x, s->g, &point);
    if (status == GPIS_OK) {
        gpis_record_offer(&run->record, &point);
        status = gpis_run_prove(run, &point, false);
    }
    gpis_account_resume(&run->account);
    return status;
}

static gpis_status epochs(saga *s) {
    gpis_run *run = s->run;
    gpis_account_pause(&run->account);
    gpis_status status = find_step(s);
    gpis_account_resume(&run->account);
    if (status == GPIS_OK) fill_table(s);
    while (status == GPIS_OK) {
        status = measure(s);
        if (status != GPIS_OK) break;
        gpis_run_check(run);
        if (run->ended) break;
        for (int64_t i = 0; i < s->batches.count && status == GPIS_OK; i++) status = iteration(s);
        gpis_account_enter_work(&run->account, 1.0, 0.0);
        gpis_account_enter_inner(&run->account, s->batches.count);
    }
    return status;
}

static gpis_status run_saga(gpis_run *run, const double *x0) {
    const gpis_problem *p = run->problem;
    gpis_context *context = run->context;
    saga s = {.run = run};
    const int64_t rows = gpis_min64(run->settings->batch, p->n);
    gpis_status status = gpis_batches_start(context, p->A, p->Y, p->k, &p->terms, rows, &s.batches);
    double *vectors = status == GPIS_OK ? gpis_alloc(context, 5 * p->size, sizeof(double)) : NULL;
    s.table = vectors ? gpis_alloc(context, p->n * p->k, sizeof(double)) : NULL;
    s.fresh = s.table ? gpis_alloc(context, s.batches.rows * p->k, sizeof(double)) : NULL;
    if (s.fresh) {
        double **field[] = {&s.x, &s.g, &s.gbar, &s.direction, &s.v};
        for (int i = 0; i < 5; i++) *field[i] = vectors + i * p->size;
        memcpy(s.x, x0, (size_t)p->size * sizeof(double));
        status = epochs(&s);
    } else {
        status = GPIS_NO_MEMORY;
    }
    gpis_free(context, s.fresh);
    gpis_free(context, s.table);
    gpis_free(context, vectors);
    gpis_batches_end(context, &s.batches);
    return status;
}

static const char *applicable(const gpis_run *run) {
    return run->problem->A->resident
               ? NULL
               : "it reads rows in random order, and these are made on demand or lie in several parts";
}

const gpis_method gpis_method_saga = {
    .name = "saga", .applicable = applicable, .run = run_saga, .endless = true, .by_rows = true};
