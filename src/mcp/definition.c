/* SPDX-License-Identifier: Apache-2.0 */
/* definition.c - validates an entry of a tools/list, part by part. Tests:
 * tests/mcp/definition_test.c. */
#include "mcp/definition.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/definition_parts.h"
#include "mcp/visible.h"
#include "tool/registry.h"
#include "json/canonical.h"
#include "json/object.h"

/* The keys of an entry that form the definition, in this order. `_meta` and `icons` are for other
 * programs and have no effect in haft. */
static const char *const parts[] = {"name",        "title",        "description",
                                    "inputSchema", "outputSchema", "annotations"};

/* ---- names and texts ---- */

static haft_status read_name(haft__arena *arena, haft__json entry, haft__mcp_tool *tool,
                             haft_error *err)
{
    haft__json name = haft__object_get(entry, "name");
    if (name.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(name, "/name", "a string", err);
    }
    tool->remote = haft__json_text(name);
    if (memchr(tool->remote.len > 0 ? tool->remote.ptr : "", ':', tool->remote.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/name", "tool name '%.*s' contains a ':'",
                          HAFT__ARG(tool->remote));
    }
    /* Check the remote name alone first: a NUL would end the joined text. */
    haft_status status = haft__tool_name_check(tool->remote, err);
    if (status == HAFT_OK) {
        tool->name = haft__arena_format(arena, "%.*s:%.*s", HAFT__ARG(tool->server),
                                        HAFT__ARG(tool->remote));
        if (tool->name.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        status = haft__tool_name_check(tool->name, err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, "/name");
    }
    return status;
}

/* An optional text, made visible. */
static haft_status read_text(haft__arena *arena, haft__json holder, const char *key,
                             const char *where, haft_str *ret_text, haft_error *err)
{
    haft__json value = haft__object_get(holder, key);
    if (value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(value, where, "a string", err);
    }
    return haft__visible_copy(arena, haft__json_text(value), HAFT__LIMIT_TOOL_DESCRIPTION_BYTES,
                              ret_text, err);
}

/* Models read descriptions, so an empty one gets a default. */
static haft_status read_texts(haft__arena *arena, haft__json entry, haft__mcp_tool *tool,
                              haft_error *err)
{
    haft_status status = read_text(arena, entry, "title", "/title", &tool->title, err);
    if (status == HAFT_OK && tool->title.len == 0 && tool->annotations.kind == HAFT__JSON_OBJECT) {
        status =
            read_text(arena, tool->annotations, "title", "/annotations/title", &tool->title, err);
    }
    if (status == HAFT_OK) {
        status = read_text(arena, entry, "description", "/description", &tool->description, err);
    }
    if (status != HAFT_OK || haft__str_trim(tool->description).len > 0) {
        return status;
    }
    tool->description = tool->title;
    if (haft__str_trim(tool->title).len == 0) {
        tool->description = haft__arena_format(arena, "A tool of %.*s, which does not describe it.",
                                               HAFT__ARG(tool->server));
    }
    return tool->description.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* ---- schemas ---- */

/* Compiles the schema to validate it, within the budgets and without external references. The
 * result is discarded; the user of the tool compiles it again. */
static haft_status try_schema(haft__json schema, const char *where, haft__hash_key hash_key,
                              haft_error *err)
{
    haft__arena scratch;
    const haft__schema *compiled;
    haft__schema_options options = {.draft = HAFT__SCHEMA_2020_12, .hash_key = hash_key};
    haft__arena_init(&scratch, 0);
    haft_status status = haft__schema_compile(&scratch, schema, &options, &compiled, err);
    haft__arena_finish(&scratch);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, where);
    }
    return status;
}

static haft_status read_schemas(haft__arena *arena, haft__json entry, haft__hash_key hash_key,
                                haft__mcp_tool *tool, haft_error *err)
{
    haft__json input = haft__object_get(entry, "inputSchema"),
               output = haft__object_get(entry, "outputSchema");
    if (input.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(input, "/inputSchema", "an object", err);
    }
    if (!haft__str_equal(haft__json_text(haft__object_get(input, "type")), HAFT__LIT("object"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "/inputSchema/type",
                          "the schema does not have \"type\": \"object\"");
    }
    if (output.kind != HAFT__JSON_NULL && output.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(output, "/outputSchema", "an object", err);
    }
    haft_status status = try_schema(input, "/inputSchema", hash_key, err);
    if (status == HAFT_OK && output.kind == HAFT__JSON_OBJECT) {
        status = try_schema(output, "/outputSchema", hash_key, err);
    }
    if (status == HAFT_OK) {
        status =
            haft__mcp_schema_make_visible(arena, input, "/inputSchema", &tool->input_schema, err);
    }
    return status == HAFT_OK ? haft__mcp_schema_make_visible(arena, output, "/outputSchema",
                                                             &tool->output_schema, err)
                             : status;
}

/* ---- hints ---- */

/* Calls with effects are serialised, because the server has not declared that they may overlap. */
static haft_status read_traits(const haft__mcp_origin *origin, haft__mcp_tool *tool,
                               haft_error *err)
{
    haft__json hints = origin->trusted ? tool->annotations : haft__json_null();
    haft__json open_world_hint = haft__object_get(hints, "openWorldHint");
    haft__traits_from_mcp(hints, &tool->traits);
    tool->trusted = origin->trusted;
    tool->hinted_destructive = haft__object_flag(tool->annotations, "destructiveHint", false);
    tool->open_world = open_world_hint.kind != HAFT__JSON_FALSE;
    if (!tool->traits.read_only) {
        tool->traits.lane = tool->server;
    }
    if (origin->timeout_ms > 0) {
        tool->traits.timeout_ms = origin->timeout_ms;
    }
    for (size_t i = 0; i < origin->poll_count; i++) {
        tool->traits.polls =
            tool->traits.polls || haft__filter_matches(origin->polls[i], tool->remote);
    }
    return haft__traits_check(&tool->traits, err);
}

/* ---- the definition and its hash ---- */

static haft_status make_definition(haft__arena *arena, haft__json entry, haft__mcp_tool *tool,
                                   haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, COUNT(parts), sizeof(*members));
    size_t count = 0;
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__json value = haft__object_get(entry, parts[i]);
        if (value.kind != HAFT__JSON_NULL) {
            members[count].key = haft__json_string(haft__str(parts[i]));
            members[count++].value = value;
        }
    }
    tool->definition = haft__json_object(members, count);
    return HAFT_OK;
}

static haft_status hash_definition(haft__mcp_tool *tool, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    haft_status status = haft__json_write_canonical(&buf, tool->definition, err);
    if (status == HAFT_TOO_BIG) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "the definition has more than %d bytes",
                            HAFT__LIMIT_MCP_DEFINITION_BYTES);
    }
    if (status == HAFT_OK) {
        haft__sha256_hex(haft__buf_str(&buf), tool->hash);
    }
    haft__buf_finish(&buf);
    return status;
}

haft_status haft__mcp_tool_read(haft__arena *arena, haft__json entry,
                                const haft__mcp_origin *origin, haft__mcp_tool *ret_tool,
                                haft_error *err)
{
    haft__mcp_tool tool = {.server = origin->server};
    if (entry.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(entry, "", "an object", err);
    }
    haft__json annotations = haft__object_get(entry, "annotations");
    tool.annotations = annotations.kind == HAFT__JSON_OBJECT ? annotations : haft__json_null();
    haft_status status = read_name(arena, entry, &tool, err);
    if (status == HAFT_OK) {
        status = make_definition(arena, entry, &tool, err);
    }
    if (status
        == HAFT_OK) { /* checked before the schemas, so that oversized schemas are not compiled */
        status = hash_definition(&tool, err);
    }
    if (status == HAFT_OK) {
        status = read_texts(arena, entry, &tool, err);
    }
    if (status == HAFT_OK) {
        status = read_schemas(arena, entry, origin->hash_key, &tool, err);
    }
    if (status == HAFT_OK) {
        status =
            haft__mcp_params_read(arena, tool.input_schema, &tool.params, &tool.param_count, err);
    }
    if (status == HAFT_OK) {
        status = read_traits(origin, &tool, err);
    }
    if (status == HAFT_OK) {
        *ret_tool = tool;
    }
    return status;
}

haft_status haft__mcp_tool_to_registry(haft__arena *arena, const haft__mcp_tool *tool,
                                       haft__tool *ret_tool, haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, 3, sizeof(*members));
    haft_str hash = haft__arena_copy(arena, (haft_str){tool->hash, HAFT__SHA256_HEX});
    if (members == NULL || hash.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("server")),
                                     haft__json_string(tool->server)};
    members[1] =
        (haft__json_member){haft__json_string(HAFT__LIT("tool")), haft__json_string(tool->remote)};
    members[2] = (haft__json_member){haft__json_string(HAFT__LIT("hash")), haft__json_string(hash)};
    *ret_tool = (haft__tool){.name = tool->name,
                             .description = tool->description,
                             .input_schema = tool->input_schema,
                             .output_schema = tool->output_schema,
                             .source = HAFT__TOOL_MCP,
                             .role = HAFT__ROLE_DATA,
                             .traits = tool->traits,
                             .traits_given = true,
                             .hinted_destructive = tool->hinted_destructive,
                             .typed = true,
                             .definition = haft__json_object(members, 3)};
    return HAFT_OK;
}
