#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpis.h"

static const char *entity_of(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void html_text(FILE *stream, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (!copy) return;
    gpis_make_printable(copy);
    for (const char *c = copy; *c; c++) {
        const char *entity = entity_of(*c);
        if (entity)
            fputs(entity, stream);
        else
            putc(*c, stream);
    }
    free(copy);
}

void html_print(FILE *stream, const char *format, ...) {
    char text[1001];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    html_text(stream, text);
}

void html_number(FILE *stream, double value, int digits) {
    char text[64];
    if (!isfinite(value)) {
        fputs("&#8211;", stream);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0.0 : value); /* -0 is 0 */
    for (const char *c = text; *c; c++) {
        if (*c == '-')
            fputs("&#8722;", stream);
        else
            putc(*c, stream);
    }
}
