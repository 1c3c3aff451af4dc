/* Verdicts on the paper's claims, from numbers that are made up: what is a tie, and what the load of a machine changes.
 */
#include "experiment.h"

#include "support.h"

/* Seconds of each runner to each error of `steps`; a negative number: it got no further. */
enum { STEPS = 3 };
static const double steps[STEPS] = {1e-2, 1e-4, 1e-10};

static sample pool[8][RUNNERS][STEPS];

/* A race in which runner i has the given processor seconds, and wall-clock seconds `slow[i]` times as many. */
static race race_of(int place, const char *name, const double seconds[RUNNERS][STEPS], const double *slow) {
    race r = {.by_processor = true, .threads = 1};
    for (int i = 0; i < experiment_count; i++)
        if (strcmp(experiments[i].name, name) == 0) r.experiment = &experiments[i];
    for (int i = 0; i < RUNNERS; i++) {
        trace *t = &r.traces[i];
        *t = (trace){.samples = pool[place][i], .run = true, .repeats = 5};
        for (int j = 0; j < STEPS && seconds[i][j] >= 0; j++) {
            const double time = seconds[i][j];
            pool[place][i][t->count++] =
                (sample){j + 1, time * (slow ? slow[i] : 1.0), time, 10.0 * (j + 1), 1.0, steps[j]};
            t->best = t->second = time;
        }
    }
    return r;
}

static char *page_of(race *races, int count) {
    char *text = NULL;
    size_t size = 0;
    const results all = {.races = races, .count = count};
    FILE *page = open_memstream(&text, &size);
    assert_non_null(page);
    print_claims(page, &all);
    assert_int_equal(fclose(page), 0);
    return text;
}

/* The class of the badge before the claim that begins with these words. */
static void assert_verdict(const char *page, const char *claim, const char *expected) {
    char badge[64];
    const char *place = strstr(page, claim);
    assert_non_null(place);
    while (strncmp(place, "<li>", 4) != 0) place--;
    snprintf(badge, sizeof badge, "<li><span class=\"%s\">", expected);
    if (strncmp(place, badge, strlen(badge)) != 0) print_error("%s: %.60s, expected %s\n", claim, place, expected);
    assert_int_equal(strncmp(place, badge, strlen(badge)), 0);
}

static const char *const first = "GPIS or Acc-GPIS reach 1e-10 first";

/* Acc-GPIS takes 1 s, the fastest rival, SAGA b=50, `rival`. */
static void assert_first(double rival, double noise, const char *expected) {
    const double seconds[RUNNERS][STEPS] = {{1, 2, 3},         {0.3, 0.6, 1},         {5, 20, 90},       {2, 3, 5},
                                            {0.3, 0.5, rival}, {0.4, 0.8, 2 * rival}, {0.01, 0.01, 0.01}};
    race r = race_of(0, "magic04", seconds, NULL);
    r.traces[ACC_GPIS].second = (1.0 + noise) * r.traces[ACC_GPIS].best;
    char *page = page_of(&r, 1);
    assert_verdict(page, first, expected);
    free(page);
}

static void ties(void **state) {
    (void)state;
    assert_first(3.0, 0.0, "held");
    assert_first(1.4, 0.0, "held");
    assert_first(1.2, 0.0, "tie");
    assert_first(1.0, 0.0, "tie");
    assert_first(0.85, 0.0, "tie");
    assert_first(0.7, 0.0, "failed");
    /* Repeats that differ by half make more of a tie, but not everything. */
    assert_first(1.4, 0.5, "tie");
    assert_first(3.0, 0.5, "held");
    assert_first(0.7, 0.5, "tie");
}

/* The wall clock of a busy machine, however unjust, changes no verdict; nor does the default solver. */
static void load_does_not_matter(void **state) {
    (void)state;
    static const double slow[][RUNNERS] = {{9, 8, 1, 1, 1, 1, 1}, {1, 1, 7, 9, 4, 6, 1}, {2, 3, 2, 3, 2, 3, 100}};
    const double seconds[RUNNERS][STEPS] = {{1, 2, 3}, {0.3, 0.6, 1}, {5, 20, 90},       {2, 3, 5},
                                            {1, 2, 4}, {1, 2, 4},     {0.01, 0.01, 0.01}};
    race idle = race_of(0, "syn1", seconds, NULL);
    char *expected = page_of(&idle, 1);
    assert_verdict(expected, first, "held");
    for (int i = 0; i < 3; i++) {
        race busy = race_of(1, "syn1", seconds, slow[i]);
        char *page = page_of(&busy, 1);
        assert_string_equal(page, expected);
        free(page);
    }
    assert_null(strstr(expected, runners[DEFAULT_SOLVER].label));
    free(expected);
}

/* With several threads it is the wall clock that counts. */
static void threads(void **state) {
    (void)state;
    static const double slow[RUNNERS] = {9, 9, 1, 1, 1, 1, 1};
    const double seconds[RUNNERS][STEPS] = {{1, 2, 3}, {0.3, 0.6, 1}, {5, 20, 90},       {2, 3, 5},
                                            {1, 2, 4}, {1, 2, 4},     {0.01, 0.01, 0.01}};
    race r = race_of(0, "syn1", seconds, slow);
    r.by_processor = false;
    char *page = page_of(&r, 1);
    assert_verdict(page, first, "failed");
    free(page);
}

static void discussion(void **state) {
    (void)state;
    const double syn1[RUNNERS][STEPS] = {{1, 2, 3}, {0.3, 0.6, 1}, {5, 20, 90}, {1, 2, 3},
                                         {2, 3, 5}, {2, 4, 6},     {0, 0, 0}};
    const double syn2[RUNNERS][STEPS] = {{1, 2, 3}, {0.3, 0.6, 1}, {5, 20, 90}, {4, 5, 9},
                                         {2, 3, 5}, {2, 4, 6},     {0, 0, 0}};
    /* Only Acc-GPIS arrives; SAGA b=10 is compared with each at what both reached. */
    const double syn3[RUNNERS][STEPS] = {{9, 50, -1},  {5, 9, 40},   {2, 50, -1}, {60, -1, -1},
                                         {20, -1, -1}, {15, -1, -1}, {0, 0, 0}};
    const double year[RUNNERS][STEPS] = {{1, 2, 3}, {1, 2, 3}, {5, 20, 90}, {2, 3, 4.1},
                                         {2, 3, 4}, {2, 4, 5}, {0, 0, 0}};
    race races[] = {race_of(0, "syn1", syn1, NULL), race_of(1, "syn2", syn2, NULL), race_of(2, "syn3", syn3, NULL),
                    race_of(3, "year", year, NULL)};
    char *page = page_of(races, 4);
    assert_verdict(page, "Syn1: b = 10 is the fastest of SAGA", "held");
    assert_verdict(page, "Syn2: b = 10 is the slowest of SAGA", "held");
    assert_verdict(page, "Syn3: SAGA with b = 10 is the slowest of all", "held");
    assert_verdict(page, "Syn3: the full gradient, APGD, is ahead of SAGA", "held");
    assert_verdict(page, "Year: SAGA with b = 10 is unattractive", "tie");
    /* 3, 9, and more than 1.5 times the time of Acc-GPIS: the last says nothing. */
    assert_verdict(page, "SAGA with b = 10 loses in wall-clock time as the projection", "open");
    free(page);
    races[0] = race_of(0, "syn1", syn2, NULL);
    races[1] = race_of(1, "syn2", syn1, NULL);
    page = page_of(races, 4);
    assert_verdict(page, "Syn1: b = 10 is the fastest of SAGA", "failed");
    assert_verdict(page, "Syn2: b = 10 is the slowest of SAGA", "failed");
    free(page);
}

static void nobody_arrives(void **state) {
    (void)state;
    const double seconds[RUNNERS][STEPS] = {{1, 2, -1},  {1, -1, -1}, {1, -1, -1}, {1, -1, -1},
                                            {1, -1, -1}, {1, -1, -1}, {0, 0, 0}};
    race r = race_of(0, "syn3", seconds, NULL);
    char *page = page_of(&r, 1);
    assert_verdict(page, first, "open");
    assert_verdict(page, "SAGA with b = 10 is competitive in epochs", "open");
    assert_verdict(page, "Sketched and stochastic gradients both need fewer epochs", "open");
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ties), cmocka_unit_test(load_does_not_matter),
                                       cmocka_unit_test(threads), cmocka_unit_test(discussion),
                                       cmocka_unit_test(nobody_arrives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
