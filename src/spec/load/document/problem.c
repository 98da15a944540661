/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c - the list of problems, and locations in a text. Tests: tests/spec/load/problem_test.c.
 */
#include "spec/load/document/problem.h"

#include <stdarg.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

/* Longer messages, which quote the user's text, are truncated. */
#define TEXT_MAX 1024

void haft__spec_problems_init(haft__spec_problems *problems, haft__arena *arena)
{
    *problems = (haft__spec_problems){.arena = arena, .status = HAFT_OK};
}

HAFT__PRINTF(2, 0)
static haft_str format_text(haft__spec_problems *problems, const char *format, va_list values)
{
    char text[TEXT_MAX];
    int wanted = vsnprintf(text, sizeof(text), format, values);
    haft_str whole = {text, wanted < 0 ? 0 : (size_t)wanted};
    if (whole.len >= sizeof(text)) {
        whole.len = haft__utf8_floor((haft_str){text, sizeof(text) - 1}, sizeof(text) - 1);
    }
    haft__utf8_replace_invalid(text,
                               whole.len); /* a quoted text may be truncated inside a character */
    haft_str kept = haft__arena_copy(problems->arena, whole);
    if (kept.ptr == NULL) {
        problems->status = haft__arena_fail(problems->arena, NULL);
        return (haft_str){"", 0};
    }
    return kept;
}

/* Makes room for an error: removes the last warning. Returns false if the list has none. */
static bool remove_warning(haft__spec_problems *problems)
{
    size_t at = problems->count;
    while (at > 0 && !problems->items[at - 1].warning) {
        at--;
    }
    if (at == 0) {
        return false;
    }
    problems->count--;
    memmove(&problems->items[at - 1], &problems->items[at],
            (problems->count - (at - 1)) * sizeof(*problems->items));
    return true;
}

/* Returns memory for one more problem, or NULL. The first call allocates memory for all problems,
 * because the limit is small. Warnings give way to errors. */
static haft__spec_problem *allocate_problem(haft__spec_problems *problems, bool warning)
{
    if (problems->items == NULL) {
        problems->items =
            haft__arena_array(problems->arena, HAFT__LIMIT_SPEC_PROBLEMS, sizeof(*problems->items));
        if (problems->items == NULL) {
            problems->status = haft__arena_fail(problems->arena, NULL);
        }
    }
    bool full = problems->count == HAFT__LIMIT_SPEC_PROBLEMS;
    if (problems->items == NULL || (full && (warning || !remove_warning(problems)))) {
        return NULL;
    }
    return &problems->items[problems->count++];
}

haft__spec_problem *haft__spec_problem_add(haft__spec_problems *problems, bool warning,
                                           const char *format, ...)
{
    problems->errors += !warning;
    problems->warnings += warning;
    haft__spec_problem *problem = allocate_problem(problems, warning);
    if (problem != NULL) {
        va_list values;
        va_start(values, format);
        *problem = (haft__spec_problem){.message = format_text(problems, format, values),
                                        .warning = warning};
        va_end(values);
    }
    return problem;
}

void haft__spec_problem_remove_last(haft__spec_problems *problems)
{
    bool warning = problems->items[--problems->count].warning;
    problems->errors -= !warning;
    problems->warnings -= warning;
}

void haft__spec_problem_locate(haft__spec_problem *problem, haft_str text, size_t offset)
{
    if (problem != NULL) {
        haft__spec_locate(text, offset, &problem->line, &problem->column);
    }
}

void haft__spec_problem_hint(haft__spec_problems *problems, haft__spec_problem *problem,
                             const char *format, ...)
{
    if (problem != NULL) {
        va_list values;
        va_start(values, format);
        problem->hint = format_text(problems, format, values);
        va_end(values);
    }
}

static bool comes_before(const haft__spec_problem *a, const haft__spec_problem *b)
{
    /* Line 0 sorts last, because 0 - 1 is the greatest unsigned number. */
    uint32_t a_line = a->line - 1, b_line = b->line - 1;
    return a_line != b_line ? a_line < b_line : a->column < b->column;
}

/* Insertion sort: the list is short, and the sort must be stable. */
void haft__spec_problems_sort(haft__spec_problems *problems)
{
    for (size_t i = 1; i < problems->count; i++) {
        haft__spec_problem moved = problems->items[i];
        size_t at = i;
        for (; at > 0 && comes_before(&moved, &problems->items[at - 1]); at--) {
            problems->items[at] = problems->items[at - 1];
        }
        problems->items[at] = moved;
    }
}

void haft__spec_locate(haft_str text, size_t offset, uint32_t *ret_line, uint32_t *ret_column)
{
    size_t start = 0, line = 1;
    offset = offset < text.len ? offset : text.len;
    while (start < offset) {
        const char *end = memchr(text.ptr + start, '\n', offset - start);
        if (end == NULL) {
            break;
        }
        start = (size_t)(end - text.ptr) + 1;
        line++;
    }
    haft_str before = {text.ptr + start, offset - start};
    if (start == 0 && haft__str_starts_with(before, HAFT__LIT("\xEF\xBB\xBF"))) {
        before = haft__str_skip(before, 3); /* a byte order mark is invisible */
    }
    *ret_line = (uint32_t)line;
    *ret_column = (uint32_t)haft__utf8_length(before) + 1;
}

/* Whether a bracket of the line is open at `offset`. If so, commas and brackets end a word. */
static bool is_in_flow(haft_str text, size_t offset)
{
    int open = 0;
    for (size_t at = offset; at > 0 && text.ptr[at - 1] != '\n'; at--) {
        char c = text.ptr[at - 1];
        open += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return open > 0;
}

static size_t quoted_length(haft_str rest)
{
    size_t at = 1;
    char quote = rest.ptr[0];
    while (at < rest.len && rest.ptr[at] != quote && rest.ptr[at] != '\n') {
        at += quote == '"' && rest.ptr[at] == '\\' && at + 1 < rest.len ? 2 : 1;
    }
    return at < rest.len && rest.ptr[at] == quote ? at + 1 : at;
}

static bool ends_word(haft_str rest, size_t at, bool flow)
{
    char c = rest.ptr[at];
    bool last = at + 1 >= rest.len || strchr(" \t\r\n", rest.ptr[at + 1]) != NULL;
    bool comment = c == '#' && at > 0 && haft__ascii_is_blank(rest.ptr[at - 1]);
    bool comma = c == ',' || c == ']' || c == '}';
    return c == '\n' || comment || (c == ':' && last) || (flow && comma);
}

size_t haft__spec_token_length(haft_str text, size_t offset)
{
    haft_str rest = haft__str_skip(text, offset);
    bool item = haft__str_starts_with(rest, HAFT__LIT("- "));
    if (rest.len == 0 || item || strchr("{[|>&*!\n", rest.ptr[0]) != NULL) {
        return 1;
    }
    if (rest.ptr[0] == '"' || rest.ptr[0] == '\'') {
        return quoted_length(rest);
    }
    bool flow = is_in_flow(text, offset);
    size_t length = 1;
    while (length < rest.len && !ends_word(rest, length, flow)) {
        length++;
    }
    while (length > 1 && strchr(" \t\r,", rest.ptr[length - 1]) != NULL) {
        length--;
    }
    return length;
}

haft_str haft__spec_line_text(haft_str text, uint32_t line)
{
    haft_str found = {NULL, 0};
    if (haft__str_starts_with(text, HAFT__LIT("\xEF\xBB\xBF"))) {
        text = haft__str_skip(text, 3);
    }
    for (uint32_t i = 0; i < line; i++) {
        found = haft__str_split(&text, '\n');
    }
    if (haft__str_ends_with(found, HAFT__LIT("\r"))) {
        found.len--;
    }
    return found;
}
