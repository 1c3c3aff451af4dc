/* One self-contained HTML page: claims, tables, figures (SVG inside), settings, machine. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>gpis: the paper's experiments</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--card:#f6f8fa;--line:#d0d7de;"
    "--good:#1a7f37;--bad:#b3541e;--best:#0072b2}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--paper:#0d1117;--card:#161b22;"
    "--line:#30363d;--good:#3fb950;--bad:#f0883e;--best:#58a6ff}}\n"
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
    "font-size:.93rem}\n"
    "th,td{padding:.32rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}thead th{color:var(--soft);font-weight:600}"
    "thead tr:first-child th[colspan]{text-align:center}\n"
    "td.best{color:var(--best);font-weight:700}td.none{color:var(--soft)}\n"
    "ul.claims{list-style:none;padding:0;margin:.3rem 0}ul.claims li{margin:.35rem 0}\n"
    ".held,.failed,.open{display:inline-block;border-radius:1rem;padding:0 "
    ".6rem;font-size:.82rem;font-weight:600;border:1px "
    "solid currentColor}.open{color:var(--soft)}.held{color:var(--good)}.failed{color:var(--bad)}\n"
    ".mark{background:var(--bad);color:#fff;border-radius:4px;padding:.05rem .4rem;font-size:.85rem;font-weight:700}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;background:var(--card);border-radius:8px;"
    "padding:.8rem 1rem;overflow-wrap:anywhere}dt{color:var(--soft)}dd{margin:0}\n"
    "@media (max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}\n"
    "code{background:var(--card);padding:.1rem .3rem;border-radius:4px}\n"
    "</style>\n</head>\n<body>\n";

/* Copies an SVG file without its prolog; says so where there is none. */
static void inline_svg(FILE *page, const reproduce_options *o, const char *name, const char *what,
                       const char *description) {
    char path[PATH_MAX], line[4096];
    bool inside = false;
    if (result_path(path, o, name, what) != 0) return;
    FILE *svg = fopen(path, "r");
    fprintf(page, "<figure role=\"img\" aria-label=\"%s\">\n", description);
    while (svg && fgets(line, sizeof line, svg)) {
        inside = inside || strncmp(line, "<svg", 4) == 0;
        if (inside) fputs(line, page);
    }
    if (!svg) fputs("<p>No figure: gnuplot was missing.</p>\n", page);
    if (svg) fclose(svg);
    fputs("</figure>\n", page);
}

/* ---- tables -------------------------------------------------------------------------------------------------------
 */

/* The least seconds (0), epochs (1) or passes (2) to an accuracy. */
static double cost(const sample *s, int kind) {
    return kind == 0 ? s->seconds : kind == 1 ? s->epochs : (double)s->pass;
}

static double least_cost(const race *r, int accuracy, int kind) {
    double least = -1;
    for (int i = 0; i < RUNNERS; i++) {
        const sample *s = race_reach(&r->traces[i], accuracies[accuracy]);
        if (s && (least < 0 || cost(s, kind) < least)) least = cost(s, kind);
    }
    return least;
}

static void print_cell(FILE *page, const race *r, const sample *s, int accuracy, int kind) {
    if (!s) {
        fputs("<td class=\"none\">–</td>", page);
        return;
    }
    const double value = cost(s, kind);
    fprintf(page, "<td%s>", value <= least_cost(r, accuracy, kind) ? " class=\"best\"" : "");
    fprintf(page, kind == 2 ? "%.0f" : value < 0.1 ? "%.4f" : value < 10 ? "%.2f" : "%.1f", value);
    fputs("</td>", page);
}

static void print_row(FILE *page, const race *r, int which) {
    const trace *t = &r->traces[which];
    fprintf(page, "<tr><td>%s</td>", runners[which].label);
    for (int kind = 0; kind < 3; kind++)
        for (int a = 0; a < ACCURACIES; a++) print_cell(page, r, race_reach(t, accuracies[a]), a, kind);
    const sample *last = t->count > 0 ? &t->samples[t->count - 1] : NULL;
    if (race_reach(t, accuracies[ACCURACIES - 1]))
        fputs("<td>reached 1e-10</td>", page);
    else if (last)
        fprintf(page, "<td class=\"none\">at %.0e after %.1f s</td>", last->error, last->seconds);
    else
        fputs("<td class=\"none\">nothing</td>", page);
    fputs("</tr>\n", page);
}

static void print_table(FILE *page, const race *r) {
    fputs(
        "<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\">method</th><th colspan=\"3\">seconds to</th>"
        "<th colspan=\"3\">epochs to</th><th colspan=\"3\">passes to</th><th rowspan=\"2\">at the end</th></tr>\n<tr>",
        page);
    for (int i = 0; i < 3 * ACCURACIES; i++) fprintf(page, "<th>%.0e</th>", accuracies[i % ACCURACIES]);
    fputs("</tr></thead>\n<tbody>\n", page);
    for (int i = 0; i < RUNNERS; i++)
        if (r->traces[i].run) print_row(page, r, i);
    fputs("</tbody></table></div>\n", page);
}

/* ---- sections -----------------------------------------------------------------------------------------------------
 */

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
    fprintf(page,
            "<p class=\"soft\">%lld x %lld, %lld response%s; set %s; sketch of m = %lld rows (count sketch), %s GPCS "
            "start; f* = %.10g, certified to a relative gap of %.0e by an independent solve (%.2f s); at most %.0f s a "
            "method.</p>\n<div class=\"figures\">\n",
            (long long)r->n, (long long)r->d, (long long)r->k, r->k == 1 ? "" : "s", r->set, (long long)r->m,
            e->gpcs ? "with" : "without", r->best, r->certified, r->reference_seconds, o->quick ? e->quick : e->budget);
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

static void print_method(FILE *page) {
    fputs(
        "<h2>How it was measured</h2>\n<p>Problems, sizes, sketch sizes and rivals are the paper's (Tang, Golbabaee, "
        "Davies, “Gradient Projection Iterative Sketch for Large-Scale Constrained Least-Squares”, ICML 2017). All "
        "methods start at zero and run in one program on the same data in memory. Line search: Algorithm 3 with "
        "γ<sub>u</sub> = γ<sub>d</sub> = 2; gradient restart in Acc-GPIS and APGD; inner loops as long as the sketch "
        "is "
        "worth. SAGA: step 1/(3 L̂), L̂ the mean over the batches of their largest eigenvalue; finding L̂ and measuring "
        "f after each epoch are not charged to it. SAGA is sequential by nature and uses one core; the others use all "
        "threads (<code>--threads 1</code> compares on one). One epoch is the arithmetic of one full gradient, "
        "sketches "
        "and inner iterations included; one pass is one read of the data. A method that did not reach 1e-10 within its "
        "time is drawn as far as it got. Seconds belong to this machine; passes and epochs do not depend on it.</p>\n",
        page);
}

int write_page(const race *races, int count, const sweep *s, const reproduce_options *o) {
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
    print_claims(page, races, count, s);
    for (int i = 0; i < count; i++) print_race(page, &races[i], o);
    print_sweep(page, s, o);
    print_method(page);
    fputs("<h2>Machine</h2>\n", page);
    print_machine(page, o);
    fputs("</body>\n</html>\n", page);
    return cli_output_commit(&output);
}
