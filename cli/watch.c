/* While a solve runs: the trace and Ctrl-C. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The only thing the signal handler touches. */
static atomic_int interruptions;

/* The first signal asks the solve to end. The second one, of whichever kind, does what it would do without a handler:
 * it is raised again, and delivered when the handler returns. */
static void on_signal(int number) {
    if (atomic_fetch_add(&interruptions, 1) == 0) return;
    signal(number, SIG_DFL);
    raise(number);
}

bool cli_interrupted(void) { return atomic_load(&interruptions) > 0; }

static void handle_signals(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_watch_signals(void) { handle_signals(SA_RESTART); }

void cli_watch_delivery(void) { handle_signals(0); }

/* Written before it is needed, for a handler may not. */
static char lost_pages[128];

static atomic_flag said_lost_pages = ATOMIC_FLAG_INIT;

/* Where rows are mapped the system has no other way to say that they are gone. Only what is safe in a handler.
 * Several threads may touch such rows at once: one of them says so and ends the process, the others wait for that. */
static void on_lost_pages(int number) {
    (void)number;
    while (atomic_flag_test_and_set(&said_lost_pages)) pause();
    if (write(STDERR_FILENO, lost_pages, strlen(lost_pages)) < 0) _exit(CLI_TROUBLE);
    _exit(CLI_TROUBLE);
}

void cli_watch_files(void) {
    const gpis_ranks *ranks = cli_ranks();
    char who[32] = "";
    if (ranks && ranks->ranks > 1) snprintf(who, sizeof who, "rank %d: ", ranks->rank);
    snprintf(lost_pages, sizeof lost_pages,
             "gpis: %sa data file was cut short, or its disk failed, while it was read\n", who);
    struct sigaction action = {.sa_handler = on_lost_pages};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* so that write fails with a reason when a file may not grow */
    signal(SIGPIPE, SIG_IGN); /* and so is a pipe whose reader has gone: a trace must not cost the answer */
}

static void write_trace(FILE *trace, const gpis_progress *p) {
    json_t *line = json_pack("{s:I, s:f, s:f, s:o, s:o, s:o, s:I, s:I}", "pass", (json_int_t)p->pass, "seconds",
                             p->seconds, "epochs", p->epochs, "objective", cli_json_number(p->objective), "gap",
                             cli_json_number(p->gap), "contraction", cli_json_number(p->contraction), "m",
                             (json_int_t)p->m, "inner_iterations", (json_int_t)p->inner_iterations);
    if (line) json_dumpf(line, trace, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(line);
    fputc('\n', trace);
}

/* Keeps a pass for the report. One that does not fit in memory is left out. */
static void keep(cli_watch *w, const gpis_progress *progress) {
    if (w->kept == w->room) {
        const int64_t room = w->room > 0 ? 2 * w->room : 64;
        gpis_progress *grown = realloc(w->points, (size_t)room * sizeof *grown);
        if (!grown) return;
        w->points = grown;
        w->room = room;
    }
    w->points[w->kept++] = *progress;
}

int cli_watch_progress(void *watch, const gpis_progress *progress) {
    cli_watch *w = watch;
    if (w->keeps) keep(w, progress);
    if (w->trace) write_trace(w->trace, progress);
    cli_line_report(&w->line, progress);
    return cli_interrupted();
}

int cli_watch_pass(void *watch, const gpis_pass_progress *progress) {
    cli_watch *w = watch;
    cli_line_within(&w->line, progress);
    return cli_interrupted();
}
