/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - keeps what models and files say from steering a terminal.
 *
 * Tests: tests/cli/print_test.c.
 */
#include "cli/print.h"

#include <stdbool.h>

#include "base/str.h"
#include "base/utf8.h"

#define SHOWN 70

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

void haft__print_text(FILE *out, haft_str text)
{
    while (text.len > 0) {
        uint32_t code;
        size_t length = haft__utf8_decode(text, &code);
        if (length == 0) {
            (void)fprintf(out, "\\x%02x", (unsigned char)text.ptr[0]);
            length = 1;
        } else if (is_control(code)) {
            (void)fprintf(out, "\\u%04x", (unsigned)code);
        } else {
            (void)fwrite(text.ptr, 1, length, out);
        }
        text = haft__str_skip(text, length);
    }
}

void haft__print_short(FILE *out, haft_str text)
{
    size_t shown = haft__utf8_offset(text, SHOWN);
    haft__print_text(out, (haft_str){text.ptr, shown});
    (void)fputs(shown < text.len ? "..." : "", out);
}

void haft__print_error(FILE *out, const haft_error *err)
{
    (void)fputs("haft: ", out);
    haft__print_text(out, haft__str(err->where));
    (void)fputs(err->where[0] != '\0' ? ": " : "", out);
    haft__print_text(out, haft__str(err->message));
    (void)fputc('\n', out);
    if (err->hint[0] != '\0') {
        (void)fputs("hint: ", out);
        haft__print_text(out, haft__str(err->hint));
        (void)fputc('\n', out);
    }
}
