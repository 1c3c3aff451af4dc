/*
 * Reports: one HTML page that stands alone, without network and without scripts from elsewhere. Its parts are functions
 * that write one section each; what comes from data goes through html.h.
 */
#ifndef GPIS_CLI_PAGE_H
#define GPIS_CLI_PAGE_H

#include "chart.h"
#include "cli.h"
#include "html.h"
#include "path.h"

/* The files cli/page/style.css and script.js, and their SHA-256 digests in hexadecimal; made by the build. */
extern const char page_style[], page_style_digest[], page_script[], page_script_digest[];

/* What a page is made of. Fields that are not known are NULL. */
typedef struct page {
    FILE *f;
    const cli_problem *problem;
    const cli_common *common;
    const gpis_result *result;
    const char *command; /* as it was typed */
    const char *a, *y;   /* files */
    const gpis_progress *trace;
    int64_t trace_count;
    const gpis_settings *settings; /* that the solve was made with */
} page;

/* ---- the frame (page.c) ---- */

void page_begin(const page *page, const char *title);
void page_end(const page *page);
/* A number with its name, in a list that page_facts_begin and page_facts_end enclose. */
void page_facts_begin(FILE *f);
void page_fact(FILE *f, const char *name, double value, int digits);
void page_facts_end(FILE *f);

/* The heading and the first words of the problem, up to the file of A; and the constraints and terms as they were
 * given, as a list (page_solve.c). */
void page_question(const page *page);
void page_terms(const page *page);
/* A cell of a table with a number that can be sorted by; and a heading of a table that can be sorted, of text or not.
 */
void page_cell(FILE *f, double value, int digits);
void page_heading(FILE *f, const char *title, bool text);
/* The file name of A, without its folder. */
const char *page_file_name(const page *page);

/* ---- sections of a solve (page_solve.c, page_rows.c) ---- */

void page_problem(const page *page);      /* what was solved, in words */
void page_certificate(const page *page);  /* how good the answer is, and what that means */
void page_coefficients(const page *page); /* a table that can be sorted */
void page_convergence(const page *page);
void page_plan(const page *page); /* what was predicted, and what was */
/* Residuals of a sample of rows. Reads at most some thousand rows of A, by their numbers. */
void page_residuals(const page *page);

/* Writes the report of a solve; returns 0 or an exit code. */
int page_write_solve(const page *page, const char *path);
/* The same of a path, and of the choice by cross-validation if there was one (page_path.c). */
int page_write_path(const page *page, const cli_path *answers, const char *path);

#endif
