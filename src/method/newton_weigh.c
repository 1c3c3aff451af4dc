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
    return (gpis_outlook){
        .face = seen->rounds_to_face * gpis_newton_share_of_rounds(seen->share) + 1.0 +
                seen->share * seen->share * (prices->gram - 1.0),
        .probes = seen->proof ? INFINITY : rounds_with_probes(seen) * prices->probing,
        .gram = prices->gram + prices->finish,
    };
}

/* ---- what a run has seen ---- */

/* The machine would only say whether A comes from the disk, which is nothing that a run decides by. */
static gpis_seen what_is_seen(const gpis_newton *s, double share) {
    const gpis_run *run = s->run;
    const gpis_settings *settings = run->settings;
    const gpis_machine usual = gpis_machine_default();
    gpis_workload work = gpis_workload_of(run->problem, settings, run->kind, &usual);
    const double m = (double)run->m * fmax(1.0, s->models);
    gpis_seen seen = {.share = share,
                      .rounds_with_probes = gpis_newton_rounds_with_probes(&work, m),
                      .probed = s->probes ? s->probes->steps : 0.0,
                      .proof = settings->certificate == GPIS_CERTIFICATE_PROVEN};
    work.face = work.walls;
    seen.rounds_to_face = gpis_newton_rounds_to_face(&work, m);
    return seen;
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

gpis_status gpis_newton_look_first(gpis_newton *s) {
    gpis_run *run = s->run;
    double share;
    if (!may_choose(s) || !gpis_look_applies(run) || !gpis_curvature_fits(run->problem)) return GPIS_OK;
    const gpis_status status = gpis_look(run, s->x, &share);
    const gpis_outlook ahead = look_ahead(s, share);
    s->sketch_skipped = ahead.gram < run->prices.sketch + fmin(ahead.face, ahead.probes);
    return status;
}

void gpis_newton_weigh_sketch(gpis_newton *s) {
    const gpis_run *run = s->run;
    const gpis_problem *p = run->problem;
    if (gpis_on_face_applies(run)) {
        const int64_t count = gpis_on_face_free(p, s->x);
        const gpis_outlook ahead = look_ahead(s, (double)count / (double)p->d);
        /* columns that may become free are taken, too: if they are too many with those, no face is found */
        const int64_t more = may_choose(s) ? count / 4 : 0;
        s->expects_face = count + more <= gpis_on_face_most(run) && (!may_choose(s) || ahead.face <= ahead.gram);
    }
    s->expected_face_at_start = s->expects_face;
    s->sketch_skipped = !s->expects_face && gpis_curvature_fits(p) && gpis_newton_gram_is_cheaper(s);
    if (s->sketch_skipped) gpis_newton_drop_sketch(s);
}

bool gpis_newton_gram_is_cheaper(const gpis_newton *s) {
    const gpis_outlook ahead = look_ahead(s, 1.0);
    return may_choose(s) && ahead.gram < ahead.probes;
}

bool gpis_newton_face_is_late(const gpis_newton *s) {
    static const double TIMES_FORECAST = 2.0;
    return s->pace.rounds > TIMES_FORECAST * what_is_seen(s, 0.0).rounds_to_face;
}
