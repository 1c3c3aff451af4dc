/* What the program knows of its problem, for the pages of --report. */
#ifndef GPIS_CLI_PAGE_FACTS_H
#define GPIS_CLI_PAGE_FACTS_H

#include "cli.h"
#include "page.h"

/* Fills in what is known before the answer; false: no memory. Then the caller adds the answer, and clears the page. */
bool cli_page_make(page *page, const cli_problem *problem, const cli_common *common, const char *a,
                   const char *command);
void cli_page_clear(page *page);

#endif
