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
    VIEW_BYTES = 1 << 25,   /* of a view: what the reader announces at a time */
    VIEWS_AHEAD = 3,        /* how far the reader is ahead of the threads that work */
    WINDOW_BYTES = 1 << 25, /* of a window for sums: the wait for its last chunks is then short in comparison */
    PIECE_BYTES = 1 << 14,  /* of a column in a window, at least: shorter pieces are not worth a system call */
    SKETCH_BYTES = 1 << 27, /* of a window for a sketch, which goes through all of SA once for each window */
    WINDOWS_PER_LIMIT = 16  /* a window takes at most one part in so many of the memory limit */
};

struct gpis_windows {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    gpis_window_use use;
    bool shared;               /* threads fetch their own rows */
    int64_t rows, count;       /* rows of a window; number of windows */
    int buffers;               /* windows held at a time, if rows are not resident */
    int64_t step, step_bytes;  /* rows that a thread takes at a time; its scratch, if each thread has its own */
    int64_t accounted;         /* bytes entered in the account of memory for mapped rows */
    char *scratch[BUFFERS];    /* owned */
    gpis_block block[BUFFERS]; /* the windows fetched; nrows is 0 where there is none */
    int64_t next;              /* the window that gpis_windows_next returns next */
    int64_t view_rows, views;  /* shared: rows of a view, and number of views */
    bool threaded;
    pthread_t reader;
    pthread_mutex_t lock; /* for all fields below */
    pthread_cond_t changed;
    int64_t failed;        /* shared: the first row that could not be fetched; n: none */
    int64_t done, fetched; /* windows (or views) that are no longer needed; windows fetched */
    gpis_status status;    /* of the attempt to fetch the window after these */
    bool stop;
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* How the rows are divided into windows: a function of the source, the limit and the use. */
typedef struct layout {
    bool shared;
    int64_t rows, step;        /* rows of a window; rows that a thread takes at a time */
    int64_t bytes, step_bytes; /* scratch of a window, or of each thread */
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
    if (whole) best = SKETCH_BYTES;
    return limit > 0 ? gpis_min64(best, limit / (strided ? GPIS_COLUMNS_SHARE : WINDOWS_PER_LIMIT)) : best;
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

/* ---- the reader -------------------------------------------------------------------------------------------------- */

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

/* Waits until window or view i may be read; false: the sweep is over. */
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
    for (int64_t i = 0; i < w->views && wait_for_turn(w, i); i++)
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

/* If no thread can be started, rows are fetched when they are needed: slower, with the same result. */
static void start_reader(gpis_windows *w) {
    sigset_t all, before;
    const bool of_use = w->shared ? w->A->class->ahead && w->views > 1 : !w->A->resident && w->count > 1;
    if (!of_use || w->A->class->by_all) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to the threads of the caller */
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

/* Lets the reader know that windows or views before `done` are no longer needed. */
static void advance_reader(gpis_windows *w, int64_t done) {
    if (!w->threaded) return;
    pthread_mutex_lock(&w->lock);
    if (done > w->done) {
        w->done = done;
        pthread_cond_signal(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
}

/* Waits until the reader has fetched window i. */
static gpis_status await(gpis_windows *w, int64_t i) {
    pthread_mutex_lock(&w->lock);
    while (w->fetched <= i && w->status == GPIS_OK) pthread_cond_wait(&w->changed, &w->lock);
    const gpis_status status = w->fetched > i ? GPIS_OK : w->status;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* ---- the beginning and the end ----------------------------------------------------------------------------------- */

/* Allocates the scratch; for mapped rows, only enters their bytes in the account of memory. */
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
    w->views = (A->n + w->view_rows - 1) / w->view_rows;
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

/* ---- windows, and the rows of a window --------------------------------------------------------------------------- */

/* A window whose rows the threads will fetch themselves. */
static gpis_block unfetched(const gpis_windows *w, int64_t window) {
    return gpis_block_dense(w->A->type, window * w->rows, rows_of(w, window), w->A->d, w->scratch[0]);
}

gpis_status gpis_windows_next(gpis_windows *w, gpis_block *window) {
    const int64_t i = w->next;
    *window = (gpis_block){.row0 = w->A->n};
    if (i == w->count) return GPIS_OK;
    w->next++;
    if (w->shared) {
        *window = unfetched(w, i);
        return GPIS_OK;
    }
    advance_reader(w, i);
    const gpis_status status = w->threaded ? await(w, i) : fetch(w, i);
    if (status == GPIS_OK) *window = w->block[i % w->buffers];
    return status;
}

bool gpis_windows_are_shared(const gpis_windows *w) { return w->shared; }

int64_t gpis_windows_step(const gpis_windows *w) { return w->step; }

static bool is_after_failure(gpis_windows *w, int64_t row0) {
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
    if (is_after_failure(w, row0)) return false;
    advance_reader(w, row0 / w->view_rows);
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

/* If several threads have failed, the message may be that of any of them: the first rows that failed are fetched once
 * more, for their message. */
gpis_status gpis_windows_settle(gpis_windows *w) {
    gpis_block rows;
    if (w->failed == w->A->n) return GPIS_OK;
    const int64_t count = gpis_min64(w->step, w->A->n - w->failed);
    const gpis_status status = w->A->class->block(w->A, w->failed, count, w->scratch[0], &rows);
    if (status != GPIS_OK) return status;
    gpis_windows_give_back(w, &rows);
    return gpis_fail(w->context, GPIS_IO,
                     "%s: rows %" PRId64 " to %" PRId64 " could not be read at the first attempt; run it again",
                     gpis_source_name(w->A), w->failed + 1, w->failed + count);
}
