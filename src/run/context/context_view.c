/* SPDX-License-Identifier: Apache-2.0 */
/* context_view.c - see context_view.h. Tests: tests/run/context/context_run_test.c. */
#include "run/context/context_view.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "prompt/estimate.h"
#include "tool/builtin.h"
#include "tool/registry.h"

/* Maximum characters of a text, of arguments, and of a result in a line of the list. */
#define TEXT_CHARS      200
#define ARGUMENTS_CHARS 120
#define RESULT_CHARS    120

#define LEFT_OUT "- (earlier lines were left out)\n"

static bool has_read_result(const haft__run *run)
{
    return haft__tools_find(&run->spec->tools, HAFT__LIT(HAFT__READ_RESULT)) != NULL;
}

/* The call of a result message; NULL for other messages. */
static const haft__run_call *call_of(const haft__run *run, const haft__message *message)
{
    bool known = message->role == HAFT__MESSAGE_TOOL && message->call.len > 0
                 && message->call_index < run->call_count;
    return known ? &run->calls[message->call_index] : NULL;
}

/* The maximum bytes of a stub: its words, and the id of a call twice. */
#define STUB_BYTES 256

static void add_stub(haft__buf *buf, const haft__run *run, const haft__message *message)
{
    const haft__run_call *call = call_of(run, message);
    size_t bytes = call != NULL ? call->result.len : message->text.len;
    haft__buf_addf(buf, "[cleared to save context: result of call %.*s, %zu bytes",
                   HAFT__ARG(message->call), bytes);
    if (has_read_result(run)) {
        haft__buf_addf(buf, "; read_result with call \"%.*s\" returns it",
                       HAFT__ARG(message->call));
    }
    haft__buf_add_char(buf, ']');
}

/* ---- sizes ---- */

bool haft__context_is_observation(const haft__run *run, const haft__message *message)
{
    const haft__run_call *call = call_of(run, message);
    return call != NULL && !message->cleared && call->stage == HAFT__CALL_FINISHED;
}

static bool is_spared(const haft__run *run, const haft__message *message)
{
    const haft__context_spec *context = &run->spec->context;
    bool spared = message->revealed_count > 0;
    for (size_t i = 0; i < context->spare_count && !spared; i++) {
        spared = haft__filter_matches(context->spare[i], message->call_name);
    }
    return spared;
}

bool haft__context_begins_turn(const haft__run *run, size_t index)
{
    const haft__message *message = &run->messages.items[index];
    bool earlier = run->context.task == 0 || index < run->context.task;
    return !message->is_task
           && message->role == (earlier ? HAFT__MESSAGE_USER : HAFT__MESSAGE_ASSISTANT);
}

/* The size of a message that is a stub. */
static uint64_t size_of_stub(const haft__run *run, const haft__message *message)
{
    char bytes[STUB_BYTES];
    haft__buf buf = {.ptr = bytes, .cap = sizeof(bytes), .max = sizeof(bytes)};
    add_stub(&buf, run, message);
    haft__message stub = {.text = haft__buf_str(&buf)};
    return haft__estimate_message(&stub);
}

uint64_t haft__context_saved_by_stub(const haft__run *run, const haft__message *message)
{
    uint64_t size = haft__estimate_message(message);
    uint64_t stub = is_spared(run, message) ? size : size_of_stub(run, message);
    return size > stub ? size - stub : 0;
}

static haft__context_part read_part(const haft__run *run, size_t index, bool stubs)
{
    const haft__message *message = &run->messages.items[index];
    haft__context_part part = {
        .tokens = haft__estimate_message(message),
        .is_head = message->role == HAFT__MESSAGE_SYSTEM || message->is_task,
        .is_observation = haft__context_is_observation(run, message),
        .begins_turn = haft__context_begins_turn(run, index),
        .is_pinned = message->revealed_count > 0,
    };
    if (part.is_observation && stubs) {
        part.is_spared = is_spared(run, message);
        part.stub_tokens = size_of_stub(run, message);
    }
    return part;
}

haft__context_part *haft__context_parts(const haft__run *run, haft__arena *arena, bool stubs)
{
    size_t count = run->messages.count;
    haft__context_part *parts = haft__arena_array(arena, count, sizeof(*parts));
    for (size_t i = 0; parts != NULL && i < count; i++) {
        parts[i] = read_part(run, i, stubs);
    }
    return parts;
}

bool *haft__context_removed(const haft__run *run, size_t end, haft__arena *arena, size_t *ret_count)
{
    haft__context_part *parts = haft__context_parts(run, arena, false);
    bool *removed = haft__arena_array(arena, run->messages.count, sizeof(*removed));
    if (parts == NULL || removed == NULL) {
        return NULL;
    }
    *ret_count = haft__context_mark_removed(parts, run->messages.count, end, removed);
    return removed;
}

uint64_t haft__context_removed_size(const haft__run *run, const bool *removed)
{
    uint64_t size = run->context.text_size;
    for (size_t i = 0; i < run->messages.count; i++) {
        size += removed[i] ? haft__estimate_message(&run->messages.items[i]) : 0;
    }
    return size;
}

/* ---- texts for the model ---- */

haft_str haft__context_stub(const haft__run *run, const haft__message *message, haft__arena *arena)
{
    char bytes[STUB_BYTES];
    haft__buf buf = {.ptr = bytes, .cap = sizeof(bytes), .max = sizeof(bytes)};
    add_stub(&buf, run, message);
    return haft__arena_copy(arena, haft__buf_str(&buf));
}

haft_str haft__context_task(const haft__run *run, haft_str text, haft__arena *arena)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&buf, run->task);
    haft__buf_add_str(&buf, HAFT__LIT("\n\n[Earlier turns were shortened to save context."));
    if (has_read_result(run)) {
        haft__buf_add_str(&buf, HAFT__LIT(" read_result with the id of a call, such as \"c1.1\", "
                                          "returns its result."));
    }
    haft__buf_add_str(&buf, HAFT__LIT("]\n"));
    haft__buf_add_str(&buf, text);
    haft_str copy = {NULL, 0};
    if (buf.status == HAFT_OK) {
        copy = haft__arena_copy(arena, haft__buf_str(&buf));
    }
    haft__buf_finish(&buf);
    return copy;
}

/* ---- the list ---- */

/* Appends the beginning of the text on one line. */
static void add_line(haft__buf *buf, haft_str text, size_t chars)
{
    text = haft__str_trim(text);
    size_t end = haft__utf8_offset(text, chars);
    for (size_t i = 0; i < end; i++) {
        bool space = text.ptr[i] == '\n' || text.ptr[i] == '\r' || text.ptr[i] == '\t';
        haft__buf_add_char(buf, space ? ' ' : text.ptr[i]);
    }
    haft__buf_add_str(buf, end < text.len ? HAFT__LIT("...") : HAFT__LIT(""));
}

static void add_call(haft__buf *buf, const haft__run_call *call)
{
    haft__buf_addf(buf, "- %.*s %.*s ", HAFT__ARG(call->id), HAFT__ARG(call->name));
    add_line(buf, call->raw, ARGUMENTS_CHARS);
    if (call->stage == HAFT__CALL_REFUSED) {
        haft__buf_add_str(buf, HAFT__LIT(" -> not run: "));
        add_line(buf, call->shown, RESULT_CHARS);
    } else {
        haft__buf_addf(buf,
                       call->ok ? " -> %zu bytes: " : " -> failed, %zu bytes: ", call->result.len);
        add_line(buf, call->result, RESULT_CHARS);
    }
    haft__buf_add_char(buf, '\n');
}

static void add_text(haft__buf *buf, const char *who, haft_str text)
{
    if (haft__str_trim(text).len > 0) {
        haft__buf_addf(buf, "- %s: ", who);
        add_line(buf, text, TEXT_CHARS);
        haft__buf_add_char(buf, '\n');
    }
}

static void add_message(haft__buf *buf, const haft__run *run, const haft__message *message)
{
    const haft__run_call *call = call_of(run, message);
    switch (message->role) {
    case HAFT__MESSAGE_SYSTEM: break;
    case HAFT__MESSAGE_USER: add_text(buf, "user", message->text); break;
    case HAFT__MESSAGE_ASSISTANT: add_text(buf, "assistant", message->text); break;
    case HAFT__MESSAGE_TOOL:
        if (call != NULL) {
            add_call(buf, call);
        } else {
            add_text(buf, "result", message->text);
        }
        break;
    }
}

/* The last lines of the text with together at most `max` tokens. */
static haft_str find_last_lines(haft_str text, uint64_t max)
{
    uint64_t used = haft__estimate_text(HAFT__LIT(LEFT_OUT));
    size_t from = text.len, start = text.len;
    while (start > 0) {
        start--;
        while (start > 0 && text.ptr[start - 1] != '\n') {
            start--;
        }
        used += haft__estimate_text((haft_str){text.ptr + start, from - start});
        if (used > max) {
            break;
        }
        from = start;
    }
    return haft__str_skip(text, from);
}

void haft__context_list(haft__buf *buf, const haft__run *run, const bool *removed, uint64_t max)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_str before = run->context.text;
    if (haft__str_starts_with(before, HAFT__LIT(LEFT_OUT))) {
        before = haft__str_skip(before, strlen(LEFT_OUT));
    }
    haft__buf_add_str(&text, before);
    bool ends_line = before.len == 0 || before.ptr[before.len - 1] == '\n';
    haft__buf_add_str(&text, ends_line ? HAFT__LIT("") : HAFT__LIT("\n"));
    for (size_t i = 0; i < run->messages.count; i++) {
        if (removed[i]) {
            add_message(&text, run, &run->messages.items[i]);
        }
    }
    haft_str all = haft__buf_str(&text);
    bool cut = before.len < run->context.text.len || haft__estimate_text(all) > max;
    haft_str last = cut ? find_last_lines(all, max) : all;
    haft__buf_add_str(buf, cut ? HAFT__LIT(LEFT_OUT) : HAFT__LIT(""));
    haft__buf_add_str(buf, last);
    if (text.status != HAFT_OK) {
        haft__buf_fail(buf, text.status, text.why);
    }
    haft__buf_finish(&text);
}

void haft__context_add_range(haft__buf *buf, const haft__run *run, const bool *removed)
{
    const haft__run_call *last = NULL;
    for (size_t i = 0; i < run->messages.count; i++) {
        const haft__run_call *call = removed[i] ? call_of(run, &run->messages.items[i]) : NULL;
        last = call != NULL ? call : last;
    }
    if (last != NULL) {
        haft__buf_addf(buf, "\n(calls %.*s to %.*s)", HAFT__ARG(run->calls[0].id),
                       HAFT__ARG(last->id));
    }
}
