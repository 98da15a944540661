/* SPDX-License-Identifier: Apache-2.0 */
/* size.c - measures the size of a value: bytes and levels. Tests: tests/channel/value_test.c. */
#include "channel/value.h"

size_t haft__channel_size(haft__json value)
{
    size_t bytes = 0;
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: break;
    case HAFT__JSON_NUMBER:
    case HAFT__JSON_STRING: return haft__json_text(value).len;
    case HAFT__JSON_ARRAY:
        bytes = (size_t)value.count * sizeof(*value.items);
        for (uint32_t i = 0; i < value.count; i++) {
            bytes += haft__channel_size(value.items[i]);
        }
        break;
    case HAFT__JSON_OBJECT:
        bytes = (size_t)value.count * sizeof(*value.members);
        for (uint32_t i = 0; i < value.count; i++) {
            bytes += haft__json_text(value.members[i].key).len;
            bytes += haft__channel_size(value.members[i].value);
        }
        break;
    }
    return bytes;
}

bool haft__channel_is_deeper(haft__json value, uint32_t levels)
{
    bool list = value.kind == HAFT__JSON_ARRAY, object = value.kind == HAFT__JSON_OBJECT;
    bool deeper = (list || object) && levels == 0;
    for (uint32_t i = 0; (list || object) && !deeper && i < value.count; i++) {
        deeper =
            haft__channel_is_deeper(list ? value.items[i] : value.members[i].value, levels - 1);
    }
    return deeper;
}
