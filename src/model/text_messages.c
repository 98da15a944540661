/* SPDX-License-Identifier: Apache-2.0 */
/* text_messages.c - see text_messages.h. Tests: tests/model/text_messages_test.c and
 * tests/model/providers/openai_chat/request_text_test.c. */
#include "model/text_messages.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "format/render.h"
#include "tool/builtin.h"
#include "tool/python_name.h"
#include "tool/wire_name.h"

/* Added if a server constrains a reply to JSON although another format is taught. */
#define JSON_ALONE                                                                                 \
    " Write the call in this reply as JSON alone, with the name and the arguments, and nothing "   \
    "around it."

static haft_str wire_name(haft__arena *arena, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name.len > 0 ? name : HAFT__LIT("_"));
    return haft__arena_copy(arena, haft__wire_name_str(&wire));
}

/* ---- tools ---- */

void haft__tool_prompt_init(haft__tool_prompt *prompt)
{
    *prompt = (haft__tool_prompt){.tool_count = 0};
    haft__buf_init(&prompt->text, (size_t)HAFT__LIMIT_RUN_BYTES);
}

void haft__tool_prompt_finish(haft__tool_prompt *prompt)
{
    haft__buf_finish(&prompt->text);
}

void haft__tool_prompt_clear(haft__tool_prompt *prompt)
{
    haft__buf_clear(&prompt->text);
    prompt->tool_count = 0;
    prompt->hash = 0;
}

/* A hash of the tools. Their count is not enough: one may be removed and another added. */
static uint64_t hash_of(const haft__request *request)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        hash = (hash ^ (uintptr_t)request->tools[i]) * 1099511628211U;
    }
    return hash;
}

/* In code the tools are functions: without the tool that runs the code, and with names of
 * Python. */
static haft_status make_functions(const haft__request *request, haft__arena *arena,
                                  haft__format_tool *tools, size_t *io_count, haft_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < *io_count; i++) {
        haft__buf name;
        if (haft__tool_runs_code(request->tools[i])) {
            continue;
        }
        haft__buf_init(&name, HAFT__LIMIT_RUN_BYTES);
        haft__python_name_add(&name, request->tools[i]->name);
        tools[count] = tools[i];
        tools[count].name = haft__arena_copy(arena, haft__buf_str(&name));
        haft_status status = haft__buf_check(&name, err);
        haft__buf_finish(&name);
        if (status != HAFT_OK || tools[count].name.ptr == NULL) {
            return status != HAFT_OK ? status : haft__arena_fail(arena, err);
        }
        count++;
    }
    *io_count = count;
    return HAFT_OK;
}

haft_status haft__tool_prompt_sync(haft__tool_prompt *prompt, const haft__format *format,
                                   const haft__request *request, bool *ret_changed, haft_error *err)
{
    uint64_t hash = hash_of(request);
    *ret_changed = prompt->tool_count != request->tool_count || prompt->hash != hash;
    if (!*ret_changed) {
        return HAFT_OK;
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__format_tool *tools = NULL;
    size_t count = request->tool_count;
    haft_status status = haft__request_format_tools(request, &arena, &tools, err);
    if (status == HAFT_OK && format->render.shown == HAFT__TOOL_RENDERING_PYTHON) {
        status = make_functions(request, &arena, tools, &count, err);
    }
    if (status == HAFT_OK) {
        haft__history history =
            request->transcript ? HAFT__HISTORY_TRANSCRIPT : HAFT__HISTORY_NATIVE;
        haft__buf_clear(&prompt->text);
        haft__format_write_tools(&prompt->text, format, history, tools, count);
        prompt->tool_count = request->tool_count;
        prompt->hash = hash;
        status = haft__buf_check(&prompt->text, err);
    }
    if (status != HAFT_OK) {
        haft__tool_prompt_clear(prompt);
    }
    haft__arena_finish(&arena);
    return status;
}

void haft__tool_prompt_write_system(const haft__tool_prompt *prompt, haft_str instructions,
                                    haft__buf *buf)
{
    haft__buf_add_str(buf, instructions);
    if (instructions.len > 0 && prompt->text.len > 0) {
        haft__buf_add_str(buf, HAFT__LIT("\n\n"));
    }
    haft__buf_add_str(buf, haft__buf_str(&prompt->text));
}

/* ---- messages ---- */

/* The number of calls before a message: some formats count them (%f of format/state.h). */
static size_t count_calls(const haft__messages *messages, size_t first)
{
    size_t calls = 0;
    for (size_t i = 0; i < first; i++) {
        calls += messages->items[i].call_count;
    }
    return calls;
}

/* The number of the call with this id, which is in the last turn with calls. */
static size_t find_number(const haft__message *next, size_t made, haft_str id, size_t fallback)
{
    while (made > 0 && next[-1].call_count == 0) {
        next--;
    }
    size_t count = made > 0 ? next[-1].call_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(next[-1].calls[i].id, id)) {
            return made - count + i;
        }
    }
    return fallback;
}

static haft_status write_turn(const haft__format *format, const haft__message *message,
                              size_t made_before, haft__arena *arena, haft__buf *buf,
                              haft_error *err)
{
    haft__format_call *calls = haft__arena_array(arena, message->call_count, sizeof(*calls));
    bool made = calls != NULL;
    for (size_t i = 0; made && i < message->call_count; i++) {
        const haft__message_call *call = &message->calls[i];
        calls[i] = (haft__format_call){.id = call->id,
                                       .name = wire_name(arena, call->name),
                                       .arguments = call->arguments,
                                       .malformed = call->malformed.len > 0,
                                       .number = made_before + i};
        made = calls[i].name.ptr != NULL;
    }
    if (!made) {
        return haft__arena_fail(arena, err);
    }
    haft__format_write_calls(buf, format, message->text, calls, message->call_count);
    return haft__buf_check(buf, err);
}

static haft_status write_results(const haft__format *format, const haft__message *first,
                                 size_t count, size_t made_before, haft__arena *arena,
                                 haft__buf *buf, haft_error *err)
{
    haft__format_result *results = haft__arena_array(arena, count, sizeof(*results));
    bool made = results != NULL;
    for (size_t i = 0; made && i < count; i++) {
        results[i] =
            (haft__format_result){.id = first[i].call_id,
                                  .name = wire_name(arena, first[i].call_name),
                                  .text = first[i].text,
                                  .number = find_number(first, made_before, first[i].call_id, i)};
        made = results[i].name.ptr != NULL;
    }
    if (!made) {
        return haft__arena_fail(arena, err);
    }
    haft__format_write_results(buf, format, results, count);
    return haft__buf_check(buf, err);
}

static size_t count_results(const haft__messages *messages, size_t first)
{
    size_t i = first;
    while (i < messages->count && messages->items[i].role == HAFT__MESSAGE_TOOL) {
        i++;
    }
    return i - first;
}

haft_status haft__text_message_write(const haft__format *format, const haft__messages *messages,
                                     size_t first, haft__buf *buf, size_t *ret_count,
                                     haft_error *err)
{
    const haft__message *message = &messages->items[first];
    size_t results = count_results(messages, first);
    haft_status status = HAFT_OK;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    if (results > 0) {
        status =
            write_results(format, message, results, count_calls(messages, first), &arena, buf, err);
    } else if (message->role == HAFT__MESSAGE_ASSISTANT) {
        status = write_turn(format, message, count_calls(messages, first), &arena, buf, err);
    } else {
        haft__buf_add_str(buf, message->text);
        status = haft__buf_check(buf, err);
    }
    haft__arena_finish(&arena);
    *ret_count = results > 0 ? results : 1;
    return status;
}

haft__message_role haft__text_message_role(const haft__message *message)
{
    return message->role == HAFT__MESSAGE_TOOL ? HAFT__MESSAGE_USER : message->role;
}

/* ---- the turn ---- */

/* The tools that may be called now, if they differ from those taught. */
static void write_choice(const haft__request *request, haft__buf *buf)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__wire_name tool =
        haft__wire_name_encode(request->tool.len > 0 ? request->tool : HAFT__LIT("_"));
    haft__format_choice choice = {.mode = request->mode, .tool = haft__wire_name_str(&tool)};
    haft_str *names = haft__arena_array(&arena, request->tool_count, sizeof(*names));
    bool made = names != NULL;
    for (size_t i = 0; made && i < request->tool_count; i++) {
        if (request->allowed[i]) {
            names[choice.allowed_count] = wire_name(&arena, request->tools[i]->name);
            made = names[choice.allowed_count++].ptr != NULL;
        }
    }
    if (!made) {
        haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
    }
    choice.allowed = choice.allowed_count < request->tool_count ? names : NULL;
    haft__format_write_choice(buf, &choice);
    haft__arena_finish(&arena);
}

void haft__text_turn_write(const haft__format *format, const haft__request *request, haft__buf *buf)
{
    size_t before = buf->len;
    haft__buf_add_str(buf, request->correction);
    if (request->correction.len == 0 && request->tool_count > 0) {
        write_choice(request, buf);
    }
    if (buf->len > before && request->reply_format.len > 0
        && haft__format_find(request->reply_format) != format) {
        haft__buf_add_str(buf, HAFT__LIT(JSON_ALONE)); /* not with the marks that were taught */
    }
}
