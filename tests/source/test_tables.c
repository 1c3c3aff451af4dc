/* Tables as they are: every dialect gives the numbers that strtod reads, for any number of threads; columns that are
 * chosen, levels, missing fields; all of it held in memory, read at each pass, and through the cache. */
#include <math.h>
#include <stdarg.h>

#include "windows.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static uint64_t state_of_random = 88172645463325252u;
static uint64_t random_bits(void) {
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

static void check_rows(gpis_context *context, gpis_source *source, int64_t rows, int64_t cols, const double *expected) {
    double *found = malloc((size_t)(rows * cols) * sizeof *found);
    assert_non_null(found);
    assert_int_equal(source->n, rows);
    assert_int_equal(source->d, cols);
    assert_ok(context, gpis_source_rows(context, source, 0, rows, found));
    for (int64_t p = 0; p < rows * cols; p++)
        if (memcmp(&found[p], &expected[p], sizeof *found) != 0)
            fail_msg("row %lld, column %lld: %.17g in the place of %.17g", (long long)(p / cols), (long long)(p % cols),
                     found[p], expected[p]);
    free(found);
}

/* Opens the table held in memory, read at each pass, and from the cache that the second left; compares all. */
static void check_table(const char *path, const gpis_open_options *given, int64_t rows, int64_t cols,
                        const double *expected, const double *y) {
    gpis_open_options options = *given;
    if (system("rm -rf tables_cache && mkdir tables_cache") != 0) fail();
    for (int way = 0; way < 4; way++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source;
        options.cache = way > 0 ? "tables_cache" : NULL;
        options.memory = way == 1 || way == 2 ? 16 : 0;
        assert_ok(context, gpis_source_open_with(context, path, &options, &source));
        assert_int_equal(source->resident, options.memory == 0);
        check_rows(context, source, rows, cols, expected);
        if (!source->resident) check_windows(context, source, expected);
        for (int64_t i = 0; y && i < rows; i++) assert_true(gpis_source_target(source, NULL)[i] == y[i]);
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
}

static void refuse_table(const char *path, const gpis_open_options *options, gpis_status expected, const char *part) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    const gpis_status status = gpis_source_open_with(context, path, options, &source);
    if (status != expected) fail_msg("status %d, \"%s\", wanted \"%s\"", (int)status, gpis_last_error(context), part);
    assert_message(context, part);
    assert_message(context, path);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

/* ---- every dialect, every number --------------------------------------------------------------------------------- */

typedef struct dialect {
    char delimiter, mark;
    const char *end; /* of a line */
    bool header, quotes, blanks, trailing, mark_of_order, empty_lines;
} dialect;

/* A number as one of many writers would have it. */
static void random_number(char *text, size_t size) {
    const uint64_t bits = random_bits();
    const double unit = (double)(bits >> 11) * 0x1p-53;
    switch (random_bits() % 7) {
    case 0: snprintf(text, size, "%d", (int)(bits % 20001) - 10000); break;
    case 1: snprintf(text, size, "%.17g", unit - 0.5); break;
    case 2: snprintf(text, size, "%.3f", 1000 * unit); break;
    case 3: snprintf(text, size, "%.*e", (int)(bits % 20), (unit - 0.5) * pow(10, (double)(bits % 60) - 30)); break;
    case 4: snprintf(text, size, "%llu", (unsigned long long)bits); break;
    case 5: snprintf(text, size, "+.%llue-%d", (unsigned long long)bits, (int)(bits % 300)); break;
    default:
        snprintf(text, size, "-%llu%llu.%llu", (unsigned long long)bits, (unsigned long long)bits % 977,
                 (unsigned long long)bits % 13);
    }
}

static void write_number(FILE *file, const dialect *d, const char *number) {
    const bool quoted = d->quotes && random_bits() % 3 == 0;
    if (d->blanks && random_bits() % 3 == 0) fputs("  ", file);
    if (quoted) putc('"', file);
    for (const char *c = number; *c; c++) putc(*c == '.' ? d->mark : *c, file);
    if (quoted) putc('"', file);
    if (d->blanks && random_bits() % 3 == 0) putc(' ', file);
}

static void write_table(const char *path, const dialect *d, int rows, int cols, double *expected) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (d->mark_of_order) fputs("\xEF\xBB\xBF", file);
    for (int j = 0; d->header && j < cols; j++) {
        fprintf(file, d->quotes ? "\"a %c\"\" %d\"" : "a_%c_%d", d->quotes ? d->delimiter : 'x', j);
        if (j + 1 < cols || d->trailing) putc(d->delimiter, file);
    }
    if (d->header) fputs(d->end, file);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            char number[80];
            random_number(number, sizeof number);
            expected[i * cols + j] = strtod(number, NULL);
            write_number(file, d, number);
            if (j + 1 < cols || d->trailing) putc(d->delimiter, file);
        }
        if (i + 1 < rows || random_bits() % 2) fputs(d->end, file);
        if (d->empty_lines && random_bits() % 16 == 0 && i + 1 < rows) fputs(d->end, file);
    }
    fclose(file);
}

static void check_threads(const char *path, int rows, int cols, const double *expected) {
    for (int threads = 1; threads <= 5; threads += 2) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source;
        assert_ok(context, gpis_context_set_threads(context, threads));
        assert_ok(context, gpis_source_open(context, path, NULL, &source));
        check_rows(context, source, rows, cols, expected);
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
}

static void test_dialects(void **state) {
    (void)state;
    enum { ROWS = 700, COLS = 9 };
    static const char delimiters[] = {',', ';', '\t', '|'};
    double *expected = malloc(ROWS * COLS * sizeof *expected);
    assert_non_null(expected);
    for (int k = 0; k < 64; k++) {
        const uint64_t bits = random_bits() >> 8;
        const char delimiter = delimiters[k % 4];
        const dialect d = {.delimiter = delimiter,
                           .mark = (char)(delimiter == ';' && bits & 1 ? ',' : '.'),
                           .end = bits & 2 ? "\r\n" : "\n",
                           .header = (bits & 4) != 0,
                           .quotes = (bits & 8) != 0,
                           .blanks = (bits & 16) != 0,
                           .trailing = (bits & 32) != 0,
                           .mark_of_order = (bits & 64) != 0,
                           .empty_lines = (bits & 128) != 0};
        const int cols = 1 + (int)(random_bits() % COLS);
        const int rows = 2 + (int)(random_bits() % (ROWS - 2));
        dialect used = d;
        if (cols == 1) used.delimiter = ',', used.mark = '.', used.trailing = used.empty_lines = false;
        write_table("tables_d.csv", &used, rows, cols, expected);
        check_threads("tables_d.csv", rows, cols, expected);
    }
    unlink("tables_d.csv");
    free(expected);
}

/* Records that are longer than the buffer, and thousands of columns. */
static void test_wide(void **state) {
    (void)state;
    enum { ROWS = 30, COLS = 9000 };
    double *expected = malloc(sizeof *expected * ROWS * COLS);
    assert_non_null(expected);
    const dialect d = {.delimiter = ';', .mark = ',', .end = "\r\n", .header = true, .quotes = true};
    write_table("tables_w.csv", &d, ROWS, COLS, expected);
    check_threads("tables_w.csv", ROWS, COLS, expected);
    unlink("tables_w.csv");
    free(expected);
}

/* Quotes that are no quotes, in the middle of fields, and line ends within quotes: pieces begin at the right places. */
static void test_misleading_quotes(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    double *expected = malloc(sizeof *expected * ROWS * 2);
    FILE *file = fopen("tables_q.csv", "w");
    assert_true(expected && file);
    fputs("text,a,b\n", file);
    for (int i = 0; i < ROWS; i++) {
        static const char *const texts[] = {"5\" pipe", "\"two\n\"\"lines\"\"\n\"", "plain", "\"a,b\""};
        expected[2 * i] = i;
        expected[2 * i + 1] = i % 7 / 8.0;
        fprintf(file, "%s,%d,%g\n", texts[random_bits() % 4], i, expected[2 * i + 1]);
    }
    fclose(file);
    gpis_open_options options = gpis_open_options_default();
    options.exclude = "text";
    for (int threads = 1; threads <= 7; threads += 3) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source;
        assert_ok(context, gpis_context_set_threads(context, threads));
        assert_ok(context, gpis_source_open_with(context, "tables_q.csv", &options, &source));
        check_rows(context, source, ROWS, 2, expected);
        gpis_source_destroy(source);
        options.exclude = NULL;
        options.categorical = "text";
        assert_ok(context, gpis_source_open_with(context, "tables_q.csv", &options, &source));
        assert_int_equal(source->d, 5); /* four levels, one of them the reference */
        const gpis_encoding *encoding = gpis_source_encoding(source);
        bool seen = false;
        for (int k = 0; k < 4; k++) seen = seen || strcmp(gpis_encoding_level(encoding, 0, k), "two\n\"lines\"\n") == 0;
        assert_true(seen);
        gpis_source_destroy(source);
        options.exclude = "text";
        options.categorical = NULL;
        test_context_end(context, &memory);
    }
    unlink("tables_q.csv");
    free(expected);
}

/* ---- which columns ----------------------------------------------------------------------------------------------- */

static const char air[] = "day,price1,price2,wd,y,other\n"
                          "2013-03-01,1,10,N,100,-1\n"
                          "2013-03-02,2,20,SE,200,-2\n"
                          "2013-03-03,3,30,N,300,-3\n"
                          "2013-03-04,4,40,W,400,-4\n";
static const double air_y[] = {100, 200, 300, 400};

static void test_columns(void **state) {
    (void)state;
    const double prices[] = {1, 10, 2, 20, 3, 30, 4, 40}, turned[] = {-1, 1, -2, 2, -3, 3, -4, 4};
    gpis_open_options options = gpis_open_options_default();
    write_text("tables_c.csv", air);
    options.target = "y";
    options.columns = "price*";
    check_table("tables_c.csv", &options, 4, 2, prices, air_y);
    options.columns = "2-3";
    check_table("tables_c.csv", &options, 4, 2, prices, air_y);
    options.columns = "other,price*";
    options.exclude = "price2";
    check_table("tables_c.csv", &options, 4, 2, turned, air_y);
    options.columns = NULL;
    options.exclude = "day, 4, 'other'";
    check_table("tables_c.csv", &options, 4, 2, prices, air_y);
    options.exclude = "dya";
    refuse_table("tables_c.csv", &options, GPIS_BAD_ARGUMENT,
                 "option exclude: there is no column 'dya' (did you mean 'day'?)");
    options.exclude = "7";
    refuse_table("tables_c.csv", &options, GPIS_BAD_ARGUMENT, "there is no column 7; columns are 1 to 6");
    options.exclude = "z*";
    refuse_table("tables_c.csv", &options, GPIS_BAD_ARGUMENT, "no column matches 'z*'");
    options.exclude = "*";
    refuse_table("tables_c.csv", &options, GPIS_BAD_SHAPE, "no column is left for A");
    options.exclude = NULL;
    refuse_table("tables_c.csv", &options, GPIS_BAD_DATA,
                 "text in 'day', column 1, a date ('2013-03-01'), 'wd', column 4 ('N'): name the columns in option "
                 "categorical, or leave them out with option exclude; turn dates into numbers first");
    options.exclude = "wd";
    refuse_table("tables_c.csv", &options, GPIS_BAD_DATA,
                 "('2013-03-01'): leave them out with option exclude; turn dates");
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void test_levels(void **state) {
    (void)state;
    const double appeared[] = {1, 0, 0, 2, 1, 0, 3, 0, 0, 4, 0, 1}, listed[] = {1, 0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 0};
    gpis_open_options options = gpis_open_options_default();
    write_text("tables_l.csv", air);
    options.target = "y";
    options.columns = "price1,wd";
    options.categorical = "wd";
    check_table("tables_l.csv", &options, 4, 3, appeared, air_y);
    options.categorical = "wd=W|SE|'N'";
    check_table("tables_l.csv", &options, 4, 3, listed, air_y);
    options.categorical = "wd=W|SE";
    refuse_table(
        "tables_l.csv", &options, GPIS_BAD_DATA,
        "line 2, column 4 (wd) is 'N', which is none of its 2 levels, 'W' to 'SE'; list it in option categorical");
    options.categorical = "wd=W|W";
    refuse_table("tables_l.csv", &options, GPIS_BAD_ARGUMENT, "a level is listed twice");
    options.categorical = "day";
    refuse_table("tables_l.csv", &options, GPIS_BAD_ARGUMENT, "column 'day' is not among the columns of A");

    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    options.categorical = "wd";
    assert_ok(context, gpis_source_open_with(context, "tables_l.csv", &options, &source));
    assert_string_equal(gpis_source_column(source, 0), "price1");
    assert_string_equal(gpis_source_column(source, 1), "wd=SE");
    assert_string_equal(gpis_source_column(source, 2), "wd=W");
    gpis_encoding_column column = {.size = sizeof column};
    assert_int_equal(gpis_encoding_column_at(gpis_source_encoding(source), 1, &column), GPIS_OK);
    assert_true(column.levels == 3 && column.first == 1 && column.number == 4);
    assert_string_equal(gpis_encoding_level(gpis_source_encoding(source), 1, 0), "N");
    assert_null(gpis_encoding_level(gpis_source_encoding(source), 1, 3));
    assert_null(gpis_encoding_level(gpis_source_encoding(source), 0, 0));
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

/* ---- missing fields ---------------------------------------------------------------------------------------------- */

static const char holes[] = "a,w,b,y\n1,p,?,1\nNA,q,20,2\n3,q,30,3\n4,,40,\n8,p,null,5\n,r,60,NaN\n";

static void test_missing(void **state) {
    (void)state;
    /* Kept by drop: the third row. By mean: rows 1, 2, 3 and 5, the others have no y. */
    const double dropped[] = {3, 30}, dropped_y[] = {3};
    const double filled[] = {1, 0, 25, 4, 1, 20, 3, 1, 30, 8, 0, 25}, filled_y[] = {1, 2, 3, 5};
    gpis_open_options options = gpis_open_options_default();
    write_text("tables_m.csv", holes);
    options.target = "y";
    options.categorical = "w";
    refuse_table(
        "tables_m.csv", &options, GPIS_BAD_DATA,
        "line 2, column 3 (b) is missing; fill it in, choose option missing drop or mean, or leave the column");
    options.missing = GPIS_MISSING_DROP; /* q is the only level that is left: no column */
    check_table("tables_m.csv", &options, 1, 2, dropped, dropped_y);
    options.missing = GPIS_MISSING_MEAN; /* r is in no row that has y */
    check_table("tables_m.csv", &options, 4, 3, filled, filled_y);
    /* Without y all rows count; the level that is missing is that of the mean row: shares 2/5 and 1/5. */
    const double all[] = {1, 0,   0,   37.5, 1,    4, 1, 0, 20,   2, 3, 1, 0, 30, 3,
                          4, 0.4, 0.2, 40,   2.75, 8, 0, 0, 37.5, 5, 4, 0, 1, 60, 2.75};
    options.target = NULL;
    check_table("tables_m.csv", &options, 6, 5, all, NULL);
    write_text("tables_m.csv", "a,b\n1,NA\n2,\n");
    options.categorical = NULL;
    refuse_table("tables_m.csv", &options, GPIS_BAD_DATA, "column 2 (b) has no values; leave it out");
    options.missing = GPIS_MISSING_DROP;
    refuse_table("tables_m.csv", &options, GPIS_BAD_DATA, "no rows of numbers: in every row a field is missing");
}

/* ---- encodings --------------------------------------------------------------------------------------------------- */

static void test_encoding(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *first, *second;
    gpis_encoding *copy;
    gpis_open_options options = gpis_open_options_default(), again = options;
    write_text("tables_e.csv", holes);
    write_text("tables_f.csv", "extra,b,w,a\ntext,7,r,\nmore,,\"q\",9\n");
    options.target = "y";
    options.categorical = "w";
    options.missing = GPIS_MISSING_MEAN;
    assert_ok(context, gpis_source_open_with(context, "tables_e.csv", &options, &first));
    refuse_table("tables_f.csv", &(gpis_open_options){.size = sizeof options, .encoding = gpis_source_encoding(first)},
                 GPIS_BAD_DATA,
                 "line 2, column 3 (w) is 'r', which is none of its 2 levels, 'p' to 'q': nothing is known about it");
    /* Through its text, and with columns in another order: the means and levels of the first table. */
    char text[1000];
    assert_true(gpis_encoding_text(gpis_source_encoding(first), text, sizeof text) < sizeof text);
    assert_ok(context, gpis_encoding_parse(context, text, &copy));
    write_text("tables_f.csv", "extra,b,w,a\ntext,7,p,\nmore,,\"q\",9\n");
    again.encoding = copy;
    assert_ok(context, gpis_source_open_with(context, "tables_f.csv", &again, &second));
    check_rows(context, second, 2, 3, (const double[]){4, 0, 7, 9, 1, 25});
    gpis_encoding_info info = {.size = sizeof info};
    assert_ok(context, gpis_encoding_describe(gpis_source_encoding(second), &info));
    assert_true(info.rows == 2 && info.filled == 2 && info.dropped == 0 && info.columns == 3);
    gpis_source_destroy(second);
    write_text("tables_f.csv", "w,b\np,1\n");
    refuse_table("tables_f.csv", &again, GPIS_BAD_SHAPE, "has no column 'a', which the table before has");
    gpis_encoding *broken;
    assert_int_equal(gpis_encoding_parse(context, "gpis-encoding 1 drop 1 1 0\nnumber 1 a%\n0b\n", &broken),
                     GPIS_BAD_DATA);
    assert_int_equal(gpis_encoding_parse(context, "gpis-encoding 1 drop 1 1 0\nnumber 1 a%00\n", &broken),
                     GPIS_BAD_DATA);
    text[strlen(text) / 2] = '\0';
    assert_int_equal(gpis_encoding_parse(context, text, &broken), GPIS_BAD_DATA);
    assert_null(broken);
    gpis_encoding_destroy(copy);
    gpis_source_destroy(first);
    test_context_end(context, &memory);
}

/* Parts with one encoding are the table that they are parts of. */
static void test_merge(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_open_options options = gpis_open_options_default(), again = options;
    static const char *const names[] = {"tables_1.csv", "tables_2.csv"};
    gpis_source *whole, *parts[2], *joined;
    write_text("tables_0.csv", "w,a\nx,1\ny,NA\nx,3\nz,5\nx,?\n");
    write_text(names[0], "w,a\nx,1\ny,NA\n");
    write_text(names[1], "w,a\nx,3\nz,5\nx,?\n");
    options.categorical = "w";
    options.missing = GPIS_MISSING_MEAN;
    assert_ok(context, gpis_source_open_with(context, "tables_0.csv", &options, &whole));
    for (int i = 0; i < 2; i++) assert_ok(context, gpis_source_open_with(context, names[i], &options, &parts[i]));
    assert_int_equal(gpis_source_join(context, parts, 2, NULL, &joined), GPIS_BAD_SHAPE);
    assert_message(context, "made by gpis_encoding_merge");
    const gpis_encoding *both[] = {gpis_source_encoding(parts[0]), gpis_source_encoding(parts[1])};
    gpis_encoding *merged;
    assert_ok(context, gpis_encoding_merge(context, both, 2, &merged));
    again.encoding = merged;
    for (int i = 0, row = 0; i < 2; row += (int)parts[i++]->n) {
        gpis_source_destroy(parts[i]);
        assert_ok(context, gpis_source_open_with(context, names[i], &again, &parts[i]));
        double rows[9];
        assert_ok(context, gpis_source_rows(context, whole, row, parts[i]->n, rows));
        check_rows(context, parts[i], parts[i]->n, 3, rows);
    }
    assert_ok(context, gpis_source_join(context, parts, 2, NULL, &joined));
    gpis_source_destroy(joined);
    for (int i = 0; i < 2; i++) gpis_source_destroy(parts[i]);
    gpis_encoding_destroy(merged);
    gpis_source_destroy(whole);
    test_context_end(context, &memory);
}

/* ---- dialects that have to be told apart ------------------------------------------------------------------------- */

static void read_as(const char *text, const gpis_open_options *options, int64_t rows, int64_t cols, ...) {
    double expected[16];
    va_list numbers;
    va_start(numbers, cols);
    for (int64_t p = 0; p < rows * cols; p++) expected[p] = va_arg(numbers, double);
    va_end(numbers);
    write_text("tables_r.csv", text);
    check_table("tables_r.csv", options, rows, cols, expected, NULL);
}

static void test_guesses(void **state) {
    (void)state;
    gpis_open_options options = gpis_open_options_default();
    read_as("1,5;2\n3,25;4\n", &options, 2, 2, 1.5, 2.0, 3.25, 4.0);
    read_as("a|b\n1|2\n", &options, 1, 2, 1.0, 2.0);
    read_as("1,2\n\n3,4\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
    read_as("a,b,\n1,2,\n3,4,\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
    read_as("a,b\n1,2,\n3,4\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
    read_as("2019,2020\n1,2\n", &options, 2, 2, 2019.0, 2020.0, 1.0, 2.0);
    options.header = GPIS_HEADER_YES;
    read_as("2019,2020\n1,2\n", &options, 1, 2, 1.0, 2.0);
    options.header = GPIS_HEADER_AUTO;
    options.categorical = "3";
    read_as("5.1,3.5,setosa\n4.9,3,virginica\n", &options, 2, 3, 5.1, 3.5, 0.0, 4.9, 3.0, 1.0);
    options.categorical = NULL;
    options.delimiter = "#";
    read_as("1#2\n3#4\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
    options.delimiter = "tab";
    read_as("1\t2\n3\t4\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
    options.delimiter = "ab";
    refuse_table("tables_r.csv", &options, GPIS_BAD_ARGUMENT, "option delimiter: 'ab' cannot separate fields");
    options.delimiter = NULL;
    write_text("tables_r.csv", "1,5;2\n3.5;4\n");
    refuse_table("tables_r.csv", &options, GPIS_BAD_DATA, "line 1 has a decimal comma and line 2 a decimal point");
    write_text("tables_r.csv", "a;b\n1.234,5;2\n1;2\n");
    refuse_table("tables_r.csv", &options, GPIS_BAD_DATA, "'1.234,5'");
    write_text("tables_r.csv", "a,b\n1,2\n2,Tuesday\n");
    refuse_table("tables_r.csv", &options, GPIS_BAD_DATA,
                 "line 3, column 2 (b) is 'Tuesday', not a finite number; correct it");
    write_text("tables_r.npy", "x");
    options.columns = "1";
    refuse_table("tables_r.npy", &options, GPIS_BAD_ARGUMENT, "option columns is for tables in text");
}

/* Fields that are no plain numbers: each is refused with what to do about it, and none changes how others are read. */
static void test_other_texts(void **state) {
    (void)state;
    gpis_open_options options = gpis_open_options_default();
    static const struct {
        const char *text, *part;
    } refused[] = {
        {"a,b\n1,2\n2,inf\n3,4\n", "line 3, column 2 (b) is 'inf', not a finite number; correct it, empty it"},
        {"a,b\n1,2\n2,$3.50\n", "line 3, column 2 (b) is '$3.50', not a finite number; write numbers without signs"},
        {"a,b\n\"1,000\",2\n\"3,000\",4\n",
         "text in 'a', column 1 ('1,000'): leave them out with option exclude; write"},
        {"a,b\n10 %,2\n2,4\n", "line 2, column 1 (a) is '10 %', not a finite number; write numbers without"},
        {"a;b\n1\xC2\xA0"
         "000;2\n2;4\n",
         "not a finite number; write numbers without"},
        {"a,b\n10-20,2\n20-30,4\n", "text in 'a', column 1 ('10-20'): name the columns in option categorical"},
        {"a b\n1 2 3\n2 3 4\n", "line 2 has a field more than the names in line 1; if it begins with the name"},
        {"a,b\n1,2\n2,4,5\n", "line 3 has 3 fields, line 1 has 2; put fields"},
    };
    options.delimiter = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        write_text(i == 6 ? "tables_o.txt" : "tables_o.csv", refused[i].text);
        refuse_table(i == 6 ? "tables_o.txt" : "tables_o.csv", &options, i < 6 ? GPIS_BAD_DATA : GPIS_BAD_SHAPE,
                     refused[i].part);
    }
    options.target = "y";
    write_text("tables_o.csv", "# made today\na,y\n1,2\n");
    refuse_table("tables_o.csv", &options, GPIS_BAD_ARGUMENT, "line 1 is '# made today': remove the lines of comments");
    write_text("tables_o.csv", "a/y\n1/2\n");
    refuse_table("tables_o.csv", &options, GPIS_BAD_ARGUMENT, "its only column is 'a/y'; if it has more, name their");
    options.target = NULL;
    /* A column with infinity that is not used. */
    options.exclude = "c";
    read_as("a\tb\tc\n1\t2.5\tinf\n3\t4\t5\n", &options, 2, 2, 1.0, 2.5, 3.0, 4.0);
    options.exclude = NULL;
    options.missing = GPIS_MISSING_DROP;
    read_as("a,b\n1,2\n.,2\n-,2\n#N/A,2\n<NA>,2\n3,4\n", &options, 2, 2, 1.0, 2.0, 3.0, 4.0);
}

/* Columns without a name go by their number, as all do in a table without a header. */
static void test_nameless(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_open_options options = gpis_open_options_default();
    write_text("tables_x.csv", ",a,\"\"\n0,2,3\n1,1,4\n");
    assert_ok(context, gpis_source_open_with(context, "tables_x.csv", &options, &source));
    assert_string_equal(gpis_source_column(source, 0), "x1");
    assert_string_equal(gpis_source_column(source, 1), "a");
    assert_string_equal(gpis_source_column(source, 2), "x3");
    gpis_source_destroy(source);
    options.exclude = "x1";
    assert_ok(context, gpis_source_open_with(context, "tables_x.csv", &options, &source));
    check_rows(context, source, 2, 2, (const double[]){2, 3, 1, 4});
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static gpis_status open_encoded(gpis_context *context, void *path) {
    gpis_source *source, *again = NULL;
    gpis_open_options options = gpis_open_options_default();
    options.target = "y";
    options.columns = "a,b,w";
    options.exclude = "b";
    options.categorical = "w=p|q|r";
    options.missing = GPIS_MISSING_MEAN;
    gpis_status status = gpis_source_open_with(context, path, &options, &source);
    if (status != GPIS_OK) return status;
    const gpis_encoding *parts[] = {gpis_source_encoding(source), gpis_source_encoding(source)};
    gpis_encoding *merged = NULL;
    status = gpis_encoding_merge(context, parts, 2, &merged);
    options = gpis_open_options_default();
    options.encoding = merged;
    options.memory = 64;
    if (status == GPIS_OK) status = gpis_source_open_with(context, path, &options, &again);
    gpis_source_destroy(again);
    gpis_encoding_destroy(merged);
    gpis_source_destroy(source);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    write_text("tables_a.csv", holes);
    assert_true(test_every_allocation(open_encoded, "tables_a.csv") > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects),    cmocka_unit_test(test_wide),     cmocka_unit_test(test_misleading_quotes),
        cmocka_unit_test(test_columns),     cmocka_unit_test(test_levels),   cmocka_unit_test(test_missing),
        cmocka_unit_test(test_encoding),    cmocka_unit_test(test_merge),    cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_other_texts), cmocka_unit_test(test_nameless), cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
