/* SPDX-License-Identifier: Apache-2.0 */
/* items.c - see items.h and request_int.h. Tests: tests/model/providers/anthropic/request_test.c.
 */
#include "model/providers/anthropic/items.h"

#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/model_rules.h"
#include "model/providers/anthropic/request_int.h"
#include "json/object.h"
#include "json/read.h"

#define PREFIX     "{\"type\":\"haft_prefix\",\"hash\":\""
#define PREFIX_END "\"}"

/* ---- the first item ---- */

void haft__anthropic_write_prefix(haft__buf *buf, uint64_t prefix)
{
    haft__buf_addf(buf, PREFIX "%016llx" PREFIX_END, (unsigned long long)prefix);
}

bool haft__anthropic_split_items(haft_str *io_items, uint64_t *ret_prefix)
{
    static const size_t length = sizeof(PREFIX) - 1 + HAFT__HEX_U64 + sizeof(PREFIX_END) - 1;
    haft_str items = haft__str_trim(*io_items);
    if (!haft__str_starts_with(items, HAFT__LIT("["))
        || !haft__str_ends_with(items, HAFT__LIT("]"))) {
        return false;
    }
    items = (haft_str){items.ptr + 1, items.len - 2};
    *ret_prefix = 0;
    if (haft__str_starts_with(items, HAFT__LIT(PREFIX)) && items.len >= length) {
        (void)haft__hex_read_u64((haft_str){items.ptr + sizeof(PREFIX) - 1, HAFT__HEX_U64},
                                 ret_prefix); /* stays 0 if the digits are not valid */
        items = haft__str_skip(items, length);
        items = haft__str_skip(items, haft__str_starts_with(items, HAFT__LIT(",")) ? 1 : 0);
    }
    *io_items = items;
    return true;
}

/* ---- items of a message ---- */

static bool is(haft__json block, const char *type)
{
    return haft__str_equal(haft__object_string(block, "type"), haft__str(type));
}

bool haft__anthropic_read_provider_call(haft__json item, haft__provider_call *ret_call)
{
    *ret_call = (haft__provider_call){.type = haft__object_string(item, "name"),
                                      .id = haft__object_string(item, "id"),
                                      .arguments = haft__object_get(item, "input")};
    return is(item, "server_tool_use");
}

/* Whether the calls of the items are those of the message: results name them by their ids. */
static bool has_same_calls(haft__json items, const haft__message *message)
{
    size_t calls = 0;
    bool same = items.kind == HAFT__JSON_ARRAY;
    for (uint32_t i = 0; same && i < items.count; i++) {
        if (is(items.items[i], "tool_use")) {
            same = calls < message->call_count
                   && haft__str_equal(haft__object_string(items.items[i], "id"),
                                      message->calls[calls].id);
            calls++;
        }
    }
    return same && calls == message->call_count;
}

haft_status haft__anthropic_find_items(const haft__anthropic_chat *chat,
                                       const haft__request *request, const haft__message *message,
                                       haft_str *ret_items, haft_error *err)
{
    haft_str items = message->items;
    uint64_t prefix = 0;
    *ret_items = (haft_str){NULL, 0};
    if (!haft__conversation_owns_items(&chat->head, message)
        || !haft__anthropic_split_items(&items, &prefix)
        || (prefix != chat->prefix && haft__model_rules_find(request->model)->binds_reasoning)) {
        return HAFT_OK;
    }
    haft__json value;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = haft__json_read(&arena, message->items, NULL, &value, NULL, err);
    if (status == HAFT_OK && has_same_calls(value, message)) {
        *ret_items = items;
    }
    haft__arena_finish(&arena);
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}
