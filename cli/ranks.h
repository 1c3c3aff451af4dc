/* What the program and the module that knows MPI agree upon. The module is loaded when ranks are there to talk to. */
#ifndef GPIS_CLI_RANKS_H
#define GPIS_CLI_RANKS_H

#include "gpis.h"

typedef struct cli_transport {
    int (*start)(gpis_ranks *ranks); /* 0, or a failure */
    double (*sent)(void);            /* bytes that this rank has handed over so far */
    void (*stop)(void);
} cli_transport;

#define CLI_TRANSPORT_MODULE "libgpis_mpi.so"
#define CLI_TRANSPORT_SYMBOL "gpis_mpi_transport"

#endif
