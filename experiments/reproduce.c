/* Runs the experiments that are asked for and writes their results, each as soon as it is there. */
#include <stdlib.h>

#include "experiment.h"
#include "figure.h"

/* Counts the runs and says how long they may take. */
static void announce(const bool *marked, reproduce_options *o) {
    double seconds = 0;
    int methods = 0;
    for (int i = 0; i < RUNNERS; i++) methods += o->wanted[i];
    for (int i = 0; i < experiment_count; i++) {
        if (!marked[i]) continue;
        const experiment_kind kind = experiments[i].kind;
        o->total += kind == RACE ? 1 + methods : kind == SWEEP ? SPARSITIES : 2;
        seconds += (o->quick ? experiments[i].quick : experiments[i].budget) * methods;
    }
    fprintf(stderr, "%d runs; methods take at most %.0f s of processor time together, mostly much less\n", o->total,
            seconds);
}

/* A race, then its CSV and figures, also when it was interrupted: what there is, is true. */
static int run_race(results *all, const experiment *e, reproduce_options *o) {
    race *r = &all->races[all->count++];
    const int code = race_run(r, e, o);
    if (code != 0 && code != CLI_INTERRUPTED) return code;
    int written = write_race_csv(r, o);
    if (written == 0 && o->figures) written = draw_race(r, o);
    return written != 0 ? written : code;
}

static int run_sweep(sweep *s, reproduce_options *o) {
    int code = sweep_run(s, o);
    if (code == 0) code = write_sweep_csv(s, o);
    if (code == 0 && o->figures) code = draw_sweep(s, o);
    return code;
}

static int run_study(study *s, reproduce_options *o) {
    int code = study_run(s, o);
    if (code == 0) code = write_study_csv(s, o);
    if (code == 0 && o->figures) code = draw_study(s, o);
    return code;
}

static int run_experiment(results *all, const experiment *e, reproduce_options *o) {
    switch (e->kind) {
    case SWEEP: return run_sweep(&all->sweep, o);
    case BOUNDS: return run_study(&all->study, o);
    default: return run_race(all, e, o);
    }
}

static int write_results(const results *all, const reproduce_options *o) {
    int code = write_summary_csv(all, o);
    if (code == 0) code = write_page(all, o);
    if (code == 0)
        fprintf(stderr, "results are in %s, the page is %s/index.html\n", cli_printable(o->out).text,
                cli_printable(o->out).text);
    return code;
}

int reproduce(const bool *marked, reproduce_options *o) {
    results *all = calloc(1, sizeof *all);
    if (all) all->races = calloc((size_t)experiment_count, sizeof *all->races);
    int code = all && all->races ? gen_make_folder(o->out) : cli_fail(CLI_TROUBLE, "out of memory");
    o->figures = code == 0 && figure_possible();
    cli_watch_signals();
    if (code == 0) announce(marked, o);
    for (int i = 0; i < experiment_count && code == 0; i++)
        if (marked[i]) code = run_experiment(all, &experiments[i], o);
    if (code == 0 || code == CLI_INTERRUPTED) {
        const int written = write_results(all, o);
        if (written != 0) code = written;
    }
    for (int i = 0; all && i < all->count; i++) race_clear(&all->races[i]);
    if (all) free(all->races);
    free(all);
    return code == 0 && !o->figures ? CLI_TROUBLE : code;
}
