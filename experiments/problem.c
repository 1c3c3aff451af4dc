/* A problem of the paper in memory, its set, and its certified solution. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"

enum { REFERENCE_SECONDS = 600 };

/* A set knows its dictionary U by the name of a file. The file lies in a folder of its own, whose name holds nothing
 * that a spec could take for something else, and is gone as soon as it has been read. */
static int parse_with_dictionary(problem *p) {
    char folder[] = "/tmp/gpis-XXXXXX", path[sizeof folder + 8], spec[sizeof path + 64];
    if (!mkdtemp(folder)) return cli_fail(CLI_TROUBLE, "cannot make a temporary folder in /tmp");
    snprintf(path, sizeof path, "%s/U.npy", folder);
    gen_set_spec(&p->data, path, spec, sizeof spec);
    gpis_status status = gpis_array_write(p->context, path, p->data.U, p->data.d, p->data.d, 2);
    if (status == GPIS_OK) status = gpis_set_parse(p->context, spec, p->posed, &p->set);
    unlink(path);
    rmdir(folder);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

static int make_set(problem *p, const char *given) {
    char spec[64];
    if (!given && p->data.U) return parse_with_dictionary(p);
    gen_set_spec(&p->data, "", spec, sizeof spec);
    const gpis_status status = gpis_set_parse(p->context, given ? given : spec, p->posed, &p->set);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

/* A, y and the set as one problem. */
static int pose(problem *p, const char *set) {
    gpis_status status = gpis_problem_create(p->context, p->A, &p->posed);
    if (status == GPIS_OK) status = gpis_problem_response(p->posed, p->data.y, p->data.n, p->data.k);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    const int code = make_set(p, set);
    if (code != 0) return code;
    status = gpis_problem_constrain(p->posed, p->set);
    return status == GPIS_OK ? 0 : cli_fail_status(p->context, status);
}

int problem_open(problem *p, const gen_options *options, int64_t threads, const char *set) {
    gpis_status status = gpis_context_create(&p->context);
    if (status == GPIS_OK) status = gpis_context_set_threads(p->context, (int)threads);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    openblas_set_num_threads(1);
    const int code = gen_make(options, &p->data);
    if (code != 0) return code;
    status =
        gpis_source_dense(p->context, p->data.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->data.n, p->data.d, p->data.d, &p->A);
    return status == GPIS_OK ? pose(p, set) : cli_fail_status(p->context, status);
}

void problem_close(problem *p) {
    gpis_problem_destroy(p->posed);
    gpis_set_destroy(p->set);
    gpis_source_destroy(p->A);
    gpis_context_destroy(p->context);
    gen_problem_clear(&p->data);
}

static int stop_when_interrupted(void *user, const gpis_progress *progress) {
    (void)user;
    (void)progress;
    return cli_interrupted();
}

int problem_solve(problem *p, double tol, gpis_result **result) {
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.tol = tol;
    settings.time_limit = REFERENCE_SECONDS;
    settings.progress = stop_when_interrupted;
    const gpis_status status = gpis_solve(p->posed, &settings, result);
    if (status != GPIS_OK) return cli_fail_status(p->context, status);
    return (*result)->outcome == GPIS_INTERRUPTED ? CLI_INTERRUPTED : 0;
}
