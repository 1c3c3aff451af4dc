/* The table of methods, from the list of base/names.h. */
#include "method/method.h"

#include <stdio.h>
#include <string.h>

static const gpis_method *const METHODS[] = {
#define ADDRESS(symbol, name) &gpis_method_##symbol,
    GPIS_METHOD_LIST(ADDRESS)
#undef ADDRESS
};

gpis_methods gpis_all_methods(void) { return (gpis_methods){METHODS, sizeof METHODS / sizeof *METHODS}; }

const gpis_method *gpis_method_named(gpis_methods methods, const char *name) {
    for (int i = 0; i < methods.count; i++)
        if (strcmp(methods.rows[i]->name, name) == 0) return methods.rows[i];
    return NULL;
}

gpis_status gpis_method_unknown(gpis_context *context, gpis_methods methods, const char *name) {
    char names[128] = "auto";
    for (int i = 0; i < methods.count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", methods.rows[i]->name);
    }
    return gpis_fail(context, GPIS_BAD_ARGUMENT, "no method is called '%s'; there are %s", name, names);
}

const gpis_method *gpis_method_find(gpis_context *context, const char *name) {
    const gpis_method *method = gpis_method_named(gpis_all_methods(), name);
    if (!method) gpis_method_unknown(context, gpis_all_methods(), name);
    return method;
}
