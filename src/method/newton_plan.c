/*
 * What newton could do with a problem: take the Gram matrix as its model, or sketches, or samples of rows, of several
 * sizes.
 *
 * The Gram matrix comes first, and everything else has to beat it: its bound is proven and its passes are known. A
 * sketch must save a seventh of the time, since its bound is only probable, and half of it where the rows come from a
 * file in every pass: there may be more passes than expected, and the file may have to come from the disk, and no look
 * at some rows can tell beforehand how many entries are free; a twentieth is enough where there is such a look. A
 * sample must save a quarter, since a few heavy rows would spoil it, which is found out only after some passes.
 */
#include "method/newton_plan.h"

#include <stdio.h>

#include "base/writer.h"

/* Rows of a sketch and of a sample, in columns of A. Fewer than 3 d rows make a model that is hardly better than
 * none; more than these cost more than the passes they save. */
static const int SKETCH_FACTORS[] = {3, 5, 8, 12, 16, 24, 32}, SAMPLE_FACTORS[] = {16, 64, 256};
/* The share of the Gram matrix's time that a sketch may take at most; the same where the rows come from a file in every
 * pass; and that a sample may take. */
static const double SKETCH_WORTHWHILE = 0.85, SWEPT_SKETCH_WORTHWHILE = 0.5, SAMPLE_WORTHWHILE = 0.75;
/* The same where a look at some rows comes first: it shows whether the sketch pays before it is made, so that little is
 * lost if it does not. */
static const double LOOKED_SKETCH_WORTHWHILE = 0.95;
/* The share of A's rows that a sketch, or a sample, may have at most: with more, the Gram matrix costs little more. */
static const double MAX_SKETCH_SHARE = 0.25, MAX_SAMPLE_SHARE = 0.125;

static const char *noun(const gpis_sketch_class *kind) { return kind->of_rows ? "sample" : "sketch"; }

/* The reason not to choose this sketch, however fast it is; NULL: there is none. */
static const char *unwise(const gpis_inquiry *q, const gpis_sketch_class *kind, int64_t m) {
    const gpis_workload *work = q->work;
    const gpis_settings *settings = q->run->settings;
    const bool sample = kind->of_rows;
    if (settings->certificate == GPIS_CERTIFICATE_PROVEN && !work->walls)
        return sample ? "a sample has no proven bound" : "a sketch has no proven bound";
    if (sample && work->storage != GPIS_STORED_SPARSE && !gpis_run_kind_named(settings))
        return "of dense rows a sketch costs little more, and is safe";
    if (sample && (double)m > MAX_SAMPLE_SHARE * work->n) return "too many rows for a sample of this A";
    if ((double)m > MAX_SKETCH_SHARE * work->n) return "too many rows for a sketch of this A";
    if (kind->whole && !q->run->problem->A->resident) return "this sketch needs all rows at once";
    return NULL;
}

/* A look comes before a sketch that nobody has asked for. */
static bool looks_first(const gpis_inquiry *q) { return q->run->settings->m == 0 && gpis_may_look(q->work); }

static double worthwhile(const gpis_inquiry *q, const gpis_sketch_class *kind) {
    if (kind->of_rows) return SAMPLE_WORTHWHILE;
    if (q->work->windows) return SWEPT_SKETCH_WORTHWHILE;
    return looks_first(q) ? LOOKED_SKETCH_WORTHWHILE : SKETCH_WORTHWHILE;
}

static void propose_gram(const gpis_inquiry *q, gpis_proposals *all, bool settled) {
    gpis_proposal *p = gpis_propose(all);
    p->settled = settled;
    p->impossible = gpis_model_applicable(q->run);
    gpis_copy_text(p->title, sizeof p->title,
                   q->work->rowless ? "newton with the summary" : "newton with the Gram matrix");
}

static void propose_sketch(const gpis_inquiry *q, gpis_proposals *all, const gpis_sketch_class *kind, int64_t m,
                           bool settled) {
    gpis_proposal *p = gpis_propose(all);
    p->sketch = kind;
    p->m = m;
    p->settled = settled;
    p->impossible = gpis_model_applicable(q->run);
    if (!p->impossible && kind->of_rows && !gpis_run_kind_named(q->run->settings) && !q->work->at_hand)
        p->impossible = "its rows are not at hand in memory";
    p->unwise = unwise(q, kind, m);
    p->worthwhile = worthwhile(q, kind);
    p->doubt = kind->of_rows ? "saves too little: a few heavy rows would spoil it"
                             : "saves too little for a bound that is only probable";
    p->risk = "longer if many entries are free";
    snprintf(p->title, sizeof p->title, "newton with a %s of %lld rows", noun(kind), (long long)m);
}

/* What is said against a sketch is said against larger ones, too. */
static bool is_worth_proposing(const gpis_inquiry *q, const gpis_sketch_class *kind, int smallest) {
    return !q->brief || !unwise(q, kind, smallest * q->run->problem->d);
}

static void propose_sketches(const gpis_inquiry *q, gpis_proposals *all, const gpis_sketch_class *kind) {
    if (!is_worth_proposing(q, kind, SKETCH_FACTORS[0])) return;
    for (size_t i = 0; i < sizeof SKETCH_FACTORS / sizeof *SKETCH_FACTORS; i++)
        propose_sketch(q, all, kind, SKETCH_FACTORS[i] * q->run->problem->d, false);
}

static void propose_samples(const gpis_inquiry *q, gpis_proposals *all, const gpis_sketch_class *kind) {
    if (!is_worth_proposing(q, kind, SAMPLE_FACTORS[0])) return;
    for (size_t i = 0; i < sizeof SAMPLE_FACTORS / sizeof *SAMPLE_FACTORS; i++)
        propose_sketch(q, all, kind, SAMPLE_FACTORS[i] * q->run->problem->d, false);
}

/* Where another method was asked for, the proposals are there to compare with. A kind that is named is the only one. */
void gpis_newton_propose(const gpis_inquiry *q, gpis_proposals *all) {
    const gpis_settings *settings = q->run->settings;
    const gpis_sketch_class *kind = q->run->kind, *named = gpis_run_kind_named(settings);
    const bool is_named = q->asked && q->asked->propose == gpis_newton_propose, may_be_chosen = !q->asked || is_named;
    const bool sampling = gpis_workload_samples(q->work);
    propose_gram(q, all, is_named && settings->m == 0);
    if (q->work->rowless) return; /* there is nothing to sketch */
    if (may_be_chosen && settings->m > 0) {
        propose_sketch(q, all, kind, settings->m, true);
    } else if (!gpis_run_is_unsketched(settings)) {
        if (!sampling) propose_sketches(q, all, kind);
        if (sampling || !named) propose_samples(q, all, sampling ? kind : gpis_sketch_find("sample"));
    }
}

/* ---- words ----------------------------------------------------------------------------------------------------------
 */

/* Why there is no sketch, where the Gram matrix was chosen. */
static const char *against_sketches(const gpis_verdict *v) {
    const gpis_settings *settings = v->inquiry->run->settings;
    bool any = false;
    if (gpis_run_is_unsketched(settings)) return "no sketch, as asked for";
    for (int i = 0; i < v->all->count; i++) any = any || (v->all->list[i].m > 0 && v->all->list[i].possible);
    if (any) return "no sketch would save much";
    if (settings->certificate == GPIS_CERTIFICATE_PROVEN) return "a sketch would prove nothing";
    return "too few rows for a sketch";
}

/* Which way is taken after a look is known once it has been taken. */
static void explain_look(const gpis_verdict *v, gpis_writer *w) {
    const gpis_proposal *c = v->chosen, *gram = &v->all->list[0];
    const gpis_problem *p = v->inquiry->run->problem;
    const bool with_gram = gram->shared.many <= c->shared.many;
    gpis_write_text(w, "newton after a look at ");
    gpis_write_whole(w, (int64_t)gpis_look_rows((double)p->n, (double)p->d));
    gpis_write_text(w, " rows: ");
    gpis_write_whole(w, c->effort.passes);
    gpis_write_text(w, " passes expected if few entries are free, else ");
    gpis_write_text(w, with_gram ? "the Gram matrix of " : "a sketch of ");
    gpis_write_whole(w, with_gram ? p->d : c->m);
    gpis_write_text(w, with_gram ? " columns" : " rows");
}

/* "2 passes expected". */
static void write_expected(gpis_writer *w, const gpis_proposal *c, const char *hope) {
    gpis_write_whole(w, c->effort.passes);
    gpis_write_text(w, c->effort.passes > 1 ? " passes expected" : " pass expected");
    if (c->m > 0) gpis_write_text(w, hope);
}

/* "of 10 columns". */
static void write_columns(gpis_writer *w, int64_t d) {
    gpis_write_text(w, " of ");
    gpis_write_whole(w, d);
    gpis_write_text(w, d > 1 ? " columns" : " column");
}

void gpis_newton_explain(const gpis_verdict *v, char *text, size_t size) {
    const gpis_proposal *c = v->chosen, *gram = &v->all->list[0];
    const int64_t d = v->inquiry->run->problem->d;
    const char *hope = v->inquiry->work->walls ? " if few entries are free" : "";
    gpis_writer w = {text, size, 0};
    if (!v->inquiry->work->rowless && c->m > 0 && !c->sketch->of_rows && gram->possible && looks_first(v->inquiry)) {
        explain_look(v, &w);
        return;
    }
    const bool asked = v->inquiry->run->settings->m > 0;
    gpis_write_text(&w, c->title);
    if (v->inquiry->work->rowless || (c->m == 0 && !asked)) write_columns(&w, d);
    if (v->inquiry->work->rowless) {
        gpis_write_text(&w, "; no row is read");
        return;
    }
    gpis_write_text(&w, asked ? ", as asked for; " : ", ");
    write_expected(&w, c, hope);
    if (asked) return;
    if (c->m == 0) {
        gpis_write_text(&w, "; ");
        gpis_write_text(&w, against_sketches(v));
    } else if (gram->possible) {
        snprintf(text + w.used, size - w.used, "; the Gram matrix of %lld columns would take %.1f times as long",
                 (long long)d, gram->shared.seconds / c->shared.seconds);
    }
}
