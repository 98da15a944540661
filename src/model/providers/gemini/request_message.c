/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_message.c - messages as contents, in a form that the API accepts whatever model wrote
 * them.
 *
 * The output depends only on the messages and the model: a history always gives the same bytes.
 * Ids of calls are sent only if this model made them; without ids, results belong to calls by their
 * order. Tests: tests/model/providers/gemini/request_test.c.
 */
#include "base/str.h"
#include "model/call_arguments.h"
#include "model/call_results.h"
#include "model/model_rules.h"
#include "model/providers/gemini/request_int.h"
#include "json/object.h"
#include "json/read.h"

/* Stands for a text without any characters that can be seen, which the API rejects. */
#define EMPTY "(empty)"

/* The signature that Google documents for calls that another model made. */
#define NO_SIGNATURE "skip_thought_signature_validator"

static void begin_content(haft__json_writer *w, haft__buf *contents, bool first, const char *role)
{
    haft__buf_add_str(contents, first ? HAFT__LIT("") : HAFT__LIT(","));
    haft__json_writer_init(w, contents);
    haft__json_begin_object(w);
    haft__field_text(w, "role", haft__str(role));
    haft__json_key(w, "parts");
    haft__json_begin_array(w);
}

static void end_content(haft__json_writer *w)
{
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void add_text_part(haft__json_writer *w, haft_str text)
{
    haft__json_begin_object(w);
    haft__field_text(w, "text", haft__str_trim(text).len > 0 ? text : HAFT__LIT(EMPTY));
    haft__json_end_object(w);
}

void haft__gemini_write_text(haft__buf *buf, bool first, haft__message_role role, haft_str text)
{
    haft__json_writer w;
    begin_content(&w, buf, first, role == HAFT__MESSAGE_ASSISTANT ? "model" : "user");
    add_text_part(&w, text);
    end_content(&w);
}

void haft__gemini_add_text(haft__provider_conversation *chat, haft__message_role role,
                           haft_str text)
{
    haft__gemini_write_text(&chat->messages, chat->messages.len == 0, role, text);
}

/* ---- parts that this model wrote ---- */

static size_t count_calls(haft__json parts)
{
    size_t calls = 0;
    for (uint32_t i = 0; i < parts.count; i++) {
        calls += haft__object_find_kind(parts.items[i], "functionCall", HAFT__JSON_OBJECT) != NULL;
    }
    return calls;
}

/* The parts of a reply of this model, in `arena`; null if they cannot be sent. */
static haft__json read_parts(haft__provider_conversation *chat, const haft__message *message,
                             haft__arena *arena)
{
    haft__json parts = haft__json_null();
    if (!haft__conversation_owns_items(chat, message)) {
        return parts;
    }
    haft_status status = haft__json_read(arena, message->items, NULL, &parts, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        haft__buf_fail(&chat->messages, HAFT_NO_MEMORY, "out of memory");
    }
    bool fit = status == HAFT_OK && parts.kind == HAFT__JSON_ARRAY && parts.count > 0
               && count_calls(parts) == message->call_count;
    return fit ? parts : haft__json_null();
}

static void add_own_parts(haft__json_writer *w, const haft__message *message)
{
    haft_str items = haft__str_trim(message->items);
    haft__buf_add_str(w->buf, haft__str_trim((haft_str){items.ptr + 1, items.len - 2}));
}

/* ---- the neutral form ---- */

static void add_call(haft__json_writer *w, const haft__message_call *call, bool sign)
{
    haft__json_begin_object(w);
    haft__json_key(w, "functionCall");
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__conversation_add_name(w, call->name);
    haft__json_key(w, "args");
    haft__call_arguments_write(w->buf, call->arguments);
    w->after_key = false;
    haft__json_end_object(w);
    if (sign) {
        haft__field_text(w, "thoughtSignature", HAFT__LIT(NO_SIGNATURE));
    }
    haft__json_end_object(w);
}

/* The first of several calls has the signature. */
static void add_neutral_parts(haft__json_writer *w, const haft__message *message, haft_str model)
{
    if (message->call_count == 0 || haft__str_trim(message->text).len > 0) {
        add_text_part(w, message->text);
    }
    for (size_t i = 0; i < message->call_count; i++) {
        add_call(w, &message->calls[i], i == 0 && haft__model_rules_find(model)->needs_signatures);
    }
}

/* An assistant's message: the parts that this model wrote, or its neutral form. */
static void add_turn(haft__provider_conversation *chat, const haft__message *message)
{
    haft__json_writer w;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    begin_content(&w, &chat->messages, chat->messages.len == 0, "model");
    if (read_parts(chat, message, &arena).kind == HAFT__JSON_ARRAY) {
        add_own_parts(&w, message);
    } else {
        add_neutral_parts(&w, message, haft__buf_str(&chat->model));
    }
    end_content(&w);
    haft__arena_finish(&arena);
}

/* ---- results ---- */

/* The next call among the parts, from *io_part on. */
static haft__json next_call(haft__json parts, uint32_t *io_part)
{
    while (parts.kind == HAFT__JSON_ARRAY && *io_part < parts.count) {
        haft__json call = haft__object_get(parts.items[(*io_part)++], "functionCall");
        if (call.kind == HAFT__JSON_OBJECT) {
            return call;
        }
    }
    return haft__json_null();
}

/* `call`: as the model wrote it; null if it is not known. */
static void add_result(haft__json_writer *w, haft__json call, haft_str name, haft_str text,
                       bool is_error)
{
    haft_str id = haft__object_string(call, "id");
    haft__json_begin_object(w);
    haft__json_key(w, "functionResponse");
    haft__json_begin_object(w);
    if (id.len > 0) {
        haft__field_text(w, "id", id);
    }
    haft__json_key(w, "name");
    if (call.kind == HAFT__JSON_OBJECT) {
        haft__json_add_str(w, haft__object_string(call, "name"));
    } else {
        haft__conversation_add_name(w, name);
    }
    haft__json_key(w, "response");
    haft__json_begin_object(w);
    haft__field_text(w, is_error ? "error" : "output", text);
    haft__json_end_object(w);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void add_answers(haft__provider_conversation *chat, const haft__message *turn,
                        const haft__message *results, size_t count)
{
    haft__json_writer w;
    haft__arena arena;
    uint32_t part = 0;
    haft__arena_init(&arena, 0);
    haft__json parts = read_parts(chat, turn, &arena);
    begin_content(&w, &chat->messages, chat->messages.len == 0, "user");
    for (size_t i = 0; i < turn->call_count; i++) {
        const haft__message_call *call = &turn->calls[i];
        const haft__message *result = haft__call_results_find(results, count, call->id);
        bool found = result != NULL;
        add_result(&w, next_call(parts, &part), call->name,
                   found ? result->text : HAFT__LIT(HAFT__CALL_WITHOUT_RESULT),
                   !found || result->is_error);
    }
    end_content(&w);
    haft__arena_finish(&arena);
}

/* A result without its call is text: the API would reject it. */
static void add_results(haft__provider_conversation *chat, const haft__call_batch *batch)
{
    if (batch->turn != NULL) {
        add_answers(chat, batch->turn, batch->results, batch->count);
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (!haft__call_results_has_call(batch->turn, &batch->results[i])) {
            haft__gemini_add_text(chat, HAFT__MESSAGE_USER, batch->results[i].text);
        }
    }
}

haft_status haft__gemini_add_message(haft__provider_conversation *chat,
                                     const haft__request *request, haft_error *err)
{
    (void)err;
    haft__call_batch batch = haft__call_results_at(request->messages, chat->done);
    if (batch.turn != NULL || batch.count > 0) {
        add_results(chat, &batch);
    }
    if (batch.message != NULL && batch.message->role == HAFT__MESSAGE_ASSISTANT) {
        add_turn(chat, batch.message);
    } else if (batch.message != NULL) {
        haft__gemini_add_text(chat, batch.message->role, batch.message->text);
    }
    chat->done += batch.count > 0 ? batch.count : 1;
    return HAFT_OK;
}
