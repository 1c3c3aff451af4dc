/* gnuplot as a process: it reads a script and writes a picture, both through files that are open already. */
#ifndef GPIS_GNUPLOT_H
#define GPIS_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Runs gnuplot on all that was written to `script`, without a shell and without anybody's start-up files. What it draws
 * goes to the descriptor `picture`. True if it ended well. */
bool gnuplot_draw(FILE *script, int picture);
/* Whether there is a gnuplot that can be run. */
bool gnuplot_is_there(void);
/* Writes a text into a script, with its quotes. Letters, digits and blanks stand for themselves and every other byte is
 * written by its number, so that nothing in a text can end the string or be taken for a command. */
void gnuplot_print_text(FILE *script, const char *text);

#endif
