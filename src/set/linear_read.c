/* From the text of a linear constraint to rows (linear_read.h has the grammar), by recursive descent. */
#include "set/linear_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_SIDES = 256 }; /* parentheses within each other; sums of one chain of relations */

/* A number and terms, of which one column may have several. */
typedef struct sum {
    double number;
    int64_t first, count; /* its terms, on the parser's stack */
} sum;

typedef struct parser {
    gpis_linear *linear;
    gpis_spec *spec;
    gpis_linear_term *stack; /* owned */
    int64_t used, capacity;
    int depth;
} parser;

static gpis_status read_sum(parser *p, sum *out);

static gpis_status push(parser *p, int64_t column) {
    void *memory = p->stack;
    const gpis_status status =
        gpis_grow(p->spec->context, &memory, &p->capacity, p->used, p->used + 1, sizeof *p->stack);
    p->stack = memory;
    if (status == GPIS_OK) p->stack[p->used++] = (gpis_linear_term){column, 1.0};
    return status;
}

static void scale(parser *p, sum *s, double by) {
    s->number *= by;
    for (int64_t i = s->first; i < s->first + s->count; i++) p->stack[i].factor *= by;
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

static bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }
static bool is_number(const gpis_spec *s) {
    const bool point = s->at + 1 < s->end && *s->at == '.' && isdigit((unsigned char)s->at[1]);
    return s->at < s->end && (isdigit((unsigned char)*s->at) || point);
}

/* digits[.digits][e[+-]digits]: an 'e' without digits behind it begins a name. */
static const char *number_end(const gpis_spec *s) {
    const char *at = s->at;
    while (at < s->end && isdigit((unsigned char)*at)) at++;
    if (at < s->end && *at == '.') at++;
    while (at < s->end && isdigit((unsigned char)*at)) at++;
    const char *e = at;
    if (e < s->end && (*e == 'e' || *e == 'E')) e++;
    if (e < s->end && e > at && (*e == '+' || *e == '-')) e++;
    if (e == at || e == s->end || !isdigit((unsigned char)*e)) return at;
    while (e < s->end && isdigit((unsigned char)*e)) e++;
    return e;
}

static gpis_status read_number(parser *p, sum *out) {
    char digits[64]; /* the number by itself: what follows could continue it */
    const char *end = number_end(p->spec);
    const size_t length = (size_t)(end - p->spec->at);
    if (length >= sizeof digits) return gpis_spec_fail(p->spec, p->spec->at, "the number has too many digits");
    memcpy(digits, p->spec->at, length);
    digits[length] = '\0';
    if (!gpis_parse_number((gpis_span){digits, digits + length}, &out->number))
        return gpis_spec_expected(p->spec, "a number");
    if (isinf(out->number)) return gpis_spec_fail(p->spec, p->spec->at, "the number is too large");
    p->spec->at = end;
    return GPIS_OK;
}

/* Where no column has the name of a word, the text may hold the name of a column that needs quotes. */
static gpis_status fail_unknown(const parser *p, gpis_span word) {
    const gpis_lookup *lookup = p->linear->lookup;
    const char *best = NULL;
    for (int64_t j = 0; lookup->columns.name && j < lookup->columns.d; j++) {
        const char *name = lookup->columns.name(lookup->columns.user, j);
        const size_t length = strlen(name), left = (size_t)(p->spec->end - word.begin);
        if (length > (size_t)(word.end - word.begin) && length <= left && memcmp(name, word.begin, length) == 0 &&
            (!best || length > strlen(best)))
            best = name;
    }
    if (!best) return gpis_lookup_fail(lookup, p->spec, word.begin, word);
    return gpis_spec_fail(p->spec, word.begin, "there is no column '%.*s'; put the name \"%.40s\" in quotes",
                          (int)gpis_min64(word.end - word.begin, 40), word.begin, best);
}

static gpis_status push_column(parser *p, gpis_span name, const char *at, bool quoted) {
    int64_t column = 0, count = 0;
    gpis_status status = gpis_lookup_find(p->linear->lookup, name, &column, &count);
    if (status != GPIS_OK) return status;
    if (count == 0 && !quoted) return fail_unknown(p, name);
    status = gpis_lookup_one(p->linear->lookup, p->spec, at, name, &column);
    return status == GPIS_OK ? push(p, column) : status;
}

static gpis_status read_quoted(parser *p) {
    gpis_spec *s = p->spec;
    const char *begin = s->at, *close = gpis_quote_close(begin, s->end);
    if (!close) return gpis_spec_fail(s, begin, "the quote is not closed");
    char *name = gpis_alloc(s->context, close - begin, 1);
    if (!name) return GPIS_NO_MEMORY;
    const size_t length = gpis_quote_decode(begin, close, name);
    s->at = close;
    const gpis_status status = push_column(p, (gpis_span){name, name + length}, begin, true);
    gpis_free(s->context, name);
    return status;
}

/* Columns up to `close`; `one`: exactly one. */
static gpis_status read_columns(parser *p, char close, bool one) {
    const char *begin = p->spec->at;
    gpis_selection selection = {0};
    gpis_status status = gpis_select_columns(p->linear->lookup, p->spec, close, &selection);
    if (status == GPIS_OK && one && selection.count != 1)
        status = gpis_spec_fail(p->spec, begin, "expected one column, found %lld: write sum(...) for their sum",
                                (long long)selection.count);
    for (int64_t i = 0; i < selection.count && status == GPIS_OK; i++) status = push(p, selection.columns[i]);
    gpis_free(p->spec->context, selection.columns);
    return status;
}

/* A name, or sum(COLUMNS). */
static gpis_status read_word(parser *p) {
    gpis_spec *s = p->spec;
    const char *begin = s->at;
    while (s->at < s->end && (is_letter(*s->at) || isdigit((unsigned char)*s->at) || *s->at == '.')) s->at++;
    const gpis_span word = {begin, s->at};
    gpis_spec_spaces(s);
    const bool is_sum = word.end - word.begin == 3 && memcmp(word.begin, "sum", 3) == 0 && gpis_spec_take(s, '(');
    if (is_sum) return read_columns(p, ')', false);
    s->at = word.end;
    return push_column(p, word, begin, false);
}

static gpis_status read_factor(parser *p, sum *out);

static gpis_status read_nested(parser *p, sum *out) {
    gpis_status status = GPIS_OK;
    const bool negative = *p->spec->at++ == '-';
    if (++p->depth > MAX_DEPTH)
        return gpis_spec_fail(p->spec, p->spec->at - 1, "more than %d parentheses within each other", MAX_DEPTH);
    if (negative) {
        gpis_spec_spaces(p->spec);
        status = read_factor(p, out);
        if (status == GPIS_OK) scale(p, out, -1.0);
    } else {
        status = read_sum(p, out);
        if (status == GPIS_OK) status = gpis_spec_skip(p->spec, ')');
    }
    p->depth--;
    return status;
}

static gpis_status read_factor(parser *p, sum *out) {
    gpis_spec *s = p->spec;
    gpis_status status = GPIS_OK;
    *out = (sum){0, p->used, 0};
    if (is_number(s)) return read_number(p, out);
    if (s->at == s->end) return gpis_spec_expected(s, "a number or a column");
    if (*s->at == '(' || *s->at == '-') return read_nested(p, out);
    if (strchr("\"'`", *s->at))
        status = read_quoted(p);
    else if (gpis_spec_take(s, '['))
        status = read_columns(p, ']', true);
    else if (is_letter(*s->at))
        status = read_word(p);
    else
        return gpis_spec_expected(s, "a number or a column");
    out->count = p->used - out->first;
    return status;
}

/* ---- products and sums ------------------------------------------------------------------------------------------- */

/* What may follow a number without a sign between them, as in "2 x". */
static bool is_product(const gpis_spec *s) {
    return s->at < s->end && (is_letter(*s->at) || strchr("\"'`[(", *s->at) != NULL);
}

/* left := left * right or left / right; `at` is where the sign stands. */
static gpis_status multiply(parser *p, sum *left, sum *right, bool divide, const char *at) {
    if (divide && right->count > 0) return gpis_spec_fail(p->spec, at, "a division by a column is not linear");
    if (divide && right->number == 0) return gpis_spec_fail(p->spec, at, "a division by 0");
    if (left->count > 0 && right->count > 0)
        return gpis_spec_fail(p->spec, at, "a product of two columns is not linear");
    if (divide) {
        left->number /= right->number;
        for (int64_t i = left->first; i < left->first + left->count; i++) p->stack[i].factor /= right->number;
    } else if (right->count > 0) {
        scale(p, right, left->number);
        *left = *right;
    } else {
        scale(p, left, right->number);
    }
    return GPIS_OK;
}

static gpis_status read_product(parser *p, sum *out) {
    gpis_spec *s = p->spec;
    bool number = is_number(s);
    gpis_status status = read_factor(p, out);
    while (status == GPIS_OK) {
        gpis_spec_spaces(s);
        const char *at = s->at;
        const bool divide = gpis_spec_take(s, '/'),
                   times = !divide && (gpis_spec_take(s, '*') || (number && is_product(s)));
        sum right;
        if (!divide && !times) break;
        gpis_spec_spaces(s);
        number = is_number(s);
        status = read_factor(p, &right);
        if (status == GPIS_OK) status = multiply(p, out, &right, divide, at);
    }
    return status;
}

static gpis_status read_sum(parser *p, sum *out) {
    gpis_spec *s = p->spec;
    gpis_status status = GPIS_OK;
    *out = (sum){0, p->used, 0};
    gpis_spec_spaces(s);
    bool minus = false;
    if (!(minus = gpis_spec_take(s, '-'))) gpis_spec_take(s, '+');
    for (;;) {
        sum next;
        gpis_spec_spaces(s);
        status = read_product(p, &next);
        if (status != GPIS_OK) return status;
        if (minus) scale(p, &next, -1.0);
        out->number += next.number;
        out->count = p->used - out->first;
        gpis_spec_spaces(s);
        minus = gpis_spec_take(s, '-');
        if (!minus && !gpis_spec_take(s, '+')) return GPIS_OK;
    }
}

/* ---- relations --------------------------------------------------------------------------------------------------- */

/* The sides of a chain of relations. */
typedef struct chain {
    sum sides[MAX_SIDES];
    gpis_span texts[MAX_SIDES];
    char relation[MAX_SIDES]; /* behind each side: '<', '>' or '='; NUL behind the last */
    int count;
} chain;

/* "<=", ">=", "=" or "==" (and the signs of mathematics) as '<', '>', '='; NUL at the end. */
static gpis_status read_relation(gpis_spec *s, char *out) {
    static const struct {
        const char *text;
        char relation;
    } known[] = {{"<=", '<'}, {">=", '>'}, {"==", '='}, {"=", '='}, {"\xE2\x89\xA4", '<'}, {"\xE2\x89\xA5", '>'}};
    *out = '\0';
    if (s->at == s->end) return GPIS_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].text);
        if ((size_t)(s->end - s->at) < length || memcmp(s->at, known[i].text, length) != 0) continue;
        s->at += length;
        *out = known[i].relation;
        return GPIS_OK;
    }
    if (*s->at == '<' || *s->at == '>')
        return gpis_spec_fail(s, s->at, "'%c' leaves out the boundary, where the best x may be: write %c=", *s->at,
                              *s->at);
    return gpis_spec_expected(s, "+, -, *, /, <=, >= or =");
}

static gpis_status read_chain(parser *p, chain *c) {
    gpis_spec *s = p->spec;
    gpis_status status = GPIS_OK;
    char direction = '=';
    do {
        if (c->count == MAX_SIDES) return gpis_spec_fail(s, s->at, "more than %d sums in one constraint", MAX_SIDES);
        gpis_spec_spaces(s);
        const char *begin = s->at;
        status = read_sum(p, &c->sides[c->count]);
        if (status != GPIS_OK) return status;
        if (!isfinite(c->sides[c->count].number)) return gpis_spec_fail(s, begin, "a number is too large");
        const char *end = s->at;
        while (end > begin && isspace((unsigned char)end[-1])) end--;
        c->texts[c->count] = (gpis_span){begin, end};
        const char *at = s->at;
        char *relation = &c->relation[c->count++];
        status = read_relation(s, relation);
        if (status != GPIS_OK) return status;
        if (direction != '=' && *relation && *relation != '=' && *relation != direction)
            return gpis_spec_fail(s, at, "the relations of one constraint point in both directions");
        if (*relation && *relation != '=') direction = *relation;
    } while (c->relation[c->count - 1]);
    return c->count > 1 ? GPIS_OK : gpis_spec_expected(s, "<=, >= or =");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Adds lower <= left - right <= upper; the numbers of both sides are in the bounds already. */
static gpis_status add_row(parser *p, const sum *left, const sum *right, double lower, double upper, gpis_span text) {
    gpis_linear_side sides[2] = {{NULL, left->count}, {NULL, right ? right->count : 0}};
    if (left->count > 0) sides[0] = (gpis_linear_side){p->stack + left->first, left->count};
    if (right && right->count > 0) sides[1] = (gpis_linear_side){p->stack + right->first, right->count};
    return gpis_linear_add_row(p->linear, p->spec, sides, lower, upper, text);
}

/* left RELATION right, as lower <= left - right <= upper. */
static gpis_status add_relation(parser *p, const chain *c, int i) {
    const sum *left = &c->sides[i], *right = &c->sides[i + 1];
    const double number = right->number - left->number;
    const gpis_span text = {c->texts[i].begin, c->texts[i + 1].end};
    return add_row(p, left, right, c->relation[i] == '<' ? -INFINITY : number,
                   c->relation[i] == '>' ? INFINITY : number, text);
}

/* a <= SUM <= b is one row. */
static bool is_between(const chain *c) {
    return c->count == 3 && c->sides[0].count == 0 && c->sides[2].count == 0 && c->relation[0] == c->relation[1] &&
           c->relation[0] != '=';
}

gpis_status gpis_linear_add(gpis_linear *linear, gpis_spec *spec) {
    parser p = {.linear = linear, .spec = spec};
    chain *c = gpis_alloc_zero(spec->context, 1, sizeof *c);
    gpis_status status = c ? read_chain(&p, c) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && is_between(c)) {
        const sum *middle = &c->sides[1];
        const int low = c->relation[0] == '<' ? 0 : 2, high = 2 - low;
        status = add_row(&p, middle, NULL, c->sides[low].number - middle->number,
                         c->sides[high].number - middle->number, (gpis_span){c->texts[0].begin, c->texts[2].end});
    } else {
        for (int i = 0; status == GPIS_OK && i + 1 < c->count; i++) status = add_relation(&p, c, i);
    }
    gpis_free(spec->context, p.stack);
    gpis_free(spec->context, c);
    return status;
}
