/* The number of BLAS threads, and the memory of BLAS and of our threads. */
#include "linalg/blas.h"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    MAX_CALLERS = 64,        /* threads that call BLAS at the same time: a pass has at most as many strips */
    BUFFER_BYTES = 32 << 22, /* that OpenBLAS maps for each call */
    SPARE_BYTES = 1 << 20    /* for each thread: its guard page, and the arena of malloc */
};

/* The functions by which OpenBLAS takes and returns a buffer, which stays mapped for the next call. Other BLAS
 * libraries do not have them. */
extern void *blas_memory_alloc(int purpose) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

static size_t stack_bytes(void) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return 0;
    if (pthread_attr_getstacksize(&attributes, &bytes) != 0) bytes = 0;
    pthread_attr_destroy(&attributes);
    return bytes;
}

/* Whether there is so much address space. No pages are touched: BLAS maps its buffers one by one, and uses little of
 * them. */
static bool can_map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    munmap(memory, bytes);
    return true;
}

/* Whether arrays of gpis itself may since have used up the address space that was free before. */
static bool is_limited(void) {
    struct rlimit space, data;
    return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
           (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

/* Makes OpenBLAS map its buffers and libgomp start its threads. Both keep them until the process ends. */
static void take_now(int callers, int threads) {
    void *buffers[MAX_CALLERS];
    if (blas_memory_alloc && blas_memory_free) {
        for (int i = 0; i < callers; i++) buffers[i] = blas_memory_alloc(0);
        for (int i = 0; i < callers; i++) blas_memory_free(buffers[i]);
    }
    int started = 0;
#pragma omp parallel num_threads(threads) reduction(+ : started)
    started++;
}

static gpis_status make_sure(gpis_context *context, int threads) {
    const int callers = (int)gpis_min64(threads, MAX_CALLERS);
    const size_t bytes =
        (size_t)callers * (BUFFER_BYTES + SPARE_BYTES) + (size_t)(threads - 1) * (stack_bytes() + SPARE_BYTES);
    if (!can_map(bytes))
        return gpis_fail(context, GPIS_NO_MEMORY,
                         "out of memory: BLAS needs %s of address space on %d thread%s; raise the limit of the process "
                         "(ulimit -v) or use fewer threads (option threads)",
                         gpis_bytes((double)bytes).text, threads, threads > 1 ? "s" : "");
    if (is_limited()) take_now(callers, threads);
    context->blas_threads = threads;
    return GPIS_OK;
}

gpis_status gpis_blas_enter(gpis_context *context, int threads, int *outside) {
    *outside = omp_get_max_threads();
    omp_set_num_threads(1);
    return context->blas_threads >= threads ? GPIS_OK : make_sure(context, threads);
}

void gpis_blas_leave(int outside) { omp_set_num_threads(outside); }
