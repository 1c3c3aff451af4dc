/*
 * What rides along in a pass that measures a point: probes of the model, the Gram matrix of a face, another sketch. A
 * rider is a row of the table: whether it boards, what it asks of the pass, and what it does with the answer.
 */
#include "method/newton.h"

typedef struct rider {
    bool (*boards)(const gpis_newton *s, const gpis_action *action);
    gpis_status (*board)(gpis_newton *s, gpis_pass *pass);
    double (*cost)(const gpis_newton *s); /* in units of one gradient */
    gpis_status (*take)(gpis_newton *s, const gpis_pass *pass);
} rider;

/* ---- probes: A'A V for the last vector of each, from which they tell the c of a sketched model
 * -------------------------
 */

static bool probes_board(const gpis_newton *s, const gpis_action *action) { return action->probes && s->probes; }

static gpis_status board_probes(gpis_newton *s, gpis_pass *pass) {
    gpis_probes_directions(s->probes, s->V);
    pass->V = s->V;
    pass->probes = GPIS_PROBES;
    pass->AAV = s->AAV;
    return GPIS_OK;
}

static double cost_of_probes(const gpis_newton *s) { return (double)GPIS_PROBES / (double)s->run->problem->k; }

static gpis_status take_probes(gpis_newton *s, const gpis_pass *pass) {
    gpis_run *run = s->run;
    const gpis_load load = gpis_load_of(pass, run->problem->d);
    const gpis_status status =
        gpis_probes_absorb(s->probes, s->AAV, gpis_pass_roundings(run->problem->A, &load).gradient);
    if (status == GPIS_OK && gpis_model_covers(run->model, 1, run->norms2))
        run->model->c = gpis_probes_bound(s->probes);
    return status;
}

/* ---- the Gram matrix of a face whose columns were chosen before the pass
 * -----------------------------------------------
 */

static bool face_boards(const gpis_newton *s, const gpis_action *action) {
    (void)action;
    return s->face && !s->face->model;
}

static gpis_status board_face(gpis_newton *s, gpis_pass *pass) {
    pass->columns = s->face->columns;
    pass->count = s->face->count;
    pass->gram = s->face->H;
    return GPIS_OK;
}

static double cost_of_face(const gpis_newton *s) {
    return (double)s->face->count * (double)s->face->count / (4.0 * (double)s->run->problem->size);
}

static gpis_status take_face(gpis_newton *s, const gpis_pass *pass) {
    const gpis_load load = gpis_load_of(pass, s->run->problem->d);
    return gpis_on_face_take_gram(s->face, &load);
}

/* ---- another sketch, averaged into the model once it is there
 * ----------------------------------------------------------
 */

static bool sketch_boards(const gpis_newton *s, const gpis_action *action) { return action->sketch && !s->sampling; }

static gpis_status board_sketch(gpis_newton *s, gpis_pass *pass) {
    pass->sketch = s->sketch;
    s->run->sketches++;
    return gpis_sketch_restart(s->sketch, (uint64_t)s->models);
}

static double cost_of_sketch(const gpis_newton *s) {
    (void)s;
    return 0.0;
}

static gpis_status take_sketch(gpis_newton *s, const gpis_pass *pass) {
    (void)pass;
    return gpis_newton_add_to_model(s, NULL);
}

/* The sketch comes last: it replaces the model that the others speak of. */
static const rider riders[] = {
    {probes_board, board_probes, cost_of_probes, take_probes},
    {face_boards, board_face, cost_of_face, take_face},
    {sketch_boards, board_sketch, cost_of_sketch, take_sketch},
};
enum { RIDERS = sizeof riders / sizeof riders[0] };

gpis_status gpis_newton_board(gpis_newton *s, const gpis_action *action, gpis_pass *pass, double *gradients) {
    gpis_status status = GPIS_OK;
    for (int i = 0; i < RIDERS && status == GPIS_OK; i++) {
        if (!riders[i].boards(s, action)) continue;
        status = riders[i].board(s, pass);
        *gradients += riders[i].cost(s);
    }
    return status;
}

gpis_status gpis_newton_alight(gpis_newton *s, const gpis_action *action, const gpis_pass *pass) {
    gpis_status status = GPIS_OK;
    for (int i = 0; i < RIDERS && status == GPIS_OK; i++)
        if (riders[i].boards(s, action)) status = riders[i].take(s, pass);
    return status;
}
