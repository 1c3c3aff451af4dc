/* Makes text from files safe to print: control characters and bytes that are not UTF-8 become question marks. */
#include "base/base.h"
#include "gpis.h"

int gpis_utf8_length(const char *text, unsigned *code) {
    const unsigned char *s = (const unsigned char *)text;
    static const struct {
        unsigned char mask, lead;
        unsigned least; /* smaller codes have a shorter encoding, and only that one is valid */
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (int extra = 0; extra < 4; extra++) {
        if ((s[0] & forms[extra].mask) != forms[extra].lead) continue;
        *code = s[0] & ~(unsigned)forms[extra].mask;
        for (int i = 1; i <= extra; i++) {
            if ((s[i] & 0xC0) != 0x80) return 0;
            *code = *code << 6 | (s[i] & 0x3F);
        }
        const int surrogate = *code >= 0xD800 && *code <= 0xDFFF;
        return *code < forms[extra].least || *code > 0x10FFFF || surrogate ? 0 : extra + 1;
    }
    return 0;
}

static int is_harmless(unsigned code) {
    if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return 0; /* control characters: ASCII, and C1 */
    if (code >= 0x2028 && code <= 0x202E) return 0;              /* line ends; embedding and override of direction */
    return code < 0x2066 || code > 0x2069;                       /* isolation of direction */
}

char *gpis_make_printable(char *text) {
    unsigned char *s = (unsigned char *)text;
    while (s && *s) {
        unsigned code = 0;
        const int length = gpis_utf8_length((const char *)s, &code);
        if (length == 0) {
            *s++ = '?';
            continue;
        }
        for (int i = 0; i < length; i++)
            if (!is_harmless(code)) s[i] = '?';
        s += length;
    }
    return text;
}
