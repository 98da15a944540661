/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assembly.c - assembles a streamed reply.
 *
 * Providers key the deltas of parallel calls by index. An index may arrive late or be skipped, so
 * calls are sorted by index, not by arrival.
 * Tests: tests/model/assembly_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/model.h"

typedef struct haft__assembly_call {
    bool begun, ended, repaired;
    haft__buf id, name, arguments, malformed;
} assembly_call;

void haft__assembly_init(haft__assembly *assembly)
{
    *assembly = (haft__assembly){0};
    haft__buf_init(&assembly->content, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&assembly->reasoning, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&assembly->items, HAFT__LIMIT_REPLY_BYTES);
}

void haft__assembly_finish(haft__assembly *assembly)
{
    for (size_t i = 0; i < assembly->call_count; i++) {
        haft__buf_finish(&assembly->calls[i].id);
        haft__buf_finish(&assembly->calls[i].name);
        haft__buf_finish(&assembly->calls[i].arguments);
        haft__buf_finish(&assembly->calls[i].malformed);
    }
    free(assembly->calls);
    haft__buf_finish(&assembly->content);
    haft__buf_finish(&assembly->reasoning);
    haft__buf_finish(&assembly->items);
    haft__assembly_init(assembly);
}

static void init_call(assembly_call *call)
{
    *call = (assembly_call){0};
    haft__buf_init(&call->id, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&call->name, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&call->arguments, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&call->malformed, HAFT__LIMIT_REPLY_BYTES);
}

/* The call with that index; created if it does not exist. */
static haft_status call_at(haft__assembly *a, uint32_t index, assembly_call **ret_call,
                           haft_error *err)
{
    if (index >= HAFT__LIMIT_REPLY_CALLS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d calls in a reply, found more",
                          HAFT__LIMIT_REPLY_CALLS);
    }
    assembly_call *calls =
        haft__vec_reserve(a->calls, &a->call_capacity, (size_t)index + 1, sizeof(*calls));
    if (calls == NULL) {
        return haft__fail_no_memory(err);
    }
    a->calls = calls;
    while (a->call_count <= index) {
        init_call(&a->calls[a->call_count++]);
    }
    *ret_call = &a->calls[index];
    return HAFT_OK;
}

static haft_status add_text(haft__buf *buf, haft_str text, haft_error *err)
{
    haft__buf_add_str(buf, text);
    return haft__buf_check(buf, err);
}

static haft_status begin_call(assembly_call *call, const haft__delta *delta, haft_error *err)
{
    if (call->begun) {
        return HAFT_OK; /* some servers repeat id and name: the first ones count */
    }
    call->begun = true;
    haft_status status = add_text(&call->id, delta->id, err);
    return status == HAFT_OK ? add_text(&call->name, delta->text, err) : status;
}

static haft_status end_call(assembly_call *call, const haft__delta *delta, haft_error *err)
{
    call->ended = true;
    call->repaired = delta->repaired;
    if (delta->kind == HAFT__DELTA_CALL_END) {
        return call->id.len == 0 ? add_text(&call->id, delta->id, err) : HAFT_OK;
    }
    haft__buf_clear(&call->arguments);
    haft_status status = add_text(&call->arguments, delta->text, err);
    return status == HAFT_OK ? add_text(&call->malformed, delta->why, err) : status;
}

static haft_status add_to_call(haft__assembly *a, const haft__delta *delta, haft_error *err)
{
    assembly_call *call = NULL;
    haft_status status = call_at(a, delta->index, &call, err);
    if (status != HAFT_OK || call == NULL) {
        return status;
    }
    if (delta->kind == HAFT__DELTA_CALL) {
        return begin_call(call, delta, err);
    }
    if (!call->begun || call->ended) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "arguments of call %u, which %s", delta->index,
                          call->ended ? "is complete" : "has not begun");
    }
    return delta->kind == HAFT__DELTA_ARGUMENTS ? add_text(&call->arguments, delta->text, err)
                                                : end_call(call, delta, err);
}

static haft_status add_item(haft__assembly *a, haft_str item, haft_error *err)
{
    haft__buf_add_char(&a->items, a->items.len == 0 ? '[' : ',');
    return add_text(&a->items, item, err);
}

haft_status haft__assembly_add(haft__assembly *assembly, const haft__delta *delta, haft_error *err)
{
    switch (delta->kind) {
    case HAFT__DELTA_TEXT: return add_text(&assembly->content, delta->text, err);
    case HAFT__DELTA_REASONING: return add_text(&assembly->reasoning, delta->text, err);
    case HAFT__DELTA_CALL:
    case HAFT__DELTA_ARGUMENTS:
    case HAFT__DELTA_CALL_END:
    case HAFT__DELTA_CALL_MALFORMED: return add_to_call(assembly, delta, err);
    case HAFT__DELTA_ITEM: return add_item(assembly, delta->text, err);
    case HAFT__DELTA_USAGE: assembly->usage = delta->usage; return HAFT_OK;
    case HAFT__DELTA_STOP:
        assembly->stop = delta->stop;
        assembly->stopped = true;
        return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

static haft_status check_whole(const haft__assembly *a, haft_error *err)
{
    if (!a->stopped) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the reply was cut off before its end");
    }
    for (size_t i = 0; i < a->call_count; i++) {
        if (!a->calls[i].begun || !a->calls[i].ended) {
            return haft__fail(err, HAFT_BAD_INPUT, "", "the reply was cut off in call %zu", i);
        }
    }
    return HAFT_OK;
}

static bool copy_text(haft__arena *arena, const haft__buf *buf, haft_str *ret_text)
{
    *ret_text = haft__arena_copy(arena, haft__buf_str(buf));
    return ret_text->ptr != NULL;
}

haft_status haft__assembly_reply(const haft__assembly *assembly, haft__arena *arena,
                                 haft__reply *ret_reply, haft_error *err)
{
    haft_status status = check_whole(assembly, err);
    if (status != HAFT_OK) {
        return status;
    }
    size_t count = assembly->call_count;
    haft__message_call *calls = haft__arena_array(arena, count, sizeof(*calls));
    haft__reply reply = {
        .calls = calls, .call_count = count, .usage = assembly->usage, .stop = assembly->stop};
    bool copied = calls != NULL && copy_text(arena, &assembly->content, &reply.content)
                  && copy_text(arena, &assembly->reasoning, &reply.reasoning);
    if (copied && assembly->items.len > 0) {
        reply.items =
            haft__arena_format(arena, "%.*s]", (int)assembly->items.len, assembly->items.ptr);
        copied = reply.items.ptr != NULL;
    }
    for (size_t i = 0; copied && i < count; i++) {
        calls[i].repaired = assembly->calls[i].repaired;
        copied = copy_text(arena, &assembly->calls[i].id, &calls[i].id)
                 && copy_text(arena, &assembly->calls[i].name, &calls[i].name)
                 && copy_text(arena, &assembly->calls[i].arguments, &calls[i].arguments)
                 && copy_text(arena, &assembly->calls[i].malformed, &calls[i].malformed);
    }
    if (!copied) {
        return haft__arena_fail(arena, err);
    }
    *ret_reply = reply;
    return HAFT_OK;
}
