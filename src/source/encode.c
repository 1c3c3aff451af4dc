/* Raw rows of a table: counted for means, and made rows of A. */
#include <math.h>
#include <string.h>

#include "source/encoding.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_value(gpis_encoding *e, int64_t j, double value) {
    gpis_encoded_mean *m = &e->means[j];
    if (isnan(value)) {
        m->missing++;
    } else if (!e->applied) {
        m->present++;
        if (e->columns[j].category)
            e->columns[j].category->rows[(int64_t)value]++;
        else
            m->sum = gpis_dd_add(m->sum, gpis_dd_of(value));
    }
}

/* Sums are added up row after row, whatever the threads that have parsed the rows. */
gpis_status gpis_encoding_count_rows(gpis_encoding *e, const double *raw, int64_t rows) {
    e->rows += rows;
    if (!e->means) return GPIS_OK;
    gpis_status status = GPIS_OK;
    for (int64_t j = 0; j < e->count && status == GPIS_OK; j++)
        if (e->columns[j].category) status = gpis_category_reserve(e->context, e->columns[j].category);
    for (int64_t i = 0; i < rows && status == GPIS_OK; i++)
        for (int64_t j = 0; j < e->count; j++) count_value(e, j, raw[i * e->count + j]);
    return status;
}

/* ---- rows of A --------------------------------------------------------------------------------------------------- */

/* What a column becomes. */
typedef struct target {
    int64_t first, levels; /* first column of A; 0 levels: a number */
    double mean;           /* NaN: NaN stays NaN */
    const double *shares;  /* of the levels but the first; NULL: a missing level stays NaN */
} target;

static void encode_row(const target *targets, int64_t count, const double *raw, double *out) {
    for (int64_t j = 0; j < count; j++) {
        const target *t = &targets[j];
        const double value = raw[j];
        double *to = out + t->first;
        if (t->levels == 0) {
            *to = isnan(value) ? t->mean : value;
        } else if (isnan(value)) {
            for (int64_t k = 1; k < t->levels; k++) to[k - 1] = t->shares ? t->shares[k - 1] : NAN;
        } else {
            memset(to, 0, (size_t)(t->levels - 1) * sizeof *to);
            if (value >= 1 && value < (double)t->levels) to[(int64_t)value - 1] = 1.0;
        }
    }
}

/* Fills in the targets; `shares` has space for a number for each column of A. */
static void set_targets(const gpis_encoding *e, target *targets, double *shares) {
    for (int64_t j = 0; j < e->count; j++) {
        const gpis_category *c = e->columns[j].category;
        const int64_t first = e->columns[j].first;
        targets[j] = (target){.first = first, .levels = c ? c->levels.count : 0, .mean = NAN};
        if (e->means && !c) targets[j].mean = gpis_encoding_mean(e, j);
        for (int64_t k = 1; e->means && c && k < c->levels.count; k++)
            shares[first + k - 1] = gpis_encoding_share(e, j, k);
        if (e->means && c) targets[j].shares = shares + first;
    }
}

gpis_status gpis_encode_rows(const gpis_encoding *e, const double *raw, int64_t rows, int threads, double *out) {
    gpis_context *context = e->context;
    target *targets = gpis_alloc(context, e->count, sizeof *targets);
    const int64_t width = gpis_encoding_width(e);
    double *shares = gpis_alloc(context, width, sizeof *shares);
    if (targets && shares) {
        set_targets(e, targets, shares);
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)rows *(double)width))
        for (int64_t i = 0; i < rows; i++) encode_row(targets, e->count, raw + i * e->count, out + i * width);
    }
    gpis_free(context, targets);
    gpis_free(context, shares);
    return targets && shares ? GPIS_OK : GPIS_NO_MEMORY;
}
