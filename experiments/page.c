/* One self-contained HTML page: claims, set-up, tables, figures (SVG inside), load, machine. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>gpis: the paper's experiments</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d0d7de;"
    "--good:#1a7f37;--bad:#b3541e;--best:#0072b2;--even:#6639ba}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--paper:#0d1117;--card:#161b22;"
    "--line:#30363d;--good:#3fb950;--bad:#f0883e;--best:#58a6ff;--even:#a371f7}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;font:16px/1.55 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper)}\n"
    "h1{font-size:1.8rem;line-height:1.2;margin:.5rem 0}h2{margin:2.6rem 0 .4rem;padding-top:.8rem;border-top:1px "
    "solid "
    "var(--line)}h3{margin:1.1rem 0 .2rem;font-size:1rem}\n"
    "p{max-width:46rem}.soft{color:var(--soft)}a{color:var(--best)}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:1rem;margin:1rem 0}\n"
    "figure{margin:0;background:#fff;border:1px solid var(--line);border-radius:8px;padding:.4rem;overflow:hidden}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%;"
    "font-size:.85rem}\n"
    "th,td{padding:.32rem .45rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}thead th{color:var(--soft);font-weight:600}"
    "thead tr:first-child th[colspan]{text-align:center}\n"
    "table.words td,table.words th{text-align:left;white-space:normal;vertical-align:top}tr.ours td{color:var(--soft);"
    "font-style:italic}\n"
    "td.best{color:var(--best);font-weight:700}td.none{color:var(--soft)}\n"
    "ul.claims{list-style:none;padding:0;margin:.3rem 0}ul.claims li{margin:.35rem 0}\n"
    ".held,.failed,.tie,.open{display:inline-block;border-radius:1rem;padding:0 "
    ".6rem;font-size:.82rem;font-weight:600;border:1px "
    "solid "
    "currentColor}.open{color:var(--soft)}.held{color:var(--good)}.tie{color:var(--even)}.failed{color:var(--bad)}\n"
    ".mark{background:var(--bad);color:#fff;border-radius:4px;padding:.05rem .4rem;font-size:.85rem;font-weight:700}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;background:var(--card);border-radius:8px;"
    "padding:.8rem 1rem;overflow-wrap:anywhere}dt{color:var(--soft)}dd{margin:0}\n"
    "@media (max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}\n"
    "code{background:var(--card);padding:.1rem .3rem;border-radius:4px}\n"
    "</style>\n</head>\n<body>\n";

/* Copies an SVG file without its prolog; says so where there is none. The file was drawn by this run. */
static void inline_svg(FILE *page, const reproduce_options *o, const char *name, const char *what,
                       const char *description) {
    char path[PATH_MAX], line[4096];
    bool inside = false;
    if (result_path(path, o, name, what) != 0) return;
    FILE *svg = o->figures ? fopen(path, "r") : NULL;
    fprintf(page, "<figure role=\"img\" aria-label=\"%s\">\n", description);
    while (svg && fgets(line, sizeof line, svg)) {
        inside = inside || strncmp(line, "<svg", 4) == 0;
        if (inside) fputs(line, page);
    }
    if (!svg) fputs("<p>No figure: gnuplot was missing.</p>\n", page);
    if (svg) fclose(svg);
    fputs("</figure>\n", page);
}

/* ---- the table of a race ------------------------------------------------------------------------------------------
 */

typedef double (*cost_fn)(const sample *sample);
static double processor_of(const sample *s) { return s->processor; }
static double seconds_of(const sample *s) { return s->seconds; }
static double epochs_of(const sample *s) { return s->epochs; }
static double passes_of(const sample *s) { return (double)s->pass; }
static const struct {
    const char *title;
    cost_fn cost;
} costs[] = {{"processor seconds to", processor_of},
             {"wall-clock seconds to", seconds_of},
             {"epochs to", epochs_of},
             {"passes to", passes_of}};
enum { COSTS = sizeof costs / sizeof costs[0] };

/* Among the paper's methods and their rivals. */
static double least_cost(const race *r, int accuracy, cost_fn cost) {
    double least = -1;
    for (int i = 0; i < RUNNERS; i++) {
        const sample *s = race_reach(&r->traces[i], accuracies[accuracy]);
        if (s && runners[i].family != OURS && (least < 0 || cost(s) < least)) least = cost(s);
    }
    return least;
}

static void print_cell(FILE *page, const race *r, int which, int accuracy, cost_fn cost) {
    const sample *s = race_reach(&r->traces[which], accuracies[accuracy]);
    if (!s) {
        fputs("<td class=\"none\">–</td>", page);
        return;
    }
    const double value = cost(s);
    const bool best = runners[which].family != OURS && value <= least_cost(r, accuracy, cost);
    fprintf(page, "<td%s>", best ? " class=\"best\"" : "");
    fprintf(page, cost == passes_of ? "%.0f" : value < 0.1 ? "%.4f" : value < 10 ? "%.2f" : "%.1f", value);
    fputs("</td>", page);
}

static void print_row(FILE *page, const race *r, int which) {
    const trace *t = &r->traces[which];
    const bool ours = runners[which].family == OURS;
    fprintf(page, "<tr%s><td>%s</td>", ours ? " class=\"ours\"" : "",
            ours ? "gpis solve, not in the paper" : runners[which].label);
    for (int c = 0; c < COSTS; c++)
        for (int a = 0; a < ACCURACIES; a++) print_cell(page, r, which, a, costs[c].cost);
    if (t->repeats > 1)
        fprintf(page, "<td>%d, %.0f %%</td>", t->repeats, 100.0 * (t->second / t->best - 1.0));
    else
        fprintf(page, "<td class=\"none\">%d</td>", t->repeats);
    const sample *last = t->count > 0 ? &t->samples[t->count - 1] : NULL;
    if (race_reach(t, GOAL))
        fputs("<td>reached 1e-10</td>", page);
    else if (last)
        fprintf(page, "<td class=\"none\">at %.0e after %.1f s</td>", last->error, race_seconds(r, last));
    else
        fputs("<td class=\"none\">nothing</td>", page);
    fputs("</tr>\n", page);
}

static void print_table(FILE *page, const race *r) {
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\">method</th>", page);
    for (int c = 0; c < COSTS; c++) fprintf(page, "<th colspan=\"3\">%s</th>", costs[c].title);
    fputs("<th rowspan=\"2\">repeats, best two<br>differ by</th><th rowspan=\"2\">at the end</th></tr>\n<tr>", page);
    for (int i = 0; i < COSTS * ACCURACIES; i++) fprintf(page, "<th>%.0e</th>", accuracies[i % ACCURACIES]);
    fputs("</tr></thead>\n<tbody>\n", page);
    for (int i = 0; i < RUNNERS; i++)
        if (r->traces[i].run) print_row(page, r, i);
    fputs("</tbody></table></div>\n", page);
}

/* ---- sections -----------------------------------------------------------------------------------------------------
 */

static const double BUSY = 0.9; /* a thread that gets less of a processor than this is disturbed */

static void print_load(FILE *page, const race *r) {
    const load *l = &r->load;
    const double share = l->seconds > 0 ? l->processor / l->seconds : 1.0;
    fputs("<p class=\"soft\">", page);
    if (r->threads == 1 && share < BUSY) fputs("<span class=\"mark\">busy machine</span> ", page);
    fprintf(page, "Load: the runs had %.0f %% of a processor (%.1f s of processor time in %.1f s)", 100.0 * share,
            l->processor, l->seconds);
    if (l->before >= 0 && l->after >= 0)
        fprintf(page, "; load average %.2f before and %.2f after them", l->before, l->after);
    fputs(".</p>\n", page);
}

static void print_race(FILE *page, const race *r, const reproduce_options *o) {
    const experiment *e = r->experiment;
    fprintf(page, "<h2 id=\"%s\">%s%s</h2>\n<p>%s</p>\n", r->name, e->title,
            r->stand_in ? " <span class=\"mark\">stand-in data</span>" : "", e->about);
    if (r->stand_in)
        fputs(
            "<p><b>This is a stand-in, not the real data.</b> Its rows are Gaussian, with the covariance, the relation "
            "to the year and the residual of a sample of 7000 real rows. Give the real UCI file with "
            "<code>--year-file</code>.</p>\n",
            page);
    fprintf(
        page,
        "<p class=\"soft\">%lld x %lld, %lld response%s; set %s; sketch of m = %lld rows (count sketch), %s GPCS "
        "start; f* = %.10g, certified to a relative gap of %.0e by an independent solve (%.2f s); at most %.0f s of "
        "processor time a method.</p>\n",
        (long long)r->n, (long long)r->d, (long long)r->k, r->k == 1 ? "" : "s", r->set, (long long)r->m,
        e->gpcs ? "with" : "without", r->best, r->certified, r->reference_seconds, o->quick ? e->quick : e->budget);
    print_load(page, r);
    fputs("<div class=\"figures\">\n", page);
    inline_svg(page, o, r->name, "-seconds.svg", "relative error against seconds");
    inline_svg(page, o, r->name, "-epochs.svg", "relative error against epochs");
    fputs("</div>\n", page);
    print_table(page, r);
}

static void print_sweep(FILE *page, const sweep *s, const reproduce_options *o) {
    if (!s->run) return;
    fprintf(
        page,
        "<h2 id=\"syn4\">Syn4: line-search steps</h2>\n<p>The mean step of GPIS's line search against the sparsity "
        "of the true x, in units of 1/L, L = ||A||<sup>2</sup>.</p>\n<p class=\"soft\">%lld x %lld, condition number "
        "1e7, sketch of %lld rows, %lld trials for each sparsity, ten rounds of a hundred inner iterations.</p>\n"
        "<div class=\"figures\">\n",
        (long long)s->n, (long long)s->d, (long long)s->m, (long long)s->trials);
    inline_svg(page, o, "syn4", "-steps.svg", "mean step against sparsity");
    fputs("</div>\n", page);
}

static void print_study(FILE *page, const results *all, const reproduce_options *o) {
    const study *s = &all->study;
    if (!s->run) return;
    fprintf(
        page,
        "<h2 id=\"bounds\">The theorems beside what was measured</h2>\n<p>By how much one round multiplies "
        "||A(x − x*)||. The bounds are those of the paper for Gaussian sketches, Theorems 2 and 3 corrected, and "
        "hold for a round with probability %.2f. Measured is the worst of %lld rounds. A bound is drawn where it is "
        "finite; only below 1 does it promise anything. The direct bound is one of our own "
        "(<code>gpis bounds --direct</code>).</p>\n<p class=\"soft\">%lld x %lld, L/μ = %g, no active constraint, "
        "fixed steps of Theorem 1, no restart.</p>\n<div class=\"figures\">\n",
        1.0 - s->delta, (long long)(3 * s->trials), (long long)s->n, (long long)s->d, s->cond);
    inline_svg(page, o, "bounds", "-m.svg", "factor of a round against the rows of the sketch");
    inline_svg(page, o, "bounds", "-inner.svg", "factor of a round against inner iterations");
    fputs("</div>\n", page);
    print_theory_table(page, all);
}

static void print_method(FILE *page, const reproduce_options *o) {
    fputs(
        "<h2>How it was measured</h2>\n<p>Problems, sizes, sketch sizes and rivals are the paper's (Tang, Golbabaee, "
        "Davies, “Gradient Projection Iterative Sketch for Large-Scale Constrained Least-Squares”, ICML 2017). All "
        "methods start at zero and run in one program on the same data in memory. One epoch is the arithmetic of one "
        "full gradient, sketches and inner iterations included; one pass is one read of the data. Passes and epochs do "
        "not depend on the machine; seconds do.</p>\n"
        "<p>Methods are run in turn, several times where that takes little time, and the fastest repeat of each "
        "counts; the repeats have the same iterates. A method that did not reach 1e-10 within its budget of processor "
        "time is drawn as far as it got.</p>\n",
        page);
    if (o->threads == 1)
        fputs("<p>Each method has one thread. SAGA is sequential by nature, and with more threads for the others the "
              "order of methods would depend on how busy the machine is. Verdicts compare processor time, which with "
              "one thread is what the wall clock shows on an idle machine, and which other programs hardly change. The "
              "figures show it too; the tables also have the wall-clock time of the same runs.</p>\n",
              page);
    else
        fputs("<p>Methods have several threads, but SAGA, which is sequential by nature, uses one. Verdicts compare "
              "wall-clock time, so on a busy machine they may change: leave out <code>--threads</code> for verdicts "
              "that do not.</p>\n",
              page);
    fputs("<p>“gpis solve, not in the paper” is what the program does by itself, its certificate included. It takes no "
          "part in the verdicts, and f* was found by the same method.</p>\n",
          page);
}

int write_page(const results *all, const reproduce_options *o) {
    char path[PATH_MAX];
    cli_output output = {0};
    int code = result_path(path, o, "index", ".html");
    if (code == 0) code = cli_output_open(&output, path);
    if (code != 0) return code;
    FILE *page = output.stream;
    fputs(head, page);
    fprintf(
        page,
        "<h1>Gradient Projection Iterative Sketch: the paper's experiments</h1>\n<p class=\"soft\">Made by <code>gpis "
        "reproduce</code>%s. Numbers are as measured, also where a claim did not hold.</p>\n",
        o->quick ? " <b>--quick</b>: a tenth of the rows, so these are not the paper's sizes" : "");
    fputs("<h2>The paper's claims</h2>\n", page);
    print_claims(page, all);
    print_setup(page, all);
    for (int i = 0; i < all->count; i++) print_race(page, &all->races[i], o);
    print_sweep(page, &all->sweep, o);
    print_study(page, all, o);
    print_method(page, o);
    fputs("<h2>Machine</h2>\n", page);
    print_machine(page, o);
    fputs("</body>\n</html>\n", page);
    return cli_output_commit(&output);
}
