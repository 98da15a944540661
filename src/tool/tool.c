/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - names of tools, sources and roles. Tests: tests/tool/tool_test.c. */
#include "tool/tool.h"

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

static const char *const source_names[] = {
#define X(name, text) text,
    HAFT__TOOL_SOURCES(X)
#undef X
};

const char *haft__tool_source_name(haft__tool_source source)
{
    return source_names[source];
}

const char *haft__tool_role_name(haft__tool_role role)
{
    switch (role) {
    case HAFT__ROLE_DATA: return "data";
    case HAFT__ROLE_NEUTRAL: return "neutral";
    case HAFT__ROLE_CONTROL: return "control";
    case HAFT__ROLE_ARTIFACT: return "artifact";
    }
    HAFT__UNREACHABLE();
}

static bool is_name_byte(char c)
{
    return haft__ascii_is_alphanumeric(c) || (c != '\0' && strchr("_.:/-", c) != NULL);
}

static haft_status bad_byte(haft_str name, size_t at, haft_error *err)
{
    unsigned char byte = (unsigned char)name.ptr[at];
    haft_status status =
        byte > ' ' && byte < 0x7f
            ? haft__fail(err, HAFT_BAD_INPUT, "", "tool name '%.*s' contains '%c'", HAFT__ARG(name),
                         byte)
            : haft__fail(err, HAFT_BAD_INPUT, "", "tool name '%.*s' has byte 0x%02x at %zu",
                         HAFT__ARG(name), byte, at);
    return haft__hint(err, status, "use letters, digits and _ . / - or server:tool");
}

haft_status haft__tool_name_check(haft_str name, haft_error *err)
{
    if (name.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the name of a tool is empty");
    }
    if (name.len > HAFT__LIMIT_TOOL_NAME_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "tool name '%.*s...' has %zu bytes, more than %d",
                          32, name.ptr, name.len, HAFT__LIMIT_TOOL_NAME_BYTES);
    }
    size_t colons = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (!is_name_byte(name.ptr[i])) {
            return bad_byte(name, i, err);
        }
        colons += name.ptr[i] == ':';
    }
    if (colons > 1 || name.ptr[0] == ':' || name.ptr[name.len - 1] == ':') {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "tool name '%.*s' has %s", HAFT__ARG(name),
                       colons > 1 ? "more than one ':'" : "a ':' at its end");
        return haft__hint(err, status, "use one ':', between server and tool");
    }
    return HAFT_OK;
}
