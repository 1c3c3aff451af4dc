/*
 * Which known word was meant by one that is not known: the one with the fewest typing errors between them. An error is
 * a letter too many, a letter missing, a wrong letter, or two neighbours exchanged (the distance of Damerau and
 * Levenshtein, each letter moved at most once).
 */
#include <string.h>

#include "cli.h"

enum { LONGEST = 32 };

static int least(int a, int b) { return a < b ? a : b; }

/* Row i of the table has the distances of the first i letters of `a` from the beginnings of `b`. */
static int distance(const char *a, const char *b) {
    int rows[LONGEST + 1][LONGEST + 1];
    const int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST) return LONGEST;
    for (int i = 0; i <= m; i++) {
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            const int wrong = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            rows[i][j] = least(wrong, 1 + least(rows[i - 1][j], rows[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows[m][n];
}

cli_suggestion cli_suggest(const char *word) {
    cli_suggestion s = {.length = strlen(word) < LONGEST ? strlen(word) : LONGEST};
    memcpy(s.word, word, s.length);
    s.errors = s.length < 3 ? 0 : s.length < 6 ? 1 : 2; /* more, and it is another word */
    return s;
}

void cli_suggest_consider(cli_suggestion *s, const char *name) {
    const int errors = distance(s->word, name);
    if (errors > s->errors || (s->best && errors == s->errors)) return;
    s->errors = errors;
    s->best = name;
}
