/* SPDX-License-Identifier: Apache-2.0 */
/* tools_file.c - see tools_file.h. Tests: tests/cli/parse_test.py,
 * tests/cli/render_test.py. */
#include "cli/input/tools_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "json/read.h"

/* OpenAI wraps a tool in {"type":"function","function":{...}}. */
static haft__json unwrap(haft__json entry)
{
    const haft__json *function = haft__json_get(entry, HAFT__LIT("function"));
    return function != NULL && function->kind == HAFT__JSON_OBJECT ? *function : entry;
}

static haft__json parameters_of(haft__json tool)
{
    static const char *const keys[] = {"parameters", "input_schema", "inputSchema"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *found = haft__json_get(tool, haft__str(keys[i]));
        if (found != NULL) {
            return *found;
        }
    }
    return haft__json_null();
}

/* Finds the name of a tool: the entry itself may be a name. Returns NULL if the tool has no name.
 */
static const haft__json *find_name(const haft__json *entry, haft__json tool)
{
    return entry->kind == HAFT__JSON_STRING ? entry : haft__json_get(tool, HAFT__LIT("name"));
}

static haft_status parse_tool(haft__json entry, uint32_t at, haft__format_tool *ret_tool,
                              haft_error *err)
{
    haft__json tool = unwrap(entry);
    const haft__json *name = find_name(&entry, tool);
    if (name == NULL || name->kind != HAFT__JSON_STRING) {
        char where[32];
        (void)snprintf(where, sizeof(where), "/%u", at);
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, where,
                                        "expected the name of a tool, or an object with \"name\"");
        return haft__hint(err, status, "a tool is {\"name\": ..., \"parameters\": {...}}");
    }
    const haft__json *description = haft__json_get(tool, HAFT__LIT("description"));
    *ret_tool = (haft__format_tool){.name = haft__json_text(*name),
                                    .parameters = parameters_of(tool),
                                    .description = description != NULL
                                                           && description->kind == HAFT__JSON_STRING
                                                       ? haft__json_text(*description)
                                                       : HAFT__LIT("")};
    return HAFT_OK;
}

haft_status haft__tools_file_parse(haft__arena *arena, haft__json value, haft__tools_list *ret_list,
                                   haft_error *err)
{
    const haft__json *member = haft__json_get(value, HAFT__LIT("tools"));
    haft__json list = member != NULL ? *member : value;
    if (list.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(list, "", "an array of tools", err);
    }
    haft__tools_list parsed = {.tools = haft__arena_array(arena, list.count, sizeof(*parsed.tools)),
                               .count = list.count};
    if (parsed.tools == NULL && list.count > 0) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < list.count && status == HAFT_OK; i++) {
        status = parse_tool(list.items[i], i, &parsed.tools[i], err);
    }
    if (status == HAFT_OK) {
        *ret_list = parsed;
    }
    return status;
}

haft_status haft__tools_file_read(haft__arena *arena, const char *path, haft__hash_key hash_key,
                                  haft__tools_list *ret_list, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft_str text = {NULL, 0};
    haft__json value;
    haft_status status = haft__file_read_arena(arena, path, HAFT__LIMIT_JSON_BYTES, &text, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__json_read(arena, text, &options, &value, NULL, err);
    if (status == HAFT_OK) {
        status = haft__tools_file_parse(arena, value, ret_list, err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, strcmp(path, "-") == 0 ? "standard input" : path);
    }
    return status;
}
