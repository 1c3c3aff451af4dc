/* Windows over the rows, and the thread that reads ahead. */
#include "pass/window.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "sketch/sketch.h"

enum {
    BUFFERS = 2,
    VIEW_BYTES = 1 << 25,   /* the reader announces so much at a time */
    VIEWS_AHEAD = 3,        /* and is so far ahead of those who work */
    WINDOW_BYTES = 1 << 25, /* a window for sums: large enough that waiting for its last chunks does not show */
    PIECE_BYTES = 1 << 14,  /* and, of columns, a piece of each that is worth a call */
    WHOLE_BYTES = 1 << 27,  /* a window for a sketch, which walks through all of SA for each */
    LIMIT_SHARE = 16        /* a window takes this part of the memory limit, at most */
};

struct gpis_windows {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    gpis_window_use use;
    bool shared;                /* threads fetch their own rows */
    int64_t rows, count;        /* rows of a window; windows */
    int buffers;                /* windows at a time, if they are not resident */
    int64_t step, step_bytes;   /* rows taken at a time; scratch of a thread, if each has its own */
    int64_t accounted;          /* bytes of rows in place */
    char *scratch[BUFFERS];     /* owned */
    gpis_block block[BUFFERS];  /* what was fetched; no rows: nothing */
    int64_t next;               /* window that is handed out next */
    int64_t view_rows, tickets; /* shared: what is announced at a time, and how many times */
    bool threaded;
    pthread_t reader;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    int64_t failed;        /* shared: the first row that was not to be had; n: none */
    int64_t done, fetched; /* windows (or views) done with; windows fetched */
    gpis_status status;    /* of the window after those fetched */
    bool stop;
};

/* ---- sizes ----------------------------------------------------------------------------------------------------------
 */

/* How the rows are cut: a function of the source, the limit and the use. */
typedef struct layout {
    bool shared;
    int64_t rows, step;        /* of a window; taken at a time */
    int64_t bytes, step_bytes; /* scratch of a window; or of each thread */
    int buffers;
} layout;

static bool threads_fetch(const gpis_source *A, bool whole) {
    const bool plain = A->block_kind == GPIS_BLOCK_DENSE && A->order == GPIS_ROW_MAJOR;
    return !A->serial && plain && !(whole && A->class->in_place);
}

static int64_t window_bytes(const gpis_source *A, int64_t limit, bool whole) {
    const bool strided = A->block_kind == GPIS_BLOCK_DENSE && A->order == GPIS_COLUMN_MAJOR;
    const int64_t pieces = gpis_min64(A->d, GPIS_COLUMNS_BYTES / PIECE_BYTES) * PIECE_BYTES;
    int64_t best = WINDOW_BYTES;
    if (strided) best = A->class->in_place ? GPIS_COLUMNS_BYTES : gpis_max64(best, pieces);
    if (whole) best = WHOLE_BYTES;
    return limit > 0 ? gpis_min64(best, limit / (strided ? GPIS_COLUMNS_SHARE : LIMIT_SHARE)) : best;
}

static layout lay_out(const gpis_source *A, int64_t limit, gpis_window_use use) {
    layout l = {.rows = A->n, .step = use.run_rows};
    if (A->resident) return l;
    l.shared = threads_fetch(A, use.whole);
    l.step = A->class->in_place ? use.run_rows : use.chunk_rows;
    if (l.shared && !use.whole) {
        l.step_bytes = A->class->scratch_bytes(A, l.step);
        return l;
    }
    const int64_t unit = use.whole ? gpis_max64(use.chunk_rows, GPIS_SKETCH_QUANTUM) : use.chunk_rows;
    const double fit = (double)window_bytes(A, limit, use.whole) / gpis_source_row_bytes(A);
    l.rows = unit * gpis_max64(1, (int64_t)(fmin(fit, (double)A->n) / (double)unit));
    l.bytes = A->class->scratch_bytes(A, l.rows);
    l.buffers = l.shared || l.rows >= A->n || A->class->by_all ? 1 : BUFFERS;
    return l;
}

static int64_t bytes_of(const layout *l, gpis_window_use use) {
    return l->buffers * l->bytes + use.threads * l->step_bytes;
}

int64_t gpis_windows_memory(const gpis_source *A, int64_t limit, gpis_window_use use) {
    const layout l = lay_out(A, limit, use);
    return bytes_of(&l, use);
}

/* ---- the reader -----------------------------------------------------------------------------------------------------
 */

static int64_t rows_of(const gpis_windows *w, int64_t window) {
    return gpis_min64(w->rows, w->A->n - window * w->rows);
}

static void drop(gpis_windows *w, gpis_block *block) {
    if (w->A->class->done && block->nrows > 0) w->A->class->done(w->A, block);
    block->nrows = 0;
}

static gpis_status fetch(gpis_windows *w, int64_t window) {
    const int64_t slot = window % w->buffers;
    gpis_block *block = &w->block[slot];
    drop(w, block);
    const gpis_status status = w->A->class->block(w->A, window * w->rows, rows_of(w, window), w->scratch[slot], block);
    if (status != GPIS_OK) block->nrows = 0;
    return status;
}

/* Waits until window or view i is near enough; false: the sweep is over. */
static bool wait_for_turn(gpis_windows *w, int64_t i) {
    const int64_t ahead = w->shared ? VIEWS_AHEAD + 1 : BUFFERS;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && i >= w->done + ahead) pthread_cond_wait(&w->changed, &w->lock);
    const bool go_on = !w->stop;
    pthread_mutex_unlock(&w->lock);
    return go_on;
}

static void *announce(void *windows) {
    gpis_windows *w = windows;
    for (int64_t i = 0; i < w->tickets && wait_for_turn(w, i); i++)
        w->A->class->ahead(w->A, i * w->view_rows, gpis_min64(w->view_rows, w->A->n - i * w->view_rows));
    return NULL;
}

static void *read_ahead(void *windows) {
    gpis_windows *w = windows;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < w->count && status == GPIS_OK && wait_for_turn(w, i); i++) {
        status = fetch(w, i);
        pthread_mutex_lock(&w->lock);
        if (status == GPIS_OK) w->fetched = i + 1;
        w->status = status;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

/* Without a thread rows are fetched when they are asked for: slower, and as right. */
static void start_reader(gpis_windows *w) {
    sigset_t all, before;
    const bool of_use = w->shared ? w->A->class->ahead && w->tickets > 1 : !w->A->resident && w->count > 1;
    if (!of_use || w->A->class->by_all) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads of the caller */
    w->threaded = pthread_create(&w->reader, NULL, w->shared ? announce : read_ahead, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void stop_reader(gpis_windows *w) {
    if (!w->threaded) return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->reader, NULL);
}

/* Windows or views before `done` are done with: the reader may go on. */
static void tell_reader(gpis_windows *w, int64_t done) {
    if (!w->threaded) return;
    pthread_mutex_lock(&w->lock);
    if (done > w->done) {
        w->done = done;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
}

/* Window i as the reader has it. */
static gpis_status await(gpis_windows *w, int64_t i) {
    pthread_mutex_lock(&w->lock);
    while (w->fetched <= i && w->status == GPIS_OK) pthread_cond_wait(&w->changed, &w->lock);
    const gpis_status status = w->fetched > i ? GPIS_OK : w->status;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* ---- the beginning and the end
 * ---------------------------------------------------------------------------------------
 */

/* Scratch for rows that are written there, an entry in the account for those in place. */
static gpis_status allocate(gpis_windows *w, const layout *l) {
    if (w->A->class->in_place) {
        const int64_t bytes = bytes_of(l, w->use);
        if (!gpis_account_take(w->context, bytes)) return GPIS_NO_MEMORY;
        w->accounted = bytes;
        return GPIS_OK;
    }
    const int64_t bytes = l->step_bytes > 0 ? w->use.threads * l->step_bytes : l->bytes;
    for (int i = 0; i < gpis_max64(l->buffers, l->step_bytes > 0); i++) {
        w->scratch[i] = gpis_alloc(w->context, bytes, 1);
        if (!w->scratch[i]) return GPIS_NO_MEMORY;
    }
    return GPIS_OK;
}

gpis_status gpis_windows_start(gpis_context *context, gpis_source *A, gpis_window_use use, gpis_windows **out) {
    *out = NULL;
    gpis_windows *w = gpis_alloc_zero(context, 1, sizeof *w);
    if (!w) return GPIS_NO_MEMORY;
    const layout l = lay_out(A, context->limit, use);
    w->context = context;
    w->A = A;
    w->use = use;
    w->shared = l.shared;
    w->rows = l.rows;
    w->buffers = (int)gpis_max64(1, l.buffers);
    w->count = (A->n + l.rows - 1) / l.rows;
    w->step = l.step;
    w->step_bytes = l.step_bytes;
    w->view_rows = gpis_max64(1, (int64_t)fmin((double)A->n, VIEW_BYTES / gpis_source_row_bytes(A)));
    w->tickets = (A->n + w->view_rows - 1) / w->view_rows;
    w->failed = A->n;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    const gpis_status status = allocate(w, &l);
    if (status != GPIS_OK) {
        gpis_windows_end(w, status);
        return status;
    }
    start_reader(w);
    *out = w;
    return GPIS_OK;
}

void gpis_windows_end(gpis_windows *w, gpis_status status) {
    char said[GPIS_MESSAGE_SIZE];
    if (!w) return;
    memcpy(said, w->context->message, sizeof said);
    stop_reader(w);
    if (status != GPIS_OK) memcpy(w->context->message, said, sizeof said);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    for (int i = 0; i < BUFFERS; i++) {
        drop(w, &w->block[i]);
        gpis_free(w->context, w->scratch[i]);
    }
    gpis_account_return(w->context, w->accounted);
    gpis_free(w->context, w);
}

/* ---- windows, and the rows of a window
 * -------------------------------------------------------------------------------
 */

/* A window whose rows are yet to be taken. */
static gpis_block promised(const gpis_windows *w, int64_t window) {
    return gpis_block_dense(w->A->type, window * w->rows, rows_of(w, window), w->A->d, w->scratch[0]);
}

gpis_status gpis_windows_next(gpis_windows *w, gpis_block *window) {
    const int64_t i = w->next;
    *window = (gpis_block){.row0 = w->A->n};
    if (i == w->count) return GPIS_OK;
    w->next++;
    if (w->shared) {
        *window = promised(w, i);
        return GPIS_OK;
    }
    tell_reader(w, i);
    const gpis_status status = w->threaded ? await(w, i) : fetch(w, i);
    if (status == GPIS_OK) *window = w->block[i % w->buffers];
    return status;
}

bool gpis_windows_are_shared(const gpis_windows *w) { return w->shared; }

int64_t gpis_windows_step(const gpis_windows *w) { return w->step; }

static bool comes_too_late(gpis_windows *w, int64_t row0) {
    pthread_mutex_lock(&w->lock);
    const bool late = row0 > w->failed;
    pthread_mutex_unlock(&w->lock);
    return late;
}

bool gpis_windows_take(gpis_windows *w, const gpis_block *window, int64_t first, int64_t count, int thread,
                       gpis_block *rows) {
    const int64_t row0 = window->row0 + first;
    if (!w->shared) {
        *rows = gpis_block_rows(window, first, count);
        return true;
    }
    if (comes_too_late(w, row0)) return false;
    tell_reader(w, row0 / w->view_rows);
    const int64_t offset = w->step_bytes > 0 ? thread * w->step_bytes : w->A->class->scratch_bytes(w->A, first);
    char *scratch = w->scratch[0] ? w->scratch[0] + offset : NULL;
    if (w->A->class->block(w->A, row0, count, scratch, rows) == GPIS_OK) return true;
    pthread_mutex_lock(&w->lock);
    w->failed = gpis_min64(w->failed, row0);
    pthread_mutex_unlock(&w->lock);
    return false;
}

void gpis_windows_give_back(gpis_windows *w, const gpis_block *rows) {
    if (w->shared && w->A->class->done) w->A->class->done(w->A, rows);
}

/* Threads that failed side by side have left any of their messages: the first rows are asked for once more. */
gpis_status gpis_windows_settle(gpis_windows *w) {
    gpis_block rows;
    if (w->failed == w->A->n) return GPIS_OK;
    const int64_t count = gpis_min64(w->step, w->A->n - w->failed);
    const gpis_status status = w->A->class->block(w->A, w->failed, count, w->scratch[0], &rows);
    if (status != GPIS_OK) return status;
    gpis_windows_give_back(w, &rows);
    return gpis_fail(w->context, GPIS_IO, "%s: rows %" PRId64 " to %" PRId64 " were not to be had at first",
                     gpis_source_name(w->A), w->failed + 1, w->failed + count);
}
