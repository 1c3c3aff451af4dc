/*
 * While files are opened: a line on the terminal that shows how far the parsing of text is,
 *
 *     reading text, 43 %  118 MB/s  about 3 s left
 *
 * a note when a cache appears beside a file, and Ctrl-C.
 */
#include <unistd.h>

#include "cli.h"

static void show(cli_loading *loading, const gpis_open_progress *p) {
    char text[128], left[64] = "";
    const double rate = p->seconds > 0 ? (double)p->done / p->seconds : 0;
    if (p->bytes > 0 && rate > 0) cli_line_left(left, sizeof left, (double)(p->bytes - p->done) / rate);
    if (p->bytes > 0)
        snprintf(text, sizeof text, "reading text, %.0f %%  %.0f MB/s%s", 100.0 * (double)p->done / (double)p->bytes,
                 rate / 1e6, left);
    else
        snprintf(text, sizeof text, "reading text, %.0f MB  %.0f MB/s", (double)p->done / 1e6, rate / 1e6);
    cli_line_put(text);
    loading->shown = true;
}

/* A gpis_open_progress_fn. */
static int watch(void *user, const gpis_open_progress *p) {
    cli_loading *loading = user;
    if (p->cache && !loading->quiet && !loading->cache_named) {
        cli_loading_end(loading);
        cli_fail(0,
                 "note: the numbers of %s do not fit in memory and were written to %s (%.0f MB) for this run and later "
                 "ones; --cache DIR puts that file elsewhere, and it may be removed",
                 p->path, p->cache, (double)p->cache_bytes / 1e6);
    } else if (!p->cache && loading->on_terminal) {
        show(loading, p);
    }
    return cli_interrupted();
}

void cli_loading_start(cli_loading *loading, bool quiet, gpis_open_options *options) {
    *loading = (cli_loading){.on_terminal = isatty(STDERR_FILENO) && !quiet && cli_is_first(),
                             .quiet = quiet,
                             .cache_named = options->cache != NULL};
    options->progress = watch;
    options->progress_user = loading;
}

void cli_loading_end(cli_loading *loading) {
    if (loading->shown) cli_line_put("");
    loading->shown = false;
}
