/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - names and queries of the neutral model. Tests: tests/model/model_test.c. */
#include "model/model.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "prompt/prompt.h"
#include "tool/wire_name.h"

static const char *const stops[] = {
    [HAFT__STOP_END] = "stop",      [HAFT__STOP_CALLS] = "tool_calls",
    [HAFT__STOP_LENGTH] = "length", [HAFT__STOP_REFUSAL] = "refusal",
    [HAFT__STOP_PAUSE] = "pause",
};

const char *haft__stop_reason_name(haft__stop_reason stop)
{
    return stops[stop];
}

bool haft__stop_reason_parse(haft_str name, haft__stop_reason *ret_stop)
{
    for (size_t i = 0; i < COUNT(stops); i++) {
        if (haft__str_equal(name, haft__str(stops[i]))) {
            *ret_stop = (haft__stop_reason)i;
            return true;
        }
    }
    return false;
}

const char *haft__deferral_text(haft__deferral deferral)
{
    static const char *const texts[] = {
#define X(name, text) text,
        HAFT__DEFERRALS(X)
#undef X
    };
    return texts[deferral];
}

static const char *const constraints[] = {
#define X(name, text) text,
    HAFT__CONSTRAINTS(X)
#undef X
};

const char *haft__constraint_name(haft__constraint_kind kind)
{
    return constraints[kind];
}

bool haft__constraint_parse(haft_str name, haft__constraint_kind *ret_kind)
{
    for (size_t i = 0; i < COUNT(constraints); i++) {
        if (haft__str_equal(name, haft__str(constraints[i]))) {
            *ret_kind = (haft__constraint_kind)i;
            return true;
        }
    }
    return false;
}

static const char *const failures[] = {
#define X(name, text) text,
    HAFT__FAILURES(X)
#undef X
};

const char *haft__failure_name(haft__failure_kind kind)
{
    return failures[kind];
}

bool haft__failure_parse(haft_str name, haft__failure_kind *ret_kind)
{
    for (size_t i = 0; i < COUNT(failures); i++) {
        if (haft__str_equal(name, haft__str(failures[i]))) {
            *ret_kind = (haft__failure_kind)i;
            return true;
        }
    }
    return false;
}

static bool has(haft_str text, haft_str part)
{
    if (part.len == 0) {
        return true;
    }
    while (text.len >= part.len) {
        const char *at = memchr(text.ptr, part.ptr[0], text.len - part.len + 1);
        if (at == NULL) {
            return false;
        }
        if (memcmp(at, part.ptr, part.len) == 0) {
            return true;
        }
        text = haft__str_skip(text, (size_t)(at - text.ptr) + 1);
    }
    return false;
}

static bool message_has(const haft__message *message, haft_str text)
{
    bool found = has(message->text, text);
    for (size_t i = 0; i < message->call_count && !found; i++) {
        found = has(message->calls[i].arguments, text) || has(message->calls[i].name, text);
    }
    return found;
}

static bool messages_have(const haft__messages *messages, haft_str text)
{
    bool found = false;
    for (size_t i = 0; i < messages->count && !found; i++) {
        found = message_has(&messages->items[i], text);
    }
    return found;
}

/* Builds the history of the planner shape for each query; only scripts use this. */
static bool transcript_has(const haft__request *request, haft_str text)
{
    haft__arena arena;
    haft__messages list;
    haft__arena_init(&arena, 0);
    bool found = haft__prompt_transcript(request->messages, request->task,
                                         haft__format_find(request->format), &arena, &list, NULL)
                     == HAFT_OK
                 && messages_have(&list, text);
    haft__arena_finish(&arena);
    return found;
}

bool haft__request_contains(const haft__request *request, haft_str text)
{
    return has(request->correction, text)
           || (request->transcript ? transcript_has(request, text)
                                   : messages_have(request->messages, text));
}

haft_status haft__request_format_tools(const haft__request *request, haft__arena *arena,
                                       haft__format_tool **ret_tools, haft_error *err)
{
    haft__format_tool *tools = haft__arena_array(arena, request->tool_count, sizeof(*tools));
    bool made = tools != NULL;
    for (size_t i = 0; made && i < request->tool_count; i++) {
        const haft__tool *tool = request->tools[i];
        haft__wire_name wire = haft__wire_name_encode(tool->name);
        tools[i] = (haft__format_tool){.name = haft__arena_copy(arena, haft__wire_name_str(&wire)),
                                       .parameters = tool->input_schema,
                                       .description = tool->description};
        made = tools[i].name.ptr != NULL;
    }
    *ret_tools = tools;
    return made ? HAFT_OK : haft__arena_fail(arena, err);
}

bool haft__delta_is_output(const haft__delta *delta)
{
    return delta->kind == HAFT__DELTA_TEXT || delta->kind == HAFT__DELTA_REASONING
           || delta->kind == HAFT__DELTA_CALL;
}
