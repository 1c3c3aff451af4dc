/* gpis bounds: the paper's propositions and theorems as numbers, and the sketch size they advise. */
#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct command {
    gpis_bounds_problem problem;
    int64_t sparsity;    /* 0: not given */
    double width, theta; /* negative: not given */
    double delta;        /* chance that one round fails, where theta is not given; negative: not given */
    bool json;
    bool tol_given, cost_given;
} command;

/* What is reported. */
typedef struct findings {
    gpis_bounds bounds;
    double proven_width;        /* of A C, for any A of this L/mu */
    gpis_work here[2], best[2]; /* of GPIS and Acc-GPIS, at the given m and at the best; with n alone */
} findings;

static const char *const method_name[2] = {"gpis", "acc-gpis"};

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum {
    KEY_M = 256,
    KEY_N,
    KEY_D,
    KEY_COND,
    KEY_SPARSITY,
    KEY_WIDTH,
    KEY_THETA,
    KEY_DELTA,
    KEY_DIRECT,
    KEY_INNER,
    KEY_GAMMA_U,
    KEY_TOL,
    KEY_SKETCH_COST,
    KEY_JSON
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "Problem:", 1},
    {"m", KEY_M, "ROWS", 0, "rows of the sketch (with --n may be left out: the m advised to acc-gpis)", 1},
    {"d", KEY_D, "COLUMNS", 0, "columns of A", 1},
    {"cond", KEY_COND, "RATIO", 0, "L/mu, ratio of the extreme eigenvalues of A'A; inf: mu = 0", 1},
    {"n", KEY_N, "ROWS", 0, "rows of A; with it, work is predicted and an m is advised", 1},
    {"sparsity", KEY_SPARSITY, "S", 0, "x* has S nonzeros and lies on an l1 ball", 1},
    {"width", KEY_WIDTH, "W", 0, "Gaussian width of the cone at x* (default sqrt(d): any set)", 1},
    {0, 0, 0, 0, "Certainty:", 2},
    {"theta", KEY_THETA, "T", 0, "deviation in the bounds", 2},
    {"delta", KEY_DELTA, "P", 0, "take the theta for which a round fails with probability P (default 0.01)", 2},
    {"direct", KEY_DIRECT, 0, 0, "rates from the direct bound on rho instead of Proposition 2", 2},
    {0, 0, 0, 0, "Iteration:", 3},
    {"inner", KEY_INNER, "K", 0, "inner iterations a round (default: exact in the rates, the best in the work)", 3},
    {"gamma-u", KEY_GAMMA_U, "G", 0, "line search that shrinks steps by G (default 1: fixed steps)", 3},
    {"tol", KEY_TOL, "T", 0, "reduce ||A(x - x*)|| to T of its first value (default 1e-5: f to about 1e-10)", 3},
    {"sketch-cost", KEY_SKETCH_COST, "E", 0, "a sketch in epochs (default 0.25: the count sketch)", 3},
    {0, 0, 0, 0, "Output:", 4},
    {"json", KEY_JSON, 0, 0, "print one JSON object instead of the table", 4},
    {0},
};

static const char doc[] =
    "The bounds of the GPIS paper for Gaussian sketches: Propositions 1-3, Theorems 1-3 in their corrected form, and "
    "the sketch size m that makes the predicted work least."
    "\vBounds that say nothing are shown as vacuous (null in JSON). The theory is conservative: it shows how things "
    "scale, not how fast a solve will be.\n"
    "\n"
    "Example: gpis bounds --m 4000 --d 100 --cond 1e4 --n 1000000 --sparsity 10";

static error_t finish(const command *c, const struct argp_state *state) {
    const gpis_bounds_problem *p = &c->problem;
    if (p->d == 0) return cli_usage(state, "bounds needs --d COLUMNS");
    if (p->cond == 0) return cli_usage(state, "bounds needs --cond RATIO");
    if (p->m == 0 && p->n == 0) return cli_usage(state, "bounds needs --m ROWS, or --n ROWS to advise an m");
    if (p->n > 0 && p->n < p->d) return cli_usage(state, "A needs at least as many rows as columns");
    if (p->n > 0 && p->m > p->n) return cli_usage(state, "a sketch of more rows than A (--m above --n) saves nothing");
    if (c->sparsity > 0 && c->width >= 0) return cli_usage(state, "--sparsity and --width both tell the width");
    if (c->theta >= 0 && c->delta >= 0) return cli_usage(state, "--theta and --delta both tell the deviation");
    if (c->sparsity > p->d) return cli_usage(state, "--sparsity is at most --d");
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    const int64_t most = 1000000000000;
    command *c = state->input;
    gpis_bounds_problem *p = &c->problem;
    switch (key) {
    case KEY_M: return cli_integer(state, "m", arg, 1, most, &p->m);
    case KEY_N: return cli_integer(state, "n", arg, 1, most, &p->n);
    case KEY_D: return cli_integer(state, "d", arg, 1, most, &p->d);
    case KEY_COND:
        p->cond = INFINITY;
        return strcmp(arg, "inf") == 0 ? 0 : cli_number(state, "cond", arg, 1, 1e300, &p->cond);
    case KEY_SPARSITY: return cli_integer(state, "sparsity", arg, 1, most, &c->sparsity);
    case KEY_WIDTH: return cli_number(state, "width", arg, 0, 1e6, &c->width);
    case KEY_THETA: return cli_number(state, "theta", arg, 0, 1e6, &c->theta);
    case KEY_DELTA: return cli_number(state, "delta", arg, 1e-300, 0.999, &c->delta);
    case KEY_DIRECT: p->direct = 1; return 0;
    case KEY_INNER: return cli_integer(state, "inner", arg, 1, most, &p->inner);
    case KEY_GAMMA_U: return cli_number(state, "gamma-u", arg, 1, 1e6, &p->gamma_u);
    case KEY_TOL: c->tol_given = true; return cli_number(state, "tol", arg, 1e-300, 0.999, &p->tol);
    case KEY_SKETCH_COST: c->cost_given = true; return cli_number(state, "sketch-cost", arg, 0, 1e12, &p->sketch_cost);
    case KEY_JSON: c->json = true; return 0;
    case ARGP_KEY_ARG: return cli_usage(state, "bounds takes no files; '%s' is one too many", arg);
    case ARGP_KEY_END: return finish(c, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the numbers ------------------------------------------------------------------------------------------------- */

static gpis_status find(gpis_context *context, command *c, findings *f) {
    gpis_bounds_problem *p = &c->problem;
    gpis_status status = GPIS_OK;
    if (c->width >= 0) p->width = c->width;
    if (c->sparsity > 0) status = gpis_bounds_width_l1(context, p->d, c->sparsity, &p->width);
    if (c->theta >= 0)
        p->theta = c->theta;
    else if (status == GPIS_OK)
        status = gpis_bounds_theta(context, c->delta >= 0 ? c->delta : 0.01, p->direct, &p->theta);
    for (int a = 0; a < 2 && status == GPIS_OK && p->n > 0; a++)
        status = gpis_bounds_advise(context, p, a, &f->best[a]);
    if (p->m == 0) p->m = f->best[1].m > 0 ? f->best[1].m : p->n;
    for (int a = 0; a < 2 && status == GPIS_OK && p->n > 0; a++) status = gpis_bounds_work(context, p, a, &f->here[a]);
    if (status == GPIS_OK) status = gpis_bounds_compute(context, p, &f->bounds);
    f->proven_width = fmin(sqrt((double)p->d), sqrt(p->cond) * f->bounds.width);
    return status;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void print_probability(double probability) {
    if (probability <= 0)
        puts("  0: no promise, theta is too small");
    else if (probability < 0.9995)
        printf("  %.3f\n", probability);
    else
        printf("  1 - %.1e\n", 1 - probability);
}

/* `vacuous`: why there is no bound, or NULL. */
static void print_bound(const char *name, const char *origin, double bound, const char *vacuous, double probability) {
    printf("  %-16s %-28s ", name, origin);
    if (vacuous) {
        printf("vacuous: %s\n", vacuous);
        return;
    }
    printf("%-12.6g", bound);
    print_probability(probability);
}

static void print_rate(const char *name, const char *origin, double rate, const char *note) {
    printf("  %-16s %-28s ", name, origin);
    if (isfinite(rate))
        printf("%-10.6g  %s\n", rate, note);
    else
        puts("vacuous");
}

static void print_bounds(const command *c, const findings *f) {
    const gpis_bounds_problem *p = &c->problem;
    const gpis_bounds *b = &f->bounds;
    const char *rising = "no contraction is promised", *small = "m is too small";
    const char *flat = isinf(p->cond) ? "mu = 0, nothing contracts" : small;
    printf("Gaussian sketch of %lld rows, d = %lld, L/mu = %g, W = %.4g, theta = %.4g\n", (long long)p->m,
           (long long)p->d, p->cond, b->width, p->theta);
    if (f->proven_width > b->width * (1 + 1e-12))
        printf("W is that of the cone itself; for an A of this L/mu only W <= %.4g is proven.\n", f->proven_width);
    puts("\n  bound                                         value         holds with probability");
    print_bound("1 - alpha", "an inner iteration, Prop. 1", b->alpha_gap, b->alpha_gap <= 0 ? flat : NULL,
                b->alpha_probability);
    print_bound("rho", "a round, Proposition 2", b->rho, isinf(b->rho) ? small : NULL, b->rho_probability);
    print_bound("rho, direct", "a round, direct", b->rho_direct, isinf(b->rho_direct) ? small : NULL,
                b->rho_direct_probability);
    print_bound("sigma", "distortion, Proposition 3", b->sigma, isinf(b->sigma) ? small : NULL, b->sigma_probability);
    if (p->inner > 0)
        printf("\n  Rates with %lld inner iterations a round, rho ", (long long)p->inner);
    else
        printf("\n  Rates with inner problems solved exactly, rho ");
    printf("%s, probability", p->direct ? "direct" : "of Proposition 2");
    print_probability(b->probability);
    print_rate("gpis", "round factor, Theorem 1", b->round_gpis, b->round_gpis < 1 ? "of ||A(x - x*)||" : rising);
    print_rate("acc-gpis", "round factor, Theorem 3", b->round_acc, b->round_acc < 1 ? "of ||A(x - x*)||" : rising);
    if (p->inner == 0) return; /* no floor then */
    print_rate("gpis", "error floor, Theorem 2", b->floor_gpis, "sqrt(L R)");
    print_rate("acc-gpis", "error floor, Theorem 3", b->floor_acc, "sqrt(L R)");
}

static void print_work(const char *name, const char *where, const gpis_work *w) {
    printf("  %-10s %-9s ", name, where);
    if (w->rounds == 0) {
        puts("nothing is promised");
        return;
    }
    printf("%10lld %7lld %12lld  %-11.4g %.4f", (long long)w->m, (long long)w->rounds, (long long)w->inner, w->epochs,
           w->contraction);
    print_probability(w->probability);
}

static void print_table(const command *c, const findings *f) {
    print_bounds(c, f);
    if (c->problem.n == 0) return;
    printf("\n  Work to reduce the error to %g of its first value, n = %lld\n", c->problem.tol,
           (long long)c->problem.n);
    puts("  method                        m  rounds  inner/round  epochs      factor  all rounds hold with");
    for (int a = 0; a < 2; a++) {
        print_work(method_name[a], "this m", &f->here[a]);
        print_work(method_name[a], "best m", &f->best[a]);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *work_object(const gpis_work *w) {
    if (w->rounds == 0) return json_null();
    return json_pack("{sI sI sI so so so}", "m", (json_int_t)w->m, "rounds", (json_int_t)w->rounds, "inner",
                     (json_int_t)w->inner, "epochs", cli_json_number(w->epochs), "contraction",
                     cli_json_number(w->contraction), "probability", cli_json_number(w->probability));
}

static int print_json(const command *c, const findings *f) {
    const gpis_bounds_problem *p = &c->problem;
    const gpis_bounds *b = &f->bounds;
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"cond", p->cond},
        {"theta", p->theta},
        {"gamma_u", p->gamma_u},
        {"tol", p->tol},
        {"sketch_cost", p->sketch_cost},
        {"b", b->b},
        {"width", b->width},
        {"proven_width", f->proven_width},
        {"step", b->step},
        {"alpha", b->alpha_gap > 0 ? b->alpha : INFINITY},
        {"alpha_gap", b->alpha_gap},
        {"alpha_probability", b->alpha_probability},
        {"rho", b->rho},
        {"rho_probability", b->rho_probability},
        {"rho_direct", b->rho_direct},
        {"rho_direct_probability", b->rho_direct_probability},
        {"sigma", b->sigma},
        {"sigma_probability", b->sigma_probability},
        {"round_gpis", b->round_gpis},
        {"round_acc", b->round_acc},
        {"floor_gpis", b->floor_gpis},
        {"floor_acc", b->floor_acc},
        {"probability", b->probability},
    };
    json_t *o = json_pack("{sI sI sI}", "m", (json_int_t)p->m, "d", (json_int_t)p->d, "inner", (json_int_t)p->inner);
    if (p->n > 0) json_object_set_new(o, "n", json_integer(p->n));
    json_object_set_new(o, "rates_use", json_string(p->direct ? "rho_direct" : "rho"));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(o, numbers[i].key, cli_json_number(numbers[i].value));
    if (p->n > 0) {
        json_object_set_new(
            o, "work",
            json_pack("{so so}", method_name[0], work_object(&f->here[0]), method_name[1], work_object(&f->here[1])));
        json_object_set_new(
            o, "advice",
            json_pack("{so so}", method_name[0], work_object(&f->best[0]), method_name[1], work_object(&f->best[1])));
    }
    return cli_print_json(o);
}

/* Without the rows of A no work is predicted. */
static void tell_ignored(const command *c) {
    if (c->problem.n > 0 || !(c->tol_given || c->cost_given)) return;
    const bool both = c->tol_given && c->cost_given;
    cli_fail(0, "note: %s%s%s %s ignored: without --n no work is predicted", c->tol_given ? "--tol" : "",
             both ? ", " : "", c->cost_given ? "--sketch-cost" : "", both ? "are" : "is");
}

int cli_bounds(int argc, char **argv) {
    static const struct argp argp = {option_table, parse_option, "", doc, NULL, NULL, NULL};
    command c = {.problem = gpis_bounds_default(), .width = -1, .theta = -1, .delta = -1};
    findings f = {0};
    c.problem.cond = 0; /* so that a missing --cond is seen */
    if (!cli_parse(&argp, argc, argv, &c)) return CLI_BAD_INPUT;
    tell_ignored(&c);

    gpis_context *context = NULL;
    int code = 0;
    gpis_status status = gpis_context_create(&context);
    if (status == GPIS_OK) status = find(context, &c, &f);
    if (status != GPIS_OK)
        code = cli_fail_status(context, status);
    else if (c.json)
        code = print_json(&c, &f);
    else
        print_table(&c, &f);
    gpis_context_destroy(context);
    return code;
}
