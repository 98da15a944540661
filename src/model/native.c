/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.c - splits a body into values, and assembles a reply from them.
 *
 * A whole reply is a stream of one value, so that one function reads both.
 * Tests: tests/model/native_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/native_reply.h"
#include "model/sse.h"
#include "json/object.h"
#include "json/read.h"
#include "json/stream.h"
#include "json/write.h"

/* ---- parts of a reply ---- */

haft_status haft__native_add_text(haft__native_reply *n, haft__delta_kind kind, haft_str text,
                                  haft_error *err)
{
    n->has_message = true;
    haft__delta delta = {.kind = kind, .text = text};
    return text.len > 0 ? haft__assembly_add(&n->assembly, &delta, err) : HAFT_OK;
}

haft_status haft__native_begin_call(haft__native_reply *n, haft_str id, haft_str name,
                                    haft_error *err)
{
    n->has_message = true;
    haft__delta delta = {.kind = HAFT__DELTA_CALL, .index = n->calls, .id = id, .text = name};
    haft_status status = haft__assembly_add(&n->assembly, &delta, err);
    n->calls += status == HAFT_OK ? 1 : 0;
    return status;
}

static haft_status give(haft__native_reply *n, haft__delta_kind kind, haft_str text,
                        haft_error *err)
{
    if (n->calls == 0) {
        return haft__fail(err, HAFT_BAD_STATE, "", "expected a call before its arguments");
    }
    haft__delta delta = {.kind = kind, .index = n->calls - 1, .text = text};
    return haft__assembly_add(&n->assembly, &delta, err);
}

haft_status haft__native_add_arguments(haft__native_reply *n, haft_str text, haft_error *err)
{
    return text.len > 0 ? give(n, HAFT__DELTA_ARGUMENTS, text, err) : HAFT_OK;
}

haft_status haft__native_add_arguments_value(haft__native_reply *n, haft__json value,
                                             haft_error *err)
{
    haft__buf_clear(&n->text);
    haft__json_write(&n->text, value);
    haft_status status = haft__buf_check(&n->text, err);
    return status == HAFT_OK ? haft__native_add_arguments(n, haft__buf_str(&n->text), err) : status;
}

haft_status haft__native_end_call(haft__native_reply *n, haft_error *err)
{
    return give(n, HAFT__DELTA_CALL_END, (haft_str){NULL, 0}, err);
}

void haft__native_set_stop(haft__native_reply *n, const haft__native_reason *reasons, haft_str word)
{
    if (word.len == 0) {
        return;
    }
    n->has_message = n->stopped = true;
    n->stop = HAFT__STOP_END;
    for (; reasons->word != NULL; reasons++) {
        if (haft__str_equal(word, haft__str(reasons->word))) {
            n->stop = reasons->stop;
            n->wrong = reasons->wrong;
        }
    }
}

/* ---- values ---- */

typedef struct reader {
    haft__native_reply native;
    haft__native_read_value *take;
    haft__json_options options;
    haft__arena *scratch;
} reader;

/* Also handles {"error":{"message":..}}, which both providers send, alone or as an event. */
static haft_status take(reader *r, haft__json value, haft_error *err)
{
    const haft__json *error = haft__object_find_kind(value, "error", HAFT__JSON_OBJECT);
    if (error != NULL) {
        haft_str said = haft__object_string(*error, "message");
        return haft__fail(err, HAFT_UNSUPPORTED, "", "the model server reported an error: %.*s",
                          HAFT__ARG(said));
    }
    return r->take(&r->native, value, err);
}

static haft_status take_text(reader *r, haft_str text, haft_error *err)
{
    haft__json value;
    haft_status status = haft__json_read(r->scratch, text, &r->options, &value, NULL, err);
    if (status != HAFT_OK || value.kind != HAFT__JSON_ARRAY) {
        return status == HAFT_OK ? take(r, value, err) : status;
    }
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        status = take(r, value.items[i], err);
    }
    return status;
}

/* A pretty-printed object has more on its second line. */
bool haft__native_is_event_lines(haft_str body)
{
    haft_str rest = haft__str_trim(body);
    haft_str first = haft__str_trim(haft__str_split(&rest, '\n'));
    rest = haft__str_trim(rest);
    return haft__str_starts_with(first, HAFT__LIT("{"))
           && haft__str_ends_with(first, HAFT__LIT("}"))
           && haft__str_starts_with(rest, HAFT__LIT("{"));
}

/* Only the last line can be cut. */
static haft_str last_line(haft_str body)
{
    haft_str line = body;
    while (body.len > 0) {
        line = haft__str_split(&body, '\n');
    }
    return line;
}

static haft_status take_lines(reader *r, haft_str body, haft_error *err)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && body.len > 0) {
        haft_str line = haft__str_trim(haft__str_split(&body, '\n'));
        haft__arena_reset(r->scratch);
        status = line.len > 0 ? take_text(r, line, err) : HAFT_OK;
    }
    return status;
}

static haft_status take_events(reader *r, haft_str body, haft_error *err)
{
    haft__sse sse;
    haft__sse_event event;
    haft_status status = HAFT_OK;
    haft__sse_init(&sse);
    while (status == HAFT_OK && haft__sse_next(&sse, &body, &event)) {
        bool done = haft__str_equal(haft__str_trim(event.data), HAFT__LIT("[DONE]"));
        haft__arena_reset(r->scratch);
        status = done ? HAFT_OK : take_text(r, event.data, err);
    }
    if (status == HAFT_OK) {
        status = haft__sse_check(&sse, err);
    }
    haft__sse_finish(&sse);
    return status;
}

/* ---- the outcome ---- */

static haft_status fail(haft__arena *arena, haft__failure_kind kind, const char *message,
                        haft__model_outcome *ret_answer, haft_error *err)
{
    haft_str kept = haft__arena_copy(arena, haft__str(message));
    if (kept.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_answer = (haft__model_outcome){.failed = true, .failure = {.message = kept, .kind = kind}};
    return HAFT_OK;
}

/* As with OpenAI, the calls in the reply decide, not the stop reason. */
static haft_status close_reply(haft__native_reply *n, haft__arena *arena,
                               haft__model_outcome *ret_answer, haft_error *err)
{
    bool plain = n->stop == HAFT__STOP_END || n->stop == HAFT__STOP_CALLS;
    haft__delta delta = {.kind = HAFT__DELTA_STOP, .stop = n->stop};
    if (plain) {
        delta.stop = n->calls > 0 ? HAFT__STOP_CALLS : HAFT__STOP_END;
    }
    haft__model_outcome answer = {.failed = false};
    haft_status status = haft__assembly_add(&n->assembly, &delta, err);
    if (status == HAFT_OK) {
        status = haft__assembly_reply(&n->assembly, arena, &answer.reply, err);
    }
    if (status == HAFT_OK) {
        *ret_answer = answer;
    }
    return status;
}

static haft_status finish(reader *r, bool events, haft__arena *arena,
                          haft__model_outcome *ret_answer, haft_error *err)
{
    haft__native_reply *n = &r->native;
    if (n->wrong != NULL) {
        return fail(arena, HAFT__FAILURE_GARBLED, n->wrong, ret_answer, err);
    }
    if (!n->has_message) {
        return fail(arena, HAFT__FAILURE_GARBLED, "expected a reply, found something else",
                    ret_answer, err);
    }
    if (events && !n->stopped) {
        return fail(arena, HAFT__FAILURE_CUT, "the reply was cut off before its end", ret_answer,
                    err);
    }
    haft_error found = {0};
    haft_status status = close_reply(n, arena, ret_answer, &found);
    if (status == HAFT_BAD_INPUT || status == HAFT_TOO_BIG) {
        return fail(arena, status == HAFT_BAD_INPUT ? HAFT__FAILURE_CUT : HAFT__FAILURE_GARBLED,
                    found.message, ret_answer, err);
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail_no_memory(err);
}

/* Turns an error in the bytes into a failure: a reported error, a cut text, or invalid data. */
static haft_status judge(haft_str text, bool json, haft__arena *arena, const haft_error *found,
                         haft__model_outcome *ret_answer, haft_error *err)
{
    haft__failure_kind kind =
        found->status == HAFT_UNSUPPORTED ? HAFT__FAILURE_OTHER : HAFT__FAILURE_GARBLED;
    bool cut = false;
    if (found->status == HAFT_NO_MEMORY
        || (json && found->status == HAFT_BAD_INPUT
            && haft__json_is_truncated(text, &cut) != HAFT_OK)) {
        return haft__fail_no_memory(err);
    }
    return fail(arena, cut ? HAFT__FAILURE_CUT : kind, found->message, ret_answer, err);
}

haft_status haft__native_read_body(haft_str body, haft__hash_key hash_key,
                                   haft__native_read_value *take_value, haft__arena *arena,
                                   haft__model_outcome *ret_answer, haft_error *err)
{
    haft__arena scratch;
    haft__arena_init(&scratch, 0);
    reader r = {.take = take_value, .options = HAFT__JSON_OPTIONS_INIT, .scratch = &scratch};
    r.options.hash_key = hash_key;
    haft__assembly_init(&r.native.assembly);
    haft__buf_init(&r.native.text, HAFT__LIMIT_REPLY_BYTES);
    haft_error found = {0};
    haft_str text = haft__str_trim(body);
    bool json = text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
    bool lines = haft__native_is_event_lines(text);
    haft_status status = lines  ? take_lines(&r, text, &found)
                         : json ? take_text(&r, text, &found)
                                : take_events(&r, body, &found);
    if (status == HAFT_OK) {
        status = finish(&r, lines || !json, arena, ret_answer, err);
    } else {
        status = judge(lines ? last_line(text) : text, json, arena, &found, ret_answer, err);
    }
    haft__buf_finish(&r.native.text);
    haft__assembly_finish(&r.native.assembly);
    haft__arena_finish(&scratch);
    return status;
}
