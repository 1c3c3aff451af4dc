/* Problems as .npy files and a command: see export.h. */
#include "export.h"

#include <stdio.h>
#include <string.h>

/* Rows x cols doubles, row-major; cols 0: a plain vector. */
static int write_npy(const char *folder, const char *name, const double *data, int64_t rows, int64_t cols) {
    char path[512], header[128], shape[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (cols > 0)
        snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)rows, (long long)cols);
    else
        snprintf(shape, sizeof shape, "(%lld,)", (long long)rows);
    snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    const size_t count = (size_t)(rows * (cols > 0 ? cols : 1));
    int failed = fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, header) != 128;
    failed |= fwrite(data, sizeof *data, count, file) != count;
    failed |= fclose(file) != 0;
    if (failed) perror(path);
    return failed;
}

/* The spec of the set without its transform; "" where there is none. */
static int export_set(const constraint *c, const char *folder, char *spec, size_t size) {
    constraint plain = *c;
    char name[32];
    plain.turn = TURN_NONE;
    constraint_name(&plain, name, sizeof name);
    switch (c->kind) {
    case KIND_BLOCKS: *spec = '\0'; return 0;
    case KIND_NONE:
    case KIND_NONNEG:
    case KIND_MONOTONE: snprintf(spec, size, "%s", name); return 0;
    case KIND_BOX:
        snprintf(spec, size, "box:%s/lo.npy,%s/hi.npy", folder, folder);
        return write_npy(folder, "lo.npy", c->lower, c->d, 0) || write_npy(folder, "hi.npy", c->upper, c->d, 0);
    case KIND_AFFINE:
        snprintf(spec, size, "affine:%s/C.npy,%s/b.npy", folder, folder);
        return write_npy(folder, "C.npy", c->C, c->rows, c->d) || write_npy(folder, "b.npy", c->b, c->rows, 0);
    case KIND_GROUP: snprintf(spec, size, "group:%.17g:%lld", c->R, (long long)c->size); return 0;
    default: snprintf(spec, size, "%s:%.17g", name, c->R); return 0;
    }
}

int export_problem(const problem *p, const char *folder) {
    char spec[1200];
    if (write_npy(folder, "A.npy", p->A, p->n, p->d) || write_npy(folder, "y.npy", p->Y, p->n, p->k > 1 ? p->k : 0) ||
        export_set(&p->set, folder, spec, sizeof spec - 520))
        return 1;
    if (p->set.penalty && write_npy(folder, "penalty.npy", p->set.penalty, p->d, 0)) return 1;
    if (!*spec) {
        printf("%s/A.npy, %s/y.npy (a product of blocks has no spec)\n", folder, folder);
        return 0;
    }
    const size_t used = strlen(spec);
    if (p->set.turn == TURN_DCT) snprintf(spec + used, sizeof spec - used, "@dct");
    if (p->set.turn == TURN_MATRIX) {
        snprintf(spec + used, sizeof spec - used, "@%s/U.npy", folder);
        if (write_npy(folder, "U.npy", p->set.U, p->d, p->d)) return 1;
    }
    printf("gpis solve %s/A.npy %s/y.npy --set %s --method %s --tol %.17g --seed %llu --threads %d", folder, folder,
           spec, p->method, p->tol, (unsigned long long)(p->number + 1), p->threads);
    if (p->set.penalty) printf(" --penalty l1:1,%s/penalty.npy", folder);
    if (p->m > 0) printf(" --sketch %s --m %lld", p->sketch, (long long)p->m);
    if (p->max_passes > 0) printf(" --max-passes %lld", (long long)p->max_passes);
    printf("%s\n", p->proven ? " --certificate proven" : "");
    return 0;
}
