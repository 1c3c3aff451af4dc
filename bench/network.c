/*
 * What the network under mpirun is worth, as the passes of gpis use it: "LATENCY BANDWIDTH", in seconds for a message
 * and bytes a second. An exchange of one number among P ranks is counted as 2 log2 P messages; the bandwidth is that of
 * 64 MB from rank 0 to rank 1.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 1000, NUMBERS = 1 << 23, SENDS = 5 };

static double time_exchange(void) {
    double number = 1.0, start = 0.0;
    for (int i = -TIMES / 10; i < TIMES; i++) {
        if (i == 0) start = MPI_Wtime();
        number = 1.0;
        MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / TIMES;
}

/* The best of a few. */
static double time_send(int rank, double *numbers) {
    double least = INFINITY;
    for (int i = 0; i < SENDS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (rank == 0) MPI_Send(numbers, NUMBERS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(numbers, NUMBERS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        least = fmin(least, MPI_Wtime() - start);
    }
    return least;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *numbers = calloc(NUMBERS, sizeof *numbers);
    if (!numbers || ranks < 2) MPI_Abort(MPI_COMM_WORLD, 1);
    const double exchange = time_exchange(), sending = time_send(rank, numbers);
    if (rank == 0) printf("%.3g %.3g\n", exchange / (2.0 * log2(ranks)), 8.0 * NUMBERS / sending);
    free(numbers);
    MPI_Finalize();
    return 0;
}
