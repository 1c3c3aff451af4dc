/* base: what every room stands on: status and messages, checked memory, clock. */
#ifndef GPIS_BASE_H
#define GPIS_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "gpis.h"

enum { GPIS_ALIGNMENT = 64, GPIS_MESSAGE_SIZE = 512 };

struct gpis_context {
    gpis_allocator allocator;
    int threads;
    /* The account of memory, in bytes; a reader thread may allocate while others do. */
    int64_t limit; /* 0: none */
    atomic_llong used, peak;
    /* Where there is no limit, what the system has free is one (free_memory.h). Allocations are counted apart from
     * mapped files, whose pages the system takes back by itself. `granted`: so far as allocations may grow before the
     * system is asked again. `free_memory` is NULL where the caller's own allocator is responsible. */
    atomic_llong allocated, granted;
    int64_t (*free_memory)(int64_t allocated);
    int blas_threads; /* BLAS has the memory it needs for so many calls at the same time (linalg/blas.h); 0: not tried
                       */
    char message[GPIS_MESSAGE_SIZE];
};

/* Leaves one line in the context and returns `status`, so that a failure is one statement: return gpis_fail(...). A
 * public function that is given no context fails so too; there is no place for its line. */
gpis_status gpis_fail(gpis_context *context, gpis_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* count * size bytes, 64-byte aligned, not cleared; NULL, with the message set, when the size overflows, is negative or
 * is not to be had. A count of 0 gives a valid pointer. */
void *gpis_alloc(gpis_context *context, int64_t count, size_t size);
void *gpis_alloc_zero(gpis_context *context, int64_t count, size_t size);
void gpis_free(gpis_context *context, void *memory); /* NULL is fine */
/* Enters in the account what is taken otherwise (a mapped file), or takes it out again. False, with the message set,
 * when that is beyond the limit. */
bool gpis_account_take(gpis_context *context, int64_t bytes);
void gpis_account_return(gpis_context *context, int64_t bytes);
/* What may still be allocated; INT64_MAX without a limit. What the system has free does not count here: methods choose
 * by this number, and what they choose must not depend on the state of the machine. */
int64_t gpis_account_left(const gpis_context *context);
/* Whether the system has so many bytes free, where it is what limits; the message is set when it has not. To be asked
 * before work that will take this much by and by. `what` needs it, for the message: "apgd", "A.mtx". */
bool gpis_account_affords(gpis_context *context, const char *what, double bytes);
/* The same for X of d x k. Whatever is done with it, several arrays of its size are held, and those must fit at least:
 * to be asked before the first of them is allocated. */
bool gpis_account_affords_x(gpis_context *context, int64_t d, int64_t k);

/* "1.9G": bytes as the option memory takes them (K, M, G of 1024), rounded up so that so much is enough. */
typedef struct gpis_bytes_text {
    char text[24];
} gpis_bytes_text;
gpis_bytes_text gpis_bytes(double bytes);

char *gpis_copy_text(gpis_context *context, const char *text);

/* True, and the product in *out, when a * b fits an int64_t and neither is negative. */
bool gpis_checked_mul(int64_t a, int64_t b, int64_t *out);
bool gpis_checked_add(int64_t a, int64_t b, int64_t *out);

double gpis_clock(void);           /* seconds, monotonic */
double gpis_processor_clock(void); /* seconds of processor time that the process has used, all threads together */

/* How many of `threads` threads a parallel region gets that reads or writes so many numbers: one where it would be done
 * before a sleeping thread has been woken. Never some of them: libgomp ends and starts threads where teams differ. */
int gpis_threads_for(int threads, double numbers);

static inline int64_t gpis_min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t gpis_max64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
