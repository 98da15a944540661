/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - finds references in an answer, and the text that each one quotes.
 *
 *     `src/a.c:12`: `int a;`       a code span; the quote is the code span or quoted text after it
 *     src/a.c:12-14 "int a;"       a bare reference with a range
 *     `int a;` (src/a.c:12)        the quote may come first if the reference is in parentheses
 *     src/a.c#L12, src/a.c#L12-L14, src/a.c:12:5
 *     src/a.c:12:int a;            the form of grep; the quote is the text of the line
 *     src/a.c, line 12             the line in words
 *
 * Tests: tests/run/reference/reference_test.c.
 */
#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/reference/reference.h"

#define MAX_DIGITS     9U
#define LONGEST_ENDING 10U
#define LONGEST_PATH   1024U
#define BEFORE_A_QUOTE 16U /* maximum bytes between a reference and its quote: " contains " */
#define BEFORE_LINE    8U  /* maximum bytes between a path and "line": ", at " */

typedef struct finder {
    haft_str answer;
    haft__arena *arena;
    haft__reference *items;
    size_t count, capacity;
    size_t unclosed[2]; /* for each row of `marks`: before this position no closing mark follows */
    haft_error *err;
} finder;

/* ---- numbers ---- */

static bool is_digit_at(haft_str text, size_t at)
{
    return at < text.len && haft__ascii_is_digit(text.ptr[at]);
}

static bool is_word_at(haft_str text, size_t at)
{
    return at < text.len && (haft__ascii_is_alphanumeric(text.ptr[at]) || text.ptr[at] == '_');
}

/* Reads the digits at *at and advances *at. A number that is too long is the line UINT64_MAX, which
 * no file has. */
static uint64_t read_number(haft_str text, size_t *at)
{
    uint64_t number = 0;
    size_t start = *at;
    while (is_digit_at(text, *at)) {
        number = *at - start <= MAX_DIGITS ? number * 10 + (uint64_t)(text.ptr[*at] - '0') : 0;
        (*at)++;
    }
    return *at - start <= MAX_DIGITS ? number : UINT64_MAX;
}

/* The length of the dash of a range at `at`: "-", an en dash or an em dash; 0 if there is none. */
static size_t dash_at(haft_str text, size_t at)
{
    haft_str rest = haft__str_skip(text, at);
    bool wide = haft__str_starts_with(rest, HAFT__LIT("\xE2\x80\x93"))
                || haft__str_starts_with(rest, HAFT__LIT("\xE2\x80\x94"));
    return rest.len > 0 && rest.ptr[0] == '-' ? 1 : wide ? 3 : 0;
}

/* Reads what follows the first number: "-14", "-L14", or the column ":5". Advances *at. */
static void read_last(haft_str text, size_t *at, haft__reference *reference)
{
    size_t dash = dash_at(text, *at), next = *at + dash;
    bool colon = *at < text.len && text.ptr[*at] == ':';
    if (dash > 0) {
        next += next < text.len && text.ptr[next] == 'L' ? 1 : 0;
        if (is_digit_at(text, next)) {
            reference->last = read_number(text, &next);
            *at = next;
        }
    } else if (colon && is_digit_at(text, *at + 1)) {
        next = *at + 1;
        (void)read_number(text, &next);
        *at = is_word_at(text, next) ? *at : next; /* else the text of the line begins here */
    }
}

/* Reads "12", "12-14", "12:5", "L12-L14" at the start of `text`. *ret_end is the position after
 * it. Returns false if a number is a part of something else, as in "12x" and "12.5". */
static bool read_lines(haft_str text, bool hash, haft__reference *reference, size_t *ret_end)
{
    size_t at = text.len > 0 && text.ptr[0] == 'L' ? 1 : 0;
    if ((hash && at == 0) || !is_digit_at(text, at)) {
        return false;
    }
    reference->first = reference->last = read_number(text, &at);
    read_last(text, &at, reference);
    *ret_end = at;
    char next = at < text.len ? text.ptr[at] : '\0';
    return !is_word_at(text, at) && next != '/'
           && !((next == '.' || next == '-') && is_word_at(text, at + 1));
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
    bool exists = reference->first > 0 && reference->first < UINT64_MAX; /* a file may have it */
    reference->doubtful = !has_directory(path) && (!has_ending(path) || !exists);
    return letter && path.len > 0 && path.len <= LONGEST_PATH;
}

/* Reads "path:lines" or "path#Llines" at the start of `text`: the path ends before the first such
 * number. *ret_end is the position after the lines. */
static bool read_reference(haft_str text, haft__reference *ret_reference, size_t *ret_end)
{
    for (size_t i = 1; i + 1 < text.len && i <= LONGEST_PATH; i++) {
        bool hash = text.ptr[i] == '#';
        size_t end = 0;
        haft__reference reference = {.file = {text.ptr, i}};
        if ((hash || text.ptr[i] == ':')
            && read_lines(haft__str_skip(text, i + 1), hash, &reference, &end)
            && is_path(reference.file, &reference)) {
            *ret_reference = reference;
            *ret_end = i + 1 + end;
            return true;
        }
    }
    return false;
}

/* Whether the text of a code span is a reference without spaces in its path, maybe with the text of
 * its line: "src/a.c:12", "src/a.c:12:int a;". */
static bool is_reference(haft_str text)
{
    haft__reference reference;
    size_t end = 0;
    return read_reference(text, &reference, &end)
           && memchr(reference.file.ptr, ' ', reference.file.len) == NULL
           && (end == text.len || text.ptr[end] == ':');
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

/* The text from `at` to the quotation mark `mark` that closes it in its line; .ptr is NULL if none
 * does. A line is searched only once for a mark that it does not have. */
static haft_str marked_text(finder *f, size_t at, size_t mark)
{
    haft_str text = f->answer, close = haft__str(marks[mark].close);
    size_t end = at;
    if (at < f->unclosed[mark]) {
        return (haft_str){NULL, 0};
    }
    for (; end < text.len && text.ptr[end] != '\n'; end++) {
        if (haft__str_starts_with(haft__str_skip(text, end), close)) {
            return (haft_str){text.ptr + at, end - at};
        }
    }
    f->unclosed[mark] = end;
    return (haft_str){NULL, 0};
}

/* The quoted text at `at`: a code span, or text in quotation marks; else "". *ret_end is the
 * position after the quote. */
static haft_str quote_at(finder *f, size_t at, size_t *ret_end)
{
    haft_str rest = haft__str_skip(f->answer, at);
    size_t end = rest.len > 0 && rest.ptr[0] == '`' ? code_end(f->answer, at) : 0;
    if (end > 0) {
        *ret_end = end;
        return code_text(f->answer, at, end);
    }
    for (size_t i = 0; i < COUNT(marks); i++) {
        haft_str open = haft__str(marks[i].open);
        haft_str quote = haft__str_starts_with(rest, open) ? marked_text(f, at + open.len, i)
                                                           : (haft_str){NULL, 0};
        if (quote.ptr != NULL) {
            *ret_end = (size_t)(quote.ptr - f->answer.ptr) + quote.len + strlen(marks[i].close);
            return quote;
        }
    }
    return HAFT__LIT("");
}

/* Whether the text between a reference and a quote connects them: punctuation, or a word such as
 * "says". */
static bool connects(haft_str between)
{
    static const char *const words[] = {"says", "reads", "has", "contains", "shows", "is", "as"};
    size_t at = 0;
    while (at < between.len
           && (strchr(" :-*_)(|,=>", between.ptr[at]) != NULL
               || (unsigned char)between.ptr[at] >= 0x80)) {
        at++;
    }
    haft_str rest = haft__str_trim(haft__str_skip(between, at));
    bool found = rest.len == 0;
    rest.len -= haft__str_ends_with(rest, HAFT__LIT(":")) ? 1 : 0;
    for (size_t i = 0; i < COUNT(words); i++) {
        found = found || haft__str_equal(rest, haft__str(words[i]));
    }
    return found;
}

/* Finds the quote right after the reference, in the same line. A quote that is itself a reference
 * is not a quote of this reference. */
static void find_quote_after(finder *f, haft__reference *reference)
{
    for (size_t at = reference->end;
         at < f->answer.len && at <= reference->end + BEFORE_A_QUOTE && f->answer.ptr[at] != '\n';
         at++) {
        size_t end = 0;
        haft_str quote = quote_at(f, at, &end);
        if (quote.len > 0) {
            haft_str between = {f->answer.ptr + reference->end, at - reference->end};
            if (connects(between) && !is_reference(quote)) {
                reference->quote = quote;
                reference->quote_end = end;
            }
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

/* Whether only the marks of a list, of a quotation and of a heading precede `at` in its line. */
static bool starts_line(haft_str answer, size_t at)
{
    while (at > 0 && answer.ptr[at - 1] != '\n') {
        if (strchr(" \t-*>#|0123456789.)", answer.ptr[at - 1]) == NULL) {
            return false;
        }
        at--;
    }
    return true;
}

/* Whether the lines of the reference, which end at `end`, have a column: "12:5". */
static bool has_column(const haft__reference *reference, const char *end)
{
    const char *lines = reference->file.ptr + reference->file.len + 1;
    return memchr(lines, ':', (size_t)(end - lines)) != NULL;
}

/* The text after "path:line:", as grep prints it: the rest of the line if the reference starts the
 * line, else the rest of the token, which ends at `token_end`. */
static void use_grep_text(finder *f, haft__reference *reference, size_t token_end)
{
    size_t from = reference->end + 1, end = token_end;
    if (from >= token_end || f->answer.ptr[reference->end] != ':'
        || has_column(reference, f->answer.ptr + reference->end)) {
        return;
    }
    if (starts_line(f->answer, reference->start)) {
        const char *feed = memchr(f->answer.ptr + from, '\n', f->answer.len - from);
        end = feed != NULL ? (size_t)(feed - f->answer.ptr) : f->answer.len;
    }
    reference->quote = haft__str_trim((haft_str){f->answer.ptr + from, end - from});
    reference->quote_end = end;
}

/* The length of a mark before a path: "*", "_", and the punctuation and arrows of Unicode. */
static size_t mark_at(haft_str text, size_t at)
{
    haft_str rest = haft__str_skip(text, at);
    uint32_t code = 0;
    size_t length = haft__utf8_decode(rest, &code);
    return length > 0 && (code == '*' || code == '_' || (code >= 0x2010 && code < 0x2200)) ? length
                                                                                           : 0;
}

/* Reads the bare token at *at. Returns true if it begins with a reference; *at is then the end of
 * the reference, because another one may follow (`a.c:1->b.c:2`), else the end of the token. */
static bool read_token(finder *f, size_t *at, haft__reference *ret_reference)
{
    size_t start = *at, end = start, length = 0;
    while (end < f->answer.len && is_token_byte(f->answer.ptr[end])) {
        end++;
    }
    *at = end > start ? end : start + 1;
    for (size_t mark = 1; mark > 0; start += mark) {
        mark = mark_at((haft_str){f->answer.ptr, end}, start);
    }
    while (end > start && strchr("*_.:!?", f->answer.ptr[end - 1]) != NULL) {
        end--;
    }
    haft_str token = {f->answer.ptr + start, end - start};
    if (!read_reference(token, ret_reference, &length)) {
        return false;
    }
    ret_reference->start = start;
    ret_reference->end = *at = start + length;
    use_grep_text(f, ret_reference, end);
    return true;
}

/* Reads the code span from `start` to `end`: a reference, or "path:line:text" without a space in
 * the path. */
static bool read_span(finder *f, size_t start, size_t end, haft__reference *ret_reference)
{
    size_t length = 0;
    haft_str text = code_text(f->answer, start, end);
    if (!read_reference(text, ret_reference, &length)) {
        return false;
    }
    haft_str file = ret_reference->file, rest = haft__str_skip(text, length);
    if (rest.len > 0
        && (rest.ptr[0] != ':' || memchr(file.ptr, ' ', file.len) != NULL
            || has_column(ret_reference, rest.ptr))) {
        return false;
    }
    ret_reference->start = start;
    ret_reference->end = end;
    ret_reference->in_code = true;
    ret_reference->quote = haft__str_trim(haft__str_skip(rest, 1));
    ret_reference->quote_end = ret_reference->quote.len > 0 ? end : 0;
    return true;
}

/* Reads "line 12", "lines 12-14" or ":12" after the path that ends at `end`: "`src/a.c`, line 12".
 * `path` is the path without marks; the reference begins at `start`. */
static bool read_line_words(finder *f, haft_str path, size_t start, size_t end,
                            haft__reference *ret_reference)
{
    haft__reference reference = {.file = path, .first = 1};
    haft_str rest = haft__str_skip(f->answer, end);
    size_t at = 0, length = 0;
    if (!has_ending(path) || !is_path(path, &reference)
        || memchr(path.ptr, ' ', path.len) != NULL) {
        return false;
    }
    while (at < rest.len && at < BEFORE_LINE && strchr(" ,(*_at", rest.ptr[at]) != NULL) {
        at++;
    }
    rest = haft__str_skip(rest, at);
    static const char *const words[] = {"line ", "lines ", ":"};
    size_t skipped = 0;
    for (size_t i = 0; i < COUNT(words); i++) {
        bool first = words[i][0] != ':' || at == 0; /* a colon follows the path */
        skipped =
            first && haft__str_starts_with(rest, haft__str(words[i])) ? strlen(words[i]) : skipped;
    }
    rest = haft__str_skip(rest, skipped);
    if (skipped == 0) {
        return false;
    }
    if (!read_lines(rest, false, &reference, &length)) {
        return false;
    }
    reference.start = start;
    reference.end = (size_t)(rest.ptr - f->answer.ptr) + length;
    reference.in_code = true; /* it stays as it is */
    reference.doubtful = !has_directory(path);
    *ret_reference = reference;
    return true;
}

/* Reads what is at *at, and advances *at. Returns true if it is a reference. `quote` is the last
 * quote of the line. */
static bool read_next(finder *f, size_t *at, haft_str *quote, size_t *quote_end,
                      haft__reference *ret_reference)
{
    haft_str answer = f->answer;
    size_t start = *at, end = answer.ptr[start] == '`' ? code_end(answer, start) : 0;
    if (end > 0
        && (read_span(f, start, end, ret_reference)
            || read_line_words(f, code_text(answer, start, end), start, end, ret_reference))) {
        *at = ret_reference->end;
        return true;
    }
    if (answer.ptr[start] == '`' || answer.ptr[start] == '"') {
        haft_str text = quote_at(f, start, &end);
        *quote = text.len > 0 ? text : *quote;
        *quote_end = text.len > 0 ? end : *quote_end;
        *at += answer.ptr[start] == '`' ? count_backticks(answer, start) : 1;
        return false;
    }
    *quote = answer.ptr[start] == '\n' ? HAFT__LIT("") : *quote;
    if (read_token(f, at, ret_reference)) {
        return true;
    }
    haft_str token = {answer.ptr + start, *at - start};
    while (token.len > 0 && strchr("*_", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr("*_:", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    bool found = token.len > 0
                 && read_line_words(f, token, (size_t)(token.ptr - answer.ptr), *at, ret_reference);
    *at = found ? ret_reference->end : *at;
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
        if (!read_next(&f, &at, &quote, &quote_end, &reference)) {
            continue;
        }
        if (reference.quote.len == 0 && reference.start >= quote_end) {
            use_quote_before(&f, &reference, quote, quote_end);
        }
        if (reference.quote_end == 0) {
            find_quote_after(&f, &reference);
        }
        /* Skip the quote: references in quotes do not count. */
        at = reference.quote_end > at ? reference.quote_end : at;
        status = add(&f, &reference);
    }
    if (status == HAFT_OK) {
        *ret_references = f.items;
        *ret_count = f.count;
    }
    return status;
}
