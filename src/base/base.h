/* base: what every module needs: status and messages, checked memory, clock. */
#ifndef GPIS_BASE_H
#define GPIS_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "gpis.h"

enum { GPIS_ALIGNMENT = 64, GPIS_MESSAGE_SIZE = 512, GPIS_MAX_THREADS = 4096 };

struct gpis_context {
    gpis_allocator allocator;
    int threads;
    /* The account of memory, in bytes. Atomic, since a reader thread may allocate while other threads do. */
    int64_t limit; /* 0: none */
    /* What is in use is allocated, or mapped: pages of files, which the system can take back. */
    atomic_llong allocated, mapped, peak;
    /* If no limit is set, the free memory of the system is one (free_memory.h). Allocations may grow up to `granted`
     * bytes before the system is asked again. `free_memory` is NULL if the caller has set an allocator of its own,
     * which is then responsible. */
    atomic_llong granted;
    int64_t (*free_memory)(int64_t allocated);
    int blas_threads; /* BLAS has memory for this many calls at the same time (linalg/blas.h); 0: not tried */
    char message[GPIS_MESSAGE_SIZE];
};

/* Stores a message of one line in the context and returns `status`, so that a failure is one statement: return
 * gpis_fail(...). Without a context (NULL) it only returns the status. Where several threads fail, the message is that
 * of one of them. */
gpis_status gpis_fail(gpis_context *context, gpis_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Allocates count * size bytes, 64-byte aligned, not cleared. NULL, with the message set, if the size overflows, is
 * negative or exceeds what is available. A count of 0 gives a valid pointer. */
void *gpis_alloc(gpis_context *context, int64_t count, size_t size);
void *gpis_alloc_zero(gpis_context *context, int64_t count, size_t size);
void gpis_free(gpis_context *context, void *memory); /* memory may be NULL */
/* Adds memory that gpis_alloc does not give (a mapped file) to the account, or removes it. False, with the message set,
 * if it would exceed the limit. */
bool gpis_account_take(gpis_context *context, int64_t bytes);
void gpis_account_return(gpis_context *context, int64_t bytes);
int64_t gpis_account_used(const gpis_context *context); /* bytes in use */
/* What the limit still allows; INT64_MAX without a limit. The free memory of the system does not count here: methods
 * make choices by this number, and these must not depend on the state of the machine. */
int64_t gpis_account_left(const gpis_context *context);
static inline bool gpis_account_is_unlimited(const gpis_context *context) { return context->limit == 0; }
/* Whether the system has this many bytes free, if its free memory is the limit; else the message is set. To be called
 * before work that allocates this much little by little. `what` says in the message who needs it: "apgd", "A.mtx". */
bool gpis_account_affords(gpis_context *context, const char *what, double bytes);
/* The same for X of d x k: every use of it holds several arrays of its size, which must fit. To be called before the
 * first of them is allocated. */
bool gpis_account_affords_x(gpis_context *context, int64_t d, int64_t k);

/* "1.9G": bytes as the option memory takes them (K, M, G of 1024), rounded up so that so much is enough. */
typedef struct gpis_bytes_text {
    char text[24];
} gpis_bytes_text;
gpis_bytes_text gpis_bytes(double bytes);

char *gpis_duplicate_text(gpis_context *context, const char *text);

/* The length in bytes of the UTF-8 character at the beginning of `text`, which *code then holds; 0: there is none. The
 * terminating NUL ends any sequence, so nothing behind it is read. */
int gpis_utf8_length(const char *text, unsigned *code);

/* Copies as much of `text` as fits into `size` bytes, at least 1 of them, with its terminating NUL. */
void gpis_copy_text(char *out, size_t size, const char *text);

/* *out = a * b; false if a factor is negative or the product does not fit. */
bool gpis_checked_mul(int64_t a, int64_t b, int64_t *out);
bool gpis_checked_add(int64_t a, int64_t b, int64_t *out);

double gpis_clock(void);           /* seconds, monotonic */
double gpis_processor_clock(void); /* seconds of processor time that the process has used, all threads together */

/* The number of threads for a parallel region that reads or writes this many numbers: `threads`, or one if the work
 * would be done before a sleeping thread is awake. Nothing in between: libgomp ends and starts threads when teams
 * differ. */
int gpis_threads_for(int threads, double numbers);

static inline int64_t gpis_min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t gpis_max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* Asked between the steps of long computations: true ends them early, and what they return is then incomplete. */
typedef struct gpis_stop {
    bool (*asked)(void *user);
    void *user;
} gpis_stop;

/* `stop`, and its function, may be NULL: nobody asks. */
static inline bool gpis_is_stopped(const gpis_stop *stop) { return stop && stop->asked && stop->asked(stop->user); }

#endif
