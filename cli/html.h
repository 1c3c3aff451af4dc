/*
 * Text in HTML and SVG. Everything that comes from data, file names or arguments goes through html_text: whatever it
 * holds, it is shown and never run, in elements, in attributes with quotes and in SVG alike.
 */
#ifndef GPIS_CLI_HTML_H
#define GPIS_CLI_HTML_H

#include <stdio.h>

/* Writes a text with & < > " ' escaped. What is not UTF-8, and control characters, become '?'. NULL writes nothing. */
void html_text(FILE *stream, const char *text);
/* printf, with the result escaped in the same way; what is longer than 1000 bytes is cut. */
void html_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number as people read it: so many digits, and a true minus sign. "-" where it is not finite. */
void html_number(FILE *stream, double value, int digits);

#endif
