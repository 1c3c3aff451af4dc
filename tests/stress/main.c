/*
 * stress: draws difficult problems, has gpis solve them and judges the answers by a reference in quadruple precision.
 *
 *     stress [--seed N] [--seconds S] [--jobs J] [--first N] [--count N] [--limit S] [--markdown FILE]
 *            [--unsolved FILE] [--only SET]
 *     stress [--seed N] [--limit S] --case NUMBER [--export FOLDER]
 *
 * Exit code 0: nothing fatal was found; 1: a false proof, a false "solved", a crash, a solve without end or a stall
 * without a reason; 2: usage, or a file that cannot be written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "table.h"
#include "workers.h"

/* All options; numbers that are not given keep their defaults. */
typedef struct options {
    double seed, seconds, jobs, first, count, limit;
    double number;        /* of the only case; -1: many */
    const char *folder;   /* for its files; NULL: none are wanted */
    const char *markdown; /* the document that gets the counts; NULL: none */
    const char *unsolved; /* the file that gets all cases that are not solved, or take too long; NULL: none */
    const char *only;     /* the name of a set in the table: others are left out; NULL: none */
} options;

static int parse(int argc, char **argv, options *o) {
    const struct {
        const char *name;
        double *value;
    } known[] = {{"--seed", &o->seed},   {"--seconds", &o->seconds}, {"--jobs", &o->jobs},  {"--first", &o->first},
                 {"--count", &o->count}, {"--limit", &o->limit},     {"--case", &o->number}};
    for (int i = 1; i + 1 < argc; i += 2) {
        size_t which = 0;
        char *end = argv[i + 1];
        while (which < sizeof known / sizeof *known && strcmp(argv[i], known[which].name)) which++;
        if (which < sizeof known / sizeof *known) *known[which].value = strtod(argv[i + 1], &end);
        if (!strcmp(argv[i], "--export"))
            o->folder = argv[i + 1];
        else if (!strcmp(argv[i], "--markdown"))
            o->markdown = argv[i + 1];
        else if (!strcmp(argv[i], "--unsolved"))
            o->unsolved = argv[i + 1];
        else if (!strcmp(argv[i], "--only"))
            o->only = argv[i + 1];
        else if (end == argv[i + 1] || *end || *known[which].value < 0)
            return 0;
    }
    return argc % 2 == 1 && (!o->folder || o->number >= 0);
}

typedef struct single {
    uint64_t seed;
    int fatal;
} single;

static void take_single(void *user, const verdict *v) {
    single *s = user;
    verdict_print(s->seed, v);
    s->fatal = (v->faults & FATAL_FAULTS) != 0;
}

static int run_single(work *w, const options *o) {
    single s = {w->seed, 0};
    if (o->folder) {
        problem p = problem_draw(w->seed, (uint64_t)o->number);
        const int failed = export_problem(&p, o->folder);
        problem_clear(&p);
        if (failed) return 2;
    }
    w->first = w->last = (uint64_t)o->number;
    w->take = take_single;
    w->user = &s;
    work_through(w);
    return s.fatal;
}

static int run_many(work *w, const options *o) {
    FILE *unsolved = o->unsolved ? fopen(o->unsolved, "w") : NULL;
    if (o->unsolved && !unsolved) return 2;
    table *t = table_create(w->seed, unsolved);
    w->take = table_take;
    w->user = t;
    work_through(w);
    table_print(t);
    int fatal = o->markdown && table_write_markdown(t, o->markdown) ? 2 : table_fatal(t);
    if (unsolved && fclose(unsolved) != 0) fatal = 2;
    table_destroy(t);
    return fatal;
}

int main(int argc, char **argv) {
    options o = {.seed = 1, .seconds = 120, .jobs = 1, .limit = 3, .number = -1};
    if (!parse(argc, argv, &o)) {
        fprintf(
            stderr,
            "usage: stress [--seed N] [--seconds S] [--jobs J] [--first N] [--count N] [--limit S] [--markdown FILE]\n"
            "              [--unsolved FILE] [--only SET]\n"
            "       stress [--seed N] [--limit S] --case NUMBER [--export FOLDER]\n");
        return 2;
    }
    work w = {.seed = (uint64_t)o.seed,
              .first = (uint64_t)o.first,
              .last = o.count > 0 ? (uint64_t)(o.first + o.count) - 1 : UINT64_MAX,
              .seconds = o.seconds,
              .limit = o.limit,
              .only = o.only,
              .jobs = (int)o.jobs};
    return o.number >= 0 ? run_single(&w, &o) : run_many(&w, &o);
}
