/*
 * Reports: one HTML page that stands alone, without network and without scripts from elsewhere. Its parts are functions
 * that write one section each; what comes from data goes through html.h.
 */
#ifndef GPIS_CLI_PAGE_H
#define GPIS_CLI_PAGE_H

#include "chart.h"
#include "entries.h"
#include "html.h"
#include "path_view.h"

/* The files cli/page/style.css and script.js, and their SHA-256 digests in hexadecimal; made by the build. */
extern const char page_style[], page_style_digest[], page_script[], page_script_digest[];

/* A constraint as it was given: words that introduce it, and its text. */
typedef struct page_constraint {
    const char *words, *text;
} page_constraint;

/* What a page is made of. It stands on the library alone, so that the program and the Python package write the same
 * pages. A pointer that is NULL stands for what is not known or not there; all of them are borrowed. */
typedef struct page {
    FILE *f;
    const char *command; /* how the answer was asked for */

    /* The problem. */
    const char *a, *target; /* where the rows are from; the name of the response */
    int64_t rows, columns, responses;
    const page_constraint *constraints;
    int64_t constraint_count;
    bool radii, penalties;        /* the page is about a path of radii of the l1 norm, or of penalties */
    bool intercept, standardized; /* whether there is a constant; whether constraints see columns of unit deviation */
    const char *weighted_by, *offset_by;
    double l1, l2, tol;
    const gpis_encoding *encoding;

    /* The data. Without Y no residuals are shown, without a set no bounds, without a problem no other plans. */
    gpis_context *context;
    gpis_source *A; /* has the names of the columns */
    const double *Y, *weights, *offset;
    bool resident; /* the rows are in memory */
    gpis_set *set;
    gpis_problem *problem;
    const gpis_settings *settings; /* that the solve was made with */

    /* The answer. */
    const gpis_result *result;
    const gpis_ranges *ranges;
    const gpis_progress *trace;
    int64_t trace_count;
    double load_seconds; /* negative: not known */
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

/* Writes the report of a solve to its stream. */
void page_write_solve(const page *page);
/* The same of a path, and of the choice by cross-validation if there was one (page_path.c); false: no memory. */
bool page_write_path(const page *page, const cli_path *answers);

#endif
