/* Ranks that talk by MPI: the only file that knows it. One communicator, calls from the main thread only. */
#include <mpi.h>

#include "ranks.h"

enum { PIECE = 1 << 26 }; /* doubles a call: MPI counts in int */

static double bytes_sent;

static int reduce_sum(void *user, double *values, int64_t count) {
    (void)user;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < count && code == MPI_SUCCESS; i += PIECE) {
        const int some = (int)(count - i < PIECE ? count - i : PIECE);
        code = MPI_Allreduce(MPI_IN_PLACE, values + i, some, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        bytes_sent += 8.0 * some;
    }
    return code;
}

static int send_to(void *user, int to, const double *values, int64_t count) {
    (void)user;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < count && code == MPI_SUCCESS; i += PIECE) {
        const int some = (int)(count - i < PIECE ? count - i : PIECE);
        code = MPI_Send(values + i, some, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        bytes_sent += 8.0 * some;
    }
    return code;
}

static int receive_from(void *user, int from, double *values, int64_t count) {
    (void)user;
    int code = MPI_SUCCESS;
    for (int64_t i = 0; i < count && code == MPI_SUCCESS; i += PIECE) {
        const int some = (int)(count - i < PIECE ? count - i : PIECE);
        code = MPI_Recv(values + i, some, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return code;
}

static int start(gpis_ranks *ranks) {
    int provided = 0;
    MPI_Comm machine;
    *ranks = (gpis_ranks){.reduce_sum = reduce_sum, .send = send_to, .receive = receive_from};
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return 1;
    if (provided < MPI_THREAD_FUNNELED) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks->neighbours);
    MPI_Comm_free(&machine);
    return 0;
}

static double sent(void) { return bytes_sent; }

static void stop(void) { MPI_Finalize(); }

extern const cli_transport gpis_mpi_transport;
const cli_transport gpis_mpi_transport = {start, sent, stop};
