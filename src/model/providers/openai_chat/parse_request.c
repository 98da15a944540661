/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_request.c - a Chat Completions request and its parameters, which are a table.
 *
 * parse_messages.c reads the messages, parse_tools.c the tools and their choice; parse_check.c has
 * the checks.
 * Tests: tests/model/providers/openai_chat/parse_request_test.c. Fuzzer: fuzz/chat_read.c.
 */
#include "model/providers/openai_chat/parse_request.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/openai_chat/parse_request_int.h"
#include "json/number.h"
#include "json/object.h"
#include "json/read.h"

/* ---- parameters ---- */

enum { NULLABLE = HAFT__CHAT_NULL };

/* The documented parameters. A row without kinds is not supported here. */
static const struct param {
    const char *name;
    unsigned kinds;
    const char *words;     /* the allowed strings; NULL for any */
    const char *min, *max; /* of a number */
    bool llamacpp;         /* only of llama.cpp */
} params[] = {
    {.name = "model", .kinds = HAFT__CHAT_STRING},
    {.name = "messages", .kinds = HAFT__CHAT_ARRAY},
    {.name = "tools", .kinds = HAFT__CHAT_ARRAY | NULLABLE},
    {.name = "tool_choice", .kinds = HAFT__CHAT_STRING | HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "parallel_tool_calls", .kinds = HAFT__CHAT_BOOLEAN | NULLABLE},
    {.name = "stream", .kinds = HAFT__CHAT_BOOLEAN | NULLABLE},
    {.name = "stream_options", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "temperature", .kinds = HAFT__CHAT_DECIMAL | NULLABLE, .min = "0", .max = "2"},
    {.name = "top_p", .kinds = HAFT__CHAT_DECIMAL | NULLABLE, .min = "0", .max = "1"},
    {.name = "frequency_penalty", .kinds = HAFT__CHAT_DECIMAL | NULLABLE, .min = "-2", .max = "2"},
    {.name = "presence_penalty", .kinds = HAFT__CHAT_DECIMAL | NULLABLE, .min = "-2", .max = "2"},
    {.name = "max_completion_tokens", .kinds = HAFT__CHAT_INTEGER | NULLABLE, .min = "1"},
    {.name = "max_tokens", .kinds = HAFT__CHAT_INTEGER | NULLABLE, .min = "1"},
    {.name = "n", .kinds = HAFT__CHAT_INTEGER | NULLABLE, .min = "1", .max = "128"},
    {.name = "seed", .kinds = HAFT__CHAT_INTEGER | NULLABLE},
    {.name = "stop", .kinds = HAFT__CHAT_STRING | HAFT__CHAT_ARRAY | NULLABLE},
    {.name = "logit_bias", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "logprobs", .kinds = HAFT__CHAT_BOOLEAN | NULLABLE},
    {.name = "top_logprobs", .kinds = HAFT__CHAT_INTEGER | NULLABLE, .min = "0", .max = "20"},
    {.name = "reasoning_effort",
     .kinds = HAFT__CHAT_STRING | NULLABLE,
     .words = "none minimal low medium high xhigh max"},
    {.name = "verbosity", .kinds = HAFT__CHAT_STRING | NULLABLE, .words = "low medium high"},
    {.name = "service_tier",
     .kinds = HAFT__CHAT_STRING | NULLABLE,
     .words = "auto default flex scale priority"},
    {.name = "response_format", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "prediction", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "modalities", .kinds = HAFT__CHAT_ARRAY | NULLABLE},
    {.name = "audio", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "moderation", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "web_search_options", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "metadata", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "store", .kinds = HAFT__CHAT_BOOLEAN | NULLABLE},
    {.name = "user", .kinds = HAFT__CHAT_STRING | NULLABLE},
    {.name = "safety_identifier", .kinds = HAFT__CHAT_STRING | NULLABLE},
    {.name = "prompt_cache_key", .kinds = HAFT__CHAT_STRING | NULLABLE},
    {.name = "prompt_cache_options", .kinds = HAFT__CHAT_OBJECT | NULLABLE},
    {.name = "prompt_cache_retention",
     .kinds = HAFT__CHAT_STRING | NULLABLE,
     .words = "in_memory in-memory 24h"},
    {.name = "grammar", .kinds = HAFT__CHAT_STRING | NULLABLE, .llamacpp = true},
    {.name = "functions"},
    {.name = "function_call"},
};

static const struct param *find_param(haft_str name)
{
    for (size_t i = 0; i < COUNT(params); i++) {
        if (haft__str_equal(haft__str(params[i].name), name)) {
            return &params[i];
        }
    }
    return NULL;
}

static bool check_range(haft__chat_reader *r, const struct param *p, haft__json value)
{
    haft_str number = haft__json_text(value);
    bool below = p->min != NULL && haft__number_compare(number, haft__str(p->min)) < 0;
    bool above = p->max != NULL && haft__number_compare(number, haft__str(p->max)) > 0;
    if (!below && !above) {
        return true;
    }
    bool whole = (p->kinds & HAFT__CHAT_INTEGER) != 0;
    const char *code = whole ? (below ? "integer_below_min_value" : "integer_above_max_value")
                             : (below ? "decimal_below_min_value" : "decimal_above_max_value");
    return haft__chat_reject(
        r, code, p->name,
        "Invalid '%s': %s %s value. Expected a value %s %s, but got %.*s instead.", p->name,
        whole ? "integer" : "decimal", below ? "below minimum" : "above maximum",
        below ? ">=" : "<=", below ? p->min : p->max, (int)(number.len < 40 ? number.len : 40),
        number.ptr);
}

static bool check_param(haft__chat_reader *r, haft_str name, haft__json value)
{
    const struct param *p = find_param(name);
    if (p == NULL || (p->llamacpp && r->like != HAFT__CHAT_SERVER_LLAMACPP)) {
        return haft__chat_reject(r, NULL, "", "Unrecognized request argument supplied: %.*s",
                                 (int)(name.len < 100 ? name.len : 100), name.ptr);
    }
    if (p->kinds == 0) {
        return haft__chat_reject(r, "unsupported_parameter", p->name,
                                 "'%s' is deprecated and not supported here. Use 'tools' and "
                                 "'tool_choice' instead.",
                                 p->name);
    }
    if (!haft__chat_check_kind(r, value, p->kinds, p->name)) {
        return false;
    }
    if (value.kind == HAFT__JSON_STRING && p->words != NULL) {
        return haft__chat_check_word(r, haft__json_text(value), p->words, p->name);
    }
    return value.kind != HAFT__JSON_NUMBER || check_range(r, p, value);
}

static bool check_params(haft__chat_reader *r, haft__json body)
{
    for (uint32_t i = 0; i < body.count; i++) {
        const haft__json_member *m = &body.members[i];
        if (!check_param(r, haft__json_text(m->key), m->value)) {
            return false;
        }
    }
    return true;
}

/* Every item of a list, or value of an object, must be a string; the number is bounded. */
static bool check_strings(haft__chat_reader *r, haft__json value, const char *param, uint32_t max)
{
    if (value.count > max) {
        return haft__chat_reject(r, "array_above_max_length", param,
                                 "Invalid '%s': too long. Expected at most %u, but got %u instead.",
                                 param, max, value.count);
    }
    for (uint32_t i = 0; i < value.count; i++) {
        bool list = value.kind == HAFT__JSON_ARRAY;
        haft__json item = list ? value.items[i] : value.members[i].value;
        haft_str key = list ? HAFT__LIT("") : haft__json_text(value.members[i].key);
        char place[HAFT__CHAT_PARAM_SIZE];
        if (list) {
            (void)snprintf(place, sizeof(place), "%s[%u]", param, i);
        } else {
            (void)snprintf(place, sizeof(place), "%s.%.*s", param, HAFT__ARG(key));
        }
        if (!haft__chat_check_kind(r, item, HAFT__CHAT_STRING, place)) {
            return false;
        }
    }
    return true;
}

/* Checks the contents of parameters that are not used here. */
static bool check_insides(haft__chat_reader *r, haft__json body)
{
    haft__json stop = haft__object_get(body, "stop"), metadata = haft__object_get(body, "metadata");
    if (stop.kind == HAFT__JSON_ARRAY && !check_strings(r, stop, "stop", 4)) {
        return false;
    }
    if (metadata.kind == HAFT__JSON_OBJECT && !check_strings(r, metadata, "metadata", 16)) {
        return false;
    }
    haft__json n = haft__object_get(body, "n");
    if (n.kind == HAFT__JSON_NUMBER
        && haft__number_compare(haft__json_text(n), HAFT__LIT("1")) != 0) {
        return haft__chat_reject(r, "unsupported_value", "n",
                                 "Unsupported value: 'n' does not support %.*s here. Only 1 is "
                                 "supported.",
                                 HAFT__ARG(haft__json_text(n)));
    }
    return haft__chat_read_constraint(r, body);
}

static bool read_stream(haft__chat_reader *r, haft__json body)
{
    haft__json options = haft__object_get(body, "stream_options"), usage;
    r->asked->stream = haft__object_get(body, "stream").kind == HAFT__JSON_TRUE;
    if (options.kind == HAFT__JSON_NULL) {
        return true;
    }
    if (!r->asked->stream) {
        return haft__chat_reject(r, NULL, "stream_options",
                                 "The 'stream_options' parameter is only allowed when 'stream' is "
                                 "enabled.");
    }
    if (!haft__chat_check_members(r, options, "include_usage include_obfuscation", "stream_options")
        || !haft__chat_optional_member(r, options, "include_usage", HAFT__CHAT_BOOLEAN | NULLABLE,
                                       "stream_options", &usage)) {
        return false;
    }
    r->asked->include_usage = usage.kind == HAFT__JSON_TRUE;
    return haft__chat_optional_member(r, options, "include_obfuscation",
                                      HAFT__CHAT_BOOLEAN | NULLABLE, "stream_options", &usage);
}

static bool read_tools(haft__chat_reader *r, haft__json body)
{
    static const char *const with_tools[] = {"tool_choice", "parallel_tool_calls"};
    haft__json tools = haft__object_get(body, "tools");
    for (size_t i = 0; i < COUNT(with_tools) && tools.kind == HAFT__JSON_NULL; i++) {
        if (haft__object_get(body, with_tools[i]).kind != HAFT__JSON_NULL) {
            return haft__chat_reject(r, NULL, with_tools[i],
                                     "Invalid value for '%s': '%s' is only allowed when 'tools' "
                                     "are specified.",
                                     with_tools[i], with_tools[i]);
        }
    }
    r->asked->parallel = haft__object_get(body, "parallel_tool_calls").kind != HAFT__JSON_FALSE;
    r->asked->request.mode = HAFT__MODE_NONE; /* OpenAI's default without tools */
    return tools.kind == HAFT__JSON_NULL
           || (haft__chat_read_tools(r, tools)
               && haft__chat_read_choice(r, haft__object_get(body, "tool_choice")));
}

static bool read_body(haft__chat_reader *r, haft__json body)
{
    haft__json model = haft__object_get(body, "model"), messages;
    if (!check_params(r, body)) {
        return false;
    }
    if (model.kind != HAFT__JSON_STRING || model.count == 0) {
        return haft__chat_reject(r, NULL, "", "you must provide a model parameter");
    }
    r->asked->request.model = haft__json_text(model);
    return haft__chat_require_member(r, body, "messages", HAFT__CHAT_ARRAY, "", &messages)
           && check_insides(r, body) && read_stream(r, body) && read_tools(r, body)
           && haft__chat_read_messages(r, messages);
}

/* Reads untrusted JSON: bounded depth, no duplicate keys. */
static bool read_json(haft__chat_reader *r, haft_str text, haft__json *ret_body)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    options.hash_key = r->hash_key;
    haft_error err = {0};
    haft_status status = haft__json_read(r->arena, text, &options, ret_body, NULL, &err);
    if (status == HAFT_NO_MEMORY) {
        return haft__chat_no_memory(r);
    }
    if (status != HAFT_OK) {
        return haft__chat_reject(r, NULL, "",
                                 "We could not parse the JSON body of your request: %s: %s",
                                 err.where, err.message);
    }
    if (ret_body->kind != HAFT__JSON_OBJECT) {
        return haft__chat_reject(r, NULL, "",
                                 "We could not parse the JSON body of your request: expected an "
                                 "object, but got %s instead.",
                                 haft__chat_describe(*ret_body));
    }
    return true;
}

haft_status haft__chat_read(haft__arena *arena, haft_str body, haft__hash_key hash_key,
                            haft__chat_parsed *ret_asked, haft_error *err)
{
    return haft__chat_read_as(arena, body, HAFT__CHAT_SERVER_OPENAI, hash_key, ret_asked, err);
}

haft_status haft__chat_read_as(haft__arena *arena, haft_str body, haft__chat_server_kind like,
                               haft__hash_key hash_key, haft__chat_parsed *ret_asked,
                               haft_error *err)
{
    haft__chat_reader r = {
        .arena = arena, .hash_key = hash_key, .asked = ret_asked, .like = like, .err = err};
    *ret_asked = (haft__chat_parsed){.request = {.correction = HAFT__LIT(""),
                                                 .tool = HAFT__LIT(""),
                                                 .format = HAFT__LIT("native"),
                                                 .task = HAFT__LIT("")}};
    haft__messages_init(&ret_asked->messages, arena);
    ret_asked->request.messages = &ret_asked->messages;
    if (read_json(&r, body, &ret_asked->raw)) {
        (void)read_body(&r, ret_asked->raw);
    }
    return r.status;
}
