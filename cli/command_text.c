/* A command line as text that a shell takes. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Within single quotes a shell takes every character as it is, but for the quote itself. */
void cli_write_word(FILE *stream, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    putc('\'', stream);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            putc(*word, stream);
    }
    putc('\'', stream);
}

char *cli_command_text(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    fputs(argv[0], stream); /* "gpis solve" */
    for (int i = 1; i < argc; i++) {
        putc(' ', stream);
        cli_write_word(stream, argv[i]);
    }
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}
