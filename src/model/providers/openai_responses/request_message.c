/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_message.c - one message as input items.
 *
 * A reply of this model is sent back as the items that it consisted of; any other message is
 * written from its neutral form. The output depends only on the message, the provider and the
 * model: a history always gives the same bytes.
 * Tests: tests/model/providers/openai_responses/request_test.c.
 */
#include "base/id.h"
#include "base/str.h"
#include "model/providers/openai_responses/request.h"
#include "json/object.h"
#include "json/read.h"

#define MAX_ID_BYTES 64 /* of a call_id */

/* A model of another provider may have written a longer id. */
static void add_id(haft__json_writer *w, haft_str id)
{
    char short_id[HAFT__ID_SHORT_LENGTH];
    if (id.len > MAX_ID_BYTES) {
        haft__id_short(id, short_id);
        id = (haft_str){short_id, sizeof(short_id)};
    }
    haft__json_key(w, "call_id");
    haft__json_add_str(w, id);
}

/* ---- the items of the reply ---- */

/* Whether the calls of the items are those of the message, with the same ids: a result must find
 * its call. haft gives a call another id if the conversation has its id already. */
static bool has_calls(haft__json items, const haft__message *message)
{
    size_t found = 0;
    for (uint32_t i = 0; i < items.count; i++) {
        haft_str type = haft__object_string(items.items[i], "type");
        if (!haft__str_equal(type, HAFT__LIT("function_call"))) {
            continue;
        }
        haft_str id = haft__object_string(items.items[i], "call_id");
        if (found == message->call_count || id.len > MAX_ID_BYTES
            || !haft__str_equal(id, message->calls[found].id)) {
            return false;
        }
        found++;
    }
    return found == message->call_count && items.count > 0;
}

/* Writes the items that the model wrote, and returns true; or false if they cannot be sent. */
static bool add_own_items(haft__buf *buf, const haft__message *message)
{
    haft__arena arena;
    haft__json items = haft__json_null();
    haft__arena_init(&arena, 0);
    haft_str text = haft__str_trim(message->items);
    haft_status status = haft__json_read(&arena, text, NULL, &items, NULL, NULL);
    bool fit = status == HAFT_OK && items.kind == HAFT__JSON_ARRAY && has_calls(items, message);
    if (fit) {
        haft__buf_add_str(buf, haft__str_trim((haft_str){text.ptr + 1, text.len - 2}));
    } else if (status == HAFT_NO_MEMORY) {
        haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__arena_finish(&arena);
    return fit;
}

/* ---- the neutral form ---- */

static void add_text(haft__buf *buf, const haft__message *message)
{
    static const char *const roles[] = {"system", "user", "assistant", "user"};
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "role", haft__str(roles[message->role]));
    haft__field_text(&w, "content", message->text);
    haft__json_end_object(&w);
}

static void add_call(haft__buf *buf, const haft__message_call *call)
{
    bool empty = haft__str_trim(call->arguments).len == 0;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "type", HAFT__LIT("function_call"));
    add_id(&w, call->id);
    haft__json_key(&w, "name");
    haft__conversation_add_name(&w, call->name);
    haft__field_text(&w, "arguments", empty ? HAFT__LIT("{}") : call->arguments);
    haft__json_end_object(&w);
}

/* The API has no mark for a result that is an error; its text says so. */
static void add_result(haft__buf *buf, const haft__message *message)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "type", HAFT__LIT("function_call_output"));
    add_id(&w, message->call_id);
    haft__field_text(&w, "output", message->text);
    haft__json_end_object(&w);
}

void haft__responses_write_message(const haft__provider_conversation *text, haft__buf *buf,
                                   const haft__message *message)
{
    if (message->role == HAFT__MESSAGE_TOOL) {
        add_result(buf, message);
        return;
    }
    if (haft__conversation_owns_items(text, message) && add_own_items(buf, message)) {
        return;
    }
    bool has_text = message->text.len > 0 || message->call_count == 0;
    if (has_text) {
        add_text(buf, message);
    }
    for (size_t i = 0; i < message->call_count; i++) {
        haft__buf_add_str(buf, has_text || i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        add_call(buf, &message->calls[i]);
    }
}

/* ---- tools that the history declares ---- */

/* The tool in the request: the spec may have another definition than at the search. NULL if the
 * list of tools has it, or if it cannot be called any more. */
static const haft__tool *find_appended(const haft__request *request, haft_str name)
{
    const haft__tool *const *tools = request->tools + request->tool_count;
    for (size_t i = 0; i < request->appended_count; i++) {
        if (haft__str_equal(tools[i]->name, name)) {
            return tools[i];
        }
    }
    return NULL;
}

static void add_revealed(haft__provider_conversation *text, const haft__request *request,
                         const haft__message *result, size_t *count)
{
    for (size_t i = 0; i < result->revealed_count; i++) {
        const haft__tool *tool = find_appended(request, result->revealed[i]->name);
        if (tool != NULL) {
            haft__buf_add_str(&text->messages,
                              *count > 0 ? HAFT__LIT(",")
                                         : HAFT__LIT(",{\"type\":\"additional_tools\",\"role\":"
                                                     "\"developer\",\"tools\":["));
            text->tools->write(&text->messages, tool);
            ++*count;
        }
    }
}

void haft__responses_add_revealed_tools(haft__provider_conversation *text,
                                        const haft__request *request)
{
    const haft__messages *messages = request->messages;
    size_t end = text->done, start = end, count = 0;
    bool last = end == messages->count || messages->items[end].role != HAFT__MESSAGE_TOOL;
    while (last && start > 0 && messages->items[start - 1].role == HAFT__MESSAGE_TOOL) {
        start--;
    }
    for (; start < end; start++) {
        add_revealed(text, request, &messages->items[start], &count);
    }
    haft__buf_add_str(&text->messages, count > 0 ? HAFT__LIT("]}") : HAFT__LIT(""));
}
