/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of reading a Chat Completions request. The input is its body.
 *   - it is rejected with a message or accepted, and another hash key gives the same result;
 *   - an accepted request follows the provider's rules: every call is answered by a tool message
 *     right after it, allowed tools are declared, names fit the wire format;
 *   - an accepted request, written and read again, is the same request (unless a name is not one
 *     that haft would send).
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "model/conversation.h"
#include "model/providers/openai_chat/parse_request.h"
#include "tool/wire_name.h"

typedef struct outcome {
    haft__arena arena;
    haft__chat_parsed asked;
    bool taken;
} outcome;

static void read_it(outcome *o, haft_str body, uint64_t key)
{
    haft__arena_init(&o->arena, 0);
    haft_status status =
        haft__chat_read(&o->arena, body, (haft__hash_key){key, key}, &o->asked, NULL);
    REQUIREF(status == HAFT_OK, "reading fails: %d", status);
    o->taken = o->asked.problem.message.ptr == NULL;
    REQUIRE(o->taken || o->asked.problem.message.len > 0);
}

static void check_messages(const haft__messages *messages)
{
    size_t open = 0; /* calls that are not answered */
    const haft__message *last = NULL;
    for (size_t i = 0; i < messages->count; i++) {
        const haft__message *m = &messages->items[i];
        REQUIRE(haft__utf8_valid(m->text) && haft__utf8_valid(m->reasoning));
        if (m->role != HAFT__MESSAGE_TOOL) {
            REQUIREF(open == 0, "message %zu before all calls are answered", i);
            open = m->call_count;
            last = m;
            continue;
        }
        bool known = false;
        for (size_t n = 0; last != NULL && n < last->call_count; n++) {
            known = known || haft__str_equal(last->calls[n].id, m->call_id);
        }
        REQUIREF(known && open-- > 0, "message %zu answers nothing", i);
    }
    REQUIRE(open == 0 && messages->count > 0);
}

/* Whether haft would write every name this way. */
static bool is_ours(const haft__chat_parsed *asked)
{
    bool ours = true;
    for (size_t i = 0; i < asked->request.tool_count; i++) {
        haft__wire_name wire = haft__wire_name_encode(asked->request.tools[i]->name);
        ours = ours && haft__str_equal(haft__wire_name_str(&wire), asked->wire_names[i]);
    }
    for (size_t i = 0; i < asked->messages.count; i++) {
        const haft__message *m = &asked->messages.items[i];
        for (size_t n = 0; n < m->call_count; n++) {
            haft__wire_name wire = haft__wire_name_encode(m->calls[n].name);
            char name[HAFT__WIRE_NAME_BYTES];
            size_t length = 0;
            ours = ours && haft__wire_name_decode(haft__wire_name_str(&wire), name, &length);
        }
    }
    return ours;
}

static void check_request(const haft__chat_parsed *asked)
{
    const haft__request *request = &asked->request;
    size_t allowed = 0;
    REQUIRE(request->model.len > 0 && request->tool_count <= HAFT__LIMIT_CHAT_TOOLS);
    for (size_t i = 0; i < request->tool_count; i++) {
        REQUIRE(request->tools[i]->schema != NULL && asked->wire_names[i].len > 0);
        allowed += request->allowed[i];
    }
    switch (request->mode) {
    case HAFT__MODE_NONE: REQUIRE(allowed == 0); break;
    case HAFT__MODE_TOOL: REQUIRE(allowed == 1 && request->tool.len > 0); break;
    case HAFT__MODE_AUTO:
    case HAFT__MODE_ANY: REQUIRE(allowed > 0); break;
    }
    REQUIRE(asked->stream || !asked->include_usage);
    check_messages(request->messages);
}

static void write_it(const haft__chat_parsed *asked, haft__buf *text)
{
    haft__provider_conversation *chat = NULL;
    haft__buf_init(text, HAFT__LIMIT_JSON_BYTES);
    haft__provider_request_options options = {.options = haft__json_null()};
    REQUIRE(haft__conversation_create(haft__provider_compatible(), &chat, NULL) == HAFT_OK);
    REQUIRE(haft__conversation_write(chat, &asked->request, &options, text, NULL) == HAFT_OK);
    haft__conversation_destroy(chat);
    REQUIRE(text->status == HAFT_OK);
}

static void check_round(const haft__chat_parsed *asked)
{
    haft__buf first, second;
    outcome again;
    write_it(asked, &first);
    read_it(&again, haft__buf_str(&first), 3);
    REQUIREF(again.taken, "rejected the second time: %.*s: %.*s",
             HAFT__ARG(again.asked.problem.message), HAFT__ARG(haft__buf_str(&first)));
    write_it(&again.asked, &second);
    REQUIREF(haft__str_equal(haft__buf_str(&first), haft__buf_str(&second)), "%.*s\n%.*s",
             HAFT__ARG(haft__buf_str(&first)), HAFT__ARG(haft__buf_str(&second)));
    haft__buf_finish(&first);
    haft__buf_finish(&second);
    haft__arena_finish(&again.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str body = {(const char *)data, size};
    outcome one, other;
    read_it(&one, body, 1);
    read_it(&other, body, 2);
    REQUIRE(one.taken == other.taken);
    if (one.taken) {
        check_request(&one.asked);
        if (is_ours(&one.asked)) {
            check_round(&one.asked);
        }
    } else {
        REQUIRE(haft__str_equal(one.asked.problem.message, other.asked.problem.message));
    }
    haft__arena_finish(&one.arena);
    haft__arena_finish(&other.arena);
    return 0;
}
