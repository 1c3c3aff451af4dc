/* While a solve runs: the trace, the progress line, and Ctrl-C. */
#include <signal.h>
#include <unistd.h>

#include "cli.h"

/* The only thing a signal handler may touch. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    (void)number;
    interrupted = 1;
}

bool cli_interrupted(void) { return interrupted != 0; }

void cli_watch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Where rows are mapped the system has no other way to say that they are gone. Only what is safe in a handler. */
static void on_lost_pages(int number) {
    static const char text[] = "gpis: a data file was cut short, or its disk failed, while it was read\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(CLI_TROUBLE);
    _exit(CLI_TROUBLE);
}

void cli_watch_files(void) {
    struct sigaction action = {.sa_handler = on_lost_pages};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
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

static void print_line(cli_watch *w, const gpis_progress *p) {
    const double now = cli_clock();
    if (w->shown && now - w->printed < 0.1) return; /* ten a second are enough for the eye */
    fprintf(stderr, "\rpass %lld  objective %.6g  gap %.1e  %.1f s\033[K", (long long)p->pass, p->objective, p->gap,
            p->seconds);
    w->shown = true;
    w->printed = now;
}

int cli_watch_progress(void *watch, const gpis_progress *progress) {
    cli_watch *w = watch;
    if (w->trace) write_trace(w->trace, progress);
    if (w->line) print_line(w, progress);
    return interrupted != 0;
}

void cli_watch_end(cli_watch *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}
