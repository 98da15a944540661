/* SPDX-License-Identifier: Apache-2.0 */
/* pointer.c - JSON Pointer, RFC 6901. Tests: tests/json/pointer_test.c. */
#include "json/pointer.h"

#include "base/str.h"
#include "json/decimal.h"

/* The next character of a token and how many bytes it takes; 0 bytes when the token has ended or
 * "~" is followed by neither 0 nor 1. */
static size_t next_char(haft_str token, size_t at, char *ret_c)
{
    if (at == token.len) {
        return 0;
    }
    *ret_c = token.ptr[at];
    if (token.ptr[at] != '~') {
        return 1;
    }
    if (at + 1 == token.len || (token.ptr[at + 1] != '0' && token.ptr[at + 1] != '1')) {
        return 0;
    }
    *ret_c = token.ptr[at + 1] == '0' ? '~' : '/';
    return 2;
}

static bool spells(haft_str token, haft_str key)
{
    size_t at = 0;
    for (size_t i = 0; i < key.len; i++) {
        char c = 0;
        size_t length = next_char(token, at, &c);
        if (length == 0 || c != key.ptr[i]) {
            return false;
        }
        at += length;
    }
    return at == token.len;
}

const haft__json *haft__pointer_member(haft__json object, haft_str token)
{
    for (uint32_t i = 0; i < object.count; i++) {
        if (spells(token, haft__json_text(object.members[i].key))) {
            return &object.members[i].value;
        }
    }
    return NULL;
}

const haft__json *haft__pointer_item(haft__json array, haft_str token)
{
    uint64_t index;
    bool leading_zero = token.len > 1 && token.ptr[0] == '0';
    if (leading_zero || !haft__str_to_u64(token, &index) || index >= array.count) {
        return NULL;
    }
    return &array.items[index];
}

bool haft__pointer_next(haft_str *pointer, haft_str *ret_token)
{
    if (pointer->len == 0 || pointer->ptr[0] != '/') {
        return false;
    }
    size_t end = 1;
    while (end < pointer->len && pointer->ptr[end] != '/') {
        end++;
    }
    *ret_token = (haft_str){pointer->ptr + 1, end - 1};
    *pointer = haft__str_skip(*pointer, end);
    return true;
}

const haft__json *haft__pointer_get(const haft__json *root, haft_str pointer)
{
    const haft__json *value = root;
    haft_str token;
    while (value != NULL && haft__pointer_next(&pointer, &token)) {
        if (value->kind == HAFT__JSON_OBJECT) {
            value = haft__pointer_member(*value, token);
        } else {
            value = value->kind == HAFT__JSON_ARRAY ? haft__pointer_item(*value, token) : NULL;
        }
    }
    return pointer.len == 0 ? value : NULL;
}

void haft__pointer_add_key(haft__buf *buf, haft_str key)
{
    haft__buf_add_char(buf, '/');
    size_t done = 0;
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] == '~' || key.ptr[i] == '/') {
            haft__buf_add(buf, key.ptr + done, i - done);
            haft__buf_add(buf, key.ptr[i] == '~' ? "~0" : "~1", 2);
            done = i + 1;
        }
    }
    if (done < key.len) {
        haft__buf_add(buf, key.ptr + done, key.len - done);
    }
}

void haft__pointer_add_index(haft__buf *buf, size_t index)
{
    char text[HAFT__DECIMAL_U64_MAX];
    haft__buf_add_char(buf, '/');
    haft__buf_add(buf, text, haft__decimal_from_u64(index, text));
}
