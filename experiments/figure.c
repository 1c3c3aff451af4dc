/* A gnuplot script with its data inside, sent through a pipe. */
#include "figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Colours of Okabe and Ito, which the colour-blind can tell apart; dashes and markers for print without colour. */
static const struct {
    const char *colour, *dash;
    int marker;
    double width;
} styles[] = {
    {"#D55E00", "1", 7, 2.4},       {"#0072B2", "1", 5, 2.8},          {"#000000", "(14,5)", 8, 1.8},
    {"#009E73", "(3,3)", 4, 2.0},   {"#CC79A7", "(10,4,2,4)", 6, 2.0}, {"#B8860B", "(10,4,2,4,2,4)", 12, 2.0},
    {"#56B4E9", "(18,4)", 10, 2.0}, {"#555555", "(2,5)", 2, 2.0},
};
enum { STYLES = sizeof styles / sizeof styles[0], MARKERS = 7 };

static const struct {
    const char *ending, *terminal;
} formats[] = {
    {".svg", "svg size 720,480 dynamic enhanced font 'Helvetica,Arial,sans-serif,17' background '#ffffff' name '%s'"},
    {".png", "pngcairo size 1440,960 enhanced font 'Sans,22' fontscale 1.0 linewidth 2 pointscale 1.6"},
    {".pdf", "pdfcairo size 15cm,10cm enhanced font 'Sans,11' linewidth 1.4 pointscale 0.6"},
};

static int format_of(const char *path) {
    const size_t length = strlen(path);
    for (int i = 0; i < (int)(sizeof formats / sizeof formats[0]); i++)
        if (length > 4 && strcmp(path + length - 4, formats[i].ending) == 0) return i;
    return -1;
}

bool figure_format_known(const char *path) { return format_of(path) >= 0; }

bool figure_possible(void) {
    if (system("command -v gnuplot >/dev/null 2>&1") == 0) return true;
    cli_fail(CLI_TROUBLE, "figures need gnuplot, which is missing; install it (Debian: apt-get install gnuplot-nox)");
    return false;
}

/* Text between single quotes, where gnuplot knows one escape: '' */
static void print_quoted(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', script);
        fputc(*text, script);
    }
    fputc('\'', script);
}

static double place(double value, bool logarithmic) { return logarithmic ? log10(value) : value; }

static double y_of(const figure *f, const figure_line *l, int64_t i) {
    return f->log_y && !(l->y[i] > f->floor) ? f->floor : l->y[i];
}

/* Points closer together than the eye can tell are left out, or a figure of a long run would be huge. */
static bool worth_drawing(const figure *f, const figure_line *l, int64_t i, int64_t last) {
    if (f->log_x && !(l->x[i] > 0.0)) return false;
    if (last < 0 || i == l->count - 1 || !(f->log_x && f->log_y)) return true;
    const double dx = place(l->x[i], true) - place(l->x[last], true);
    const double dy = place(y_of(f, l, i), true) - place(y_of(f, l, last), true);
    return fabs(dx) > 0.005 || fabs(dy) > 0.02;
}

static int64_t print_line(FILE *script, const figure *f, int which) {
    const figure_line *l = &f->lines[which];
    int64_t drawn = 0;
    fprintf(script, "$line%d << END\n", which);
    for (int64_t i = 0, last = -1; i < l->count; i++) {
        if (!worth_drawing(f, l, i, last)) continue;
        fprintf(script, "%.9g %.9g %.9g\n", l->x[i], y_of(f, l, i), l->spread ? l->spread[i] : 0.0);
        last = i;
        drawn++;
    }
    fputs("END\n", script);
    return drawn;
}

static void print_axes(FILE *script, const figure *f) {
    fputs("set border 3 lw 1 lc rgb '#404040'\nset tics nomirror out\n"
          "set grid xtics ytics lt 1 lw 0.6 lc rgb '#dcdcdc'\n"
          "set key outside bottom center horizontal maxrows 2 samplen 4.5 width 1 spacing 1.15\nset bmargin 7\n",
          script);
    fputs("set title ", script);
    print_quoted(script, f->title);
    fputs("\nset xlabel ", script);
    print_quoted(script, f->x_label);
    fputs("\nset ylabel ", script);
    print_quoted(script, f->y_label);
    fputc('\n', script);
    if (f->log_x) fputs("set logscale x\nset format x '10^{%T}'\nset mxtics 10\n", script);
    fputs("set autoscale xfix\nset offsets graph 0.02, graph 0.03, 0, 0\n", script);
    if (f->log_y) fputs("set logscale y\nset format y '10^{%T}'\nset mytics 1\n", script);
    if (f->log_y && f->floor > 0.0) fprintf(script, "set yrange [%g:*]\n", f->floor);
    if (!f->log_y) fputs("set yrange [0:*]\n", script);
    if (f->rule > 0.0) {
        fprintf(script,
                "set arrow 1 from graph 0, first %g to graph 1, first %g nohead lw 1.2 dt (4,4) lc rgb '#707070'\n"
                "set label 1 ",
                f->rule, f->rule);
        print_quoted(script, f->rule_label);
        fprintf(script, " at graph 0.01, first %g offset 0,0.55 tc rgb '#505050'\n", f->rule);
    }
}

static void print_plot(FILE *script, const figure *f, const int64_t *drawn) {
    for (int i = 0; i < f->count; i++) {
        const int s = f->lines[i].style % STYLES;
        const int64_t every = drawn[i] > MARKERS ? drawn[i] / MARKERS : 1;
        fprintf(script, "%s $line%d using 1:2%s with %s lw %g lc rgb '%s' dt %s pt %d ps 0.8", i ? "," : "plot", i,
                f->lines[i].spread ? ":3" : "", f->lines[i].spread ? "yerrorlines" : "linespoints", styles[s].width,
                styles[s].colour, styles[s].dash, styles[s].marker);
        if (!f->lines[i].spread) fprintf(script, " pi %lld", (long long)every);
        fputs(" title ", script);
        print_quoted(script, f->lines[i].label);
        fputs(" noenhanced", script);
    }
    fputc('\n', script);
}

int figure_draw(const figure *f, const char *path) {
    int64_t *drawn = calloc((size_t)(f->count > 0 ? f->count : 1), sizeof *drawn);
    FILE *script = drawn ? popen("gnuplot 2>/dev/null", "w") : NULL;
    if (!script) {
        free(drawn);
        return cli_fail(CLI_TROUBLE, "cannot start gnuplot: %s", strerror(errno));
    }
    fputs("set encoding utf8\nset terminal ", script);
    const char *terminal = formats[format_of(path)].terminal, *hole = strstr(terminal, "%s");
    fprintf(script, "%.*s", (int)(hole ? hole - terminal : (long)strlen(terminal)), terminal);
    for (const char *c = f->name; hole && *c; c++) fputc(*c == '-' ? '_' : *c, script); /* all that a name may hold */
    fprintf(script, "%s\nset output ", hole ? hole + 2 : "");
    print_quoted(script, path);
    fputc('\n', script);
    print_axes(script, f);
    for (int i = 0; i < f->count; i++) drawn[i] = print_line(script, f, i);
    print_plot(script, f, drawn);
    const int status = pclose(script);
    free(drawn);
    if (status == 0) return 0;
    return cli_fail(CLI_TROUBLE, "gnuplot could not draw %s", path);
}
