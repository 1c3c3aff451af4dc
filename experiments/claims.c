/*
 * The paper's claims, held against the numbers measured:
 *   GPIS or Acc-GPIS reach 1e-10 first in wall-clock time; SAGA with b = 10 is competitive in epochs; it loses in time
 * as the projection gets dear (Syn1 -> Syn2 -> Syn3); steps grow where the solution is sparse (Syn4).
 */
#include <math.h>
#include <string.h>

#include "experiment.h"

enum { GPIS, ACC_GPIS, APGD, SAGA_10, SAGA_50, SAGA_100 };

/* A claim counts as competitive up to this factor. */
static const double COMPETITIVE = 2.0;

static double seconds_of(const sample *s) { return s->seconds; }
static double epochs_of(const sample *s) { return s->epochs; }

/* The runner that reached 1e-10 at the least cost, among the sketched ones or the rivals; -1: none did. */
static int best_of(const race *r, bool sketched, double (*cost)(const sample *), double *least) {
    int best = -1;
    *least = INFINITY;
    for (int i = 0; i < RUNNERS; i++) {
        const sample *s = race_reach(&r->traces[i], accuracies[ACCURACIES - 1]);
        if (runners[i].sketched != sketched || !s || !(cost(s) < *least)) continue;
        *least = cost(s);
        best = i;
    }
    return best;
}

static bool complete(const race *r) {
    bool all = true;
    for (int i = 0; i < RUNNERS; i++) all = all && r->traces[i].run;
    return all;
}

static void verdict(FILE *page, const char *title, bool held) {
    fprintf(page, "<li><span class=\"%s\">%s</span> <b>%s</b> ", held ? "held" : "failed",
            held ? "held" : "did not hold", title);
}

static double last_error(const race *r, int which) {
    const trace *t = &r->traces[which];
    return t->count > 0 ? t->samples[t->count - 1].error : INFINITY;
}

/* Nobody reached 1e-10: who got furthest. */
static void claim_progress(FILE *page, const race *r) {
    int furthest[2] = {-1, -1}; /* of the rivals, of the sketched ones */
    for (int i = 0; i < RUNNERS; i++) {
        int *best = &furthest[runners[i].sketched];
        if (*best < 0 || last_error(r, i) < last_error(r, *best)) *best = i;
    }
    fprintf(
        page,
        "<li><span class=\"open\">open</span> <b>GPIS or Acc-GPIS reach 1e-10 first in wall-clock time.</b> No method "
        "reached 1e-10 within its budget; at the end of it %s was at %.1e, the best rival, %s, at %.1e.</li>\n",
        runners[furthest[1]].label, last_error(r, furthest[1]), runners[furthest[0]].label, last_error(r, furthest[0]));
}

static void claim_time(FILE *page, const race *r) {
    double own, rival;
    const int first = best_of(r, true, seconds_of, &own), second = best_of(r, false, seconds_of, &rival);
    if (first < 0 && second < 0) {
        claim_progress(page, r);
        return;
    }
    verdict(page, "GPIS or Acc-GPIS reach 1e-10 first in wall-clock time.", first >= 0 && own < rival);
    if (first < 0)
        fputs("Neither of them reached 1e-10 within its budget.", page);
    else if (second < 0)
        fprintf(page, "%s needed %.3g s; no rival arrived within its budget.", runners[first].label, own);
    else
        fprintf(page, "%s needed %.3g s, %s %.3g s: %.2g times %s.", runners[first].label, own, runners[second].label,
                rival, own < rival ? rival / own : own / rival, own < rival ? "as long" : "faster");
    fputs("</li>\n", page);
}

static void claim_epochs(FILE *page, const race *r) {
    double own;
    const int first = best_of(r, true, epochs_of, &own);
    const sample *saga = race_reach(&r->traces[SAGA_10], accuracies[ACCURACIES - 1]);
    verdict(page, "SAGA with b = 10 is competitive in epochs.",
            saga && (first < 0 || saga->epochs <= COMPETITIVE * own));
    if (!saga)
        fputs("It did not reach 1e-10 within its budget.", page);
    else if (first < 0)
        fprintf(page, "It needed %.3g epochs; GPIS and Acc-GPIS did not arrive.", saga->epochs);
    else
        fprintf(page, "It needed %.3g epochs, %s %.3g (competitive: at most twice as many).", saga->epochs,
                runners[first].label, own);
    fputs("</li>\n", page);
}

/* Seconds of SAGA b=10 over those of Acc-GPIS, to 1e-10; where it did not arrive, at least so much. */
static double price_of_saga(const race *r, bool *arrived) {
    const trace *saga = &r->traces[SAGA_10];
    const sample *own = race_reach(&r->traces[ACC_GPIS], accuracies[ACCURACIES - 1]);
    const sample *reached = race_reach(saga, accuracies[ACCURACIES - 1]);
    *arrived = reached != NULL;
    if (!own || saga->count == 0) return NAN;
    return (reached ? reached : &saga->samples[saga->count - 1])->seconds / own->seconds;
}

static void claim_projection(FILE *page, const race *races, int count) {
    static const char *const names[] = {"syn1", "syn2", "syn3"};
    double price[3] = {NAN, NAN, NAN};
    bool arrived[3] = {false, false, false};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 3; j++)
            if (strcmp(races[i].experiment->name, names[j]) == 0 && complete(&races[i]))
                price[j] = price_of_saga(&races[i], &arrived[j]);
    if (isnan(price[0]) || isnan(price[1]) || isnan(price[2])) return;
    verdict(page, "SAGA with b = 10 loses in time as the projection gets dear.",
            price[0] < price[1] && price[1] < price[2] && price[2] > 1.0);
    fputs("Its seconds over those of Acc-GPIS, to 1e-10:", page);
    for (int j = 0; j < 3; j++)
        fprintf(page, " %s%.2g on Syn%d%s", arrived[j] ? "" : "more than ", price[j], j + 1, j < 2 ? "," : ".");
    fputs("</li>\n", page);
}

static void claim_steps(FILE *page, const sweep *s) {
    if (!s->run) return;
    const double sparse = s->mean[0], dense = s->mean[SPARSITIES - 1];
    verdict(page, "The sparser the solution, the longer the steps of the line search (Syn4).", sparse > 1.1 * dense);
    fprintf(page, "Mean step %.3g / L with %lld nonzero, %.3g / L with %lld.</li>\n", sparse, (long long)s->sparsity[0],
            dense, (long long)s->sparsity[SPARSITIES - 1]);
}

void print_claims(FILE *page, const race *races, int count, const sweep *s) {
    for (int i = 0; i < count; i++) {
        if (!complete(&races[i])) continue;
        fprintf(page, "<h3>%s%s</h3>\n<ul class=\"claims\">\n", races[i].experiment->title,
                races[i].stand_in ? ", stand-in data" : "");
        claim_time(page, &races[i]);
        claim_epochs(page, &races[i]);
        fputs("</ul>\n", page);
    }
    fputs("<h3>Over the problems</h3>\n<ul class=\"claims\">\n", page);
    claim_projection(page, races, count);
    claim_steps(page, s);
    fputs("</ul>\n", page);
}
