/*
 * stress: draws difficult problems, has gpis solve them and judges the answers by a reference in quadruple precision.
 *
 *     stress [--seconds S] [--seed N] [--jobs J] [--first N] [--count N] [--limit S]
 *     stress [--seed N] --case NUMBER
 *
 * Exit code 0: nothing fatal was found; 1: a false proof, a false "solved", a crash or a solve without end; 2: usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "workers.h"

typedef struct single {
    uint64_t seed;
    int fatal;
} single;

static void take_single(void *user, const verdict *v) {
    single *s = user;
    verdict_print(s->seed, v);
    s->fatal = (v->faults & FATAL_FAULTS) != 0;
}

static int number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return *text && !*end && *value >= 0;
}

static int usage(void) {
    fprintf(stderr,
            "usage: stress [--seconds S] [--seed N] [--jobs J] [--first N] [--count N] [--limit S] [--case N]\n");
    return 2;
}

int main(int argc, char **argv) {
    work w = {.seed = 1, .seconds = 120, .limit = 3, .jobs = 1, .last = UINT64_MAX};
    double value, only = -1, many = 0;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc || !number(argv[i + 1], &value)) return usage();
        if (!strcmp(argv[i], "--seconds"))
            w.seconds = value;
        else if (!strcmp(argv[i], "--seed"))
            w.seed = (uint64_t)value;
        else if (!strcmp(argv[i], "--jobs"))
            w.jobs = (int)value;
        else if (!strcmp(argv[i], "--first"))
            w.first = (uint64_t)value;
        else if (!strcmp(argv[i], "--count"))
            many = value;
        else if (!strcmp(argv[i], "--limit"))
            w.limit = value;
        else if (!strcmp(argv[i], "--case"))
            only = value;
        else
            return usage();
    }
    if (only >= 0) {
        single s = {w.seed, 0};
        w.first = w.last = (uint64_t)only;
        w.take = take_single;
        w.user = &s;
        work_through(&w);
        return s.fatal;
    }
    if (many > 0) w.last = w.first + (uint64_t)many - 1;
    table *t = table_create(w.seed);
    w.take = table_take;
    w.user = t;
    work_through(&w);
    table_print(t);
    const int fatal = table_fatal(t);
    table_destroy(t);
    return fatal;
}
