/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_known.c - what is remembered of the servers of a spec. Tests: tests/exec/mcp_test.c. */
#include "base/error.h"
#include "base/str.h"
#include "exec/mcp_int.h"
#include "io/random.h"
#include "json/read.h"
#include "json/write.h"

/* The record's tools with all they point to in `arena`. */
static haft_status keep_tools(haft__arena *arena, const haft__mcp_record *record,
                              haft__json *ret_tools, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_RECORD_BYTES);
    haft__json_write(&text, record->tools);
    haft_status status = haft__buf_check(&text, err);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    if (status != HAFT_OK || kept.ptr == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(arena, err);
    }
    return haft__json_read(arena, kept, NULL, ret_tools, NULL, err);
}

static haft_status take_tools(haft__arena *arena, haft__json entries,
                              const haft__mcp_server *server, haft__mcp_listing *listing,
                              haft_error *err)
{
    haft__mcp_origin origin = {.server = server->name,
                               .trusted = server->trusted,
                               .timeout_ms = server->timeout_ms,
                               .hash_key = haft__random_hash_key()};
    haft__mcp_tool *tools = haft__arena_array(arena, entries.count, sizeof(*tools));
    if (tools == NULL) {
        return haft__arena_fail(arena, err);
    }
    listing->state = HAFT__LIT("known");
    listing->tools = tools;
    for (uint32_t i = 0; i < entries.count; i++) {
        haft_status status = haft__mcp_tool_read(arena, entries.items[i], &origin,
                                                 &tools[listing->tool_count], NULL);
        listing->tool_count += status == HAFT_OK;
    }
    return HAFT_OK;
}

static haft_status look_at(haft__arena *arena, haft_str place, haft_str directory,
                           const haft__mcp_server *server, haft__mcp_listing *ret_listing,
                           haft_error *err)
{
    haft__mcp_record record;
    haft__json tools;
    *ret_listing = (haft__mcp_listing){
        .server = server->name, .state = HAFT__LIT("configured"), .error = HAFT__LIT("")};
    if (place.ptr == NULL) {
        return HAFT_OK;
    }
    haft_str path = haft__mcp_record_path(arena, place, server, directory);
    if (path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__mcp_record_init(&record);
    haft_status status = HAFT_OK;
    if (haft__mcp_record_read(&record, path.ptr, haft__random_hash_key(), NULL) == HAFT_OK
        && record.tools.kind == HAFT__JSON_ARRAY) {
        status = keep_tools(arena, &record, &tools, err);
        status = status == HAFT_OK ? take_tools(arena, tools, server, ret_listing, err) : status;
    }
    haft__mcp_record_finish(&record);
    return status;
}

haft_status haft__exec_known(const haft__spec *spec, haft__arena *arena,
                             const haft__mcp_listing **ret_listings, size_t *ret_count,
                             haft_error *err)
{
    haft__mcp_servers servers;
    haft_str place = haft__mcp_record_place(arena), directory = {NULL, 0};
    haft_status status = haft__mcp_servers_read(arena, spec->mcp, &servers, err);
    if (status == HAFT_OK) {
        status = haft__mcp_record_directory(arena, spec->path, &directory, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__mcp_listing *listings = haft__arena_array(arena, servers.count, sizeof(*listings));
    status = listings != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; status == HAFT_OK && i < servers.count; i++) {
        status = look_at(arena, place, directory, &servers.items[i], &listings[i], err);
    }
    *ret_listings = listings;
    *ret_count = servers.count;
    return status;
}
