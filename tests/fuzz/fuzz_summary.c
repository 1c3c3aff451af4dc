/* The file of a summary: loaded, and if it is taken as valid, solved, saved and merged with itself. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

static const char *const TABLE = "a,b,y\n1,north,2\n2,south,3\n4,north,1\n0,east,2\n5,south,4\n3,east,7\n";

static void make_seed(const char *fresh, int64_t folds, const char *seed) {
    gpis_context *context = fuzz_context();
    gpis_open_options open = gpis_open_options_default();
    gpis_summary_options options = gpis_summary_options_default();
    gpis_source *source = NULL;
    gpis_problem *problem = NULL;
    gpis_summary *summary = NULL;
    int64_t k;
    open.target = "y";
    open.categorical = "b";
    options.folds = folds;
    fuzz_write("table.csv", TABLE, strlen(TABLE));
    const bool made = gpis_source_open_with(context, "table.csv", &open, &source) == GPIS_OK &&
                      gpis_problem_create(context, source, &problem) == GPIS_OK &&
                      gpis_problem_response(problem, gpis_source_target(source, &k), 6, 1) == GPIS_OK &&
                      gpis_summary_make(problem, &options, &summary) == GPIS_OK &&
                      gpis_summary_save(summary, "fresh.npz") == GPIS_OK;
    fuzz_require(made, "a fresh summary was not made");
    gpis_summary_destroy(summary);
    gpis_problem_destroy(problem);
    gpis_source_destroy(source);
    fuzz_context_end(context);
    fuzz_keep_seed(fresh, "fresh.npz", seed);
}

void fuzz_start(const char *fresh) {
    if (!fresh) return;
    make_seed(fresh, 1, "fresh-whole");
    make_seed(fresh, 2, "fresh-folds");
}

static void solve(gpis_context *context, const gpis_summary *summary) {
    gpis_problem *problem = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.time_limit = 1.0;
    gpis_status status = gpis_problem_of_summary(context, summary, &problem);
    if (status == GPIS_OK) status = gpis_problem_intercept(problem, 1);
    if (status == GPIS_OK) status = gpis_set_parse(context, "l1:1", problem, &set);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK) status = gpis_solve(problem, &settings, &result);
    if (status == GPIS_OK)
        fuzz_look(result->x, result->d * result->k);
    else
        fuzz_check_refusal(context, status, result);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
}

static void merge_and_save(gpis_context *context, const gpis_summary *summary) {
    const gpis_summary *both[] = {summary, summary};
    gpis_summary *merged, *again = NULL;
    gpis_status status = gpis_summary_merge(context, both, 2, &merged);
    if (status == GPIS_OK) status = gpis_summary_save(summary, "again.npz");
    if (status == GPIS_OK) status = gpis_summary_load(context, "again.npz", &again);
    fuzz_require(status == GPIS_OK || status == GPIS_NO_MEMORY || status == GPIS_TOO_LARGE,
                 "a summary that was loaded is not saved and loaded again");
    gpis_summary_destroy(again);
    gpis_summary_destroy(merged);
}

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("input.npz", data, size);
    gpis_context *context = fuzz_context();
    gpis_summary *summary;
    const gpis_status status = gpis_summary_load(context, "input.npz", &summary);
    if (status == GPIS_OK) {
        gpis_summary_info info = {.size = sizeof info};
        fuzz_accept();
        fuzz_require(gpis_summary_describe(summary, &info) == GPIS_OK && info.rows >= 1, "it has no rows");
        if (info.columns <= 64 && info.responses <= 8) solve(context, summary);
        merge_and_save(context, summary);
    } else
        fuzz_check_refusal(context, status, summary);
    gpis_summary_destroy(summary);
    fuzz_context_end(context);
}
