/* SPDX-License-Identifier: Apache-2.0 */
/* dotenv.c - parses NAME=VALUE lines. Tests: tests/cli/config/dotenv_test.c. */
#include "cli/config/dotenv.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#define BOM "\xEF\xBB\xBF"

static haft_str skip_blanks(haft_str text)
{
    while (text.len > 0 && haft__ascii_is_blank(text.ptr[0])) {
        text = haft__str_skip(text, 1);
    }
    return text;
}

/* Returns the length of the name at the start: letters, digits and _, not starting with a digit. */
static size_t name_length(haft_str text)
{
    size_t length = 0;
    for (; length < text.len; length++) {
        char c = text.ptr[length];
        bool letter = haft__ascii_is_letter(c) || c == '_';
        if (!letter && (length == 0 || !haft__ascii_is_digit(c))) {
            break;
        }
    }
    return length;
}

/* ---- values; each function returns an error message, or NULL ---- */

/* Checks the text after a value in quotes. */
static const char *check_rest(haft_str rest)
{
    bool blank = rest.len > 0 && haft__ascii_is_blank(rest.ptr[0]);
    haft_str next = skip_blanks(rest);
    return next.len == 0 || (blank && next.ptr[0] == '#')
               ? NULL
               : "unexpected text after the closing quote";
}

static const char *parse_unquoted(haft_str text, haft_str *ret_value)
{
    size_t end = 0;
    while (end < text.len
           && !(text.ptr[end] == '#' && (end == 0 || haft__ascii_is_blank(text.ptr[end - 1])))) {
        end++;
    }
    *ret_value = haft__str_trim((haft_str){text.ptr, end});
    return NULL;
}

static const char *parse_single_quoted(haft_str text, haft_str *ret_value)
{
    const char *end = memchr(text.ptr + 1, '\'', text.len - 1);
    if (end == NULL) {
        return "the closing ' is missing";
    }
    *ret_value = (haft_str){text.ptr + 1, (size_t)(end - text.ptr) - 1};
    return check_rest(haft__str_skip(text, ret_value->len + 2));
}

static char unescape(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '\\':
    case '"':
    case '$': return c;
    default: return '\0';
    }
}

/* Writes the value into `room`, which has at least the size of the text. */
static const char *parse_double_quoted(haft_str text, char *room, haft_str *ret_value)
{
    size_t length = 0, at = 1;
    for (; at < text.len && text.ptr[at] != '"'; at++) {
        char escaped = '\0';
        if (text.ptr[at] == '\\' && at + 1 < text.len) {
            escaped = unescape(text.ptr[at + 1]);
        }
        room[length++] = escaped != '\0' ? escaped : text.ptr[at];
        at += escaped != '\0';
    }
    if (at == text.len) {
        return "the closing \" is missing";
    }
    *ret_value = (haft_str){room, length};
    return check_rest(haft__str_skip(text, at + 1));
}

static const char *parse_value(haft_str text, char *room, haft_str *ret_value)
{
    text = text.len > 0 && haft__ascii_is_blank(text.ptr[0]) ? skip_blanks(text) : text;
    if (text.len > 0 && text.ptr[0] == '\'') {
        return parse_single_quoted(text, ret_value);
    }
    if (text.len > 0 && text.ptr[0] == '"') {
        return parse_double_quoted(text, room, ret_value);
    }
    return parse_unquoted(text, ret_value);
}

/* ---- lines ---- */

static const char *parse_line(haft_str line, char *room, haft_str *ret_name, haft_str *ret_value)
{
    haft_str rest = line;
    if (!haft__utf8_valid(line) || (line.len > 0 && memchr(line.ptr, '\0', line.len) != NULL)) {
        return "it is not UTF-8 text";
    }
    if (haft__str_starts_with(rest, HAFT__LIT("export "))
        || haft__str_starts_with(rest, HAFT__LIT("export\t"))) {
        rest = skip_blanks(haft__str_skip(rest, strlen("export ")));
    }
    *ret_name = (haft_str){rest.ptr, name_length(rest)};
    rest = haft__str_skip(rest, ret_name->len);
    if (ret_name->len == 0) {
        return "expected NAME=VALUE";
    }
    if (rest.len == 0 || rest.ptr[0] != '=') {
        return skip_blanks(rest).len > 0 && skip_blanks(rest).ptr[0] == '='
                   ? "unexpected space before the ="
                   : "expected = after the name";
    }
    rest = haft__str_skip(rest, 1);
    if (rest.len > 0 && haft__ascii_is_blank(rest.ptr[0]) && skip_blanks(rest).len > 0
        && skip_blanks(rest).ptr[0] != '#') {
        return "unexpected space after the =";
    }
    return parse_value(rest, room, ret_value);
}

static haft__variable *find(const haft__dotenv *dotenv, haft_str name)
{
    for (size_t i = 0; i < dotenv->count; i++) {
        if (haft__str_equal(dotenv->items[i].name, name)) {
            return &dotenv->items[i];
        }
    }
    return NULL;
}

/* Sets the variable to a copy of the value. */
static haft_status put(haft__arena *arena, haft__dotenv *dotenv, haft_str name, haft_str value,
                       haft_error *err)
{
    haft__variable *place = find(dotenv, name);
    haft__variable made = {haft__arena_copy(arena, name), haft__arena_copy(arena, value)};
    if (made.name.ptr == NULL || made.value.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (place == NULL && dotenv->count == HAFT__LIMIT_DOTENV_VARIABLES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "has more than %d variables",
                          HAFT__LIMIT_DOTENV_VARIABLES);
    }
    place = place != NULL ? place : &dotenv->items[dotenv->count++];
    *place = made;
    return HAFT_OK;
}

static void note_bad_line(haft__dotenv *dotenv, uint32_t line, const char *why)
{
    if (dotenv->bad > 0 && dotenv->bad <= HAFT__DOTENV_MAX_REPORTED) {
        dotenv->more[dotenv->bad - 1] = line;
    }
    if (dotenv->bad++ == 0) {
        dotenv->bad_line = line;
        dotenv->why = why;
    }
}

haft_status haft__dotenv_read(haft__arena *arena, haft_str text, haft__dotenv *ret_dotenv,
                              haft_error *err)
{
    haft__dotenv dotenv = {0};
    haft_status status = HAFT_OK;
    char *room = haft__arena_alloc(arena, text.len + 1);
    dotenv.items = haft__arena_array(arena, HAFT__LIMIT_DOTENV_VARIABLES, sizeof(*dotenv.items));
    if (room == NULL || dotenv.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (haft__str_starts_with(text, HAFT__LIT(BOM))) {
        text = haft__str_skip(text, strlen(BOM));
    }
    for (uint32_t number = 1; text.len > 0 && status == HAFT_OK; number++) {
        haft_str line = haft__str_trim(haft__str_split(&text, '\n'));
        haft_str name = {NULL, 0}, value = {"", 0};
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        const char *why = parse_line(line, room, &name, &value);
        if (why != NULL) {
            note_bad_line(&dotenv, number, why);
        } else {
            status = put(arena, &dotenv, name, value, err);
        }
    }
    if (status == HAFT_OK) {
        *ret_dotenv = dotenv;
    }
    return status;
}

haft_str haft__dotenv_get(const haft__dotenv *dotenv, haft_str name)
{
    const haft__variable *found = find(dotenv, name);
    return found != NULL ? found->value : (haft_str){NULL, 0};
}
