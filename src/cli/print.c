/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - keeps what models and files say from steering a terminal.
 *
 * Tests: tests/cli/print_test.c.
 */
#include "cli/print.h"

#include <unistd.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/width.h"

#define SHOWN 70

void haft__print_text(FILE *out, haft_str text)
{
    haft__shown shown;
    while (text.len > 0) {
        text = haft__str_skip(text, haft__harmless(text, &shown));
        (void)fwrite(shown.bytes, 1, shown.length, out);
    }
}

void haft__print_answer(FILE *out, haft_str text)
{
    if (isatty(fileno(out)) != 1) {
        (void)fwrite(text.ptr, 1, text.len, out);
        (void)fputc('\n', out);
        return;
    }
    while (text.len > 0) {
        size_t plain = 0;
        while (plain < text.len && text.ptr[plain] != '\n' && text.ptr[plain] != '\t') {
            plain++;
        }
        haft__print_text(out, (haft_str){text.ptr, plain});
        if (plain < text.len) {
            (void)fputc(text.ptr[plain], out);
        }
        text = haft__str_skip(text, plain + 1);
    }
    (void)fputc('\n', out);
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
