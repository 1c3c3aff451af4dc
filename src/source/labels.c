/* The numbers that the rows of a source have besides those of A: y, weights, an offset. */
#include <string.h>

#include "source/source.h"

/* Where a source keeps the numbers of a role. */
static double **place_of(gpis_source *source, gpis_role role) {
    switch (role) {
    case GPIS_ROLE_WEIGHTS: return &source->weights;
    case GPIS_ROLE_OFFSET: return &source->offset;
    default: return &source->target;
    }
}

/* Numbers that a row has in a role. */
static int64_t width_of(const gpis_source *source, gpis_role role) {
    return role == GPIS_ROLE_TARGET ? source->target_k : 1;
}

int64_t gpis_roles_count(unsigned roles) {
    int64_t count = 0;
    for (gpis_role r = 0; r < GPIS_ROLES; r++) count += roles >> r & 1;
    return count;
}

unsigned gpis_source_roles(const gpis_source *source) {
    return (source->target ? 1u << GPIS_ROLE_TARGET : 0) | (source->weights ? 1u << GPIS_ROLE_WEIGHTS : 0) |
           (source->offset ? 1u << GPIS_ROLE_OFFSET : 0);
}

gpis_status gpis_source_take_labels(gpis_source *source, unsigned roles, double **labels) {
    const int64_t count = gpis_roles_count(roles);
    gpis_status status = GPIS_OK;
    if (roles >> GPIS_ROLE_TARGET & 1) source->target_k = 1;
    for (gpis_role r = 0, slot = 0; r < GPIS_ROLES && status == GPIS_OK; r++) {
        if (!(roles >> r & 1)) continue;
        double *column = count == 1 ? *labels : gpis_alloc(source->context, source->n, sizeof *column);
        *place_of(source, r) = column;
        if (!column) status = GPIS_NO_MEMORY;
        for (int64_t i = 0; count > 1 && column && i < source->n; i++) column[i] = (*labels)[i * count + slot];
        slot++;
    }
    if (count > 1) gpis_free(source->context, *labels);
    *labels = NULL;
    return status;
}

gpis_status gpis_source_copy_labels(gpis_source *source, int64_t all, int64_t to, const gpis_source *from, int64_t row0,
                                    int64_t nrows) {
    source->target_k = from->target_k;
    for (gpis_role r = 0; r < GPIS_ROLES; r++) {
        double **place = place_of(source, r);
        const double *numbers = *place_of((gpis_source *)from, r);
        const int64_t k = width_of(from, r);
        if (!numbers) continue;
        if (!*place && !(*place = gpis_alloc(source->context, all * k, sizeof(double)))) return GPIS_NO_MEMORY;
        memcpy(*place + to * k, numbers + row0 * k, (size_t)(nrows * k) * sizeof(double));
    }
    return GPIS_OK;
}

const double *gpis_source_target(const gpis_source *source, int64_t *k) {
    if (k) *k = source && source->target ? source->target_k : 0;
    return source ? source->target : NULL;
}

const double *gpis_source_weights(const gpis_source *source) { return source ? source->weights : NULL; }

const double *gpis_source_offset(const gpis_source *source) { return source ? source->offset : NULL; }
