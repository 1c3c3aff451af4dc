/*
 * The program as one of several ranks under mpirun. MPI itself is in a module that is loaded only then, so that a
 * single process does not pay for it. Trouble is reported once: while a command opens its files each rank keeps its
 * message, and cli_ranks_agree lets rank 0 print that of the first rank that has one.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "ranks.h"

/* The variables that launchers set: Open MPI; MPICH, Intel MPI and Slurm's PMI. */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};

static struct {
    const cli_transport *transport; /* NULL: not started */
    gpis_ranks ranks;
    bool keeping; /* messages wait for cli_ranks_agree */
    char kept[512];
} us;

static int set_by_launcher(const char *const names[2]) {
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        if (text && *text) return atoi(text);
    }
    return -1;
}

int cli_ranks_launched(void) {
    const int size = set_by_launcher(sizes);
    return size > 1 ? size : 1;
}

bool cli_is_first(void) {
    return us.transport ? us.ranks.rank == 0 : cli_ranks_launched() == 1 || set_by_launcher(numbers) == 0;
}

const gpis_ranks *cli_ranks(void) { return us.transport ? &us.ranks : NULL; }

/* ---- messages ---------------------------------------------------------------------------------------------------- */

bool cli_ranks_keep(int code, const char *text) {
    if (us.keeping && code != 0 && !us.kept[0]) snprintf(us.kept, sizeof us.kept, "%s", text);
    return !cli_is_first() || (us.keeping && code != 0);
}

/* Every rank's number, by all ranks. */
static void gather(double mine, double *all) {
    memset(all, 0, (size_t)us.ranks.ranks * sizeof *all);
    all[us.ranks.rank] = mine;
    us.ranks.reduce_sum(us.ranks.user, all, us.ranks.ranks);
}

double cli_ranks_largest(double mine) {
    double *all = us.transport ? calloc((size_t)us.ranks.ranks, sizeof *all) : NULL, largest = mine;
    if (!all) return mine;
    gather(mine, all);
    for (int r = 0; r < us.ranks.ranks; r++)
        if (all[r] > largest) largest = all[r];
    free(all);
    return largest;
}

/* The text of rank `from` to all. */
static void share_text(int from, char text[512]) {
    double letters[512] = {0};
    for (int i = 0; i < 512 && us.ranks.rank == from; i++) letters[i] = (unsigned char)text[i];
    us.ranks.reduce_sum(us.ranks.user, letters, 512);
    for (int i = 0; i < 512; i++) text[i] = (char)letters[i];
}

int cli_ranks_agree(int code) {
    if (!us.transport) return code;
    double *codes = calloc((size_t)us.ranks.ranks, sizeof *codes);
    if (!codes) abort(); /* mpirun ends the others */
    gather(code, codes);
    int first = -1, failed = 0;
    for (int r = us.ranks.ranks - 1; r >= 0; r--)
        if (codes[r] != 0) {
            first = r;
            failed++;
        }
    code = first < 0 ? 0 : (int)codes[first];
    free(codes);
    if (first < 0) return 0;
    share_text(first, us.kept);
    us.keeping = false;
    if (failed == us.ranks.ranks)
        cli_fail(code, "%s", us.kept);
    else
        cli_fail(code, "rank %d: %s", first, us.kept);
    return code;
}

void cli_ranks_settled(void) { us.keeping = false; }

/* ---- coming and going -------------------------------------------------------------------------------------------- */

int cli_ranks_start(bool asked) {
    if (cli_ranks_launched() == 1 && !asked) return 0;
    void *module = dlopen(CLI_TRANSPORT_MODULE, RTLD_NOW | RTLD_GLOBAL);
    const cli_transport *transport = module ? dlsym(module, CLI_TRANSPORT_SYMBOL) : NULL;
    if (!transport && !cli_is_first())
        sleep(2); /* the first rank to fail ends the others: that is to be the one that talks */
    if (!transport && asked)
        return cli_fail(CLI_BAD_INPUT, "--mpi: this gpis was built without MPI (%s is not there)",
                        CLI_TRANSPORT_MODULE);
    if (!transport)
        return cli_fail(CLI_BAD_INPUT,
                        "started as one of %d ranks, but this gpis was built without MPI (%s is not there); run it "
                        "without mpirun",
                        cli_ranks_launched(), CLI_TRANSPORT_MODULE);
    if (transport->start(&us.ranks) != 0) return cli_fail(CLI_TROUBLE, "MPI could not be started");
    us.transport = transport;
    us.keeping = true;
    cli_watch_files(); /* by this rank's name */
    return 0;
}

void cli_ranks_stop(void) {
    if (us.transport) us.transport->stop();
    us.transport = NULL;
}

double cli_ranks_sent(void) {
    double sum = us.transport ? us.transport->sent() : 0;
    if (us.transport) us.ranks.reduce_sum(us.ranks.user, &sum, 1);
    return sum;
}

/* The cores of the machine, shared out among the ranks on it; fewer where the launcher has bound this one to some. */
int cli_ranks_threads(int threads) {
    if (!us.transport || threads > 0) return threads;
    gpis_context *context = NULL;
    const int bound = gpis_context_create(&context) == GPIS_OK ? gpis_context_threads(context) : 1;
    gpis_context_destroy(context);
    const long share = sysconf(_SC_NPROCESSORS_ONLN) / us.ranks.neighbours;
    return share < 1 ? 1 : share < bound ? (int)share : bound;
}
