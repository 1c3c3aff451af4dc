/*
 * The model file of --model: names, encoding, coefficients and intercept, which `gpis predict` needs, and beside them
 * what was solved, its certificate and its fit, for people. It is JSON:
 *
 *     {"gpis_model": 1, "columns": d, "responses": k, "names": [...], "encoding": "...",
 *      "coefficients": [[...], ...], "intercept": [...], "problem": {...}, "certificate": {...}, "fit": {...}}
 *
 * A file may come from anywhere: sizes are compared with what is there, and every number must be finite.
 */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 }; /* rises when older programs could not read a newer file */

/* ---- written ----------------------------------------------------------------------------------------------------- */

/* The encoding as text; null where A was no table. */
static json_t *encoding_text(const gpis_encoding *encoding) {
    if (!encoding) return json_null();
    const size_t size = gpis_encoding_text(encoding, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) gpis_encoding_text(encoding, text, size);
    json_t *string = text ? cli_json_text(text) : NULL;
    free(text);
    return string;
}

static json_t *coefficients(const cli_problem *p, const gpis_result *r) {
    json_t *rows = json_array();
    for (int64_t j = 0; rows && j < p->shape.cols; j++)
        json_array_append_new(rows, cli_json_numbers(r->x + j * p->k, p->k));
    return rows;
}

static json_t *column_names(const cli_problem *p) {
    if (!gpis_source_column(p->A, 0)) return json_null();
    json_t *list = json_array();
    char made[32];
    for (int64_t j = 0; list && j < p->shape.cols; j++)
        json_array_append_new(list, cli_json_text(cli_column_name(p->A, j, made)));
    return list;
}

/* What was asked for, as it was given. */
static json_t *problem_terms(const cli_problem *p, const cli_common *common) {
    json_t *terms =
        json_pack("{s:o, s:f, s:f, s:b, s:b, s:b, s:b}", "set", cli_json_text(gpis_set_spec(p->set)), "penalty_l1",
                  p->penalty.l1, "penalty_l2", p->penalty.l2, "intercept", cli_problem_is_yes(common, "intercept"),
                  "standardize", cli_problem_is_yes(common, "standardize"), "weights", cli_is_given(common, "weights"),
                  "offset", cli_is_given(common, "offset"));
    if (!terms) return NULL;
    json_object_set_new(terms, "target", common->open.target ? cli_json_text(common->open.target) : json_null());
    json_t *list = json_array();
    for (int64_t i = 0; i < cli_problem_count(common, "subject-to"); i++)
        json_array_append_new(list, cli_json_text(cli_problem_text_at(common, "subject-to", i)));
    json_object_set_new(terms, "subject_to", list);
    return terms;
}

static json_t *certificate(const gpis_result *r, double tol) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:f}", "status", gpis_outcome_text(r->outcome),
                     "method", r->method, "objective", cli_json_number(r->objective), "gap", cli_json_number(r->gap),
                     "relative_gap", cli_json_number(gpis_relative_gap(r)), "gap_kind", gpis_gap_kind_text(r->gap_kind),
                     "gap_delta", cli_json_number(r->gap_delta), "horizon", cli_json_number(r->horizon), "nearness",
                     cli_json_number(r->nearness), "tolerance", tol);
}

static json_t *fit(const cli_problem *p, const gpis_result *r) {
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "rows", (json_int_t)p->shape.rows, "r2", cli_json_number(r->r2),
                     "rmse", cli_json_number(r->rmse), "degrees_of_freedom", cli_json_number(r->degrees_of_freedom),
                     "sigma2", cli_json_number(r->sigma2));
}

json_t *cli_model_object(const cli_problem *p, const cli_common *common, const gpis_result *r) {
    json_t *model = json_object();
    const struct {
        const char *key;
        json_t *value;
    } fields[] = {
        {"gpis_model", json_integer(FORMAT)},
        {"version", json_string(gpis_version())},
        {"columns", json_integer(p->shape.cols)},
        {"responses", json_integer(p->k)},
        {"names", column_names(p)},
        {"intercept", r->intercept ? cli_json_numbers(r->intercept, p->k) : json_null()},
        {"coefficients", coefficients(p, r)},
        {"encoding", encoding_text(p->encoding)},
        {"problem", problem_terms(p, common)},
        {"certificate", certificate(r, common->settings.tol)},
        {"fit", fit(p, r)},
    };
    bool whole = model != NULL;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        whole = json_object_set_new(model, fields[i].key, fields[i].value) == 0 && whole;
    if (whole) return model;
    json_decref(model);
    return NULL;
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *why) {
    return cli_fail(CLI_BAD_INPUT, "%s: is no model of gpis: %s; make one with gpis solve ... --model FILE.json", path,
                    why);
}

/* A list of `count` finite numbers. */
static bool take_numbers(const json_t *list, int64_t count, double *out) {
    if (!json_is_array(list) || (int64_t)json_array_size(list) != count) return false;
    for (int64_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        out[i] = json_number_value(one);
        if (!json_is_number(one) || !isfinite(out[i])) return false;
    }
    return true;
}

/* d rows of k numbers; d and k are at most as large as the file. */
static int take_coefficients(const char *path, const json_t *file, cli_model *m) {
    const json_t *rows = json_object_get(file, "coefficients"), *intercept = json_object_get(file, "intercept");
    const json_t *columns = json_object_get(file, "columns"), *responses = json_object_get(file, "responses");
    m->d = (int64_t)json_array_size(rows);
    m->k = m->d > 0 ? (int64_t)json_array_size(json_array_get(rows, 0)) : 0;
    if (m->d < 1 || m->k < 1) return refuse(path, "it has no coefficients");
    if (json_integer_value(columns) != m->d || json_integer_value(responses) != m->k)
        return refuse(path, "its coefficients are not as many as it says");
    m->x = calloc((size_t)m->d, (size_t)m->k * sizeof *m->x);
    m->intercept = calloc((size_t)m->k, sizeof *m->intercept);
    if (!m->x || !m->intercept) return cli_fail(CLI_TROUBLE, "out of memory");
    for (int64_t j = 0; j < m->d; j++)
        if (!take_numbers(json_array_get(rows, (size_t)j), m->k, m->x + j * m->k))
            return refuse(path, "a coefficient is no finite number, or one is missing");
    m->has_intercept = intercept && !json_is_null(intercept);
    if (m->has_intercept && !take_numbers(intercept, m->k, m->intercept))
        return refuse(path, "the intercept is not a finite number for each response");
    return 0;
}

static int take_names(const char *path, const json_t *file, cli_model *m) {
    const json_t *list = json_object_get(file, "names");
    if (!list || json_is_null(list)) return 0;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != m->d)
        return refuse(path, "it has not as many names as columns");
    m->names = calloc((size_t)m->d, sizeof *m->names);
    if (!m->names) return cli_fail(CLI_TROUBLE, "out of memory");
    for (int64_t j = 0; j < m->d; j++) {
        const char *name = json_string_value(json_array_get(list, (size_t)j));
        if (!name) return refuse(path, "a name is no text");
        m->names[j] = strdup(name);
        if (!m->names[j]) return cli_fail(CLI_TROUBLE, "out of memory");
    }
    return 0;
}

static int take_encoding(gpis_context *context, const char *path, const json_t *file, cli_model *m) {
    const json_t *encoding = json_object_get(file, "encoding");
    const char *text = json_string_value(encoding);
    if (!encoding || json_is_null(encoding)) return 0;
    if (!text) return refuse(path, "its 'encoding' is no text");
    const gpis_status status = gpis_encoding_parse(context, text, &m->encoding);
    if (status == GPIS_OK) return 0;
    return cli_fail(cli_exit_code(status), "%s: %s", path, gpis_last_error(context));
}

int cli_model_read(gpis_context *context, const char *path, cli_model *m) {
    json_error_t trouble;
    *m = (cli_model){0};
    json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &trouble);
    if (!file && trouble.line < 0) return cli_fail(CLI_TROUBLE, "%s: cannot be read: %s", path, strerror(errno));
    int code = 0;
    if (!file)
        code = cli_fail(CLI_BAD_INPUT, "%s: is not JSON: line %d: %s", path, trouble.line, trouble.text);
    else if (!json_is_integer(json_object_get(file, "gpis_model")))
        code = refuse(path, "it has no 'gpis_model'");
    else if (json_integer_value(json_object_get(file, "gpis_model")) != FORMAT)
        code = cli_fail(CLI_BAD_INPUT, "%s: was made by another version of gpis; make the model again", path);
    if (code == 0) code = take_coefficients(path, file, m);
    if (code == 0) code = take_names(path, file, m);
    if (code == 0) code = take_encoding(context, path, file, m);
    if (code == 0) m->has_offset = json_is_true(json_object_get(json_object_get(file, "problem"), "offset"));
    json_decref(file);
    return code;
}

void cli_model_clear(cli_model *m) {
    for (int64_t j = 0; m->names && j < m->d; j++) free(m->names[j]);
    free(m->names);
    free(m->x);
    free(m->intercept);
    gpis_encoding_destroy(m->encoding);
    *m = (cli_model){0};
}
