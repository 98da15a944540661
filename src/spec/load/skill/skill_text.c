/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill_text.c - reads a SKILL.md in the Agent Skills format: name, description, allowed-tools;
 * license, compatibility and metadata are checked and not used.
 *
 * Tests: tests/spec/load/skill_text_test.c.
 */
#include "spec/load/skill/skill_text.h"

#include <stdarg.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "prompt/estimate.h"
#include "spec/load/document/parse.h"
#include "json/object.h"

#define MESSAGE_MAX 512

typedef struct reader {
    haft__arena *arena;
    haft_str directory;
    haft_str front;
    haft__spec_document document;
    haft__spec_problems *problems;
    haft__skill_text *text;
    bool full; /* out of memory */
} reader;

/* ---- the two parts ---- */

static bool is_mark(haft_str line)
{
    while (line.len > 0 && haft__ascii_is_space(line.ptr[line.len - 1])) {
        line.len--;
    }
    return haft__str_equal(line, HAFT__LIT("---"));
}

bool haft__skill_text_split(haft_str text, haft_str *ret_front, haft_str *ret_body)
{
    haft_str rest =
        haft__str_skip(text, haft__str_starts_with(text, HAFT__LIT("\xef\xbb\xbf")) * 3);
    if (!is_mark(haft__str_split(&rest, '\n'))) {
        return false;
    }
    const char *start = rest.ptr;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (is_mark(line)) {
            *ret_front = (haft_str){start, (size_t)(line.ptr - start)};
            *ret_body = rest;
            return true;
        }
    }
    return false;
}

/* ---- problems ---- */

static void report(reader *r, bool warning, const char *pointer, bool key, const char *format, ...)
    HAFT__PRINTF(5, 6);

/* The front matter begins in the second line. */
static void report(reader *r, bool warning, const char *pointer, bool key, const char *format, ...)
{
    char message[MESSAGE_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    haft__spec_problem *problem = haft__spec_problem_add(r->problems, warning, "%s", message);
    if (problem != NULL) {
        size_t at = haft__spec_offset(&r->document, haft__str(pointer), key);
        haft__spec_problem_locate(problem, r->front, at);
        problem->line++;
    }
}

/* A text for a message: at most 64 characters. */
static haft_str shorten(haft_str text)
{
    return (haft_str){text.ptr, haft__utf8_offset(text, HAFT__LIMIT_SKILL_NAME_CHARS)};
}

/* ---- members ---- */

/* Lowercase letters, digits, and single hyphens between them. */
static bool has_name_form(haft_str name)
{
    bool good = name.len > 0 && name.len <= HAFT__LIMIT_SKILL_NAME_CHARS;
    char before = '-';
    for (size_t i = 0; good && i < name.len; i++) {
        char c = name.ptr[i];
        good = haft__ascii_is_lower(c) || haft__ascii_is_digit(c) || (c == '-' && before != '-');
        before = c;
    }
    return good && before != '-';
}

/* Reports a value that is no text or too long. */
static bool check_text(reader *r, const char *key, haft__json value, size_t max)
{
    char pointer[64];
    (void)snprintf(pointer, sizeof(pointer), "/%s", key);
    if (value.kind != HAFT__JSON_STRING) {
        report(r, false, pointer, false, "%s is of type %s, expected a text", key,
               haft__json_kind_name(value));
        return false;
    }
    size_t length = haft__utf8_length(haft__json_text(value));
    if (length > max) {
        report(r, false, pointer, false, "%s has %zu characters, and at most %zu are allowed", key,
               length, max);
        return false;
    }
    return true;
}

static void read_name(reader *r, haft__json value)
{
    haft_str name = haft__json_text(value);
    if (!check_text(r, "name", value, HAFT__LIMIT_SKILL_NAME_CHARS)) {
        return;
    }
    if (!has_name_form(name)) {
        report(r, false, "/name", false,
               "the name \"%.*s\" is not of the form of a skill's name: a-z, 0-9 and single "
               "hyphens between them",
               HAFT__ARG(shorten(name)));
    } else if (!haft__str_equal(name, r->directory)) {
        report(r, false, "/name", false,
               "the name \"%.*s\" is not the name of its folder, \"%.*s\"", HAFT__ARG(name),
               HAFT__ARG(shorten(r->directory)));
    } else {
        r->text->name = haft__arena_copy(r->arena, name);
        r->full = r->full || r->text->name.ptr == NULL;
    }
}

static void read_description(reader *r, haft__json value)
{
    if (!check_text(r, "description", value, HAFT__LIMIT_SKILL_DESCRIPTION_CHARS)) {
        return;
    }
    haft_str text = haft__str_trim(haft__json_text(value));
    if (text.len == 0) {
        report(r, false, "/description", false,
               "the description is empty: it is how the skill is found");
    } else {
        r->text->description = haft__arena_copy(r->arena, text);
        r->full = r->full || r->text->description.ptr == NULL;
    }
}

/* ---- allowed-tools ---- */

/* Takes the next name of a text: they are separated by spaces or commas. "Bash(git add:*)" is one
 * name. */
static haft_str take_name(haft_str *rest)
{
    size_t start = 0, depth = 0;
    while (start < rest->len
           && (haft__ascii_is_space(rest->ptr[start]) || rest->ptr[start] == ',')) {
        start++;
    }
    size_t end = start;
    for (; end < rest->len; end++) {
        char c = rest->ptr[end];
        if (depth == 0 && (haft__ascii_is_space(c) || c == ',')) {
            break;
        }
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    haft_str name = {rest->ptr + start, end - start};
    *rest = haft__str_skip(*rest, end);
    return name;
}

static bool add_name(reader *r, haft__json *names, size_t *io_count, haft_str name)
{
    if (*io_count == HAFT__LIMIT_SKILL_TOOLS || name.len > HAFT__LIMIT_TOOL_NAME_BYTES) {
        report(r, false, "/allowed-tools", false,
               *io_count == HAFT__LIMIT_SKILL_TOOLS
                   ? "allowed-tools has more than %d names"
                   : "a name in allowed-tools has more than %d bytes",
               *io_count == HAFT__LIMIT_SKILL_TOOLS ? HAFT__LIMIT_SKILL_TOOLS
                                                    : HAFT__LIMIT_TOOL_NAME_BYTES);
        return false;
    }
    char *lower = haft__arena_alloc(r->arena, name.len + 1);
    for (size_t i = 0; lower != NULL && i < name.len; i++) {
        lower[i] = haft__ascii_lower(name.ptr[i]);
    }
    names[(*io_count)++] = haft__json_string((haft_str){lower, lower != NULL ? name.len : 0});
    r->full = r->full || lower == NULL;
    return lower != NULL;
}

static void read_allowed(reader *r, haft__json value)
{
    haft__json *names = haft__arena_array(r->arena, HAFT__LIMIT_SKILL_TOOLS, sizeof(*names));
    haft_str rest = haft__json_text(value);
    size_t count = 0;
    bool good = names != NULL;
    r->full = r->full || !good;
    if (value.kind == HAFT__JSON_NULL) {
        return; /* as if it were not written */
    }
    if (value.kind != HAFT__JSON_STRING && value.kind != HAFT__JSON_ARRAY) {
        report(r, false, "/allowed-tools", false,
               "allowed-tools is of type %s, expected a text with names, or a list",
               haft__json_kind_name(value));
        return;
    }
    while (good && value.kind == HAFT__JSON_STRING) {
        haft_str name = take_name(&rest);
        if (name.len == 0) {
            break;
        }
        good = add_name(r, names, &count, name);
    }
    for (uint32_t i = 0; good && value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        haft_str name = haft__str_trim(haft__json_text(value.items[i]));
        good = value.items[i].kind == HAFT__JSON_STRING && name.len > 0;
        if (!good) {
            report(r, false, "/allowed-tools", false, "an item of allowed-tools is not a name");
        } else {
            good = add_name(r, names, &count, name);
        }
    }
    if (good) {
        r->text->allowed = haft__json_array(names, count);
    }
}

/* ---- all of it ---- */

static void read_member(reader *r, haft_str key, haft__json value)
{
    char pointer[HAFT__LIMIT_SKILL_NAME_CHARS * HAFT__UTF8_MAX_BYTES + 2];
    if (haft__str_equal(key, HAFT__LIT("name"))) {
        read_name(r, value);
    } else if (haft__str_equal(key, HAFT__LIT("description"))) {
        read_description(r, value);
    } else if (haft__str_equal(key, HAFT__LIT("allowed-tools"))) {
        read_allowed(r, value);
    } else if (haft__str_equal(key, HAFT__LIT("license"))) {
        (void)check_text(r, "license", value, HAFT__LIMIT_SKILL_DESCRIPTION_CHARS);
    } else if (haft__str_equal(key, HAFT__LIT("compatibility"))) {
        (void)check_text(r, "compatibility", value, HAFT__LIMIT_SKILL_COMPATIBILITY_CHARS);
    } else if (haft__str_equal(key, HAFT__LIT("metadata"))) {
        if (value.kind != HAFT__JSON_OBJECT) {
            report(r, false, "/metadata", false, "metadata is of type %s, expected a map",
                   haft__json_kind_name(value));
        }
    } else {
        (void)snprintf(pointer, sizeof(pointer), "/%.*s", HAFT__ARG(shorten(key)));
        report(r, true, pointer, true, "the key \"%.*s\" has no meaning in haft",
               HAFT__ARG(shorten(key)));
    }
}

static void read_front(reader *r)
{
    haft__json value = r->document.value;
    if (value.kind != HAFT__JSON_OBJECT) {
        report(r, false, "", false,
               "the front matter is of type %s, expected a map with name and description",
               haft__json_kind_name(value));
        return;
    }
    static const char *const required[] = {"name", "description"};
    for (size_t i = 0; i < COUNT(required); i++) {
        if (haft__object_find(value, required[i]) == NULL) {
            report(r, false, "", false, "the front matter has no %s", required[i]);
        }
    }
    for (uint32_t i = 0; i < value.count; i++) {
        read_member(r, haft__json_text(value.members[i].key), value.members[i].value);
    }
}

static void check_body(reader *r, haft_str body)
{
    uint64_t tokens = haft__estimate_text(body);
    haft__spec_problem *problem = NULL;
    if (haft__str_trim(body).len == 0) {
        problem = haft__spec_problem_add(r->problems, true, "the skill has no instructions");
    } else if (tokens > HAFT__LIMIT_SKILL_TOKENS) {
        problem = haft__spec_problem_add(
            r->problems, true,
            "the instructions have about %llu tokens; move details into references/, so that they "
            "are below %d",
            (unsigned long long)tokens, HAFT__LIMIT_SKILL_TOKENS);
    }
    if (problem != NULL) {
        problem->line = problem->column = 1;
    }
}

static haft_status parse_front(reader *r, haft_str body, haft__hash_key hash_key, haft_error *err)
{
    size_t before = r->problems->count, errors = r->problems->errors;
    haft_status status =
        haft__spec_parse(r->arena, r->front, hash_key, r->problems, &r->document, err);
    for (size_t i = before; i < r->problems->count; i++) {
        r->problems->items[i].line++;
    }
    if (status == HAFT_OK && r->problems->errors == errors) {
        read_front(r);
        check_body(r, body);
    }
    return status;
}

haft_status haft__skill_text_read(haft__arena *arena, haft_str text, haft_str directory,
                                  haft__hash_key hash_key, haft__spec_problems *problems,
                                  haft__skill_text *ret_text, haft_error *err)
{
    reader r = {.arena = arena, .directory = directory, .problems = problems, .text = ret_text};
    haft_str body;
    *ret_text = (haft__skill_text){.allowed = haft__json_null()};
    if (!haft__skill_text_split(text, &r.front, &body)) {
        haft__spec_problem *problem = haft__spec_problem_add(
            problems, false,
            "expected a front matter: a line ---, then name and description, then "
            "a line ---");
        if (problem != NULL) {
            problem->line = problem->column = 1;
        }
        return problems->status != HAFT_OK ? haft__arena_fail(arena, err) : HAFT_OK;
    }
    haft_status status = parse_front(&r, body, hash_key, err);
    return status == HAFT_OK && (r.full || problems->status != HAFT_OK)
               ? haft__arena_fail(arena, err)
               : status;
}
