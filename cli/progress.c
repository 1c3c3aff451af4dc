/*
 * The progress line on a terminal, written over and over:
 *
 *     pass 7, 43 %  1.2M rows/s  9.8 GB/s  gap 3.1e-05  about 40 s left
 *
 * The gap is relative, as the tolerance is. Its logarithm falls about evenly with time, so the time left is how far it
 * has to fall over how fast it fell in the last few reports; "-" while it does not fall, or is not known.
 */
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { WIDEST = 256 };

/* ---- what is left ---------------------------------------------------------------------------------------------------
 */

static double relative_gap(const gpis_progress *p) {
    const double lower = p->objective - p->gap;
    return isfinite(p->gap) && lower > 0 ? p->gap / lower : INFINITY;
}

static void remember(cli_line *line, const gpis_progress *p) {
    const gpis_progress *last = &line->last;
    const double seconds = p->seconds - last->seconds;
    if (p->pass > last->pass && seconds > 0) line->rate = (double)(p->pass - last->pass) / seconds;
    memmove(line->history + 1, line->history, sizeof line->history - sizeof *line->history);
    line->history[0] = (cli_report_point){p->seconds, log(relative_gap(p))};
    if (line->reports < CLI_HISTORY) line->reports++;
    line->last = *p;
}

/* Seconds from the last report to the tolerance; NaN: unknown. */
static double seconds_left(const cli_line *line) {
    const cli_report_point *now = &line->history[0], *before = &line->history[line->reports - 1];
    if (line->reports < 2 || !isfinite(now->log_gap) || !isfinite(before->log_gap)) return NAN;
    const double speed = (before->log_gap - now->log_gap) / (now->seconds - before->seconds);
    return speed > 0 && isfinite(speed) ? fmax(0, (now->log_gap - log(line->tol)) / speed) : NAN;
}

static void print_left(char *text, size_t size, double seconds) {
    if (!isfinite(seconds))
        snprintf(text, size, "-");
    else if (seconds < 99.5)
        snprintf(text, size, "about %.0f s left", fmax(1, seconds));
    else if (seconds < 99.5 * 60)
        snprintf(text, size, "about %.0f min left", seconds / 60);
    else
        snprintf(text, size, "about %.0f h left", seconds / 3600);
}

/* ---- the line -------------------------------------------------------------------------------------------------------
 */

/* Without the last column, where some terminals begin a new line. */
static int width_of_terminal(void) {
    struct winsize size;
    const int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
    return width - 1 < WIDEST ? width - 1 : WIDEST - 1;
}

/* 1.2M rows/s */
static void print_rate(char *text, size_t size, double rows) {
    static const char *const units[] = {"", "k", "M", "G"};
    size_t unit = 0;
    for (; rows >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) rows /= 1000;
    snprintf(text, size, rows < 9.95 ? "%.1f%s rows/s" : "%.0f%s rows/s", rows, units[unit]);
}

/* `place`: "pass 7, 43 %"; rate: passes a second; now: seconds of the solve. */
static void show(cli_line *line, const char *place, double rate, double now) {
    char text[WIDEST], left[64], rows[32], bytes[32] = "", gap[32] = "-";
    const double limit = line->time_limit > 0 ? line->time_limit - now : INFINITY;
    const double until = seconds_left(line) - (now - line->last.seconds);
    print_left(left, sizeof left, isfinite(until) || isfinite(limit) ? fmax(0, fmin(until, limit)) : NAN);
    if (line->bytes > 0) snprintf(bytes, sizeof bytes, "  %.1f GB/s", rate * (double)line->bytes / 1e9);
    if (line->reports > 0 && isfinite(line->history[0].log_gap))
        snprintf(gap, sizeof gap, "%.1e", exp(line->history[0].log_gap));
    print_rate(rows, sizeof rows, rate * (double)line->rows);
    snprintf(text, sizeof text, "%s  %s%s  gap %s  %s", place, rows, bytes, gap, left);
    fprintf(stderr, "\r%.*s\033[K", width_of_terminal(), text);
    line->printed = cli_clock();
    line->shown = true;
}

void cli_line_report(cli_line *line, const gpis_progress *p) {
    char place[48];
    remember(line, p);
    if (!line->on || (line->shown && cli_clock() - line->printed < 0.1)) return; /* enough for the eye */
    snprintf(place, sizeof place, "pass %lld", (long long)p->pass);
    show(line, place, line->rate, p->seconds);
}

void cli_line_within(cli_line *line, const gpis_pass_progress *p) {
    char place[48];
    if (!line->on) return;
    const double part = (double)p->done / (double)p->rows;
    snprintf(place, sizeof place, "pass %lld, %.0f %%", (long long)p->pass, floor(100 * part));
    show(line, place, p->pass_seconds > 0 ? part / p->pass_seconds : 0, p->seconds);
}

void cli_line_end(cli_line *line) {
    if (line->shown) fputs("\r\033[K", stderr);
    line->shown = false;
}
