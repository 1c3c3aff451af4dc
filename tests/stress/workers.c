/* Processes and their watchdog: see workers.h. */
#include "workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, REFERENCE_SECONDS = 60, SLOW_METHODS = 10 };

typedef struct worker {
    pid_t process; /* 0: none */
    double begun;
    verdict *shared; /* memory of parent and child */
} worker;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* SIGXCPU ends the process after so many seconds of processor time. */
static void limit_processor(double seconds) {
    const struct rlimit r = {(rlim_t)(seconds + 0.999), RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &r);
}

static double solve_seconds; /* of a child: the limit for its solves */

/* Gradient methods, which make as many passes as they are allowed, have more time. After the solves comes the
 * reference, with a limit of its own. */
static void reached(const verdict *v) {
    const double solves = v->newton ? solve_seconds : SLOW_METHODS * solve_seconds;
    limit_processor(v->step < STEP_ANSWERED ? solves : solves + REFERENCE_SECONDS);
}

static void child(const work *w, uint64_t number, verdict *shared) {
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    solve_seconds = w->limit;
    limit_processor(w->limit);
    judge(w->seed, number, w->only, shared, reached);
    _exit(0);
}

static int begin(const work *w, worker *one, uint64_t number) {
    *one->shared = (verdict){.number = number};
    fflush(NULL);
    one->begun = now();
    one->process = fork();
    if (one->process == 0) child(w, number, one->shared);
    return one->process > 0;
}

/* The process has ended: its verdict, with what only the parent can know. */
static void end(const work *w, worker *one, int status, int expired) {
    verdict v = *one->shared;
    one->process = 0;
    if (v.left_out) return;
    v.number = one->shared->number;
    const int timed_out = expired || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    if (v.step < STEP_ANSWERED && timed_out)
        v.faults |= UINT32_C(1) << FAULT_NOT_ENDED;
    else if (v.step < STEP_ANSWERED)
        v.faults |= UINT32_C(1) << FAULT_CRASHED;
    w->take(w->user, &v);
}

/* Whether a child takes too long by the clock. A deadlock uses no processor time; a busy machine is no deadlock. */
static int expired(const work *w, const worker *one) {
    const double solves = one->shared->newton || one->shared->step < STEP_DRAWN ? w->limit : SLOW_METHODS * w->limit;
    return now() - one->begun > 10 * solves + (one->shared->step < STEP_ANSWERED ? 30 : REFERENCE_SECONDS);
}

static void look_after(const work *w, worker *one) {
    int status, late = 0;
    if (expired(w, one)) {
        late = 1;
        kill(one->process, SIGKILL);
        waitpid(one->process, &status, 0);
    } else if (waitpid(one->process, &status, WNOHANG) != one->process) {
        return;
    }
    end(w, one, status, late);
}

void work_through(const work *w) {
    const int jobs = w->jobs < 1 ? 1 : w->jobs > MAX_JOBS ? MAX_JOBS : w->jobs;
    worker workers[MAX_JOBS] = {{0}};
    const double start = now();
    uint64_t next = w->first;
    int busy = 1;
    for (int i = 0; i < jobs; i++) {
        workers[i].shared = mmap(NULL, sizeof(verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (workers[i].shared == MAP_FAILED) abort();
    }
    while (busy) {
        busy = 0;
        for (int i = 0; i < jobs; i++) {
            if (workers[i].process) look_after(w, workers + i);
            if (!workers[i].process && next <= w->last && now() - start < w->seconds && begin(w, workers + i, next))
                next++;
            busy |= workers[i].process != 0;
        }
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    for (int i = 0; i < jobs; i++) munmap(workers[i].shared, sizeof(verdict));
}
