/*
 * The table of the summary: the largest coefficients, and the constraints that hold the answer with their shadow
 * prices, each beside the coefficient that it bounds.
 *
 *     name   coefficient  active constraint  shadow price
 *     BMI        5.37161
 *     age              0  age >= 0                  0.576
 *     -                   l1:30                      1592
 *     and 12 more coefficients, 9 of them zero
 *
 * It fits the terminal: names and constraints are cut where they are too long.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "cli.h"

enum { MOST_COEFFICIENTS = 10, MOST_CONSTRAINTS = 10, MOST_ROWS = MOST_COEFFICIENTS + MOST_CONSTRAINTS };
enum { WIDEST_NAME = 40, NARROWEST = 12, USUAL_WIDTH = 100, NUMBERS = 12 + 12 + 8, RANGES = 2 * 13 }; /* characters */

typedef struct row {
    int64_t entry;           /* of x; -1: the constraint is about several */
    const gpis_active *held; /* NULL: nothing holds it */
} row;

typedef struct listing {
    const cli_problem *p;
    const gpis_result *r;
    row rows[MOST_ROWS];
    int count;
    int64_t coefficients, zeros, constraints; /* that are not shown */
    int name_width, text_width;
} listing;

/* ---- which rows -------------------------------------------------------------------------------------------------- */

static bool is_shown(const listing *t, int64_t entry) {
    for (int i = 0; i < t->count; i++)
        if (t->rows[i].entry == entry) return true;
    return false;
}

/* The largest coefficients, largest first; ties by position. */
static void take_coefficients(listing *t, const gpis_active **held) {
    const int64_t entries = t->p->shape.cols * t->p->k;
    for (int more = 0; more < MOST_COEFFICIENTS; more++) {
        int64_t best = -1;
        for (int64_t i = 0; i < entries; i++)
            if (t->r->x[i] != 0 && (best < 0 || fabs(t->r->x[i]) > fabs(t->r->x[best])) && !is_shown(t, i)) best = i;
        if (best < 0) return;
        t->rows[t->count++] = (row){best, held[best]};
    }
}

/* Dearest first; ties as they come. */
static int by_price(const void *a, const void *b) {
    const gpis_active *p = *(const gpis_active *const *)a, *q = *(const gpis_active *const *)b;
    const double x = fabs(p->multiplier), y = fabs(q->multiplier);
    if (x != y) return x < y ? 1 : -1;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    return p->response < q->response ? -1 : p->response > q->response;
}

/* The dearest constraints that are not beside a coefficient already. */
static void take_constraints(listing *t, const gpis_active **order) {
    const gpis_result *r = t->r;
    if (r->active_count > 0)
        memcpy(order, r->active, (size_t)r->active_count * sizeof *order); /* else it may be NULL */
    qsort(order, (size_t)r->active_count, sizeof *order, by_price);
    for (int64_t i = 0; i < r->active_count; i++) {
        const int64_t entry = order[i]->column < 0 ? -1 : order[i]->column * r->k + order[i]->response;
        if (entry >= 0 && is_shown(t, entry)) continue;
        if (t->count < MOST_ROWS)
            t->rows[t->count++] = (row){entry, order[i]};
        else
            t->constraints++;
    }
}

static void count_others(listing *t) {
    const int64_t entries = t->p->shape.cols * t->p->k;
    t->coefficients = entries;
    t->zeros = entries - cli_count_nonzeros(t->r->x, entries);
    for (int i = 0; i < t->count; i++) {
        if (t->rows[i].entry < 0) continue;
        t->coefficients--;
        t->zeros -= t->r->x[t->rows[i].entry] == 0;
    }
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The columns of the terminal that the character at *at takes: 2 if it is wide, 0 if it combines with the one before.
 * The locale is that of cli_print_listing; where there is none, every character takes one. Moves *at behind it. */
static int next_width(const char **at) {
    wchar_t wide;
    const size_t bytes = mbrtowc(&wide, *at, strlen(*at), &(mbstate_t){0});
    const bool known = bytes > 0 && bytes < (size_t)-2;
    const int width = known ? wcwidth(wide) : -1;
    (*at)++;
    while (((unsigned char)**at & 0xC0) == 0x80) (*at)++;
    return width < 0 ? 1 : width;
}

static int width_of(const char *text) {
    int width = 0;
    while (*text) width += next_width(&text);
    return width;
}

/* A text as the table shows it: printable, and cut to `width` characters. */
static cli_text cut(const char *text, int width) {
    cli_text out = cli_printable(text);
    if (width_of(out.text) <= width) return out;
    const char *end = out.text, *next = end;
    for (int seen = 0; *end; end = next) {
        seen += next_width(&next);
        if (seen > width - 3) break;
    }
    snprintf(out.text + (end - out.text), 4, "...");
    return out;
}

static cli_text name_of(const listing *t, const row *one) {
    char made[32];
    const int64_t k = t->p->k;
    if (one->entry < 0) return cli_printable("-");
    cli_text name = cut(cli_column_name(t->p->A, one->entry / k, made), t->name_width);
    const size_t used = strlen(name.text);
    if (k > 1) snprintf(name.text + used, sizeof name.text - used, " [%lld]", (long long)(one->entry % k) + 1);
    return name;
}

/* A constraint about several coefficients says itself which response it is about. */
static cli_text text_of(const listing *t, const row *one) {
    cli_text text = cut(one->held ? one->held->text : "", t->text_width);
    const size_t used = strlen(text.text);
    if (one->held && one->entry < 0 && t->p->k > 1)
        snprintf(text.text + used, sizeof text.text - used, " [%lld]", (long long)one->held->response + 1);
    return text;
}

static int widest(const listing *t, cli_text (*text)(const listing *, const row *)) {
    int width = 0;
    for (int i = 0; i < t->count; i++) {
        const int one = width_of(text(t, &t->rows[i]).text);
        if (one > width) width = one;
    }
    return width;
}

static void pad(const char *text, int width) { printf("%s%*s", text, width - width_of(text), ""); }

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void fit_terminal(listing *t) {
    const int room = cli_terminal_width(STDOUT_FILENO, USUAL_WIDTH + 1) - NUMBERS - (t->p->ranges ? RANGES : 0);
    const int most = room / 2 < NARROWEST ? NARROWEST : room / 2;
    t->name_width = most < WIDEST_NAME ? most : WIDEST_NAME;
    t->text_width = room - t->name_width < NARROWEST ? NARROWEST : room - t->name_width;
}

static void print_row(const listing *t, const row *one, int names, int texts) {
    printf("  ");
    pad(name_of(t, one).text, names);
    if (one->entry >= 0)
        printf("  %11.6g", t->r->x[one->entry]);
    else
        printf("  %11s", "");
    const gpis_range_ends *ends = t->p->ranges && one->entry >= 0 ? &t->p->ranges->ends[one->entry] : NULL;
    if (ends)
        printf("  %11.5g  %11.5g", ends->lower, ends->upper);
    else if (t->p->ranges && one->held)
        printf("%*s", RANGES, "");
    if (one->held) {
        printf("  ");
        pad(text_of(t, one).text, texts);
        printf("  %12.4g", one->held->multiplier);
    }
    putchar('\n');
}

static void print_rest(const listing *t) {
    if (t->coefficients == 0 && t->constraints == 0) return;
    printf("  and");
    if (t->coefficients > 0)
        printf(" %lld more coefficient%s", (long long)t->coefficients, t->coefficients > 1 ? "s" : "");
    if (t->coefficients > 0 && t->zeros > 0 && t->zeros == t->coefficients)
        printf(t->zeros > 1 ? ", all zero" : ", which is zero");
    else if (t->coefficients > 0 && t->zeros > 0)
        printf(", %lld of them zero", (long long)t->zeros);
    if (t->constraints > 0)
        printf("%s %lld more constraints", t->coefficients > 0 ? ", and" : "", (long long)t->constraints);
    putchar('\n');
}

void cli_print_listing(const cli_problem *p, const gpis_result *r) {
    listing t = {.p = p, .r = r};
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : utf8;
    const gpis_active **held = cli_held_entries(r), **order = calloc((size_t)r->active_count + 1, sizeof *order);
    if (held && order) { /* a summary without this part is still true */
        take_coefficients(&t, held);
        take_constraints(&t, order);
        count_others(&t);
        fit_terminal(&t);
        const int names = widest(&t, name_of) < 4 ? 4 : widest(&t, name_of);
        const int texts = widest(&t, text_of) < 17 ? 17 : widest(&t, text_of);
        printf("  ");
        pad("name", names);
        printf("  coefficient");
        if (p->ranges) printf("  %11s  %11s", "range from", "range to");
        if (r->active_count > 0) {
            printf("  ");
            pad("active constraint", texts);
            printf("  shadow price");
        }
        putchar('\n');
        for (int i = 0; i < t.count; i++) print_row(&t, &t.rows[i], names, texts);
        print_rest(&t);
    }
    if (utf8) uselocale(before);
    if (utf8) freelocale(utf8);
    free(held);
    free(order);
}
