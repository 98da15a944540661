/* SPDX-License-Identifier: Apache-2.0 */
/* binding.c - see run/pause/binding.h. Tests: tests/run/pause/binding_test.c. */
#include "run/pause/binding.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/server_config.h"
#include "run/pause/approval.h"
#include "json/canonical.h"

/* Adds one part and a newline, which canonical JSON does not contain. */
static haft_status add(haft__buf *text, haft__json part, haft_error *err)
{
    haft_status status = haft__json_write_canonical(text, part, err);
    haft__buf_add_char(text, '\n');
    return status;
}

/* Reads the configuration of the tool's server; NULL if the spec has no such server. */
static haft_status read_server(haft__arena *arena, const haft__spec *spec, const haft__tool *tool,
                               const haft__mcp_server_config **ret_server, haft_error *err)
{
    haft__mcp_server_configs servers;
    const haft__json *name = haft__json_get(tool->definition, HAFT__LIT("server"));
    haft_status status = haft__mcp_server_configs_read(arena, spec->mcp, &servers, err);
    *ret_server = status == HAFT_OK && name != NULL
                      ? haft__mcp_server_configs_find(&servers, haft__json_text(*name))
                      : NULL;
    return status;
}

/* Adds the hash of the configuration of the tool's server as it is written in the spec
 * (mcp/server_config.h). Null if the spec has no such server. */
static haft_status add_server(haft__buf *text, const haft__spec *spec, const haft__tool *tool,
                              haft_error *err)
{
    haft__arena arena;
    const haft__mcp_server_config *server = NULL;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = read_server(&arena, spec, tool, &server, err);
    if (status == HAFT_OK) {
        haft__json hash =
            server != NULL ? haft__json_string(haft__str(server->hash)) : haft__json_null();
        status = add(text, hash, err);
    }
    haft__arena_finish(&arena);
    return status;
}

/* Hashes the parts, and the configuration of the tool's server if it has one. */
static haft_status hash_parts(const haft__spec *spec, const haft__tool *tool,
                              const haft__json *parts, size_t count,
                              char ret_hash[HAFT__SHA256_HEX], haft_error *err)
{
    haft__buf text;
    haft_status status = HAFT_OK;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        status = add(&text, parts[i], err);
    }
    if (status == HAFT_OK && tool->source == HAFT__TOOL_MCP) {
        status = add_server(&text, spec, tool, err);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    haft__sha256_hex(haft__buf_str(&text), ret_hash);
    haft__buf_finish(&text);
    return status;
}

haft_status haft__binding_make(const haft__spec *spec, const haft__tool *tool, haft__json arguments,
                               char ret_binding[HAFT__SHA256_HEX], haft_error *err)
{
    const haft__json *rules = haft__json_get(spec->source, HAFT__LIT("approvals"));
    const haft__json parts[] = {
        haft__json_string(tool->name),
        haft__json_string(tool->description),
        tool->input_schema,
        tool->definition,
        haft__json_bool(haft__approval_by_tool(spec, tool)),
        arguments,
        rules != NULL ? *rules : haft__json_null(),
    };
    return hash_parts(spec, tool, parts, COUNT(parts), ret_binding, err);
}

/* The hash includes `destructive`, so that the approval ends when the tool becomes destructive. */
haft_status haft__binding_make_tool(const haft__spec *spec, const haft__tool *tool,
                                    char ret_hash[HAFT__SHA256_HEX], haft_error *err)
{
    const haft__json parts[] = {
        haft__json_string(HAFT__LIT("tool")), /* makes the hash different from any binding */
        haft__json_string(tool->name),
        haft__json_string(haft__str(haft__tool_source_name(tool->source))),
        haft__json_string(tool->description),
        tool->input_schema,
        tool->definition,
        haft__json_bool(tool->traits.destructive || tool->hinted_destructive),
    };
    return hash_parts(spec, tool, parts, COUNT(parts), ret_hash, err);
}

haft_status haft__binding_depends_on_directory(const haft__spec *spec, const haft__tool *tool,
                                               bool *ret_depends, haft_error *err)
{
    haft__arena arena;
    const haft__mcp_server_config *server = NULL;
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    if (tool->source == HAFT__TOOL_MCP) {
        status = read_server(&arena, spec, tool, &server, err);
    }
    *ret_depends =
        tool->source == HAFT__TOOL_COMMAND || (server != NULL && server->command_count > 0);
    haft__arena_finish(&arena);
    return status;
}

haft_status haft__binding_make_user(const haft__spec *spec, const haft__tool *tool,
                                    haft_str directory, char ret_hash[HAFT__SHA256_HEX],
                                    haft_error *err)
{
    char own[HAFT__SHA256_HEX];
    bool depends = false;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__binding_make_tool(spec, tool, own, err);
    if (status == HAFT_OK) {
        status = haft__binding_depends_on_directory(spec, tool, &depends, err);
    }
    if (status == HAFT_OK) {
        status = add(&text, haft__json_string((haft_str){own, sizeof(own)}), err);
    }
    if (status == HAFT_OK) {
        status = add(&text, depends ? haft__json_string(directory) : haft__json_null(), err);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    haft__sha256_hex(haft__buf_str(&text), ret_hash);
    haft__buf_finish(&text);
    return status;
}

haft_status haft__binding_matches(const haft__spec *spec, const haft__tool *tool, haft_str binding,
                                  haft__json arguments, bool *ret_matches, haft_error *err)
{
    char now[HAFT__SHA256_HEX];
    *ret_matches = binding.len == 0;
    if (*ret_matches) {
        return HAFT_OK;
    }
    haft_status status = haft__binding_make(spec, tool, arguments, now, err);
    *ret_matches = haft__str_equal(binding, (haft_str){now, sizeof(now)});
    return status;
}
