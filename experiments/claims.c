/*
 * The paper's claims, each with its verdict by the numbers measured.
 *
 * Times are compared by the clock of race_seconds, each method's fastest repeat. One method is called faster than
 * another only where it is so by more than the tie band: TIE_BAND, or what the two fastest repeats of the two methods
 * differ by, if that is more. Where a method did not reach 1e-10 within its budget, two methods are compared at the
 * finest error that both reached.
 */
#include <math.h>
#include <string.h>

#include "experiment.h"

/* Ratios closer to 1 than this change with the compiler, the BLAS library, the processor and its caches, which other
 * programs share. */
static const double TIE_BAND = 1.35;
/* SAGA counts as competitive in epochs up to this factor. */
static const double COMPETITIVE = 2.0;

typedef enum verdict { HELD, FAILED, TIE, OPEN } verdict;

static void print_verdict(FILE *page, verdict v, const char *claim) {
    static const char *const classes[] = {"held", "failed", "tie", "open"};
    static const char *const words[] = {"held", "did not hold", "tie", "open"};
    fprintf(page, "<li><span class=\"%s\">%s</span> <b>%s</b> ", classes[v], words[v], claim);
}

/* ---- two methods compared -------------------------------------------------------------------------------------------
 */

typedef struct comparison {
    double accuracy; /* the finest error that both reached */
    double ratio;    /* time of the second method over that of the first */
    int order;       /* -1: the first is faster; 1: the second is; 0: a tie */
} comparison;

static double finest_error(const trace *t) {
    return t->count > 0 ? fmax(GOAL, t->samples[t->count - 1].error) : INFINITY;
}

static double noise_of(const trace *t) { return t->repeats > 1 ? t->second / t->best : 1.0; }

static int order_of(double ratio, double band) { return ratio > band ? -1 : ratio * band < 1.0 ? 1 : 0; }

static comparison compare(const race *r, int first, int second) {
    const trace *a = &r->traces[first], *b = &r->traces[second];
    comparison c = {.accuracy = fmax(finest_error(a), finest_error(b))};
    const sample *of_a = race_reach(a, c.accuracy), *of_b = race_reach(b, c.accuracy);
    if (!of_a || !of_b) return c; /* one of them has not a single sample */
    c.ratio = race_seconds(r, of_b) / race_seconds(r, of_a);
    c.order = order_of(c.ratio, fmax(TIE_BAND, noise_of(a) * noise_of(b)));
    return c;
}

static bool reached_goal(const race *r, int which) { return race_reach(&r->traces[which], GOAL) != NULL; }

static double seconds_to_goal(const race *r, int which) { return race_seconds(r, race_reach(&r->traces[which], GOAL)); }

static double epochs_to_goal(const race *r, int which) { return race_reach(&r->traces[which], GOAL)->epochs; }

/* The runner of a family that reached 1e-10 at the least cost; -1: none did. */
static int best_of(const race *r, family kind, double (*cost)(const race *, int)) {
    int best = -1;
    for (int i = 0; i < RUNNERS; i++)
        if (runners[i].family == kind && reached_goal(r, i) && (best < 0 || cost(r, i) < cost(r, best))) best = i;
    return best;
}

/* All methods of the paper were run. */
static bool complete(const race *r) {
    bool all = true;
    for (int i = 0; i < RUNNERS; i++) all = all && (r->traces[i].run || runners[i].family == OURS);
    return all;
}

static const race *find(const results *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->races[i].experiment->name, name) == 0 && complete(&all->races[i])) return &all->races[i];
    return NULL;
}

static const char *unit(const race *r) { return r->by_processor ? "s of processor time" : "s"; }

/* ---- claims about every problem -------------------------------------------------------------------------------------
 */

/* Nobody reached 1e-10: who got furthest. */
static void print_furthest(FILE *page, const race *r) {
    int furthest[2] = {-1, -1}; /* of SKETCHED, of RIVAL */
    for (int i = 0; i < RUNNERS; i++) {
        if (runners[i].family == OURS) continue;
        int *best = &furthest[runners[i].family];
        if (*best < 0 || finest_error(&r->traces[i]) < finest_error(&r->traces[*best])) *best = i;
    }
    fprintf(page,
            "No method reached 1e-10 within its budget; at the end of it %s was at %.1e, the best rival, %s, at %.1e.",
            runners[furthest[SKETCHED]].label, finest_error(&r->traces[furthest[SKETCHED]]),
            runners[furthest[RIVAL]].label, finest_error(&r->traces[furthest[RIVAL]]));
}

static void claim_time(FILE *page, const race *r) {
    const int own = best_of(r, SKETCHED, seconds_to_goal), rival = best_of(r, RIVAL, seconds_to_goal);
    const comparison c = own >= 0 && rival >= 0 ? compare(r, own, rival) : (comparison){.order = own >= 0 ? -1 : 1};
    const verdict v = own < 0 && rival < 0 ? OPEN : c.order < 0 ? HELD : c.order > 0 ? FAILED : TIE;
    print_verdict(page, v, "GPIS or Acc-GPIS reach 1e-10 first in wall-clock time.");
    if (own < 0 && rival < 0)
        print_furthest(page, r);
    else if (own < 0)
        fprintf(page, "Neither of them reached 1e-10 within its budget; %s needed %.3g %s.", runners[rival].label,
                seconds_to_goal(r, rival), unit(r));
    else if (rival < 0)
        fprintf(page, "%s needed %.3g %s; no rival arrived within its budget.", runners[own].label,
                seconds_to_goal(r, own), unit(r));
    else
        fprintf(page, "%s needed %.3g %s, the fastest rival, %s, %.3g: %.2g times as long.", runners[own].label,
                seconds_to_goal(r, own), unit(r), runners[rival].label, seconds_to_goal(r, rival), c.ratio);
    fputs("</li>\n", page);
}

static void claim_epochs(FILE *page, const race *r) {
    const int own = best_of(r, SKETCHED, epochs_to_goal);
    const bool arrived = reached_goal(r, SAGA_10);
    const bool good = arrived && (own < 0 || epochs_to_goal(r, SAGA_10) <= COMPETITIVE * epochs_to_goal(r, own));
    print_verdict(page,
                  !arrived && own < 0 ? OPEN
                  : good              ? HELD
                                      : FAILED,
                  "SAGA with b = 10 is competitive in epochs.");
    if (!arrived)
        fputs("It did not reach 1e-10 within its budget.", page);
    else if (own < 0)
        fprintf(page, "It needed %.3g epochs; GPIS and Acc-GPIS did not arrive.", epochs_to_goal(r, SAGA_10));
    else
        fprintf(page, "It needed %.3g epochs, %s %.3g (competitive: at most twice as many).",
                epochs_to_goal(r, SAGA_10), runners[own].label, epochs_to_goal(r, own));
    fputs("</li>\n", page);
}

static int best_saga(const race *r) {
    int best = -1;
    for (int i = SAGA_10; i <= SAGA_100; i++)
        if (reached_goal(r, i) && (best < 0 || epochs_to_goal(r, i) < epochs_to_goal(r, best))) best = i;
    return best;
}

static void claim_complexity(FILE *page, const race *r) {
    const int own = best_of(r, SKETCHED, epochs_to_goal), saga = best_saga(r);
    const bool full = reached_goal(r, APGD);
    const double least = full ? epochs_to_goal(r, APGD) : INFINITY;
    const bool both = own >= 0 && saga >= 0;
    print_verdict(page,
                  !both                                                               ? (full ? FAILED : OPEN)
                  : epochs_to_goal(r, own) < least && epochs_to_goal(r, saga) < least ? HELD
                                                                                      : FAILED,
                  "Sketched and stochastic gradients both need fewer epochs than the accelerated full gradient.");
    const struct {
        const char *label;
        int which;
    } shown[] = {{own >= 0 ? runners[own].label : "GPIS and Acc-GPIS", own},
                 {saga >= 0 ? runners[saga].label : "SAGA", saga},
                 {runners[APGD].label, full ? APGD : -1}};
    for (int i = 0; i < 3; i++) {
        fprintf(page, "%s%s ", i ? ", " : "To 1e-10: ", shown[i].label);
        if (shown[i].which < 0)
            fputs("not within the budget", page);
        else
            fprintf(page, "%.4g epochs", epochs_to_goal(r, shown[i].which));
    }
    fputs(".</li>\n", page);
}

/* ---- claims about SAGA's batches and the projection -----------------------------------------------------------------
 */

static void print_ratios(FILE *page, const race *r, int which, const int *others, int count) {
    fprintf(page, "The time of others over that of %s, to the finest error that both reached:", runners[which].label);
    for (int i = 0; i < count; i++) {
        const comparison c = compare(r, which, others[i]);
        fprintf(page, "%s %s %.2g (%.0e)", i ? "," : "", runners[others[i]].label, c.ratio, c.accuracy);
    }
    fputs(".</li>\n", page);
}

/* `which` is faster (expected: -1) or slower (1) than all the others. */
static void claim_against_all(FILE *page, const race *r, const char *claim, int which, int expected, const int *others,
                              int count) {
    int as_claimed = 0, contrary = 0;
    for (int i = 0; i < count; i++) {
        const int order = compare(r, which, others[i]).order;
        as_claimed += order == expected;
        contrary += order == -expected;
    }
    print_verdict(page, contrary > 0 ? FAILED : as_claimed == count ? HELD : TIE, claim);
    print_ratios(page, r, which, others, count);
}

/* The footnote of the Discussion: vectorised larger batches make b = 10 a poor choice. Compared with the better one. */
static void claim_year(FILE *page, const race *r) {
    static const int larger[] = {SAGA_50, SAGA_100};
    const int better = compare(r, SAGA_50, SAGA_100).ratio < 1.0 ? SAGA_100 : SAGA_50;
    const int order = compare(r, SAGA_10, better).order;
    print_verdict(page,
                  order > 0   ? HELD
                  : order < 0 ? FAILED
                              : TIE,
                  "Year: SAGA with b = 10 is unattractive in wall-clock time beside larger batches.");
    print_ratios(page, r, SAGA_10, larger, 2);
}

static void print_discussion(FILE *page, const results *all) {
    static const int batches[] = {SAGA_50, SAGA_100}, sagas[] = {SAGA_10, SAGA_50, SAGA_100};
    static const int others[] = {GPIS, ACC_GPIS, APGD, SAGA_50, SAGA_100};
    const race *syn1 = find(all, "syn1"), *syn2 = find(all, "syn2"), *syn3 = find(all, "syn3");
    const race *year = find(all, "year");
    if (syn1)
        claim_against_all(page, syn1, "Syn1: b = 10 is the fastest of SAGA's batch sizes in wall-clock time.", SAGA_10,
                          -1, batches, 2);
    if (syn2)
        claim_against_all(page, syn2, "Syn2: b = 10 is the slowest of SAGA's batch sizes in wall-clock time.", SAGA_10,
                          1, batches, 2);
    if (syn3) {
        claim_against_all(page, syn3, "Syn3: SAGA with b = 10 is the slowest of all methods in wall-clock time.",
                          SAGA_10, 1, others, 5);
        claim_against_all(page, syn3, "Syn3: the full gradient, APGD, is ahead of SAGA in wall-clock time.", APGD, -1,
                          sagas, 3);
    }
    if (year) claim_year(page, year);
}

/* Seconds of SAGA b=10 over those of Acc-GPIS, to 1e-10; where SAGA did not arrive, at least so much. NaN: unknown. */
static double price_of_saga(const race *r) {
    const trace *saga = &r->traces[SAGA_10];
    if (!reached_goal(r, ACC_GPIS) || saga->count == 0) return NAN;
    const sample *last = reached_goal(r, SAGA_10) ? race_reach(saga, GOAL) : &saga->samples[saga->count - 1];
    return race_seconds(r, last) / seconds_to_goal(r, ACC_GPIS);
}

static void claim_projection(FILE *page, const results *all) {
    static const char *const names[] = {"syn1", "syn2", "syn3"};
    double price[3];
    bool arrived[3], known = true, rising = true, falling = false, bounded = true;
    for (int i = 0; i < 3; i++) {
        const race *r = find(all, names[i]);
        if (!r) return; /* the claim is about all three */
        price[i] = price_of_saga(r);
        arrived[i] = reached_goal(r, SAGA_10);
        known = known && !isnan(price[i]);
    }
    for (int i = 1; i < 3 && known; i++) {
        const int order = order_of(price[i] / price[i - 1], TIE_BAND);
        bounded = bounded && arrived[i - 1] && (arrived[i] || order < 0); /* a lower bound that decides */
        rising = rising && order < 0;
        falling = falling || order > 0;
    }
    print_verdict(page,
                  !known || !bounded ? OPEN
                  : rising           ? HELD
                  : falling          ? FAILED
                                     : TIE,
                  "SAGA with b = 10 loses in wall-clock time as the projection gets more expensive.");
    fputs("Its time over that of Acc-GPIS, to 1e-10:", page);
    for (int i = 0; i < 3; i++) {
        fprintf(page, "%s Syn%d ", i ? "," : "", i + 1);
        if (isnan(price[i]))
            fputs("unknown, as Acc-GPIS did not arrive", page);
        else
            fprintf(page, "%s%.2g", arrived[i] ? "" : "more than ", price[i]);
    }
    fputs(".</li>\n", page);
}

static void claim_steps(FILE *page, const sweep *s) {
    if (!s->run) return;
    const double sparse = s->mean[0], dense = s->mean[SPARSITIES - 1];
    print_verdict(page, sparse > 1.1 * dense ? HELD : FAILED,
                  "Syn4: the sparser the solution, the longer the steps of the line search.");
    fprintf(page, "Mean step %.3g / L with %lld nonzero, %.3g / L with %lld.</li>\n", sparse, (long long)s->sparsity[0],
            dense, (long long)s->sparsity[SPARSITIES - 1]);
}

void print_claims(FILE *page, const results *all) {
    fprintf(
        page,
        "<p>One method is called faster than another only if it is so by more than a factor of %.2f, or by more than "
        "the two fastest repeats of the two differ by, if that is more; anything closer is a tie. Where a method did "
        "not reach 1e-10 within its budget, two methods are compared at the finest error that both reached.</p>\n",
        TIE_BAND);
    for (int i = 0; i < all->count; i++) {
        const race *r = &all->races[i];
        if (!complete(r)) continue;
        fprintf(page, "<h3>%s%s</h3>\n<ul class=\"claims\">\n", r->experiment->title,
                r->stand_in ? ", stand-in data" : "");
        claim_time(page, r);
        claim_epochs(page, r);
        claim_complexity(page, r);
        fputs("</ul>\n", page);
    }
    fputs("<h3>The Discussion's other claims</h3>\n<ul class=\"claims\">\n", page);
    print_discussion(page, all);
    claim_projection(page, all);
    claim_steps(page, &all->sweep);
    fputs("</ul>\n", page);
}
