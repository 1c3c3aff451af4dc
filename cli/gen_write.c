/* The files of a generated problem. problem.json comes last: where it is, all it names is whole. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen.h"

static int join(char path[PATH_MAX], const char *folder, const char *file) {
    if (snprintf(path, PATH_MAX, "%s/%s", folder, file) < PATH_MAX) return 0;
    return cli_fail(CLI_BAD_INPUT, "the name of the folder is too long");
}

/* Makes the folder and those above it where they are missing. */
int gen_make_folder(const char *folder) {
    char path[PATH_MAX];
    struct stat st;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return cli_fail(CLI_BAD_INPUT, "the name of the folder is too long");
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0777); /* trouble shows at the last one */
        *p = '/';
    }
    if (mkdir(path, 0777) != 0 && (errno != EEXIST || stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        return cli_fail(CLI_TROUBLE, "cannot make the folder %s: %s", folder, strerror(errno));
    if (join(path, folder, "problem.json") != 0) return CLI_BAD_INPUT;
    remove(path);
    return 0;
}

static int write_array(gpis_context *context, const char *folder, const char *file, const double *data, int64_t rows,
                       int64_t cols, bool vector) {
    char path[PATH_MAX];
    if (!data) return 0;
    const int code = join(path, folder, file);
    if (code != 0) return code;
    const gpis_status status = gpis_array_write(context, path, data, rows, cols, vector ? 1 : 2);
    return status == GPIS_OK ? 0 : cli_fail_status(context, status);
}

static void print_columns(FILE *stream, const gen_problem *p) {
    for (int64_t j = 0; j < p->d; j++) fprintf(stream, "%s\n", p->columns[j]);
}

static void print_csv(FILE *stream, const gen_problem *p) {
    for (int64_t j = 0; j < p->d; j++) fprintf(stream, "%s,", p->columns[j]);
    fprintf(stream, "%s\n", p->target);
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j < p->d; j++) fprintf(stream, "%.17g,", p->A[i * p->d + j]);
        fprintf(stream, "%.17g\n", p->y[i]);
    }
}

static int write_text(const char *folder, const char *file, void (*print)(FILE *, const gen_problem *),
                      const gen_problem *p) {
    char path[PATH_MAX];
    cli_output output = {0};
    int code = join(path, folder, file);
    if (code == 0) code = cli_output_open(&output, path);
    if (code != 0) return code;
    print(output.stream, p);
    return cli_output_commit(&output);
}

static int write_json(const char *folder, const json_t *about) {
    char path[PATH_MAX];
    cli_output output = {0};
    int code = join(path, folder, "problem.json");
    if (code == 0) code = cli_output_open(&output, path);
    if (code != 0) return code;
    if (json_dumpf(about, output.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0) {
        cli_output_discard(&output);
        return cli_fail(CLI_TROUBLE, "cannot write %s", path);
    }
    fputc('\n', output.stream);
    return cli_output_commit(&output);
}

int gen_write(const char *folder, const gen_problem *p, const json_t *about) {
    gpis_context *context = NULL;
    if (gpis_context_create(&context) != GPIS_OK) return cli_fail(CLI_TROUBLE, "out of memory");
    const bool vector = p->k == 1;
    int code = write_array(context, folder, "A.npy", p->A, p->n, p->d, false);
    if (code == 0) code = write_array(context, folder, "y.npy", p->y, p->n, p->k, vector);
    if (code == 0) code = write_array(context, folder, "x_true.npy", p->x_true, p->d, p->k, vector);
    if (code == 0) code = write_array(context, folder, "U.npy", p->U, p->d, p->d, false);
    if (code == 0 && p->columns) code = write_text(folder, "features.csv", print_csv, p);
    if (code == 0 && p->columns) code = write_text(folder, "columns.txt", print_columns, p);
    if (code == 0) code = write_json(folder, about);
    gpis_context_destroy(context);
    return code;
}
