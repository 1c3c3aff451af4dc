/* The sections of the report of a solve: what was solved, how good the answer is, the coefficients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { ON_PAPER = 18, JOINT_ON_PAPER = 8 }; /* rows of the tables that are printed: style.css has the same numbers */
enum {
    MOST_LISTED = 2000, /* coefficients in the table */
    MOST_JOINT = 200,   /* constraints on several coefficients in theirs */
    MOST_BOUNDS = 300   /* columns up to which bounds are looked up */
};

static const double ROUNDING = 1e-12; /* relative; what is less is zero */

/* ---- what was solved --------------------------------------------------------------------------------------------- */

static void write_constraints(const page *p) {
    for (int64_t i = 0; i < p->constraint_count; i++) {
        fprintf(p->f, "<li>%s <code>", p->constraints[i].words);
        html_text(p->f, p->constraints[i].text);
        fputs("</code></li>", p->f);
    }
    if (p->constraint_count > 0) return;
    fputs(p->radii ? "<li>the l1 norm of the coefficients, the sum of |coefficient|, is at most the radius</li>"
                   : "<li>without constraints</li>",
          p->f);
}

/* A line about something that is given for each row. */
static void write_of_rows(FILE *f, const char *words, const char *text) {
    if (!text) return;
    fprintf(f, "<li>%s <code>", words);
    html_text(f, text);
    fputs("</code></li>", f);
}

void page_terms(const page *p) {
    FILE *f = p->f;
    fputs("<ul>", f);
    write_constraints(p);
    if (p->intercept) fputs("<li>with an intercept, which nothing constrains</li>", f);
    if (p->penalties) fputs("<li>plus the penalty, lambda, times the sum of |coefficient|</li>", f);
    if (p->l1 > 0 && !p->penalties) fprintf(f, "<li>plus %g times the sum of |coefficient|</li>", p->l1);
    if (p->l2 > 0) fprintf(f, "<li>plus %g times the sum of the squared coefficients</li>", p->l2);
    if (p->standardized)
        fputs(
            "<li>the constraint and the penalty are about columns of unit standard deviation; coefficients are on the "
            "original scale</li>",
            f);
    write_of_rows(f, "rows are weighted by", p->weighted_by);
    write_of_rows(f, "an offset is subtracted from the response:", p->offset_by);
    fputs("</ul>\n", f);
}

static void write_encoding(const page *p) {
    FILE *f = p->f;
    gpis_encoding_info info = {.size = sizeof info};
    gpis_encoding_column column = {.size = sizeof column};
    const gpis_encoding *encoding = p->encoding;
    if (!encoding || gpis_encoding_describe(encoding, &info) != GPIS_OK) return;
    if (info.dropped > 0)
        fprintf(f, "<p>%lld rows were left out, since a field is missing.</p>", (long long)info.dropped);
    if (info.filled > 0)
        fprintf(f, "<p>%lld missing fields were taken as the mean of their column.</p>", (long long)info.filled);
    for (int64_t j = 0; gpis_encoding_column_at(encoding, j, &column) == GPIS_OK; j++) {
        if (column.levels == 0) continue;
        fputs("<p>Levels of ", f);
        if (column.name)
            html_text(f, column.name);
        else
            fprintf(f, "column %lld", (long long)column.number);
        fputs(" are compared with <em>", f);
        html_text(f, gpis_encoding_level(encoding, j, 0));
        fputs("</em>.</p>", f);
    }
}

void page_question(const page *p) {
    FILE *f = p->f;
    fputs("<h2>What was solved</h2>\n<p>Find the coefficients for which the sum of the squared differences between ",
          f);
    if (p->target) {
        fputs("<em>", f);
        html_text(f, p->target);
        fputs("</em>", f);
    } else {
        fputs("the response", f);
    }
    fprintf(f, " and its prediction is least, over %lld row%s and %lld column%s of <code>", (long long)p->rows,
            p->rows == 1 ? "" : "s", (long long)p->columns, p->columns == 1 ? "" : "s");
    html_text(f, p->a);
    fputs("</code>", f);
}

void page_problem(const page *p) {
    FILE *f = p->f;
    page_question(p);
    if (p->responses > 1) fprintf(f, ", for %lld responses at once", (long long)p->responses);
    fputs(".</p>\n", f);
    page_terms(p);
    write_encoding(p);
}

/* ---- the certificate --------------------------------------------------------------------------------------------- */

static const char *outcome_sentence(const gpis_result *r) {
    switch (r->outcome) {
    case GPIS_SOLVED: return "Solved, with a certificate.";
    case GPIS_MAX_PASSES: return "Not finished: the limit of passes was reached.";
    case GPIS_TIME_LIMIT: return "Not finished: the time limit was reached.";
    case GPIS_STALLED: return "Not certified to the tolerance: rounding stops progress.";
    case GPIS_INTERRUPTED: return "Interrupted: this is the best point so far.";
    }
    return "";
}

/* The bound in a sentence for people who have not read the manual. */
static void write_meaning(const page *p) {
    FILE *f = p->f;
    const gpis_result *r = p->result;
    const double relative = gpis_relative_gap(r);
    if (r->gap_kind == GPIS_GAP_NONE || !isfinite(r->gap)) {
        fputs("No bound was reached: how far this answer is from the best one is not known.", f);
        return;
    }
    if (r->gap >= r->objective && r->objective > 0 && r->outcome != GPIS_SOLVED) {
        fputs("No bound was reached but that an objective is never below 0: how far this answer is from the best one "
              "is not known.",
              f);
        return;
    }
    fputs(
        "No other choice of coefficients that the constraints allow has an objective lower than this one by more than ",
        f);
    html_number(f, isfinite(relative) ? relative : r->gap, 2);
    fputs(isfinite(relative) ? " of it. " : ". ", f);
    if (r->gap_kind == GPIS_GAP_PROVEN)
        fputs(
            "This is proven: rounding errors are counted, and it does not depend on the method that found the answer.",
            f);
    else {
        fputs(
            "This is probable: random numbers of the program itself decide, and the chance that it is wrong is below ",
            f);
        html_number(f, r->gap_delta, 1);
        fputs(".", f);
    }
    if (r->horizon > 0) {
        fputs(" It holds for all answers but those with terms over ", f);
        html_number(f, r->horizon, 1);
        fputs(" times as long as the response, which cancel each other.", f);
    }
    if (r->nearness > 0) {
        fputs(" Columns depend on each other up to rounding; it holds for data that differ from these by ", f);
        html_number(f, r->nearness, 1);
        fputs(", relative.", f);
    }
}

void page_certificate(const page *p) {
    FILE *f = p->f;
    const gpis_result *r = p->result;
    fprintf(f, "<section class=\"verdict%s\"><strong>%s</strong><p>", r->outcome == GPIS_SOLVED ? "" : " open",
            outcome_sentence(r));
    write_meaning(p);
    fputs("</p>", f);
    if (r->unique == 0 || (r->unique < 0 && r->unique_reason[0])) {
        fputs(r->unique == 0 ? "<p>There are other answers as good as this one: "
                             : "<p>It may not be the only answer: ",
              f);
        html_text(f, r->unique_reason);
        fputs(".</p>", f);
    }
    if (r->warning[0]) {
        fputs("<p>Warning: ", f);
        html_text(f, r->warning);
        fputs("</p>", f);
    }
    fputs("</section>\n", f);
    page_facts_begin(f);
    page_fact(f, p->result->intercept ? "R² (about the mean)" : "R² (about 0)", r->r2, 5);
    page_fact(f, "RMSE", r->rmse, 5);
    page_fact(f, "Degrees of freedom", r->degrees_of_freedom, 8);
    page_fact(f, "σ²", r->sigma2, 5);
    page_fact(f, "Objective", r->objective, 7);
    page_fact(f, "Relative gap", gpis_relative_gap(r), 2);
    page_fact(f, "Nonzero coefficients", (double)cli_count_nonzeros(r->x, r->d * r->k), 12);
    page_fact(f, "Sum of |coefficient|", r->radius, 5);
    page_facts_end(f);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

/* 0 for a bound that is no more than the rounding by which a support function is outward, beside the other bound and x.
 */
static double without_rounding(double bound, double other, double x) {
    const double size = fabs(x) + (isfinite(other) ? fabs(other) : 0);
    return fabs(bound) <= ROUNDING * size ? 0 : bound;
}

/* What the constraints allow for entry e alone: sup of <±e, x> over the set; infinite where nothing is known. */
static void bounds_of(const page *p, double *unit, int64_t e, double *lower, double *upper) {
    gpis_set *set = p->set;
    *lower = -INFINITY, *upper = INFINITY;
    double value;
    unit[e] = 1;
    if (gpis_set_support(set, unit, &value) == GPIS_OK) *upper = value;
    unit[e] = -1;
    if (gpis_set_support(set, unit, &value) == GPIS_OK) *lower = -value;
    unit[e] = 0;
    *lower = without_rounding(*lower, *upper, p->result->x[e]);
    *upper = without_rounding(*upper, *lower, p->result->x[e]);
}

/* A bar from the middle: filled to the right, outlined to the left. */
static void write_bar(FILE *f, double value, double largest) {
    const double length = largest > 0 ? 50 * fabs(value) / largest : 0;
    fputs("<td class=\"bar-cell\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">", f);
    if (length > 0)
        fprintf(f, "<rect class=\"%s\" x=\"%.2f\" y=\"2\" width=\"%.2f\" height=\"6\"/>", value > 0 ? "pos" : "neg",
                value > 0 ? 50.0 : 50 - length, length);
    fputs("<line class=\"zero\" x1=\"50\" x2=\"50\" y1=\"0\" y2=\"10\"/></svg></td>", f);
}

static void write_row(const page *p, int64_t e, const gpis_active *held, double *unit, double largest) {
    FILE *f = p->f;
    const gpis_ranges *ranges = p->ranges;
    const int64_t k = p->responses;
    char made[32];
    double lower, upper;
    fputs("<tr><td>", f);
    html_text(f, cli_column_name(p->A, e / k, made));
    if (k > 1) fprintf(f, " [%lld]", (long long)(e % k) + 1);
    fputs("</td>", f);
    page_cell(f, p->result->x[e], 6);
    write_bar(f, p->result->x[e], largest);
    if (unit) {
        bounds_of(p, unit, e, &lower, &upper);
        page_cell(f, lower, 5);
        page_cell(f, upper, 5);
    }
    if (ranges) page_cell(f, ranges->ends[e].lower, 5);
    if (ranges) page_cell(f, ranges->ends[e].upper, 5);
    fputs("<td class=\"t\">", f);
    html_text(f, held ? held->text : NULL);
    fputs("</td>", f);
    page_cell(f, held ? held->multiplier : INFINITY, 4);
    fputs("</tr>\n", f);
}

static void write_table(const page *p, const cli_sized *order, int64_t count, const gpis_active **held, double *unit) {
    FILE *f = p->f;
    fputs("<div class=\"scroll\"><table class=\"sortable\" id=\"coefficients\"><thead><tr>", f);
    page_heading(f, "Name", true);
    page_heading(f, "Coefficient", false);
    fputs("<th scope=\"col\" class=\"bar-cell\"></th>", f);
    if (unit) page_heading(f, "Least allowed", false);
    if (unit) page_heading(f, "Most allowed", false);
    if (p->ranges) page_heading(f, "Range from", false);
    if (p->ranges) page_heading(f, "Range to", false);
    page_heading(f, "Held by", true);
    page_heading(f, "Shadow price", false);
    fputs("</tr></thead><tbody>\n", f);
    for (int64_t i = 0; i < count; i++)
        write_row(p, order[i].entry, held ? held[order[i].entry] : NULL, unit, order[0].size);
    fputs("</tbody></table></div>\n", f);
}

/* Constraints about several coefficients at once: those with the largest prices, in the order of the result. */
static void write_joint(const page *p) {
    const gpis_result *r = p->result;
    FILE *f = p->f;
    int64_t count = 0, written = 0;
    double *prices = calloc((size_t)r->active_count + 1, sizeof *prices);
    cli_sized *order = calloc((size_t)r->active_count + 1, sizeof *order);
    for (int64_t i = 0; prices && i < r->active_count; i++)
        if (r->active[i]->column < 0) prices[count++] = r->active[i]->multiplier;
    if (order && count > 0) cli_order_by_size(prices, count, order);
    const double least = order && count > MOST_JOINT ? order[MOST_JOINT - 1].size : 0;
    for (int64_t i = 0; order && i < r->active_count && written < MOST_JOINT; i++) {
        const gpis_active *a = r->active[i];
        if (a->column >= 0 || fabs(a->multiplier) < least) continue;
        if (written++ == 0)
            fputs("<h3>Constraints on several coefficients that hold with equality</h3>\n<div class=\"scroll\"><table "
                  "class=\"sortable\" id=\"constraints\"><thead><tr><th scope=\"col\" class=\"t\"><button "
                  "type=\"button\">Constraint</button></th><th scope=\"col\"><button type=\"button\">Shadow "
                  "price</button></th></tr></thead><tbody>\n",
                  f);
        fputs("<tr><td>", f);
        html_text(f, a->text);
        if (p->responses > 1) fprintf(f, " [%lld]", (long long)a->response + 1);
        fputs("</td>", f);
        page_cell(f, a->multiplier, 5);
        fputs("</tr>\n", f);
    }
    if (written > 0) fputs("</tbody></table></div>\n", f);
    if (written < count)
        fprintf(f, "<p class=\"more\">The %lld of %lld with the largest prices.</p>\n", (long long)written,
                (long long)count);
    if (written > JOINT_ON_PAPER) fprintf(f, "<p class=\"more paper\">On paper: the first %d.</p>\n", JOINT_ON_PAPER);
    free(prices);
    free(order);
}

void page_coefficients(const page *p) {
    FILE *f = p->f;
    const gpis_result *r = p->result;
    const int64_t entries = r->d * r->k, shown = entries < MOST_LISTED ? entries : MOST_LISTED;
    cli_sized *order = calloc((size_t)entries, sizeof *order);
    const gpis_active **held = cli_held_entries(r);
    /* The set is for the columns as it sees them, and coefficients are shown on the original scale. */
    const bool bounded =
        p->set && !p->standardized && strcmp(gpis_set_spec(p->set), "none") != 0 && entries <= MOST_BOUNDS;
    double *unit = bounded ? calloc((size_t)entries, sizeof *unit) : NULL;
    fputs("<h2>Coefficients</h2>\n", f);
    if (r->intercept) {
        fputs("<p>Intercept: ", f);
        for (int64_t c = 0; c < r->k && c < 10; c++) {
            if (c > 0) fputs(", ", f);
            html_number(f, r->intercept[c], 8);
        }
        fputs("</p>\n", f);
    }
    if (order) cli_order_by_size(r->x, entries, order);
    if (order) write_table(p, order, shown, held, unit);
    if (shown < entries)
        fprintf(f, "<p class=\"more\">The largest %lld of %lld.</p>\n", (long long)shown, (long long)entries);
    if (entries > ON_PAPER) fprintf(f, "<p class=\"more paper\">On paper: the largest %d.</p>\n", ON_PAPER);
    if (p->ranges) {
        fputs("<p>The range of a coefficient is how far it can go, with the others as they like, while the objective "
              "is at "
              "most ",
              f);
        html_number(f, p->ranges->level, 7);
        fputs(". The ends are proven: nothing beyond them is that good.</p>\n", f);
    }
    write_joint(p);
    if (r->active_count > 0)
        fputs("<p>A shadow price tells how much the objective falls when the constraint is loosened by one unit (of an "
              "equation: when its right side grows by one unit).</p>\n",
              f);
    free(order);
    free(held);
    free(unit);
}
