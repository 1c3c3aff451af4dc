/*
 * Which column was meant by a name that no column has: the one with the fewest typing errors between them. An error is
 * a letter too many, a letter missing, a wrong letter, or two neighbours exchanged (the distance of Damerau and
 * Levenshtein, each letter moved at most once); a letter of the other case counts as no error.
 */
#include <ctype.h>
#include <string.h>

#include "base/columns.h"

enum { LONGEST = 64 };

static bool is_same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Rows i - 2, i - 1 and i of the table of distances of the first i letters of `a` from the beginnings of `b`. */
static int distance(gpis_span a, gpis_span b) {
    int rows[3][LONGEST + 1];
    const int m = (int)(a.end - a.begin), n = (int)(b.end - b.begin);
    for (int j = 0; j <= n; j++) rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            const char p = a.begin[i - 1], q = b.begin[j - 1];
            now[j] = before[j - 1] + !is_same(p, q);
            if (before[j] + 1 < now[j]) now[j] = before[j] + 1;
            if (now[j - 1] + 1 < now[j]) now[j] = now[j - 1] + 1;
            const bool exchanged = i > 1 && j > 1 && is_same(p, b.begin[j - 2]) && is_same(a.begin[i - 2], q);
            if (exchanged && earlier[j - 2] + 1 < now[j]) now[j] = earlier[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

/* More errors than this, and it is another word. */
static int allowed_errors(int64_t length) { return length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3; }

const char *gpis_lookup_nearest(const gpis_lookup *lookup, gpis_span word) {
    const char *best = NULL;
    const int64_t length = word.end - word.begin;
    int least = allowed_errors(length) + 1;
    if (!lookup->columns.name || length > LONGEST) return NULL;
    for (int64_t j = 0; j < lookup->columns.d && least > 0; j++) {
        const char *name = lookup->columns.name(lookup->columns.user, j);
        const int64_t size = (int64_t)strlen(name);
        if (size > LONGEST || size - length >= least || length - size >= least) continue;
        const int errors = distance(word, (gpis_span){name, name + size});
        if (errors >= least) continue;
        least = errors;
        best = name;
    }
    return best;
}
