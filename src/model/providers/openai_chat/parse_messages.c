/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_messages.c - the messages of a Chat Completions request.
 *
 * Each call of an assistant's message must be answered by exactly one of the tool messages that
 * directly follow it, in any order. Parts that are not text (images, sound, files) are checked and
 * dropped: the neutral message cannot hold them. Tests:
 * tests/model/providers/openai_chat/parse_request_test.c.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/openai_chat/parse_request_int.h"

/* The current message, and the calls that are not answered yet. */
typedef struct conversation {
    haft__chat_reader *r;
    haft__json object;
    char param[HAFT__CHAT_PARAM_SIZE]; /* "messages[3]" */
    const haft__message_call *calls;
    size_t call_count, left;
    bool answered[HAFT__LIMIT_CHAT_CALLS];
} conversation;

static void place_of(const conversation *c, const char *member, char place[HAFT__CHAT_PARAM_SIZE])
{
    (void)snprintf(place, HAFT__CHAT_PARAM_SIZE, "%.60s.%.30s", c->param, member);
}

/* ---- content ---- */

static const struct part {
    const char *type, *member;
    unsigned kind;
    const char *needs; /* the required string inside it; NULL for none */
} parts[] = {
    {"text", "text", HAFT__CHAT_STRING, NULL},
    {"refusal", "refusal", HAFT__CHAT_STRING, NULL},
    {"image_url", "image_url", HAFT__CHAT_OBJECT, "url"},
    {"input_audio", "input_audio", HAFT__CHAT_OBJECT, "data"},
    {"file", "file", HAFT__CHAT_OBJECT, NULL},
};

/* The text of a part; empty if the part is not text. */
static bool read_part(conversation *c, haft__json part, uint32_t index, const char *types,
                      haft_str *ret_text)
{
    haft__chat_reader *r = c->r;
    haft__json type, inside, needed;
    char place[HAFT__CHAT_PARAM_SIZE], type_place[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(place, sizeof(place), "%.60s.content[%u]", c->param, index);
    (void)snprintf(type_place, sizeof(type_place), "%.80s.type", place);
    *ret_text = HAFT__LIT("");
    if (!haft__chat_check_kind(r, part, HAFT__CHAT_OBJECT, place)
        || !haft__chat_require_member(r, part, "type", HAFT__CHAT_STRING, place, &type)
        || !haft__chat_check_word(r, haft__json_text(type), types, type_place)) {
        return false;
    }
    size_t row = 0;
    while (!haft__str_equal(haft__json_text(type), haft__str(parts[row].type))) {
        row++; /* every word of `types` is in the table */
    }
    if (!haft__chat_require_member(r, part, parts[row].member, parts[row].kind, place, &inside)) {
        return false;
    }
    if (parts[row].kind == HAFT__CHAT_STRING) {
        *ret_text = haft__json_text(inside);
    }
    char inside_place[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(inside_place, sizeof(inside_place), "%.70s.%s", place, parts[row].member);
    return parts[row].needs == NULL
           || haft__chat_require_member(r, inside, parts[row].needs, HAFT__CHAT_STRING,
                                        inside_place, &needed);
}

static bool join_parts(conversation *c, haft__json listed, const char *types, haft__buf *text)
{
    for (uint32_t i = 0; i < listed.count; i++) {
        haft_str part;
        if (!read_part(c, listed.items[i], i, types, &part)) {
            return false;
        }
        haft__buf_add_str(text, text->len > 0 && part.len > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
        haft__buf_add_str(text, part);
    }
    return true;
}

static bool read_parts(conversation *c, haft__json listed, const char *types, haft_str *ret_text)
{
    if (listed.count == 0) {
        char place[HAFT__CHAT_PARAM_SIZE];
        place_of(c, "content", place);
        return haft__chat_reject(c->r, "empty_array", place,
                                 "Invalid '%s': empty array. Expected an array with minimum length "
                                 "1, but got an empty array instead.",
                                 place);
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    bool read = join_parts(c, listed, types, &text);
    if (read) {
        *ret_text = text.status == HAFT_OK ? haft__arena_copy(c->r->arena, haft__buf_str(&text))
                                           : (haft_str){NULL, 0};
        read = ret_text->ptr != NULL || haft__chat_no_memory(c->r);
    }
    haft__buf_finish(&text);
    return read;
}

/* `types` are the types that a part may have. Null is for assistants only, and checked there. */
static bool read_content(conversation *c, const char *types, bool nullable, haft_str *ret_text)
{
    haft__json content;
    unsigned kinds = HAFT__CHAT_STRING | HAFT__CHAT_ARRAY;
    bool given = haft__json_get(c->object, HAFT__LIT("content")) != NULL;
    *ret_text = HAFT__LIT("");
    if (!given && !nullable) {
        return haft__chat_require_member(c->r, c->object, "content", kinds, c->param, &content);
    }
    if (!haft__chat_optional_member(c->r, c->object, "content",
                                    kinds | (nullable ? HAFT__CHAT_NULL : 0), c->param, &content)) {
        return false;
    }
    if (content.kind == HAFT__JSON_STRING) {
        *ret_text = haft__json_text(content);
    }
    return content.kind != HAFT__JSON_ARRAY || read_parts(c, content, types, ret_text);
}

/* ---- calls ---- */

static bool read_call(conversation *c, haft__json item, uint32_t index, haft__message_call *call)
{
    haft__chat_reader *r = c->r;
    haft__json id, type, function, arguments;
    char place[HAFT__CHAT_PARAM_SIZE], deeper[HAFT__CHAT_PARAM_SIZE];
    (void)snprintf(place, sizeof(place), "%.60s.tool_calls[%u]", c->param, index);
    (void)snprintf(deeper, sizeof(deeper), "%.80s.type", place);
    if (!haft__chat_check_kind(r, item, HAFT__CHAT_OBJECT, place)
        || !haft__chat_check_members(r, item, "id type function index", place)
        || !haft__chat_require_member(r, item, "id", HAFT__CHAT_STRING, place, &id)
        || !haft__chat_require_member(r, item, "type", HAFT__CHAT_STRING, place, &type)
        || !haft__chat_check_word(r, haft__json_text(type), "function", deeper)
        || !haft__chat_require_member(r, item, "function", HAFT__CHAT_OBJECT, place, &function)) {
        return false;
    }
    haft_str wire;
    (void)snprintf(deeper, sizeof(deeper), "%.80s.function", place);
    if (!haft__chat_check_members(r, function, "name arguments", deeper)
        || !haft__chat_require_name(r, function, deeper, &wire)
        || !haft__chat_require_member(r, function, "arguments", HAFT__CHAT_STRING, deeper,
                                      &arguments)) {
        return false;
    }
    call->id = haft__json_text(id);
    call->arguments = haft__json_text(arguments);
    return haft__chat_decode(r, wire, &call->name);
}

static bool check_ids(conversation *c, const haft__message_call *calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = 0;
        while (other < i && !haft__str_equal(calls[i].id, calls[other].id)) {
            other++;
        }
        if (other < i || calls[i].id.len == 0) {
            char place[HAFT__CHAT_PARAM_SIZE];
            (void)snprintf(place, sizeof(place), "%.60s.tool_calls[%u].id", c->param, i);
            return haft__chat_reject(c->r, "invalid_value", place,
                                     "Invalid '%s': expected an id that no other call of the "
                                     "message has, but got '%.*s'.",
                                     place, HAFT__ARG(calls[i].id));
        }
    }
    return true;
}

static bool read_calls(conversation *c, haft__json listed, haft__message *message)
{
    char place[HAFT__CHAT_PARAM_SIZE];
    place_of(c, "tool_calls", place);
    if (listed.count == 0 || listed.count > HAFT__LIMIT_CHAT_CALLS) {
        bool empty = listed.count == 0;
        return haft__chat_reject(c->r, empty ? "empty_array" : "array_above_max_length", place,
                                 "Invalid '%s': %s. Expected an array with %s length %d, but got "
                                 "an array with length %u instead.",
                                 place, empty ? "empty array" : "array too long",
                                 empty ? "minimum" : "maximum", empty ? 1 : HAFT__LIMIT_CHAT_CALLS,
                                 listed.count);
    }
    haft__message_call *calls = haft__arena_array(c->r->arena, listed.count, sizeof(*calls));
    if (calls == NULL) {
        return haft__chat_no_memory(c->r);
    }
    for (uint32_t i = 0; i < listed.count; i++) {
        if (!read_call(c, listed.items[i], i, &calls[i])) {
            return false;
        }
        c->answered[i] = false;
    }
    message->calls = c->calls = calls;
    message->call_count = c->call_count = c->left = listed.count;
    return check_ids(c, calls, listed.count);
}

/* ---- roles ---- */

static bool read_text_message(conversation *c, haft__message *message, const char *types)
{
    return haft__chat_check_members(c->r, c->object, "role content name", c->param)
           && read_content(c, types, false, &message->text);
}

static bool read_system(conversation *c, haft__message *message)
{
    message->role = HAFT__MESSAGE_SYSTEM;
    return read_text_message(c, message, "text");
}

static bool read_user(conversation *c, haft__message *message)
{
    message->role = HAFT__MESSAGE_USER;
    return read_text_message(c, message, "text image_url input_audio file");
}

/* The reasoning, under either of its two names. */
static bool read_reasoning(conversation *c, haft__message *message)
{
    static const char *const names[] = {"reasoning_content", "reasoning"};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__json text;
        if (!haft__chat_optional_member(c->r, c->object, names[i],
                                        HAFT__CHAT_STRING | HAFT__CHAT_NULL, c->param, &text)) {
            return false;
        }
        if (text.kind == HAFT__JSON_STRING && message->reasoning.len == 0) {
            message->reasoning = haft__json_text(text);
        }
    }
    return true;
}

static bool read_assistant(conversation *c, haft__message *message)
{
    haft__json calls, refusal;
    message->role = HAFT__MESSAGE_ASSISTANT;
    if (!haft__chat_check_members(c->r, c->object,
                                  "role content name refusal audio annotations tool_calls "
                                  "reasoning_content reasoning",
                                  c->param)
        || !haft__chat_optional_member(c->r, c->object, "refusal",
                                       HAFT__CHAT_STRING | HAFT__CHAT_NULL, c->param, &refusal)
        || !haft__chat_optional_member(c->r, c->object, "tool_calls",
                                       HAFT__CHAT_ARRAY | HAFT__CHAT_NULL, c->param, &calls)
        || !read_content(c, "text refusal", true, &message->text) || !read_reasoning(c, message)) {
        return false;
    }
    const haft__json *content = haft__json_get(c->object, HAFT__LIT("content"));
    bool silent = content == NULL || content->kind == HAFT__JSON_NULL;
    if (silent && refusal.kind == HAFT__JSON_STRING) {
        message->text = haft__json_text(refusal);
    } else if (silent && calls.kind == HAFT__JSON_NULL) {
        char place[HAFT__CHAT_PARAM_SIZE];
        place_of(c, "content", place);
        return haft__chat_reject(c->r, NULL, place,
                                 "Invalid value for 'content': expected a string, got null.");
    }
    return calls.kind == HAFT__JSON_NULL || read_calls(c, calls, message);
}

static bool read_tool(conversation *c, haft__message *message)
{
    haft__json id;
    char place[HAFT__CHAT_PARAM_SIZE];
    message->role = HAFT__MESSAGE_TOOL;
    if (!haft__chat_check_members(c->r, c->object, "role content tool_call_id name", c->param)
        || !haft__chat_require_member(c->r, c->object, "tool_call_id", HAFT__CHAT_STRING, c->param,
                                      &id)
        || !read_content(c, "text", false, &message->text)) {
        return false;
    }
    place_of(c, "tool_call_id", place);
    message->call_id = haft__json_text(id);
    for (size_t i = 0; i < c->call_count; i++) {
        if (!haft__str_equal(c->calls[i].id, message->call_id)) {
            continue;
        }
        if (c->answered[i]) {
            return haft__chat_reject(c->r, NULL, place,
                                     "Duplicate value for 'tool_call_id' of '%.*s': each call is "
                                     "answered once.",
                                     HAFT__ARG(message->call_id));
        }
        c->answered[i] = true;
        c->left--;
        message->call_name = c->calls[i].name;
        return true;
    }
    return haft__chat_reject(c->r, NULL, place,
                             "Invalid parameter: 'tool_call_id' of '%.*s' not found in "
                             "'tool_calls' of previous message.",
                             HAFT__ARG(message->call_id));
}

static const struct {
    const char *name;
    bool (*read)(conversation *c, haft__message *message);
} roles[] = {
    {"system", read_system},       {"developer", read_system}, {"user", read_user},
    {"assistant", read_assistant}, {"tool", read_tool},
};

/* ---- the order ---- */

/* All calls must be answered at the end and before any message that is not a tool message. */
static bool check_answered(conversation *c, const char *param)
{
    if (c->left == 0) {
        return true;
    }
    char ids[512];
    size_t at = 0;
    for (size_t i = 0; i < c->call_count && at < sizeof(ids); i++) {
        if (!c->answered[i]) {
            at += (size_t)snprintf(ids + at, sizeof(ids) - at, "%s%.*s", at > 0 ? ", " : "",
                                   HAFT__ARG(c->calls[i].id));
        }
    }
    return haft__chat_reject(c->r, NULL, param,
                             "An assistant message with 'tool_calls' must be followed by tool "
                             "messages responding to each 'tool_call_id'. The following "
                             "tool_call_ids did not have response messages: %s",
                             ids);
}

static bool check_order(conversation *c, haft_str role, const char *param)
{
    bool tool = haft__str_equal(role, HAFT__LIT("tool"));
    if (tool && c->call_count == 0) {
        return haft__chat_reject(c->r, NULL, param,
                                 "Invalid parameter: messages with role 'tool' must be a response "
                                 "to a preceding message with 'tool_calls'.");
    }
    if (!tool && !check_answered(c, param)) {
        return false;
    }
    c->call_count = tool ? c->call_count : 0;
    return true;
}

static bool read_message(conversation *c, haft__message *message)
{
    haft__json role;
    char place[HAFT__CHAT_PARAM_SIZE];
    place_of(c, "role", place);
    if (!haft__chat_check_kind(c->r, c->object, HAFT__CHAT_OBJECT, c->param)
        || !haft__chat_require_member(c->r, c->object, "role", HAFT__CHAT_STRING, c->param,
                                      &role)) {
        return false;
    }
    haft_str name = haft__json_text(role);
    if (haft__str_equal(name, HAFT__LIT("function"))) {
        return haft__chat_reject(c->r, "unsupported_value", place,
                                 "The role 'function' is deprecated and not supported here. Use "
                                 "'tool' instead.");
    }
    if (!haft__chat_check_word(c->r, name, "system developer user assistant tool", place)
        || !check_order(c, name, place)) {
        return false;
    }
    size_t row = 0;
    while (!haft__str_equal(name, haft__str(roles[row].name))) {
        row++;
    }
    return roles[row].read(c, message);
}

bool haft__chat_read_messages(haft__chat_reader *r, haft__json listed)
{
    conversation c = {.r = r};
    if (listed.count == 0) {
        return haft__chat_reject(r, "empty_array", "messages",
                                 "Invalid 'messages': empty array. Expected an array with minimum "
                                 "length 1, but got an empty array instead.");
    }
    for (uint32_t i = 0; i < listed.count; i++) {
        haft__message message = {.text = HAFT__LIT(""), .reasoning = HAFT__LIT("")};
        c.object = listed.items[i];
        (void)snprintf(c.param, sizeof(c.param), "messages[%u]", i);
        if (!read_message(&c, &message)) {
            return false;
        }
        r->status = haft__messages_add(&r->asked->messages, message, r->err);
        if (r->status != HAFT_OK) {
            return false;
        }
    }
    return check_answered(&c, "messages");
}
