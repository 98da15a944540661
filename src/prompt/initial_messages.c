/* SPDX-License-Identifier: Apache-2.0 */
/* initial_messages.c - see prompt/initial_messages.h. Tests: tests/prompt/initial_messages_test.c.
 */
#include "prompt/initial_messages.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"

static const char *const role_names[] = {
    [HAFT__MESSAGE_USER] = "user",
    [HAFT__MESSAGE_ASSISTANT] = "assistant",
    [HAFT__MESSAGE_TOOL] = "tool",
};

/* False for another role. */
static bool read_role(haft__json message, haft__message_role *ret_role)
{
    haft_str name = haft__object_string(message, "role");
    for (size_t i = HAFT__MESSAGE_USER; i < COUNT(role_names); i++) {
        if (haft__str_equal(name, haft__str(role_names[i]))) {
            *ret_role = (haft__message_role)i;
            return true;
        }
    }
    return false;
}

/* ---- checks ---- */

typedef struct check {
    uint32_t index; /* of the message */
    haft_error *err;
} check;

static haft_status fail_at(const check *c, const char *member, const char *expected)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "/%u%s", c->index, member);
    return haft__fail(c->err, HAFT_BAD_INPUT, where, "expected %s", expected);
}

static haft_status check_call(const check *c, haft__json call, uint32_t at)
{
    char where[48];
    (void)snprintf(where, sizeof(where), "/calls/%u", at);
    bool named =
        haft__object_string(call, "id").len > 0 && haft__object_string(call, "name").len > 0;
    if (!named || haft__object_find_kind(call, "arguments", HAFT__JSON_OBJECT) == NULL
        || call.count != 3) {
        return fail_at(c, where, "an object with \"id\", \"name\" and an object \"arguments\"");
    }
    return HAFT_OK;
}

static haft_status check_calls(const check *c, haft__json message, haft__message_role role)
{
    const haft__json *calls = haft__object_find(message, "calls");
    if (calls == NULL) {
        return HAFT_OK;
    }
    if (role != HAFT__MESSAGE_ASSISTANT || calls->kind != HAFT__JSON_ARRAY) {
        return fail_at(c, "/calls", "a list, and only in a message of the assistant");
    }
    if (calls->count > HAFT__LIMIT_REPLY_CALLS) {
        return haft__fail(c->err, HAFT_TOO_BIG, "", "expected at most %d calls, found %u",
                          HAFT__LIMIT_REPLY_CALLS, calls->count);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < calls->count && status == HAFT_OK; i++) {
        status = check_call(c, calls->items[i], i);
    }
    return status;
}

static haft_status check_members(const check *c, haft__json message)
{
    static const char *const known[] = {"role", "content", "calls", "call"};
    for (uint32_t i = 0; i < message.count; i++) {
        bool found = false;
        for (size_t k = 0; k < COUNT(known); k++) {
            found =
                found
                || haft__str_equal(haft__json_text(message.members[i].key), haft__str(known[k]));
        }
        if (!found) {
            return fail_at(c, "", "only \"role\", \"content\", \"calls\" and \"call\"");
        }
    }
    return HAFT_OK;
}

static haft_status check_message(const check *c, haft__json message)
{
    haft__message_role role;
    if (message.kind != HAFT__JSON_OBJECT) {
        return fail_at(c, "", "an object");
    }
    if (!read_role(message, &role)) {
        return fail_at(c, "/role", "user, assistant or tool");
    }
    if (haft__object_find_kind(message, "content", HAFT__JSON_STRING) == NULL) {
        return fail_at(c, "/content", "a text");
    }
    bool names_call = haft__object_string(message, "call").len > 0;
    if (names_call != (role == HAFT__MESSAGE_TOOL)) {
        return fail_at(c, "/call", "the id of a call in a message of a tool, and in no other");
    }
    haft_status status = check_members(c, message);
    return status == HAFT_OK ? check_calls(c, message, role) : status;
}

/* The index of the last message of the user that is not empty; messages.count if there is none. */
static uint32_t find_task(haft__json messages)
{
    haft__message_role role;
    for (uint32_t i = messages.count; i > 0; i--) {
        haft__json message = messages.items[i - 1];
        if (read_role(message, &role) && role == HAFT__MESSAGE_USER
            && haft__object_string(message, "content").len > 0) {
            return i - 1;
        }
    }
    return messages.count;
}

haft_status haft__initial_messages_check(haft__json messages, haft_error *err)
{
    haft__message_role last = HAFT__MESSAGE_SYSTEM;
    haft_status status = HAFT_OK;
    if (messages.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(messages, "", "a list of messages", err);
    }
    if (messages.count > HAFT__LIMIT_RUN_MESSAGES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d messages, found %u",
                          HAFT__LIMIT_RUN_MESSAGES, messages.count);
    }
    for (uint32_t i = 0; i < messages.count && status == HAFT_OK; i++) {
        check c = {.index = i, .err = err};
        status = check_message(&c, messages.items[i]);
    }
    if (status == HAFT_OK && find_task(messages) == messages.count) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a message of the user with a text");
    }
    if (status == HAFT_OK) {
        (void)read_role(messages.items[messages.count - 1], &last);
    }
    return status == HAFT_OK && last == HAFT__MESSAGE_ASSISTANT
               ? haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected a last message of the user or of a tool, found one of the "
                            "assistant")
               : status;
}

/* ---- reading ---- */

haft_status haft__initial_messages_append(haft__arena *arena, haft_str task,
                                          haft__json *io_messages, haft_error *err)
{
    haft__json *items = haft__arena_array(arena, (size_t)io_messages->count + 1, sizeof(*items));
    haft__json_member *members = haft__arena_array(arena, 2, sizeof(*members));
    if (items == NULL || members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; i < io_messages->count; i++) {
        items[i] = io_messages->items[i];
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("role")),
                                     haft__json_string(HAFT__LIT("user"))};
    members[1] =
        (haft__json_member){haft__json_string(HAFT__LIT("content")), haft__json_string(task)};
    items[io_messages->count] = haft__json_object(members, 2);
    *io_messages = haft__json_array(items, (size_t)io_messages->count + 1);
    return HAFT_OK;
}

haft_str haft__initial_messages_task(haft__json messages)
{
    uint32_t index = find_task(messages);
    return index < messages.count ? haft__object_string(messages.items[index], "content")
                                  : HAFT__LIT("");
}

static haft_status write_arguments(haft__arena *arena, haft__json value, haft_str *ret_text,
                                   haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, value);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status read_calls(haft__arena *arena, haft__json list, haft__message *to,
                              haft_error *err)
{
    haft__message_call *calls = haft__arena_array(arena, list.count, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < list.count && status == HAFT_OK; i++) {
        calls[i] = (haft__message_call){.id = haft__object_string(list.items[i], "id"),
                                        .name = haft__object_string(list.items[i], "name"),
                                        .malformed = HAFT__LIT("")};
        status = write_arguments(arena, haft__object_get(list.items[i], "arguments"),
                                 &calls[i].arguments, err);
    }
    to->calls = calls;
    to->call_count = list.count;
    return status;
}

/* The name of the call with this id in the last message of the assistant; "" if it has none. */
static haft_str find_call_name(const haft__messages *messages, haft_str id)
{
    size_t i = messages->count;
    while (i > 0 && messages->items[i - 1].role == HAFT__MESSAGE_TOOL) {
        i--;
    }
    const haft__message *caller = i > 0 ? &messages->items[i - 1] : NULL;
    for (size_t k = 0; caller != NULL && k < caller->call_count; k++) {
        if (haft__str_equal(caller->calls[k].id, id)) {
            return caller->calls[k].name;
        }
    }
    return HAFT__LIT("");
}

haft_status haft__initial_messages_add(haft__json messages, haft__messages *to, haft_error *err)
{
    uint32_t task = find_task(messages);
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < messages.count && status == HAFT_OK; i++) {
        haft__json source = messages.items[i];
        haft__message message = {.text = haft__object_string(source, "content"),
                                 .call_id = haft__object_string(source, "call"),
                                 .is_task = i == task};
        (void)read_role(source, &message.role);
        if (message.role == HAFT__MESSAGE_TOOL) {
            message.call_name = find_call_name(to, message.call_id);
        }
        status = read_calls(to->arena, haft__object_array(source, "calls"), &message, err);
        if (status == HAFT_OK) {
            status = haft__messages_add(to, message, err);
        }
    }
    return status;
}
