/* SPDX-License-Identifier: Apache-2.0 */
/* strict_help.c - see strict_help.h. */
#include "strict_help.h"

#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"

static bool is_in(haft_str word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (haft__str_equal(word, haft__str(*words))) {
            return true;
        }
    }
    return false;
}

static bool has_only(haft__json object, const char *const *keys)
{
    bool good = object.kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; good && i < object.count; i++) {
        good = is_in(haft__json_text(object.members[i].key), keys);
    }
    return good;
}

/* ---- declarations ---- */

static const char *find_schema_fault(haft__json schema);

static const char *find_fault_of_each(haft__json list)
{
    const char *fault = NULL;
    for (uint32_t i = 0; list.kind == HAFT__JSON_ARRAY && i < list.count && fault == NULL; i++) {
        fault = find_schema_fault(list.items[i]);
    }
    return fault;
}

static bool is_parameter_name(haft_str name)
{
    bool good = name.len >= 1 && name.len <= 64;
    for (size_t i = 0; good && i < name.len; i++) {
        good = haft__ascii_is_alphanumeric(name.ptr[i]) || name.ptr[i] == '_';
    }
    return good;
}

static const char *find_fault_of_members(haft__json members, bool named)
{
    const char *fault = NULL;
    for (uint32_t i = 0; members.kind == HAFT__JSON_OBJECT && i < members.count && fault == NULL;
         i++) {
        bool good = !named || is_parameter_name(haft__json_text(members.members[i].key));
        fault = good ? find_schema_fault(members.members[i].value) : "the name of a property";
    }
    return fault;
}

static const char *find_schema_fault(haft__json schema)
{
    static const char *const keywords[] = {"$id",
                                           "$defs",
                                           "$ref",
                                           "$anchor",
                                           "type",
                                           "format",
                                           "title",
                                           "description",
                                           "enum",
                                           "items",
                                           "prefixItems",
                                           "minItems",
                                           "maxItems",
                                           "minimum",
                                           "maximum",
                                           "anyOf",
                                           "oneOf",
                                           "properties",
                                           "additionalProperties",
                                           "required",
                                           "propertyOrdering",
                                           NULL};
    if (schema.kind == HAFT__JSON_TRUE || schema.kind == HAFT__JSON_FALSE) {
        return NULL;
    }
    if (!has_only(schema, keywords)) {
        return "a keyword";
    }
    bool refers = haft__object_find(schema, "$ref") != NULL;
    for (uint32_t i = 0; refers && i < schema.count; i++) {
        if (!haft__str_starts_with(haft__json_text(schema.members[i].key), HAFT__LIT("$"))) {
            return "a keyword next to $ref";
        }
    }
    const char *fault = find_fault_of_members(haft__object_get(schema, "properties"), true);
    fault = fault == NULL ? find_fault_of_members(haft__object_get(schema, "$defs"), false) : fault;
    fault = fault == NULL ? find_fault_of_each(haft__object_get(schema, "anyOf")) : fault;
    fault = fault == NULL ? find_fault_of_each(haft__object_get(schema, "oneOf")) : fault;
    fault = fault == NULL ? find_fault_of_each(haft__object_get(schema, "prefixItems")) : fault;
    const haft__json *items = haft__object_find(schema, "items");
    return fault == NULL && items != NULL ? find_schema_fault(*items) : fault;
}

static bool is_function_name(haft_str name)
{
    bool good = name.len >= 1 && name.len <= 128 && name.ptr != NULL
                && !haft__ascii_is_digit(name.ptr[0]) && memchr(".:-", name.ptr[0], 3) == NULL;
    for (size_t i = 0; good && i < name.len; i++) {
        good = haft__ascii_is_alphanumeric(name.ptr[i]) || memchr("_.:-", name.ptr[i], 4) != NULL;
    }
    return good;
}

static haft__json declarations_of(haft__json body)
{
    haft__json tools = haft__object_array(body, "tools");
    return tools.count > 0 ? haft__object_array(tools.items[0], "functionDeclarations") : tools;
}

static const char *find_tools_fault(haft__json body)
{
    static const char *const members[] = {"name", "description", "parameters",
                                          "parametersJsonSchema", NULL};
    haft__json list = declarations_of(body);
    for (uint32_t i = 0; i < list.count; i++) {
        haft__json tool = list.items[i];
        const haft__json *schema = haft__object_find(tool, "parametersJsonSchema");
        const char *fault = schema != NULL ? find_schema_fault(*schema) : NULL;
        if (!has_only(tool, members) || !is_function_name(haft__object_string(tool, "name"))
            || (schema != NULL && haft__object_find(tool, "parameters") != NULL)) {
            return "a declaration";
        }
        if (schema != NULL
            && !haft__str_equal(haft__object_string(*schema, "type"), HAFT__LIT("object"))) {
            return "parameters that are not an object";
        }
        if (fault != NULL) {
            return fault;
        }
    }
    return list.count > 512 ? "more than 512 declarations" : NULL;
}

static bool is_declared(haft__json body, haft_str name)
{
    haft__json list = declarations_of(body);
    for (uint32_t i = 0; i < list.count; i++) {
        if (haft__str_equal(haft__object_string(list.items[i], "name"), name)) {
            return true;
        }
    }
    return false;
}

static const char *find_choice_fault(haft__json body)
{
    static const char *const modes[] = {"AUTO", "ANY", "NONE", "VALIDATED", NULL};
    static const char *const naming[] = {"ANY", "VALIDATED", NULL};
    haft__json config =
        haft__object_object(haft__object_object(body, "toolConfig"), "functionCallingConfig");
    const haft__json *names = haft__object_find(config, "allowedFunctionNames");
    haft_str mode = haft__object_string(config, "mode");
    if (haft__object_find(body, "toolConfig") == NULL) {
        return NULL;
    }
    if (!is_in(mode, modes) || (names != NULL && (!is_in(mode, naming) || names->count == 0))) {
        return "the mode of calls";
    }
    for (uint32_t i = 0; names != NULL && i < names->count; i++) {
        if (!is_declared(body, haft__json_text(names->items[i]))) {
            return "an allowed function that is not declared";
        }
    }
    return NULL;
}

/* ---- contents ---- */

static const char *find_part_fault(haft__json part, bool model)
{
    static const char *const members[] = {"text",         "thought",          "thoughtSignature",
                                          "functionCall", "functionResponse", NULL};
    const haft__json *call = haft__object_find(part, "functionCall");
    const haft__json *response = haft__object_find(part, "functionResponse");
    const haft__json *text = haft__object_find(part, "text");
    bool is_signed = haft__object_string(part, "thoughtSignature").len > 0;
    int kinds = (call != NULL) + (response != NULL) + (text != NULL);
    if (!has_only(part, members) || kinds != 1) {
        return "a part";
    }
    if (text != NULL && haft__json_text(*text).len == 0 && !is_signed) {
        return "an empty text";
    }
    if ((call != NULL && !model) || (response != NULL && model) || (is_signed && !model)) {
        return "a part of the other role";
    }
    if (call != NULL && haft__object_get(*call, "args").kind != HAFT__JSON_OBJECT) {
        return "arguments that are not an object";
    }
    return response != NULL && haft__object_get(*response, "response").kind != HAFT__JSON_OBJECT
               ? "a response that is not an object"
               : NULL;
}

static size_t find_parts(haft__json content, const char *kind, haft__json *ret_first)
{
    haft__json parts = haft__object_array(content, "parts");
    size_t count = 0;
    *ret_first = haft__json_null();
    for (uint32_t i = 0; i < parts.count; i++) {
        if (haft__object_find(parts.items[i], kind) != NULL && count++ == 0) {
            *ret_first = parts.items[i];
        }
    }
    return count;
}

/* Responses stand alone in the content after the calls: one for each, in their order. */
static const char *find_response_fault(haft__json calls, haft__json answers)
{
    haft__json first;
    haft__json list = haft__object_array(calls, "parts");
    haft__json given = haft__object_array(answers, "parts");
    uint32_t at = 0;
    if (find_parts(calls, "functionCall", &first) != given.count
        || find_parts(answers, "functionResponse", &first) != given.count) {
        return "not one response for each call";
    }
    for (uint32_t i = 0; i < list.count; i++) {
        haft__json call = haft__object_object(list.items[i], "functionCall");
        if (call.count > 0) {
            haft__json response = haft__object_object(given.items[at++], "functionResponse");
            if (!haft__str_equal(haft__object_string(call, "name"),
                                 haft__object_string(response, "name"))
                || !haft__str_equal(haft__object_string(call, "id"),
                                    haft__object_string(response, "id"))) {
                return "a response without its call";
            }
        }
    }
    return NULL;
}

static const char *find_content_fault(haft__json content, bool signs)
{
    static const char *const members[] = {"role", "parts", NULL};
    haft__json parts = haft__object_array(content, "parts");
    haft__json call;
    bool model = haft__str_equal(haft__object_string(content, "role"), HAFT__LIT("model"));
    bool user = haft__str_equal(haft__object_string(content, "role"), HAFT__LIT("user"));
    const char *fault =
        has_only(content, members) && (model || user) && parts.count > 0 ? NULL : "a content";
    for (uint32_t i = 0; i < parts.count && fault == NULL; i++) {
        fault = find_part_fault(parts.items[i], model);
    }
    if (fault == NULL && find_parts(content, "functionCall", &call) > 0 && signs
        && haft__object_string(call, "thoughtSignature").len == 0) {
        fault = "a call without a signature";
    }
    return fault;
}

static const char *find_contents_fault(haft__json list, bool signs)
{
    haft__json before = haft__json_null(), ignored;
    for (uint32_t i = 0; i < list.count; i++) {
        const char *fault = find_content_fault(list.items[i], signs);
        bool calls = find_parts(before, "functionCall", &ignored) > 0;
        bool answers = find_parts(list.items[i], "functionResponse", &ignored) > 0;
        if (fault == NULL && (calls || answers)) {
            fault = find_response_fault(before, list.items[i]);
        }
        if (fault != NULL) {
            return fault;
        }
        before = list.items[i];
    }
    return list.count == 0 ? "no contents"
           : haft__str_equal(haft__object_string(list.items[0], "role"), HAFT__LIT("model"))
                   || haft__str_equal(haft__object_string(before, "role"), HAFT__LIT("model"))
               ? "contents that do not begin and end with the user"
               : NULL;
}

const char *gemini_find_fault(haft__json body, bool signs)
{
    static const char *const members[] = {"contents",
                                          "systemInstruction",
                                          "tools",
                                          "toolConfig",
                                          "generationConfig",
                                          "safetySettings",
                                          "cachedContent",
                                          "serviceTier",
                                          "store",
                                          "labels",
                                          NULL};
    static const char *const config[] = {"maxOutputTokens",
                                         "temperature",
                                         "topP",
                                         "topK",
                                         "seed",
                                         "stopSequences",
                                         "presencePenalty",
                                         "frequencyPenalty",
                                         "thinkingConfig",
                                         "responseMimeType",
                                         "responseSchema",
                                         "responseJsonSchema",
                                         "candidateCount",
                                         NULL};
    const haft__json *given = haft__object_find(body, "generationConfig");
    if (!has_only(body, members) || (given != NULL && !has_only(*given, config))) {
        return "an unknown member";
    }
    const char *fault = find_contents_fault(haft__object_array(body, "contents"), signs);
    fault = fault == NULL ? find_tools_fault(body) : fault;
    return fault == NULL ? find_choice_fault(body) : fault;
}
