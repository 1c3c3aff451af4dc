/* Texts of several pieces. */
#include "base/writer.h"

#include <string.h>

#include "base/number.h"

void gpis_write_text(gpis_writer *w, const char *text) {
    gpis_copy_text(w->text + w->used, w->size - w->used, text);
    w->used += strlen(w->text + w->used);
}

void gpis_write_whole(gpis_writer *w, int64_t value) {
    char digits[GPIS_WHOLE_TEXT];
    gpis_whole_text(value, digits);
    gpis_write_text(w, digits);
}

void gpis_write_number(gpis_writer *w, double value) {
    char number[GPIS_NUMBER_TEXT];
    gpis_number_text(value, number);
    gpis_write_text(w, number);
}
