/* SPDX-License-Identifier: Apache-2.0 */
/* parse_native.c - parses the bodies of providers' responses, for `haft parse`. It does not search
 * their text for calls. Tests: tests/cli/parse_test.py. */
#include "base/limits.h"
#include "base/str.h"
#include "cli/commands/parse_text.h"
#include "model/provider.h"
#include "model/providers/anthropic/anthropic.h"
#include "model/providers/gemini/gemini.h"
#include "model/providers/openai_chat/openai_chat.h"
#include "model/providers/openai_responses/openai_responses.h"
#include "json/read.h"
#include "json/repair.h"
#include "json/write.h"

/* Whether a body consists of JSON objects, one per line. The second line of a pretty-printed object
 * does not start with '{'. */
static bool is_event_lines(haft_str body)
{
    haft_str rest = haft__str_trim(body);
    haft_str first = haft__str_trim(haft__str_split(&rest, '\n'));
    rest = haft__str_trim(rest);
    return haft__str_starts_with(first, HAFT__LIT("{"))
           && haft__str_ends_with(first, HAFT__LIT("}"))
           && haft__str_starts_with(rest, HAFT__LIT("{"));
}

static void add_event(haft__buf *events, haft_str data)
{
    haft__buf_add_str(events, HAFT__LIT("data: "));
    haft__buf_add_str(events, data);
    haft__buf_add_str(events, HAFT__LIT("\n\n"));
}

/* Converts chunks in an array, or one per line, into events of a stream. Returns other text
 * unchanged. */
static haft_status find_events(haft__arena *arena, const haft__parse_request *request,
                               haft__buf *events, haft_str *ret_text, haft_error *err)
{
    haft_str text = haft__str_trim(request->text);
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = request->hash_key;
    haft__json list = haft__json_null();
    if (is_event_lines(text)) {
        while (text.len > 0) {
            add_event(events, haft__str_split(&text, '\n'));
        }
    } else if (haft__str_starts_with(text, HAFT__LIT("["))
               && haft__json_read(arena, text, &options, &list, NULL, NULL) == HAFT_OK) {
        for (uint32_t i = 0; i < list.count; i++) {
            haft__buf_add_str(events, HAFT__LIT("data: "));
            haft__json_write(events, list.items[i]);
            haft__buf_add_str(events, HAFT__LIT("\n\n"));
        }
    }
    *ret_text = events->len > 0 ? haft__buf_str(events) : request->text;
    return haft__buf_check(events, err);
}

/* The readers accept pieces, so the text is fed in chunks. */
static haft_status read_with(const haft__provider_api *api, haft__arena *arena,
                             const haft__parse_request *request, haft__model_outcome *ret_answer,
                             haft_error *err)
{
    haft__provider_stream_options options = {.hash_key = request->hash_key};
    haft__provider_stream *stream = haft__arena_alloc(arena, api->stream_size);
    if (stream == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__buf events;
    haft__buf_init(&events, 2 * (size_t)HAFT__LIMIT_FORMAT_BYTES);
    haft_str rest;
    haft_status status = find_events(arena, request, &events, &rest, err);
    api->init_stream(stream, &options);
    for (bool over = false; status == HAFT_OK && rest.len > 0 && !over;) {
        size_t length =
            request->chunk == 0 || request->chunk > rest.len ? rest.len : request->chunk;
        status = api->feed(stream, (haft_str){rest.ptr, length}, &over, err);
        rest = haft__str_skip(rest, length);
    }
    if (status == HAFT_OK) {
        status = api->end(stream, arena, ret_answer, err);
    }
    api->finish_stream(stream);
    haft__buf_finish(&events);
    return status;
}

/* Reads a body as a chat completion first. If that fails, or if the stream has no end, reads it as
 * a response of the Responses API. */
static haft_status read_openai(haft__arena *arena, const haft__parse_request *request,
                               haft__model_outcome *ret_answer, haft_error *err)
{
    haft_status status = read_with(&haft__openai_chat_api, arena, request, ret_answer, err);
    bool try_response = status == HAFT_OK && ret_answer->failed
                        && (ret_answer->failure.kind == HAFT__FAILURE_GARBLED
                            || ret_answer->failure.kind == HAFT__FAILURE_CUT);
    if (!try_response) {
        return status;
    }
    haft__model_outcome response;
    status = read_with(&haft__openai_responses_api, arena, request, &response, err);
    bool is_response =
        status == HAFT_OK && (!response.failed || response.failure.kind == HAFT__FAILURE_CUT);
    *ret_answer = is_response ? response : *ret_answer;
    return status;
}

static haft_status read_anthropic(haft__arena *arena, const haft__parse_request *request,
                                  haft__model_outcome *ret_answer, haft_error *err)
{
    return read_with(&haft__anthropic_api, arena, request, ret_answer, err);
}

static haft_status read_gemini(haft__arena *arena, const haft__parse_request *request,
                               haft__model_outcome *ret_answer, haft_error *err)
{
    return read_with(&haft__gemini_api, arena, request, ret_answer, err);
}

static const struct {
    const char *format;
    haft_status (*read)(haft__arena *arena, const haft__parse_request *request,
                        haft__model_outcome *ret_answer, haft_error *err);
} natives[] = {
    {"native_openai", read_openai},
    {"native_anthropic", read_anthropic},
    {"native_gemini", read_gemini},
};

/* Returns the index of a format in `natives`, ignoring case; COUNT(natives) if it is unknown. */
static size_t find(haft_str format)
{
    size_t i = 0;
    while (i < COUNT(natives)
           && !haft__str_equal_ignore_case(format, haft__str(natives[i].format))) {
        i++;
    }
    return i;
}

bool haft__parsed_is_native(haft_str format)
{
    return find(format) < COUNT(natives);
}

/* ---- calls ---- */

/* Missing arguments and null mean an empty object. */
static haft_status read_arguments(haft__arena *arena, const haft__parse_request *request,
                                  haft_str text, haft__json *ret_value, haft__json_notes *notes,
                                  haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = request->hash_key;
    haft_str trimmed = haft__str_trim(text);
    if (trimmed.len == 0 || haft__str_equal(trimmed, HAFT__LIT("null"))) {
        trimmed = HAFT__LIT("{}");
    }
    return request->repair
               ? haft__json_read_tolerant(arena, trimmed, &options, ret_value, notes, err)
               : haft__json_read(arena, trimmed, &options, ret_value, notes, err);
}

/* `cut`: the token limit ended the reply; `last`: the reply ends with this call. */
static haft_status take_call(haft__arena *arena, const haft__parse_request *request,
                             const haft__message_call *call, bool cut, bool last,
                             haft__parsed *parsed, haft_error *err)
{
    haft__json arguments = haft__json_null();
    haft__json_notes notes = {0};
    haft_error found = {0};
    haft_status status =
        read_arguments(arena, request, call->arguments, &arguments, &notes, &found);
    haft__parsed_error error = {.truncated = cut, .text = call->arguments};
    if (status == HAFT_NO_MEMORY) {
        *err = found;
        return status;
    }
    if (cut && last && haft__str_trim(call->arguments).len == 0) {
        error.why = HAFT__LIT("the reply ends before its arguments");
        return haft__parsed_add_error(arena, parsed, &error, err);
    }
    if (status != HAFT_OK) {
        error.why = haft__str(found.message);
        return haft__parsed_add_error(arena, parsed, &error, err);
    }
    if (call->name.len == 0 || arguments.kind != HAFT__JSON_OBJECT) {
        error.truncated = false;
        error.why = call->name.len == 0 ? HAFT__LIT("it has no name")
                                        : HAFT__LIT("its arguments are not an object");
        return haft__parsed_add_error(arena, parsed, &error, err);
    }
    parsed->repaired = parsed->repaired || notes.repaired;
    return haft__parsed_add_call(arena, parsed, call->id, call->name, arguments, err);
}

static haft_status take_failure(haft__arena *arena, const haft__parse_request *request,
                                const haft__model_failure *failure, haft__parsed *parsed,
                                haft_error *err)
{
    haft_str text = request->text;
    text.len = text.len < HAFT__LIMIT_FORMAT_RAW_BYTES ? text.len : HAFT__LIMIT_FORMAT_RAW_BYTES;
    haft__parsed_error error = {
        .truncated = failure->kind == HAFT__FAILURE_CUT, .why = failure->message, .text = text};
    return haft__parsed_add_error(arena, parsed, &error, err);
}

haft_status haft__parse_native(haft__arena *arena, const haft__parse_request *request,
                               haft__parsed *parsed, haft_error *err)
{
    haft__model_outcome answer;
    haft_status status = natives[find(request->format)].read(arena, request, &answer, err);
    if (status != HAFT_OK || answer.failed) {
        return status == HAFT_OK ? take_failure(arena, request, &answer.failure, parsed, err)
                                 : status;
    }
    const haft__reply *reply = &answer.reply;
    parsed->content = reply->content;
    parsed->reasoning = reply->reasoning;
    for (size_t i = 0; i < reply->call_count && status == HAFT_OK; i++) {
        status = take_call(arena, request, &reply->calls[i], reply->stop == HAFT__STOP_LENGTH,
                           i + 1 == reply->call_count, parsed, err);
    }
    return status;
}
