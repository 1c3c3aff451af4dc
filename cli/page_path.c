/* The report of a path or of a cross-validation: the curve with its standard errors and both choices, the path with
 * names at its end, the coefficients of the choices, and every point with its certificate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { MOST_LISTED = 2000 }; /* coefficients that are listed */

typedef struct view {
    const page *p;
    const gpis_path *path;
    const gpis_cv *cv;
    path_view shown;
} view;

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void write_verdict(const view *v) {
    FILE *f = v->p->f;
    const path_gaps worst = path_worst_gaps(v->path);
    const int64_t uncertain = v->cv ? v->cv->stalled : 0;
    const bool all = worst.solved == v->path->count && uncertain == 0;
    fprintf(f, "<section class=\"verdict%s\"><strong>%lld of %lld points are certified to the tolerance.</strong><p>",
            all ? "" : " open", (long long)worst.solved, (long long)v->path->count);
    if (worst.known) {
        fputs(
            "At none of them does another choice of coefficients that is allowed there have an objective lower by more "
            "than ",
            f);
        html_number(f, worst.relative, 2);
        fputs(" of it", f);
        if (worst.absolute > 0) {
            fputs(" or, where it is nearly 0, than ", f);
            html_number(f, worst.absolute, 2);
        }
        fputs(worst.proven ? ". This is proven, with rounding errors counted." : ".", f);
    } else {
        fputs("Of some points no bound is known.", f);
    }
    fputs("</p>", f);
    if (uncertain > 0)
        fprintf(f,
                "<p>Of the %lld answers without a fold, which predict it, %lld are not certified to the tolerance.</p>",
                (long long)(v->cv->folds * v->path->count), (long long)uncertain);
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
        page_fact(f, path->penalised ? "Best penalty" : "Best radius", v->shown.value[v->cv->best], 5);
        page_fact(f, "Its error (MSE)", v->cv->mean[v->cv->best], 5);
        page_fact(f, "Its coefficients", (double)path->points[v->cv->best]->nonzeros, 12);
        page_fact(f, path->penalised ? "One-SE penalty" : "One-SE radius", v->shown.value[v->cv->one_se], 5);
        page_fact(f, "Its error (MSE)", v->cv->mean[v->cv->one_se], 5);
        page_fact(f, "Its coefficients", (double)path->points[v->cv->one_se]->nonzeros, 12);
    } else {
        page_fact(f, "Points", (double)path->count, 12);
        page_fact(f, "From", v->shown.value[0], 5);
        page_fact(f, "To", v->shown.value[path->count - 1], 5);
        page_fact(f, "Coefficients at the end", (double)path->points[path->count - 1]->nonzeros, 12);
    }
    page_fact(f, "Sweeps over the data", (double)path->sweeps, 12);
    page_fact(f, "Seconds", path->seconds, 3);
    page_facts_end(f);
}

static void write_words(const view *v) {
    FILE *f = v->p->f;
    const page *p = v->p;
    page_question(p);
    fprintf(f, ", once for each of %lld %s", (long long)v->path->count,
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

/* ---- tables ------------------------------------------------------------------------------------------------------ */

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
        const int64_t e = v->shown.order[i].entry;
        fputs("<tr><td>", f);
        html_text(f, cli_column_name(v->p->A, e / k, made));
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
        page_cell(f, path_relative_gap(point), 2);
        fprintf(f, "<td class=\"t\">%s</td>", gpis_gap_kind_text(point->gap_kind));
        if (v->cv) page_cell(f, v->cv->mean[i], 6);
        if (v->cv) page_cell(f, v->cv->standard_error[i], 3);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

bool page_write_path(const page *p, const cli_path *answers) {
    view v = {.p = p, .path = answers->path, .cv = answers->cv};
    char title[300];
    const bool good = path_view_make(&v.shown, answers);
    if (good) {
        snprintf(title, sizeof title, "%s of %.200s", v.cv ? "Cross-validation" : "Path", page_file_name(p));
        page_begin(p, title);
        write_verdict(&v);
        write_facts(&v);
        fputs("<div class=\"figures\">\n", p->f);
        if (v.cv) path_view_draw_errors(p->f, &v.shown, true);
        path_view_draw_coefficients(p->f, &v.shown, true);
        fputs("</div>\n", p->f);
        write_words(&v);
        write_coefficients(&v);
        write_points(&v);
        page_end(p);
    }
    path_view_clear(&v.shown);
    return good;
}
