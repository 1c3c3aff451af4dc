/* Rows are converted to float, a panel at a time; each strip of panels has a sum of its own. */
#include "linalg/coarse.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum {
    PANEL = 512, /* rows */
    STRIPS = 8   /* also the largest number of threads that can work */
};

typedef struct coarse {
    const double *B; /* borrowed */
    int64_t m, d;
    int threads;
    double *norms2; /* owned: squared norms of the columns in each strip; then the first d are 1 / ||b_j|| */
    float *panels;  /* owned: a panel for each thread */
    float *sums;    /* owned: the upper triangle for each strip */
} coarse;

static int threads_of(const gpis_context *context, int64_t m, int64_t d) {
    return (int)gpis_min64(gpis_threads_for(context->threads, (double)(m * d) * (double)d / 4.0), STRIPS);
}

double gpis_coarse_memory(const gpis_context *context, int64_t d) {
    const double panels = 4.0 * PANEL * (double)d * (double)gpis_min64(context->threads, STRIPS);
    return 4.0 * STRIPS * (double)d * (double)d + 8.0 * STRIPS * (double)d + panels;
}

/* Strip t has the panels t, t + STRIPS, ... */
static void add_norms(const coarse *c, int64_t strip) {
    double *norms2 = c->norms2 + strip * c->d;
    memset(norms2, 0, (size_t)c->d * sizeof *norms2);
    for (int64_t first = strip * PANEL; first < c->m; first += STRIPS * PANEL)
        for (int64_t i = first; i < gpis_min64(first + PANEL, c->m); i++)
            for (int64_t j = 0; j < c->d; j++) norms2[j] += c->B[i * c->d + j] * c->B[i * c->d + j];
}

/* Adds up the squared norms of the strips; norms2[j] becomes 1 / ||b_j||. */
static void find_scale(const coarse *c) {
    for (int64_t j = 0; j < c->d; j++) {
        double sum = 0.0;
        for (int64_t t = 0; t < STRIPS; t++) sum += c->norms2[t * c->d + j];
        c->norms2[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
    }
}

static void add_products(const coarse *c, int64_t strip, float *panel) {
    const int64_t d = c->d;
    float *sum = c->sums + strip * d * d;
    float beta = 0.0f;
    memset(sum, 0, (size_t)(d * d) * sizeof *sum);
    for (int64_t first = strip * PANEL; first < c->m; first += STRIPS * PANEL, beta = 1.0f) {
        const int64_t rows = gpis_min64(PANEL, c->m - first);
        const double *B = c->B + first * d;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < d; j++) panel[i * d + j] = (float)(B[i * d + j] * c->norms2[j]);
        cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)rows, 1.0f, panel, (int)d, beta, sum, (int)d);
    }
}

/* Adds up the strips in order, and scales the columns back. */
static void collect(const coarse *c, double *H) {
    const int64_t d = c->d;
#pragma omp parallel for num_threads(c->threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            double sum = 0.0;
            for (int64_t t = 0; t < STRIPS; t++) sum += (double)c->sums[(t * d + i) * d + j];
            const double unit = c->norms2[i] * c->norms2[j];
            H[i * d + j] = H[j * d + i] = unit > 0.0 ? sum / unit : 0.0;
        }
}

gpis_status gpis_coarse_gram(gpis_context *context, const double *B, int64_t m, int64_t d, double *H) {
    coarse c = {.B = B, .m = m, .d = d, .threads = threads_of(context, m, d)};
    c.norms2 = gpis_alloc(context, STRIPS * d, sizeof *c.norms2);
    c.panels = gpis_alloc(context, c.threads * PANEL * d, sizeof *c.panels);
    c.sums = gpis_alloc(context, STRIPS * d * d, sizeof *c.sums);
    const gpis_status status = c.norms2 && c.panels && c.sums ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
#pragma omp parallel for num_threads(c.threads) schedule(dynamic)
        for (int64_t strip = 0; strip < STRIPS; strip++) add_norms(&c, strip);
        find_scale(&c);
#pragma omp parallel for num_threads(c.threads) schedule(dynamic)
        for (int64_t strip = 0; strip < STRIPS; strip++)
            add_products(&c, strip, c.panels + (int64_t)omp_get_thread_num() * PANEL * d);
        collect(&c, H);
    }
    gpis_free(context, c.norms2);
    gpis_free(context, c.panels);
    gpis_free(context, c.sums);
    return status;
}
