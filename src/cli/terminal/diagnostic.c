/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnostic.c - prints the line, the caret and the hint.
 *
 * The caret must be below the right character of any line: a tab stays a tab in both lines, a wide
 * character takes two columns, a combining mark takes no column, and an unsafe character is escaped
 * (\u001b) and takes six columns. Tests: tests/cli/terminal/diagnostic_test.c,
 * tests/cli/check_test.py.
 */
#include "cli/terminal/diagnostic.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/print.h"
#include "cli/terminal/width.h"
#include "io/file.h"
#include "spec/load/document/problem.h"

/* Maximum number of characters of a long line: before the caret, and in total. */
#define MAX_COLUMNS_BEFORE_CARET 60U
#define MAX_COLUMNS              100U
#define INDENT                   "    "
#define ELLIPSIS                 "..."

typedef struct style {
    const char *bold, *red, *yellow, *green, *cyan, *plain;
} style;

static const style colours = {"\033[1m",    "\033[1;31m", "\033[1;33m",
                              "\033[1;32m", "\033[36m",   "\033[0m"};
static const style none = {"", "", "", "", "", ""};

bool haft__diagnostic_uses_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0;
    int fd = fileno(out);
    return (no == NULL || no[0] == '\0') && !dumb && fd >= 0 && isatty(fd) == 1;
}

/* ---- the line ---- */

/* One character of a line, as it is printed. */
typedef struct glyph {
    size_t bytes;   /* length in the line */
    char text[16];  /* escaped if it is unsafe */
    unsigned width; /* 0 also for a tab, whose width is not known */
    bool tab;
} glyph;

static glyph read_glyph(haft_str rest)
{
    glyph s = {.bytes = 1, .width = 1};
    uint32_t code = 0;
    size_t length = haft__utf8_decode(rest, &code);
    if (length == 0) {
        s.width = (unsigned)snprintf(s.text, sizeof(s.text), "\\x%02x", (unsigned char)rest.ptr[0]);
        return s;
    }
    s.bytes = length;
    s.tab = code == '\t';
    if (!s.tab && haft__escape_is_hidden(code)) {
        s.width = (unsigned)haft__escape_code(code, s.text);
        return s;
    }
    memcpy(s.text, rest.ptr, length);
    s.width = s.tab ? 0 : haft__width_of_code(code);
    return s;
}

static void repeat(FILE *out, char c, unsigned count)
{
    for (; count > 0; count--) {
        (void)putc(c, out);
    }
}

/* Prints the space before the caret. */
static void print_padding(FILE *out, haft_str line, size_t count)
{
    for (size_t at = 0; count > 0 && at < line.len; count--) {
        glyph s = read_glyph(haft__str_skip(line, at));
        repeat(out, ' ', s.width);
        repeat(out, '\t', s.tab);
        at += s.bytes;
    }
}

/* Prints the caret, and ~ below the rest of the marked text. */
static void print_caret(FILE *out, haft_str line, size_t extent)
{
    unsigned width = 0;
    for (size_t at = 0; extent > 0 && at < line.len; extent--) {
        glyph s = read_glyph(haft__str_skip(line, at));
        width += s.tab ? 1 : s.width;
        at += s.bytes;
    }
    (void)putc('^', out);
    repeat(out, '~', width > 1 ? width - 1 : 0);
}

static void print_line(FILE *out, const haft__diagnostic *d, const style *in)
{
    size_t column = d->column > 0 ? d->column - 1 : 0;
    size_t first = column > MAX_COLUMNS_BEFORE_CARET ? column - MAX_COLUMNS_BEFORE_CARET : 0;
    haft_str line = haft__str_skip(d->source_line, haft__utf8_offset(d->source_line, first)),
             rest = line;
    size_t kept = haft__utf8_offset(line, MAX_COLUMNS);
    const char *before = first > 0 ? ELLIPSIS : "", *after = kept < line.len ? ELLIPSIS : "";
    (void)fprintf(out, INDENT "%s", before);
    for (line.len = rest.len = kept; rest.len > 0;) {
        glyph s = read_glyph(rest);
        (void)fputs(s.text, out);
        rest = haft__str_skip(rest, s.bytes);
    }
    (void)fprintf(out, "%s\n", after);
    if (d->column > 0) {
        (void)fprintf(out, INDENT "%*s", (int)strlen(before), "");
        print_padding(out, line, column - first);
        (void)fputs(in->green, out);
        print_caret(out, haft__str_skip(line, haft__utf8_offset(line, column - first)), d->extent);
        (void)fprintf(out, "%s\n", in->plain);
    }
}

/* ---- diagnostics ---- */

/* Returns the width of "file:line:column: error: ". */
static size_t column_of_message(const haft__diagnostic *d)
{
    char numbers[32] = "";
    if (d->line > 0 && !d->option) {
        (void)snprintf(numbers, sizeof(numbers), ":%u:%u", d->line, d->column);
    }
    return haft__width_of_text(d->file_or_option) + strlen(numbers)
           + strlen(d->warning ? ": warning: " : ": error: ");
}

void haft__diagnostic_print(FILE *out, const haft__diagnostic *d)
{
    const style *in = haft__diagnostic_uses_colour(out) ? &colours : &none;
    (void)fputs(in->bold, out);
    haft__print_escaped(out, d->file_or_option);
    if (d->line > 0 && !d->option) {
        (void)fprintf(out, ":%u:%u", d->line, d->column);
    }
    (void)fprintf(out, ":%s %s%s:%s ", in->plain, d->warning ? in->yellow : in->red,
                  d->warning ? "warning" : "error", in->plain);
    haft__print_wrapped(out, column_of_message(d), 2, d->message);
    if (d->source_line.len > 0) {
        print_line(out, d, in);
    }
    if (d->hint.len > 0) {
        (void)fprintf(out, INDENT "%shint:%s ", in->cyan, in->plain);
        haft__print_wrapped(out, strlen(INDENT "hint: "), strlen(INDENT "hint: "), d->hint);
    }
}

void haft__diagnostic_print_summary(FILE *out, haft_str file_or_option, size_t errors,
                                    size_t warnings, size_t printed_count)
{
    if (errors > 0) {
        (void)fprintf(out, "%zu error%s", errors, errors == 1 ? "" : "s");
    }
    if (warnings > 0) {
        (void)fprintf(out, "%s%zu warning%s", errors > 0 ? ", " : "", warnings,
                      warnings == 1 ? "" : "s");
    }
    (void)fputs(" in ", out);
    haft__print_escaped(out, file_or_option);
    if (printed_count < errors + warnings) {
        (void)fprintf(out, "; only %zu are shown", printed_count);
    }
    (void)putc('\n', out);
}

void haft__diagnostic_print_json_error(FILE *out, const char *file_or_option, haft_str text,
                                       bool option, const haft_error *err)
{
    haft__diagnostic d = {.file_or_option = haft__str(file_or_option),
                          .option = option,
                          .message = haft__str(err->message),
                          .hint = haft__str(err->hint)};
    const char *byte = strstr(err->where, "(byte ");
    haft_str number = haft__str(byte != NULL ? byte + strlen("(byte ") : "");
    uint64_t offset = 0;
    if (haft__str_to_u64(haft__str_split(&number, ')'), &offset)) {
        haft__spec_locate(text, (size_t)offset, &d.line, &d.column);
        d.source_line = haft__spec_line_text(text, d.line);
    }
    haft__diagnostic_print(out, &d);
}

/* ---- errors that name a file ---- */

/* Removes ":N" from the end of `location`. Returns false if `location` does not end with ":N". */
static bool split_number(haft_str *location, uint32_t *ret_number)
{
    const char *colon = location->len > 0 ? memrchr(location->ptr, ':', location->len) : NULL;
    uint64_t number = 0;
    if (colon == NULL
        || !haft__str_to_u64(haft__str_skip(*location, (size_t)(colon - location->ptr) + 1),
                             &number)
        || number == 0 || number > UINT32_MAX) {
        return false;
    }
    location->len = (size_t)(colon - location->ptr);
    *ret_number = (uint32_t)number;
    return true;
}

/* Returns the text of a regular file. Other files, such as pipes, cannot be read twice. */
static haft_str reread_file(haft__arena *arena, haft_str path)
{
    haft_str text = {NULL, 0}, name = haft__arena_copy(arena, path);
    struct stat found;
    if (name.ptr == NULL || stat(name.ptr, &found) != 0 || !S_ISREG(found.st_mode)
        || haft__file_read_arena(arena, name.ptr, HAFT__LIMIT_SPEC_BYTES, &text, NULL) != HAFT_OK) {
        return (haft_str){NULL, 0};
    }
    return text;
}

static bool find_line(haft__arena *arena, haft__diagnostic *d)
{
    if (!split_number(&d->file_or_option, &d->column)
        || !split_number(&d->file_or_option, &d->line)) {
        return false;
    }
    haft_str text = reread_file(arena, d->file_or_option);
    d->source_line = haft__spec_line_text(text, d->line);
    return text.ptr != NULL;
}

void haft__diagnostic_print_error(FILE *out, haft__arena *arena, const haft_error *err)
{
    haft__diagnostic d = {.file_or_option = haft__str(err->where),
                          .message = haft__str(err->message),
                          .hint = haft__str(err->hint)};
    if (find_line(arena, &d)) {
        haft__diagnostic_print(out, &d);
        return;
    }
    haft__print_error(out, err);
}
