/*
 * newton weighs its ways again with what it has seen. The plan cannot know how many entries of the answer are free, how
 * soon it is clear which, or how many rounds the probes need; the run finds out. All costs are in units of a plain
 * gradient pass (gpis_prices).
 */
#include <math.h>

#include "method/look.h"
#include "method/newton.h"
#include "method/newton_plan.h"

/* ---- pure: what the ways cost from here on ---- */

/* Beyond its forecast a run has no better guide than its past: half as many rounds again are expected. */
static double rounds_with_probes(const gpis_seen *seen) {
    static const double SHARE_OF_PAST = 0.5;
    const double left = seen->rounds_with_probes - seen->probed;
    return left > 0.0 ? left : SHARE_OF_PAST * seen->probed;
}

gpis_outlook gpis_newton_outlook(const gpis_prices *prices, const gpis_seen *seen) {
    const double columns = gpis_share_of_face(seen->free);
    return (gpis_outlook){
        .face = gpis_newton_passes_to_face(seen->rounds_to_face, seen->free) + columns * columns * (prices->gram - 1.0),
        .probes = seen->proof ? INFINITY : rounds_with_probes(seen) * prices->probing,
        .gram = prices->gram + prices->finish,
    };
}

/* ---- what a run has seen ---- */

/* With a model of m rows of that kind. The machine would only say whether A comes from the disk, which is nothing that
 * a run decides by. */
static gpis_seen seen_with(const gpis_newton *s, const gpis_sketch_class *kind, double m, gpis_free_share free) {
    const gpis_run *run = s->run;
    const gpis_settings *settings = run->settings;
    const gpis_machine usual = gpis_machine_default();
    gpis_workload work = gpis_workload_of(run->problem, settings, kind, &usual);
    gpis_seen seen = {.free = free,
                      .rounds_with_probes = gpis_newton_rounds_with_probes(&work, m),
                      .probed = s->probes ? s->probes->steps : 0.0,
                      .proof = settings->certificate == GPIS_CERTIFICATE_PROVEN};
    work.face = work.walls;
    seen.rounds_to_face = gpis_newton_rounds_to_face(&work, m);
    return seen;
}

/* With the model that there is. */
static gpis_seen what_is_seen(const gpis_newton *s, double share) {
    const gpis_free_share free = {share, GPIS_USUALLY_UNSETTLED};
    return seen_with(s, s->run->kind, (double)s->run->m * fmax(1.0, s->models), free);
}

static gpis_outlook look_ahead(const gpis_newton *s, double share) {
    const gpis_seen seen = what_is_seen(s, share);
    return gpis_newton_outlook(&s->run->prices, &seen);
}

/* A sketch that the caller has asked for is kept, unless its rounds were meant to end on a face. */
static bool may_choose(const gpis_newton *s) {
    const gpis_settings *settings = s->run->settings;
    return settings->certificate != GPIS_CERTIFICATE_NONE && (s->expected_face_at_start || settings->m == 0);
}

double gpis_newton_share(const gpis_newton *s) {
    const gpis_problem *p = s->run->problem;
    return (double)gpis_on_face_free(p, s->x) / (double)p->d;
}

/* Columns that may become free are taken, too: if they are too many with those, no face is found. */
static bool face_is_small(const gpis_newton *s, double share) {
    const double count = share * (double)s->run->problem->d, more = may_choose(s) ? 0.25 : 0.0;
    return floor((1.0 + more) * count) <= (double)gpis_on_face_most(s->run);
}

bool gpis_newton_looks_first(const gpis_newton *s) {
    return may_choose(s) && gpis_look_applies(s->run) && gpis_curvature_fits(s->run->problem);
}

/* The rounds that it takes to find a face are a guess, while it is known what the Gram matrix costs. */
static const double FACE_WORTHWHILE = 0.9;

void gpis_newton_weigh_look(gpis_newton *s, gpis_free_share free, const gpis_sketch_class *kind, int64_t m) {
    const gpis_prices *prices = &s->run->prices;
    const double rows = gpis_look_rows((double)s->run->problem->n, (double)s->run->problem->d);
    const gpis_seen planned = seen_with(s, kind, (double)m, free);
    const gpis_seen looked = seen_with(s, gpis_sketch_find("sample"), rows, free);
    const gpis_outlook here = gpis_newton_outlook(prices, &looked), there = gpis_newton_outlook(prices, &planned);
    const bool small = face_is_small(s, free.share);
    const double sketch = prices->sketch + (small ? fmin(there.face, there.probes) : there.probes);
    s->expects_face = small && here.face <= fmin(FACE_WORTHWHILE * here.gram, sketch);
    s->expected_face_at_start = s->expects_face;
    s->sketch_skipped = !s->expects_face && here.gram < sketch;
}

void gpis_newton_weigh_sketch(gpis_newton *s) {
    if (gpis_on_face_applies(s->run)) {
        const double share = gpis_newton_share(s);
        const gpis_outlook ahead = look_ahead(s, share);
        s->expects_face = face_is_small(s, share) && (!may_choose(s) || ahead.face <= ahead.gram);
    }
    s->expected_face_at_start = s->expects_face;
    s->sketch_skipped = !s->expects_face && gpis_curvature_fits(s->run->problem) && gpis_newton_gram_is_cheaper(s);
    if (s->sketch_skipped) gpis_newton_drop_sketch(s);
}

bool gpis_newton_gram_is_cheaper(const gpis_newton *s) {
    const gpis_outlook ahead = look_ahead(s, 1.0);
    return may_choose(s) && ahead.gram < ahead.probes;
}

/* A sample of 2 d rows or more that represents A is wrong about its own solution by less than a factor of two, if few
 * entries are free. One that has missed heavy rows is wrong by any factor. */
bool gpis_newton_look_has_misled(const gpis_newton *s) {
    return s->look_promised > 0.0 && s->measured_for == GPIS_PHASE_START && s->point.objective > s->look_promised;
}

bool gpis_newton_face_is_late(const gpis_newton *s) {
    static const double TIMES_FORECAST = 2.0;
    return s->pace.rounds > TIMES_FORECAST * what_is_seen(s, 0.0).rounds_to_face;
}
