/* Reports: what Python fills of the structs of cli/page.h, which the extension compiles. */
typedef struct page_constraint {
    const char *words, *text;
} page_constraint;

typedef struct page {
    const char *command;
    const char *a, *target;
    int64_t rows, columns, responses;
    const page_constraint *constraints;
    int64_t constraint_count;
    _Bool radii, penalties;
    _Bool intercept, standardized;
    const char *weighted_by, *offset_by;
    double l1, l2, tol;
    const gpis_encoding *encoding;
    gpis_context *context;
    gpis_source *A;
    const double *Y, *weights, *offset;
    _Bool resident;
    gpis_set *set;
    gpis_problem *problem;
    const gpis_settings *settings;
    const gpis_result *result;
    const gpis_ranges *ranges;
    const gpis_progress *trace;
    int64_t trace_count;
    double load_seconds;
    ...;
} page;

typedef struct cli_path {
    const gpis_source *A;
    int64_t rows;
    const gpis_path *path;
    const gpis_cv *cv;
} cli_path;
