/* Charts of paths and of cross-validation, for reports and for files of their own: the coefficients against the radius
 * or the penalty, with names at their ends, and the error of the folds with its bars and both choices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path_view.h"

enum { MOST_NAMED = 24, MOST_DRAWN = 2000 };

/* ---- the arrays -------------------------------------------------------------------------------------------------- */

/* Entries of x by their size at the end of the path. */
static void choose_lines(path_view *v) {
    const gpis_path *path = v->p->path;
    const int64_t entries = path->d * path->k, count = path->count;
    cli_order_by_size(path->points[count - 1]->x, entries, v->order);
    while (v->named < MOST_NAMED && v->named < entries && v->order[v->named].size > 0) v->named++;
    v->lines = (int)(entries < MOST_DRAWN ? entries : MOST_DRAWN);
    for (int64_t i = 0; i < count; i++) {
        v->value[i] = path->points[i]->value;
        for (int s = 0; s < v->lines; s++) v->curve[s * count + i] = path->points[i]->x[v->order[s].entry];
    }
}

/* The name of an entry of x, with the number of its response where there are several. */
static const char *label_of(const path_view *v, int s) {
    char made[32], *label = v->labels[s];
    const int64_t entry = v->order[s].entry, k = v->p->path->k;
    const char *name = cli_column_name(v->p->A, entry / k, made);
    if (k > 1)
        snprintf(label, PATH_LABEL, "%.*s [%lld]", PATH_LABEL - 30, name, (long long)(entry % k) + 1);
    else
        snprintf(label, PATH_LABEL, "%s", name);
    return label;
}

bool path_view_make(path_view *v, const cli_path *p) {
    const int64_t entries = p->path->d * p->path->k, count = p->path->count;
    const int64_t lines = entries < MOST_DRAWN ? entries : MOST_DRAWN;
    *v = (path_view){.p = p,
                     .value = calloc((size_t)count, sizeof *v->value),
                     .order = calloc((size_t)entries, sizeof *v->order),
                     .curve = calloc((size_t)(count * lines), sizeof *v->curve),
                     .series = calloc((size_t)lines, sizeof *v->series),
                     .labels = calloc(MOST_NAMED, sizeof *v->labels)};
    if (!v->value || !v->order || !v->curve || !v->series || !v->labels) return false;
    choose_lines(v);
    for (int s = 0; s < v->lines; s++) {
        const bool named = s < v->named;
        v->series[s] = (chart_series){
            .label = named ? label_of(v, s) : NULL, .y = v->curve + s * count, .label_at_end = named, .faint = !named};
    }
    return true;
}

void path_view_clear(path_view *v) {
    free(v->value);
    free(v->order);
    free(v->curve);
    free(v->series);
    free(v->labels);
    *v = (path_view){0};
}

/* ---- what both charts have --------------------------------------------------------------------------------------- */

static bool is_logarithmic(const path_view *v) {
    const double a = v->value[0], b = v->value[v->p->path->count - 1], low = fmin(a, b), high = fmax(a, b);
    return low > 0 && high > 5 * low;
}

/* Lines at the choices of cross-validation, if there was one. */
typedef struct choices {
    chart_mark marks[2];
    char labels[2][80];
} choices;

static void mark_choice(const path_view *v, choices *c, int which, const char *name, int64_t i) {
    snprintf(c->labels[which], sizeof c->labels[which], "%s: %.4g, %lld nonzero", name, v->value[i],
             (long long)v->p->path->points[i]->nonzeros);
    c->marks[which] = (chart_mark){c->labels[which], v->value[i], true};
}

/* A chart over the values of the path, with their choices. */
static chart over_values(const path_view *v, choices *c) {
    const gpis_cv *cv = v->p->cv;
    if (cv) mark_choice(v, c, 0, "best", cv->best);
    if (cv) mark_choice(v, c, 1, "one SE", cv->one_se);
    return (chart){.x_label = v->p->path->penalised ? "penalty (lambda)" : "radius",
                   .log_x = is_logarithmic(v),
                   .reverse_x = v->p->path->penalised, /* the least restricted answer is at the right */
                   .count = v->p->path->count,
                   .x = v->value,
                   .marks = c->marks,
                   .mark_count = cv ? 2 : 0,
                   .table = true};
}

/* ---- the charts -------------------------------------------------------------------------------------------------- */

void path_view_draw_coefficients(FILE *f, const path_view *v, bool in_page) {
    enum { MOST_IN_PAGE = 18 };
    choices c;
    chart figure = over_values(v, &c);
    figure.id = "path";
    figure.title = "Coefficients along the path";
    figure.description = "One line for each coefficient, from the most restricted answer at the left to the least "
                         "restricted at the right, where the names of the largest are.";
    figure.y_label = "coefficient";
    figure.series = v->series;
    figure.series_count = v->lines;
    if (in_page && figure.series_count > v->named) figure.series_count = v->named;
    if (in_page && figure.series_count > MOST_IN_PAGE) figure.series_count = MOST_IN_PAGE;
    (in_page ? chart_draw : chart_draw_alone)(f, &figure);
}

void path_view_draw_errors(FILE *f, const path_view *v, bool in_page) {
    const gpis_cv *cv = v->p->cv;
    const chart_series series[] = {{.label = "mean squared error", .y = cv->mean, .error = cv->standard_error}};
    choices c;
    chart figure = over_values(v, &c);
    figure.id = "curve";
    figure.title = "Error of predicted folds";
    figure.description = "The mean squared error over the folds, with a bar of one standard error up and down, for "
                         "each value of the path.";
    figure.y_label = "mean squared error";
    figure.series = series;
    figure.series_count = 1;
    (in_page ? chart_draw : chart_draw_alone)(f, &figure);
}

bool path_view_figure(FILE *stream, const cli_path *p) {
    path_view v;
    const bool good = path_view_make(&v, p);
    if (good) (p->cv ? path_view_draw_errors : path_view_draw_coefficients)(stream, &v, false);
    path_view_clear(&v);
    return good;
}
