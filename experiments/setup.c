/* Tables of the page: the paper's set-up beside ours, and what the theory promises at the paper's own sizes. */
#include <math.h>
#include <string.h>

#include "experiment.h"

/* ---- set-up -------------------------------------------------------------------------------------------------------
 */

static void print_cell(FILE *page, const char *text) {
    fprintf(page, text ? "<td>%s</td>" : "<td class=\"none\">not stated%s</td>", text ? text : "");
}

/* Sizes and sketch as they were run here. The texts are ours; only the shape depends on the data. */
static void print_ours(FILE *page, const race *r) {
    char text[64];
    fprintf(page, "<td>%lld x %lld</td>", (long long)r->n, (long long)r->d);
    snprintf(text, sizeof text, "%lld", (long long)r->sparsity);
    print_cell(page, r->sparsity >= 0 ? text : "–");
    snprintf(text, sizeof text, "%.0e", r->cond);
    print_cell(page, r->cond > 0 ? text : "–");
    const char *transform = strchr(r->set, '@');
    snprintf(text, sizeof text, "%.*s%s", (int)strcspn(r->set, ":@"), r->set, transform ? transform : "");
    print_cell(page, text);
    fprintf(page, "<td>%lld</td>", (long long)r->m);
}

static void print_setup_row(FILE *page, const experiment *e, const results *all) {
    const paper_setup *p = &e->paper;
    const race *r = NULL;
    for (int i = 0; i < all->count; i++)
        if (all->races[i].experiment == e) r = &all->races[i];
    const sweep *s = e->kind == SWEEP && all->sweep.run ? &all->sweep : NULL;
    if (e->kind == BOUNDS || (!r && !s)) return;
    fprintf(page, "<tr><td>%.*s%s</td>", (int)strcspn(e->title, ":"), e->title, r && r->stand_in ? " (stand-in)" : "");
    print_cell(page, p->size);
    print_cell(page, p->sparsity);
    print_cell(page, p->cond);
    print_cell(page, p->dictionary ? p->dictionary : "–");
    print_cell(page, p->m);
    if (r)
        print_ours(page, r);
    else
        fprintf(page, "<td>%lld x %lld</td><td>%lld to %lld</td><td>1e+07</td><td>l1</td><td>%lld</td>",
                (long long)s->n, (long long)s->d, (long long)s->sparsity[0], (long long)s->sparsity[SPARSITIES - 1],
                (long long)s->m);
    fputs("</tr>\n", page);
}

void print_setup(FILE *page, const results *all) {
    fputs("<h2 id=\"setup\">Set-up: the paper's and ours</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
          "<th rowspan=\"2\">data</th><th colspan=\"5\">in the paper (Tables 1 to 4)</th>"
          "<th colspan=\"5\">here</th></tr>\n<tr>"
          "<th>size</th><th>s or relevant features</th><th>L/μ</th><th>Φ</th><th>m</th>"
          "<th>size</th><th>s</th><th>L/μ</th><th>set</th><th>m</th></tr></thead>\n<tbody>\n",
          page);
    for (int i = 0; i < experiment_count; i++) print_setup_row(page, &experiments[i], all);
    fputs(
        "</tbody></table></div>\n<p class=\"soft\">s: nonzeros, or rank, of the true x. Φ: the orthogonal transform in "
        "which x is sparse. m: rows of the sketch.</p>\n",
        page);
    static const char *const settings[][3] = {
        {"sketch", "count sketch", "count sketch"},
        {"line search", "Algorithm 3, γ<sub>u</sub> = γ<sub>d</sub> = 2",
         "the same, with a test that does not cancel near the solution"},
        {"restart", "gradient restart (Acc-GPIS, APGD)", "the same"},
        {"inner iterations", "fixed numbers tuned for each experiment, not stated",
         "as many as the sketch is worth, found by the program"},
        {"first round", "GPCS for signals, not for regression", "GPCS for Syn1 to Syn3, not for Magic04 and Year"},
        {"SAGA", "b = 10, 50, 100; step 1/(3 L̂); finding L̂ is not charged",
         "the same; measuring f after each epoch is not charged either"},
        {"f*", "not stated", "a certified solve by another method, to a relative gap of 1e-13"},
        {"time", "wall-clock, MATLAB R2015b on a laptop with a 2.60 GHz Core i7-5600U",
         "wall-clock and processor time, one thread for each method"},
    };
    fputs("<div class=\"scroll\"><table class=\"words\">\n<thead><tr><th>setting</th><th>in the paper</th><th>here</th>"
          "</tr></thead>\n<tbody>\n",
          page);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        fprintf(page, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", settings[i][0], settings[i][1], settings[i][2]);
    fputs("</tbody></table></div>\n", page);
}

/* ---- the theory at the paper's sizes --------------------------------------------------------------------------------
 */

/* The mean factor by which a round multiplied the square root of f - f*, from the first report to the last; NaN: there
 * were no rounds. */
static double mean_factor(const trace *t) {
    const sample *first = t->count > 1 ? &t->samples[0] : NULL, *last = first ? &t->samples[t->count - 1] : NULL;
    if (!first || !(first->error > 0.0) || !(last->error > 0.0) || last->pass <= first->pass) return NAN;
    return pow(last->error / first->error, 0.5 / (double)(last->pass - first->pass));
}

/* What Proposition 2 promises for a round with probability 0.99; infinite: nothing. */
static double promised(const race *r) {
    gpis_context *context = NULL;
    gpis_bounds bounds = {.rho = INFINITY};
    gpis_bounds_problem p = gpis_bounds_default();
    p.m = r->m;
    p.d = r->d;
    p.cond = r->cond > 0 ? r->cond : INFINITY;
    p.width = sqrt((double)r->d);
    gpis_status status = gpis_context_create(&context);
    if (status == GPIS_OK) status = gpis_bounds_theta(context, 0.01, 0, &p.theta);
    if (status == GPIS_OK) status = gpis_bounds_compute(context, &p, &bounds);
    gpis_context_destroy(context);
    return status == GPIS_OK ? bounds.rho : INFINITY;
}

static void print_factor(FILE *page, double factor) {
    if (isnan(factor))
        fputs("<td class=\"none\">–</td>", page);
    else
        fprintf(page, "<td>%.2f</td>", factor);
}

void print_theory_table(FILE *page, const results *all) {
    if (all->count == 0) return;
    fputs(
        "<p>At the paper's own sketch sizes the bounds promise nothing, and the methods contract all the same. Below, "
        "the mean factor of √(f − f*) over one pass of the runs above, √(d/m), and the ρ of Proposition 2 at a "
        "probability of 0.99 (a promise only where it is below 1).</p>\n"
        "<div class=\"scroll\"><table>\n<thead><tr><th>data</th><th>d</th><th>m</th><th>GPIS, measured</th>"
        "<th>Acc-GPIS, measured</th><th>√(d/m)</th><th>Proposition 2</th></tr></thead>\n<tbody>\n",
        page);
    for (int i = 0; i < all->count; i++) {
        const race *r = &all->races[i];
        const double rho = promised(r);
        fprintf(page, "<tr><td>%s</td><td>%lld</td><td>%lld</td>", r->name, (long long)r->d, (long long)r->m);
        print_factor(page, mean_factor(&r->traces[GPIS]));
        print_factor(page, mean_factor(&r->traces[ACC_GPIS]));
        print_factor(page, sqrt((double)r->d / (double)r->m));
        if (rho < 1.0)
            print_factor(page, rho);
        else if (isfinite(rho))
            fprintf(page, "<td class=\"none\">%.1f: no promise</td>", rho);
        else
            fputs("<td class=\"none\">no promise</td>", page);
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
}
