/* SPDX-License-Identifier: Apache-2.0 */
/* parse_tools.c - the tools of a Chat Completions request, and which of them may be called. Tests:
 * tests/model/providers/openai_chat/parse_request_test.c. */
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/openai_chat/parse_request_int.h"

/* ---- tools ---- */

/* {"type":"object","properties":{}}: the schema of a tool without parameters. */
static const haft__json_member no_parameters[] = {
    {{.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
     {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}},
    {{.kind = HAFT__JSON_STRING, .count = 10, .text = "properties"}, {.kind = HAFT__JSON_OBJECT}},
};

static bool refuse_schema(haft__chat_reader *r, haft_str name, const char *param, const char *where,
                          const char *why)
{
    return haft__chat_reject(r, "invalid_function_parameters", param,
                             "Invalid schema for function '%.*s': %s%s%s", HAFT__ARG(name), where,
                             where[0] != '\0' ? ": " : "", why);
}

static bool read_parameters(haft__chat_reader *r, haft__json function, uint32_t index,
                            haft__tool *tool)
{
    haft__json parameters;
    char place[HAFT__CHAT_PARAM_SIZE], param[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(place, sizeof(place), "tools[%u].function", index);
    (void)snprintf(param, sizeof(param), "tools[%u].function.parameters", index);
    if (!haft__chat_optional_member(r, function, "parameters", HAFT__CHAT_OBJECT | HAFT__CHAT_NULL,
                                    place, &parameters)) {
        return false;
    }
    bool given = parameters.kind == HAFT__JSON_OBJECT;
    const haft__json *type = haft__json_get(parameters, HAFT__LIT("type"));
    if (given
        && (type == NULL || type->kind != HAFT__JSON_STRING
            || !haft__str_equal(haft__json_text(*type), HAFT__LIT("object")))) {
        return refuse_schema(r, tool->name, param, "",
                             "schema must be a JSON Schema of 'type: \"object\"'.");
    }
    tool->input_schema = given ? parameters : haft__json_object(no_parameters, 2);
    tool->typed = given;
    haft__schema_options options = {.hash_key = r->hash_key};
    haft_error err = {0};
    haft_status status =
        haft__schema_compile(r->arena, tool->input_schema, &options, &tool->schema, &err);
    if (status == HAFT_NO_MEMORY) {
        return haft__chat_no_memory(r);
    }
    return status == HAFT_OK || refuse_schema(r, tool->name, param, err.where, err.message);
}

static bool read_function(haft__chat_reader *r, haft__json function, uint32_t index,
                          haft__tool *tool, haft_str *ret_wire)
{
    char place[HAFT__CHAT_PARAM_SIZE];
    haft__json description, strict;
    (void)snprintf(place, sizeof(place), "tools[%u].function", index);
    if (!haft__chat_check_members(r, function, "name description parameters strict", place)
        || !haft__chat_require_name(r, function, place, ret_wire)
        || !haft__chat_optional_member(r, function, "description",
                                       HAFT__CHAT_STRING | HAFT__CHAT_NULL, place, &description)
        || !haft__chat_optional_member(r, function, "strict", HAFT__CHAT_BOOLEAN | HAFT__CHAT_NULL,
                                       place, &strict)) {
        return false;
    }
    bool described = description.kind == HAFT__JSON_STRING;
    tool->description = described ? haft__json_text(description) : HAFT__LIT("");
    tool->source = HAFT__TOOL_HEADLESS; /* the client runs it */
    return haft__chat_decode(r, *ret_wire, &tool->name)
           && read_parameters(r, function, index, tool);
}

/* {"type": "function", "function": {...}}, in tools and choices. */
static bool need_function(haft__chat_reader *r, haft__json item, const char *param,
                          haft__json *ret_function)
{
    haft__json type;
    char place[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(place, sizeof(place), "%s.type", param);
    if (!haft__chat_check_kind(r, item, HAFT__CHAT_OBJECT, param)
        || !haft__chat_require_member(r, item, "type", HAFT__CHAT_STRING, param, &type)
        || !haft__chat_check_word(r, haft__json_text(type), "function custom", place)) {
        return false;
    }
    if (haft__str_equal(haft__json_text(type), HAFT__LIT("custom"))) {
        return haft__chat_reject(r, "unsupported_value", place,
                                 "Custom tools are not supported here. Use 'function'.");
    }
    return haft__chat_check_members(r, item, "type function", param)
           && haft__chat_require_member(r, item, "function", HAFT__CHAT_OBJECT, param,
                                        ret_function);
}

static bool check_count(haft__chat_reader *r, haft__json listed, const char *param)
{
    if (listed.count == 0) {
        return haft__chat_reject(r, "empty_array", param,
                                 "Invalid '%s': empty array. Expected an array with minimum length "
                                 "1, but got an empty array instead.",
                                 param);
    }
    if (listed.count > HAFT__LIMIT_CHAT_TOOLS) {
        return haft__chat_reject(r, "array_above_max_length", param,
                                 "Invalid '%s': array too long. Expected an array with maximum "
                                 "length %d, but got an array with length %u instead.",
                                 param, HAFT__LIMIT_CHAT_TOOLS, listed.count);
    }
    return true;
}

static bool check_unique(haft__chat_reader *r, const haft_str *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t other = 0; other < i; other++) {
            if (haft__str_equal(names[i], names[other])) {
                char param[HAFT__CHAT_PARAM_SIZE];
                (void)snprintf(param, sizeof(param), "tools[%u].function.name", i);
                return haft__chat_reject(r, "invalid_value", param,
                                         "Invalid '%s': the name '%.*s' is that of 'tools[%u]' "
                                         "too. Tool names must be unique.",
                                         param, HAFT__ARG(names[i]), other);
            }
        }
    }
    return true;
}

/* If a name decodes to that of another tool, it stays undecoded. */
static void settle_names(haft__tool *tools, const haft_str *wires, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t other = 0; other < count; other++) {
            if (other != i && haft__str_equal(tools[i].name, tools[other].name)) {
                tools[i].name = wires[i];
                tools[other].name = wires[other];
            }
        }
    }
}

bool haft__chat_read_tools(haft__chat_reader *r, haft__json listed)
{
    if (!check_count(r, listed, "tools")) {
        return false;
    }
    haft__tool *tools = haft__arena_array(r->arena, listed.count, sizeof(*tools));
    const haft__tool **items =
        haft__arena_array(r->arena, listed.count, sizeof(const haft__tool *));
    haft_str *wires = haft__arena_array(r->arena, listed.count, sizeof(*wires));
    if (tools == NULL || items == NULL || wires == NULL) {
        return haft__chat_no_memory(r);
    }
    for (uint32_t i = 0; i < listed.count; i++) {
        char param[HAFT__CHAT_PARAM_SIZE];
        haft__json function;
        (void)snprintf(param, sizeof(param), "tools[%u]", i);
        if (!need_function(r, listed.items[i], param, &function)
            || !read_function(r, function, i, &tools[i], &wires[i])) {
            return false;
        }
        items[i] = &tools[i];
    }
    r->asked->request.tools = items;
    r->asked->request.tool_count = listed.count;
    r->asked->wire_names = wires;
    settle_names(tools, wires, listed.count);
    return check_unique(r, wires, listed.count);
}

/* ---- the choice ---- */

/* The tool that a choice names. */
static bool find_tool(haft__chat_reader *r, haft__json item, const char *param, size_t *ret_index)
{
    haft__json function;
    haft_str wire;
    char place[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(place, sizeof(place), "%s.function", param);
    if (!need_function(r, item, param, &function)
        || !haft__chat_check_members(r, function, "name", place)
        || !haft__chat_require_name(r, function, place, &wire)) {
        return false;
    }
    for (size_t i = 0; i < r->asked->request.tool_count; i++) {
        if (haft__str_equal(r->asked->wire_names[i], wire)) {
            *ret_index = i;
            return true;
        }
    }
    return haft__chat_reject(r, NULL, "tool_choice",
                             "Tool choice '%.*s' not found in 'tools' parameter.", HAFT__ARG(wire));
}

static bool read_word(haft__chat_reader *r, haft_str word)
{
    haft__request *request = &r->asked->request;
    if (!haft__chat_check_word(r, word, "none auto required", "tool_choice")) {
        return false;
    }
    request->mode = haft__str_equal(word, HAFT__LIT("auto"))   ? HAFT__MODE_AUTO
                    : haft__str_equal(word, HAFT__LIT("none")) ? HAFT__MODE_NONE
                                                               : HAFT__MODE_ANY;
    return true;
}

static void allow_all(const haft__request *request, bool *allowed, bool value)
{
    for (size_t i = 0; i < request->tool_count; i++) {
        allowed[i] = value;
    }
}

static bool read_allowed(haft__chat_reader *r, haft__json choice, bool *allowed)
{
    static const char *const param = "tool_choice.allowed_tools";
    haft__json inside, mode, tools;
    if (!haft__chat_check_members(r, choice, "type allowed_tools", "tool_choice")
        || !haft__chat_require_member(r, choice, "allowed_tools", HAFT__CHAT_OBJECT, "tool_choice",
                                      &inside)
        || !haft__chat_check_members(r, inside, "mode tools", param)
        || !haft__chat_require_member(r, inside, "mode", HAFT__CHAT_STRING, param, &mode)
        || !haft__chat_check_word(r, haft__json_text(mode), "auto required",
                                  "tool_choice.allowed_tools.mode")
        || !haft__chat_require_member(r, inside, "tools", HAFT__CHAT_ARRAY, param, &tools)
        || !check_count(r, tools, "tool_choice.allowed_tools.tools")) {
        return false;
    }
    bool any = haft__str_equal(haft__json_text(mode), HAFT__LIT("required"));
    r->asked->request.mode = any ? HAFT__MODE_ANY : HAFT__MODE_AUTO;
    allow_all(&r->asked->request, allowed, false);
    for (uint32_t i = 0; i < tools.count; i++) {
        char place[HAFT__CHAT_PARAM_SIZE];
        size_t index = 0;
        (void)snprintf(place, sizeof(place), "%s.tools[%u]", param, i);
        if (!find_tool(r, tools.items[i], place, &index)) {
            return false;
        }
        allowed[index] = true;
    }
    return true;
}

static bool read_object(haft__chat_reader *r, haft__json choice, bool *allowed)
{
    haft__json type;
    size_t index = 0;
    if (!haft__chat_require_member(r, choice, "type", HAFT__CHAT_STRING, "tool_choice", &type)
        || !haft__chat_check_word(r, haft__json_text(type), "allowed_tools function custom",
                                  "tool_choice.type")) {
        return false;
    }
    if (haft__str_equal(haft__json_text(type), HAFT__LIT("allowed_tools"))) {
        return read_allowed(r, choice, allowed);
    }
    if (!find_tool(r, choice, "tool_choice", &index)) {
        return false;
    }
    allow_all(&r->asked->request, allowed, false);
    allowed[index] = true;
    r->asked->request.mode = HAFT__MODE_TOOL;
    r->asked->request.tool = r->asked->request.tools[index]->name;
    return true;
}

bool haft__chat_read_choice(haft__chat_reader *r, haft__json choice)
{
    haft__request *request = &r->asked->request;
    bool *allowed = haft__arena_array(r->arena, request->tool_count, sizeof(*allowed));
    if (allowed == NULL) {
        return haft__chat_no_memory(r);
    }
    request->allowed = allowed;
    request->mode = HAFT__MODE_AUTO;
    if (choice.kind == HAFT__JSON_OBJECT) {
        return read_object(r, choice, allowed);
    }
    if (choice.kind == HAFT__JSON_STRING && !read_word(r, haft__json_text(choice))) {
        return false;
    }
    allow_all(request, allowed, request->mode != HAFT__MODE_NONE);
    return true;
}
