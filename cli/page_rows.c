/*
 * The sections of a report that are figures: convergence, plan, and residuals of a sample of rows.
 *
 * The sample has rows whose numbers are spread evenly, the same in each run. They are fetched by their numbers once the
 * solve is over (gpis_source_rows), so that no sweep over A is made for them; of a file that is not in memory they come
 * in runs of consecutive rows, since each run is a jump within the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart_axis.h"
#include "page.h"

enum { SAMPLE = 3000, RUN = 60, BINS = 30 };

/* ---- convergence ------------------------------------------------------------------------------------------------- */

/* The numbers of a trace, as columns. */
typedef struct course {
    double *pass, *seconds, *gap, *above; /* owned: `pass` */
    int64_t count;
} course;

static bool make_course(const page *p, course *c) {
    const gpis_result *r = p->result;
    const double floor = r->objective - r->gap;
    *c = (course){.pass = calloc((size_t)p->trace_count * 4 + 4, sizeof(double)), .count = p->trace_count};
    if (!c->pass) return false;
    c->seconds = c->pass + c->count, c->gap = c->seconds + c->count, c->above = c->gap + c->count;
    for (int64_t i = 0; i < c->count; i++) {
        const gpis_progress *t = &p->trace[i];
        const double lower = t->objective - t->gap;
        c->pass[i] = (double)t->pass;
        c->seconds[i] = t->seconds;
        c->gap[i] = isfinite(t->gap) && lower > 0 ? fmax(t->gap / lower, 1e-18) : NAN;
        c->above[i] =
            isfinite(t->objective) && t->objective > floor ? fmax((t->objective - floor) / floor, 1e-18) : NAN;
    }
    return true;
}

static void draw_course(const page *p, const course *c, const char *id, const char *title, const char *label,
                        const double *x) {
    char text[400];
    const chart_series series[] = {{.label = "bound on the error (gap)", .y = c->gap},
                                   {.label = "above the final lower bound", .y = c->above}};
    const chart_mark marks[] = {{.label = "tolerance", .value = p->tol}};
    snprintf(
        text, sizeof text,
        "Relative gap after each of %lld passes, on a logarithmic scale, beside how far the objective was above the "
        "lower bound that the solve ended with. The last gap is %.2g; the tolerance is %.2g.",
        (long long)c->count, gpis_relative_gap(p->result), p->tol);
    const chart figure = {.id = id,
                          .title = title,
                          .description = text,
                          .x_label = label,
                          .y_label = "relative to the best",
                          .log_y = true,
                          .from_zero = true,
                          .count = c->count,
                          .x = x,
                          .series = series,
                          .series_count = 2,
                          .marks = marks,
                          .mark_count = p->tol > 0,
                          .table = true};
    chart_draw(p->f, &figure);
}

/* A figure of one point would be empty. */
static void write_only_pass(const page *p) {
    const gpis_result *r = p->result;
    const double relative = gpis_relative_gap(r);
    if (r->outcome == GPIS_SOLVED)
        fputs("<p>One pass over the data was enough: it kept sums from which the answer and its proof follow.", p->f);
    else
        fputs("<p>The solve ended after one pass over the data.", p->f);
    if (isfinite(relative)) {
        fputs(" The bound on the error is then ", p->f);
        html_number(p->f, relative, 2);
        fputs(" of the objective; the tolerance is ", p->f);
        html_number(p->f, p->tol, 2);
        fputs(".", p->f);
    }
    fputs("</p>\n", p->f);
}

void page_convergence(const page *p) {
    course c;
    if (p->trace_count == 0) return;
    fputs("<h2>Convergence</h2>\n", p->f);
    if (p->trace_count == 1) {
        write_only_pass(p);
        return;
    }
    if (!(p->result->objective > p->result->gap)) {
        fprintf(
            p->f,
            "<p>%lld passes over the data were made. They ended without a lower bound on the objective that is above "
            "0, so there is nothing to which an error could be compared.</p>\n",
            (long long)p->trace_count);
        return;
    }
    if (!make_course(p, &c)) return;
    fputs("<div class=\"figures\">\n", p->f);
    draw_course(p, &c, "bypass", "After each pass over the data", "passes", c.pass);
    draw_course(p, &c, "bytime", "Over time", "seconds", c.seconds);
    fputs("</div>\n", p->f);
    free(c.pass);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static void write_comparison(FILE *f, const char *what, double predicted, double actual, int digits) {
    fprintf(f, "<tr><td>%s</td><td>", what);
    html_number(f, predicted, digits);
    fputs("</td><td>", f);
    html_number(f, actual, digits);
    fputs("</td></tr>", f);
}

static void write_candidates(const page *p) {
    FILE *f = p->f;
    gpis_plan *plan = NULL;
    if (!p->problem || gpis_plan_make(p->problem, p->settings, &plan) != GPIS_OK) return;
    fputs(
        "<details><summary>What else was considered</summary><div class=\"scroll\"><table id=\"candidates\"><thead><tr>"
        "<th scope=\"col\">Method</th><th scope=\"col\" class=\"t\">Sketch</th><th scope=\"col\">Passes</th><th "
        "scope=\"col\">Seconds</th><th scope=\"col\" class=\"t\">Why not</th></tr></thead><tbody>\n",
        f);
    for (int64_t i = 0; i < plan->count; i++) {
        const gpis_plan_candidate *c = plan->candidates[i];
        fprintf(f, "<tr%s><td>", c->chosen ? " class=\"chosen\"" : "");
        html_text(f, c->method);
        fputs("</td><td class=\"t\">", f);
        html_text(f, c->m > 0 ? c->sketch : "");
        if (c->m > 0) fprintf(f, ", %lld rows", (long long)c->m);
        fputs("</td><td>", f);
        html_number(f, c->passes > 0 ? (double)c->passes : NAN, 12);
        fputs("</td><td>", f);
        html_number(f, c->seconds, 2);
        fputs("</td><td class=\"t\">", f);
        html_text(f, c->chosen ? "chosen" : c->reason);
        fputs("</td></tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
    gpis_plan_destroy(plan);
}

void page_plan(const page *p) {
    FILE *f = p->f;
    const gpis_result *r = p->result;
    fputs("<h2>The plan, and what became of it</h2>\n<p>", f);
    html_text(f, r->plan);
    fputs(".</p>\n<div class=\"scroll\"><table id=\"plan\"><thead><tr><th scope=\"col\"></th><th "
          "scope=\"col\">Predicted</th><th scope=\"col\">Was</th></tr></thead><tbody>",
          f);
    write_comparison(f, "Passes over the data", r->predicted_passes > 0 ? (double)r->predicted_passes : NAN,
                     (double)r->passes, 12);
    write_comparison(f, "Seconds of the solve", r->predicted_seconds, r->seconds, 3);
    if (p->load_seconds >= 0) write_comparison(f, "Seconds of loading", NAN, p->load_seconds, 3);
    write_comparison(f, "Gigabytes read", NAN, r->bytes_read / 1e9, 3);
    fputs("</tbody></table></div>\n", f);
    write_candidates(p);
}

/* ---- residuals --------------------------------------------------------------------------------------------------- */

typedef struct sample {
    double *fitted, *residual; /* owned: `fitted` */
    int64_t count;
} sample;

/* Adds row `row`, whose entries are a. Of several responses the first is shown. */
static void add_row(const page *p, int64_t row, const double *a, sample *s) {
    const int64_t k = p->responses;
    double fit = p->result->intercept ? p->result->intercept[0] : 0;
    if (p->weights && p->weights[row] == 0) return;
    for (int64_t j = 0; j < p->columns; j++) fit += a[j] * p->result->x[j * k];
    const double offset = p->offset ? p->offset[row * k] : 0;
    s->fitted[s->count] = fit + offset;
    s->residual[s->count++] = p->Y[row * k] - offset - fit;
}

static bool take_sample(const page *p, sample *s) {
    const int64_t n = p->rows, wanted = n < SAMPLE ? n : SAMPLE;
    const int64_t run = p->resident || n <= SAMPLE ? 1 : RUN, runs = (wanted + run - 1) / run;
    double *rows = calloc((size_t)(run * p->columns), sizeof *rows);
    s->fitted = calloc((size_t)(2 * runs * run + 1), sizeof *s->fitted);
    bool good = rows && s->fitted;
    s->residual = good ? s->fitted + runs * run : NULL;
    for (int64_t i = 0; i < runs && good; i++) {
        const int64_t first = (int64_t)((double)i * ((double)n / (double)runs)),
                      count = first + run < n ? run : n - first;
        good = gpis_source_rows(p->context, p->A, first, count, rows) == GPIS_OK;
        for (int64_t j = 0; j < count && good; j++) add_row(p, first + j, rows + j * p->columns, s);
    }
    free(rows);
    return good;
}

/* Counts in bins of equal, round width. Returns how many bins there are. */
static int64_t count_bins(const sample *s, double *left, double *counts, double *width) {
    double low = INFINITY, high = -INFINITY, ticks[BINS + 2];
    for (int64_t i = 0; i < s->count; i++) low = fmin(low, s->residual[i]), high = fmax(high, s->residual[i]);
    const int found = high > low ? chart_ticks(low, high, false, BINS - 8, ticks, BINS) : 0;
    if (found < 2) return 0;
    *width = ticks[1] - ticks[0];
    const double first = ticks[0] - *width;
    const int64_t bins = found + 1;
    for (int64_t b = 0; b < bins; b++) left[b] = first + (double)b * *width, counts[b] = 0;
    for (int64_t i = 0; i < s->count; i++) {
        int64_t b = (int64_t)((s->residual[i] - first) / *width);
        counts[b < 0 ? 0 : b >= bins ? bins - 1 : b]++;
    }
    return bins;
}

static bool is_zero(const sample *s) {
    for (int64_t i = 0; i < s->count; i++)
        if (s->residual[i] != 0) return false;
    return s->count > 0;
}

static void draw_scatter(const page *p, const sample *s) {
    const chart_series series[] = {{.label = "residual", .y = s->residual}};
    const chart_mark marks[] = {{.label = "", .value = 0}};
    char text[300];
    snprintf(
        text, sizeof text,
        "Residuals of %lld sampled rows against their fitted values. Their root mean square over all rows is %.4g. A "
        "band of even width about zero is what a good fit shows.",
        (long long)s->count, p->result->rmse);
    const chart figure = {.id = "residuals",
                          .title = "Residuals against fitted values",
                          .description = text,
                          .x_label = "fitted value",
                          .y_label = "residual",
                          .kind = CHART_POINTS,
                          .count = s->count,
                          .x = s->fitted,
                          .series = series,
                          .series_count = 1,
                          .marks = marks,
                          .mark_count = 1};
    chart_draw(p->f, &figure);
}

static void draw_histogram(const page *p, const sample *s) {
    double left[BINS + 4], counts[BINS + 4], width = 1;
    const int64_t bins = count_bins(s, left, counts, &width);
    const chart_series series[] = {{.label = "rows", .y = counts}};
    if (bins == 0) return;
    const chart figure = {.id = "histogram",
                          .title = "How the residuals are spread",
                          .description =
                              "A histogram of the residuals of the same rows; the table below has its numbers.",
                          .x_label = "residual",
                          .y_label = "rows",
                          .kind = CHART_BARS,
                          .count = bins,
                          .x = left,
                          .bar_width = width,
                          .series = series,
                          .series_count = 1,
                          .table = true};
    chart_draw(p->f, &figure);
}

void page_residuals(const page *p) {
    sample s = {0};
    fputs("<h2>Residuals</h2>\n", p->f);
    if (!p->Y) {
        fputs(
            "<p>The rows are not at hand: they are shared by several processes, known by their summary alone, or were "
            "not given for this page. Residuals of single rows are not shown.</p>\n",
            p->f);
        return;
    }
    const bool taken = take_sample(p, &s);
    if (taken && is_zero(&s)) {
        fputs("<p>The fitted values are the response itself: every residual is 0.</p>\n", p->f);
    } else if (taken && s.count == 1) {
        fputs("<p>There is one row, whose residual is ", p->f);
        html_number(p->f, s.residual[0], 5);
        fputs(".</p>\n", p->f);
    } else if (taken && s.count > 1) {
        const bool all = s.count >= p->rows;
        fprintf(p->f, "<p>Of %s%lld rows%s%s.</p>\n<div class=\"figures\">\n", all ? "all " : "a sample of ",
                (long long)s.count, all ? "" : ", spread evenly over the file and read by their numbers",
                p->responses > 1 ? "; of the first response" : "");
        draw_scatter(p, &s);
        draw_histogram(p, &s);
        fputs("</div>\n", p->f);
    }
    free(s.fitted);
}
