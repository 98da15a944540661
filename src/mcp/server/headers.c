/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers.c - checks the HTTP headers that repeat parts of a request. Proxies use these headers for
 * routing, so they must match the body. Tests: tests/mcp/server/headers_test.c.
 *
 * Values that a header cannot contain are encoded as =?base64?...?=.
 */
#include "base/ascii.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/server/server_int.h"
#include "json/read.h"

#define SENTINEL_HEAD HAFT__LIT("=?base64?")
#define SENTINEL_TAIL HAFT__LIT("?=")
#define PARAM_HEAD    "Mcp-Param-"

static bool refuse(haft__mcp_request *request, const char *header, const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(&text, "the header %.128s %s", header, why);
    haft__mcp_request_reject(request, 400, HAFT__RPC_HEADER, haft__buf_str(&text), HAFT__LIT(""));
    haft__buf_finish(&text);
    return false;
}

/* ---- values ---- */

/* The decoded value of a header; .ptr is NULL if its encoding is invalid. */
static haft_str header_value(haft__mcp_request *request, haft_str header)
{
    haft_str value = haft__str_trim(header);
    size_t affix_bytes = SENTINEL_HEAD.len + SENTINEL_TAIL.len;
    if (value.len < affix_bytes || !haft__str_starts_with(value, SENTINEL_HEAD)
        || !haft__str_ends_with(value, SENTINEL_TAIL)) {
        return value;
    }
    haft_str coded = {value.ptr + SENTINEL_HEAD.len, value.len - affix_bytes};
    char *decoded = haft__arena_alloc(&request->own->arena, coded.len + 1);
    size_t length = 0;
    if (decoded == NULL || !haft__base64_decode(coded, decoded, &length)) {
        return (haft_str){NULL, 0};
    }
    return (haft_str){decoded, length};
}

/* ---- headers of every request ---- */

/* The value of Mcp-Name according to the body; .ptr is NULL if the method has none. */
static haft_str name_in_body(const haft__mcp_request *request)
{
    static const struct {
        const char *method, *key;
    } rows[] = {{"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (haft__str_equal(request->own->message.method, haft__str(rows[i].method))) {
            const haft__json *name = haft__json_get(request->params, haft__str(rows[i].key));
            return name != NULL && name->kind == HAFT__JSON_STRING ? haft__json_text(*name)
                                                                   : (haft_str){NULL, 0};
        }
    }
    return (haft_str){NULL, 0};
}

/* Rejects the request unless the header exists and equals `expected`. */
static bool check_header(haft__mcp_request *request, const char *header, haft_str found,
                         haft_str expected)
{
    if (found.ptr == NULL) {
        return refuse(request, header, "is missing");
    }
    haft_str value = header_value(request, found);
    if (value.ptr == NULL) {
        return refuse(request, header, "is not valid =?base64?...?= text");
    }
    return haft__str_equal(value, expected) || refuse(request, header, "does not match the body");
}

bool haft__mcp_headers_check(haft__mcp_request *request, const haft__mcp_headers *headers)
{
    const haft__json *version = haft__mcp_request_meta(request, HAFT__MCP_META_VERSION);
    haft_str name = name_in_body(request);
    return check_header(request, "MCP-Protocol-Version", headers->version,
                        haft__json_text(*version))
           && check_header(request, "Mcp-Method", headers->method, request->own->message.method)
           && (name.ptr == NULL || check_header(request, "Mcp-Name", headers->name, name));
}

/* ---- headers of arguments ---- */

/* Integers are compared as numbers, everything else as text. */
static bool equals_argument(haft__mcp_request *request, haft_str value, haft__json argument)
{
    switch (argument.kind) {
    case HAFT__JSON_TRUE: return haft__str_equal(value, HAFT__LIT("true"));
    case HAFT__JSON_FALSE: return haft__str_equal(value, HAFT__LIT("false"));
    case HAFT__JSON_STRING: return haft__str_equal(value, haft__json_text(argument));
    case HAFT__JSON_NUMBER: {
        haft__json number;
        bool equal = false;
        return haft__json_read(&request->own->arena, value, NULL, &number, NULL, NULL) == HAFT_OK
               && number.kind == HAFT__JSON_NUMBER
               && haft__json_equal(number, argument, &equal, NULL) == HAFT_OK && equal;
    }
    default: return false;
    }
}

/* Checks the header of one property. */
static bool check_property(haft__mcp_request *request, haft_str header, const haft__json *argument,
                           const haft__mcp_headers *headers)
{
    char name[sizeof(PARAM_HEAD) + HAFT__LIMIT_TOOL_NAME_BYTES];
    if (header.len == 0 || header.len > HAFT__LIMIT_TOOL_NAME_BYTES) {
        return true; /* clients do not use such a tool */
    }
    (void)snprintf(name, sizeof(name), PARAM_HEAD "%.*s", HAFT__ARG(header));
    haft_str found = headers->get(headers->context, name);
    bool has_value = argument != NULL && argument->kind != HAFT__JSON_NULL;
    if (!has_value) {
        return found.ptr == NULL || refuse(request, name, "has a value that the body lacks");
    }
    if (found.ptr == NULL) {
        return refuse(request, name, "is missing");
    }
    haft_str value = header_value(request, found);
    if (value.ptr == NULL) {
        return refuse(request, name, "is not valid =?base64?...?= text");
    }
    return equals_argument(request, value, *argument)
           || refuse(request, name, "does not match the body");
}

/* Recurses into nested properties; schemas bound the depth. */
static bool check_object(haft__mcp_request *request, haft__json schema, haft__json arguments,
                         const haft__mcp_headers *headers, int depth)
{
    const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
    uint32_t count = properties != NULL && properties->kind == HAFT__JSON_OBJECT && depth > 0
                         ? properties->count
                         : 0;
    for (uint32_t i = 0; i < count; i++) {
        haft__json_member member = properties->members[i];
        const haft__json *argument = haft__json_get(arguments, haft__json_text(member.key));
        const haft__json *header = haft__json_get(member.value, HAFT__LIT("x-mcp-header"));
        if (header != NULL
            && !check_property(request, haft__json_text(*header), argument, headers)) {
            return false;
        }
        haft__json inner = argument != NULL ? *argument : haft__json_null();
        if (!check_object(request, member.value, inner, headers, depth - 1)) {
            return false;
        }
    }
    return true;
}

bool haft__mcp_headers_check_arguments(haft__mcp_request *request, const haft__json *schema,
                                       const haft__mcp_headers *headers)
{
    return check_object(request, *schema, request->arguments, headers,
                        HAFT__LIMIT_JSON_DEPTH_STRICT);
}
