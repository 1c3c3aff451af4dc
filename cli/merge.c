/* gpis merge: summaries of different rows become one. */
#include <stdlib.h>

#include "cli.h"

typedef struct merge_options {
    cli_common common;
    const char **files; /* owned */
    int count;
    const char *out;
    int64_t only, without; /* folds, from 1; 0: none is named */
} merge_options;

enum { KEY_OUT = 512, KEY_ONLY_FOLD, KEY_WITHOUT_FOLD };

static const struct argp_option options[] = {
    {"only-fold", KEY_ONLY_FOLD, "N", 0, "keep the rows of this fold alone, counted from 1", 1},
    {"without-fold", KEY_WITHOUT_FOLD, "N", 0, "keep the rows of all folds but this one", 1},
    {"out", KEY_OUT, "FILE", 0, "write the merged summary here", 5},
    {0},
};

static const char doc[] =
    "Add up summaries of different rows: the result is the summary of all of these rows."
    "\vThe summaries may have been made anywhere, with `gpis summarize` or the library. They must have the same "
    "columns, "
    "responses and folds, and either all or none of them weights, and likewise an offset. For folds drawn at random, "
    "each must have been made with the same --seed and with its own --first-row.\n"
    "\n"
    "Example: gpis merge january.npz february.npz --out both.npz";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    merge_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->common; return 0;
    case KEY_OUT: o->out = arg; return 0;
    case KEY_ONLY_FOLD: return cli_integer(state, "only-fold", arg, 1, CLI_MAX_FOLDS, &o->only);
    case KEY_WITHOUT_FOLD: return cli_integer(state, "without-fold", arg, 1, CLI_MAX_FOLDS, &o->without);
    case ARGP_KEY_ARG: o->files[o->count++] = arg; return 0;
    case ARGP_KEY_END:
        if (o->count < 1) return cli_usage(state, "merge needs the files of the summaries");
        if (!o->out) return cli_usage(state, "merge needs --out FILE, the file to write the summary to");
        if (o->only && o->without)
            return cli_usage(state, "--only-fold and --without-fold exclude each other; give one of them");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the command ---- */

static int merge(gpis_context *context, const merge_options *o, gpis_summary **parts) {
    gpis_summary *merged = NULL;
    const double start = cli_clock();
    gpis_status status = GPIS_OK;
    for (int i = 0; i < o->count && status == GPIS_OK; i++) status = gpis_summary_load(context, o->files[i], &parts[i]);
    if (status == GPIS_OK) status = gpis_summary_merge(context, (const gpis_summary *const *)parts, o->count, &merged);
    if (status == GPIS_OK && (o->only || o->without)) {
        gpis_summary *whole = merged;
        status = gpis_summary_fold(whole, (o->only ? o->only : o->without) - 1, o->without > 0, &merged);
        gpis_summary_destroy(whole);
    }
    const int code = status == GPIS_OK ? cli_summary_write(context, merged, o->out, &o->common, cli_clock() - start, 0)
                                       : cli_fail_status(context, status);
    gpis_summary_destroy(merged);
    return code;
}

int cli_merge(int argc, char **argv) {
    const struct argp_child children[] = {{&cli_alone_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse_option, "S1 S2...", doc, children, NULL, NULL};
    merge_options o = {.common = cli_common_default(), .files = calloc((size_t)argc, sizeof(char *))};
    gpis_summary **parts = calloc((size_t)argc, sizeof *parts);
    gpis_context *context = NULL;
    int code = 0;
    if (!o.files || !parts || gpis_context_create(&context) != GPIS_OK)
        code = cli_fail(CLI_TROUBLE, "out of memory");
    else if (!cli_parse(&argp, argc, argv, &o))
        code = CLI_BAD_INPUT;
    else
        code = cli_output_try(o.out);
    if (code == 0) code = merge(context, &o, parts);
    for (int i = 0; parts && i < argc; i++) gpis_summary_destroy(parts[i]);
    gpis_context_destroy(context);
    free(parts);
    free(o.files);
    return code;
}
