/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - makes a schema from names. Tests: tests/tool/args_test.c. */
#include "tool/args.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

bool haft__args_name_valid(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool fits = haft__ascii_is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
        if (!fits) {
            return false;
        }
    }
    return name.len > 0 && name.len <= HAFT__ARGS_NAME_BYTES;
}

/* At most HAFT__LIMIT_TOOL_ARGS names, so a linear search for duplicates is cheap. */
static haft_status check_name(haft__json args, uint32_t at, haft_error *err)
{
    haft__json item = args.items[at];
    haft_str name = haft__json_text(item);
    char where[16];
    (void)snprintf(where, sizeof(where), "/%u", at);
    if (item.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(item, where, "an argument's name", err);
    }
    if (!haft__args_name_valid(name)) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, where,
                                        "'%.*s' cannot be an argument's name", HAFT__ARG(name));
        return haft__hint(err, status, "use 1 to %d letters, digits and _ . -",
                          HAFT__ARGS_NAME_BYTES);
    }
    for (uint32_t i = 0; i < at; i++) {
        if (haft__str_equal(haft__json_text(args.items[i]), name)) {
            return haft__fail(err, HAFT_BAD_INPUT, where, "argument '%.*s' is listed twice",
                              HAFT__ARG(name));
        }
    }
    return HAFT_OK;
}

static haft_status check_names(haft__json args, haft_error *err)
{
    if (args.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (args.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(args, "", "a list of argument names", err);
    }
    if (args.count > HAFT__LIMIT_TOOL_ARGS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "%u arguments, more than %d", args.count,
                          HAFT__LIMIT_TOOL_ARGS);
    }
    for (uint32_t i = 0; i < args.count; i++) {
        haft_status status = check_name(args, i, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

haft_status haft__args_schema(haft__arena *arena, haft__json args, haft__json *ret_schema,
                              haft_error *err)
{
    haft_status status = check_names(args, err);
    if (status != HAFT_OK) {
        return status;
    }
    size_t count = args.kind == HAFT__JSON_ARRAY ? args.count : 0;
    haft__json_member *members = haft__arena_array(arena, 5, sizeof(*members));
    haft__json_member *properties = haft__arena_array(arena, count, sizeof(*properties));
    if (members == NULL || properties == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[4] = (haft__json_member){haft__json_string(HAFT__LIT("type")),
                                     haft__json_string(HAFT__LIT("string"))};
    for (size_t i = 0; i < count; i++) {
        properties[i] = (haft__json_member){args.items[i], haft__json_object(&members[4], 1)};
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("type")),
                                     haft__json_string(HAFT__LIT("object"))};
    members[1] = (haft__json_member){haft__json_string(HAFT__LIT("properties")),
                                     haft__json_object(properties, count)};
    members[2] = (haft__json_member){haft__json_string(HAFT__LIT("required")),
                                     haft__json_array(count > 0 ? args.items : NULL, count)};
    members[3] = (haft__json_member){haft__json_string(HAFT__LIT("additionalProperties")),
                                     haft__json_bool(false)};
    *ret_schema = haft__json_object(members, 4);
    return HAFT_OK;
}
