/* A figure as a gnuplot script with its data inside. */
#include "figure.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "cli.h"
#include "gnuplot.h"

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
enum { STYLES = sizeof styles / sizeof styles[0], MARKERS = 7, MAX_LABEL = 32 };

/* `em`: the height of the letters as a share of the width of the figure, by which the legend's width is found. */
static const struct {
    const char *ending, *terminal;
    double em;
} formats[] = {
    {".svg", "svg size 800,480 dynamic enhanced font 'Helvetica,Arial,sans-serif,15' background '#ffffff' name '%s'",
     15.0 / 800.0},
    {".png", "pngcairo size 1600,960 enhanced font 'Sans,20' fontscale 1.0 linewidth 2 pointscale 1.6",
     1.4 * 20.0 / 1600.0},
    {".pdf", "pdfcairo size 16cm,9.6cm enhanced font 'Sans,10' linewidth 1.4 pointscale 0.6", 10.0 / 454.0},
};

static int format_of(const char *path) {
    const size_t length = strlen(path);
    for (int i = 0; i < (int)(sizeof formats / sizeof formats[0]); i++)
        if (length > 4 && strcmp(path + length - 4, formats[i].ending) == 0) return i;
    return -1;
}

bool figure_format_known(const char *path) { return format_of(path) >= 0; }

bool figure_name_allowed(const char *path) {
    while (*path && !iscntrl((unsigned char)*path)) path++;
    return *path == '\0';
}

bool figure_possible(void) {
    if (gnuplot_is_there()) return true;
    cli_fail(CLI_TROUBLE, "figures need gnuplot, which is missing; install it (Debian: apt-get install gnuplot-nox)");
    return false;
}

/* ---- labels of lines ----------------------------------------------------------------------------------------------
 */

typedef struct shown_label {
    char text[4 * MAX_LABEL + 8];
    int characters;
} shown_label;

/* The text made printable and cut to MAX_LABEL characters. */
static shown_label show_label(const char *text) {
    shown_label shown = {.text = ""};
    char copy[1024];
    size_t length = 0;
    snprintf(copy, sizeof copy, "%s", text);
    gpis_make_printable(copy);
    while (copy[length] && shown.characters < MAX_LABEL) {
        do length++;
        while (((unsigned char)copy[length] & 0xC0) == 0x80); /* the other bytes of a UTF-8 character */
        shown.characters++;
    }
    memcpy(shown.text, copy, length);
    strcpy(shown.text + length, copy[length] ? "…" : "");
    shown.characters += copy[length] ? 1 : 0;
    return shown;
}

/* ---- data ---------------------------------------------------------------------------------------------------------
 */

/* What is drawn: the lines' points, and the range that they take. */
typedef struct canvas {
    const figure *figure;
    bool log_x;
    double low_x, high_x, low_y, high_y;
    int64_t *drawn; /* owned: points of each line */
} canvas;

static double y_of(const figure *f, const figure_line *l, int64_t i) {
    return f->log_y && l->y[i] <= f->floor ? f->floor : l->y[i];
}

static bool has_place(const canvas *c, const figure_line *l, int64_t i) {
    const double y = y_of(c->figure, l, i);
    return isfinite(l->x[i]) && isfinite(y) && (l->x[i] > 0.0 || !c->log_x) && (y > 0.0 || !c->figure->log_y);
}

/* Points closer together than the eye can tell are left out, or a figure of a long run would be huge. */
static bool worth_drawing(const canvas *c, const figure_line *l, int64_t i, int64_t last) {
    const figure *f = c->figure;
    if (last < 0 || i == l->count - 1 || !(c->log_x && f->log_y)) return true;
    const double dx = log10(l->x[i]) - log10(l->x[last]), dy = log10(y_of(f, l, i)) - log10(y_of(f, l, last));
    return fabs(dx) > 0.005 || fabs(dy) > 0.02;
}

static bool any_positive_x(const figure *f) {
    bool any = false;
    for (int i = 0; i < f->count; i++)
        for (int64_t j = 0; j < f->lines[i].count; j++)
            any = any || (f->lines[i].x[j] > 0.0 && isfinite(f->lines[i].x[j]));
    return any;
}

/* The range of all points; false if there are none. */
static bool find_range(canvas *c) {
    const figure *f = c->figure;
    c->low_x = c->low_y = INFINITY;
    c->high_x = c->high_y = -INFINITY;
    for (int i = 0; i < f->count; i++)
        for (int64_t j = 0; j < f->lines[i].count; j++) {
            const figure_line *l = &f->lines[i];
            if (!has_place(c, l, j)) continue;
            const double y = y_of(f, l, j), bar = l->spread ? l->spread[j] : 0.0;
            c->low_x = fmin(c->low_x, l->x[j]);
            c->high_x = fmax(c->high_x, l->x[j]);
            c->low_y = fmin(c->low_y, f->log_y ? y : y - bar);
            c->high_y = fmax(c->high_y, y + bar);
        }
    if (!(c->low_x <= c->high_x)) return false;
    if (f->rule > 0.0) {
        c->low_y = fmin(c->low_y, f->rule);
        c->high_y = fmax(c->high_y, f->rule);
    }
    if (!f->log_y) c->low_y = fmin(c->low_y, 0.0); /* lengths are compared from zero */
    return true;
}

static int64_t print_line(FILE *script, const canvas *c, int which) {
    const figure_line *l = &c->figure->lines[which];
    int64_t drawn = 0;
    fprintf(script, "$line%d << END\n", which);
    for (int64_t i = 0, last = -1; i < l->count; i++) {
        if (!has_place(c, l, i) || !worth_drawing(c, l, i, last)) continue;
        fprintf(script, "%.9g %.9g %.9g\n", l->x[i], y_of(c->figure, l, i), l->spread ? l->spread[i] : 0.0);
        last = i;
        drawn++;
    }
    fputs("END\n", script);
    return drawn;
}

/* ---- the script -----------------------------------------------------------------------------------------------------
 */

static void print_terminal(FILE *script, const figure *f, int format) {
    const char *terminal = formats[format].terminal, *hole = strstr(terminal, "%s");
    fputs("set encoding utf8\nset terminal ", script);
    fprintf(script, "%.*s", (int)(hole ? hole - terminal : (long)strlen(terminal)), terminal);
    for (const char *c = f->name; hole && *c; c++) fputc(*c == '-' ? '_' : *c, script); /* all that a name may hold */
    fprintf(script, "%s\n", hole ? hole + 2 : "");
}

/* The legend stands to the right, as wide as its longest label needs: gnuplot would guess that width, and cut off what
 * is longer. */
static void print_legend(FILE *script, const figure *f, double em) {
    int longest = 0;
    for (int i = 0; i < f->count; i++) longest = (int)fmax(longest, show_label(f->lines[i].label).characters);
    const double width = em * (0.66 * longest + 5.4), left = 1.0 - fmin(width, 0.5);
    fprintf(script, "set rmargin at screen %.4f\nset key at screen %.4f, graph 1 left top vertical Left reverse ", left,
            left + 0.012);
    fputs("samplen 3 spacing 1.3\n", script);
}

static void print_text_of(FILE *script, const char *what, const char *text) {
    fprintf(script, "set %s ", what);
    gnuplot_print_text(script, text);
    fputc('\n', script);
}

static void print_frame(FILE *script, const canvas *c) {
    const figure *f = c->figure;
    const axis x = axis_fit(c->low_x, c->high_x, c->log_x), y = axis_fit(c->low_y, c->high_y, f->log_y);
    fputs("set border 3 lw 1 lc rgb '#404040'\nset tics nomirror out\n"
          "set grid xtics ytics lt 1 lw 0.6 lc rgb '#dcdcdc'\n",
          script);
    if (*f->title) print_text_of(script, "title", f->title);
    print_text_of(script, "xlabel", f->x_label);
    print_text_of(script, "ylabel", f->y_label);
    axis_print(script, &x, 'x');
    axis_print(script, &y, 'y');
    if (f->rule > 0.0) {
        fprintf(script,
                "set arrow 1 from graph 0, first %g to graph 1, first %g nohead lw 1.2 dt (4,4) lc rgb '#707070'\n"
                "set label 1 ",
                f->rule, f->rule);
        gnuplot_print_text(script, f->rule_label);
        fprintf(script, " at graph 0.01, first %g offset 0,0.55 tc rgb '#505050'\n", f->rule);
    }
}

static void print_plot(FILE *script, const canvas *c) {
    const figure *f = c->figure;
    const char *between = "plot";
    for (int i = 0; i < f->count; i++) {
        const int s = f->lines[i].style % STYLES;
        const int64_t every = c->drawn[i] > MARKERS ? c->drawn[i] / MARKERS : 1;
        if (c->drawn[i] == 0) continue;
        fprintf(script, "%s $line%d using 1:2%s with %s lw %g lc rgb '%s' dt %s pt %d ps 0.8", between, i,
                f->lines[i].spread ? ":3" : "", f->lines[i].spread ? "yerrorlines" : "linespoints", styles[s].width,
                styles[s].colour, styles[s].dash, styles[s].marker);
        if (!f->lines[i].spread) fprintf(script, " pi %lld", (long long)every);
        fputs(" title ", script);
        gnuplot_print_text(script, show_label(f->lines[i].label).text);
        fputs(" noenhanced", script);
        between = ",";
    }
    fputc('\n', script);
}

static bool write_script(FILE *script, canvas *c, int format) {
    print_terminal(script, c->figure, format);
    print_legend(script, c->figure, formats[format].em);
    print_frame(script, c);
    for (int i = 0; i < c->figure->count; i++) c->drawn[i] = print_line(script, c, i);
    print_plot(script, c);
    return !ferror(script);
}

int figure_draw(const figure *f, const char *path) {
    canvas c = {.figure = f, .log_x = f->log_x && any_positive_x(f)};
    if (!find_range(&c)) return cli_fail(CLI_BAD_INPUT, "%s: there is no point to draw", path);
    cli_output output = {0};
    c.drawn = calloc((size_t)(f->count > 0 ? f->count : 1), sizeof *c.drawn);
    FILE *script = c.drawn ? tmpfile() : NULL;
    int code =
        script ? cli_output_open(&output, path) : cli_fail(CLI_TROUBLE, "cannot prepare %s: %s", path, strerror(errno));
    if (code == 0 && !(write_script(script, &c, format_of(path)) && gnuplot_draw(script, fileno(output.stream))))
        code = cli_fail(CLI_TROUBLE, "gnuplot could not draw %s", path);
    if (code == 0)
        code = cli_output_commit(&output);
    else
        cli_output_discard(&output);
    if (script) fclose(script);
    free(c.drawn);
    return code;
}
