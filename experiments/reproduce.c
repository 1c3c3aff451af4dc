/* Runs the experiments that are asked for and writes their results, each as soon as it is there. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "figure.h"

static bool is_sweep(const experiment *e) { return strcmp(e->name, "syn4") == 0; }

/* Counts the runs and tells how long they may take. */
static void announce(const bool *marked, reproduce_options *o) {
    double seconds = 0;
    int methods = 0;
    for (int i = 0; i < RUNNERS; i++) methods += o->wanted[i];
    for (int i = 0; i < experiment_count; i++) {
        if (!marked[i]) continue;
        o->total += is_sweep(&experiments[i]) ? SPARSITIES : 1 + methods;
        seconds += (o->quick ? experiments[i].quick : experiments[i].budget) * methods;
    }
    fprintf(stderr, "%d runs; methods take at most %.0f s together, mostly much less\n", o->total, seconds);
}

/* A race, then its CSV and figures, also when it was interrupted: what there is, is true. */
static int run_race(race *r, const experiment *e, reproduce_options *o, bool figures) {
    const int code = race_run(r, e, o);
    if (code != 0 && code != CLI_INTERRUPTED) return code;
    int written = write_race_csv(r, o);
    if (written == 0 && figures) written = draw_race(r, o);
    return written != 0 ? written : code;
}

static int run_sweep(sweep *s, reproduce_options *o, bool figures) {
    int code = sweep_run(s, o);
    if (code == 0) code = write_sweep_csv(s, o);
    if (code == 0 && figures) code = draw_sweep(s, o);
    return code;
}

int reproduce(const bool *marked, reproduce_options *o) {
    race *races = calloc((size_t)experiment_count, sizeof *races);
    sweep *steps = calloc(1, sizeof *steps);
    int count = 0, code = races && steps ? gen_make_folder(o->out) : cli_fail(CLI_TROUBLE, "out of memory");
    const bool figures = code == 0 && figure_possible();
    cli_watch_signals();
    if (code == 0) announce(marked, o);
    for (int i = 0; i < experiment_count && code == 0; i++) {
        if (!marked[i]) continue;
        code = is_sweep(&experiments[i]) ? run_sweep(steps, o, figures)
                                         : run_race(&races[count++], &experiments[i], o, figures);
    }
    if (code == 0 || code == CLI_INTERRUPTED) {
        int written = write_summary_csv(races, count, o);
        if (written == 0) written = write_page(races, count, steps, o);
        if (written == 0)
            fprintf(stderr, "results are in %s, the page is %s/index.html\n", cli_printable(o->out).text,
                    cli_printable(o->out).text);
        if (written != 0) code = written;
    }
    for (int i = 0; races && i < count; i++) race_clear(&races[i]);
    free(races);
    free(steps);
    return code == 0 && !figures ? CLI_TROUBLE : code;
}
