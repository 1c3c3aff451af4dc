/*
 * newton's decision, state by state: for each phase the facts that lead to it, one at a time; and what must hold
 * whatever the facts are, tried on many random ones.
 */
#include "method/decide.h"

#include "base/random.h"
#include "support.h"

/* A run in the middle of its rounds with a sketched model, to which nothing has happened. */
static gpis_facts in_the_middle(void) {
    return (gpis_facts){.wants_bounds = true,
                        .started = true,
                        .sharp = true,
                        .model = GPIS_MODEL_SKETCH,
                        .begins_with_sketch = true,
                        .gram_fits = true,
                        .can_average = true,
                        .can_extend = true,
                        .probes_useful = true,
                        .probes_young = true,
                        .can_polish = true,
                        .slow_limit = 3,
                        .rounds_limit = 24,
                        .finish_after = 8,
                        .patience = 3};
}

static gpis_facts at_the_beginning(void) {
    gpis_facts f = in_the_middle();
    f.started = f.sharp = f.begins_with_sketch = f.probes_useful = f.probes_young = f.can_polish = false;
    f.model = GPIS_MODEL_NONE;
    return f;
}

static gpis_action expect(gpis_facts f, gpis_phase phase) {
    const gpis_action a = gpis_decide(&f);
    if (a.phase != phase) fail_msg("phase %s, expected %s", gpis_phase_text(a.phase), gpis_phase_text(phase));
    return a;
}

/* ---- each phase ---- */

static void beginnings(void **state) {
    (void)state;
    gpis_facts f = at_the_beginning();
    assert_true(
        expect(f, GPIS_PHASE_START).gram); /* a bound is wanted, and there is no start that may be good enough */
    f.given_start = true;
    assert_false(expect(f, GPIS_PHASE_START).gram);
    f = at_the_beginning();
    f.wants_bounds = false;
    assert_false(expect(f, GPIS_PHASE_START).gram);
    f = at_the_beginning();
    f.one_pass = true;
    assert_false(expect(f, GPIS_PHASE_START).gram);
    f = at_the_beginning();
    f.begins_with_sketch = true;
    expect(f, GPIS_PHASE_SKETCH);
    f.model = GPIS_MODEL_SKETCH; /* which has been made */
    f.probes_useful = f.probes_young = true;
    gpis_action a = expect(f, GPIS_PHASE_START);
    assert_true(a.probes && !a.gram);
    f.expects_face = true;
    assert_false(expect(f, GPIS_PHASE_START).probes);
}

static void rounds(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    gpis_action a = expect(f, GPIS_PHASE_ROUND);
    assert_true(a.probes && !a.sketch && !a.look_for_face && !a.give_up_on_face);
    f.probes_useful = false;
    assert_false(expect(f, GPIS_PHASE_ROUND).probes);
    f = in_the_middle();
    f.expects_face = true; /* the face is the cheaper proof */
    a = expect(f, GPIS_PHASE_ROUND);
    assert_true(a.look_for_face && !a.probes);
    f.on_face = true;
    assert_false(expect(f, GPIS_PHASE_ROUND).look_for_face);
    f = in_the_middle();
    f.extended = true, f.can_extend = false, f.probes_young = false; /* probes are dear there */
    assert_false(expect(f, GPIS_PHASE_ROUND).probes);
}

static void another_model(void **state) {
    (void)state;
    for (int why = 0; why < 2; why++) {
        gpis_facts f = in_the_middle();
        *(why ? &f.slow : &f.rounds) = why ? 3 : 24;
        assert_true(expect(f, GPIS_PHASE_ROUND).sketch && !expect(f, GPIS_PHASE_ROUND).probes);
        f.can_average = false;
        assert_true(expect(f, GPIS_PHASE_GRAM).give_up_on_face);
        f.gram_tried = true;
        gpis_action a = expect(f, GPIS_PHASE_ROUND); /* there is no other model: on as before, without hope of a face */
        assert_true(!a.sketch && a.give_up_on_face);
        f = in_the_middle();
        *(why ? &f.slow : &f.rounds) = why ? 3 : 24;
        f.model = GPIS_MODEL_GRAM;
        assert_false(expect(f, GPIS_PHASE_ROUND).sketch);
        f.has_lost_digits = true;
        assert_true(expect(f, GPIS_PHASE_ROUND).sketch);
        f.on_face = true; /* what is slow there is not the model's fault */
        assert_false(expect(f, GPIS_PHASE_ROUND).sketch);
    }
}

static void the_gram_matrix(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.model = GPIS_MODEL_NONE;
    expect(f, GPIS_PHASE_GRAM);
    bool *const reasons[] = {&f.wants_proof, &f.gram_is_cheaper};
    bool *const obstacles[] = {&f.expects_face, &f.on_face, &f.gram_tried};
    for (int r = 0; r < 2; r++) {
        f = in_the_middle();
        *reasons[r] = true;
        expect(f, GPIS_PHASE_GRAM);
        for (int o = 0; o < 3; o++) {
            *obstacles[o] = true;
            expect(f, GPIS_PHASE_ROUND);
            *obstacles[o] = false;
        }
        f.gram_fits = false;
        expect(f, GPIS_PHASE_ROUND);
    }
}

static void measuring_again(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.sharp = false;
    assert_true(expect(f, GPIS_PHASE_HULL).probes);
    f.hull_tried = true; /* once is enough */
    expect(f, GPIS_PHASE_ROUND);
    f = in_the_middle();
    f.noise_in_the_way = true;
    expect(f, GPIS_PHASE_ROUND); /* while probes may find a bound, noise is borne */
    f.probes_young = false;
    assert_false(expect(f, GPIS_PHASE_EXTENDED).probes);
    f = in_the_middle();
    f.noise_in_the_way = f.on_face = true;
    expect(f, GPIS_PHASE_EXTENDED);
}

static void last_resorts(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.idle = 3;
    f.on_face = true;
    assert_true(expect(f, GPIS_PHASE_LEAVE_FACE).give_up_on_face);
    f.on_face = false;
    expect(f, GPIS_PHASE_EXTENDED);
    f.can_extend = false;
    expect(f, GPIS_PHASE_GRAM);
    f.gram_tried = true;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
    f.model = GPIS_MODEL_GRAM;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
    f.has_lost_digits = true;
    assert_true(expect(f, GPIS_PHASE_ROUND).sketch);
    f.has_lost_digits = false;
    f.extended = true; /* x may have digits to win when the objective has none */
    expect(f, GPIS_PHASE_POLISH);
    f.can_polish = false;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
    f = in_the_middle();
    f.idle = 3;
    f.wants_bounds = false; /* without bounds there is nothing to gain */
    assert_true(expect(f, GPIS_PHASE_END).stalled);
    f.idle = 2;
    expect(f, GPIS_PHASE_ROUND);
}

static void ends(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.ended = true;
    assert_false(expect(f, GPIS_PHASE_END).stalled);
    f.solved = true;
    expect(f, GPIS_PHASE_END);
    f.extended = true;
    expect(f, GPIS_PHASE_POLISH);
    f.exhausted = true;
    expect(f, GPIS_PHASE_END);
    f.exhausted = false;
    f.can_polish = false;
    expect(f, GPIS_PHASE_END);
    f.can_polish = true;
    f.solved = false;
    expect(f, GPIS_PHASE_END);
}

/* ---- any facts ---- */

/* Where every x is allowed the answer is refined in double precision too, and after the last pass: a step that is not
 * measured needs none. */
static void refines(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.can_refine = true;
    expect(f, GPIS_PHASE_ROUND);
    f.ended = true;
    expect(f, GPIS_PHASE_END); /* at a limit, not at the tolerance */
    f.solved = true;
    expect(f, GPIS_PHASE_POLISH);
    f.exhausted = true;
    expect(f, GPIS_PHASE_POLISH);
    f.can_polish = false;
    expect(f, GPIS_PHASE_END);
    f = in_the_middle();
    f.can_refine = true;
    f.model = GPIS_MODEL_GRAM;
    f.can_extend = false;
    f.idle = 3;
    expect(f, GPIS_PHASE_POLISH);
    f.can_polish = false;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
}

/* Where the Gram matrix is nearly singular, two rounds in double are enough to see that a summary is needed, elsewhere
 * as many as its price allows; a sketch is given longer. It is also the last resort of any run. */
static void a_summary_finishes(void **state) {
    (void)state;
    gpis_facts f = in_the_middle();
    f.model = GPIS_MODEL_GRAM;
    f.flat = f.can_finish = true;
    f.rounds = 1;
    expect(f, GPIS_PHASE_ROUND);
    f.rounds = 2;
    expect(f, GPIS_PHASE_FINISH);
    f.wants_bounds = false;
    expect(f, GPIS_PHASE_ROUND);
    f.wants_bounds = true;
    f.can_finish = false;
    expect(f, GPIS_PHASE_ROUND);
    f = in_the_middle();
    f.model = GPIS_MODEL_GRAM;
    f.can_finish = true;
    f.rounds = 7;
    expect(f, GPIS_PHASE_ROUND);
    f.rounds = 8;
    expect(f, GPIS_PHASE_FINISH);
    f.on_face = true;
    expect(f, GPIS_PHASE_ROUND);
    f = in_the_middle();
    f.model = GPIS_MODEL_SKETCH;
    f.rounds = 8;
    f.can_finish = true;
    expect(f, GPIS_PHASE_ROUND);
    f.flat_sketch = f.can_finish = true;
    f.rounds = 2;
    expect(f, GPIS_PHASE_ROUND);
    f.rounds = 12;
    expect(f, GPIS_PHASE_FINISH);
    f = in_the_middle();
    f.model = GPIS_MODEL_GRAM;
    f.can_finish = true;
    f.can_extend = false;
    f.idle = 3;
    expect(f, GPIS_PHASE_FINISH);
    f.can_finish = f.can_polish = false;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
}

/* Points come from the summary until it does not know the best one well enough; a limit of passes does not matter. */
static void a_summary_serves(void **state) {
    (void)state;
    gpis_facts f = {.wants_bounds = true, .one_pass = true};
    assert_false(expect(f, GPIS_PHASE_START).gram);
    f.summarises = true;
    assert_true(expect(f, GPIS_PHASE_START).gram);
    f = in_the_middle();
    f.model = GPIS_MODEL_GRAM;
    f.by_summary = f.exhausted = true;
    expect(f, GPIS_PHASE_ROUND);
    f.sharp = f.hull_tried = false;
    expect(f, GPIS_PHASE_HULL);
    f.sharp = true;
    f.needs_rows = true;
    expect(f, GPIS_PHASE_ROUND);
    f.exhausted = false;
    expect(f, GPIS_PHASE_ROWS);
    f.needs_rows = false;
    f.can_finish = true;
    f.rounds = f.finish_after;
    expect(f, GPIS_PHASE_ROWS); /* the finish begins at a point that a pass has measured */
    f.by_summary = false;
    expect(f, GPIS_PHASE_FINISH);
    f.by_summary = true;
    f.can_finish = false;
    f.rounds = 0;
    f.idle = f.patience;
    expect(f, GPIS_PHASE_ROWS);
    f.exhausted = true;
    f.can_polish = false;
    assert_true(expect(f, GPIS_PHASE_END).stalled);
    f.slow = f.slow_limit;
    f.has_lost_digits = true;
    f.idle = 0;
    assert_false(expect(f, GPIS_PHASE_ROUND).sketch);
    f.ended = f.solved = true;
    f.rough = true; /* the answer is measured by a pass, if one is left, after it has been polished for nothing */
    expect(f, GPIS_PHASE_END);
    f.exhausted = false;
    expect(f, GPIS_PHASE_ROWS);
    f.can_polish = f.worth_polish = true;
    expect(f, GPIS_PHASE_POLISH);
    f.solved = f.can_polish = false;
    expect(f, GPIS_PHASE_END);
}

static gpis_facts random_facts(uint64_t seed) {
    gpis_bits b = gpis_random_bits(seed, 0, 0);
    const uint32_t one = b.v[0], two = b.v[1], three = b.v[2];
    enum { BIT = 1 };
    return (gpis_facts){.ended = one % 8 == 0,
                        .solved = one >> 3 & BIT,
                        .exhausted = one >> 4 & BIT,
                        .wants_bounds = one >> 5 & BIT,
                        .wants_proof = one >> 6 & BIT,
                        .started = one >> 7 & 3,
                        .given_start = one >> 9 & BIT,
                        .one_pass = one >> 10 & BIT,
                        .sharp = one >> 11 & BIT,
                        .hull_tried = one >> 12 & BIT,
                        .model = (gpis_model_kind)((one >> 13) % 3),
                        .begins_with_sketch = one >> 16 & BIT,
                        .gram_tried = one >> 17 & BIT,
                        .gram_fits = one >> 18 & BIT,
                        .gram_is_cheaper = one >> 19 & BIT,
                        .can_average = one >> 20 & BIT,
                        .has_lost_digits = one >> 21 & BIT,
                        .extended = one >> 22 & BIT,
                        .noise_in_the_way = one >> 23 & BIT,
                        .can_extend = one >> 24 & BIT,
                        .expects_face = one >> 25 & BIT,
                        .on_face = one >> 26 & BIT,
                        .probes_useful = one >> 27 & BIT,
                        .probes_young = one >> 28 & BIT,
                        .can_polish = one >> 29 & BIT,
                        .flat = three >> 16 & BIT,
                        .flat_sketch = three >> 17 & BIT,
                        .can_finish = three >> 18 & BIT,
                        .summarises = three >> 19 & BIT,
                        .by_summary = three >> 20 & BIT,
                        .needs_rows = three >> 20 & three >> 21 & BIT,
                        .rough = three >> 22 & BIT,
                        .slow = (int)(two % 6),
                        .slow_limit = 3,
                        .rounds = (int)(two >> 8) % 40,
                        .rounds_limit = 24,
                        .finish_after = (int)(two >> 20) % 40,
                        .idle = (int)(three % 6),
                        .patience = 3};
}

static void whatever_the_facts_are(void **state) {
    (void)state;
    int seen[GPIS_PHASE_END + 1] = {0};
    for (uint64_t seed = 0; seed < 200000; seed++) {
        const gpis_facts f = random_facts(seed);
        const gpis_action a = gpis_decide(&f);
        const bool reads = a.phase != GPIS_PHASE_END && a.phase != GPIS_PHASE_LEAVE_FACE;
        seen[a.phase]++;
        const bool reopened = f.ended && f.solved && f.by_summary && f.rough && !f.exhausted;
        if (f.ended && !reopened) assert_true(a.phase == GPIS_PHASE_END || a.phase == GPIS_PHASE_POLISH);
        if (reopened) assert_true(a.phase == GPIS_PHASE_ROWS || a.phase == GPIS_PHASE_POLISH);
        if (f.ended && f.exhausted && !f.by_summary) assert_false(reads);
        if (a.stalled) assert_true(a.phase == GPIS_PHASE_END && f.idle >= f.patience && f.started);
        if (!f.started && !f.ended) assert_true(a.phase == GPIS_PHASE_SKETCH || a.phase == GPIS_PHASE_START);
        if (a.phase == GPIS_PHASE_GRAM) assert_true(f.model == GPIS_MODEL_NONE || (!f.gram_tried && f.gram_fits));
        if (a.phase == GPIS_PHASE_LEAVE_FACE) assert_true(f.on_face);
        if (a.phase == GPIS_PHASE_POLISH) assert_true(f.extended && f.can_polish && (f.by_summary || !f.exhausted));
        if (a.phase == GPIS_PHASE_ROWS) assert_true(f.by_summary && !f.exhausted && (!f.ended || reopened));
        if (a.phase == GPIS_PHASE_FINISH) assert_true(f.can_finish && f.wants_bounds && !f.exhausted && !f.ended);
        if (a.phase == GPIS_PHASE_FINISH) assert_false(f.by_summary);
        if (a.phase == GPIS_PHASE_HULL) assert_true(!f.sharp && !f.hull_tried && (f.by_summary || !f.exhausted));
        if (a.gram || a.probes || a.sketch || a.look_for_face)
            assert_true(gpis_phase_measures(a.phase)); /* they ride */
        if (gpis_phase_measures(a.phase)) assert_true(gpis_phase_certifies(a.phase) && (!f.ended || reopened));
        if (gpis_phase_certifies(a.phase))
            assert_true((!f.ended && (f.started || a.phase == GPIS_PHASE_START)) || reopened);
        if (a.phase == GPIS_PHASE_GRAM || a.phase == GPIS_PHASE_LEAVE_FACE)
            assert_true(gpis_phase_certifies(a.phase)); /* with the model that is new, or is back */
        if (a.probes) assert_true(f.probes_useful && !f.expects_face);
        if (a.sketch)
            assert_true(f.model == GPIS_MODEL_SKETCH ? f.can_average || f.has_lost_digits : f.has_lost_digits);
        if (a.sketch) assert_true(!a.probes && !a.look_for_face);
        if (a.gram) assert_true(a.phase == GPIS_PHASE_START && f.model == GPIS_MODEL_NONE);
        if (a.look_for_face) assert_true(f.expects_face && !f.on_face && !a.give_up_on_face);
    }
    for (int phase = 0; phase <= GPIS_PHASE_END; phase++)
        if (!seen[phase]) fail_msg("phase %s was never reached", gpis_phase_text((gpis_phase)phase));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(beginnings),
                                       cmocka_unit_test(rounds),
                                       cmocka_unit_test(another_model),
                                       cmocka_unit_test(the_gram_matrix),
                                       cmocka_unit_test(measuring_again),
                                       cmocka_unit_test(last_resorts),
                                       cmocka_unit_test(ends),
                                       cmocka_unit_test(refines),
                                       cmocka_unit_test(a_summary_finishes),
                                       cmocka_unit_test(a_summary_serves),
                                       cmocka_unit_test(whatever_the_facts_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
