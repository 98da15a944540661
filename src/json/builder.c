/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - builds values from events, with the stack of the strict reader.
 *
 * Tests: tests/json/builder_test.c, tests/json/stream_test.c.
 */
#include "json/builder.h"

#include "base/error.h"
#include "json/syntax.h"

void haft__json_builder_init(haft__json_builder *builder, haft__arena *arena,
                             const haft__json_options *options)
{
    builder->arena = arena;
    static const haft__json_options defaults = HAFT__JSON_OPTIONS_INIT;
    const haft__json_options *used = options != NULL ? options : &defaults;
    haft__json_stack_init(&builder->stack, used);
    haft__buf_init(&builder->text, used->max_bytes);
}

void haft__json_builder_finish(haft__json_builder *builder)
{
    haft__json_stack_finish(&builder->stack);
    haft__buf_finish(&builder->text);
}

/* A key, number or literal, or the last piece of a string with the pieces before it. */
static haft_status add_whole(haft__json_builder *builder, haft__json value, haft_error *err)
{
    haft_str text = haft__json_text(value);
    if (builder->text.len > 0) {
        haft__buf_add_str(&builder->text, text);
        haft_status status = haft__buf_check(&builder->text, err);
        if (status != HAFT_OK) {
            return status;
        }
        text = haft__buf_str(&builder->text);
    }
    if (value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NUMBER) {
        haft_str copy = haft__arena_copy(builder->arena, text);
        if (copy.ptr == NULL) {
            return haft__arena_fail(builder->arena, err);
        }
        value.text = copy.ptr;
        value.count = (uint32_t)copy.len;
    }
    /* The stream counts the values, so the only failure here is out of memory. */
    haft__json *slot = haft__json_stack_reserve(&builder->stack);
    if (slot == NULL) {
        return haft__fail_no_memory(err);
    }
    *slot = value;
    haft__json_stack_commit(&builder->stack);
    haft__buf_clear(&builder->text);
    return HAFT_OK;
}

static haft_status close_container(haft__json_builder *builder, haft_error *err)
{
    switch (haft__json_stack_close(&builder->stack, builder->arena)) {
    case HAFT__JSON_STACK_OK: return HAFT_OK;
    case HAFT__JSON_STACK_NO_MEMORY: return haft__fail_no_memory(err);
    case HAFT__JSON_STACK_ARENA_FULL: return haft__arena_fail(builder->arena, err);
    case HAFT__JSON_STACK_DUPLICATE:
        return haft__json_fail_duplicate(err, "", builder->stack.duplicate);
    case HAFT__JSON_STACK_TOO_MANY:
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %u values, found more",
                          builder->stack.max_values);
    }
    HAFT__UNREACHABLE();
}

haft_status haft__json_builder_add(haft__json_builder *builder, const haft__json_event *event,
                                   haft_error *err)
{
    switch (event->kind) {
    case HAFT__JSON_EVENT_MORE:
    case HAFT__JSON_EVENT_DONE: return HAFT_OK;
    case HAFT__JSON_EVENT_BEGIN:
        return haft__json_stack_open(&builder->stack, event->value.kind == HAFT__JSON_OBJECT)
                   ? HAFT_OK
                   : haft__fail_no_memory(err);
    case HAFT__JSON_EVENT_END: return close_container(builder, err);
    case HAFT__JSON_EVENT_PART:
        haft__buf_add_str(&builder->text, haft__json_text(event->value));
        return haft__buf_check(&builder->text, err);
    case HAFT__JSON_EVENT_KEY:
    case HAFT__JSON_EVENT_SCALAR: return add_whole(builder, event->value, err);
    }
    HAFT__UNREACHABLE();
}

const haft__json *haft__json_builder_value(const haft__json_builder *builder)
{
    bool complete = builder->stack.depth == 0 && haft__json_stack_count(&builder->stack) == 1;
    return complete ? &builder->stack.values[0] : NULL;
}
