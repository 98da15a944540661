/* SPDX-License-Identifier: Apache-2.0 */
/* parse_check.c - checks and rejects a Chat Completions request: kinds, members, words and names,
 * with OpenAI's messages. Tests: tests/model/providers/openai_chat/parse_request_test.c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/providers/openai_chat/parse_request_int.h"
#include "tool/wire_name.h"
#include "json/number.h"

/* ---- rejecting ---- */

bool haft__chat_no_memory(haft__chat_reader *r)
{
    r->status = haft__arena_fail(r->arena, r->err);
    return false;
}

bool haft__chat_reject(haft__chat_reader *r, const char *code, const char *param,
                       const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    haft_str message = {text, length < (int)sizeof(text) ? (size_t)length : sizeof(text) - 1};
    message.len = haft__utf8_floor(message, message.len);
    haft__chat_rejection problem = {.message = haft__arena_copy(r->arena, message),
                                    .param = haft__arena_copy(r->arena, haft__str(param)),
                                    .code = code};
    if (problem.message.ptr == NULL || problem.param.ptr == NULL) {
        return haft__chat_no_memory(r);
    }
    r->asked->problem = problem;
    return false;
}

const char *haft__chat_describe(haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: return "null";
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: return "a boolean";
    case HAFT__JSON_NUMBER: return value.integer ? "an integer" : "a decimal";
    case HAFT__JSON_STRING: return "a string";
    case HAFT__JSON_ARRAY: return "an array";
    case HAFT__JSON_OBJECT: return "an object";
    }
    HAFT__UNREACHABLE();
}

static unsigned kind_of(haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: return HAFT__CHAT_NULL;
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: return HAFT__CHAT_BOOLEAN;
    case HAFT__JSON_NUMBER:
        return haft__number_is_integer(haft__json_text(value))
                   ? HAFT__CHAT_INTEGER | HAFT__CHAT_DECIMAL
                   : HAFT__CHAT_DECIMAL;
    case HAFT__JSON_STRING: return HAFT__CHAT_STRING;
    case HAFT__JSON_ARRAY: return HAFT__CHAT_ARRAY;
    case HAFT__JSON_OBJECT: return HAFT__CHAT_OBJECT;
    }
    HAFT__UNREACHABLE();
}

/* "a string", "one of a string or an array". Null is not listed: a client that sends null knows
 * that the member is optional. */
static void list_kinds(unsigned kinds, char text[64])
{
    static const char *const names[] = {"a string",  "an object",  "an array",
                                        "a boolean", "an integer", "a decimal"};
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(names); i++) {
        if ((kinds & (1U << i)) != 0) {
            at += (size_t)snprintf(text + at, 64 - at, "%s%s", at > 0 ? " or " : "", names[i]);
        }
    }
}

bool haft__chat_check_kind(haft__chat_reader *r, haft__json value, unsigned kinds,
                           const char *param)
{
    if ((kind_of(value) & kinds) != 0) {
        return true;
    }
    char wanted[64];
    list_kinds(kinds, wanted);
    return haft__chat_reject(
        r, "invalid_type", param, "Invalid type for '%s': expected %s%s, but got %s instead.",
        param, strstr(wanted, " or ") != NULL ? "one of " : "", wanted, haft__chat_describe(value));
}

/* Whether `text` is one of the words, which are separated by blanks. */
static bool has_word(const char *words, haft_str text)
{
    for (haft_str rest = haft__str(words); rest.len > 0;) {
        if (haft__str_equal(haft__str_split(&rest, ' '), text)) {
            return true;
        }
    }
    return false;
}

bool haft__chat_check_members(haft__chat_reader *r, haft__json object, const char *names,
                              const char *param)
{
    for (uint32_t i = 0; i < object.count; i++) {
        haft_str key = haft__json_text(object.members[i].key);
        if (!has_word(names, key)) {
            char place[HAFT__CHAT_PARAM_SIZE];
            (void)snprintf(place, sizeof(place), "%s.%.*s", param, HAFT__ARG(key));
            return haft__chat_reject(r, "unknown_parameter", place, "Unknown parameter: '%s.%.*s'.",
                                     param, HAFT__ARG(key));
        }
    }
    return true;
}

bool haft__chat_check_word(haft__chat_reader *r, haft_str text, const char *words,
                           const char *param)
{
    if (has_word(words, text)) {
        return true;
    }
    char listed[160];
    size_t at = 0;
    for (haft_str rest = haft__str(words); rest.len > 0 && at < sizeof(listed);) {
        haft_str word = haft__str_split(&rest, ' ');
        const char *before = at == 0 ? "" : rest.len > 0 ? ", " : " and ";
        at +=
            (size_t)snprintf(listed + at, sizeof(listed) - at, "%s'%.*s'", before, HAFT__ARG(word));
    }
    return haft__chat_reject(r, "invalid_value", param,
                             "Invalid value: '%.*s'. Supported values are: %s.",
                             (int)(text.len < 64 ? text.len : 64), text.ptr, listed);
}

static void place_of(const char *param, const char *name, char place[HAFT__CHAT_PARAM_SIZE])
{
    (void)snprintf(place, HAFT__CHAT_PARAM_SIZE, "%s%s%s", param, param[0] != '\0' ? "." : "",
                   name);
}

bool haft__chat_optional_member(haft__chat_reader *r, haft__json object, const char *name,
                                unsigned kinds, const char *param, haft__json *ret_value)
{
    const haft__json *value = haft__json_get(object, haft__str(name));
    *ret_value = value != NULL ? *value : haft__json_null();
    if (value == NULL) {
        return true;
    }
    char place[HAFT__CHAT_PARAM_SIZE];
    place_of(param, name, place);
    return haft__chat_check_kind(r, *value, kinds, place);
}

bool haft__chat_require_member(haft__chat_reader *r, haft__json object, const char *name,
                               unsigned kinds, const char *param, haft__json *ret_value)
{
    if (haft__json_get(object, haft__str(name)) == NULL) {
        char place[HAFT__CHAT_PARAM_SIZE];
        place_of(param, name, place);
        return haft__chat_reject(r, "missing_required_parameter", place,
                                 "Missing required parameter: '%s'.", place);
    }
    return haft__chat_optional_member(r, object, name, kinds, param, ret_value);
}

/* ---- names ---- */

static bool is_plain(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(haft__ascii_is_alphanumeric(c) || c == '_' || c == '-')) {
            return false;
        }
    }
    return true;
}

bool haft__chat_require_name(haft__chat_reader *r, haft__json function, const char *param,
                             haft_str *ret_wire)
{
    haft__json value;
    if (!haft__chat_require_member(r, function, "name", HAFT__CHAT_STRING, param, &value)) {
        return false;
    }
    char place[HAFT__CHAT_PARAM_SIZE];
    place_of(param, "name", place);
    haft_str name = haft__json_text(value);
    size_t length = haft__utf8_length(name);
    if (length == 0) {
        return haft__chat_reject(r, "empty_string", place,
                                 "Invalid '%s': empty string. Expected a string with minimum "
                                 "length 1, but got an empty string instead.",
                                 place);
    }
    if (length > HAFT__WIRE_NAME_BYTES) {
        return haft__chat_reject(r, "string_above_max_length", place,
                                 "Invalid '%s': string too long. Expected a string with maximum "
                                 "length %d, but got a string with length %zu instead.",
                                 place, HAFT__WIRE_NAME_BYTES, length);
    }
    if (!is_plain(name)) {
        return haft__chat_reject(r, "invalid_value", place,
                                 "Invalid '%s': string does not match pattern. Expected a string "
                                 "that matches the pattern '^[a-zA-Z0-9_-]+$'.",
                                 place);
    }
    *ret_wire = name;
    return true;
}

bool haft__chat_decode(haft__chat_reader *r, haft_str wire, haft_str *ret_name)
{
    char text[HAFT__WIRE_NAME_BYTES];
    size_t length = 0;
    *ret_name = wire;
    if (!haft__wire_name_decode(wire, text, &length)
        || haft__str_equal(wire, (haft_str){text, length})) {
        return true;
    }
    *ret_name = haft__arena_copy(r->arena, (haft_str){text, length});
    return ret_name->ptr != NULL || haft__chat_no_memory(r);
}
