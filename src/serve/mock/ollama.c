/* SPDX-License-Identifier: Apache-2.0 */
/* ollama.c - see ollama.h. Tests: tests/cli/mock_model_test.py. */
#include "serve/mock/ollama.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "model/call_arguments.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

#define ID_SIZE 48

/* ---- requests ---- */

/* The id of a call; without one, its place. */
static haft_str id_of(haft__json call, uint32_t message, uint32_t index, char text[ID_SIZE])
{
    haft_str id = haft__object_string(call, "id");
    (void)snprintf(text, ID_SIZE, "call_%u_%u", message, index);
    return id.len > 0 ? id : haft__str(text);
}

static void write_call(haft__json_writer *w, haft__json call, haft_str id)
{
    haft__json function = haft__object_object(call, "function");
    haft__json arguments = haft__object_get(function, "arguments");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, arguments);
    haft__json_begin_object(w);
    haft__field_text(w, "id", id);
    haft__field_string(w, "type", "function");
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    haft__field_text(w, "name", haft__object_string(function, "name"));
    haft__field_text(w, "arguments", haft__buf_str(&text));
    haft__json_end_object(w);
    haft__json_end_object(w);
    if (text.status != HAFT_OK) {
        haft__buf_fail(w->buf, text.status, text.why);
    }
    haft__buf_finish(&text);
}

static void write_calls(haft__json_writer *w, haft__json calls, uint32_t message)
{
    if (calls.count == 0) {
        return;
    }
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    for (uint32_t i = 0; i < calls.count; i++) {
        char id[ID_SIZE];
        write_call(w, calls.items[i], id_of(calls.items[i], message, i, id));
    }
    haft__json_end_array(w);
}

/* Members that both APIs have. */
static void copy_member(haft__json_writer *w, haft__json from, const char *key)
{
    const haft__json *value = haft__json_get(from, haft__str(key));
    if (value != NULL) {
        haft__json_key(w, key);
        haft__json_add(w, *value);
    }
}

static void write_messages(haft__json_writer *w, haft__json messages)
{
    uint32_t asked = 0, results = 0; /* the last message with calls, and the results after it */
    haft__json_key(w, "messages");
    haft__json_begin_array(w);
    for (uint32_t i = 0; i < messages.count; i++) {
        haft__json message = messages.items[i], calls = haft__object_array(message, "tool_calls");
        bool is_result = haft__str_equal(haft__object_string(message, "role"), HAFT__LIT("tool"));
        haft__json_begin_object(w);
        copy_member(w, message, "role");
        copy_member(w, message, "content");
        write_calls(w, calls, i);
        if (calls.count > 0) {
            asked = i;
            results = 0;
        }
        if (is_result) {
            haft__json before = haft__object_array(messages.items[asked], "tool_calls");
            haft_str id = haft__object_string(message, "tool_call_id");
            char made[ID_SIZE];
            haft__json call = results < before.count ? before.items[results] : haft__json_null();
            haft__field_text(w, "tool_call_id",
                             id.len > 0 ? id : id_of(call, asked, results, made));
            results++;
        }
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* `format` is "json" or a schema. */
static void write_format(haft__json_writer *w, haft__json format)
{
    bool schema = format.kind == HAFT__JSON_OBJECT;
    if (!schema && format.kind != HAFT__JSON_STRING) {
        return;
    }
    haft__json_key(w, "response_format");
    haft__json_begin_object(w);
    haft__field_string(w, "type", schema ? "json_schema" : "json_object");
    if (schema) {
        haft__json_key(w, "json_schema");
        haft__json_begin_object(w);
        haft__field_string(w, "name", "reply");
        haft__json_key(w, "schema");
        haft__json_add(w, format);
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

haft_status haft__mock_ollama_translate(haft_str body, haft__hash_key hash_key, haft__buf *buf,
                                        haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value = haft__json_null();
    haft__arena arena;
    haft__json_writer w;
    options.hash_key = hash_key;
    haft__arena_init(&arena, 0);
    haft_status status = haft__json_read(&arena, body, &options, &value, NULL, err);
    if (status == HAFT_OK && value.kind != HAFT__JSON_OBJECT) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected a JSON object");
    }
    if (status == HAFT_OK) {
        haft__json_writer_init(&w, buf);
        haft__json_begin_object(&w);
        copy_member(&w, value, "model");
        write_messages(&w, haft__object_array(value, "messages"));
        if (haft__object_array(value, "tools").count > 0) { /* clients may send an empty list */
            copy_member(&w, value, "tools");
        }
        write_format(&w, haft__object_get(value, "format"));
        haft__field_flag(&w, "stream", haft__object_flag(value, "stream", true));
        haft__json_end_object(&w);
        status = haft__buf_check(buf, err);
    }
    haft__arena_finish(&arena);
    return status;
}

/* ---- replies ---- */

/* The members of every line up to the message, which stays open. */
static void begin_line(haft__json_writer *w, haft_str model, uint64_t now_ms, haft_str text)
{
    char now[HAFT__TIME_SIZE];
    haft__time_format(now_ms, now);
    haft__json_begin_object(w);
    haft__field_text(w, "model", model);
    haft__field_string(w, "created_at", now);
    haft__json_key(w, "message");
    haft__json_begin_object(w);
    haft__field_string(w, "role", "assistant");
    haft__field_text(w, "content", text);
}

static void write_reply_calls(haft__json_writer *w, const haft__reply *reply)
{
    if (reply->call_count == 0) {
        return;
    }
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < reply->call_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "id", reply->calls[i].id);
        haft__json_key(w, "function");
        haft__json_begin_object(w);
        haft__field_number(w, "index", i);
        haft__field_text(w, "name", reply->calls[i].name);
        haft__json_key(w, "arguments");
        haft__call_arguments_write(w->buf, reply->calls[i].arguments);
        w->after_key = false;
        haft__json_end_object(w);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void end_line(haft__json_writer *w, const haft__reply *reply, bool last)
{
    haft__json_end_object(w);
    haft__field_flag(w, "done", last);
    if (last) {
        bool cut = reply->stop == HAFT__STOP_LENGTH;
        haft__field_string(w, "done_reason", cut ? "length" : "stop");
        haft__field_number(w, "total_duration", 0);
        haft__field_number(w, "prompt_eval_count", reply->usage.input);
        haft__field_number(w, "eval_count", reply->usage.output);
    }
    haft__json_end_object(w);
    haft__buf_add_char(w->buf, '\n');
}

static void write_content(haft__json_writer *w, const haft__reply *reply)
{
    if (reply->reasoning.len > 0) {
        haft__field_text(w, "thinking", reply->reasoning);
    }
    write_reply_calls(w, reply);
}

void haft__mock_ollama_write(haft__buf *buf, haft_str model, uint64_t now_ms,
                             const haft__reply *reply, bool stream)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    begin_line(&w, model, now_ms, reply->content);
    write_content(&w, reply);
    end_line(&w, reply, !stream);
    if (stream) {
        haft__json_writer_init(&w, buf);
        begin_line(&w, model, now_ms, HAFT__LIT(""));
        end_line(&w, reply, true);
    }
}

void haft__mock_ollama_write_error(haft__buf *buf, haft_str message)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "error", message);
    haft__json_end_object(&w);
}
