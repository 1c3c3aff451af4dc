/* Model files, given to `gpis predict` with a table of the names that the seeds use. */
#include "fuzz.h"

#include "cli.h"
#include "model.h"

void fuzz_start(const char *fresh) {
    static const char table[] = "age;city;dose\n23,5;Rome;1\n31;Oslo;2\n";
    (void)fresh;
    fuzz_write("t.csv", table, sizeof table - 1);
    fuzz_silence();
}

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("model.json", data, size);
    gpis_context *context = fuzz_context();
    cli_model model;
    const int code = cli_model_read(context, "model.json", &model);
    fuzz_require(code == 0 || code == CLI_BAD_INPUT || code == CLI_TROUBLE, "an exit code of another kind");
    if (code == 0) fuzz_accept();
    cli_model_clear(&model);
    fuzz_context_end(context);
    char program[] = "gpis predict", input[] = "t.csv", path[] = "model.json", out[] = "--out=p.csv";
    char *argv[] = {program, input, path, out, NULL};
    const int all = cli_predict(4, argv);
    fuzz_require(all == 0 || all == CLI_BAD_INPUT || all == CLI_TROUBLE, "an exit code of another kind");
}
