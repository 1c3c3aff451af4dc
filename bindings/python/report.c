/* The page of a solve or, where there are answers, of a path, as a text. */
#include <stdio.h>
#include <stdlib.h>

#include "page.h"

/* NULL: there is no memory. The caller frees the text. */
static char *gpis_py_page(const page *given, const cli_path *answers) {
    page about = *given;
    char *text = NULL;
    size_t size = 0;
    bool good = true;
    about.f = open_memstream(&text, &size);
    if (!about.f) return NULL;
    if (answers)
        good = page_write_path(&about, answers);
    else
        page_write_solve(&about);
    if (fclose(about.f) == 0 && good) return text;
    free(text);
    return NULL;
}

static void gpis_py_free(char *text) { free(text); }
