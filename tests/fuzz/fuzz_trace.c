/*
 * Traces of solves, given to `gpis plot`. The linker puts the two functions below in the place of those that start
 * gnuplot (figure_possible, figure_draw), so that the whole command runs but for the drawing.
 */
#include "fuzz.h"

#include <string.h>

#include "cli.h"
#include "figure.h"

bool __wrap_figure_possible(void);
int __wrap_figure_draw(const figure *figure, const char *path);

bool __wrap_figure_possible(void) { return true; }

int __wrap_figure_draw(const figure *f, const char *path) {
    fuzz_require(path && *path && f->count >= 1, "a figure of nothing");
    for (int i = 0; i < f->count; i++) {
        fuzz_require(f->lines[i].count >= 1 && strlen(f->lines[i].label) > 0, "a line without points or a label");
        fuzz_look(f->lines[i].x, f->lines[i].count);
        fuzz_look(f->lines[i].y, f->lines[i].count);
    }
    fuzz_accept();
    return 0;
}

void fuzz_start(const char *fresh) {
    static const char trace[] = "{\"pass\": 1, \"epochs\": 1.0, \"seconds\": 0.25, \"objective\": 5.0, \"gap\": null}\n"
                                "{\"pass\": 2, \"epochs\": 2.0, \"seconds\": 0.5, \"objective\": 4.0, \"gap\": 1e-9}\n";
    (void)fresh;
    fuzz_write("other.jsonl", trace, sizeof trace - 1);
    fuzz_silence();
}

static void plot(const char *axis) {
    char program[] = "gpis plot", input[] = "input.jsonl", other[] = "other.jsonl", x[] = "--x", out[] = "--out=f.svg";
    char *argv[] = {program, input, other, x, (char *)axis, out, NULL};
    const int code = cli_plot(6, argv);
    fuzz_require(code == 0 || code == CLI_BAD_INPUT || code == CLI_TROUBLE, "an exit code of another kind");
}

void fuzz_input(const uint8_t *data, size_t size) {
    fuzz_write("input.jsonl", data, size);
    plot("seconds");
    plot("passes");
}
