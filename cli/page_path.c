/* The report of a path or of a cross-validation: the curve with its standard errors and both choices, the path with
 * names at its end, the coefficients of the choices, and every point with its certificate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { MOST_LINES = 18, MOST_LISTED = 2000 }; /* coefficients that are drawn, and that are listed */

/* A path as arrays of numbers. */
typedef struct view {
    const page *p;
    const gpis_path *path;
    const gpis_cv *cv;
    double *value;  /* owned: of each point; then the arrays below */
    int64_t *order; /* owned: entries of x, largest at the end first */
    double *curve;  /* owned: MOST_LINES x count, the coefficients that are drawn */
    int lines;
} view;

static double relative_gap(const gpis_path_point *point) {
    const double lower = point->objective - point->gap;
    return lower > 0 ? point->gap / lower : INFINITY;
}

static const char *value_name(const gpis_path *path) { return path->penalised ? "penalty (lambda)" : "radius"; }

/* ---- the arrays ---------------------------------------------------------------------------------------------------
 */

typedef struct ordered {
    double size;
    int64_t entry;
} ordered;

static int by_size(const void *a, const void *b) {
    const ordered *p = a, *q = b;
    if (p->size != q->size) return p->size < q->size ? 1 : -1;
    return p->entry < q->entry ? -1 : p->entry > q->entry;
}

static void order_entries(view *v, ordered *work) {
    const int64_t entries = v->path->d * v->path->k;
    const double *last = v->path->points[v->path->count - 1]->x;
    for (int64_t e = 0; e < entries; e++) work[e] = (ordered){fabs(last[e]), e};
    qsort(work, (size_t)entries, sizeof *work, by_size);
    for (int64_t e = 0; e < entries; e++) v->order[e] = work[e].entry;
    while (v->lines < MOST_LINES && v->lines < entries && work[v->lines].size > 0) v->lines++;
}

static bool make_view(view *v) {
    const int64_t entries = v->path->d * v->path->k, count = v->path->count;
    ordered *work = calloc((size_t)entries, sizeof *work);
    v->value = calloc((size_t)count, sizeof *v->value);
    v->order = calloc((size_t)entries, sizeof *v->order);
    v->curve = calloc((size_t)(count * MOST_LINES), sizeof *v->curve);
    const bool good = work && v->value && v->order && v->curve;
    if (good) order_entries(v, work);
    for (int64_t i = 0; good && i < count; i++) {
        v->value[i] = v->path->points[i]->value;
        for (int s = 0; s < v->lines; s++) v->curve[s * count + i] = v->path->points[i]->x[v->order[s]];
    }
    free(work);
    return good;
}

static void clear_view(view *v) {
    free(v->value);
    free(v->order);
    free(v->curve);
}

static bool is_logarithmic(const view *v) {
    const double a = v->value[0], b = v->value[v->path->count - 1], low = fmin(a, b), high = fmax(a, b);
    return low > 0 && high > 5 * low;
}

/* ---- words --------------------------------------------------------------------------------------------------------
 */

static void write_verdict(const view *v) {
    FILE *f = v->p->f;
    int64_t solved = 0;
    double worst = 0;
    bool proven = true;
    for (int64_t i = 0; i < v->path->count; i++) {
        solved += v->path->points[i]->outcome == GPIS_SOLVED;
        worst = fmax(worst, relative_gap(v->path->points[i]));
        proven = proven && v->path->points[i]->gap_kind == GPIS_GAP_PROVEN;
    }
    const bool all = solved == v->path->count;
    fprintf(f, "<section class=\"verdict%s\"><strong>%lld of %lld points are certified to the tolerance.</strong><p>",
            all ? "" : " open", (long long)solved, (long long)v->path->count);
    if (isfinite(worst)) {
        fputs(
            "At none of them does another choice of coefficients that is allowed there have an objective lower by more "
            "than ",
            f);
        html_number(f, worst, 2);
        fputs(proven ? " of it. This is proven, with rounding errors counted." : " of it.", f);
    } else {
        fputs("Of some points no bound is known.", f);
    }
    fputs("</p>", f);
    if (v->path->warning[0]) {
        fputs("<p>Warning: ", f);
        html_text(f, v->path->warning);
        fputs("</p>", f);
    }
    fputs("</section>\n", f);
}

static void write_facts(const view *v) {
    FILE *f = v->p->f;
    const gpis_path *path = v->path;
    page_facts_begin(f);
    if (v->cv) {
        page_fact(f, path->penalised ? "Best penalty" : "Best radius", v->value[v->cv->best], 5);
        page_fact(f, "Its error (MSE)", v->cv->mean[v->cv->best], 5);
        page_fact(f, "Its coefficients", (double)path->points[v->cv->best]->nonzeros, 12);
        page_fact(f, path->penalised ? "One-SE penalty" : "One-SE radius", v->value[v->cv->one_se], 5);
        page_fact(f, "Its error (MSE)", v->cv->mean[v->cv->one_se], 5);
        page_fact(f, "Its coefficients", (double)path->points[v->cv->one_se]->nonzeros, 12);
    } else {
        page_fact(f, "Points", (double)path->count, 12);
        page_fact(f, "From", v->value[0], 5);
        page_fact(f, "To", v->value[path->count - 1], 5);
        page_fact(f, "Coefficients at the end", (double)path->points[path->count - 1]->nonzeros, 12);
    }
    page_fact(f, "Sweeps over the data", (double)path->sweeps, 12);
    page_fact(f, "Seconds", path->seconds, 3);
    page_facts_end(f);
}

static void write_words(const view *v) {
    FILE *f = v->p->f;
    const page *p = v->p;
    fputs("<h2>What was solved</h2>\n<p>Find the coefficients for which the sum of the squared differences between ",
          f);
    if (p->common->open.target) {
        fputs("<em>", f);
        html_text(f, p->common->open.target);
        fputs("</em>", f);
    } else {
        fputs("the response", f);
    }
    fprintf(f, " and its prediction is least, over %lld rows and %lld columns of <code>",
            (long long)p->problem->shape.rows, (long long)p->problem->shape.cols);
    html_text(f, p->a);
    fprintf(f, "</code>, once for each of %lld %s", (long long)v->path->count,
            v->path->penalised ? "penalties on the sum of |coefficient|" : "radii of the set <code>");
    if (!v->path->penalised) {
        html_text(f, v->path->set);
        fputs("</code>", f);
    }
    fputs(".", f);
    if (v->cv)
        fprintf(f,
                " Each of %lld folds was predicted by the answers of all other rows; the best value has the least mean "
                "squared error, and the one-standard-error choice is the simplest within one standard error of it.",
                (long long)v->cv->folds);
    fputs("</p>\n", f);
    page_terms(p);
}

/* ---- figures ------------------------------------------------------------------------------------------------------
 */

static int choices(const view *v, chart_mark marks[2]) {
    if (!v->cv) return 0;
    marks[0] = (chart_mark){"best", v->value[v->cv->best], true};
    marks[1] = (chart_mark){"one SE", v->value[v->cv->one_se], true};
    return 2;
}

static void draw_path(const view *v) {
    chart_series series[MOST_LINES];
    char made[MOST_LINES][32];
    chart_mark marks[2];
    for (int s = 0; s < v->lines; s++)
        series[s] = (chart_series){.label = cli_column_name(v->p->problem, v->order[s] / v->path->k, made[s]),
                                   .y = v->curve + s * v->path->count,
                                   .label_at_end = true};
    const chart figure = {.id = "path",
                          .title = "Coefficients along the path",
                          .description =
                              "One line for each of the largest coefficients, from the most restricted answer "
                              "at the left to the least restricted at the right, where their names are. The "
                              "table below has the numbers.",
                          .x_label = value_name(v->path),
                          .y_label = "coefficient",
                          .log_x = is_logarithmic(v),
                          .reverse_x = v->path->penalised,
                          .count = v->path->count,
                          .x = v->value,
                          .series = series,
                          .series_count = v->lines,
                          .marks = marks,
                          .mark_count = choices(v, marks),
                          .table = true};
    chart_draw(v->p->f, &figure);
}

static void draw_curve(const view *v) {
    const chart_series series[] = {{.label = "mean squared error", .y = v->cv->mean, .error = v->cv->standard_error}};
    chart_mark marks[2];
    const chart figure = {.id = "curve",
                          .title = "Error of predicted folds",
                          .description =
                              "The mean squared error over the folds, with a bar of one standard error up and "
                              "down, for each value of the path. The table below has the numbers.",
                          .x_label = value_name(v->path),
                          .y_label = "mean squared error",
                          .log_x = is_logarithmic(v),
                          .reverse_x = v->path->penalised,
                          .count = v->path->count,
                          .x = v->value,
                          .series = series,
                          .series_count = 1,
                          .marks = marks,
                          .mark_count = choices(v, marks),
                          .table = true};
    chart_draw(v->p->f, &figure);
}

/* ---- tables -------------------------------------------------------------------------------------------------------
 */

static void write_coefficients(const view *v) {
    FILE *f = v->p->f;
    const int64_t k = v->path->k, entries = v->path->d * k, shown = entries < MOST_LISTED ? entries : MOST_LISTED;
    const gpis_path_point *first = v->path->points[v->cv ? v->cv->best : v->path->count - 1];
    const gpis_path_point *second = v->cv ? v->path->points[v->cv->one_se] : NULL;
    char made[32];
    fputs("<h2>Coefficients</h2>\n<div class=\"scroll\"><table class=\"sortable\" id=\"coefficients\"><thead><tr>", f);
    page_heading(f, "Name", true);
    page_heading(f, v->cv ? "Best" : "At the end", false);
    if (second) page_heading(f, "One standard error", false);
    fputs("</tr></thead><tbody>\n", f);
    for (int64_t i = 0; i < shown; i++) {
        const int64_t e = v->order[i];
        fputs("<tr><td>", f);
        html_text(f, cli_column_name(v->p->problem, e / k, made));
        if (k > 1) fprintf(f, " [%lld]", (long long)(e % k) + 1);
        fputs("</td>", f);
        page_cell(f, first->x[e], 6);
        if (second) page_cell(f, second->x[e], 6);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div>\n", f);
    if (shown < entries)
        fprintf(f, "<p class=\"more\">The first %lld of %lld.</p>\n", (long long)shown, (long long)entries);
}

static void write_points(const view *v) {
    FILE *f = v->p->f;
    fputs("<h2>Points of the path</h2>\n<details open><summary>Every point with its certificate</summary><div "
          "class=\"scroll\"><table class=\"sortable\" id=\"points\"><thead><tr>",
          f);
    page_heading(f, v->path->penalised ? "Penalty" : "Radius", false);
    page_heading(f, "Nonzero", false);
    page_heading(f, "Objective", false);
    page_heading(f, "Relative gap", false);
    page_heading(f, "Certificate", true);
    if (v->cv) page_heading(f, "Error (MSE)", false);
    if (v->cv) page_heading(f, "Standard error", false);
    fputs("</tr></thead><tbody>\n", f);
    for (int64_t i = 0; i < v->path->count; i++) {
        const gpis_path_point *point = v->path->points[i];
        fputs(v->cv && (i == v->cv->best || i == v->cv->one_se) ? "<tr class=\"chosen\">" : "<tr>", f);
        page_cell(f, point->value, 6);
        page_cell(f, (double)point->nonzeros, 12);
        page_cell(f, point->objective, 7);
        page_cell(f, relative_gap(point), 2);
        fprintf(f, "<td class=\"t\">%s</td>", gpis_gap_kind_text(point->gap_kind));
        if (v->cv) page_cell(f, v->cv->mean[i], 6);
        if (v->cv) page_cell(f, v->cv->standard_error[i], 3);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

int page_write_path(const page *given, const gpis_path *answers, const gpis_cv *cv, const char *path) {
    cli_output output = {0};
    page p = *given;
    view v = {.p = &p, .path = answers, .cv = cv};
    char title[300];
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    p.f = output.stream;
    if (make_view(&v)) {
        snprintf(title, sizeof title, "%s of %.200s", cv ? "Cross-validation" : "Path", page_file_name(&p));
        page_begin(&p, title);
        write_verdict(&v);
        write_facts(&v);
        fputs("<div class=\"figures\">\n", p.f);
        if (cv) draw_curve(&v);
        draw_path(&v);
        fputs("</div>\n", p.f);
        write_words(&v);
        write_coefficients(&v);
        write_points(&v);
        page_end(&p);
    } else {
        code = cli_fail(CLI_TROUBLE, "out of memory");
    }
    clear_view(&v);
    if (code == 0) return cli_output_commit(&output);
    cli_output_discard(&output);
    return code;
}
