/* SPDX-License-Identifier: Apache-2.0 */
/* write_reply.c - responses to Chat Completions requests. Tests:
 * tests/model/providers/openai_chat/write_reply_test.c. */
#include "model/providers/openai_chat/write_reply.h"

#include "base/limits.h"
#include "base/str.h"
#include "tool/wire_name.h"
#include "json/object.h"
#include "json/write.h"

#define PIECE_BYTES 16 /* of a streamed text, unless there would be too many pieces */

/* ---- names and ids ---- */

/* The name as in the request; if it is not declared, its wire name. */
static haft_str wire_name(haft__arena *arena, const haft__chat_parsed *asked, haft_str name)
{
    for (size_t i = 0; i < asked->request.tool_count; i++) {
        if (haft__str_equal(asked->request.tools[i]->name, name)) {
            return asked->wire_names[i];
        }
    }
    if (name.len == 0) {
        return HAFT__LIT("");
    }
    haft__wire_name wire = haft__wire_name_encode(name);
    return haft__arena_copy(arena, haft__wire_name_str(&wire));
}

static bool has_own_id(const haft__message_call *calls, size_t index)
{
    bool own = calls[index].id.len > 0;
    for (size_t i = 0; i < index && own; i++) {
        own = !haft__str_equal(calls[i].id, calls[index].id);
    }
    return own;
}

haft_status haft__chat_prepare_reply(haft__arena *arena, const haft__chat_parsed *asked,
                                     uint64_t *counter, haft__reply *reply, haft_error *err)
{
    haft__message_call *calls = haft__arena_array(arena, reply->call_count, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < reply->call_count; i++) {
        calls[i] = reply->calls[i];
        calls[i].name = wire_name(arena, asked, reply->calls[i].name);
        calls[i].id = calls[i].id.len > 0 ? calls[i].id : HAFT__LIT("");
        while (!has_own_id(calls, i) && calls[i].id.ptr != NULL) {
            calls[i].id = haft__arena_format(arena, "call_%llu", (unsigned long long)++*counter);
        }
        if (calls[i].name.ptr == NULL || calls[i].id.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    reply->calls = calls;
    return HAFT_OK;
}

/* ---- shared by whole responses and chunks ---- */

static void add_head(haft__json_writer *w, const haft__chat_reply_header *head, const char *object)
{
    haft__field_text(w, "id", head->id);
    haft__field_text(w, "object", haft__str(object));
    haft__field_number(w, "created", head->created);
    haft__field_text(w, "model", head->model);
}

static void add_tail(haft__json_writer *w)
{
    haft__field_text(w, "service_tier", HAFT__LIT("default"));
    haft__field_null(w, "system_fingerprint");
}

static void add_usage(haft__json_writer *w, const haft__token_usage *usage)
{
    haft__json_key(w, "usage");
    haft__json_begin_object(w);
    haft__field_number(w, "prompt_tokens", usage->input);
    haft__field_number(w, "completion_tokens", usage->output);
    haft__field_number(w, "total_tokens", usage->input + usage->output);
    haft__json_key(w, "prompt_tokens_details");
    haft__json_begin_object(w);
    haft__field_number(w, "cached_tokens", usage->cached);
    haft__field_number(w, "audio_tokens", 0);
    haft__json_end_object(w);
    haft__json_key(w, "completion_tokens_details");
    haft__json_begin_object(w);
    haft__field_number(w, "reasoning_tokens", 0);
    haft__field_number(w, "audio_tokens", 0);
    haft__field_number(w, "accepted_prediction_tokens", 0);
    haft__field_number(w, "rejected_prediction_tokens", 0);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* A refusal with a text is an ordinary reply; one without is the provider's filter. */
static const char *finish_reason(haft__stop_reason stop, bool silent)
{
    switch (stop) {
    case HAFT__STOP_PAUSE: /* of no script */
    case HAFT__STOP_END: return "stop";
    case HAFT__STOP_CALLS: return "tool_calls";
    case HAFT__STOP_LENGTH: return "length";
    case HAFT__STOP_REFUSAL: return silent ? "content_filter" : "stop";
    }
    HAFT__UNREACHABLE();
}

/* ---- whole responses ---- */

static void add_calls(haft__json_writer *w, const haft__reply *reply)
{
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < reply->call_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "id", reply->calls[i].id);
        haft__field_text(w, "type", HAFT__LIT("function"));
        haft__json_key(w, "function");
        haft__json_begin_object(w);
        haft__field_text(w, "name", reply->calls[i].name);
        haft__field_text(w, "arguments", reply->calls[i].arguments);
        haft__json_end_object(w);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void add_text_or_null(haft__json_writer *w, const char *key, haft_str text, bool null)
{
    if (null) {
        haft__field_null(w, key);
    } else {
        haft__field_text(w, key, text);
    }
}

static void add_message(haft__json_writer *w, const haft__reply *reply)
{
    bool refusal = reply->stop == HAFT__STOP_REFUSAL && reply->content.len > 0;
    bool silent = reply->call_count > 0 && reply->content.len == 0;
    haft__json_key(w, "message");
    haft__json_begin_object(w);
    haft__field_text(w, "role", HAFT__LIT("assistant"));
    add_text_or_null(w, "content", reply->content, refusal || silent);
    add_text_or_null(w, "refusal", reply->content, !refusal);
    haft__json_key(w, "annotations");
    haft__json_begin_array(w);
    haft__json_end_array(w);
    if (reply->reasoning.len > 0) {
        haft__field_text(w, "reasoning_content", reply->reasoning);
    }
    if (reply->call_count > 0) {
        add_calls(w, reply);
    }
    haft__json_end_object(w);
}

void haft__chat_write_reply(haft__buf *buf, const haft__chat_reply_header *head,
                            const haft__reply *reply)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    add_head(&w, head, "chat.completion");
    haft__json_key(&w, "choices");
    haft__json_begin_array(&w);
    haft__json_begin_object(&w);
    haft__field_number(&w, "index", 0);
    add_message(&w, reply);
    haft__field_null(&w, "logprobs");
    haft__field_text(&w, "finish_reason",
                     haft__str(finish_reason(reply->stop, reply->content.len == 0)));
    haft__json_end_object(&w);
    haft__json_end_array(&w);
    add_usage(&w, &reply->usage);
    add_tail(&w);
    haft__json_end_object(&w);
}

/* ---- streams ---- */

/* From "data: {" to the opening brace of the delta, or to the end of an empty list of choices. */
static void open_chunk(haft__json_writer *w, haft__buf *buf, const haft__chat_reply_header *head,
                       bool choice)
{
    haft__buf_add_str(buf, HAFT__LIT("data: "));
    haft__json_writer_init(w, buf);
    haft__json_begin_object(w);
    add_head(w, head, "chat.completion.chunk");
    add_tail(w);
    haft__json_key(w, "choices");
    haft__json_begin_array(w);
    if (!choice) {
        haft__json_end_array(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_number(w, "index", 0);
    haft__json_key(w, "delta");
    haft__json_begin_object(w);
}

static void close_event(haft__json_writer *w, haft__buf *buf)
{
    haft__json_end_object(w);
    haft__buf_add_str(buf, HAFT__LIT("\n\n"));
}

static void close_chunk(haft__json_writer *w, haft__buf *buf, const haft__chat_reply_header *head,
                        const char *finish)
{
    haft__json_end_object(w);
    haft__field_null(w, "logprobs");
    add_text_or_null(w, "finish_reason", haft__str(finish != NULL ? finish : ""), finish == NULL);
    haft__json_end_object(w);
    haft__json_end_array(w);
    if (head->include_usage) {
        haft__field_null(w, "usage");
    }
    close_event(w, buf);
}

void haft__chat_write_first_chunk(haft__buf *buf, const haft__chat_reply_header *head,
                                  bool only_calls)
{
    haft__json_writer w;
    open_chunk(&w, buf, head, true);
    haft__field_text(&w, "role", HAFT__LIT("assistant"));
    add_text_or_null(&w, "content", HAFT__LIT(""), only_calls);
    haft__field_null(&w, "refusal");
    close_chunk(&w, buf, head, NULL);
}

static void add_call_delta(haft__json_writer *w, const haft__delta *delta)
{
    bool first = delta->kind == HAFT__DELTA_CALL;
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    haft__json_begin_object(w);
    haft__field_number(w, "index", delta->index);
    if (first) {
        haft__field_text(w, "id", delta->id);
        haft__field_text(w, "type", HAFT__LIT("function"));
    }
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    if (first) {
        haft__field_text(w, "name", delta->text);
    }
    haft__field_text(w, "arguments", first ? HAFT__LIT("") : delta->text);
    haft__json_end_object(w);
    haft__json_end_object(w);
    haft__json_end_array(w);
}

static void usage_chunk(haft__buf *buf, const haft__chat_reply_header *head,
                        const haft__token_usage *usage)
{
    haft__json_writer w;
    open_chunk(&w, buf, head, false);
    add_usage(&w, usage);
    close_event(&w, buf);
}

void haft__chat_write_chunk(haft__buf *buf, const haft__chat_reply_header *head,
                            const haft__delta *delta)
{
    const char *finish = NULL;
    haft__json_writer w;
    if (delta->kind == HAFT__DELTA_CALL_END || delta->kind == HAFT__DELTA_CALL_MALFORMED) {
        return;
    }
    if (delta->kind == HAFT__DELTA_USAGE) {
        if (head->include_usage) {
            usage_chunk(buf, head, &delta->usage);
        }
        return;
    }
    open_chunk(&w, buf, head, true);
    switch (delta->kind) {
    case HAFT__DELTA_TEXT:
        haft__field_text(&w, delta->stop == HAFT__STOP_REFUSAL ? "refusal" : "content",
                         delta->text);
        break;
    case HAFT__DELTA_REASONING: haft__field_text(&w, "reasoning_content", delta->text); break;
    case HAFT__DELTA_CALL:
    case HAFT__DELTA_ARGUMENTS: add_call_delta(&w, delta); break;
    case HAFT__DELTA_STOP: finish = finish_reason(delta->stop, delta->text.len == 0); break;
    case HAFT__DELTA_CALL_END:
    case HAFT__DELTA_CALL_MALFORMED:
    case HAFT__DELTA_ITEM:
    case HAFT__DELTA_USAGE: break; /* handled above */
    }
    close_chunk(&w, buf, head, finish);
}

void haft__chat_write_done(haft__buf *buf)
{
    haft__buf_add_str(buf, HAFT__LIT("data: [DONE]\n\n"));
}

/* Up to the first character that begins at `size` or later. */
static size_t piece_length(haft_str text, size_t size)
{
    while (size < text.len && ((unsigned char)text.ptr[size] & 0xC0U) == 0x80U) {
        size++;
    }
    return size < text.len ? size : text.len;
}

/* Adds a text in pieces of whole characters. */
static void add_pieces(haft__buf *buf, const haft__chat_reply_header *head, haft__delta delta)
{
    haft_str rest = delta.text;
    size_t size = (rest.len + HAFT__LIMIT_CHAT_PIECES - 1) / HAFT__LIMIT_CHAT_PIECES;
    size = size > PIECE_BYTES ? size : PIECE_BYTES;
    while (rest.len > 0) {
        delta.text = (haft_str){rest.ptr, piece_length(rest, size)};
        haft__chat_write_chunk(buf, head, &delta);
        rest = haft__str_skip(rest, delta.text.len);
    }
}

void haft__chat_write_stream(haft__buf *buf, const haft__chat_reply_header *head,
                             const haft__reply *reply)
{
    haft__chat_write_first_chunk(buf, head, reply->call_count > 0 && reply->content.len == 0);
    add_pieces(buf, head, (haft__delta){.kind = HAFT__DELTA_REASONING, .text = reply->reasoning});
    add_pieces(
        buf, head,
        (haft__delta){.kind = HAFT__DELTA_TEXT, .text = reply->content, .stop = reply->stop});
    for (size_t i = 0; i < reply->call_count; i++) {
        const haft__message_call *call = &reply->calls[i];
        haft__delta delta = {
            .kind = HAFT__DELTA_CALL, .index = (uint32_t)i, .id = call->id, .text = call->name};
        haft__chat_write_chunk(buf, head, &delta);
        delta.kind = HAFT__DELTA_ARGUMENTS;
        delta.text = call->arguments;
        add_pieces(buf, head, delta);
    }
    haft__delta end = {.kind = HAFT__DELTA_STOP, .stop = reply->stop, .text = reply->content};
    haft__chat_write_chunk(buf, head, &end);
    haft__delta usage = {.kind = HAFT__DELTA_USAGE, .usage = reply->usage};
    haft__chat_write_chunk(buf, head, &usage);
    haft__chat_write_done(buf);
}

/* ---- errors ---- */

void haft__chat_write_error(haft__buf *buf, haft_str message, const char *type, haft_str param,
                            const char *code)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "error");
    haft__json_begin_object(&w);
    haft__field_text(&w, "message", message);
    haft__field_text(&w, "type", haft__str(type));
    add_text_or_null(&w, "param", param, param.len == 0);
    add_text_or_null(&w, "code", haft__str(code != NULL ? code : ""), code == NULL);
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}
