/* SPDX-License-Identifier: Apache-2.0 */
/* builder.c - events to values, on the same stack as the strict reader's.
 * Tests: tests/json/stream_test.c. */
#include "json/builder.h"

#include "base/error.h"
#include "base/str.h"

void haft__json_builder_init(haft__json_builder *builder, haft__arena *arena,
                             const haft__json_options *options)
{
    builder->arena = arena;
    haft__stack_init(&builder->stack);
    haft__buf_init(&builder->text, HAFT__LIMIT_JSON_BYTES);
    builder->hash_key = options != NULL ? options->hash_key : (haft__hash_key){0, 0};
    builder->refuse_duplicates = options != NULL && options->refuse_duplicates;
    builder->duplicate_keys = 0;
}

void haft__json_builder_finish(haft__json_builder *builder)
{
    haft__stack_finish(&builder->stack);
    haft__buf_finish(&builder->text);
}

static haft_status push(haft__json_builder *builder, haft__json value, haft_error *err)
{
    return haft__stack_push(&builder->stack, value) ? HAFT_OK : haft__fail_no_memory(err);
}

/* A key, number or literal, or a string with the pieces that came before. */
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
    haft__buf_clear(&builder->text);
    return push(builder, value, err);
}

static haft_status close_container(haft__json_builder *builder, haft_error *err)
{
    uint32_t before = builder->duplicate_keys;
    haft_str duplicate = {NULL, 0};
    haft_status status = haft__stack_close(&builder->stack, builder->arena, builder->hash_key,
                                           &builder->duplicate_keys, &duplicate, err);
    if (status != HAFT_OK || builder->duplicate_keys == before || !builder->refuse_duplicates) {
        return status;
    }
    return haft__fail(err, HAFT_BAD_INPUT, "",
                      "expected each key once in an object, found \"%.*s\" more than once",
                      HAFT__ARG(duplicate));
}

haft_status haft__json_builder_add(haft__json_builder *builder, const haft__json_event *event,
                                   haft_error *err)
{
    switch (event->kind) {
    case HAFT__JSON_EVENT_MORE:
    case HAFT__JSON_EVENT_DONE: return HAFT_OK;
    case HAFT__JSON_EVENT_BEGIN:
        return haft__stack_open(&builder->stack, (haft__json_kind)event->value.kind)
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
    bool complete = builder->stack.depth == 0 && builder->stack.count == 1;
    return complete ? &builder->stack.values[0] : NULL;
}
