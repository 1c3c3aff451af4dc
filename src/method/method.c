/* The table of methods. */
#include "method/method.h"

#include <stdio.h>
#include <string.h>

static const gpis_method *const METHODS[] = {&gpis_method_newton, &gpis_method_gpis, &gpis_method_acc_gpis,
                                             &gpis_method_pgd,    &gpis_method_apgd, &gpis_method_saga};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

const char *gpis_always_applicable(const gpis_run *run) {
    (void)run;
    return NULL;
}

const gpis_method *gpis_method_find(gpis_context *context, const char *name) {
    char names[128] = "auto";
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (strcmp(METHODS[i]->name, name) == 0) return METHODS[i];
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", METHODS[i]->name);
    }
    gpis_fail(context, GPIS_BAD_ARGUMENT, "no method is called '%s'; there are %s", name, names);
    return NULL;
}
