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
    char message[GPIS_MESSAGE_SIZE];
};

/* Leaves one line in the context and returns `status`, so that a failure is one statement: return gpis_fail(...). */
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
/* What may still be allocated; INT64_MAX without a limit. */
int64_t gpis_account_left(const gpis_context *context);

/* "1.9G": bytes as the program's --memory takes them (K, M, G of 1024), rounded up so that so much is enough. */
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

static inline int64_t gpis_min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t gpis_max64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
