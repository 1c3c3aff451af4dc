/* The frame of a page. Its Content-Security-Policy allows the page's own script and style, by their digests, and no
 * other: even a text that escaped its quotes could not run. */
#include "page.h"

#include <math.h>
#include <string.h>
#include <time.h>

static int nibble(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* A digest of 64 hexadecimal digits in base64: 43 characters and one of padding. */
static void write_base64(FILE *f, const char *hex) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    int held = 0;
    for (; *hex; hex++) {
        bits = bits << 4 | (unsigned)nibble(*hex);
        held += 4;
        if (held >= 6) putc(digits[bits >> (held -= 6) & 63], f);
    }
    if (held > 0) putc(digits[bits << (6 - held) & 63], f);
    putc('=', f);
}

static void write_date(FILE *f) {
    const time_t now = time(NULL);
    struct tm parts;
    char text[64] = "";
    if (localtime_r(&now, &parts)) strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    html_text(f, text);
}

void page_begin(const page *p, const char *title) {
    FILE *f = p->f;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-",
          f);
    write_base64(f, page_script_digest);
    fputs("'; style-src 'sha256-", f);
    write_base64(f, page_style_digest);
    fputs("'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
          f);
    html_text(f, title);
    fprintf(f, "</title>\n<style>%s</style>\n</head>\n<body>\n<header><h1>", page_style);
    html_text(f, title);
    fputs("</h1><p class=\"sub\">", f);
    write_date(f);
    html_print(f, ", gpis %s", gpis_version());
    fputs("</p></header>\n<main>\n", f);
}

void page_end(const page *p) {
    FILE *f = p->f;
    if (p->command) {
        fputs("<h2>How it was made</h2>\n<pre><code>", f);
        html_text(f, p->command);
        fputs("</code></pre>\n", f);
    }
    fprintf(
        f,
        "</main>\n<footer><p>This page stands alone: it loads nothing, and it can be sent, printed or kept as it is."
        "</p></footer>\n<script>%s</script>\n</body>\n</html>\n",
        page_script);
}

void page_facts_begin(FILE *f) { fputs("<dl class=\"facts\">", f); }

void page_fact(FILE *f, const char *name, double value, int digits) {
    fputs("<div><dt>", f);
    html_text(f, name);
    fputs("</dt><dd>", f);
    html_number(f, value, digits);
    fputs("</dd></div>", f);
}

void page_facts_end(FILE *f) { fputs("</dl>\n", f); }

void page_cell(FILE *f, double value, int digits) {
    if (isfinite(value))
        fprintf(f, "<td data-v=\"%.17g\">", value);
    else
        fputs("<td data-v=\"\">", f);
    if (isfinite(value)) html_number(f, value, digits);
    fputs("</td>", f);
}

void page_heading(FILE *f, const char *title, bool text) {
    fprintf(f, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>", text ? " class=\"t\"" : "", title);
}

const char *page_file_name(const page *p) {
    const char *slash = strrchr(p->a, '/');
    return slash ? slash + 1 : p->a;
}

void page_write_solve(const page *p) {
    char title[300];
    snprintf(title, sizeof title, p->target ? "Fit of %.120s in %.150s" : "Fit of %.0s%.150s",
             p->target ? p->target : "", page_file_name(p));
    page_begin(p, title);
    page_certificate(p);
    page_problem(p);
    page_coefficients(p);
    page_residuals(p);
    page_convergence(p);
    page_plan(p);
    page_end(p);
}
