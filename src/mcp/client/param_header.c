/* SPDX-License-Identifier: Apache-2.0 */
/* param_header.c - encodes header values. Tests: tests/mcp/client/param_header_test.c. */
#include "mcp/client/param_header.h"

#include "base/base64.h"
#include "base/str.h"
#include "json/number.h"

#define OPEN  HAFT__LIT("=?base64?")
#define CLOSE HAFT__LIT("?=")

/* Whether a header can have the value as it is: visible ASCII, with white space only inside, and
 * not in the form of an encoded value. */
static bool is_plain(haft_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        bool first_or_last = i == 0 || i + 1 == value.len;
        if ((c < 0x21 || c > 0x7E) && (first_or_last || (c != ' ' && c != '\t'))) {
            return false;
        }
    }
    return !(haft__str_starts_with(value, OPEN) && haft__str_ends_with(value, CLOSE));
}

void haft__mcp_header_add(haft__buf *buf, haft_str value)
{
    if (is_plain(value)) {
        haft__buf_add_str(buf, value);
        return;
    }
    haft__buf_add_str(buf, OPEN);
    haft__base64_add(buf, value);
    haft__buf_add_str(buf, CLOSE);
}

static bool can_be_header(haft__json value)
{
    return value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_TRUE
           || value.kind == HAFT__JSON_FALSE
           || (value.kind == HAFT__JSON_NUMBER && haft__number_is_integer(haft__json_text(value)));
}

bool haft__mcp_header_param(haft__buf *buf, const haft__mcp_param *param, haft__json arguments)
{
    const haft__json *value = &arguments;
    for (size_t i = 0; i < param->depth && value != NULL; i++) {
        value = haft__json_get(*value, param->path[i]);
    }
    if (value == NULL || !can_be_header(*value)) {
        return false;
    }
    haft__buf_addf(buf, "Mcp-Param-%.*s: ", HAFT__ARG(param->name));
    if (value->kind == HAFT__JSON_STRING) {
        haft__mcp_header_add(buf, haft__json_text(*value));
    } else if (value->kind == HAFT__JSON_NUMBER) {
        haft__number_add_normal(buf, haft__json_text(*value));
    } else {
        haft__buf_addf(buf, "%s", value->kind == HAFT__JSON_TRUE ? "true" : "false");
    }
    return true;
}
