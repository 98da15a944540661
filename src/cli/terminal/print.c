/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - prevents output of models and files from controlling a terminal.
 *
 * Tests: tests/cli/terminal/print_test.c.
 */
#include "cli/terminal/print.h"

#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/markdown.h"
#include "cli/terminal/width.h"
#include "cli/terminal/word_wrap.h"

#define MAX_COLUMNS 70

void haft__print_escaped(FILE *out, haft_str text)
{
    haft__escaped_char shown;
    while (text.len > 0) {
        text = haft__str_skip(text, haft__escape_next(text, &shown));
        (void)fwrite(shown.bytes, 1, shown.length, out);
    }
}

/* Appends the escaped text in lines that fit. */
static void wrap_words(haft__buf *lines, size_t width, size_t column, size_t indent, haft_str text)
{
    haft__word_wrap wrap;
    haft__buf plain;
    haft__word_wrap_init(&wrap);
    haft__buf_init(&plain, HAFT__LIMIT_RUN_BYTES);
    haft__escape_add(&plain, text); /* also line feeds */
    wrap.indent = indent;
    wrap.column = column % width;
    haft__word_wrap_add(&wrap, lines, width, haft__buf_str(&plain));
    haft__word_wrap_end(&wrap, lines, width);
    if (plain.status != HAFT_OK) {
        haft__buf_fail(lines, plain.status, NULL);
    }
    haft__buf_finish(&plain);
    haft__word_wrap_finish(&wrap);
}

void haft__print_wrapped(FILE *out, size_t column, size_t indent, haft_str text)
{
    haft__buf lines;
    haft__buf_init(&lines, HAFT__LIMIT_RUN_BYTES);
    bool wraps = isatty(fileno(out)) == 1;
    if (wraps) {
        wrap_words(&lines, haft__terminal_caps_width(out) - 1, column, indent, text);
    }
    if (wraps && lines.status == HAFT_OK) {
        (void)fwrite(lines.ptr, 1, lines.len, out);
    } else {
        haft__print_escaped(out, text);
        (void)fputc('\n', out);
    }
    haft__buf_finish(&lines);
}

/* Prints text on which no approval depends: does not escape joiners and selectors of emoji. */
static void print_prose(FILE *out, haft_str text)
{
    haft__escaped_char shown;
    while (text.len > 0) {
        text = haft__str_skip(text, haft__escape_next_prose(text, &shown));
        (void)fwrite(shown.bytes, 1, shown.length, out);
    }
}

void haft__print_content(FILE *out, haft_str text)
{
    if (isatty(fileno(out)) != 1) {
        (void)fwrite(text.ptr, 1, text.len, out);
        return;
    }
    while (text.len > 0) {
        size_t plain = 0;
        while (plain < text.len && text.ptr[plain] != '\n' && text.ptr[plain] != '\t') {
            plain++;
        }
        print_prose(out, (haft_str){text.ptr, plain});
        if (plain < text.len) {
            (void)fputc(text.ptr[plain], out);
        }
        text = haft__str_skip(text, plain + 1);
    }
}

void haft__print_answer(FILE *out, haft_str text)
{
    haft__print_content(out, text);
    (void)fputc('\n', out);
}

void haft__print_markdown(FILE *out, haft_str text, const haft__terminal_caps *caps)
{
    haft__print_markdown_linked(out, text, caps, NULL);
}

void haft__print_add_url(haft__buf *buf, haft_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (haft__ascii_is_alphanumeric(c) || (c != '\0' && strchr("/-._~", c) != NULL)) {
            haft__buf_add_char(buf, (char)c);
        } else {
            haft__buf_addf(buf, "%%%02X", c);
        }
    }
}

void haft__print_markdown_linked(FILE *out, haft_str text, const haft__terminal_caps *caps,
                                 const haft__markdown_links *links)
{
    haft__markdown markdown;
    haft__buf shown;
    haft__markdown_init(&markdown, caps->symbols);
    markdown.code_links = links;
    haft__buf_init(&shown, HAFT__LIMIT_RUN_BYTES);
    if (caps->colour) {
        haft__markdown_add(&markdown, &shown, caps->width - 1, text);
        haft__markdown_end(&markdown, &shown, caps->width - 1);
    }
    if (caps->colour && shown.status == HAFT_OK) {
        (void)fwrite(shown.ptr, 1, shown.len, out);
    } else {
        haft__print_answer(out, text);
    }
    haft__buf_finish(&shown);
    haft__markdown_finish(&markdown);
}

/* Prints a character of JSON text. A file of events may contain invalid UTF-8. */
static size_t print_json_char(FILE *out, haft_str text)
{
    uint32_t code = 0;
    size_t length = haft__utf8_decode(text, &code);
    if (length == 0) {
        (void)fputs("\\ufffd", out);
    } else if (haft__escape_is_hidden(code) && code != '\n') {
        char shown[HAFT__ESCAPE_BYTES];
        (void)fwrite(shown, 1, haft__escape_code(code, shown), out);
    } else {
        (void)fwrite(text.ptr, 1, length, out);
    }
    return length > 0 ? length : 1;
}

void haft__print_json(FILE *out, haft_str text)
{
    if (isatty(fileno(out)) != 1) {
        (void)fwrite(text.ptr, 1, text.len, out);
        return;
    }
    while (text.len > 0) {
        text = haft__str_skip(text, print_json_char(out, text));
    }
}

haft_status haft__print_json_line(FILE *out, haft__buf *buf, haft_error *err)
{
    haft__buf_add_char(buf, '\n');
    haft_status status = haft__buf_check(buf, err);
    if (status == HAFT_OK) {
        haft__print_json(out, haft__buf_str(buf));
        (void)fflush(out);
    }
    return status;
}

/* Joins the lines that are not empty, until the text is long enough for an excerpt. */
static void join_lines(haft__buf *joined, haft_str text)
{
    while (text.len > 0 && joined->len <= 4 * MAX_COLUMNS) { /* of at most 4 bytes each */
        haft_str line = haft__str_trim(haft__str_split(&text, '\n'));
        haft__buf_add_str(joined,
                          joined->len > 0 && line.len > 0 ? HAFT__LIT(" / ") : HAFT__LIT(""));
        haft__buf_add_str(joined, line);
    }
}

void haft__print_excerpt(FILE *out, haft_str text)
{
    haft__buf joined;
    haft__buf_init(&joined, HAFT__LIMIT_RUN_BYTES);
    join_lines(&joined, text);
    haft_str all = haft__buf_str(&joined);
    haft_str kept = {all.ptr, haft__utf8_offset(all, MAX_COLUMNS)};
    haft__print_escaped(out, kept);
    (void)fputs(kept.len < all.len ? "..." : "", out);
    haft__buf_finish(&joined);
}

void haft__print_error(FILE *out, const haft_error *err)
{
    (void)fputs("haft: ", out);
    size_t column = strlen("haft: ");
    if (err->where[0] != '\0') {
        haft__print_escaped(out, haft__str(err->where));
        (void)fputs(": ", out);
        column += haft__width_of_text(haft__str(err->where)) + 2;
    }
    haft__print_wrapped(out, column, 2, haft__str(err->message));
    if (err->hint[0] != '\0') {
        (void)fputs("hint: ", out);
        haft__print_wrapped(out, 6, 6, haft__str(err->hint));
    }
}
