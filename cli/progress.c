/*
 * The progress line on a terminal, written over and over:
 *
 *     pass 7 of about 9, 43 %  1.2M rows/s  9.8 GB/s  gap 3.1e-05  about 40 s left
 *
 * The number of passes is what the plan predicts, and is left out when the solve takes more. The gap is relative, as
 * the tolerance is; before there is one it is left out. Its logarithm falls about evenly with time, so the time left is
 * how far it has to fall over how fast it fell in the last few reports; without these, the passes that are left over
 * the speed of the last one; without a prediction it is left out. While the points of a path are solved:
 *
 *     412 of 1100 points, 3 of 10 folds  about 40 s left
 */
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { WIDEST = 256 };

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what is left ------------------------------------------------------------------------------------------------ */

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

void cli_line_left(char *text, size_t size, double seconds) {
    if (!isfinite(seconds))
        snprintf(text, size, "%s", "");
    else if (seconds < 99.5)
        snprintf(text, size, "  about %.0f s left", fmax(1, seconds));
    else if (seconds < 99.5 * 60)
        snprintf(text, size, "  about %.0f min left", seconds / 60);
    else
        snprintf(text, size, "  about %.0f h left", seconds / 3600);
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* Without the last column, where some terminals begin a new line. */
int cli_terminal_width(int fd, int otherwise) {
    struct winsize size;
    return (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : otherwise) - 1;
}

static int width_of_terminal(void) {
    const int width = cli_terminal_width(STDERR_FILENO, 80);
    return width < WIDEST ? width : WIDEST - 1;
}

/* 1.2M rows/s */
static void print_rate(char *text, size_t size, double rows) {
    static const char *const units[] = {"", "k", "M", "G"};
    size_t unit = 0;
    for (; rows >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) rows /= 1000;
    snprintf(text, size, rows < 9.95 ? "%.1f%s rows/s" : "%.0f%s rows/s", rows, units[unit]);
}

void cli_line_put(const char *text) { fprintf(stderr, "\r%.*s\033[K", width_of_terminal(), text); }

/* Seconds to the end of the solve; NaN: unknown. done: passes so far, and the part of the one under way. */
static double seconds_to_end(const cli_line *line, double done, double rate, double now) {
    const double limit = line->time_limit > 0 ? line->time_limit - now : INFINITY;
    double until = seconds_left(line) - (now - line->last.seconds);
    if (!isfinite(until) && rate > 0 && done < (double)line->expected) until = ((double)line->expected - done) / rate;
    return isfinite(until) || isfinite(limit) ? fmax(0, fmin(until, limit)) : NAN;
}

/* "pass 7 of about 9" */
static void print_pass(char *text, size_t size, const cli_line *line, int64_t pass) {
    const int length = snprintf(text, size, "pass %lld", (long long)pass);
    if (pass <= line->expected)
        snprintf(text + length, size - (size_t)length, " of about %lld", (long long)line->expected);
}

/* `place`: "pass 7, 43 %"; done: passes, with the part of this one; rate: passes a second; now: seconds of the solve.
 */
static void show(cli_line *line, const char *place, double done, double rate, double now) {
    char text[WIDEST + 64], left[64], rows[32], bytes[32] = "", gap[32] = "";
    cli_line_left(left, sizeof left, seconds_to_end(line, done, rate, now));
    if (line->bytes > 0) snprintf(bytes, sizeof bytes, "  %.1f GB/s", rate * (double)line->bytes / 1e9);
    if (line->reports > 0 && isfinite(line->history[0].log_gap))
        snprintf(gap, sizeof gap, "  gap %.1e", exp(line->history[0].log_gap));
    print_rate(rows, sizeof rows, rate * (double)line->rows);
    snprintf(text, sizeof text, "%s%s  %s%s%s%s", line->before, place, rows, bytes, gap, left);
    cli_line_put(text);
    line->printed = cli_clock();
    line->shown = true;
}

void cli_line_report(cli_line *line, const gpis_progress *p) {
    char place[64];
    remember(line, p);
    if (!line->on || (line->shown && cli_clock() - line->printed < 0.1)) return; /* enough for the eye */
    print_pass(place, sizeof place, line, p->pass);
    show(line, place, (double)p->pass, line->rate, p->seconds);
}

/* What follows a pass leaves the line as it was after the pass. */
void cli_line_within(cli_line *line, const gpis_pass_progress *p) {
    char pass[64], place[80];
    if (!line->on || p->done == p->rows) return;
    const double part = (double)p->done / (double)p->rows;
    print_pass(pass, sizeof pass, line, p->pass);
    snprintf(place, sizeof place, "%s, %.0f %%", pass, floor(100 * part));
    show(line, place, (double)(p->pass - 1) + part, p->pass_seconds > 0 ? part / p->pass_seconds : 0, p->seconds);
}

/* The points are not alike: the time that is left is a guess, and only made when it is some seconds. */
void cli_line_points(cli_line *line, const gpis_path_progress *p) {
    char text[WIDEST], left[64] = "", folds[64] = "";
    const double seconds = p->done > 0 ? p->seconds * (double)(p->points - p->done) / (double)p->done : NAN;
    if (!line->on) return;
    if (p->folds > 0)
        snprintf(folds, sizeof folds, ", %lld of %lld folds", (long long)p->folds_done, (long long)p->folds);
    if (seconds >= 1) cli_line_left(left, sizeof left, seconds);
    snprintf(line->before, sizeof line->before, "%lld of %lld points%s, ", (long long)p->done, (long long)p->points,
             folds);
    snprintf(text, sizeof text, "%lld of %lld points%s%s", (long long)p->done, (long long)p->points, folds, left);
    cli_line_put(text);
    line->printed = cli_clock();
    line->shown = true;
}

void cli_line_end(cli_line *line) {
    if (line->shown) cli_line_put("");
    line->shown = false;
}
