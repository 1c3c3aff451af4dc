/* gpis plan: what solve would do, what each way would cost, and why it takes the one it takes; solves nothing. */
#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct plan_options {
    cli_common common;
    const char *a, *y;
} plan_options;

static const char doc[] =
    "Show what solve would do with the same arguments: each candidate with its passes over A, arithmetic, memory and "
    "time as predicted for this machine, and the reason for the choice. Nothing is solved."
    "\vOf y, the plan depends on the number of columns only; without y, one column is assumed.\n"
    "\n"
    "The speed of the machine is measured the first time, which takes some tenths of a second, and kept in "
    "$XDG_CACHE_HOME/gpis or ~/.cache/gpis; remove the file there to have it measured again. Memory is what a solve "
    "takes besides A. In JSON a number that is not known is null.\n"
    "\n"
    "Example: gpis plan A.npy --set l1:3.5 --tol 1e-10";

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    plan_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->common;
        return 0;
    case ARGP_KEY_ARG: return cli_take_file(state, &o->common, arg, &o->a, &o->y);
    case ARGP_KEY_END:
        if (!o->a) return cli_usage(state, "plan needs the file of A");
        if (o->y && o->common.open.target)
            return cli_usage(state, "y is given twice: by the file %s and by --target", o->y);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *count_or_null(const gpis_plan_candidate *c, int64_t count) {
    return c->passes > 0 ? json_integer(count) : json_null();
}

static const char *sketch_or_null(const gpis_plan_candidate *c) { return c->sketch[0] ? c->sketch : NULL; }

static json_t *candidate_json(const gpis_plan_candidate *c) {
    return json_pack("{s:s, s:s?, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:s}", "method", c->method, "sketch",
                     sketch_or_null(c), "m", (json_int_t)c->m, "passes", count_or_null(c, c->passes), "sketches",
                     count_or_null(c, c->sketches), "flops", cli_json_number(c->flops), "memory",
                     cli_json_number(c->memory), "seconds", cli_json_number(c->seconds), "applicable", c->applicable,
                     "chosen", c->chosen, "reason", c->reason);
}

static int print_json(const cli_problem *p, const gpis_machine *machine, const gpis_plan *plan) {
    json_t *candidates = json_array();
    for (int64_t i = 0; i < plan->count; i++) json_array_append_new(candidates, candidate_json(plan->candidates[i]));
    const gpis_plan_candidate *chosen = plan->chosen;
    return cli_print_json(
        json_pack("{s:s, s:s, s:s?, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:i, s:{s:i, s:f, s:f, s:f, s:f}, s:o, s:s}",
                  "plan", plan->text, "method", chosen->method, "sketch", sketch_or_null(chosen), "m",
                  (json_int_t)chosen->m, "predicted_passes", count_or_null(chosen, chosen->passes), "predicted_seconds",
                  cli_json_number(chosen->seconds), "set", cli_json_text(gpis_set_spec(p->set)), "rows",
                  (json_int_t)p->shape.rows, "cols", (json_int_t)p->shape.cols, "responses", (json_int_t)p->k,
                  "threads", gpis_context_threads(p->context), "machine", "threads", machine->threads, "read_bytes",
                  machine->read_bytes, "gradient_bytes", machine->gradient_bytes, "syrk_flops", machine->syrk_flops,
                  "memory", machine->memory, "candidates", candidates, "version", gpis_version()));
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* "1.6 GB" in `text`. */
static const char *amount(double value, const char *unit, char text[32]) {
    static const char *const prefixes[] = {"", "K", "M", "G", "T", "P"};
    int i = 0;
    for (; value >= 999.5 && i < 5; i++) value /= 1000;
    snprintf(text, 32, i > 0 && value < 9.95 ? "%.1f %s%s" : "%.0f %s%s", value, prefixes[i], unit);
    return text;
}

/* Two digits; times too short to be distinguished look the same. */
static const char *duration(double seconds, char text[32]) {
    if (seconds < 0.01)
        snprintf(text, 32, "< 0.01 s");
    else
        snprintf(text, 32, seconds < 9.95 ? "%.2f s" : "%.0f s", seconds);
    return text;
}

/* rowless: the candidates work with a summary, and make no pass. */
static void print_candidate(const gpis_plan_candidate *c, bool rowless) {
    char name[48], memory[32], flops[32], time[32];
    if (c->m > 0)
        snprintf(name, sizeof name, "%s, %s of %lld rows", c->method,
                 strcmp(c->sketch, "sample") == 0 ? "sample" : "sketch", (long long)c->m);
    else
        snprintf(name, sizeof name,
                 strcmp(c->method, "newton") == 0 ? (rowless ? "%s, summary" : "%s, Gram matrix") : "%s", c->method);
    printf("%c %-32s", c->chosen ? '*' : ' ', name);
    if (c->passes > 0 || rowless)
        printf("%7lld %12s %8s %9s  ", (long long)c->passes, amount(c->flops, "flop", flops),
               amount(c->memory, "B", memory), duration(c->seconds, time));
    else
        printf("%7s %12s %8s %9s  ", "?", "?", "?", "?");
    puts(c->chosen ? "chosen" : c->reason);
}

static void print_table(const cli_problem *p, int64_t budget, const gpis_machine *machine, const char *origin,
                        const gpis_plan *plan) {
    char read[32], flops[32], memory[32];
    printf("problem       %lld rows, %lld columns, %s", (long long)p->shape.rows, (long long)p->shape.cols,
           p->shape.layout);
    if (p->k > 1) printf(", %lld responses", (long long)p->k);
    printf("\nset           %s\n", cli_printable(gpis_set_spec(p->set)).text);
    if (budget > 0) printf("memory        %s allowed, --memory\n", amount((double)budget, "B", memory));
    printf("machine       %d threads, reads %s/s, multiplies %s/s, %s to work in (%s)\n\n", machine->threads,
           amount(machine->read_bytes, "B", read), amount(machine->syrk_flops, "flop", flops),
           amount(machine->memory, "B", memory), origin);
    printf("  %-32s%7s %12s %8s %9s\n", "candidate", "passes", "arithmetic", "memory", "time");
    for (int64_t i = 0; i < plan->count; i++) print_candidate(plan->candidates[i], p->summary != NULL);
    printf("\nplan          %s\n", cli_printable(plan->text).text);
}

int cli_plan(int argc, char **argv) {
    const struct argp table = cli_table_argp(GPIS_OPTION_PROBLEM | GPIS_OPTION_OPEN | GPIS_OPTION_PLAN);
    const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {&table, 0, NULL, 0}, {0}};
    const struct argp argp = {NULL, parse_option, "A [y]", doc, children, NULL, NULL};
    plan_options o = {.common = cli_common_default()};
    o.common.without_y = true;
    if (!cli_parse(&argp, argc, argv, &o)) return CLI_BAD_INPUT;

    cli_problem p = {0};
    int code = cli_ranks_start(o.common.mpi);
    if (code == 0) code = cli_problem_open(&p, o.a, o.y, &o.common);
    cli_ranks_settled();
    if (code == 0 && cli_is_first()) {
        gpis_machine machine;
        gpis_plan *plan = NULL;
        const char *origin = cli_machine(true, cli_problem_room(&p, &o.common), &machine);
        o.common.settings.machine = &machine;
        const gpis_status status = gpis_plan_make(p.problem, &o.common.settings, &plan);
        if (status == GPIS_OK && !o.common.quiet) cli_report_ignored(&o.common, plan->chosen);
        if (status != GPIS_OK)
            code = cli_fail_status(p.context, status);
        else if (o.common.json)
            code = print_json(&p, &machine, plan);
        else if (!o.common.quiet)
            print_table(&p, o.common.settings.memory, &machine, origin, plan);
        gpis_plan_destroy(plan);
    }
    cli_problem_close(&p);
    return code;
}
