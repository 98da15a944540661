/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - finds references in an answer, and the text that each one quotes.
 *
 *     `src/a.c:12`: `int a;`       a code span; the quote is the code span or quoted text after it
 *     src/a.c:12-14 "int a;"       a bare reference with a range
 *     `int a;` (src/a.c:12)        the quote may come first if the reference is in parentheses
 *     src/a.c#L12, src/a.c#L12-L14, src/a.c:12:5
 *
 * Tests: tests/run/reference/reference_test.c.
 */
#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/reference/reference.h"

#define MAX_DIGITS     9U
#define LONGEST_ENDING 10U
#define LONGEST_PATH   1024U
#define BEFORE_A_QUOTE 8U /* maximum bytes between a reference and its quote: ": ", " says " */

typedef struct finder {
    haft_str answer;
    haft__arena *arena;
    haft__reference *items;
    size_t count, capacity;
    haft_error *err;
} finder;

/* ---- numbers ---- */

/* Reads a line number at *at and advances *at. Returns 0 if there is no number, or if it is too
 * long. */
static uint64_t read_number(haft_str text, size_t *at)
{
    uint64_t number = 0;
    size_t start = *at;
    while (*at < text.len && haft__ascii_is_digit(text.ptr[*at]) && *at - start <= MAX_DIGITS) {
        number = number * 10 + (uint64_t)(text.ptr[*at] - '0');
        (*at)++;
    }
    return *at - start <= MAX_DIGITS ? number : 0;
}

/* Reads "12", "12-14", "12:5", "L12-L14" at the end of `text`. */
static bool read_lines(haft_str text, bool hash, haft__reference *reference)
{
    size_t at = hash && text.len > 0 && text.ptr[0] == 'L' ? 1 : 0;
    reference->first = reference->last = read_number(text, &at);
    if (reference->first == 0 || (hash && text.ptr[0] != 'L')) {
        return false;
    }
    char next = at < text.len ? text.ptr[at] : '\0';
    if (next == '-') {
        at++;
        at += at < text.len && text.ptr[at] == 'L' ? 1 : 0;
        reference->last = read_number(text, &at);
    } else if (next == ':') { /* a column, or nothing */
        at++;
        uint64_t column = read_number(text, &at);
        at += column == 0 && at < text.len ? text.len + 1 : 0; /* other text */
    }
    return at == text.len && reference->last >= reference->first;
}

/* ---- paths ---- */

static bool has_directory(haft_str path)
{
    return path.len > 0 && memchr(path.ptr, '/', path.len) != NULL;
}

/* An ending such as ".c" or ".tar": a letter and at most LONGEST_ENDING letters and digits. */
static bool has_ending(haft_str path)
{
    size_t dot = path.len;
    bool letter = false, plain = true;
    while (dot > 0 && path.ptr[dot - 1] != '.') {
        dot--;
        letter = letter || haft__ascii_is_letter(path.ptr[dot]);
        plain = plain && (haft__ascii_is_alphanumeric(path.ptr[dot]) || path.ptr[dot] == '_');
    }
    return dot > 0 && letter && plain && path.len - dot <= LONGEST_ENDING;
}

static bool is_path(haft_str path, haft__reference *reference)
{
    bool letter = false;
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        letter = letter || haft__ascii_is_letter(c) || c >= 0x80;
        if (c < 0x20 || c == 0x7f) {
            return false;
        }
    }
    for (size_t i = 0; i + 2 < path.len; i++) {
        if (memcmp(path.ptr + i, "://", 3) == 0) {
            return false;
        }
    }
    reference->doubtful = !has_directory(path) && !has_ending(path);
    return letter && path.len > 0 && path.len <= LONGEST_PATH;
}

/* Reads "path:lines" or "path#Llines": the path ends before the first such number. */
static bool read_reference(haft_str text, haft__reference *ret_reference)
{
    for (size_t i = 1; i + 1 < text.len; i++) {
        bool hash = text.ptr[i] == '#';
        haft__reference reference = {.file = {text.ptr, i}};
        if ((hash || text.ptr[i] == ':')
            && read_lines(haft__str_skip(text, i + 1), hash, &reference)
            && is_path(reference.file, &reference)) {
            *ret_reference = reference;
            return true;
        }
    }
    return false;
}

/* ---- quotes ---- */

static size_t count_backticks(haft_str text, size_t at)
{
    size_t run = 0;
    while (at + run < text.len && text.ptr[at + run] == '`') {
        run++;
    }
    return run;
}

/* The position after the code span that begins at `at`; 0 if the span is not closed in its line. */
static size_t code_end(haft_str text, size_t at)
{
    size_t run = count_backticks(text, at);
    for (size_t i = at + run; i < text.len && text.ptr[i] != '\n';) {
        size_t other = count_backticks(text, i);
        if (other == run) {
            return i + run;
        }
        i += other > 0 ? other : 1;
    }
    return 0;
}

/* The text inside a code span. */
static haft_str code_text(haft_str text, size_t start, size_t end)
{
    size_t run = count_backticks(text, start);
    return haft__str_trim((haft_str){text.ptr + start + run, end - start - 2 * run});
}

static const struct {
    const char *open, *close;
} marks[] = {
    {"\"", "\""}, {"\xE2\x80\x9C", "\xE2\x80\x9D"}, /* typographic */
};

/* The quoted text at `at`: a code span, or text in quotation marks; else "". *ret_end is the
 * position after the quote. */
static haft_str quote_at(haft_str text, size_t at, size_t *ret_end)
{
    haft_str rest = haft__str_skip(text, at);
    size_t end = rest.len > 0 && rest.ptr[0] == '`' ? code_end(text, at) : 0;
    if (end > 0) {
        *ret_end = end;
        return code_text(text, at, end);
    }
    for (size_t i = 0; i < COUNT(marks); i++) {
        haft_str close = haft__str(marks[i].close);
        if (!haft__str_starts_with(rest, haft__str(marks[i].open))) {
            continue;
        }
        size_t from = at + strlen(marks[i].open);
        for (end = from; end + close.len <= text.len && text.ptr[end] != '\n'; end++) {
            if (memcmp(text.ptr + end, close.ptr, close.len) == 0) {
                *ret_end = end + close.len;
                return (haft_str){text.ptr + from, end - from};
            }
        }
    }
    return HAFT__LIT("");
}

/* Whether the text between a reference and a quote connects them: punctuation, or "says". */
static bool connects(haft_str between)
{
    if (between.len > BEFORE_A_QUOTE) {
        return false;
    }
    size_t at = 0;
    while (at < between.len
           && (strchr(" :-*_)(|", between.ptr[at]) != NULL
               || (unsigned char)between.ptr[at] >= 0x80)) {
        at++;
    }
    haft_str rest = haft__str_trim(haft__str_skip(between, at));
    return rest.len == 0 || haft__str_equal(rest, HAFT__LIT("says"));
}

/* Finds the quote right after the reference, in the same line. A quote that is itself a reference
 * is not a quote of this reference. */
static void find_quote_after(finder *f, haft__reference *reference)
{
    for (size_t at = reference->end;
         at < f->answer.len && at <= reference->end + BEFORE_A_QUOTE && f->answer.ptr[at] != '\n';
         at++) {
        size_t end = 0;
        haft_str quote = quote_at(f->answer, at, &end);
        haft__reference other;
        if (quote.len > 0) {
            haft_str between = {f->answer.ptr + reference->end, at - reference->end};
            bool reference_itself =
                read_reference(quote, &other) && memchr(quote.ptr, ' ', quote.len) == NULL;
            bool good = connects(between) && !reference_itself;
            reference->quote = good ? quote : reference->quote;
            return;
        }
    }
}

/* Uses `before`, the last quote of the line, which ends at `end`, as in "`int a;` (src/a.c:12)". */
static void use_quote_before(finder *f, haft__reference *reference, haft_str before, size_t end)
{
    haft_str between = {f->answer.ptr + end, reference->start - end};
    if (before.len > 0 && haft__str_equal(haft__str_trim(between), HAFT__LIT("("))) {
        reference->quote = before;
    }
}

/* ---- the search ---- */

static haft_status add(finder *f, const haft__reference *reference)
{
    if (f->count == f->capacity) {
        size_t more = f->capacity > 0 ? 2 * f->capacity : 16;
        haft__reference *items = haft__arena_array(f->arena, more, sizeof(*items));
        if (items == NULL) {
            return haft__arena_fail(f->arena, f->err);
        }
        if (f->count > 0) {
            memcpy(items, f->items, f->count * sizeof(*items));
        }
        f->items = items;
        f->capacity = more;
    }
    f->items[f->count] = *reference;
    if (f->count >= HAFT__LIMIT_REFERENCES) {
        f->items[f->count].verdict = HAFT__REFERENCE_TOO_MANY;
    }
    f->count++;
    return HAFT_OK;
}

static bool is_token_byte(char c)
{
    return (unsigned char)c > ' ' && c != 0x7f && strchr("`\"'<>()[]{}|,;", c) == NULL;
}

/* Reads the bare token at *at and advances *at. Returns true if the token is a reference. */
static bool read_token(finder *f, size_t *at, haft__reference *ret_reference)
{
    size_t start = *at, end = start;
    while (end < f->answer.len && is_token_byte(f->answer.ptr[end])) {
        end++;
    }
    *at = end > start ? end : start + 1;
    while (start < end && strchr("*_", f->answer.ptr[start]) != NULL) {
        start++;
    }
    while (end > start && strchr("*_.:!?", f->answer.ptr[end - 1]) != NULL) {
        end--;
    }
    bool found = read_reference((haft_str){f->answer.ptr + start, end - start}, ret_reference);
    ret_reference->start = start;
    ret_reference->end = end;
    return found;
}

haft_status haft__references_find(haft_str answer, haft__arena *arena,
                                  haft__reference **ret_references, size_t *ret_count,
                                  haft_error *err)
{
    finder f = {.answer = answer, .arena = arena, .err = err};
    haft_status status = HAFT_OK;
    haft_str quote = HAFT__LIT(""); /* the last quote of the line */
    size_t quote_end = 0;
    for (size_t at = 0; at < answer.len && status == HAFT_OK;) {
        haft__reference reference = {.first = 0};
        size_t end = answer.ptr[at] == '`' ? code_end(answer, at) : 0;
        bool found = end > 0 && read_reference(code_text(answer, at, end), &reference);
        if (found) {
            reference.start = at;
            reference.end = end;
            reference.in_code = true;
            at = end;
        } else if (answer.ptr[at] == '`' || answer.ptr[at] == '"') {
            haft_str text = quote_at(answer, at, &end);
            quote = text.len > 0 ? text : quote;
            quote_end = text.len > 0 ? end : quote_end;
            at += answer.ptr[at] == '`' ? count_backticks(answer, at) : 1;
        } else {
            quote = answer.ptr[at] == '\n' ? HAFT__LIT("") : quote;
            found = read_token(&f, &at, &reference);
        }
        if (found) {
            if (reference.start >= quote_end) {
                use_quote_before(&f, &reference, quote, quote_end);
            }
            find_quote_after(&f, &reference);
            if (reference.quote.len > 0 && reference.quote.ptr > answer.ptr + reference.end) {
                /* Skip the quote: references in quotes do not count. */
                at = (size_t)(reference.quote.ptr + reference.quote.len - answer.ptr);
                while (at < answer.len && (answer.ptr[at] == '`' || answer.ptr[at] == '"')) {
                    at++;
                }
            }
            status = add(&f, &reference);
        }
    }
    if (status == HAFT_OK) {
        *ret_references = f.items;
        *ret_count = f.count;
    }
    return status;
}
