/* What a solve or a check reports: a short summary for people, one JSON object for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_LISTED = 10000 }; /* columns of A up to which --json lists the coefficients */

static int64_t entries(const cli_problem *p) { return p->shape.cols * p->k; }

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

bool cli_write_json(FILE *stream, const json_t *object) {
    /* ASCII: names from files cannot command a terminal then. */
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII;
    return object && json_dumpf(object, stream, flags) == 0 && putc('\n', stream) != EOF;
}

int cli_write_object(const char *path, json_t *object) {
    cli_output output = {0};
    int code = cli_output_open(&output, path);
    if (code == 0 && !cli_write_json(output.stream, object)) code = cli_fail(CLI_TROUBLE, "cannot write %s", path);
    json_decref(object);
    if (code == 0) return cli_output_commit(&output);
    cli_output_discard(&output);
    return code;
}

int cli_print_json(json_t *object) {
    const bool printed = cli_write_json(stdout, object);
    json_decref(object);
    return printed || ferror(stdout) ? 0 : cli_fail(CLI_TROUBLE, "out of memory");
}

/* Integers of JSON end at 2^63 - 1 here; a larger seed is a text. */
static json_t *seed_or_text(const cli_common *common) {
    char text[32];
    if (common->settings.seed <= INT64_MAX) return json_integer((json_int_t)common->settings.seed);
    gpis_settings_get(&common->settings, "seed", text, sizeof text);
    return json_string(text);
}

/* What only check has to say. */
static bool add_given(json_t *report, const gpis_result *r, const cli_given *given) {
    if (!given) return true;
    return json_object_set_new(report, "in_set", json_boolean(given->in_set)) == 0 &&
           json_object_set_new(report, "given_objective", cli_json_number(r->given_objective)) == 0 &&
           json_object_set_new(report, "given_nonzeros", json_integer(given->nonzeros)) == 0;
}

/* The intercept of a problem that has one: a number, or a list with one for each response. */
static bool add_intercept(json_t *report, const gpis_result *r) {
    if (!r->intercept) return true;
    json_t *list = json_array();
    bool whole = list != NULL;
    for (int64_t c = 0; whole && c < r->k; c++)
        whole = json_array_append_new(list, cli_json_number(r->intercept[c])) == 0;
    if (r->k > 1) return json_object_set_new(report, "intercept", list) == 0 && whole;
    json_decref(list);
    return whole && json_object_set_new(report, "intercept", cli_json_number(r->intercept[0])) == 0;
}

json_t *cli_report_object(const cli_problem *p, const cli_common *common, const gpis_result *r, const cli_given *given,
                          double sent, bool all) {
    json_t *report = json_object();
    const struct {
        const char *key;
        json_t *value;
    } fields[] = {
        {"status", json_string(gpis_outcome_text(r->outcome))},
        {"method", json_string(r->method)},
        {"set", cli_json_text(gpis_set_spec(p->set))},
        {"objective", cli_json_number(r->objective)},
        {"penalty", cli_json_number(r->penalty)},
        {"gap", cli_json_number(r->gap)},
        {"gap_kind", json_string(gpis_gap_kind_text(r->gap_kind))},
        {"gap_delta", cli_json_number(r->gap_delta)},
        {"nearness", cli_json_number(r->nearness)},
        {"backward_error", cli_json_number(r->backward_error)},
        {"horizon", r->horizon > 0 ? cli_json_number(r->horizon) : json_null()},
        {"unique", r->unique < 0 ? json_null() : json_boolean(r->unique)},
        {"unique_reason", cli_json_text_or_null(r->unique_reason)},
        {"relative_gap", cli_json_number(gpis_relative_gap(r))},
        {"feasibility", cli_json_number(r->feasibility)},
        {"violation", cli_json_number(r->violation)},
        {"radius", cli_json_number(r->radius)},
        {"r2", cli_json_number(r->r2)},
        {"rmse", cli_json_number(r->rmse)},
        {"degrees_of_freedom", cli_json_number(r->degrees_of_freedom)},
        {"sigma2", cli_json_number(r->sigma2)},
        {"passes", json_integer(r->passes)},
        {"sweeps", json_integer(r->sweeps)},
        {"sketches", json_integer(r->sketches)},
        {"resumed_passes", json_integer(r->resumed_passes)},
        {"epochs", cli_json_number(r->epochs)},
        {"bytes_read", json_integer((json_int_t)r->bytes_read)},
        {"seconds", cli_json_number(r->seconds)},
        {"predicted_passes", r->predicted_passes > 0 ? json_integer(r->predicted_passes) : json_null()},
        {"predicted_seconds", cli_json_number(r->predicted_seconds)},
        {"load_seconds", cli_json_number(p->load_seconds)},
        {"rows", json_integer(p->shape.rows)},
        {"cols", json_integer(p->shape.cols)},
        {"responses", json_integer(p->k)},
        {"table", cli_json_encoding(p->encoding)},
        {"nonzeros", json_integer(cli_count_nonzeros(r->x, entries(p)))},
        {"seed", seed_or_text(common)},
        {"threads", json_integer(gpis_context_threads(p->context))},
        {"plan", cli_json_text(r->plan)},
        {"warning", cli_json_text_or_null(r->warning)},
        {"checkpoint_trouble", cli_json_text_or_null(r->checkpoint_trouble)},
        {"version", json_string(gpis_version())},
        {"active", cli_active_json(p, r)},
    };
    bool whole = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        whole = json_object_set_new(report, fields[i].key, fields[i].value) == 0 && whole;
    whole = add_intercept(report, r) && whole;
    whole = add_given(report, r, given) && whole;
    if (cli_ranks()) {
        whole = json_object_set_new(report, "ranks", json_integer(cli_ranks()->ranks)) == 0 && whole;
        whole = json_object_set_new(report, "bytes_sent", json_integer((json_int_t)sent)) == 0 && whole;
    }
    if (all || p->shape.cols <= MOST_LISTED)
        whole = json_object_set_new(report, "coefficients", cli_coefficients_json(p, r)) == 0 && whole;
    if (whole) return report;
    json_decref(report);
    return NULL;
}

int cli_report_json(const cli_problem *p, const cli_common *common, const gpis_result *r, const cli_given *given,
                    double sent) {
    json_t *report = cli_report_object(p, common, r, given, sent, false);
    return report ? cli_print_json(report) : cli_fail(CLI_TROUBLE, "out of memory");
}

/* ---- the summary ------------------------------------------------------------------------------------------------- */

static const char *outcome_in_words(const gpis_result *r) {
    const bool audit = strcmp(r->method, "check") == 0; /* which makes no progress that could stop */
    switch (r->outcome) {
    case GPIS_SOLVED: return "solved";
    case GPIS_MAX_PASSES: return "ended at the limit of passes";
    case GPIS_TIME_LIMIT: return "ended at the time limit";
    case GPIS_STALLED: return audit ? "not certified" : "ended where rounding stops progress";
    case GPIS_INTERRUPTED: return "interrupted; this is the best point so far";
    }
    return gpis_outcome_text(r->outcome);
}

static void print_certificate(const gpis_result *r) {
    const double relative = gpis_relative_gap(r);
    if (r->gap_kind == GPIS_GAP_NONE || !isfinite(r->gap)) {
        puts("certificate   none: no finite bound was reached");
        return;
    }
    if (r->gap >= r->objective && r->objective > 0 && r->outcome != GPIS_SOLVED) {
        puts("certificate   none, but that an objective is never below 0");
        return;
    }
    if (isfinite(relative))
        printf("certificate   %s: within %.1e of the best possible objective, relative",
               gpis_gap_kind_text(r->gap_kind), relative);
    else
        printf("certificate   %s: within %.1e of the best possible objective", gpis_gap_kind_text(r->gap_kind), r->gap);
    if (r->horizon > 0) printf(", unless terms are over %.0e times as long as y and cancel", r->horizon);
    if (r->nearness > 0) printf(", for data within %.1e of these", r->nearness);
    if (r->gap_kind == GPIS_GAP_PROBABLE) printf("; wrong with probability below %.0e", r->gap_delta);
    putchar('\n');
}

/* That x is the only answer needs no line. */
static void print_uniqueness(const gpis_result *r) {
    if (r->unique > 0 || !r->unique_reason[0]) return;
    printf("unique        %s: %s\n", r->unique == 0 ? "no" : "perhaps not", cli_printable(r->unique_reason).text);
}

/* An x outside the set is reported as it was given, before its projection. */
static void print_given(const cli_problem *p, const gpis_result *r, const cli_given *given) {
    printf("x as given    NOT in the set: its distance from it is %.4g\n", r->feasibility);
    printf("  objective   %.10g\n", r->given_objective);
    printf("  nonzeros    %lld of %lld\n", (long long)given->nonzeros, (long long)entries(p));
    puts("x projected on the set, the nearest point that is in it:");
}

static void print_intercept(const gpis_result *r) {
    enum { SHOWN = 5 };
    printf("intercept    ");
    for (int64_t c = 0; c < r->k && c < SHOWN; c++) printf(" %.10g", r->intercept[c]);
    puts(r->k > SHOWN ? " ..." : "");
}

/* How well it fits; of an x outside the set it says nothing about the x that was given. */
static void print_fit(const gpis_result *r) {
    if (isnan(r->rmse)) return;
    printf("fit           ");
    if (!isnan(r->r2)) printf("R^2 %.6g, ", r->r2);
    printf("RMSE %.6g", r->rmse);
    if (!isnan(r->degrees_of_freedom))
        printf(", %.0f degree%s of freedom", r->degrees_of_freedom, r->degrees_of_freedom == 1 ? "" : "s");
    if (!isnan(r->sigma2)) printf(", sigma^2 %.6g", r->sigma2);
    putchar('\n');
}

/* The text of a set can be pages of linear constraints, so it is cut here; JSON has all of it. */
static void print_set(const gpis_set *set) {
    enum { MOST = 240 };
    const cli_text text = cli_printable(gpis_set_spec(set));
    size_t shown = strlen(text.text);
    const bool cut = shown > MOST;
    if (cut)
        for (shown = MOST; ((unsigned char)text.text[shown] & 0xC0) == 0x80;) shown--; /* no half character */
    printf("set           %.*s%s", (int)shown, text.text, cut ? "... (--json has all of it)" : "");
}

void cli_report_summary(const cli_problem *p, const cli_common *common, const gpis_result *r, const cli_given *given,
                        double sent) {
    const bool outside = given && !given->in_set;
    if (outside) print_given(p, r, given);
    printf("outcome       %s (tolerance %.0e)\n", outcome_in_words(r), common->settings.tol);
    printf("problem       %lld row%s, %lld column%s", (long long)p->shape.rows, p->shape.rows == 1 ? "" : "s",
           (long long)p->shape.cols, p->shape.cols == 1 ? "" : "s");
    if (p->k > 1) printf(", %lld responses", (long long)p->k);
    if (isfinite(r->objective))
        printf("\nobjective     %.10g\n", r->objective);
    else
        puts("\nobjective     not known: no pass was made"); /* interrupted in the first */
    cli_penalty_print(p, r);
    print_certificate(r);
    print_fit(r);
    if (!isnan(r->backward_error))
        printf("accuracy      backward error about %.1e: x is exact for data that differ by that much, relative\n",
               r->backward_error);
    print_uniqueness(r);
    print_set(p->set);
    if (outside)
        puts("; x as given is NOT in it, its projection is");
    else
        printf(r->feasibility > 0 ? "; x is within %.1e of it\n" : "; x is in it\n", r->feasibility);
    if (r->intercept) print_intercept(r);
    if (r->violation > 0) printf("violation     %.1e at most, in the units of the constraint\n", r->violation);
    printf("nonzeros      %lld of %lld\n", (long long)cli_count_nonzeros(r->x, entries(p)), (long long)entries(p));
    printf("passes        %lld", (long long)r->passes);
    if (r->sketches > 0) printf(" and %lld sketches", (long long)r->sketches);
    if (r->resumed_passes > 0) printf(", %lld of them from the checkpoint,", (long long)r->resumed_passes);
    printf(" by %s, %.2f s (loading %.2f s)\n", r->method, r->seconds, p->load_seconds);
    if (cli_ranks())
        printf("ranks         %d of %d thread%s, which sent %.3g MB each pass\n", cli_ranks()->ranks,
               gpis_context_threads(p->context), gpis_context_threads(p->context) > 1 ? "s each" : "",
               1e-6 * sent / (double)(r->passes > 0 ? r->passes : 1));
    if (r->plan[0]) printf("plan          %s\n", cli_printable(r->plan).text);
    cli_print_listing(p, r);
}
