/* The context: the allocator and its account, the number of threads, and the message of the last failure. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/free_memory.h"

/* Allocations may grow by this many bytes before the system is asked again how much memory is free. */
enum { GRANT_BYTES = 1 << 24 };

/* malloc is several times as fast as posix_memalign where it has pieces of a size at hand, as it has of small ones:
 * they are aligned here. Small solves spend a fifth of their time in allocations otherwise. */
enum { MALLOC_ALIGNMENT = _Alignof(max_align_t), SMALL_BYTES = 1 << 14 };

#define TEXT_OF(x) TEXT_OF_(x)
#define TEXT_OF_(x) #x

/* Asks for huge pages within large arrays, which speeds up random access (the Gram matrix of compressed rows, buckets
 * of a sketch) and reduces page faults. Only huge pages that are entirely inside the array are asked for, so that no
 * more memory is used. It is advice that the system may ignore. */
static void *default_allocate(void *user, size_t alignment, size_t bytes) {
    const size_t huge = (size_t)1 << 21;
    const bool large = bytes >= 2 * huge;
    (void)user;
    void *memory = NULL;
    if (alignment <= MALLOC_ALIGNMENT) return malloc(bytes);
    if (posix_memalign(&memory, large ? huge : alignment, bytes) != 0) return NULL;
    if (large) (void)madvise(memory, bytes / huge * huge, MADV_HUGEPAGE);
    return memory;
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

gpis_status gpis_context_create(gpis_context **out) {
    const gpis_allocator allocator = {default_allocate, default_release, NULL};
    const gpis_status status = gpis_context_create_with(&allocator, out);
    if (status == GPIS_OK) (*out)->free_memory = gpis_free_memory;
    return status;
}

gpis_status gpis_context_create_with(const gpis_allocator *allocator, gpis_context **out) {
    if (!out) return GPIS_BAD_ARGUMENT;
    *out = NULL;
    if (!allocator || !allocator->allocate || !allocator->release) return GPIS_BAD_ARGUMENT;
    gpis_context *context = allocator->allocate(allocator->user, GPIS_ALIGNMENT, sizeof *context);
    if (!context) return GPIS_NO_MEMORY;
    context->allocator = *allocator;
    context->threads = omp_get_num_procs();
    context->limit = 0;
    context->blas_threads = 0;
    atomic_init(&context->allocated, 0);
    atomic_init(&context->mapped, 0);
    atomic_init(&context->peak, 0);
    atomic_init(&context->granted, GRANT_BYTES);
    context->free_memory = NULL;
    context->message[0] = '\0';
    *out = context;
    return GPIS_OK;
}

void gpis_context_destroy(gpis_context *context) {
    if (!context) return;
    const gpis_allocator allocator = context->allocator;
    allocator.release(allocator.user, context);
}

gpis_status gpis_context_set_threads(gpis_context *context, int threads) {
    if (!context || threads < 0 || threads > GPIS_MAX_THREADS)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "threads must be from 0 (all) to %d, not %d", GPIS_MAX_THREADS,
                         threads);
    context->threads = threads ? threads : omp_get_num_procs();
    return GPIS_OK;
}

int gpis_context_threads(const gpis_context *context) { return context ? context->threads : 0; }

/* To wake a sleeping thread and to wait for it takes some tens of microseconds on idle processors. In that time one
 * thread processes about 100000 numbers (an estimate; bench/busy.py measures the effect). On busy processors it takes
 * longer, and nothing is gained. */
int gpis_threads_for(int threads, double numbers) {
    static const double MIN_PARALLEL_NUMBERS = 1 << 18;
    return numbers >= MIN_PARALLEL_NUMBERS ? threads : 1;
}

gpis_status gpis_context_set_memory(gpis_context *context, int64_t bytes) {
    if (!context || bytes < 0)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a memory limit is 0 (none) or more, not %lld", (long long)bytes);
    context->limit = bytes;
    return GPIS_OK;
}

int64_t gpis_context_memory_peak(const gpis_context *context) { return context ? atomic_load(&context->peak) : 0; }

const char *gpis_last_error(const gpis_context *context) { return context ? context->message : ""; }

gpis_status gpis_fail(gpis_context *context, gpis_status status, const char *format, ...) {
    char text[GPIS_MESSAGE_SIZE];
    va_list args;
    if (!context) return status;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gpis_make_printable(text); /* it may quote file names and the contents of files */
#pragma omp critical(gpis_message)
    memcpy(context->message, text, strlen(text) + 1);
    return status;
}

void gpis_copy_text(char *out, size_t size, const char *text) {
    const size_t length = strnlen(text, size - 1);
    memcpy(out, text, length);
    out[length] = '\0';
}

bool gpis_checked_mul(int64_t a, int64_t b, int64_t *out) {
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, out);
}

bool gpis_checked_add(int64_t a, int64_t b, int64_t *out) {
    return a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, out);
}

/* ---- memory: each piece knows its size, so that the account can be kept ------------------------------------------ */

int64_t gpis_account_used(const gpis_context *context) {
    return atomic_load(&context->allocated) + atomic_load(&context->mapped);
}

/* Checks that the account, which has `used` bytes now that `bytes` were added, is within the limit. */
static bool is_within_limit(gpis_context *context, int64_t bytes, int64_t used) {
    if (context->limit > 0 && used > context->limit) {
        gpis_fail(context, GPIS_NO_MEMORY,
                  "%s of memory are needed and %s are in use already, but only %s are allowed; raise the limit (option "
                  "memory)",
                  gpis_bytes((double)bytes).text, gpis_bytes((double)(used - bytes)).text,
                  gpis_bytes((double)context->limit).text);
        return false;
    }
    long long peak = atomic_load(&context->peak);
    while (peak < used && !atomic_compare_exchange_weak(&context->peak, &peak, used)) continue;
    return true;
}

bool gpis_account_take(gpis_context *context, int64_t bytes) {
    const int64_t mapped = atomic_fetch_add(&context->mapped, bytes) + bytes;
    if (is_within_limit(context, bytes, mapped + atomic_load(&context->allocated))) return true;
    gpis_account_return(context, bytes);
    return false;
}

void gpis_account_return(gpis_context *context, int64_t bytes) { atomic_fetch_sub(&context->mapped, bytes); }

int64_t gpis_account_left(const gpis_context *context) {
    if (gpis_account_is_unlimited(context)) return INT64_MAX;
    return gpis_max64(0, context->limit - gpis_account_used(context));
}

/* A limit within the memory of the machine is enough. A limit beyond it does not protect from running out of memory. */
static bool is_limited(const gpis_context *context) {
    return context->limit > 0 &&
           (double)context->limit <= (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Whether so many bytes more are within what was granted before. */
static bool is_granted(const gpis_context *context, double bytes) {
    return (double)atomic_load(&context->allocated) + bytes <= (double)atomic_load(&context->granted);
}

bool gpis_account_affords(gpis_context *context, const char *what, double bytes) {
    if (is_granted(context, bytes) || is_limited(context) || !context->free_memory) return true;
    const int64_t left = context->free_memory(atomic_load(&context->allocated));
    if (bytes <= (double)left) return true;
    gpis_fail(
        context, GPIS_NO_MEMORY,
        "%s needs %s of memory, and only %s are free here; free some, or set a limit to stay below (option memory)",
        what, gpis_bytes(bytes).text, gpis_bytes((double)left).text);
    return false;
}

bool gpis_account_affords_x(gpis_context *context, int64_t d, int64_t k) {
    enum { ARRAYS = 8 }; /* of the size of X, that every use of it holds at least */
    const double bytes = ARRAYS * (double)sizeof(double) * (double)d * (double)k;
    char what[80];
    if (is_granted(context, bytes)) return true;
    snprintf(what, sizeof what, "x of %lld x %lld coefficients", (long long)d, (long long)k);
    return gpis_account_affords(context, what, bytes);
}

static void return_allocation(gpis_context *context, int64_t bytes) {
    const long long all = atomic_fetch_sub(&context->allocated, bytes) - bytes;
    if (atomic_load(&context->granted) > all + GRANT_BYTES) atomic_store(&context->granted, all + GRANT_BYTES);
}

/* Checks that the system has enough memory free for all allocations, of which `bytes` were added last. */
static bool ask_system(gpis_context *context, int64_t bytes, int64_t all) {
    const int64_t left = context->free_memory(all - bytes);
    if (bytes > left) {
        gpis_fail(context, GPIS_NO_MEMORY,
                  "%s more of memory are needed besides the %s in use, and only %s are free here; free some, or set a "
                  "limit to stay below (option memory)",
                  gpis_bytes((double)bytes).text, gpis_bytes((double)(all - bytes)).text,
                  gpis_bytes((double)left).text);
        return false;
    }
    atomic_store(&context->granted, all + GRANT_BYTES);
    return true;
}

/* Adds an allocation to the account; false, with the message set, if it is beyond the limit, or the system has not
 * enough memory free. */
static bool take_allocation(gpis_context *context, int64_t bytes) {
    const int64_t all = atomic_fetch_add(&context->allocated, bytes) + bytes;
    const bool granted = all <= atomic_load(&context->granted) || is_limited(context) || !context->free_memory;
    if ((granted || ask_system(context, bytes, all)) &&
        is_within_limit(context, bytes, all + atomic_load(&context->mapped)))
        return true;
    return_allocation(context, bytes);
    return false;
}

gpis_bytes_text gpis_bytes(double bytes) {
    gpis_bytes_text out;
    int unit = 0;
    for (; bytes > 1023.0 && unit < 5; unit++) bytes /= 1024.0;
    if (unit > 0 && bytes < 10.0)
        snprintf(out.text, sizeof out.text, "%.1f%c", ceil(10.0 * bytes) / 10.0, " KMGTP"[unit]);
    else
        snprintf(out.text, sizeof out.text, unit ? "%.0f%c" : "%.0f bytes", ceil(bytes), " KMGTP"[unit]);
    return out;
}

/* The cache line before the memory: its size with that line, and how far the line is from where the allocation began.
 */
enum { SIZE_OF_PIECE, SHIFT_OF_PIECE };

/* An allocator of the caller's is called by one thread at a time. */
static char *call_allocator(const gpis_allocator *from, int64_t bytes) {
    char *begin;
    if (from->allocate == default_allocate && bytes <= SMALL_BYTES)
        return default_allocate(NULL, MALLOC_ALIGNMENT, (size_t)bytes + GPIS_ALIGNMENT);
    if (from->allocate == default_allocate) return default_allocate(NULL, GPIS_ALIGNMENT, (size_t)bytes);
#pragma omp critical(gpis_allocator)
    begin = from->allocate(from->user, GPIS_ALIGNMENT, (size_t)bytes);
    return begin;
}

static void call_release(const gpis_allocator *to, void *begin) {
    if (to->release == default_release) {
        free(begin);
        return;
    }
#pragma omp critical(gpis_allocator)
    to->release(to->user, begin);
}

static char *allocate_piece(gpis_context *context, int64_t bytes) {
    char *begin = call_allocator(&context->allocator, bytes);
    if (!begin) return NULL;
    const int64_t shift = (int64_t)(-(uintptr_t)begin % GPIS_ALIGNMENT);
    char *memory = begin + shift;
    ((int64_t *)(void *)memory)[SHIFT_OF_PIECE] = shift;
    return memory;
}

void *gpis_alloc(gpis_context *context, int64_t count, size_t size) {
    int64_t bytes;
    if (size > INT64_MAX || !gpis_checked_mul(count, (int64_t)size, &bytes) ||
        (uint64_t)bytes > SIZE_MAX - 2 * GPIS_ALIGNMENT ||
        bytes > INT64_MAX / 2) { /* so that the sum of two sizes does not overflow */
        gpis_fail(context, GPIS_NO_MEMORY, "an array of %lld elements of %zu bytes is too large", (long long)count,
                  size);
        return NULL;
    }
    bytes += GPIS_ALIGNMENT;
    if (!take_allocation(context, bytes)) return NULL;
    char *memory = allocate_piece(context, bytes);
    if (!memory) {
        return_allocation(context, bytes);
        gpis_fail(context, GPIS_NO_MEMORY, "out of memory: %lld bytes could not be allocated",
                  (long long)(bytes - GPIS_ALIGNMENT));
        return NULL;
    }
    ((int64_t *)(void *)memory)[SIZE_OF_PIECE] = bytes;
    return memory + GPIS_ALIGNMENT;
}

void *gpis_alloc_zero(gpis_context *context, int64_t count, size_t size) {
    void *memory = gpis_alloc(context, count, size);
    if (memory) memset(memory, 0, (size_t)count * size);
    return memory;
}

void gpis_free(gpis_context *context, void *memory) {
    if (!memory) return;
    char *piece = (char *)memory - GPIS_ALIGNMENT;
    const int64_t *line = (const int64_t *)(const void *)piece, bytes = line[SIZE_OF_PIECE];
    return_allocation(context, bytes);
    call_release(&context->allocator, piece - line[SHIFT_OF_PIECE]);
}

char *gpis_duplicate_text(gpis_context *context, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = gpis_alloc(context, (int64_t)size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gpis_clock(void) { return read_clock(CLOCK_MONOTONIC); }
double gpis_processor_clock(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

const char *gpis_status_text(gpis_status status) {
    switch (status) {
#define CASE(name, text) \
    case GPIS_##name: return text;
        GPIS_STATUS_LIST(CASE)
    default: return "unknown status";
    }
}

const char *gpis_outcome_text(gpis_outcome outcome) {
    switch (outcome) {
        GPIS_OUTCOME_LIST(CASE)
#undef CASE
    default: return "unknown";
    }
}

const char *gpis_version(void) {
    return TEXT_OF(GPIS_VERSION_MAJOR) "." TEXT_OF(GPIS_VERSION_MINOR) "." TEXT_OF(GPIS_VERSION_PATCH);
}
