/*
 * What rides along in a pass that measures a point: the Gram matrix, probes of the model, the Gram matrix of a face,
 * another sketch, and the first-order bound and the test of the prediction, which need no more than the gradient. A
 * rider is a row of the table: whether it boards, what it asks of the pass, and what it does with the result.
 */
#include "method/certify.h"
#include "method/newton.h"

typedef struct rider {
    bool (*boards)(const gpis_newton *s, const gpis_action *action);
    gpis_status (*board)(gpis_newton *s, gpis_pass *pass); /* NULL: the gradient is enough */
    double (*cost)(const gpis_newton *s);                  /* in units of one gradient; NULL: counted elsewhere, or 0 */
    gpis_status (*take)(gpis_newton *s, const gpis_pass *pass);
} rider;

static bool always(const gpis_newton *s, const gpis_action *action) {
    (void)s, (void)action;
    return true;
}

/* ---- the first-order bound: near the end all objectives are alike, and the best point of the hull need not be the one
 * whose gradient gives the best bound ---- */

static gpis_status take_first_order(gpis_newton *s, const gpis_pass *pass) {
    (void)pass;
    return gpis_run_certify_first(s->run, &s->point);
}

/* ---- the test of the gradient that the model predicted ---- */

static bool prediction_boards(const gpis_newton *s, const gpis_action *action) {
    (void)action;
    return s->expects_face && !s->face;
}

static gpis_status take_prediction(gpis_newton *s, const gpis_pass *pass) {
    (void)pass;
    gpis_newton_compare(s);
    return GPIS_OK;
}

/* ---- the Gram matrix of all columns ---- */

static bool gram_boards(const gpis_newton *s, const gpis_action *action) { return action->gram && !s->summarises; }

static gpis_status board_gram(gpis_newton *s, gpis_pass *pass) {
    const int64_t d = s->run->problem->d;
    s->gram_tried = true;
    s->gram = gpis_alloc(s->run->context, d * d, sizeof *s->gram);
    pass->gram = s->gram;
    return s->gram ? GPIS_OK : GPIS_NO_MEMORY;
}

static double cost_of_gram(const gpis_newton *s) { return (double)s->run->problem->d / 4.0; }

static gpis_status take_gram(gpis_newton *s, const gpis_pass *pass) {
    const gpis_problem *p = s->run->problem;
    const gpis_load load = gpis_run_load(p, pass);
    s->gram = NULL; /* the model owns it from now on */
    return gpis_run_take_model(s->run, pass->gram, gpis_pass_roundings(p->A, &load).gram, NULL);
}

/* ---- probes: A'A V for the last vector of each, from which they find the c of a sketched model ---- */

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
    const gpis_problem *p = s->run->problem;
    gpis_curvature *curvature = &s->run->curvature;
    const gpis_load load = gpis_run_load(p, pass);
    const gpis_status status = gpis_probes_absorb(s->probes, s->AAV, gpis_pass_roundings(p->A, &load).products);
    if (status == GPIS_OK && gpis_model_covers(curvature->model, 1, curvature->norms2))
        gpis_curvature_set_c(curvature, gpis_probes_bound(s->probes));
    return status;
}

/* ---- the Gram matrix of a face, whose columns were chosen before the pass ---- */

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
    const gpis_load load = gpis_run_load(s->run->problem, pass);
    return gpis_on_face_take_gram(s->face, &load);
}

/* ---- another sketch, averaged into the model when it has been made ---- */

static bool sketch_boards(const gpis_newton *s, const gpis_action *action) { return action->sketch && !s->sampling; }

static gpis_status board_sketch(gpis_newton *s, gpis_pass *pass) {
    pass->sketch = s->sketch;
    gpis_account_enter_sketch(&s->run->account);
    return gpis_sketch_restart(s->sketch, (uint64_t)s->models);
}

static gpis_status take_sketch(gpis_newton *s, const gpis_pass *pass) {
    bool on_A;
    (void)pass;
    return gpis_newton_add_to_model(s, NULL, &on_A);
}

/* The sketch comes last: it replaces the model that the others are about. */
static const rider riders[] = {
    {always, NULL, NULL, take_first_order},
    {prediction_boards, NULL, NULL, take_prediction},
    {gram_boards, board_gram, cost_of_gram, take_gram},
    {probes_board, board_probes, cost_of_probes, take_probes},
    {face_boards, board_face, cost_of_face, take_face},
    {sketch_boards, board_sketch, NULL, take_sketch},
};
enum { RIDERS = sizeof riders / sizeof riders[0] };

gpis_status gpis_newton_board(gpis_newton *s, const gpis_action *action, gpis_pass *pass, double *gradients) {
    gpis_status status = GPIS_OK;
    for (int i = 0; i < RIDERS && status == GPIS_OK; i++) {
        if (!riders[i].boards(s, action)) continue;
        if (riders[i].board) status = riders[i].board(s, pass);
        if (riders[i].cost) *gradients += riders[i].cost(s);
    }
    return status;
}

gpis_status gpis_newton_take(gpis_newton *s, const gpis_action *action, const gpis_pass *pass) {
    gpis_status status = GPIS_OK;
    for (int i = 0; i < RIDERS && status == GPIS_OK; i++)
        if (riders[i].boards(s, action)) status = riders[i].take(s, pass);
    return status;
}
