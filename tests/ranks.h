/* Ranks as threads of this program: the library can be tested on several ranks without MPI. */
#ifndef GPIS_TESTS_RANKS_H
#define GPIS_TESTS_RANKS_H

#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

enum { MAX_RANKS = 8 };

/* Numbers on their way from one rank to another: the sender waits until they have been received. */
typedef struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const double *values;
} channel;

typedef struct world {
    int ranks;
    pthread_barrier_t barrier;
    double *parts[MAX_RANKS], *total;
    channel channels[MAX_RANKS][MAX_RANKS];
    atomic_long moved; /* numbers sent from rank to rank; each channel has a lock of its own */
} world;

/* What a rank is given: its own context, and how to reach the others. */
typedef struct member {
    world *world;
    gpis_ranks ranks;
    gpis_context *context;
    test_memory memory;
    void *user;
    void (*work)(struct member *);
} member;

/* Rank 0 adds in the order of ranks, so that all ranks get the same bits. */
static inline int world_sum(void *user, double *values, int64_t count) {
    member *m = user;
    world *w = m->world;
    w->parts[m->ranks.rank] = values;
    if (m->ranks.rank == 0) w->total = calloc((size_t)count, sizeof(double));
    pthread_barrier_wait(&w->barrier);
    if (m->ranks.rank == 0)
        for (int r = 0; r < w->ranks; r++)
            for (int64_t i = 0; i < count; i++) w->total[i] = r ? w->total[i] + w->parts[r][i] : w->parts[r][i];
    pthread_barrier_wait(&w->barrier);
    memcpy(values, w->total, (size_t)count * sizeof *values);
    pthread_barrier_wait(&w->barrier);
    if (m->ranks.rank == 0) free(w->total);
    return 0;
}

static inline int world_send(void *user, int to, const double *values, int64_t count) {
    member *m = user;
    channel *c = &m->world->channels[m->ranks.rank][to];
    pthread_mutex_lock(&c->lock);
    c->values = values;
    m->world->moved += count;
    pthread_cond_broadcast(&c->changed);
    while (c->values) pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

static inline int world_receive(void *user, int from, double *values, int64_t count) {
    member *m = user;
    channel *c = &m->world->channels[from][m->ranks.rank];
    pthread_mutex_lock(&c->lock);
    while (!c->values) pthread_cond_wait(&c->changed, &c->lock);
    memcpy(values, c->values, (size_t)count * sizeof *values);
    c->values = NULL;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

static inline void *world_member(void *user) {
    member *m = user;
    m->work(m);
    return NULL;
}

/* Runs `work` on that many ranks. `direct`: they can send to each other. The allocation numbered fail_at (0: none) of
 * rank fail_rank fails. Everything but the contexts must have been freed. */
static inline void world_run(int ranks, bool direct, int fail_rank, long fail_at, void (*work)(member *), void *user) {
    static world w;
    member members[MAX_RANKS];
    pthread_t threads[MAX_RANKS];
    memset(&w, 0, sizeof w);
    w.ranks = ranks;
    pthread_barrier_init(&w.barrier, NULL, (unsigned)ranks);
    for (int i = 0; i < ranks * ranks; i++) {
        pthread_mutex_init(&w.channels[i / ranks][i % ranks].lock, NULL);
        pthread_cond_init(&w.channels[i / ranks][i % ranks].changed, NULL);
    }
    for (int r = 0; r < ranks; r++) {
        member *m = &members[r];
        *m = (member){.world = &w, .user = user, .work = work};
        m->ranks = (gpis_ranks){.rank = r, .ranks = ranks, .reduce_sum = world_sum, .user = m};
        if (direct) m->ranks.send = world_send;
        if (direct) m->ranks.receive = world_receive;
        m->context = test_context(&m->memory);
        gpis_context_set_threads(m->context, 1 + r % 2);
        if (r == fail_rank) m->memory.fail_at = fail_at;
        pthread_create(&threads[r], NULL, world_member, m);
    }
    for (int r = 0; r < ranks; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < ranks; r++) test_context_end(members[r].context, &members[r].memory);
    pthread_barrier_destroy(&w.barrier);
}

#endif
