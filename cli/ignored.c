/* The note about options that were given and that the method does not use. */
#include <string.h>

#include "cli.h"

/* The method as the table of options calls it: "newton with a sketch". */
typedef struct way {
    char name[48];
} way;

static way way_of(const gpis_plan_candidate *chosen) {
    way w;
    const char *model = "";
    if (strcmp(chosen->method, "newton") == 0) model = chosen->m > 0 ? " with a sketch" : " with the Gram matrix";
    snprintf(w.name, sizeof w.name, "%s%s", chosen->method, model);
    return w;
}

/* Whether a list of methods, "newton, gpis", has this one: "newton" stands for newton with any model. */
static bool lists(const char *methods, const way *w) {
    while (*methods) {
        const size_t length = strcspn(methods, ",");
        if (strncmp(methods, w->name, length) == 0 && (w->name[length] == '\0' || w->name[length] == ' ')) return true;
        methods += length + strspn(methods + length, ", ");
    }
    return false;
}

/* An option that not every method uses, and that asks for something. */
static bool is_asked_for(const cli_common *common, const gpis_option *option) {
    const char *sketch = common->settings.sketch;
    if (!option->methods || !cli_is_given(common, option->name)) return false;
    return strcmp(option->name, "sketch") != 0 || (strcmp(sketch, "auto") != 0 && strcmp(sketch, "none") != 0);
}

static bool is_used(const cli_common *common, const gpis_option *option, const way *w) {
    const bool search = strcmp(option->name, "gamma-u") == 0 || strcmp(option->name, "gamma-d") == 0;
    if (search && common->settings.fixed_step > 0) return false; /* a fixed step turns the search off */
    if (strcmp(option->name, "delta") == 0 && common->settings.certificate != GPIS_CERTIFICATE_ANY) return false;
    return lists(option->methods, w);
}

bool cli_asks_for_method(const cli_common *common) {
    const gpis_option *option;
    for (int i = 0; (option = gpis_option_at(i)) != NULL; i++)
        if (is_asked_for(common, option)) return true;
    return false;
}

/* Appends the options of a group, or those of all other groups, that are not used; returns how many there are now. */
static int list_ignored(const cli_common *common, const way *w, bool of_method, int count, char *list, size_t size) {
    const gpis_option *option;
    for (int i = 0; (option = gpis_option_at(i)) != NULL; i++) {
        if ((strcmp(option->group, "Method") == 0) != of_method) continue;
        if (!is_asked_for(common, option) || is_used(common, option, w)) continue;
        const size_t used = strlen(list);
        snprintf(list + used, size - used, "%s--%s", count++ ? ", " : "", option->name);
    }
    return count;
}

void cli_report_ignored(const cli_common *common, const gpis_plan_candidate *chosen) {
    const way w = way_of(chosen);
    char list[160] = "";
    int ignored = list_ignored(common, &w, true, 0, list, sizeof list);
    ignored = list_ignored(common, &w, false, ignored, list, sizeof list);
    if (ignored == 0) return;
    const bool fixed = common->settings.fixed_step > 0 && lists(gpis_option_find("step")->methods, &w);
    cli_fail(0, "note: %s %s ignored: %s%s does not use %s", list, ignored > 1 ? "are" : "is", w.name,
             fixed ? " with a fixed --step" : "", ignored > 1 ? "them" : "it");
}
