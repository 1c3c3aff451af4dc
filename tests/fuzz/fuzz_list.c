/* @LIST: a list of the files that A is made of. The files it may name are in the folder. */
#include "fuzz.h"

#include "cli.h"

void fuzz_start(const char *fresh) {
    static const double A[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 3};
    static const char table[] = "a,b\n1,2\n3,4\n";
    (void)fresh;
    fuzz_write_npy("A.npy", A, 3, 2, 2);
    fuzz_write_npy("y.npy", y, 3, 1, 1);
    fuzz_write("b.csv", table, sizeof table - 1);
    fuzz_silence();
}

static void try_list(const char *y_path, const char *target) {
    cli_common common = cli_common_default();
    cli_problem problem = {.context = fuzz_context()};
    common.open.target = target;
    const int code = cli_parts_open(&problem, "@list.txt", y_path, &common);
    fuzz_require(code == 0 || code == CLI_BAD_INPUT || code == CLI_TROUBLE, "an exit code of another kind");
    if (code == 0) {
        fuzz_accept();
        fuzz_walk_source(problem.context, problem.A);
    }
    gpis_array_clear(problem.context, &problem.y_file);
    gpis_source_destroy(problem.A);
    cli_parts_close(problem.parts);
    fuzz_context_end(problem.context);
}

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("list.txt", data, size);
    try_list(NULL, NULL);
    try_list("y.npy", NULL);
    try_list(NULL, "2");
}
