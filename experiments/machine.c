/* The machine, its load and the versions, for the page. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "experiment.h"

void print_html(FILE *page, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", page); break;
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '"': fputs("&quot;", page); break;
        case '\'': fputs("&#39;", page); break;
        default: fputc(*text, page);
        }
    }
}

double machine_load(void) {
    double average = 0.0;
    return getloadavg(&average, 1) == 1 ? average : -1.0;
}

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

static void print_entry(FILE *page, const char *name, const char *value) {
    fprintf(page, "<dt>%s</dt><dd>", name);
    print_html(page, value);
    fputs("</dd>\n", page);
}

void print_machine(FILE *page, const reproduce_options *o) {
    char text[512];
    struct utsname system = {0};
    uname(&system);
    fputs("<dl>\n", page);
    find_cpu(text, sizeof text);
    print_entry(page, "Processor", text);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(text, sizeof text, "%ld, %lld", cores, (long long)(o->threads > 0 ? o->threads : cores));
    print_entry(page, "Cores online, threads of each method", text);
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0;
    snprintf(text, sizeof text, "%.1f GiB", memory);
    print_entry(page, "Memory", text);
    snprintf(text, sizeof text, "%s %s", system.sysname, system.release);
    print_entry(page, "System", text);
    print_entry(page, "Compiler", "gcc " __VERSION__);
    snprintf(text, sizeof text, "%s, one thread a call", openblas_get_config());
    print_entry(page, "BLAS", text);
    print_entry(page, "gpis", gpis_version());
    snprintf(text, sizeof text, "%llu", (unsigned long long)o->seed);
    print_entry(page, "Seed", text);
    fputs("</dl>\n", page);
}
