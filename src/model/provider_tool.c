/* SPDX-License-Identifier: Apache-2.0 */
/* provider_tool.c - see provider_tool.h. Tests: tests/model/provider_tool_test.c. */
#include "model/provider_tool.h"

#include "base/ascii.h"
#include "base/str.h"
#include "tool/wire_name.h"
#include "json/object.h"
#include "json/read.h"

#define TYPE "type"

/* Whether the type is the name with a date, as in web_search_20260318. */
static bool is_dated(haft_str type, haft_str name)
{
    bool dated =
        type.len == name.len + 9 && haft__str_starts_with(type, name) && type.ptr[name.len] == '_';
    for (size_t i = name.len + 1; dated && i < type.len; i++) {
        dated = haft__ascii_is_digit(type.ptr[i]);
    }
    return dated;
}

const haft__provider_tool *haft__provider_tool_find(const haft__provider *provider, haft_str type)
{
    const haft__provider_tool *row = provider->capabilities.tools;
    for (; row != NULL && row->type != NULL; row++) {
        haft_str name = haft__str(row->type);
        bool dates = is_dated(haft__str(row->wire), name);
        if (haft__str_equal(type, name) || (dates && is_dated(type, name))) {
            return row;
        }
    }
    return NULL;
}

static haft__json object_of(const haft__tool *tool)
{
    return haft__object_object(tool->definition, "provider");
}

haft_str haft__provider_tool_type(const haft__tool *tool)
{
    return haft__object_string(object_of(tool), TYPE);
}

bool haft__provider_tool_shares_name(const haft__provider *provider, const haft__tool *hosted,
                                     const haft__tool *other)
{
    const haft__provider_tool *row =
        haft__provider_tool_find(provider, haft__provider_tool_type(hosted));
    if (row == NULL || !provider->capabilities.named_tools) {
        return false;
    }
    if (other->source == HAFT__TOOL_PROVIDER) {
        return haft__provider_tool_find(provider, haft__provider_tool_type(other)) == row;
    }
    haft__wire_name name = haft__wire_name_encode(other->name);
    return haft__str_equal(haft__wire_name_str(&name), haft__str(row->type));
}

void haft__provider_tool_list(const haft__provider *provider, haft__buf *buf)
{
    const haft__provider_tool *row = provider->capabilities.tools;
    for (size_t i = 0; row != NULL && row[i].type != NULL; i++) {
        haft__buf_addf(buf, "%s%s", i > 0 ? ", " : "", row[i].type);
    }
}

void haft__provider_tool_add_members(haft__json_writer *w, const haft__tool *tool)
{
    haft__json object = object_of(tool);
    for (uint32_t i = 0; i < object.count; i++) {
        haft_str key = haft__json_text(object.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT(TYPE))) {
            haft__json_key_str(w, key);
            haft__json_add(w, object.members[i].value);
        }
    }
}

void haft__provider_tools_write(const haft__provider *provider, const haft__request *request,
                                haft__provider_tool_writer *write, haft__buf *buf)
{
    bool first = true;
    for (size_t i = 0; i < request->provider_tool_count; i++) {
        const haft__tool *tool = request->provider_tools[i];
        const haft__provider_tool *row =
            haft__provider_tool_find(provider, haft__provider_tool_type(tool));
        haft__json_writer w;
        if (row != NULL) {
            haft__buf_add_str(buf, first ? HAFT__LIT("") : HAFT__LIT(","));
            haft__json_writer_init(&w, buf);
            write(&w, row, tool);
            first = false;
        }
    }
}

/* ---- calls ---- */

static void add_calls(haft__json_writer *w, const haft__provider *provider, haft__json items,
                      bool *io_any)
{
    for (uint32_t i = 0; items.kind == HAFT__JSON_ARRAY && i < items.count; i++) {
        haft__provider_call call = {.arguments = haft__json_null()};
        if (!provider->api->read_provider_call(items.items[i], &call)) {
            continue;
        }
        if (!*io_any) {
            haft__json_begin_array(w);
        }
        *io_any = true;
        haft__json_begin_object(w);
        haft__field_text(w, TYPE, call.type);
        haft__field_text_or_null(w, "id", call.id);
        haft__field_value(w, "arguments", call.arguments);
        haft__json_end_object(w);
    }
}

haft_status haft__provider_calls_write(const haft__provider *provider, haft_str items,
                                       haft__buf *buf, haft_error *err)
{
    if (provider->api->read_provider_call == NULL || items.len == 0) {
        return HAFT_OK;
    }
    haft__arena arena;
    haft__json value = haft__json_null();
    haft__json_writer w;
    bool any = false;
    haft__arena_init(&arena, 0);
    haft__json_writer_init(&w, buf);
    haft_status status = haft__json_read(&arena, items, NULL, &value, NULL, err);
    if (status == HAFT_OK) {
        add_calls(&w, provider, value, &any);
    }
    if (any) {
        haft__json_end_array(&w);
    }
    haft__arena_finish(&arena);
    return status == HAFT_NO_MEMORY ? status : haft__buf_check(buf, err);
}
