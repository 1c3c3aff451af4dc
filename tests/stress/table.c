/* Counts and the list of the worst: see table.h. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quad.h"

enum { MAX_ROWS = 96, EXAMPLES = 12 };
enum { LISTED_FAULTS = 1 << FAULT_UNSOLVED | 1 << FAULT_OFF_OBJECTIVE | 1 << FAULT_SLOW | 1 << FAULT_PASSES };
enum { BY_SET, BY_FLAVOUR, BY_METHOD, BY_STORAGE, PARTS };

typedef struct row {
    char name[32];
    int64_t cases, judged, sharp, nearby;
    int64_t newton, refused, answered, solved, passes,
        most_passes; /* of auto and newton; answered: neither refused nor endless */
    int64_t timed;
    double ratio, worst_ratio; /* to dgelsy: the sum of logarithms, and the largest */
    int64_t faults[FAULTS];
} row;

typedef struct example {
    verdict v;
    int used;
} example;

struct table {
    uint64_t seed;
    FILE *unsolved; /* borrowed: gets every case with one of LISTED_FAULTS; NULL: none */
    double reference_seconds;
    row all, rows[PARTS][MAX_ROWS];
    int count[PARTS];
    int64_t reference_failed; /* the reference crashed or took too long */
    uint64_t reference_case;
    example examples[FAULTS][EXAMPLES];
};

table *table_create(uint64_t seed, FILE *unsolved) {
    table *t = ALLOCATE(table, 1);
    t->seed = seed;
    t->unsolved = unsolved;
    snprintf(t->all.name, sizeof t->all.name, "all");
    return t;
}

void table_destroy(table *t) { free(t); }

static row *row_of(table *t, int part, const char *name) {
    int i = 0;
    while (i < t->count[part] && strcmp(t->rows[part][i].name, name)) i++;
    if (i == t->count[part] && i < MAX_ROWS - 1) snprintf(t->rows[part][t->count[part]++].name, 32, "%s", name);
    return &t->rows[part][i];
}

static void count(row *r, const verdict *v) {
    r->cases++;
    r->newton += v->newton;
    r->refused += v->newton && v->answer.refused;
    for (int f = 0; f < FAULTS; f++) r->faults[f] += has_fault(v, f);
    if (v->step < STEP_ANSWERED || v->answer.refused) return;
    if (v->newton) {
        r->answered++;
        r->solved += v->answer.solved;
        r->passes += v->answer.passes;
        if (v->answer.passes > r->most_passes) r->most_passes = v->answer.passes;
    }
    if (v->dgelsy > 0) {
        const double ratio = v->answer.seconds / v->dgelsy;
        r->timed++;
        r->ratio += log(ratio);
        if (ratio > r->worst_ratio) r->worst_ratio = ratio;
    }
    if (v->step < STEP_JUDGED) return;
    r->judged++;
    r->sharp += v->reference.sharp;
    r->nearby += v->answer.nearness > 0;
}

/* How unfit a case is as an example: small problems are good ones, and those near underflow say least about others. */
static int64_t unfit(const verdict *v) {
    return v->entries + (v->flavours >> FLAVOUR_UNDERFLOW & 1 ? INT64_C(1) << 40 : 0);
}

/* Keeps the best example of each set; of more sets than there is room for, the best ones. */
static void keep_example(table *t, int fault, const verdict *v) {
    example *all = t->examples[fault], *place = NULL;
    for (int i = 0; i < EXAMPLES && !place; i++)
        if (all[i].used && !strcmp(all[i].v.set, v->set)) place = all + i;
    for (int i = 0; i < EXAMPLES && !place; i++)
        if (!all[i].used) place = all + i;
    if (!place) {
        place = all;
        for (int i = 1; i < EXAMPLES; i++)
            if (unfit(&all[i].v) > unfit(&place->v)) place = all + i;
    }
    if (place->used && unfit(&place->v) <= unfit(v)) return;
    place->used = 1;
    place->v = *v;
}

static void print_example(FILE *to, uint64_t seed, const verdict *v);

void table_take(void *user, const verdict *v) {
    table *t = user;
    count(&t->all, v);
    t->reference_seconds += v->reference_seconds;
    if (v->step >= STEP_DRAWN) {
        count(row_of(t, BY_SET, v->set), v);
        for (int f = 0; f < FLAVOURS; f++)
            if (v->flavours >> f & 1) count(row_of(t, BY_FLAVOUR, flavour_name(f)), v);
        count(row_of(t, BY_METHOD, v->method), v);
        count(row_of(t, BY_STORAGE, v->storage), v);
    }
    for (int f = 0; f < FAULTS; f++)
        if (has_fault(v, f)) keep_example(t, f, v);
    if (t->unsolved && (v->faults & LISTED_FAULTS)) print_example(t->unsolved, t->seed, v);
    if (v->step == STEP_ANSWERED) {
        t->reference_failed++;
        t->reference_case = v->number;
    }
}

int table_fatal(const table *t) {
    for (int f = 0; f < FAULTS; f++)
        if (FATAL_FAULTS >> f & 1 && t->all.faults[f]) return 1;
    return 0;
}

/* In percent of the problems of auto and newton that were not refused. */
static double share_solved(const row *r) {
    return r->newton > r->refused ? 100.0 * (double)r->solved / (double)(r->newton - r->refused) : 0;
}

static void print_row(const row *r) {
    const int64_t *f = r->faults;
    printf("%-17s %6lld %6lld %6lld %6lld %5lld %6lld %5lld %5lld | ", r->name, (long long)r->cases,
           (long long)f[FAULT_FALSE_GAP], (long long)f[FAULT_FALSE_ZERO], (long long)f[FAULT_FALSE_SOLVED],
           (long long)f[FAULT_OUTSIDE], (long long)f[FAULT_OFF_OBJECTIVE], (long long)f[FAULT_CRASHED],
           (long long)f[FAULT_NOT_ENDED]);
    if (r->newton)
        printf("%6.1f%% %6lld %6lld %6lld %5.1f %5lld %5lld", share_solved(r), (long long)f[FAULT_UNSOLVED],
               (long long)f[FAULT_FAR], (long long)f[FAULT_SILENT],
               r->answered ? (double)r->passes / (double)r->answered : 0, (long long)r->most_passes,
               (long long)f[FAULT_PASSES]);
    else
        printf("%7s %6s %6s %6lld %5s %5s %5s", "", "", "", (long long)f[FAULT_SILENT], "", "", "");
    printf(" %5lld %6lld | ", (long long)f[FAULT_WORSE], (long long)f[FAULT_REFUSED]);
    if (r->timed)
        printf("%5lld %5.1f %6.1f", (long long)r->timed, exp(r->ratio / (double)r->timed), r->worst_ratio);
    else
        printf("%5s %5s %6s", "", "", "");
    printf(" | %6lld %6lld\n", (long long)(r->judged - r->sharp), (long long)r->nearby);
}

static int by_name(const void *a, const void *b) { return strcmp(((const row *)a)->name, ((const row *)b)->name); }

static void print_part(const table *t, int part, const char *title) {
    row rows[MAX_ROWS];
    const int rows_used = t->count[part];
    memcpy(rows, t->rows[part], sizeof rows);
    qsort(rows, (size_t)rows_used, sizeof *rows, by_name);
    static const char *const heads[2] = {" cases  false  false  false  out- objec- crash   not |   auto,    not      x "
                                         "silent  mean  most  > 60 worse refus- | "
                                         "timed    to  worst |    not nearby",
                                         "        proof   at 0 solved  side   tive       ended |  solved solved    off "
                                         " stall  pass  pass  pass           ed | "
                                         "      gelsy        |  sharp   data"};
    printf("\n%-17s %s\n%-17s %s\n", title, heads[0], "", heads[1]);
    for (int i = 0; i < rows_used; i++) print_row(rows + i);
    print_row(&t->all);
}

static const char *quad_text(quad value, char *text, size_t size, const char *format) {
    quadmath_snprintf(text, size, format, value);
    return text;
}

static void print_judgement(FILE *to, const verdict *v) {
    char f[48], excess[48], width[48], tighter[48];
    fprintf(to, "; f(x) %s, above the reference by %s (+- %s%s); outside by %.1e",
            quad_text(v->f, f, sizeof f, "%.9Qe"), quad_text(v->excess, excess, sizeof excess, "%.3Qe"),
            quad_text(v->reference.width, width, sizeof width, "%.0Qe"), v->reference.sharp ? "" : ", not sharp",
            v->violation);
    if (v->tighter)
        fprintf(to, "; tighter: above by %s", quad_text(v->tighter_excess, tighter, sizeof tighter, "%.3Qe"));
    if (v->dgelsy > 0) fprintf(to, "; %.1f ms, dgelsy %.1f ms", 1e3 * v->answer.seconds, 1e3 * v->dgelsy);
}

static void print_example(FILE *to, uint64_t seed, const verdict *v) {
    static const char *const claims[] = {"no gap", "proven gap", "probable gap"};
    const answer *a = &v->answer;
    fprintf(to, "  case %llu (seed %llu): %s%s\n", (unsigned long long)v->number, (unsigned long long)seed, v->text,
            v->step == STEP_FIRST ? "; at a tolerance 1e-3 times as large" : "");
    if (v->step < STEP_ANSWERED) return;
    if (a->refused) {
        fprintf(to, "      %s\n", a->text);
        return;
    }
    const char *outcome = a->solved ? "solved" : a->stalled ? "stalled" : "limit";
    fprintf(to, "      %s, %lld passes, objective %.9e, %s %.3e", outcome, (long long)a->passes, a->objective,
            claims[a->claim], a->gap);
    if (a->nearness > 0) fprintf(to, " for data within %.1e", a->nearness);
    if (v->step == STEP_JUDGED) print_judgement(to, v);
    fprintf(to, "%s%s\n", a->text[0] ? "; warning: " : "", a->text);
}

static int by_size(const void *a, const void *b) {
    const example *x = a, *y = b;
    if (!x->used || !y->used) return y->used - x->used;
    return (unfit(&x->v) > unfit(&y->v)) - (unfit(&x->v) < unfit(&y->v));
}

void table_print(const table *t) {
    print_part(t, BY_SET, "by set");
    print_part(t, BY_FLAVOUR, "by flavour");
    print_part(t, BY_METHOD, "by method");
    print_part(t, BY_STORAGE, "by storage");
    for (int f = 0; f < FAULTS; f++) {
        example sorted[EXAMPLES];
        memcpy(sorted, t->examples[f], sizeof sorted);
        qsort(sorted, EXAMPLES, sizeof *sorted, by_size);
        if (sorted[0].used) printf("\n%s, %lld: %s\n", fault_name(f), (long long)t->all.faults[f], fault_meaning(f));
        for (int i = 0; i < EXAMPLES && sorted[i].used; i++) print_example(stdout, t->seed, &sorted[i].v);
    }
    printf("\nseed %llu, %lld cases", (unsigned long long)t->seed, (long long)t->all.cases);
    for (int f = 0; f < FAULTS; f++) printf(", %s %lld", fault_name(f), (long long)t->all.faults[f]);
    printf("; not sharp %lld, %.0f ms each\n", (long long)(t->all.judged - t->all.sharp),
           t->all.cases ? 1e3 * t->reference_seconds / (double)t->all.cases : 0);
    if (t->reference_failed)
        printf("\nThe reference crashed or took too long in %lld cases, the last of them case %llu.\n",
               (long long)t->reference_failed, (unsigned long long)t->reference_case);
}

/* ---- for the documents ---- */

static void write_rows(const table *t, int part, const char *title, FILE *file) {
    row rows[MAX_ROWS];
    memcpy(rows, t->rows[part], sizeof rows);
    qsort(rows, (size_t)t->count[part], sizeof *rows, by_name);
    fprintf(file,
            "\n| %s | cases | false | not ended | silent | solved | passes, mean | most | > 60 | timed | x dgelsy | "
            "most | > 20 |\n|%s\n",
            title, " --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int i = 0; i < t->count[part]; i++) {
        const row *r = rows + i;
        const int64_t *f = r->faults;
        const double mean = r->answered ? (double)r->passes / (double)r->answered : 0;
        fprintf(file, "| %s | %lld | %lld | %lld | %lld | %.1f %% | %.1f | %lld | %lld | %lld |", r->name,
                (long long)r->cases, (long long)(f[FAULT_FALSE_GAP] + f[FAULT_FALSE_ZERO] + f[FAULT_FALSE_SOLVED]),
                (long long)f[FAULT_NOT_ENDED], (long long)f[FAULT_SILENT], share_solved(r), mean,
                (long long)r->most_passes, (long long)f[FAULT_PASSES], (long long)r->timed);
        if (r->timed)
            fprintf(file, " %.1f | %.1f |", exp(r->ratio / (double)r->timed), r->worst_ratio);
        else
            fprintf(file, " | |");
        fprintf(file, " %lld |\n", (long long)f[FAULT_SLOW]);
    }
}

static void write_counts(const table *t, FILE *file) {
    const int64_t *f = t->all.faults;
    fprintf(
        file,
        "\n| seed | cases | false proof | false at 0 | false solved | crashed | not ended | silent stall | worse when "
        "tighter | solved |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| %llu | %lld | %lld | %lld | %lld | %lld | %lld | %lld | %lld | %.1f %% |\n",
        (unsigned long long)t->seed, (long long)t->all.cases, (long long)f[FAULT_FALSE_GAP],
        (long long)f[FAULT_FALSE_ZERO], (long long)f[FAULT_FALSE_SOLVED], (long long)f[FAULT_CRASHED],
        (long long)f[FAULT_NOT_ENDED], (long long)f[FAULT_SILENT], (long long)f[FAULT_WORSE], share_solved(&t->all));
    write_rows(t, BY_SET, "set", file);
    write_rows(t, BY_FLAVOUR, "data", file);
}

int table_write_markdown(const table *t, const char *path) {
    static const char mark[] = "<!-- stress";
    FILE *file = fopen(path, "r+");
    char line[4096];
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file)) found = !strncmp(line, mark, strlen(mark));
    if (found && fseek(file, 0, SEEK_CUR) == 0) { /* from reading to writing */
        write_counts(t, file);
        found = fflush(file) == 0 && ftruncate(fileno(file), ftell(file)) == 0;
    }
    if (!found) fprintf(stderr, "stress: %s: cannot be written, or has no line that begins with %s\n", path, mark);
    if (file && fclose(file) != 0) found = 0;
    return !found;
}

void verdict_print(uint64_t seed, const verdict *v) {
    char value[64], width[48];
    print_example(stdout, seed, v);
    if (v->step == STEP_JUDGED && !v->answer.refused)
        printf("      reference: f* = %s (width %s), %s, %.2f s\n",
               quad_text(v->reference.value, value, sizeof value, "%.30Qe"),
               quad_text(v->reference.width, width, sizeof width, "%.1Qe"), v->reference.sharp ? "sharp" : "not sharp",
               v->reference_seconds);
    for (int f = 0; f < FAULTS; f++)
        if (has_fault(v, f)) printf("      %s: %s\n", fault_name(f), fault_meaning(f));
}
