/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - checks tools and stores them by name, by wire name and in order.
 *
 * Invariant: items, by_name and by_wire have the same tools. In an addition, every step that can
 * fail precedes the first visible change.
 *
 * Tests: tests/tool/registry_test.c.
 */
#include "tool/registry.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "tool/traits.h"
#include "tool/wire_name.h"

void haft__tools_init(haft__tools *tools, haft__arena *arena, haft__hash_key hash_key)
{
    *tools = (haft__tools){.arena = arena};
    haft__map_init(&tools->by_name, arena, hash_key);
    haft__map_init(&tools->by_wire, arena, hash_key);
}

/* ---- checking ---- */

/* Prepends the tool and its part to the JSON Pointer of an error. */
static haft_status in_tool(haft_status status, haft_str name, const char *part, haft_error *err)
{
    if (status == HAFT_OK || err == NULL || status == HAFT_NO_MEMORY) {
        return status;
    }
    /* Truncates a long name, so that the pointer stays readable. */
    char where[sizeof(err->where)];
    (void)snprintf(where, sizeof(where), "%.*s#%s%.60s", (int)(name.len > 40 ? 40 : name.len),
                   name.ptr, part, err->where);
    memcpy(err->where, where, sizeof(where));
    return status;
}

static haft_status check_description(haft_str text, haft_error *err)
{
    if (haft__str_trim(text).len == 0) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "the tool has no description");
        return haft__hint(err, status, "say what it does and when to use it; the model reads that");
    }
    if (text.len > HAFT__LIMIT_TOOL_DESCRIPTION_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the description has %zu bytes, more than %d",
                          text.len, HAFT__LIMIT_TOOL_DESCRIPTION_BYTES);
    }
    if (!haft__utf8_valid(text)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the description is not UTF-8 at byte %zu",
                          haft__utf8_valid_prefix(text));
    }
    return HAFT_OK;
}

static haft_status check_schema(haft__json schema, haft_error *err)
{
    if (schema.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(schema, "", "a JSON Schema", err);
    }
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    if (type != NULL && haft__str_equal(haft__json_text(*type), HAFT__LIT("object"))) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/type",
                                    "the arguments of a tool must be an object, but this schema "
                                    "does not have \"type\": \"object\"");
    haft__suggestion near;
    haft__suggestion_init(&near, type != NULL ? haft__json_text(*type) : HAFT__LIT(""));
    haft__suggestion_offer(&near, HAFT__LIT("object"));
    return near.best.ptr != NULL
               ? haft__hint(err, status, "did you mean object?")
               : haft__hint(err, status, "put each argument into \"properties\" of an object");
}

/* Compiles the schema after all other checks. On failure the tool keeps its old schema. */
static haft_status check_tool(const haft__tools *tools, haft__tool *tool, haft_error *err)
{
    haft_status status =
        in_tool(check_description(tool->description, err), tool->name, "/description", err);
    if (status == HAFT_OK) {
        status = in_tool(haft__traits_check(&tool->traits, err), tool->name, "/traits", err);
    }
    if (status == HAFT_OK) {
        status = in_tool(check_schema(tool->input_schema, err), tool->name, "/input_schema", err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__schema_options options = {.hash_key = tools->by_name.hash_key};
    status = haft__schema_compile(tools->arena, tool->input_schema, &options, &tool->schema, err);
    if (status != HAFT_OK || tool->output_schema.kind == HAFT__JSON_NULL
        || tool->source == HAFT__TOOL_MCP) { /* the output schema is checked when a result of the
                                                server is read */
        return in_tool(status, tool->name, "/input_schema", err);
    }
    status = haft__schema_compile(tools->arena, tool->output_schema, &options, &tool->output, err);
    return in_tool(status, tool->name, "/output_schema", err);
}

/* ---- adding ---- */

static haft_status make_room(haft__tools *tools, haft_error *err)
{
    if (tools->count >= HAFT__LIMIT_TOOL_COUNT) {
        return haft__fail(err, HAFT_TOO_BIG, "", "more than %d tools", HAFT__LIMIT_TOOL_COUNT);
    }
    const haft__tool **items =
        haft__vec_reserve_in(tools->arena, tools->items, tools->count, &tools->capacity,
                             tools->count + 1, sizeof(const haft__tool *));
    if (items == NULL) {
        return haft__arena_fail(tools->arena, err);
    }
    tools->items = items;
    return HAFT_OK;
}

/* Fails because two tools have the same wire name. Only hashed names can collide, which is very
 * improbable. */
static haft_status wire_collision(haft_str name, const haft__tool *other, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "the name has the same form on the wire as '%.*s'",
                   HAFT__ARG(other->name));
    status = haft__hint(err, status, "rename one of the two");
    return in_tool(status, name, "/name", err);
}

static haft_status index_tool(haft__tools *tools, haft__tool *tool, haft_error *err)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    const haft__tool *other = haft__wire_name_find_tool(tools, haft__wire_name_str(&wire));
    if (other != NULL) {
        return wire_collision(tool->name, other, err);
    }
    haft_str key = haft__arena_copy(tools->arena, haft__wire_name_str(&wire));
    if (key.ptr == NULL) {
        return haft__arena_fail(tools->arena, err);
    }
    haft_status status = haft__map_put(&tools->by_wire, key, tool, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__map_put(&tools->by_name, tool->name, tool, err);
    if (status != HAFT_OK) { /* a map cannot remove an entry, only its value */
        haft__map_find(&tools->by_wire, key)->value = NULL;
    }
    return status;
}

static haft_status add_new(haft__tools *tools, const haft__tool *tool, haft_error *err)
{
    haft_status status = make_room(tools, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__tool *copy = haft__arena_alloc(tools->arena, sizeof(*copy));
    if (copy == NULL) {
        return haft__arena_fail(tools->arena, err);
    }
    *copy = *tool;
    status = check_tool(tools, copy, err);
    if (status == HAFT_OK) {
        status = index_tool(tools, copy, err);
    }
    if (status == HAFT_OK) {
        tools->items[tools->count++] = copy;
    }
    return status;
}

/* Merges two tools: the typed one gives the schema. The other one was written for this agent and
 * gives the description and the traits. */
static haft__tool merged(const haft__tool *typed, const haft__tool *plain)
{
    haft__tool tool = *typed;
    tool.description = plain->description;
    if (plain->traits_given) {
        tool.traits = plain->traits;
        tool.traits_given = true;
    }
    if (typed->source == HAFT__TOOL_HEADLESS) {
        tool.source = plain->source;
        tool.definition = plain->definition;
    }
    return tool;
}

static haft_status add_again(haft__tools *tools, haft__tool *known, const haft__tool *tool,
                             haft_error *err)
{
    if (known->typed == tool->typed) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "there are two tools '%.*s'",
                                        HAFT__ARG(tool->name));
        status = haft__hint(err, status, "rename one, or put them under servers: a:%.*s",
                            HAFT__ARG(tool->name));
        return in_tool(status, tool->name, "/name", err);
    }
    haft__tool both = known->typed ? merged(known, tool) : merged(tool, known);
    both.name = known->name; /* the maps point to it */
    haft_status status = check_tool(tools, &both, err);
    if (status == HAFT_OK) {
        *known = both;
    }
    return status;
}

haft_status haft__tools_add(haft__tools *tools, const haft__tool *tool, haft_error *err)
{
    haft_status status = haft__tool_name_check(tool->name, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__tool *known = haft__map_get(&tools->by_name, tool->name);
    return known != NULL ? add_again(tools, known, tool, err) : add_new(tools, tool, err);
}

haft_status haft__tools_replace(haft__tools *tools, const haft__tool *tool, haft_error *err)
{
    haft__tool *known = haft__map_get(&tools->by_name, tool->name);
    haft__tool fresh = *tool;
    fresh.name = known->name; /* the maps point to it */
    haft_status status = check_tool(tools, &fresh, err);
    if (status == HAFT_OK) {
        *known = fresh;
    }
    return status;
}

static haft_status share_map(haft__map *map, const haft__map *other, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < other->count && status == HAFT_OK; i++) {
        status = haft__map_put(map, other->entries[i].key, other->entries[i].value, err);
    }
    return status;
}

haft_status haft__tools_share(haft__tools *tools, const haft__tools *others, haft_error *err)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && tools->count < others->count) {
        status = make_room(tools, err);
        if (status == HAFT_OK) {
            tools->items[tools->count] = others->items[tools->count];
            tools->count++;
        }
    }
    if (status == HAFT_OK) {
        status = share_map(&tools->by_name, &others->by_name, err);
    }
    return status == HAFT_OK ? share_map(&tools->by_wire, &others->by_wire, err) : status;
}

/* ---- lookup ---- */

const haft__tool *haft__tools_find(const haft__tools *tools, haft_str name)
{
    return haft__map_get(&tools->by_name, name);
}

/* "search" of "docs:search"; the whole name if it has no server. */
static haft_str local_part(haft_str name)
{
    const char *colon = memchr(name.ptr, ':', name.len);
    return colon != NULL ? haft__str_skip(name, (size_t)(colon - name.ptr) + 1) : name;
}

haft_str haft__tools_nearest(const haft__tools *tools, haft_str name)
{
    haft__suggestion near;
    haft_str same_tool = {NULL, 0}; /* the same tool of another server */
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < tools->count; i++) {
        haft_str other = tools->items[i]->name;
        haft__suggestion_offer(&near, other);
        if (same_tool.ptr == NULL && haft__str_equal(local_part(other), name)) {
            same_tool = other;
        }
    }
    return near.best.ptr != NULL ? near.best : same_tool;
}
