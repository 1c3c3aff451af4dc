/* The machine and the versions, for the page. */
#include <cblas.h>
#include <omp.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "experiment.h"

static void find_cpu(char *model, size_t size) {
    FILE *stream = fopen("/proc/cpuinfo", "r");
    char line[512];
    snprintf(model, size, "unknown");
    while (stream && fgets(line, sizeof line, stream)) {
        const char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        snprintf(model, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (stream) fclose(stream);
}

void print_machine(FILE *page, const reproduce_options *o) {
    char cpu[256];
    struct utsname system = {0};
    uname(&system);
    find_cpu(cpu, sizeof cpu);
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0;
    fprintf(
        page,
        "<dl>\n<dt>Processor</dt><dd>%s</dd>\n<dt>Cores online, threads used</dt><dd>%ld, %lld</dd>\n"
        "<dt>Memory</dt><dd>%.1f GiB</dd>\n<dt>System</dt><dd>%s %s</dd>\n<dt>Compiler</dt><dd>gcc %s</dd>\n"
        "<dt>BLAS</dt><dd>%s, one thread a call</dd>\n<dt>gpis</dt><dd>%s</dd>\n<dt>Seed</dt><dd>%llu</dd>\n</dl>\n",
        cpu, sysconf(_SC_NPROCESSORS_ONLN), (long long)(o->threads > 0 ? o->threads : sysconf(_SC_NPROCESSORS_ONLN)),
        memory, system.sysname, system.release, __VERSION__, openblas_get_config(), gpis_version(),
        (unsigned long long)o->seed);
}
