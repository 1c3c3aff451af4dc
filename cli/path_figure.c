/*
 * Figures of paths and of cross-validation as SVG, written by hand: nothing else is needed to draw them. Names are
 * data, and are escaped. The horizontal axis is logarithmic, unless a value is 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

enum { WIDTH = 860, HEIGHT = 520, LEFT = 84, RIGHT = 190, TOP = 56, BOTTOM = 62, MAX_NAMES = 24 };

/* One axis: from the numbers to the drawing. */
typedef struct axis {
    double low, high;
    bool log;
    double from, to; /* in the drawing */
} axis;

static double place(const axis *a, double value) {
    const double v = a->log ? log10(value) : value, lo = a->log ? log10(a->low) : a->low,
                 hi = a->log ? log10(a->high) : a->high;
    return a->from + (hi > lo ? (v - lo) / (hi - lo) : 0.5) * (a->to - a->from);
}

static void text(FILE *s, double x, double y, const char *style, const char *words) {
    fprintf(s, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    for (; *words; words++) {
        if (*words == '<')
            fputs("&lt;", s);
        else if (*words == '>')
            fputs("&gt;", s);
        else if (*words == '&')
            fputs("&amp;", s);
        else
            fputc(*words, s);
    }
    fputs("</text>\n", s);
}

/* ---- axes ---- */

/* The step of a linear axis: 1, 2 or 5 times a power of ten, about six of them. */
static double step_of(const axis *a) {
    const double raw = (a->high - a->low) / 6.0, power = pow(10.0, floor(log10(raw)));
    return (raw / power < 1.5 ? 1.0 : raw / power < 3.5 ? 2.0 : raw / power < 7.5 ? 5.0 : 10.0) * power;
}

static void tick(FILE *s, const axis *a, bool across, double value) {
    char words[32];
    const double at = place(a, value);
    snprintf(words, sizeof words, "%.6g", fabs(value) < 1e-12 * (fabs(a->low) + fabs(a->high)) ? 0.0 : value);
    if (across) {
        fprintf(s, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>\n", at, TOP, HEIGHT - BOTTOM);
        text(s, at, HEIGHT - BOTTOM + 20, "text-anchor=\"middle\"", words);
    } else {
        fprintf(s, "<path class=\"grid\" d=\"M%d %.1f H%d\"/>\n", LEFT, at, WIDTH - RIGHT);
        text(s, LEFT - 8, at + 4, "text-anchor=\"end\"", words);
    }
}

static void draw_axis(FILE *s, const axis *a, bool across) {
    if (a->log) {
        const double decades = log10(a->high / a->low);
        for (double power = pow(10.0, floor(log10(a->low))); power <= a->high * 1.0001; power *= 10.0) {
            static const double parts[] = {1.0, 2.0, 5.0};
            for (int i = 0; i < (decades < 2.5 ? 3 : 1); i++)
                if (parts[i] * power >= a->low * 0.9999 && parts[i] * power <= a->high * 1.0001)
                    tick(s, a, across, parts[i] * power);
        }
        return;
    }
    const double step = step_of(a);
    for (double v = ceil(a->low / step - 1e-9) * step; v <= a->high + 1e-9 * step; v += step) tick(s, a, across, v);
}

static void begin(FILE *s, const char *title, const char *across, const char *up) {
    fprintf(s,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-label=\"%s\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\" "
            "fill=\"#222\">\n<style>.grid{stroke:#ddd;stroke-width:1}.frame{stroke:#444;stroke-width:1;fill:none}"
            ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, title);
    text(s, LEFT, 26, "font-size=\"15\" font-weight=\"bold\"", title);
    text(s, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"", across);
    fprintf(s, "<g transform=\"translate(18 %.1f) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2.0);
    text(s, 0, 0, "text-anchor=\"middle\"", up);
    fputs("</g>\n", s);
}

static void frame(FILE *s) {
    fprintf(s, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

static axis axis_of_values(const gpis_path *p) {
    const double a = p->points[0]->value, b = p->points[p->count - 1]->value;
    axis x = {fmin(a, b), fmax(a, b), fmin(a, b) > 0 && fmax(a, b) > 5 * fmin(a, b), LEFT, WIDTH - RIGHT};
    if (p->penalised) x.from = WIDTH - RIGHT, x.to = LEFT; /* the least restricted point is at the right */
    return x;
}

static const char *axis_name(const gpis_path *p) { return p->penalised ? "penalty (lambda)" : "radius"; }

/* ---- the path ---- */

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#7a5195", "#56b4e9", "#b8860b", "#444444"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* A coefficient at the end of the path. */
typedef struct ending {
    int64_t entry;
    double value, y; /* y: of its name in the drawing */
} ending;

static int by_size(const void *a, const void *b) {
    const double x = fabs(((const ending *)a)->value), y = fabs(((const ending *)b)->value);
    return (x < y) - (x > y);
}

static int by_height(const void *a, const void *b) {
    const double x = ((const ending *)a)->y, y = ((const ending *)b)->y;
    return (x > y) - (x < y);
}

/* Names that are too near to each other are moved apart, down and then up again from the lower edge. */
static void spread(ending *e, int count) {
    enum { LINE = 14 };
    qsort(e, (size_t)count, sizeof *e, by_height);
    for (int i = 1; i < count; i++) e[i].y = fmax(e[i].y, e[i - 1].y + LINE);
    if (count > 0) e[count - 1].y = fmin(e[count - 1].y, HEIGHT - BOTTOM);
    for (int i = count - 2; i >= 0; i--) e[i].y = fmin(e[i].y, e[i + 1].y - LINE);
}

static void draw_line(FILE *s, const gpis_path *p, int64_t entry, const axis *x, const axis *y, const char *colour) {
    fprintf(s, "<path class=\"line\" stroke=\"%s\" d=\"", colour);
    for (int64_t i = 0; i < p->count; i++)
        fprintf(s, "%c%.1f %.1f", i ? 'L' : 'M', place(x, p->points[i]->value), place(y, p->points[i]->x[entry]));
    fputs("\"/>\n", s);
}

static void draw_name(FILE *s, const cli_path *p, const ending *e, const axis *y, const char *colour) {
    char made[32], name[64], style[64];
    const char *whole = cli_column_name(p->problem, e->entry / p->path->k, made);
    snprintf(name, sizeof name, "%.23s%s", cli_printable(whole).text, strlen(whole) > 23 ? "..." : "");
    snprintf(style, sizeof style, "fill=\"%s\"", colour);
    fprintf(s, "<path d=\"M%d %.1f L%d %.1f\" stroke=\"%s\" stroke-width=\"0.7\"/>\n", WIDTH - RIGHT,
            place(y, e->value), WIDTH - RIGHT + 12, e->y, colour);
    text(s, WIDTH - RIGHT + 15, e->y + 4, style, name);
}

static void draw_path(FILE *s, const cli_path *p) {
    const gpis_path *path = p->path;
    const int64_t size = path->d * path->k;
    axis x = axis_of_values(path), y = {0, 0, false, HEIGHT - BOTTOM, TOP};
    ending *ends = calloc((size_t)size + 1, sizeof *ends);
    if (!ends) return;
    for (int64_t i = 0; i < path->count; i++)
        for (int64_t j = 0; j < size; j++)
            y.low = fmin(y.low, path->points[i]->x[j]), y.high = fmax(y.high, path->points[i]->x[j]);
    if (!(y.high > y.low)) y.high = y.low + 1;
    for (int64_t j = 0; j < size; j++) ends[j] = (ending){j, path->points[path->count - 1]->x[j], 0};
    qsort(ends, (size_t)size, sizeof *ends, by_size);
    begin(s, "Coefficients along the path", axis_name(path), "coefficient");
    draw_axis(s, &x, true);
    draw_axis(s, &y, false);
    for (int64_t j = size - 1; j >= 0; j--)
        draw_line(s, path, ends[j].entry, &x, &y, j < MAX_NAMES ? colours[ends[j].entry % COLOURS] : "#bbbbbb");
    frame(s);
    int named = 0; /* names of coefficients too small to tell apart would only hide each other */
    while (named < size && named < MAX_NAMES && fabs(ends[named].value) > 0.02 * fabs(ends[0].value))
        ends[named].y = place(&y, ends[named].value), named++;
    spread(ends, named);
    for (int i = 0; i < named; i++) draw_name(s, p, &ends[i], &y, colours[ends[i].entry % COLOURS]);
    fputs("</svg>\n", s);
    free(ends);
}

/* ---- cross-validation ---- */

static void draw_choice(FILE *s, const cli_path *p, const axis *x, int64_t i, const char *what, double height,
                        const char *colour) {
    char words[96];
    const gpis_path_point *point = p->path->points[i];
    const double at = place(x, point->value);
    fprintf(s, "<path d=\"M%.1f %d V%d\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"5 4\"/>\n", at, TOP,
            HEIGHT - BOTTOM, colour);
    snprintf(words, sizeof words, "%s: %.4g", what, point->value);
    char style[64];
    snprintf(style, sizeof style, "fill=\"%s\" font-weight=\"bold\"", colour);
    fprintf(s, "<path d=\"M%d %.1f H%d\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"5 4\"/>\n",
            WIDTH - RIGHT + 14, height - 4, WIDTH - RIGHT + 38, colour);
    text(s, WIDTH - RIGHT + 44, height, style, words);
    snprintf(words, sizeof words, "%lld coefficients", (long long)point->nonzeros);
    text(s, WIDTH - RIGHT + 44, height + 16, "", words);
}

static void draw_cv(FILE *s, const cli_path *p) {
    const gpis_path *path = p->path;
    const gpis_cv *cv = p->cv;
    axis x = axis_of_values(path), y = {INFINITY, -INFINITY, false, HEIGHT - BOTTOM - 8, TOP + 8};
    for (int64_t i = 0; i < path->count; i++) {
        y.low = fmin(y.low, cv->mean[i] - cv->standard_error[i]);
        y.high = fmax(y.high, cv->mean[i] + cv->standard_error[i]);
    }
    if (!(y.high > y.low)) y.high = y.low + 1;
    begin(s, "Cross-validation", axis_name(path), "mean squared error of the folds");
    draw_axis(s, &x, true);
    draw_axis(s, &y, false);
    for (int64_t i = 0; i < path->count; i++) {
        const double at = place(&x, path->points[i]->value), low = place(&y, cv->mean[i] - cv->standard_error[i]),
                     high = place(&y, cv->mean[i] + cv->standard_error[i]);
        fprintf(s, "<path d=\"M%.1f %.1f V%.1f M%.1f %.1f h5 M%.1f %.1f h5\" stroke=\"#999\" stroke-width=\"0.9\"/>\n",
                at, low, high, at - 2.5, low, at - 2.5, high);
    }
    fputs("<path class=\"line\" stroke=\"#0072b2\" d=\"", s);
    for (int64_t i = 0; i < path->count; i++)
        fprintf(s, "%c%.1f %.1f", i ? 'L' : 'M', place(&x, path->points[i]->value), place(&y, cv->mean[i]));
    fputs("\"/>\n", s);
    for (int64_t i = 0; i < path->count; i++)
        fprintf(s, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"#0072b2\"/>\n", place(&x, path->points[i]->value),
                place(&y, cv->mean[i]));
    frame(s);
    draw_choice(s, p, &x, cv->best, "best", TOP + 24, "#d55e00");
    draw_choice(s, p, &x, cv->one_se, "one SE", TOP + 70, "#009e73");
    fputs("</svg>\n", s);
}

void cli_path_figure(FILE *stream, const cli_path *p) {
    if (p->cv)
        draw_cv(stream, p);
    else
        draw_path(stream, p);
}
