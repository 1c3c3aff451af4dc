/*
 * Drawing. Coordinates are those of the view box; x and y go to it by a linear map, of logarithms on logarithmic axes.
 * Ticks are at 1, 2 or 5 times a power of ten, on logarithmic axes at powers of ten.
 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

enum { WIDTH = 480, HEIGHT = 300, LEFT = 72, RIGHT = 24, TOP = 14, BOTTOM = 44 };
enum { END_LABELS = 96, LINE_HEIGHT = 13, MOST_TICKS = 24, STYLES = 6 };

/* ---- ticks --------------------------------------------------------------------------------------------------------
 */

static double round_step(double span, int wanted) {
    const double rough = span / wanted, power = pow(10, floor(log10(rough))), m = rough / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

int chart_ticks(double low, double high, bool logarithmic, int wanted, double *ticks, int room) {
    int count = 0;
    if (!(high > low)) return 0;
    if (logarithmic) {
        const double first = ceil(log10(low) - 1e-9), last = floor(log10(high) + 1e-9);
        const double step = fmax(1, ceil((last - first) / wanted));
        for (double e = first; e <= last && count < room; e += step) ticks[count++] = pow(10, e);
        return count;
    }
    const double step = round_step(high - low, wanted), first = ceil(low / step - 1e-9);
    for (double i = first; i * step <= high + 1e-9 * step && count < room; i++) ticks[count++] = i * step;
    return count;
}

/* ---- axes ---------------------------------------------------------------------------------------------------------
 */

typedef struct axis {
    double low, high; /* shown */
    bool logarithmic;
    double from, to; /* in the view box */
    bool reversed;   /* the largest value is at `from` */
} axis;

static double place(const axis *a, double value) {
    const double low = a->logarithmic ? log10(a->low) : a->low, high = a->logarithmic ? log10(a->high) : a->high;
    const double v = a->logarithmic ? log10(value) : value;
    const double share = (v - low) / (high - low);
    return a->from + (a->to - a->from) * (a->reversed ? 1 - share : share);
}

static bool shows(const axis *a, double value) { return isfinite(value) && (!a->logarithmic || value > 0); }

static void include(axis *a, double value) {
    if (!shows(a, value)) return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* Room around the values, and round ends of logarithmic axes. */
static void round_ends(axis *a, double margin) {
    if (!(a->low <= a->high)) a->low = 1, a->high = 10;
    if (a->logarithmic) {
        a->low = pow(10, floor(log10(a->low) + 1e-9));
        a->high = pow(10, ceil(log10(a->high) - 1e-9));
        if (a->low == a->high) a->high *= 10;
        return;
    }
    const double span = a->high - a->low, room = span > 0 ? margin * span : fmax(1, fabs(a->high)) / 2;
    a->low -= room;
    a->high += room;
}

/* "1e-08" as 10 to a raised power is hard to read aloud; "1e-8" is not. */
static void tick_text(FILE *f, double value, bool logarithmic) {
    if (logarithmic && (value < 1e-3 || value > 1e4)) {
        fprintf(f, "1e%s%d", value < 1 ? "&minus;" : "", abs((int)lround(log10(value))));
        return;
    }
    html_number(f, fabs(value) < 1e-12 ? 0 : value, 5);
}

typedef struct drawing {
    FILE *f;
    const chart *c;
    axis x, y;
} drawing;

static void draw_axes(const drawing *d) {
    double ticks[MOST_TICKS];
    FILE *f = d->f;
    int count = chart_ticks(d->y.low, d->y.high, d->y.logarithmic, 6, ticks, MOST_TICKS);
    for (int i = 0; i < count; i++) {
        const double y = place(&d->y, ticks[i]);
        fprintf(f, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", d->x.from, d->x.to, y, y);
        fprintf(f, "<text class=\"tick\" x=\"%g\" y=\"%.1f\" text-anchor=\"end\">", d->x.from - 6, y + 4);
        tick_text(f, ticks[i], d->y.logarithmic);
        fputs("</text>\n", f);
    }
    count = chart_ticks(d->x.low, d->x.high, d->x.logarithmic, 6, ticks, MOST_TICKS);
    for (int i = 0; i < count; i++) {
        const double x = place(&d->x, ticks[i]);
        fprintf(f, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>", x, x, d->y.from,
                d->y.from + 4);
        fprintf(f, "<text class=\"tick\" x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">", x, d->y.from + 17);
        tick_text(f, ticks[i], d->x.logarithmic);
        fputs("</text>\n", f);
    }
    fprintf(f, "<line class=\"axis\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>", d->x.from, d->x.to, d->y.from,
            d->y.from);
    fprintf(f, "<text class=\"label\" x=\"%g\" y=\"%d\" text-anchor=\"middle\">", (d->x.from + d->x.to) / 2,
            HEIGHT - 6);
    html_text(f, d->c->x_label);
    fprintf(f, "</text><text class=\"label\" transform=\"translate(12 %g) rotate(-90)\" text-anchor=\"middle\">",
            (d->y.from + d->y.to) / 2);
    html_text(f, d->c->y_label);
    fputs("</text>\n", f);
}

/* ---- lines, points, bars ------------------------------------------------------------------------------------------
 */

/* Shapes that differ without colour. */
static void draw_marker(FILE *f, int style, double x, double y) {
    switch (style % STYLES) {
    case 0: fprintf(f, "<circle class=\"m s0\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", x, y); return;
    case 1: fprintf(f, "<rect class=\"m s1\" x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"/>", x - 3, y - 3); return;
    case 2: fprintf(f, "<path class=\"m s2\" d=\"M%.1f %.1fl4 7h-8z\"/>", x, y - 4); return;
    case 3: fprintf(f, "<path class=\"m s3\" d=\"M%.1f %.1fl4 4l-4 4l-4 -4z\"/>", x, y - 4); return;
    case 4: fprintf(f, "<path class=\"m s4\" d=\"M%.1f %.1fl-4 -7h8z\"/>", x, y + 4); return;
    default: fprintf(f, "<path class=\"m s5\" d=\"M%.1f %.1fl6 6m0 -6l-6 6\"/>", x - 3, y - 3); return;
    }
}

static bool is_shown(const drawing *d, const chart_series *s, int64_t i) {
    return shows(&d->x, d->c->x[i]) && shows(&d->y, s->y[i]);
}

static void draw_line(const drawing *d, const chart_series *s, int style) {
    enum { MOST_MARKERS = 40 };
    bool pen = false;
    fprintf(d->f, "<path class=\"line s%d d%d\" d=\"", style % STYLES, style % STYLES);
    for (int64_t i = 0; i < d->c->count; i++) {
        const bool shown = is_shown(d, s, i);
        if (shown) fprintf(d->f, "%c%.1f %.1f", pen ? 'L' : 'M', place(&d->x, d->c->x[i]), place(&d->y, s->y[i]));
        pen = shown;
    }
    fputs("\"/>\n", d->f);
    for (int64_t i = 0; i < d->c->count; i++) {
        if (!is_shown(d, s, i)) continue;
        const double x = place(&d->x, d->c->x[i]);
        if (s->error && shows(&d->y, s->y[i] - s->error[i]))
            fprintf(d->f, "<line class=\"error\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
                    place(&d->y, s->y[i] - s->error[i]), place(&d->y, s->y[i] + s->error[i]));
        if (d->c->count <= MOST_MARKERS && !s->label_at_end) draw_marker(d->f, style, x, place(&d->y, s->y[i]));
    }
    fputc('\n', d->f);
}

static void draw_points(const drawing *d, const chart_series *s) {
    fputs("<path class=\"dots\" d=\"", d->f); /* one element for all: thousands of circles make a page slow */
    for (int64_t i = 0; i < d->c->count; i++)
        if (is_shown(d, s, i)) fprintf(d->f, "M%.1f %.1fh0", place(&d->x, d->c->x[i]), place(&d->y, s->y[i]));
    fputs("\"/>\n", d->f);
}

static void draw_bars(const drawing *d, const chart_series *s) {
    for (int64_t i = 0; i < d->c->count; i++) {
        if (!is_shown(d, s, i)) continue;
        const double left = place(&d->x, d->c->x[i]), right = place(&d->x, d->c->x[i] + d->c->bar_width);
        const double top = place(&d->y, s->y[i]);
        fprintf(d->f, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left + 0.5, top,
                fmax(0.5, right - left - 1), fmax(0, d->y.from - top));
    }
    fputc('\n', d->f);
}

/* ---- labels -------------------------------------------------------------------------------------------------------
 */

typedef struct end_label {
    double y, end; /* of the label, and of the line */
    int series;
} end_label;

static int by_height(const void *a, const void *b) {
    const end_label *p = a, *q = b;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* Pushes labels apart from the top down, and then up from the bottom where they do not fit. */
static void spread(end_label *labels, int count, double top, double bottom) {
    qsort(labels, (size_t)count, sizeof *labels, by_height);
    for (int i = 0; i < count; i++) {
        const double least = i > 0 ? labels[i - 1].y + LINE_HEIGHT : top;
        if (labels[i].y < least) labels[i].y = least;
    }
    for (int i = count - 1; i >= 0; i--) {
        const double most = i + 1 < count ? labels[i + 1].y - LINE_HEIGHT : bottom;
        if (labels[i].y > most) labels[i].y = most;
    }
}

/* A name that fits beside the chart. */
static void short_text(FILE *f, const char *text) {
    enum { MOST = 14 };
    char cut[4 * MOST + 4];
    size_t used = 0;
    int width = 0;
    for (const char *c = text; *c && used < 4 * MOST; c++) {
        if (((unsigned char)*c & 0xC0) != 0x80 && ++width > MOST) break;
        cut[used++] = *c;
    }
    strcpy(cut + used, width > MOST ? "…" : "");
    html_text(f, cut);
}

static void draw_end_labels(const drawing *d) {
    enum { MOST = (HEIGHT - TOP - BOTTOM) / LINE_HEIGHT };
    end_label labels[MOST];
    int count = 0;
    for (int s = 0; s < d->c->series_count && count < MOST; s++) {
        const chart_series *one = &d->c->series[s];
        int64_t last = d->c->count - 1;
        while (last >= 0 && !is_shown(d, one, last)) last--;
        if (!one->label_at_end || last < 0) continue;
        const double end = place(&d->y, one->y[last]);
        labels[count++] = (end_label){end, end, s};
    }
    spread(labels, count, d->y.to + 4, d->y.from);
    for (int i = 0; i < count; i++) {
        const int style = labels[i].series % STYLES;
        fprintf(d->f, "<path class=\"leader s%d\" d=\"M%g %.1fL%g %.1f\"/>", style, d->x.to, labels[i].end, d->x.to + 9,
                labels[i].y);
        fprintf(d->f, "<text class=\"end s%d\" x=\"%g\" y=\"%.1f\">", style, d->x.to + 11, labels[i].y + 4);
        short_text(d->f, d->c->series[labels[i].series].label);
        fputs("</text>\n", d->f);
    }
}

static void draw_marks(const drawing *d) {
    for (int i = 0; i < d->c->mark_count; i++) {
        const chart_mark *m = &d->c->marks[i];
        const axis *a = m->vertical ? &d->x : &d->y;
        if (!shows(a, m->value) || m->value < a->low || m->value > a->high) continue;
        const double at = place(a, m->value);
        if (m->vertical)
            fprintf(d->f, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>", at, at, d->y.from,
                    d->y.to);
        else
            fprintf(d->f, "<line class=\"mark\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", d->x.from, d->x.to, at,
                    at);
        const bool right = m->vertical && at > (d->x.from + d->x.to) / 2;
        const double x = m->vertical ? at + (right ? -4 : 4) : d->x.from + 4;
        fprintf(d->f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\"%s>", x,
                m->vertical ? d->y.to + 10 + LINE_HEIGHT * i : at - 4, right ? " text-anchor=\"end\"" : "");
        html_text(d->f, m->label);
        fputs("</text>\n", d->f);
    }
}

/* Lines of the legend below the chart, with a piece of each line. */
static void draw_legend(const drawing *d) {
    int listed = 0;
    for (int s = 0; s < d->c->series_count; s++) listed += d->c->kind == CHART_LINES && !d->c->series[s].label_at_end;
    if (listed < 2) return;
    fputs("<p class=\"legend\">", d->f);
    for (int s = 0; s < d->c->series_count; s++) {
        if (d->c->series[s].label_at_end) continue;
        fprintf(
            d->f,
            "<span><svg width=\"34\" height=\"12\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"line s%d "
            "d%d\" d=\"M1 6H33\"/>",
            s % STYLES, s % STYLES);
        draw_marker(d->f, s, 17, 6);
        fputs("</svg> ", d->f);
        html_text(d->f, d->c->series[s].label);
        fputs("</span> ", d->f);
    }
    fputs("</p>\n", d->f);
}

/* ---- the table behind it ------------------------------------------------------------------------------------------
 */

static void write_table(const drawing *d) {
    const chart *c = d->c;
    FILE *f = d->f;
    fprintf(f,
            "<details><summary>The numbers of this figure</summary><div class=\"scroll\"><table id=\"%s-table\">"
            "<thead><tr><th scope=\"col\">",
            c->id);
    html_text(f, c->x_label);
    fputs("</th>", f);
    for (int s = 0; s < c->series_count; s++) {
        fputs("<th scope=\"col\">", f);
        html_text(f, c->series[s].label);
        fputs("</th>", f);
        if (c->series[s].error) fputs("<th scope=\"col\">standard error</th>", f);
    }
    fputs("</tr></thead><tbody>\n", f);
    for (int64_t i = 0; i < c->count; i++) {
        fprintf(f, "<tr data-x=\"%.1f\"><td>", shows(&d->x, c->x[i]) ? place(&d->x, c->x[i]) : d->x.from);
        html_number(f, c->x[i], 5);
        fputs("</td>", f);
        for (int s = 0; s < c->series_count; s++) {
            fputs("<td>", f);
            html_number(f, c->series[s].y[i], 5);
            fputs("</td>", f);
            if (!c->series[s].error) continue;
            fputs("<td>", f);
            html_number(f, c->series[s].error[i], 3);
            fputs("</td>", f);
        }
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

/* ---- all of it ----------------------------------------------------------------------------------------------------
 */

static void find_ranges(drawing *d) {
    const chart *c = d->c;
    bool ends = false;
    for (int s = 0; s < c->series_count; s++) ends = ends || c->series[s].label_at_end;
    d->x = (axis){INFINITY, -INFINITY, c->log_x, LEFT, WIDTH - (ends ? END_LABELS : RIGHT), c->reverse_x};
    d->y = (axis){INFINITY, -INFINITY, c->log_y, HEIGHT - BOTTOM, TOP, false};
    for (int64_t i = 0; i < c->count; i++) {
        include(&d->x, c->x[i]);
        if (c->kind == CHART_BARS) include(&d->x, c->x[i] + c->bar_width);
        for (int s = 0; s < c->series_count; s++) {
            const double error = c->series[s].error ? c->series[s].error[i] : 0;
            include(&d->y, c->series[s].y[i] + error);
            include(&d->y, c->series[s].y[i] - error);
        }
    }
    if (c->from_zero) include(&d->x, 0);
    for (int i = 0; i < c->mark_count; i++)
        if (!c->marks[i].vertical) include(&d->y, c->marks[i].value);
    if (c->kind == CHART_BARS) d->y.low = fmin(0, d->y.low);
    if (c->log_x && d->x.low <= d->x.high && d->x.low < d->x.high) { /* a path ends where it ends */
        d->x.low *= 0.999, d->x.high *= 1.001;
    } else {
        round_ends(&d->x, c->kind == CHART_LINES && c->count > 1 ? 0.02 : 0.04);
    }
    const double bottom = d->y.low;
    round_ends(&d->y, 0.05);
    if (c->kind == CHART_BARS) d->y.low = bottom;
}

static void open_figure(const drawing *d) {
    const chart *c = d->c;
    fprintf(d->f, "<figure class=\"chart\" id=\"%s\"><figcaption>", c->id);
    html_text(d->f, c->title);
    fprintf(d->f, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\"", WIDTH, HEIGHT,
            c->id, c->id);
    if (c->table) fprintf(d->f, " tabindex=\"0\" data-top=\"%g\" data-bottom=\"%g\"", d->y.to, d->y.from);
    fprintf(d->f, "><title id=\"%s-t\">", c->id);
    html_text(d->f, c->title);
    fprintf(d->f, "</title><desc id=\"%s-d\">", c->id);
    html_text(d->f, c->description);
    fputs("</desc>\n", d->f);
}

void chart_draw(FILE *stream, const chart *c) {
    drawing d = {.f = stream, .c = c};
    find_ranges(&d);
    open_figure(&d);
    draw_axes(&d);
    for (int s = 0; s < c->series_count; s++) {
        if (c->kind == CHART_LINES) draw_line(&d, &c->series[s], s);
        if (c->kind == CHART_POINTS) draw_points(&d, &c->series[s]);
        if (c->kind == CHART_BARS) draw_bars(&d, &c->series[s]);
    }
    draw_marks(&d);
    draw_end_labels(&d);
    if (c->table) fputs("<line class=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"0\"/>", stream);
    fputs("</svg>\n", stream);
    draw_legend(&d);
    if (c->table) fputs("<output class=\"readout\" aria-live=\"polite\"></output>\n", stream);
    if (c->table) write_table(&d);
    fputs("</figure>\n", stream);
}
