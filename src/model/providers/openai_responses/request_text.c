/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_text.c - the input of a conversation: its messages, of which only the new ones are
 * written, and the messages that are for one request only.
 *
 * The system prompt is the first item of the input, not `instructions`: a text format teaches the
 * tools in it, and all that the model reads is then in one list.
 * Tests: tests/model/providers/openai_responses/request_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "model/providers/openai_responses/request_int.h"
#include "prompt/prompt.h"

/* ---- messages ---- */

static void write_message(const haft__responses_text *text, haft__buf *buf,
                          const haft__message *message)
{
    haft__responses_write_message(text->provider, haft__buf_str(&text->model), buf, message);
}

/* Appends a message of text, and takes over a failure to write that text. */
static void write_text(const haft__responses_text *text, haft__buf *buf, haft__message_role role,
                       const haft__buf *content)
{
    haft__message message = {.role = role, .text = haft__buf_str(content)};
    write_message(text, buf, &message);
    if (content->status != HAFT_OK) {
        haft__buf_fail(buf, content->status, content->why);
    }
}

static void write_system(const haft__responses_text *text, haft__buf *buf, haft_str instructions)
{
    haft__buf content;
    haft__buf_init(&content, buf->max);
    haft__tool_prompt_write_system(&text->tool_prompt, instructions, &content);
    write_text(text, buf, HAFT__MESSAGE_SYSTEM, &content);
    haft__buf_finish(&content);
}

/* ---- kept messages ---- */

/* Appends the next message, or the next few, if the calls are in the text. */
static haft_status add_as_text(haft__responses_text *text, const haft__messages *messages,
                               haft_error *err)
{
    const haft__message *message = &messages->items[text->done];
    if (text->done == 0 && message->role == HAFT__MESSAGE_SYSTEM) {
        write_system(text, &text->input, message->text);
        text->done++;
        return HAFT_OK;
    }
    haft__buf content;
    size_t count = 1;
    haft__buf_init(&content, text->input.max);
    haft_status status =
        haft__text_message_write(text->format, messages, text->done, &content, &count, err);
    write_text(text, &text->input, haft__text_message_role(message), &content);
    haft__buf_finish(&content);
    text->done += count;
    return status;
}

/* Without instructions the tools need a system message. */
static void begin_text(haft__responses_text *text, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (text->done == 0 && !has_system && messages->count > 0 && text->tool_prompt.text.len > 0) {
        write_system(text, &text->input, HAFT__LIT(""));
    }
}

static haft_status add_messages(haft__responses_text *text, const haft__messages *messages,
                                haft_error *err)
{
    haft_status status = HAFT_OK;
    if (text->format != NULL) {
        begin_text(text, messages);
    }
    while (status == HAFT_OK && text->done < messages->count) {
        haft__buf_add_str(&text->input, text->input.len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        if (text->format != NULL) {
            status = add_as_text(text, messages, err);
        } else {
            write_message(text, &text->input, &messages->items[text->done++]);
        }
    }
    return status == HAFT_OK ? haft__buf_check(&text->input, err) : status;
}

haft_status haft__responses_sync_input(haft__responses_text *text, const haft__request *request,
                                       haft_error *err)
{
    haft_status status = HAFT_OK;
    bool changed = false;
    if (text->format != NULL) {
        status = haft__tool_prompt_sync(&text->tool_prompt, text->format, request, &changed, err);
    }
    if (changed) { /* the tools come before the messages */
        haft__buf_clear(&text->input);
        text->done = 0;
    }
    return status == HAFT_OK && !request->transcript ? add_messages(text, request->messages, err)
                                                     : status;
}

/* ---- messages of one request ---- */

/* Appends the history of the planner shape: it is written anew for each request, because the task
 * comes last. */
static haft_status write_transcript(const haft__responses_text *text, haft__buf *buf,
                                    const haft__request *request, haft__arena *arena)
{
    haft__messages list;
    haft_status status =
        haft__prompt_transcript(request->messages, request->task, text->format, arena, &list, NULL);
    bool has_system = status == HAFT_OK && list.items[0].role == HAFT__MESSAGE_SYSTEM;
    bool teaches = text->format != NULL && (has_system || text->tool_prompt.text.len > 0);
    size_t first = 0;
    if (status == HAFT_OK && teaches) {
        write_system(text, buf, has_system ? list.items[0].text : HAFT__LIT(""));
        first = has_system ? 1 : 0;
    }
    for (size_t i = first; status == HAFT_OK && i < list.count; i++) {
        haft__buf_add_str(buf, i > first || teaches ? HAFT__LIT(",") : HAFT__LIT(""));
        write_message(text, buf, &list.items[i]);
    }
    return status;
}

/* Appends the correction or, if the calls are in the text, the choice of the turn. */
static void write_turn(const haft__responses_text *text, haft__buf *buf,
                       const haft__request *request, bool first)
{
    haft__buf content;
    if (text->format == NULL && request->correction.len == 0) {
        return;
    }
    haft__buf_init(&content, buf->max);
    if (text->format != NULL) {
        haft__text_turn_write(text->format, request, &content);
    } else {
        haft__buf_add_str(&content, request->correction);
    }
    if (content.len > 0 || content.status != HAFT_OK) {
        haft__buf_add_str(buf, first ? HAFT__LIT("") : HAFT__LIT(","));
        write_text(text, buf, HAFT__MESSAGE_USER, &content);
    }
    haft__buf_finish(&content);
}

void haft__responses_write_input(const haft__responses_text *text, haft__buf *buf,
                                 const haft__request *request)
{
    size_t start = buf->len;
    if (request->transcript) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_status status = write_transcript(text, buf, request, &arena);
        if (status != HAFT_OK) {
            haft__buf_fail(buf, status, haft_status_text(status));
        }
        haft__arena_finish(&arena);
    } else {
        haft__buf_add_str(buf, haft__buf_str(&text->input));
    }
    write_turn(text, buf, request, buf->len == start);
}
