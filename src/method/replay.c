/* Passes recorded in a journal and answered from it. */
#include "method/replay.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "method/key.h"
#include "method/run.h"
#include "pass/sums.h"
#include "pass/sweep.h"

enum { RECORD_RUN = 1, RECORD_PASS = 2, ANSWERS = GPIS_PASS_SUMS + 2 };

/* How the record of a pass begins. */
typedef struct pass_head {
    double seconds;         /* the clock of the run when the pass was done */
    uint32_t asked, unused; /* a checksum of what the pass was asked */
} pass_head;

static int add_answer(gpis_journal_part *parts, int count, double *data, int64_t numbers) {
    if (data) parts[count++] = (gpis_journal_part){data, numbers * (int64_t)sizeof *data};
    return count;
}

/* The results of a pass, in order: its sums, then its sketch. */
static int answers_of(const gpis_run *run, const gpis_pass *pass, gpis_journal_part parts[ANSWERS]) {
    const gpis_sketch *sketch = pass->sketch;
    const gpis_load load = gpis_run_load(run->problem, pass);
    int count = 0;
    for (int s = 0; s < GPIS_PASS_SUMS; s++)
        count = add_answer(parts, count, gpis_pass_sum_place(pass, (gpis_pass_sum)s),
                           gpis_pass_sum_count(&load, (gpis_pass_sum)s));
    if (!sketch) return count;
    count = add_answer(parts, count, sketch->SA, sketch->m * run->problem->d);
    return add_answer(parts, count, sketch->SY, sketch->m * sketch->k);
}

static uint32_t add_vectors(uint32_t sum, const double *v, int64_t count) {
    return v ? gpis_checksum(sum, v, count * (int64_t)sizeof *v) : sum;
}

/* A checksum of everything that the answers depend on besides A and Y. */
static uint32_t question_of(const gpis_run *run, const gpis_pass *pass) {
    const gpis_problem *p = run->problem;
    const gpis_sketch *sketch = pass->sketch;
    const uint64_t numbers[7] = {(uint64_t)pass->k,
                                 (uint64_t)pass->probes,
                                 pass->extended,
                                 pass->summary && pass->quick,
                                 gpis_run_load(p, pass).wanted,
                                 sketch ? sketch->round + 1 : 0,
                                 sketch ? (uint64_t)sketch->m : 0};
    uint32_t sum = gpis_checksum(0, numbers, sizeof numbers);
    if (sketch) sum = gpis_checksum(sum, sketch->class->name, (int64_t)strlen(sketch->class->name));
    if (pass->columns) sum = gpis_checksum(sum, pass->columns, pass->count * (int64_t)sizeof *pass->columns);
    sum = add_vectors(sum, pass->X, p->d * pass->k);
    sum = add_vectors(sum, pass->P, p->d * pass->k);
    return add_vectors(sum, pass->V, p->d * pass->probes);
}

/* ---- the file ---- */

/* Compares the run with the first record, and reads the choice from it. Whether that choice makes sense is checked
 * elsewhere (api/choose.c). */
static gpis_status check_run(gpis_run *run, gpis_journal *journal, gpis_choice *choice) {
    enum { KEY_LONGER_BY = 1 << 16 }; /* bytes by which a key of other settings may be longer */
    gpis_context *context = run->context;
    gpis_journal_record record;
    char *before = NULL, *now = NULL;
    gpis_status status = gpis_key_make(run, &now);
    const int64_t head = sizeof *choice, longest = now ? head + (int64_t)strlen(now) + KEY_LONGER_BY : 0;
    if (status == GPIS_OK &&
        (!gpis_journal_next(journal, longest, &record) || record.kind != RECORD_RUN || record.length < head))
        status =
            gpis_fail(context, GPIS_BAD_DATA, "%s: its beginning is damaged; remove it and start again", journal->path);
    if (status == GPIS_OK) {
        const int64_t length = record.length - head;
        before = gpis_alloc(context, length + 1, 1);
        const gpis_journal_part parts[] = {{choice, head}, {before, length}};
        status = before ? gpis_journal_read(journal, parts, 2) : GPIS_NO_MEMORY;
        if (status == GPIS_OK) before[length] = '\0';
    }
    if (status == GPIS_OK) status = gpis_key_compare(context, journal->path, before, now);
    gpis_free(context, before);
    gpis_free(context, now);
    return status;
}

static gpis_status hold(gpis_run *run, gpis_journal *journal) {
    run->replay = gpis_alloc_zero(run->context, 1, sizeof *run->replay);
    if (!run->replay) return GPIS_NO_MEMORY;
    run->replay->journal = journal;
    return GPIS_OK;
}

gpis_status gpis_replay_resume(gpis_run *run, gpis_choice *choice, bool *found) {
    const gpis_settings *settings = run->settings;
    gpis_journal *journal = NULL;
    struct stat info;
    *found = settings->checkpoint && (stat(settings->checkpoint, &info) == 0 || errno != ENOENT);
    if (!*found) return GPIS_OK;
    if (!settings->resume)
        return gpis_fail(run->context, GPIS_BAD_ARGUMENT,
                         "%s: is there already; add option resume to go on from it, or remove it",
                         settings->checkpoint);
    gpis_status status = gpis_journal_open(run->context, settings->checkpoint, settings->checkpoint_every, &journal);
    if (status == GPIS_OK) status = check_run(run, journal, choice);
    if (status == GPIS_OK) status = hold(run, journal);
    if (status != GPIS_OK) gpis_journal_close(journal);
    return status;
}

gpis_status gpis_replay_create(gpis_run *run, const gpis_choice *choice) {
    const gpis_settings *settings = run->settings;
    gpis_journal *journal = NULL;
    gpis_choice kept = *choice;
    char *text = NULL;
    gpis_status status = gpis_key_make(run, &text);
    if (status == GPIS_OK) {
        const gpis_journal_part parts[] = {{&kept, sizeof kept}, {text, (int64_t)strlen(text)}};
        status = gpis_journal_create(run->context, settings->checkpoint, settings->checkpoint_every, RECORD_RUN, parts,
                                     2, &journal);
    }
    if (status == GPIS_OK) status = hold(run, journal);
    if (status != GPIS_OK) gpis_journal_close(journal);
    gpis_free(run->context, text);
    return status;
}

void gpis_replay_finish(gpis_run *run, char *trouble, size_t size) {
    trouble[0] = '\0';
    if (!run->replay) return;
    gpis_journal *journal = run->replay->journal;
    if (run->replay->live) gpis_journal_finish(journal);
    gpis_copy_text(trouble, size, journal->trouble);
    gpis_make_printable(trouble);
}

void gpis_replay_close(gpis_run *run) {
    if (run->replay) gpis_journal_close(run->replay->journal);
    gpis_free(run->context, run->replay);
    run->replay = NULL;
}

/* ---- passes ---- */

/* The journal is used up. A kill can leave a record that is cut short; a record that is complete but wrong is damage.
 */
static void go_live(gpis_run *run) {
    gpis_replay *replay = run->replay;
    replay->live = true;
    if (replay->journal->damaged)
        gpis_run_warn(run, "checkpoint %s: damaged after pass %lld; what followed was computed again",
                      replay->journal->path, (long long)replay->answered);
}

static bool has_negative(const double *v, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!(v[i] >= 0.0)) return true;
    return false;
}

/* Whether a pass can have given these answers: they are finite, sums of squares are not negative, and so on. A wrong
 * answer that is possible is not seen here: that the file belongs to this user must do against forgery. */
static bool is_possible(const gpis_run *run, const gpis_pass *pass, double seconds) {
    const gpis_load load = gpis_run_load(run->problem, pass);
    if (!(isfinite(seconds) && seconds >= 0.0) || !gpis_pass_is_finite(run->context, pass, run->problem->A->d))
        return false;
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        const gpis_pass_sum sum = (gpis_pass_sum)s;
        if (gpis_pass_sum_is_nonnegative(sum) &&
            has_negative(gpis_pass_sum_place(pass, sum), gpis_pass_sum_count(&load, sum)))
            return false;
    }
    return (!pass->gram || gpis_gram_is_possible(pass->gram, load.gram)) &&
           (!pass->summary || gpis_quadratic_is_possible(pass->summary, load.d + load.k));
}

gpis_status gpis_replay_answer(gpis_run *run, const gpis_pass *pass, bool *answered) {
    enum { QUICKLY_READ = 1 << 26 }; /* bytes: longer records are read only if the pass expects them */
    gpis_replay *replay = run->replay;
    gpis_journal_record record;
    *answered = false;
    if (!replay || replay->live) return GPIS_OK;
    pass_head head = {0};
    gpis_journal_part parts[ANSWERS + 1] = {{&head, sizeof head}};
    const int count = 1 + answers_of(run, pass, parts + 1);
    int64_t length = 0;
    for (int i = 0; i < count; i++) length += parts[i].bytes;
    if (!gpis_journal_next(replay->journal, gpis_max64(length, QUICKLY_READ), &record)) {
        go_live(run);
        return GPIS_OK;
    }
    const bool fits = record.kind == RECORD_PASS && record.length == length;
    const gpis_status status = fits ? gpis_journal_read(replay->journal, parts, count) : GPIS_OK;
    if (status != GPIS_OK) return status;
    if (!fits || !gpis_checksum_matches(head.asked, question_of(run, pass)))
        return gpis_fail(
            run->context, GPIS_BAD_ARGUMENT,
            "%s: its pass %lld is not that of this run, so it was made by another build of gpis or BLAS, or "
            "on another processor; resume it there, or remove it",
            replay->journal->path, (long long)replay->answered + 1);
    if (!is_possible(run, pass, head.seconds))
        return gpis_fail(run->context, GPIS_BAD_DATA,
                         "%s: its pass %lld holds numbers that no pass gives; remove it and start again",
                         replay->journal->path, (long long)replay->answered + 1);
    replay->answered++;
    gpis_account_set_seconds(&run->account, head.seconds);
    *answered = true;
    return GPIS_OK;
}

void gpis_replay_keep(gpis_run *run, const gpis_pass *pass) {
    if (!run->replay) return;
    pass_head head = {.seconds = gpis_account_seconds(&run->account), .asked = question_of(run, pass)};
    gpis_journal_part parts[ANSWERS + 1] = {{&head, sizeof head}};
    const int count = 1 + answers_of(run, pass, parts + 1);
    gpis_journal_append(run->replay->journal, RECORD_PASS, parts, count);
}
