/* gpis gen: makes one of the paper's problems and writes it as files, with problem.json to tell what they are. */
#include <cblas.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

/* The paper does not give the condition number of syn4; it is made like syn1. */
static const gen_recipe recipes[] = {
    {"syn1", GEN_SPARSE, {100000, 100, -1, 10, 1e7, 0.1}, 800},
    {"syn2", GEN_DICTIONARY, {100000, 100, -1, 10, 1e7, 0.1}, 800},
    {"syn3", GEN_LOW_RANK, {50000, 100, 100, 5, 1e4, 0.1}, 400},
    {"syn4", GEN_SPARSE, {20000, 100, -1, 10, 1e7, 0.1}, 0},
    {"large", GEN_LARGE, {1000000, 1000, -1, 50, 1e4, 0.1}, 0},
    {"magic04", GEN_MAGIC04, {19020, 50, -1, -1, -1, -1}, 475},
    {"year", GEN_YEAR, {515345, -1, -1, -1, -1, -1}, 1000},
};

const gen_recipe *gen_find_recipe(const char *name) {
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        if (strcmp(name, recipes[i].name) == 0) return &recipes[i];
    return NULL;
}

int gen_make(const gen_options *o, gen_problem *p) {
    switch (o->form) {
    case GEN_LARGE: return gen_large(o, p);
    case GEN_MAGIC04: return gen_magic04(o, p);
    case GEN_YEAR: return gen_year(o, p);
    default: return gen_synthetic(o, p);
    }
}

typedef struct command {
    const gen_recipe *recipe;
    gen_options options; /* numbers negative until given */
    const char *out;
    int64_t threads;
    bool json, quiet;
} command;

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum {
    KEY_OUT = 256,
    KEY_N,
    KEY_D,
    KEY_K,
    KEY_SPARSITY,
    KEY_COND,
    KEY_NOISE,
    KEY_SEED,
    KEY_LITERAL,
    KEY_SINGLE,
    KEY_DATA,
    KEY_THREADS,
    KEY_JSON,
    KEY_QUIET
};

static const struct argp_option option_table[] = {
    {"out", KEY_OUT, "DIR", 0, "write the files into this folder (made where it is missing)", 1},
    {"n", KEY_N, "ROWS", 0, "rows of A; of a real data set as many, spread evenly over it", 2},
    {"d", KEY_D, "COLUMNS", 0, "columns of A (magic04: 10 and the rest random)", 2},
    {"k", KEY_K, "RESPONSES", 0, "columns of y (syn3)", 2},
    {"sparsity", KEY_SPARSITY, "S", 0, "nonzeros of x_true; syn3: its rank", 2},
    {"cond", KEY_COND, "RATIO", 0, "largest over smallest eigenvalue of A'A", 2},
    {"noise", KEY_NOISE, "RATIO", 0, "||w|| / ||A x_true|| (default 0.1)", 2},
    {"seed", KEY_SEED, "N", 0, "seed of the random numbers (default 0)", 2},
    {"literal-recipe", KEY_LITERAL, 0, 0, "singular values by the printed formula, which squares RATIO", 2},
    {"float32", KEY_SINGLE, 0, 0, "A in single precision (large)", 2},
    {"data", KEY_DATA, "FILE", 0,
     "magic04: magic04.data (default: the one that comes with gpis); year: the UCI text, plain or .gz (default: a "
     "stand-in, drawn like a real sample)",
     2},
    {"threads", KEY_THREADS, "N", 0, "threads (default 0: all); the files do not depend on it", 3},
    {"json", KEY_JSON, 0, 0, "print the content of problem.json", 3},
    {"quiet", KEY_QUIET, 0, 0, "print nothing", 3},
    {0},
};

static const char doc[] =
    "Make one of the paper's problems: syn1, syn2, syn3, syn4, magic04 or year; or large, one that may be larger than "
    "memory."
    "\vWrites A.npy, y.npy and problem.json, which names the set to solve it with; also x_true.npy (syn*, large), "
    "U.npy "
    "(syn2), features.csv with header and columns.txt (magic04). Files named in problem.json lie beside it.\n"
    "\n"
    "Example: gpis gen syn1 --n 20000 --out syn1";

/* Refuses an option that the recipe has no use for; negative means "not given" and "no such option". */
static error_t accept(const struct argp_state *state, const command *c, const char *option, double given,
                      double usual) {
    if (given >= 0 && usual < 0) return cli_usage(state, "%s has no option --%s", c->recipe->name, option);
    return 0;
}

static error_t finish(command *c, const struct argp_state *state) {
    if (!c->recipe) return cli_usage(state, "gen needs the name of a problem");
    if (!c->out) return cli_usage(state, "gen needs --out DIR");
    const gen_numbers *usual = &c->recipe->numbers;
    gen_numbers *own = &c->options.numbers;
    error_t error = accept(state, c, "n", (double)own->n, (double)usual->n);
    if (!error) error = accept(state, c, "d", (double)own->d, (double)usual->d);
    if (!error) error = accept(state, c, "k", (double)own->k, (double)usual->k);
    if (!error) error = accept(state, c, "sparsity", (double)own->sparsity, (double)usual->sparsity);
    if (!error) error = accept(state, c, "cond", own->cond, usual->cond);
    if (!error) error = accept(state, c, "noise", own->noise, usual->noise);
    const bool by_spectrum = c->recipe->form < GEN_LARGE, large = c->recipe->form == GEN_LARGE;
    if (!error) error = accept(state, c, "literal-recipe", c->options.literal ? 1 : -1, by_spectrum ? 1 : -1);
    if (!error) error = accept(state, c, "float32", c->options.single ? 1 : -1, large ? 1 : -1);
    if (!error) error = accept(state, c, "data", c->options.data ? 1 : -1, c->recipe->form >= GEN_MAGIC04 ? 1 : -1);
    if (own->n < 0) own->n = usual->n;
    if (own->d < 0) own->d = usual->d;
    if (own->k < 0) own->k = usual->k;
    if (own->sparsity < 0) own->sparsity = usual->sparsity;
    if (own->cond < 0) own->cond = usual->cond;
    if (own->noise < 0) own->noise = usual->noise;
    c->options.form = c->recipe->form;
    c->options.folder = c->out;
    return error;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    command *c = state->input;
    gen_numbers *numbers = &c->options.numbers;
    int64_t seed = 0;
    error_t error = 0;
    switch (key) {
    case KEY_OUT: c->out = arg; return 0;
    case KEY_N: return cli_integer(state, "n", arg, 1, 1000000000000, &numbers->n);
    case KEY_D: return cli_integer(state, "d", arg, 1, 40000, &numbers->d);
    case KEY_K: return cli_integer(state, "k", arg, 1, 40000, &numbers->k);
    case KEY_SPARSITY: return cli_integer(state, "sparsity", arg, 1, 40000, &numbers->sparsity);
    case KEY_COND: return cli_number(state, "cond", arg, 1, 1e30, &numbers->cond);
    case KEY_NOISE: return cli_number(state, "noise", arg, 0, 1e6, &numbers->noise);
    case KEY_SEED:
        error = cli_integer(state, "seed", arg, 0, INT64_MAX, &seed);
        c->options.seed = (uint64_t)seed;
        return error;
    case KEY_LITERAL: c->options.literal = true; return 0;
    case KEY_SINGLE: c->options.single = true; return 0;
    case KEY_DATA: c->options.data = arg; return 0;
    case KEY_THREADS: return cli_integer(state, "threads", arg, 0, 4096, &c->threads);
    case KEY_JSON: c->json = true; return 0;
    case KEY_QUIET: c->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (c->recipe) return cli_usage(state, "gen makes one problem at a time; '%s' is one too many", arg);
        c->recipe = gen_find_recipe(arg);
        if (c->recipe) return 0;
        return cli_usage(state, "unknown problem '%s'; there are syn1, syn2, syn3, syn4, large, magic04 and year", arg);
    case ARGP_KEY_END: return finish(c, state);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

void gen_set_spec(const gen_problem *p, const char *u_path, char *spec, size_t size) {
    const cli_number_text radius = cli_shortest_number(p->radius);
    if (strcmp(p->set, "none") == 0)
        snprintf(spec, size, "none");
    else
        snprintf(spec, size, "%s:%s%s%s", p->set, radius.text, p->U ? "@" : "", p->U ? u_path : "");
}

/* What problem.json holds. */
static json_t *describe(const command *c, const gen_problem *p) {
    const gen_numbers *numbers = &c->options.numbers;
    char set[64];
    gen_set_spec(p, "U.npy", set, sizeof set);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(c->recipe->name));
    json_object_set_new(o, "rows", json_integer(p->n));
    json_object_set_new(o, "cols", json_integer(p->d));
    json_object_set_new(o, "responses", json_integer(p->k));
    json_object_set_new(o, "seed", json_integer((json_int_t)c->options.seed));
    json_object_set_new(o, "set", json_string(set));
    json_object_set_new(o, "A", json_string("A.npy"));
    json_object_set_new(o, "y", json_string("y.npy"));
    if (p->columns) {
        json_object_set_new(o, "features", json_string("features.csv"));
        json_object_set_new(o, "target", json_string(p->target));
    }
    if (p->U) json_object_set_new(o, "U", json_string("U.npy"));
    if (p->x_true) {
        json_object_set_new(o, "x_true", json_string("x_true.npy"));
        json_object_set_new(o, "x_true_objective", json_real(p->objective));
        json_object_set_new(o, "sparsity", json_integer(numbers->sparsity));
        json_object_set_new(o, "cond", json_real(numbers->cond));
        json_object_set_new(o, "noise", json_real(numbers->noise));
        json_object_set_new(o, "literal_recipe", json_boolean(c->options.literal));
    }
    if (c->recipe->form == GEN_YEAR) json_object_set_new(o, "stand_in", json_boolean(p->stand_in));
    if (c->recipe->m > 0) json_object_set_new(o, "m", json_integer(c->recipe->m));
    return o;
}

/* A text with a name in it, as a shell takes it for one argument. */
static void print_argument(const char *format, const char *name) {
    char text[PATH_MAX + 128];
    snprintf(text, sizeof text, format, cli_printable(name).text);
    cli_write_word(stdout, text);
}

static void print_summary(const command *c, const gen_problem *p) {
    char set[PATH_MAX + 64], u_path[PATH_MAX];
    snprintf(u_path, sizeof u_path, "%s/U.npy", c->out);
    gen_set_spec(p, u_path, set, sizeof set);
    printf("%s%s: %lld x %lld", c->recipe->name, p->stand_in ? " (stand-in)" : "", (long long)p->n, (long long)p->d);
    if (p->k > 1) printf(", %lld responses", (long long)p->k);
    printf(", in %s\n", cli_printable(c->out).text);
    printf("solve it: gpis solve ");
    if (p->columns) {
        print_argument("%s/features.csv", c->out);
        printf(" --target %s", p->target);
    } else {
        print_argument("%s/A.npy", c->out);
        putchar(' ');
        print_argument("%s/y.npy", c->out);
    }
    printf(" --set ");
    print_argument("%s", set);
    putchar('\n');
}

void gen_problem_clear(gen_problem *p) {
    for (int64_t j = 0; p->columns && j < p->d; j++) free(p->columns[j]);
    free(p->columns);
    free(p->A);
    free(p->y);
    free(p->x_true);
    free(p->U);
    *p = (gen_problem){0};
}

int cli_gen(int argc, char **argv) {
    static const struct argp argp = {option_table, parse_option, "NAME", doc, NULL, NULL, NULL};
    command c = {.options = {.numbers = {-1, -1, -1, -1, -1, -1}}};
    if (!cli_parse(&argp, argc, argv, &c)) return CLI_BAD_INPUT;
    if (c.threads > 0) omp_set_num_threads((int)c.threads);
    openblas_set_num_threads(1); /* the threads are ours: gen_matrix.c */

    gen_problem p = {0};
    json_t *about = NULL;
    int code = gen_make_folder(c.out);
    if (code == 0) code = gen_make(&c.options, &p);
    if (code == 0) {
        about = describe(&c, &p);
        code = gen_write(c.out, &p, about);
    }
    if (code == 0 && c.json)
        code = cli_print_json(json_incref(about));
    else if (code == 0 && !c.quiet)
        print_summary(&c, &p);
    json_decref(about);
    gen_problem_clear(&p);
    return code;
}
