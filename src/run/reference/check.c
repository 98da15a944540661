/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - compares a reference with the text of its file, and writes an answer without its wrong
 * references. Tests: tests/run/reference/reference_test.c.
 */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/reference/reference.h"

/* Maximum bytes of lines and of a quote that are compared, because a line may be very long. */
#define TEXT_BYTES  ((size_t)1 << 20)
#define QUOTE_BYTES 4096U

/* A file has the position of each line of this number. */
#define LINES_OF_A_START 1024U

/* ---- the text of a file ---- */

/* Whether results and answers show the code point as a space, or omit it. */
static bool is_invisible(uint32_t code)
{
    return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || (code >= 0x200b && code <= 0x200f)
           || (code >= 0x2028 && code <= 0x202f) || (code >= 0x2060 && code <= 0x2069)
           || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb)
           || (code >= 0xe0000 && code <= 0xe007f);
}

/* Appends the text in the form that is compared: without white space, and with '?' for each byte
 * that is not UTF-8. */
static void add_comparable(haft__buf *buf, haft_str text)
{
    while (text.len > 0) {
        uint32_t code = '?';
        size_t length = haft__utf8_decode(text, &code);
        if (length == 0 || code == 0) {
            haft__buf_add_char(buf, '?'); /* grep and read show '?', too */
        } else if (!is_invisible(code)) {
            haft__buf_add(buf, text.ptr, length);
        }
        text = haft__str_skip(text, length > 0 ? length : 1);
    }
}

/* The quote without the ellipses at its ends. */
static haft_str without_ellipsis(haft_str quote)
{
    static const char *const marks[] = {"\xE2\x80\xA6", "..."};
    quote = haft__str_trim(quote);
    for (size_t i = 0; i < COUNT(marks); i++) {
        haft_str mark = haft__str(marks[i]);
        if (haft__str_ends_with(quote, mark)) {
            quote.len -= mark.len;
        }
        if (haft__str_starts_with(quote, mark)) {
            quote = haft__str_skip(quote, mark.len);
        }
    }
    return quote;
}

/* Whether `text` contains `part`, of at most QUOTE_BYTES, in linear time (Knuth, Morris, Pratt). */
static bool contains(haft_str text, haft_str part)
{
    uint16_t prefix[QUOTE_BYTES]; /* the longest proper prefix that also ends at this byte */
    size_t match = 0;
    for (size_t i = 0; i < part.len; i++) {
        while (i > 0 && match > 0 && part.ptr[i] != part.ptr[match]) {
            match = prefix[match - 1];
        }
        match += i > 0 && part.ptr[i] == part.ptr[match] ? 1 : 0;
        prefix[i] = (uint16_t)match;
    }
    match = 0;
    for (size_t i = 0; i < text.len && match < part.len; i++) {
        while (match > 0 && text.ptr[i] != part.ptr[match]) {
            match = prefix[match - 1];
        }
        match += text.ptr[i] == part.ptr[match] ? 1 : 0;
    }
    return match == part.len;
}

/* ---- lines ---- */

/* The position after the line that begins at `start`, without its line feed. */
static size_t line_end(haft_str text, size_t start)
{
    const char *feed = start < text.len ? memchr(text.ptr + start, '\n', text.len - start) : NULL;
    return feed != NULL ? (size_t)(feed - text.ptr) : text.len;
}

haft_status haft__reference_file_init(haft__reference_file *file, haft_str text, haft__arena *arena,
                                      haft_error *err)
{
    *file = (haft__reference_file){.text = text};
    for (size_t start = 0; start < text.len; start = line_end(text, start) + 1) {
        file->line_count++;
    }
    file->starts =
        haft__arena_array(arena, file->line_count / LINES_OF_A_START + 1, sizeof(*file->starts));
    if (file->starts == NULL) {
        return haft__arena_fail(arena, err);
    }
    uint64_t line = 0;
    for (size_t start = 0; start < text.len; start = line_end(text, start) + 1) {
        if (line % LINES_OF_A_START == 0) {
            file->starts[line / LINES_OF_A_START] = start;
        }
        line++;
    }
    return HAFT_OK;
}

/* The position of a line of the file; lines count from 1. */
static size_t line_start(const haft__reference_file *file, uint64_t line)
{
    size_t start = file->starts[(line - 1) / LINES_OF_A_START];
    for (uint64_t i = 0; i < (line - 1) % LINES_OF_A_START; i++) {
        start = line_end(file->text, start) + 1;
    }
    return start;
}

haft_status haft__reference_check(haft__reference *reference, const haft__reference_file *file,
                                  haft_error *err)
{
    if (reference->first == 0 || reference->last < reference->first
        || reference->last > file->line_count) {
        reference->verdict = HAFT__REFERENCE_NO_LINE;
        return HAFT_OK;
    }
    size_t start = line_start(file, reference->first);
    size_t end = line_end(file->text, line_start(file, reference->last));
    haft_str lines = {file->text.ptr + start, end - start};
    haft_str first = {lines.ptr, line_end(file->text, start) - start};
    haft__buf text, quote;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&quote, HAFT__LIMIT_RUN_BYTES);
    haft_str wanted = without_ellipsis(reference->quote);
    wanted.len = haft__utf8_floor(wanted, QUOTE_BYTES);
    lines.len = wanted.len == 0 ? 0 : lines.len < TEXT_BYTES ? lines.len : TEXT_BYTES;
    add_comparable(&text, lines);
    add_comparable(&quote, wanted);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&quote, err);
    }
    if (status == HAFT_OK) {
        bool good = contains(haft__buf_str(&text), haft__buf_str(&quote));
        reference->verdict = good ? HAFT__REFERENCE_GOOD : HAFT__REFERENCE_OTHER_TEXT;
        reference->line = first;
    }
    haft__buf_finish(&text);
    haft__buf_finish(&quote);
    return status;
}

/* ---- the answer ---- */

/* Whether it only looks like a reference, for example "word:12": no such file exists. */
static bool may_be_text(const haft__reference *reference)
{
    return reference->doubtful && reference->verdict == HAFT__REFERENCE_NO_FILE;
}

bool haft__reference_is_shown(const haft__reference *reference)
{
    return reference->verdict == HAFT__REFERENCE_GOOD || may_be_text(reference);
}

size_t haft__references_dropped(const haft__reference *references, size_t count)
{
    size_t dropped = 0;
    for (size_t i = 0; i < count; i++) {
        dropped += haft__reference_is_shown(&references[i]) ? 0 : 1;
    }
    return dropped;
}

/* Whether the line is an item of a list: "- ", "* ", "12. ". */
static bool is_item(haft_str line)
{
    line = haft__str_trim(line);
    size_t digits = 0;
    while (digits < line.len && line.ptr[digits] >= '0' && line.ptr[digits] <= '9') {
        digits++;
    }
    haft_str rest = haft__str_skip(line, digits);
    return digits > 0 ? haft__str_starts_with(rest, HAFT__LIT(". "))
                      : haft__str_starts_with(line, HAFT__LIT("- "))
                            || haft__str_starts_with(line, HAFT__LIT("* "));
}

/* Whether a good reference becomes a code span: not if it is one already, if it touches a backtick,
 * or if it is the destination of a link, "](src/a.c:12)". */
static bool becomes_code(haft_str answer, const haft__reference *reference, bool plain)
{
    haft_str before = {answer.ptr, reference->start},
             after = haft__str_skip(answer, reference->end);
    return reference->verdict == HAFT__REFERENCE_GOOD && !reference->in_code && !plain
           && !haft__str_ends_with(before, HAFT__LIT("]("))
           && !haft__str_ends_with(before, HAFT__LIT("`"))
           && !haft__str_starts_with(after, HAFT__LIT("`"));
}

/* Whether the number of backticks in the text is odd. */
static bool has_odd_backticks(haft_str text)
{
    bool odd = false;
    for (size_t i = 0; i < text.len; i++) {
        odd = odd != (text.ptr[i] == '`');
    }
    return odd;
}

/* Writes the line from `start` to `end`, with its references `from` to `to` - 1. After a code span
 * that is not closed, no reference becomes one, because its marks would close it. */
static void write_line(haft__buf *buf, haft_str answer, size_t start, size_t end, bool fenced,
                       const haft__reference *references, size_t from, size_t to)
{
    bool plain = fenced;
    for (size_t i = from; i < to; i++) {
        const haft__reference *reference = &references[i];
        haft_str text = {answer.ptr + reference->start, reference->end - reference->start};
        haft_str before = {answer.ptr + start, reference->start - start};
        plain = plain || has_odd_backticks(before);
        haft_str mark = becomes_code(answer, reference, plain) ? HAFT__LIT("`") : HAFT__LIT("");
        haft__buf_add_str(buf, before);
        start = reference->end;
        if (!haft__reference_is_shown(reference)) {
            text = HAFT__LIT(HAFT__REFERENCE_MARK);
            start = reference->quote_end > start ? reference->quote_end : start;
        }
        haft__buf_add_str(buf, mark);
        haft__buf_add_str(buf, text);
        haft__buf_add_str(buf, mark);
    }
    haft__buf_add(buf, answer.ptr + start, end - start);
}

/* Whether the line opens or closes a fenced block. */
static bool is_fence(haft_str line)
{
    line = haft__str_trim(line);
    return haft__str_starts_with(line, HAFT__LIT("```"))
           || haft__str_starts_with(line, HAFT__LIT("~~~"));
}

void haft__references_write(haft__buf *buf, haft_str answer, const haft__reference *references,
                            size_t count)
{
    size_t at = 0;
    bool fenced = false;
    for (size_t start = 0; start < answer.len;) {
        size_t end = line_end(answer, start), from = at;
        bool any_shown = false;
        end += end < answer.len ? 1 : 0;
        haft_str line = {answer.ptr + start, end - start};
        for (; at < count && references[at].start < end; at++) {
            any_shown = any_shown || haft__reference_is_shown(&references[at]);
        }
        fenced = fenced != (at == from && is_fence(line));
        if (at == from || any_shown || !is_item(line)) {
            write_line(buf, answer, start, end, fenced, references, from, at);
        }
        start = end;
    }
}
