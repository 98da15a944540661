/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rpc_envelope.c - finds the id of a message that is too big to be read. With the id, the request
 * that the message answers can end. Tests: tests/mcp/rpc_test.c.
 *
 * The functions only follow brackets and strings, at any depth and in constant memory.
 */
#include "mcp/rpc.h"

#include "base/str.h"
#include "json/read.h"

static void skip_space(haft_str *rest)
{
    while (rest->len > 0 && memchr(" \t\r\n", rest->ptr[0], 4) != NULL) {
        *rest = haft__str_skip(*rest, 1);
    }
}

static bool take(haft_str *rest, char expected)
{
    skip_space(rest);
    bool found = rest->len > 0 && rest->ptr[0] == expected;
    *rest = haft__str_skip(*rest, found ? 1 : 0);
    return found;
}

/* The length of the string at the start of a text, with its quotes; 0 if its end is missing. */
static size_t string_length(haft_str text)
{
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] == '\\') {
            i++;
        } else if (text.ptr[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

/* The length of the value at the start of a text; 0 if its end is missing. */
static size_t value_length(haft_str text)
{
    size_t depth = 0, i = 0;
    while (i < text.len) {
        char c = text.ptr[i];
        if (depth == 0 && i > 0 && memchr(",}] \t\r\n", c, 7) != NULL) {
            return i;
        }
        size_t length = c == '"' ? string_length(haft__str_skip(text, i)) : 1;
        depth += c == '{' || c == '[';
        bool closes = c == '}' || c == ']';
        if (length == 0 || (closes && depth == 0)) {
            return 0;
        }
        depth -= closes;
        i += length;
        if (depth == 0 && (closes || c == '"')) {
            return i;
        }
    }
    return 0;
}

/* Reads one member; false at the end, or if the text is not an object. */
static bool take_member(haft_str *rest, haft_str *ret_key, haft_str *ret_value)
{
    skip_space(rest);
    size_t length = rest->len > 0 && rest->ptr[0] == '"' ? string_length(*rest) : 0;
    *ret_key = (haft_str){rest->ptr, length};
    *rest = haft__str_skip(*rest, length);
    if (length == 0 || !take(rest, ':')) {
        return false;
    }
    skip_space(rest);
    *ret_value = (haft_str){rest->ptr, value_length(*rest)};
    return true;
}

void haft__rpc_read_envelope(haft__arena *arena, haft_str text, haft__rpc_fault *io_fault)
{
    unsigned ids = 0;
    bool method = false, answer = false;
    haft_str key, value, id = HAFT__LIT("");
    bool more = take(&text, '{');
    while (more && take_member(&text, &key, &value)) {
        bool is_id = haft__str_equal(key, HAFT__LIT("\"id\""));
        ids += is_id;
        id = is_id ? value : id;
        method = method || haft__str_equal(key, HAFT__LIT("\"method\""));
        answer = answer || haft__str_equal(key, HAFT__LIT("\"result\""))
                 || haft__str_equal(key, HAFT__LIT("\"error\""));
        text = haft__str_skip(text, value.len);
        more = value.len > 0 && take(&text, ',');
    }
    haft__json read;
    io_fault->answer = answer && !method;
    if (ids == 1 && haft__json_read(arena, id, NULL, &read, NULL, NULL) == HAFT_OK
        && haft__rpc_id_valid(read)) {
        io_fault->id = read;
        io_fault->maybe_response = answer || !method;
    }
}
