/* The rules of newton. The first that applies counts. */
#include "method/decide.h"

const char *gpis_phase_text(gpis_phase phase) {
    switch (phase) {
    case GPIS_PHASE_SKETCH: return "sketch";
    case GPIS_PHASE_START: return "start";
    case GPIS_PHASE_HULL: return "hull";
    case GPIS_PHASE_ROWS: return "rows";
    case GPIS_PHASE_EXTENDED: return "extended";
    case GPIS_PHASE_GRAM: return "gram";
    case GPIS_PHASE_ROUND: return "round";
    case GPIS_PHASE_LEAVE_FACE: return "leave face";
    case GPIS_PHASE_FINISH: return "finish";
    case GPIS_PHASE_POLISH: return "polish";
    case GPIS_PHASE_END: return "end";
    }
    return "unknown";
}

bool gpis_phase_measures(gpis_phase phase) {
    return phase == GPIS_PHASE_START || phase == GPIS_PHASE_HULL || phase == GPIS_PHASE_ROWS ||
           phase == GPIS_PHASE_EXTENDED || phase == GPIS_PHASE_ROUND;
}

bool gpis_phase_certifies(gpis_phase phase) {
    return gpis_phase_measures(phase) || phase == GPIS_PHASE_GRAM || phase == GPIS_PHASE_LEAVE_FACE;
}

/* While a face is expected no probes are sent, since the face is the cheaper proof. In extended precision, where a pass
 * with probes is expensive, only young probes are sent. */
static bool probes_board(const gpis_facts *f) {
    if (f->expects_face || !f->probes_useful) return false;
    return !f->extended || gpis_is_waiting_for_probes(f);
}

/* If a bound is wanted and the caller has given no starting point, the model will be needed: the Gram matrix is then
 * made in the first pass. A single pass is worth a Gram matrix only if it makes the summary. */
static gpis_action begin(const gpis_facts *f) {
    if (f->begins_with_sketch && f->model == GPIS_MODEL_NONE) return (gpis_action){.phase = GPIS_PHASE_SKETCH};
    const bool may_do_without = !f->rowless && (f->given_start || !f->wants_bounds || (f->one_pass && !f->summarises));
    return (gpis_action){.phase = GPIS_PHASE_START,
                         .gram = f->model == GPIS_MODEL_NONE && !may_do_without,
                         .probes = f->model != GPIS_MODEL_NONE && probes_board(f)};
}

static bool may_make_gram(const gpis_facts *f) {
    return f->model == GPIS_MODEL_SKETCH && !f->gram_tried && f->gram_fits;
}

/* There is no model at all; or there will be no proof by a face, and either a proof is insisted on or probes would be
 * the more expensive way to a bound. */
static bool gram_is_due(const gpis_facts *f) {
    if (f->model == GPIS_MODEL_NONE) return true;
    return (f->gram_is_cheaper || f->wants_proof) && !f->expects_face && !f->on_face && may_make_gram(f);
}

/* Where the Gram matrix is nearly singular, more rounds in double rarely help; nor do they where many were not enough.
 * Probes of a sketch often do, at a lower price than that of the summary. */
static bool finish_is_due(const gpis_facts *f) {
    enum { ROUNDS_OF_GRAM = 2, ROUNDS_OF_SKETCH = 12 };
    if (!f->can_finish || !f->wants_bounds || f->on_face) return false;
    if (f->model == GPIS_MODEL_GRAM && f->rounds >= f->finish_after) return true;
    return (f->flat && f->rounds >= ROUNDS_OF_GRAM) || (f->flat_sketch && f->rounds >= ROUNDS_OF_SKETCH);
}

/* x can still gain digits when the objective cannot: by steps that may need no pass where every x is allowed, else by a
 * pass. That is worth it in extended precision, and where the caller wants many digits: a tighter tolerance must not
 * end at a worse x than a looser one that was lucky. */
static bool may_polish(const gpis_facts *f) {
    const bool may_measure = f->by_summary || !f->exhausted;
    return f->can_polish && (f->can_refine || ((f->extended || f->worth_polish) && may_measure));
}

/* There is no progress any more. Each resort removes one possible reason, the cheapest first: the face is left; points
 * are measured by passes and not from the summary; residuals are computed in extended precision; a sketch is replaced
 * by the Gram matrix, whose bounds need no probes; a Gram matrix that has lost digits is replaced by a sketch. */
static gpis_action last_resort(const gpis_facts *f) {
    const bool may_go_on = f->wants_bounds && !f->exhausted;
    if (f->on_face) return (gpis_action){.phase = GPIS_PHASE_LEAVE_FACE, .give_up_on_face = true};
    if (may_go_on && f->by_summary) return (gpis_action){.phase = GPIS_PHASE_ROWS};
    if (may_go_on && f->can_extend) return (gpis_action){.phase = GPIS_PHASE_EXTENDED, .give_up_on_face = true};
    if (may_go_on && may_make_gram(f) && !(f->flat_sketch && f->finish_tried)) /* else it would be flatter still */
        return (gpis_action){.phase = GPIS_PHASE_GRAM, .give_up_on_face = true};
    if (may_go_on && f->can_finish) return (gpis_action){.phase = GPIS_PHASE_FINISH};
    if (may_go_on && f->has_lost_digits)
        return (gpis_action){.phase = GPIS_PHASE_ROUND, .sketch = true, .give_up_on_face = true};
    if (may_polish(f)) return (gpis_action){.phase = GPIS_PHASE_POLISH};
    return (gpis_action){.phase = GPIS_PHASE_END, .stalled = true};
}

/* Rounds that shrink the error too slowly, or have become too many, are a reason for another model. */
static gpis_action go_round(const gpis_facts *f) {
    const bool too_slow = f->slow >= f->slow_limit || f->rounds >= f->rounds_limit;
    const bool needs_model = !f->on_face && !f->exhausted && too_slow;
    const bool sketched = f->model == GPIS_MODEL_SKETCH;
    if (needs_model && sketched && !f->can_average && f->wants_bounds && may_make_gram(f))
        return (gpis_action){.phase = GPIS_PHASE_GRAM, .give_up_on_face = true};
    const bool sketch = needs_model && (sketched ? f->can_average : f->has_lost_digits);
    const bool no_other_model = needs_model && sketched && !sketch;
    return (gpis_action){.phase = GPIS_PHASE_ROUND,
                         .sketch = sketch,
                         .probes = !sketch && probes_board(f),
                         .look_for_face = !sketch && !no_other_model && f->expects_face && !f->on_face,
                         .give_up_on_face = no_other_model};
}

gpis_action gpis_decide(const gpis_facts *f) {
    const bool may_pass = !f->ended && !f->exhausted, may_measure = !f->ended && (f->by_summary || !f->exhausted);
    if (f->ended && f->solved && may_polish(f)) return (gpis_action){.phase = GPIS_PHASE_POLISH};
    if (f->ended && f->solved && f->by_summary && f->rough && !f->exhausted)
        return (gpis_action){.phase = GPIS_PHASE_ROWS}; /* the run goes on until the answer is measured by a pass */
    if (f->ended) return (gpis_action){.phase = GPIS_PHASE_END};
    if (!f->started) return begin(f);
    if (!f->sharp && !f->hull_tried && may_measure)
        return (gpis_action){.phase = GPIS_PHASE_HULL, .probes = probes_board(f)};
    if (f->by_summary && (f->needs_rows || finish_is_due(f)) && may_pass) /* a pass is cheap beside the finish */
        return (gpis_action){.phase = GPIS_PHASE_ROWS};
    if (finish_is_due(f) && may_pass) return (gpis_action){.phase = GPIS_PHASE_FINISH};
    if (f->noise_in_the_way && !gpis_is_waiting_for_probes(f) && may_pass)
        return (gpis_action){.phase = GPIS_PHASE_EXTENDED};
    if (gram_is_due(f)) return (gpis_action){.phase = GPIS_PHASE_GRAM};
    if (f->idle >= f->patience) return last_resort(f);
    return go_round(f);
}
