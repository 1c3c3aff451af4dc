/* gpis info: what is in a file, and what is wrong with it. */
#include <stdlib.h>

#include "cli.h"

typedef struct info_options {
    const char **files; /* owned */
    int count;
    cli_common common; /* of which the options for opening files and standard input count */
    bool json;
} info_options;

/* What is known of one file; the texts are borrowed from the source and the context. */
typedef struct finding {
    const char *file;
    gpis_source *source; /* NULL: it could not be opened */
    gpis_source_info shape;
    int64_t responses;   /* columns of y inside */
    const char *trouble; /* NULL: none */
    bool listed;         /* a file of several things, of which none was named */
} finding;

enum { KEY_JSON = 256 };

static const struct argp_option options[] = {
    {"json", KEY_JSON, 0, 0, "print one JSON object instead", 5},
    {0},
};

static const char doc[] =
    "Show the shape, type, layout and sparsity of data files, and what is wrong with them."
    "\vFiles are .npy, .csv, .tsv, .mtx, .svm or .libsvm (text may be gzipped), HDF5 (FILE.h5, or "
    "FILE.h5:/path for one data set), or - for standard input. Every entry is read. Exit codes: 0 "
    "all files are fine, 2 bad content or usage, 3 file or memory trouble; the other files are "
    "still examined.\n"
    "\n"
    "Example: gpis info A.npy data.csv";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    info_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->common; return 0;
    case KEY_JSON: o->json = true; return 0;
    case ARGP_KEY_ARG: return cli_take_input(state, &o->common, arg, &o->files[o->count++]);
    case ARGP_KEY_NO_ARGS: return cli_usage(state, "info needs the name of a file");
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Opens and reads one file; returns 0 or an exit code. f->source is the caller's to destroy. */
static int look(gpis_context *context, const cli_common *common, finding *f) {
    cli_loading loading;
    const gpis_open_options opening = cli_open_options(&loading, common, f->file, false);
    gpis_status status = gpis_context_set_memory(context, opening.memory);
    if (status == GPIS_OK) status = gpis_source_open_with(context, f->file, &opening, &f->source);
    cli_loading_end(&loading);
    if (status == GPIS_OK) {
        gpis_source_describe(f->source, &f->shape);
        cli_tell_cache_trouble(&f->shape);
        if (!gpis_source_target(f->source, &f->responses)) f->responses = 0;
        status = gpis_source_audit(context, f->source);
    } else {
        f->source = NULL;
    }
    if (status != GPIS_OK) f->trouble = gpis_last_error(context);
    return cli_exit_code(status);
}

static double density(const gpis_source_info *shape) {
    const double all = (double)shape->rows * (double)shape->cols;
    return all > 0 ? (double)shape->nonzeros / all : 0;
}

static const char *type_name(gpis_type type) { return type == GPIS_FLOAT32 ? "float32" : "float64"; }

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void print_columns(const gpis_source *source, int64_t cols) {
    enum { SHOWN = 12 };
    if (!gpis_source_column(source, 0)) return;
    printf("  columns   ");
    for (int64_t j = 0; j < cols && j < SHOWN; j++) printf(" %s", cli_printable(gpis_source_column(source, j)).text);
    if (cols > SHOWN) printf(" ... (%lld in all)", (long long)cols);
    putchar('\n');
}

static void print_finding(const finding *f) {
    if (f->source) {
        printf("  shape      %lld x %lld\n", (long long)f->shape.rows, (long long)f->shape.cols);
        printf("  stored as  %s, %s, %s\n", f->shape.kind, type_name(f->shape.type), f->shape.layout);
        printf("  entries    %lld (%.4g %% of the matrix)\n", (long long)f->shape.nonzeros, 100 * density(&f->shape));
        printf("  a pass     reads %lld bytes\n", (long long)f->shape.bytes);
        print_columns(f->source, f->shape.cols);
        cli_print_encoding(gpis_source_encoding(f->source));
        if (f->responses > 0) printf("  target     y is inside, %lld column(s)\n", (long long)f->responses);
    }
    if (f->listed)
        printf("  content    not read; name a matrix, as in %s:/NAME\n", cli_printable(f->file).text);
    else
        printf("  content    %s\n", f->trouble ? "trouble, see below" : "fine: every entry is finite");
    fflush(stdout);
    if (f->trouble) cli_fail(0, "%s", f->trouble);
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static json_t *column_names(const finding *f) {
    if (!gpis_source_column(f->source, 0)) return json_null();
    json_t *names = json_array();
    for (int64_t j = 0; j < f->shape.cols; j++)
        json_array_append_new(names, cli_json_text(gpis_source_column(f->source, j)));
    return names;
}

static json_t *describe(const finding *f) {
    json_t *object = json_object();
    cli_text trouble = cli_printable(f->trouble);
    json_object_set_new(object, "file", cli_json_text(f->file));
    json_object_set_new(object, "trouble", f->trouble ? cli_json_text(cli_name_options(trouble.text)) : json_null());
    if (!f->source) return object;
    json_object_set_new(object, "rows", json_integer(f->shape.rows));
    json_object_set_new(object, "cols", json_integer(f->shape.cols));
    json_object_set_new(object, "kind", json_string(f->shape.kind));
    json_object_set_new(object, "type", json_string(type_name(f->shape.type)));
    json_object_set_new(object, "layout", json_string(f->shape.layout));
    json_object_set_new(object, "nonzeros", json_integer(f->shape.nonzeros));
    json_object_set_new(object, "density", json_real(density(&f->shape)));
    json_object_set_new(object, "bytes", json_integer(f->shape.bytes));
    json_object_set_new(object, "responses", json_integer(f->responses));
    json_object_set_new(object, "columns", column_names(f));
    json_object_set_new(object, "table", cli_json_encoding(gpis_source_encoding(f->source)));
    return object;
}

static int64_t columns_of(const gpis_summary *summary) {
    gpis_summary_info info = {.size = sizeof info};
    return gpis_summary_describe(summary, &info) == GPIS_OK ? info.columns : 0;
}

/* A summary: what it was made of. */
static int report_summary(gpis_context *context, const info_options *o, const char *file, json_t *all) {
    finding f = {.file = file};
    gpis_summary *summary = NULL;
    const gpis_status status = gpis_summary_load(context, file, &summary);
    if (status != GPIS_OK) f.trouble = gpis_last_error(context);
    if (o->json) {
        json_t *object = describe(&f), *content = summary ? cli_summary_json(summary) : NULL;
        if (content) json_object_set_new(content, "kind", json_string("summary"));
        if (content) json_object_update_missing(object, content);
        json_decref(content);
        json_array_append_new(all, object);
    } else {
        if (summary) cli_summary_print(summary, "  ");
        if (summary) print_columns(gpis_summary_source(summary), columns_of(summary));
        printf("  content    %s\n", f.trouble ? "trouble, see below" : "fine: all checksums match");
        fflush(stdout);
    }
    if (f.trouble) cli_fail(0, "%s", f.trouble);
    gpis_summary_destroy(summary);
    return cli_exit_code(status);
}

/* Reports on one file; returns 0 or an exit code. */
static int report(gpis_context *context, const info_options *o, const char *file, json_t *all) {
    finding f = {.file = file};
    json_t *contents = NULL;
    int code = 0, matrices = 1;
    if (!o->json) printf("%s\n", cli_printable(file).text);
    if (gpis_is_summary(file)) return report_summary(context, o, file, all);
    const bool container = cli_contents(context, file, o->json ? &contents : NULL, &code, &matrices);
    f.listed = container && code == 0 && matrices != 1;
    if (container && code != 0)
        f.trouble = gpis_last_error(context);
    else if (!f.listed)
        code = look(context, &o->common, &f);
    if (!o->json) {
        print_finding(&f);
    } else {
        json_t *object = describe(&f);
        if (container) json_object_set(object, "contents", contents);
        json_array_append_new(all, object);
        if (f.trouble) cli_fail(0, "%s", f.trouble);
    }
    json_decref(contents);
    gpis_source_destroy(f.source);
    return code;
}

static int tell_all(gpis_context *context, const info_options *o) {
    json_t *all = json_array();
    int worst = 0;
    for (int i = 0; i < o->count; i++) {
        const int code = report(context, o, o->files[i], all);
        if (code > worst) worst = code;
    }
    if (!o->json) {
        json_decref(all);
        return worst;
    }
    const int code = cli_print_json(json_pack("{s:o}", "files", all));
    return code > worst ? code : worst;
}

int cli_info(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_OPEN);
    const struct argp_child children[] = {{&table, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse_option, "FILE...", doc, children, NULL, NULL};
    info_options o = {.common = cli_common_default(), .files = calloc((size_t)argc, sizeof(char *))};
    gpis_context *context = NULL;
    int code = 0;
    if (!o.files || gpis_context_create(&context) != GPIS_OK)
        code = cli_fail(CLI_TROUBLE, "out of memory");
    else
        code = cli_parse(&argp, argc, argv, &o) ? tell_all(context, &o) : CLI_BAD_INPUT;
    gpis_context_destroy(context);
    free(o.files);
    return code;
}
