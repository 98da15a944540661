/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - compares a reference with the text of its file, and writes an answer without its wrong
 * references. Tests: tests/run/reference/reference_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/reference/reference.h"

/* Maximum bytes of lines and of a quote that are compared, because a line may be very long. */
#define TEXT_BYTES  ((size_t)1 << 20)
#define QUOTE_BYTES 4096U

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

static bool contains(haft_str text, haft_str part)
{
    while (text.len >= part.len && part.len > 0) {
        const char *at = memchr(text.ptr, part.ptr[0], text.len - part.len + 1);
        if (at == NULL || memcmp(at, part.ptr, part.len) == 0) {
            return at != NULL;
        }
        text = haft__str_skip(text, (size_t)(at - text.ptr) + 1);
    }
    return part.len == 0;
}

/* The lines `first` to `last`; .ptr is NULL if the file has fewer lines. *ret_first is the first
 * line. */
static haft_str lines_of(haft_str file, uint64_t first, uint64_t last, haft_str *ret_first)
{
    uint64_t number = 1;
    size_t start = 0;
    haft_str lines = {NULL, 0};
    while (start < file.len && number <= last) {
        const char *feed = memchr(file.ptr + start, '\n', file.len - start);
        size_t end = feed != NULL ? (size_t)(feed - file.ptr) : file.len;
        if (number == first) {
            lines.ptr = file.ptr + start;
            *ret_first = (haft_str){file.ptr + start, end - start};
        }
        lines.len = lines.ptr != NULL ? (size_t)(file.ptr + end - lines.ptr) : 0;
        start = end + 1;
        number++;
    }
    return number > last ? lines : (haft_str){NULL, 0};
}

haft_status haft__reference_check(haft__reference *reference, haft_str file, haft_error *err)
{
    haft_str first = {NULL, 0};
    haft_str lines = lines_of(file, reference->first, reference->last, &first);
    if (lines.ptr == NULL) {
        reference->verdict = HAFT__REFERENCE_NO_LINE;
        return HAFT_OK;
    }
    haft__buf text, quote;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&quote, HAFT__LIMIT_RUN_BYTES);
    lines.len = lines.len < TEXT_BYTES ? lines.len : TEXT_BYTES;
    haft_str wanted = without_ellipsis(reference->quote);
    wanted.len = haft__utf8_floor(wanted, QUOTE_BYTES);
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

/* Writes the line from `start` to `end`, with its references `from` to `to` - 1. */
static void write_line(haft__buf *buf, haft_str answer, size_t start, size_t end,
                       const haft__reference *references, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const haft__reference *reference = &references[i];
        haft_str text = {answer.ptr + reference->start, reference->end - reference->start};
        haft__buf_add(buf, answer.ptr + start, reference->start - start);
        bool good = reference->verdict == HAFT__REFERENCE_GOOD;
        if (!haft__reference_is_shown(reference)) {
            text = HAFT__LIT(HAFT__REFERENCE_MARK);
        }
        haft__buf_add_str(buf, good && !reference->in_code ? HAFT__LIT("`") : HAFT__LIT(""));
        haft__buf_add_str(buf, text);
        haft__buf_add_str(buf, good && !reference->in_code ? HAFT__LIT("`") : HAFT__LIT(""));
        start = reference->end;
    }
    haft__buf_add(buf, answer.ptr + start, end - start);
}

void haft__references_write(haft__buf *buf, haft_str answer, const haft__reference *references,
                            size_t count)
{
    size_t at = 0;
    for (size_t start = 0; start < answer.len;) {
        const char *feed = memchr(answer.ptr + start, '\n', answer.len - start);
        size_t end = feed != NULL ? (size_t)(feed - answer.ptr) + 1 : answer.len;
        size_t from = at;
        bool any_shown = false;
        for (; at < count && references[at].start < end; at++) {
            any_shown = any_shown || haft__reference_is_shown(&references[at]);
        }
        bool drop = at > from && !any_shown && is_item((haft_str){answer.ptr + start, end - start});
        if (!drop) {
            write_line(buf, answer, start, end, references, from, at);
        }
        start = end;
    }
}
