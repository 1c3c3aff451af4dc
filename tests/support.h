/* What the tests share: cmocka, a context whose allocations are counted and can be made to fail, comparisons. */
#ifndef GPIS_TESTS_SUPPORT_H
#define GPIS_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/random.h"
#include "set/read.h"

/* Counts what is allocated and not yet released; the call numbered fail_at (from 1) fails, 0: none does. */
typedef struct test_memory {
    long calls, live, fail_at;
} test_memory;

static inline void *test_allocate(void *user, size_t alignment, size_t bytes) {
    test_memory *memory = user;
    void *p = NULL;
    if (++memory->calls == memory->fail_at || posix_memalign(&p, alignment, bytes) != 0) return NULL;
    memset(p, 0xA5, bytes); /* so that reading memory that was never written gives nonsense */
    memory->live++;
    return p;
}

static inline void test_release(void *user, void *p) {
    test_memory *memory = user;
    memory->live--;
    free(p);
}

static inline gpis_context *test_context(test_memory *memory) {
    *memory = (test_memory){0, 0, 0};
    const gpis_allocator allocator = {test_allocate, test_release, memory};
    gpis_context *context = NULL;
    assert_int_equal(gpis_context_create_with(&allocator, &context), GPIS_OK);
    memory->calls = 0;
    return context;
}

/* Ends a test: everything but the context must have been freed. */
static inline void test_context_end(gpis_context *context, test_memory *memory) {
    assert_int_equal(memory->live, 1);
    gpis_context_destroy(context);
    assert_int_equal(memory->live, 0);
}

/* Runs `work` with the first, second, third ... allocation failing until it succeeds; each failure must be reported
 * as GPIS_NO_MEMORY and leave nothing behind. Returns the number of failures seen. */
static inline long test_every_allocation(gpis_status (*work)(gpis_context *, void *), void *user) {
    for (long k = 1;; k++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        memory.fail_at = k;
        const gpis_status status = work(context, user);
        test_context_end(context, &memory);
        if (status == GPIS_OK) {
            assert_true(memory.calls < k);
            return k - 1;
        }
        assert_int_equal(status, GPIS_NO_MEMORY);
        assert_true(k < 100000);
    }
}

#define assert_close(a, b, tol)                                                                             \
    do {                                                                                                    \
        const double a_ = (a), b_ = (b), t_ = (tol);                                                        \
        if (!(fabs(a_ - b_) <= t_))                                                                         \
            fail_msg("%s = %.17g and %s = %.17g differ by %.3g > %.3g", #a, a_, #b, b_, fabs(a_ - b_), t_); \
    } while (0)

#define assert_ok(context, call)                                                                           \
    do {                                                                                                   \
        const gpis_status s_ = (call);                                                                     \
        if (s_ != GPIS_OK) fail_msg("%s: %s (%s)", #call, gpis_status_text(s_), gpis_last_error(context)); \
    } while (0)

/* The set of a spec for X of d x k, whose columns have no names. */
static inline gpis_status test_set(gpis_context *context, const char *spec, int64_t d, int64_t k, gpis_set **out) {
    const gpis_columns columns = {.d = d};
    return gpis_set_read(context, spec, &columns, k, out);
}

#endif
