/*
 * Drawing. Coordinates are those of the view box; x and y go to it by a linear map, of logarithms on logarithmic axes.
 * Ticks are at 1, 2 or 5 times a power of ten, on logarithmic axes at powers of ten.
 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart_axis.h"
#include "html.h"

enum { LINE_HEIGHT = 13, MOST_TICKS = 24, MOST_LABELS = 32, STYLES = 6 };

/* The view box and the margins in it. */
typedef struct frame {
    int width, height, left, right, top, bottom;
    int end_labels;     /* the right margin where labels stand at the ends of lines */
    int end_characters; /* of such a label */
} frame;
enum { LONGEST_LABEL = 23 };
static const frame in_page = {480, 300, 72, 24, 14, 44, 96, 14};
static const frame alone = {860, 520, 84, 40, 52, 58, 190, LONGEST_LABEL};

/* What style.css of the reports says of charts, in colours for paper and for programs that know no variables. */
static const char alone_style[] =
    "text{fill:#1c2127;font:12.5px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}text.title{font-size:16px;"
    "font-weight:600}text.tick,text.note{fill:#5b6570}text.note{stroke:#fff;stroke-width:4px;stroke-linejoin:round;"
    "paint-order:stroke}.grid{stroke:#e9ecef}.axis{stroke:#5b6570}.mark{stroke:#5b6570;"
    "stroke-dasharray:2 3;stroke-width:1.3}.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.line.faint{stroke:"
    "#c9ced4;stroke-width:1}.error{stroke:#1b5e9b;opacity:.6}.m{fill:#fff;stroke-width:1.6}.leader{fill:none;"
    "stroke-width:.8;opacity:.7}.s0{stroke:#1b5e9b}.s1{stroke:#c2410c}.s2{stroke:#2f7d4f}.s3{stroke:#7c3aad}.s4{"
    "stroke:#9a6b00}.s5{stroke:#4a5560}text.end{stroke:none}text.s0{fill:#1b5e9b}text.s1{fill:#c2410c}text.s2{fill:"
    "#2f7d4f}text.s3{fill:#7c3aad}text.s4{fill:#9a6b00}text.s5{fill:#4a5560}.d1{stroke-dasharray:7 3}.d2{"
    "stroke-dasharray:2 3}.d3{stroke-dasharray:9 3 2 3}.d4{stroke-dasharray:5 2 1 2 1 2}.d5{stroke-dasharray:12 4}";

typedef struct drawing {
    FILE *f;
    const chart *c;
    const frame *frame;
    axis x, y;
} drawing;

static void draw_axes(const drawing *d) {
    double ticks[MOST_TICKS];
    FILE *f = d->f;
    int count = chart_ticks(d->y.low, d->y.high, d->y.logarithmic, 6, ticks, MOST_TICKS);
    for (int i = 0; i < count; i++) {
        const double y = axis_place(&d->y, ticks[i]);
        fprintf(f, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", d->x.from, d->x.to, y, y);
        fprintf(f, "<text class=\"tick\" x=\"%g\" y=\"%.1f\" text-anchor=\"end\">", d->x.from - 6, y + 4);
        axis_write_tick(f, &d->y, ticks[i]);
        fputs("</text>\n", f);
    }
    count = chart_ticks(d->x.low, d->x.high, d->x.logarithmic, 6, ticks, MOST_TICKS);
    for (int i = 0; i < count; i++) {
        const double x = axis_place(&d->x, ticks[i]);
        fprintf(f, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>", x, x, d->y.from,
                d->y.from + 4);
        fprintf(f, "<text class=\"tick\" x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">", x, d->y.from + 17);
        axis_write_tick(f, &d->x, ticks[i]);
        fputs("</text>\n", f);
    }
    fprintf(f, "<line class=\"axis\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>", d->x.from, d->x.to, d->y.from,
            d->y.from);
    fprintf(f, "<text class=\"label\" x=\"%g\" y=\"%g\" text-anchor=\"middle\">", (d->x.from + d->x.to) / 2,
            d->y.from + 38);
    html_text(f, d->c->x_label);
    fprintf(f, "</text><text class=\"label\" transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">",
            d->x.from - 60, (d->y.from + d->y.to) / 2);
    html_text(f, d->c->y_label);
    fputs("</text>\n", f);
}

/* ---- lines, points, bars ----------------------------------------------------------------------------------------- */

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
    return axis_shows(&d->x, d->c->x[i]) && axis_shows(&d->y, s->y[i]);
}

static void draw_line(const drawing *d, const chart_series *s, int style) {
    enum { MOST_MARKERS = 40 };
    bool pen = false;
    if (s->faint)
        fputs("<path class=\"line faint\" d=\"", d->f);
    else
        fprintf(d->f, "<path class=\"line s%d d%d\" d=\"", style % STYLES, style % STYLES);
    for (int64_t i = 0; i < d->c->count; i++) {
        const bool shown = is_shown(d, s, i);
        if (shown)
            fprintf(d->f, "%c%.1f %.1f", pen ? 'L' : 'M', axis_place(&d->x, d->c->x[i]), axis_place(&d->y, s->y[i]));
        pen = shown;
    }
    fputs("\"/>\n", d->f);
    for (int64_t i = 0; i < d->c->count && !s->faint; i++) {
        if (!is_shown(d, s, i)) continue;
        const double x = axis_place(&d->x, d->c->x[i]);
        if (s->error && axis_shows(&d->y, s->y[i] - s->error[i]))
            fprintf(d->f, "<line class=\"error\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
                    axis_place(&d->y, s->y[i] - s->error[i]), axis_place(&d->y, s->y[i] + s->error[i]));
        if (d->c->count <= MOST_MARKERS && !s->label_at_end) draw_marker(d->f, style, x, axis_place(&d->y, s->y[i]));
    }
    fputc('\n', d->f);
}

static void draw_points(const drawing *d, const chart_series *s) {
    fputs("<path class=\"dots\" d=\"", d->f); /* one element for all: thousands of circles make a page slow */
    for (int64_t i = 0; i < d->c->count; i++)
        if (is_shown(d, s, i)) fprintf(d->f, "M%.1f %.1fh0", axis_place(&d->x, d->c->x[i]), axis_place(&d->y, s->y[i]));
    fputs("\"/>\n", d->f);
}

static void draw_bars(const drawing *d, const chart_series *s) {
    for (int64_t i = 0; i < d->c->count; i++) {
        if (!is_shown(d, s, i)) continue;
        const double left = axis_place(&d->x, d->c->x[i]), right = axis_place(&d->x, d->c->x[i] + d->c->bar_width);
        const double top = axis_place(&d->y, s->y[i]);
        fprintf(d->f, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left + 0.5, top,
                fmax(0.5, right - left - 1), fmax(0, d->y.from - top));
    }
    fputc('\n', d->f);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

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

/* A name of at most so many characters, which fits beside the chart. */
static void short_text(FILE *f, const char *text, int most) {
    char cut[4 * LONGEST_LABEL + 4];
    size_t used = 0;
    int width = 0;
    for (const char *c = text; *c && used < 4 * LONGEST_LABEL; c++) {
        if (((unsigned char)*c & 0xC0) != 0x80 && ++width > most) break;
        cut[used++] = *c;
    }
    strcpy(cut + used, width > most ? "…" : "");
    html_text(f, cut);
}

static void draw_end_labels(const drawing *d) {
    end_label labels[MOST_LABELS];
    const int room = (int)((d->y.from - d->y.to) / LINE_HEIGHT), most = room < MOST_LABELS ? room : MOST_LABELS;
    int count = 0;
    for (int s = 0; s < d->c->series_count && count < most; s++) {
        const chart_series *one = &d->c->series[s];
        int64_t last = d->c->count - 1;
        while (last >= 0 && !is_shown(d, one, last)) last--;
        if (!one->label_at_end || last < 0) continue;
        const double end = axis_place(&d->y, one->y[last]);
        labels[count++] = (end_label){end, end, s};
    }
    spread(labels, count, d->y.to + 4, d->y.from);
    for (int i = 0; i < count; i++) {
        const int style = labels[i].series % STYLES;
        fprintf(d->f, "<path class=\"leader s%d\" d=\"M%g %.1fL%g %.1f\"/>", style, d->x.to, labels[i].end, d->x.to + 9,
                labels[i].y);
        fprintf(d->f, "<text class=\"end s%d\" x=\"%g\" y=\"%.1f\">", style, d->x.to + 11, labels[i].y + 4);
        short_text(d->f, d->c->series[labels[i].series].label, d->frame->end_characters);
        fputs("</text>\n", d->f);
    }
}

static bool is_in_chart(const axis *a, double value) {
    return axis_shows(a, value) && value >= a->low && value <= a->high;
}

static void draw_mark(const drawing *d, const chart_mark *m) {
    if (!is_in_chart(m->vertical ? &d->x : &d->y, m->value)) return;
    const double x = m->vertical ? axis_place(&d->x, m->value) : 0, y = m->vertical ? 0 : axis_place(&d->y, m->value);
    fprintf(d->f, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", m->vertical ? x : d->x.from,
            m->vertical ? x : d->x.to, m->vertical ? d->y.from : y, m->vertical ? d->y.to : y);
}

/* The label of mark `line`, on the side that has more room; those of vertical marks stand below each other. */
static void write_note(const drawing *d, const chart_mark *m, int line) {
    const axis *a = m->vertical ? &d->x : &d->y;
    if (!is_in_chart(a, m->value)) return;
    const double at = axis_place(a, m->value);
    const bool right = m->vertical && at > (d->x.from + d->x.to) / 2;
    fprintf(d->f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\"%s>", m->vertical ? at + (right ? -4 : 4) : d->x.from + 4,
            m->vertical ? d->y.to + 10 + LINE_HEIGHT * line : at - 4, right ? " text-anchor=\"end\"" : "");
    html_text(d->f, m->label);
    fputs("</text>\n", d->f);
}

static void draw_marks(const drawing *d) {
    for (int i = 0; i < d->c->mark_count; i++) draw_mark(d, &d->c->marks[i]);
    for (int i = 0; i < d->c->mark_count; i++) write_note(d, &d->c->marks[i], i); /* no line crosses a label */
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

/* ---- the table behind it ----------------------------------------------------------------------------------------- */

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
        fprintf(f, "<tr data-x=\"%.1f\"><td>", axis_shows(&d->x, c->x[i]) ? axis_place(&d->x, c->x[i]) : d->x.from);
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

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static drawing with_ranges(drawing made) {
    drawing *d = &made;
    const chart *c = d->c;
    bool ends = false;
    for (int s = 0; s < c->series_count; s++) ends = ends || c->series[s].label_at_end;
    const frame *box = d->frame;
    d->x = (axis){INFINITY,    -INFINITY, c->log_x, box->left, box->width - (ends ? box->end_labels : box->right),
                  c->reverse_x};
    d->y = (axis){INFINITY, -INFINITY, c->log_y, box->height - box->bottom, box->top, false};
    for (int64_t i = 0; i < c->count; i++) {
        axis_include(&d->x, c->x[i]);
        if (c->kind == CHART_BARS) axis_include(&d->x, c->x[i] + c->bar_width);
        for (int s = 0; s < c->series_count; s++) {
            const double error = c->series[s].error ? c->series[s].error[i] : 0;
            axis_include(&d->y, c->series[s].y[i] + error);
            axis_include(&d->y, c->series[s].y[i] - error);
        }
    }
    if (c->from_zero) axis_include(&d->x, 0);
    for (int i = 0; i < c->mark_count; i++)
        if (!c->marks[i].vertical) axis_include(&d->y, c->marks[i].value);
    if (c->kind == CHART_BARS) d->y.low = fmin(0, d->y.low);
    if (c->log_x && d->x.low <= d->x.high && d->x.low < d->x.high) { /* a path ends where it ends */
        d->x.low *= 0.999, d->x.high *= 1.001;
    } else {
        axis_round_ends(&d->x, c->kind == CHART_LINES && c->count > 1 ? 0.02 : 0.04);
    }
    const double bottom = d->y.low;
    axis_round_ends(&d->y, 0.05);
    if (c->kind == CHART_BARS) d->y.low = bottom;
    return made;
}

static void write_alternative(const drawing *d) {
    fprintf(d->f, "<title id=\"%s-t\">", d->c->id);
    html_text(d->f, d->c->title);
    fprintf(d->f, "</title><desc id=\"%s-d\">", d->c->id);
    html_text(d->f, d->c->description);
    fputs("</desc>\n", d->f);
}

static void open_figure(const drawing *d) {
    const chart *c = d->c;
    fprintf(d->f, "<figure class=\"chart\" id=\"%s\"><figcaption>", c->id);
    html_text(d->f, c->title);
    fprintf(d->f, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\"",
            d->frame->width, d->frame->height, c->id, c->id);
    if (c->table) fprintf(d->f, " tabindex=\"0\" data-top=\"%g\" data-bottom=\"%g\"", d->y.to, d->y.from);
    putc('>', d->f);
    write_alternative(d);
}

static void draw_content(const drawing *d) {
    const chart *c = d->c;
    draw_axes(d);
    for (int s = c->series_count - 1; s >= 0; s--) { /* the first one lies over the others */
        if (c->kind == CHART_LINES) draw_line(d, &c->series[s], s);
        if (c->kind == CHART_POINTS) draw_points(d, &c->series[s]);
        if (c->kind == CHART_BARS) draw_bars(d, &c->series[s]);
    }
    draw_marks(d);
    draw_end_labels(d);
}

void chart_draw_alone(FILE *stream, const chart *c) {
    const drawing d = with_ranges((drawing){.f = stream, .c = c, .frame = &alone});
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-labelledby=\"%s-t %s-d\">\n",
            alone.width, alone.height, alone.width, alone.height, c->id, c->id);
    write_alternative(&d);
    fprintf(stream,
            "<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text class=\"title\" x=\"%d\" y=\"26\">",
            alone_style, alone.left);
    html_text(stream, c->title);
    fputs("</text>\n", stream);
    draw_content(&d);
    fputs("</svg>\n", stream);
}

void chart_draw(FILE *stream, const chart *c) {
    const drawing d = with_ranges((drawing){.f = stream, .c = c, .frame = &in_page});
    open_figure(&d);
    draw_content(&d);
    if (c->table) fputs("<line class=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"0\"/>", stream);
    fputs("</svg>\n", stream);
    draw_legend(&d);
    if (c->table) fputs("<output class=\"readout\" aria-live=\"polite\"></output>\n", stream);
    if (c->table) write_table(&d);
    fputs("</figure>\n", stream);
}
