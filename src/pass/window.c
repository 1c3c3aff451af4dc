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
    ANNOUNCED = 3,           /* windows that are announced before they are worked on */
    VIEW_BYTES = 1 << 25,    /* a window of chunks that nobody looks at together takes no memory */
    WINDOW_BYTES = 1 << 23,  /* a window for sums: large enough to keep the threads busy, and near the caches */
    STRIDED_BYTES = 1 << 25, /* the same of columns, whose pieces must not be too short */
    WHOLE_BYTES = 1 << 28,   /* all windows for a sketch: for each of them it walks through SA */
    LIMIT_SHARE = 8          /* windows take this part of the memory limit, at most */
};

struct gpis_windows {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    gpis_window_use use;
    int64_t rows, count; /* rows of a window; windows */
    bool in_chunks;      /* threads fetch their own chunks */
    int64_t piece_bytes; /* in chunks that nobody looks at together: bytes of the scratch of one thread */
    char *scratch[BUFFERS];
    gpis_block block[BUFFERS];
    int64_t next; /* window that is handed out next; those before next - 1 are done with */
    /* in chunks: the first row that was not to be had, n: none */
    int64_t failed;
    /* the reader */
    bool threaded;
    pthread_t reader;
    pthread_mutex_t lock; /* of all below and of `failed` */
    pthread_cond_t changed;
    int64_t done, fetched; /* windows done with; windows fetched */
    gpis_status status;    /* of the window after those fetched */
    bool stop;
};

/* ---- sizes ----------------------------------------------------------------------------------------------------------
 */

/* How the rows are cut: a function of the source, the limit and the use. */
typedef struct layout {
    bool in_chunks;
    int64_t rows;        /* of a window */
    int64_t piece_bytes; /* scratch of a thread */
    int64_t bytes;       /* scratch of a window */
} layout;

static bool fetched_in_chunks(const gpis_source *A) {
    return !A->resident && !A->serial && A->block_kind == GPIS_BLOCK_DENSE && A->order == GPIS_ROW_MAJOR;
}

static int64_t wanted_bytes(const gpis_source *A, int64_t limit, bool in_chunks, bool whole) {
    if (in_chunks && !whole) return VIEW_BYTES;
    int64_t all = whole                              ? WHOLE_BYTES
                  : A->order == GPIS_COLUMN_MAJOR ? BUFFERS * STRIDED_BYTES
                                                     : BUFFERS * WINDOW_BYTES;
    if (limit > 0) all = gpis_min64(all, limit / LIMIT_SHARE);
    return in_chunks ? all : all / BUFFERS;
}

static layout lay_out(const gpis_source *A, int64_t limit, gpis_window_use use) {
    if (A->resident) return (layout){.rows = A->n};
    layout l = {.in_chunks = fetched_in_chunks(A)};
    const int64_t unit = use.whole ? gpis_max64(use.chunk_rows, GPIS_SKETCH_QUANTUM) : use.chunk_rows;
    const double fit = (double)wanted_bytes(A, limit, l.in_chunks, use.whole) / gpis_source_row_bytes(A);
    l.rows = unit * (int64_t)(fmin(fit, (double)A->n) / (double)unit);
    l.rows = gpis_max64(unit, l.rows);
    if (l.in_chunks && !use.whole)
        l.piece_bytes = A->class->scratch_bytes(A, use.chunk_rows);
    else
        l.bytes = A->class->scratch_bytes(A, l.rows);
    return l;
}

int64_t gpis_windows_memory(const gpis_source *A, int64_t limit, gpis_window_use use) {
    const layout l = lay_out(A, limit, use);
    if (l.piece_bytes > 0) return l.piece_bytes * use.threads;
    const bool once = l.in_chunks || l.rows >= A->n;
    return once ? l.bytes : BUFFERS * l.bytes;
}

/* ---- the reader -----------------------------------------------------------------------------------------------------
 */

static int64_t rows_of(const gpis_windows *w, int64_t window) {
    return gpis_min64(w->rows, w->A->n - window * w->rows);
}

static gpis_status fetch(gpis_windows *w, int64_t window) {
    const int64_t slot = window % BUFFERS, row0 = window * w->rows;
    return w->A->class->block(w->A, row0, rows_of(w, window), w->scratch[slot], &w->block[slot]);
}

/* Waits until window i may be fetched or announced; false: the sweep is over. */
static bool wait_for_turn(gpis_windows *w, int64_t i) {
    const int64_t ahead = w->in_chunks ? ANNOUNCED + 1 : BUFFERS;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && i >= w->done + ahead) pthread_cond_wait(&w->changed, &w->lock);
    const bool go_on = !w->stop;
    pthread_mutex_unlock(&w->lock);
    return go_on;
}

static void *read_ahead(void *windows) {
    gpis_windows *w = windows;
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < w->count && status == GPIS_OK && wait_for_turn(w, i); i++) {
        if (w->in_chunks) {
            w->A->class->ahead(w->A, i * w->rows, rows_of(w, i));
            continue;
        }
        status = fetch(w, i);
        pthread_mutex_lock(&w->lock);
        if (status == GPIS_OK) w->fetched = i + 1;
        w->status = status;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

/* Without a thread windows are fetched when they are asked for: slower, and as right. */
static void start_reader(gpis_windows *w) {
    sigset_t all, before;
    if (w->A->resident || w->count < 2 || (w->in_chunks && !w->A->class->ahead)) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the threads of the caller */
    w->threaded = pthread_create(&w->reader, NULL, read_ahead, w) == 0;
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

/* Window i as the reader has it. */
static gpis_status await(gpis_windows *w, int64_t i) {
    pthread_mutex_lock(&w->lock);
    while (w->fetched <= i && w->status == GPIS_OK) pthread_cond_wait(&w->changed, &w->lock);
    const gpis_status status = w->fetched > i ? GPIS_OK : w->status;
    pthread_mutex_unlock(&w->lock);
    return status;
}

/* ---- windows and chunks ---------------------------------------------------------------------------------------------
 */

static gpis_status allocate(gpis_windows *w, const layout *l) {
    const int buffers = w->in_chunks || w->count < 2 ? 1 : BUFFERS;
    const int64_t bytes = l->piece_bytes > 0 ? l->piece_bytes * w->use.threads : l->bytes;
    for (int i = 0; i < buffers && bytes > 0; i++) {
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
    w->rows = l.rows;
    w->count = (A->n + l.rows - 1) / l.rows;
    w->in_chunks = l.in_chunks;
    w->piece_bytes = l.piece_bytes;
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
    for (int i = 0; i < BUFFERS; i++) gpis_free(w->context, w->scratch[i]);
    gpis_free(w->context, w);
}

/* A window whose chunks are yet to be fetched. */
static gpis_block promised(const gpis_windows *w, int64_t window) {
    return (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = w->A->type,
                        .row0 = window * w->rows,
                        .nrows = rows_of(w, window),
                        .d = w->A->d,
                        .values = w->scratch[0],
                        .row_stride = w->A->d,
                        .col_stride = 1};
}

gpis_status gpis_windows_next(gpis_windows *w, gpis_block *window) {
    const int64_t i = w->next;
    gpis_status status = GPIS_OK;
    *window = (gpis_block){.row0 = w->A->n};
    if (i == w->count) return GPIS_OK;
    w->next++;
    if (w->threaded) {
        pthread_mutex_lock(&w->lock);
        w->done = i;
        pthread_cond_signal(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
    if (w->in_chunks) {
        *window = promised(w, i);
        return GPIS_OK;
    }
    status = w->threaded ? await(w, i) : fetch(w, i);
    if (status == GPIS_OK) *window = w->block[i % BUFFERS];
    return status;
}

bool gpis_windows_in_chunks(const gpis_windows *w) { return w->in_chunks; }

static bool is_of_no_use(gpis_windows *w, int64_t row0) {
    pthread_mutex_lock(&w->lock);
    const bool after = row0 > w->failed;
    pthread_mutex_unlock(&w->lock);
    return after;
}

bool gpis_windows_chunk(gpis_windows *w, const gpis_block *window, int64_t first, int64_t count, int thread,
                        gpis_block *chunk) {
    const int64_t row0 = window->row0 + first;
    if (!w->in_chunks) {
        *chunk = gpis_block_rows(window, first, count);
        return true;
    }
    if (is_of_no_use(w, row0)) return false;
    const int64_t offset = w->use.whole ? w->A->class->scratch_bytes(w->A, first) : thread * w->piece_bytes;
    if (w->A->class->block(w->A, row0, count, w->scratch[0] + offset, chunk) == GPIS_OK) return true;
    pthread_mutex_lock(&w->lock);
    w->failed = gpis_min64(w->failed, row0);
    pthread_mutex_unlock(&w->lock);
    return false;
}

/* Threads that failed side by side have left any of their messages: the first chunk is asked for once more. */
gpis_status gpis_windows_settle(gpis_windows *w) {
    gpis_block chunk;
    if (w->failed == w->A->n) return GPIS_OK;
    const int64_t count = gpis_min64(w->use.chunk_rows, w->A->n - w->failed);
    const gpis_status status = w->A->class->block(w->A, w->failed, count, w->scratch[0], &chunk);
    if (status != GPIS_OK) return status;
    return gpis_fail(w->context, GPIS_IO, "%s: rows %" PRId64 " to %" PRId64 " were not to be had at first",
                     gpis_source_name(w->A), w->failed + 1, w->failed + count);
}
