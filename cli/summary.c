/* What is printed about a summary, for people and as JSON. */
#include "cli.h"

json_t *cli_summary_json(const gpis_summary *summary) {
    gpis_summary_info info = {.size = sizeof info};
    gpis_summary_describe(summary, &info);
    json_t *rows = json_array();
    for (int64_t f = 0; f < info.folds; f++)
        json_array_append_new(rows, json_integer(gpis_summary_fold_rows(summary, f)));
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)info.seed);
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:f, s:o, s:b, s:b, s:b, s:s}", "rows", (json_int_t)info.rows, "cols",
                     (json_int_t)info.columns, "responses", (json_int_t)info.responses, "folds", (json_int_t)info.folds,
                     "fold_rows", rows, "weights_sum", info.weights_sum, "gamma", cli_json_number(info.gamma),
                     "weighted", info.weighted, "offset", info.offset, "given_folds", info.given_folds, "seed", seed);
}

void cli_summary_print(const gpis_summary *summary, const char *before) {
    gpis_summary_info info = {.size = sizeof info};
    gpis_summary_describe(summary, &info);
    printf("%ssummary    %lld rows, %lld columns, %lld response%s%s%s\n", before, (long long)info.rows,
           (long long)info.columns, (long long)info.responses, info.responses == 1 ? "" : "s",
           info.weighted ? ", with weights" : "", info.offset ? ", without an offset that was given" : "");
    printf("%ssums       each within %.1e of the product of the norms of its columns\n", before, info.gamma);
    if (info.folds < 2) return;
    int64_t least = INT64_MAX, most = 0;
    for (int64_t f = 0; f < info.folds; f++) {
        const int64_t rows = gpis_summary_fold_rows(summary, f);
        least = rows < least ? rows : least;
        most = rows > most ? rows : most;
    }
    printf("%sfolds      %lld of %lld to %lld rows, ", before, (long long)info.folds, (long long)least,
           (long long)most);
    if (info.given_folds)
        puts("as given");
    else
        printf("drawn with seed %llu\n", (unsigned long long)info.seed);
}

int cli_summary_write(gpis_context *context, const gpis_summary *summary, const char *out, const cli_common *common,
                      double seconds, int sweeps) {
    const gpis_status status = gpis_summary_save(summary, out);
    if (status != GPIS_OK) return cli_fail_status(context, status);
    if (common->json) {
        json_t *report = cli_summary_json(summary);
        json_object_set_new(report, "sweeps", json_integer(sweeps));
        json_object_set_new(report, "seconds", cli_json_number(seconds));
        json_object_set_new(report, "out", cli_json_text(out));
        json_object_set_new(report, "version", json_string(gpis_version()));
        return cli_print_json(report);
    }
    if (common->quiet) return 0;
    cli_summary_print(summary, "");
    printf("written to %s, after %.2f s\n", cli_printable(out).text, seconds);
    return 0;
}
