/* A source that stands for rows of which only the summary is known. */
#include "summary/rows.h"

#include "pass/pass.h"

static gpis_status refuse(gpis_context *context) {
    return gpis_fail(context, GPIS_NOT_APPLICABLE,
                     "the rows of A are not there: of a summary only their sums are known; use A itself");
}

static gpis_status block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)row0, (void)nrows, (void)scratch, (void)out;
    return refuse(source->context);
}

static void destroy(gpis_source *source) { (void)source; }

static void describe(const gpis_source *source, gpis_source_info *info) {
    (void)source;
    info->layout = "summary";
    info->bytes = 0;
}

static gpis_status audit(gpis_context *context, gpis_source *source) {
    (void)source;
    return refuse(context);
}

static gpis_status fingerprint(gpis_context *context, gpis_source *source, uint32_t *sum) {
    (void)source, (void)sum;
    return refuse(context);
}

static int64_t rows_here(const gpis_source *source) {
    (void)source;
    return 0;
}

static gpis_source *piece(const gpis_source *source) {
    (void)source;
    return NULL;
}

static gpis_status run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    (void)A, (void)pass;
    return refuse(context);
}

static gpis_roundings roundings(const gpis_source *A, const gpis_load *load) {
    (void)A, (void)load;
    return (gpis_roundings){0};
}

static double memory(const gpis_context *context, const gpis_source *A, const gpis_load *load) {
    (void)context, (void)A, (void)load;
    return 0.0;
}

static const struct gpis_walk walk = {run, roundings, memory};

static const gpis_source_class class_of_rows = {.kind = "summary",
                                                .block = block,
                                                .destroy = destroy,
                                                .describe = describe,
                                                .audit = audit,
                                                .fingerprint = fingerprint,
                                                .rows_here = rows_here,
                                                .piece = piece,
                                                .walk = &walk};

gpis_status gpis_summary_rows_new(gpis_context *context, int64_t d, gpis_source **out) {
    *out = gpis_source_new(context, &class_of_rows, NULL);
    if (!*out) return GPIS_NO_MEMORY;
    (*out)->d = d;
    (*out)->type = GPIS_FLOAT64;
    (*out)->block_kind = GPIS_BLOCK_DENSE;
    (*out)->order = GPIS_ROW_MAJOR;
    return GPIS_OK;
}
