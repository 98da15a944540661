/* SPDX-License-Identifier: Apache-2.0 */
/* offline.c - cached listings of a spec's servers. Tests: tests/exec/mcp/mcp_test.c. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "exec/state_file.h"
#include "io/random.h"
#include "run/offer/unmatched_pattern.h"
#include "json/read.h"
#include "json/write.h"

#define NAMED_CHANGES 3 /* maximum names in a warning */

/* A deep copy of a part of a record, in `arena`. */
static haft_status keep(haft__arena *arena, haft__json part, haft__json *ret_part, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_RECORD_BYTES);
    haft__json_write(&text, part);
    haft_status status = haft__buf_check(&text, err);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    if (status != HAFT_OK || kept.ptr == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(arena, err);
    }
    return haft__json_read(arena, kept, NULL, ret_part, NULL, err);
}

static haft_status add_tools(haft__arena *arena, haft__json entries,
                             const haft__mcp_server_config *server, haft__mcp_listing *listing,
                             haft_error *err)
{
    haft__mcp_origin origin = {.server = server->name,
                               .trusted = server->trusted,
                               .timeout_ms = server->timeout_ms,
                               .polls = server->polls,
                               .poll_count = server->poll_count,
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

/* ---- problems of the state files ---- */

static haft_status set_warning(haft__arena *arena, haft_str text, haft_str *ret_warning,
                               haft_error *err)
{
    *ret_warning = text;
    return text.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Whether the state directory is writable or can be created. */
static haft_status check_directory(haft__arena *arena, haft_str state_dir, haft_str *ret_warning,
                                   haft_error *err)
{
    haft_str copy = haft__arena_copy(arena, state_dir);
    char *path = haft__arena_alloc(arena, state_dir.len + 1);
    if (copy.ptr == NULL || path == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(path, copy.ptr, state_dir.len + 1);
    for (char *slash = strrchr(path, '/'); slash > path && access(path, F_OK) != 0;
         slash = strrchr(path, '/')) {
        *slash = '\0';
    }
    if (access(path, W_OK | X_OK) == 0) {
        return HAFT_OK;
    }
    return set_warning(
        arena,
        haft__arena_format(
            arena, "its tools are not saved, so a change between two runs is not noticed: %.*s: %s",
            HAFT__ARG(state_dir), strerror(errno)),
        ret_warning, err);
}

static haft_status check_pins(haft__arena *arena, haft_str path, haft_str server,
                              haft_str *ret_warning, haft_error *err)
{
    haft__mcp_pins pins;
    haft_error error = {0};
    haft__mcp_pins_init(&pins);
    haft_status status = haft__mcp_pins_read(&pins, path.ptr, haft__random_hash_key(), &error);
    bool doubt = pins.doubt;
    haft__mcp_pins_finish(&pins);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status == HAFT_NOT_FOUND || (status == HAFT_OK && !doubt)) {
        return HAFT_OK;
    }
    return set_warning(
        arena,
        haft__arena_format(
            arena,
            "its accepted tools are unknown (%s: %s): tools are rejected until you accept "
            "them with `haft tools SPEC --accept %.*s:*`, or one by one",
            path.ptr, status == HAFT_OK ? "the file before it was damaged" : error.message,
            HAFT__ARG(server)),
        ret_warning, err);
}

/* Checks the files of a server in an existing directory. */
static haft_status check_files(haft__arena *arena, haft_str state_dir,
                               const haft__mcp_server_config *server, haft_str spec,
                               haft_str *ret_warning, haft_error *err)
{
    haft_str path = haft__mcp_pins_path(arena, state_dir, server, spec);
    *ret_warning = HAFT__LIT("");
    return path.ptr != NULL ? check_pins(arena, path, server->name, ret_warning, err)
                            : haft__arena_fail(arena, err);
}

haft_status haft__mcp_state_check(haft__arena *arena, haft_str state_dir,
                                  const haft__mcp_server_config *server, haft_str spec,
                                  haft_str *ret_warning, haft_error *err)
{
    if (state_dir.ptr == NULL) {
        *ret_warning = HAFT__LIT("its tools are not saved: HOME is not set");
        return HAFT_OK;
    }
    haft_status status = check_files(arena, state_dir, server, spec, ret_warning, err);
    return status == HAFT_OK && ret_warning->len == 0
               ? check_directory(arena, state_dir, ret_warning, err)
               : status;
}

/* ---- changed tools ---- */

/* Reads the accepted tools of a server. If the file cannot be read, all tools may have changed. */
static haft_status read_pins(haft__arena *arena, haft_str state_dir,
                             const haft__mcp_server_config *server, haft_str spec,
                             haft__mcp_pins *pins, haft_error *err)
{
    if (state_dir.ptr == NULL) {
        return HAFT_OK;
    }
    haft_str path = haft__mcp_pins_path(arena, state_dir, server, spec);
    if (path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__mcp_pins_read(pins, path.ptr, haft__random_hash_key(), NULL);
    pins->doubt |= status != HAFT_OK && status != HAFT_NOT_FOUND;
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
}

/* Adds the warning "2 tools have changed since they were first used or accepted ...". */
static haft_status warn_of_changes(haft__arena *arena, haft__mcp_listing *listing,
                                   const bool *changed, size_t count, haft_error *err)
{
    haft__buf names;
    size_t named = 0;
    haft__buf_init(&names, HAFT__LIMIT_MCP_LOG_BYTES);
    for (size_t i = 0; i < listing->tool_count && named < NAMED_CHANGES; i++) {
        if (changed[i]) {
            haft__buf_addf(&names, "%s%.*s", named++ > 0 ? ", " : "",
                           HAFT__ARG(listing->tools[i].remote));
        }
    }
    if (count > named) {
        haft__buf_addf(&names, " and %zu more", count - named);
    }
    haft_status status = haft__buf_check(&names, err);
    if (status == HAFT_OK) {
        status = set_warning(
            arena,
            haft__arena_format(
                arena,
                "%zu tool%s changed since %s first used or accepted, and %s hidden from "
                "models: %.*s; `haft tools SPEC` shows the changes, --accept accepts %s",
                count, count == 1 ? " has" : "s have", count == 1 ? "it was" : "they were",
                count == 1 ? "is" : "are", HAFT__ARG(haft__buf_str(&names)),
                count == 1 ? "it" : "them"),
            &listing->warning, err);
    }
    haft__buf_finish(&names);
    return status;
}

/* Adds pins to a map by tool name, because a server may have very many tools. */
static haft_status add_pins(haft__map *map, const haft__mcp_pins *pins, haft_error *err)
{
    uint32_t count = pins->pins.kind == HAFT__JSON_OBJECT ? pins->pins.count : 0;
    haft__json *values = haft__arena_array(map->arena, count, sizeof(*values));
    haft_status status = values != NULL ? HAFT_OK : haft__arena_fail(map->arena, err);
    for (uint32_t i = 0; status == HAFT_OK && i < count; i++) {
        values[i] = pins->pins.members[i].value;
        status = haft__map_put(map, haft__json_text(pins->pins.members[i].key), &values[i], err);
    }
    return status;
}

static haft_status mark_changed(haft__arena *arena, const haft__map *pins, bool doubt,
                                haft__mcp_listing *listing, haft_error *err)
{
    bool *changed = haft__arena_array(arena, listing->tool_count, sizeof(*changed));
    haft_status status = changed != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    size_t count = 0;
    for (size_t i = 0; status == HAFT_OK && i < listing->tool_count; i++) {
        const haft__mcp_tool *tool = &listing->tools[i];
        const haft__json *pin = haft__map_get(pins, tool->remote);
        changed[i] = pin == NULL && doubt;
        if (pin != NULL) {
            status = haft__mcp_pin_compare(arena, *pin, tool, listing->hash, &changed[i], err);
        }
        count += status == HAFT_OK && changed[i];
    }
    if (status == HAFT_OK && count > 0) {
        listing->changed = changed;
        status = listing->warning.len > 0 ? HAFT_OK
                                          : warn_of_changes(arena, listing, changed, count, err);
    }
    return status;
}

haft_status haft__mcp_state_mark_changed(haft__arena *arena, haft_str state_dir,
                                         const haft__mcp_server_config *server, haft_str spec,
                                         const haft__mcp_pins *own_pins, haft__mcp_listing *listing,
                                         haft_error *err)
{
    haft__mcp_pins file;
    haft__map pins;
    haft__mcp_pins_init(&file);
    haft__map_init(&pins, arena, haft__random_hash_key());
    haft_status status = read_pins(arena, state_dir, server, spec, &file, err);
    if (status == HAFT_OK && own_pins != NULL) {
        status = add_pins(&pins, own_pins, err);
    }
    status = status == HAFT_OK ? add_pins(&pins, &file, err)
                               : status; /* entries of the file take precedence */
    status = status == HAFT_OK ? mark_changed(arena, &pins, file.doubt, listing, err) : status;
    haft__mcp_pins_finish(&file);
    return status;
}

/* ---- the listings ---- */

/* An unreadable list only causes a warning, because the server is asked again. */
static haft_status warn_of_list(haft__arena *arena, const char *path, const haft_error *error,
                                haft_str *ret_warning, haft_error *err)
{
    return ret_warning->len > 0
               ? HAFT_OK
               : set_warning(
                   arena,
                   haft__arena_format(
                       arena,
                       "its cached list cannot be read, and the next run requests it again: %s: %s",
                       path, error->message),
                   ret_warning, err);
}

static haft_status check_list(haft__arena *arena, const char *path,
                              const haft__mcp_server_config *server, haft__mcp_listing *listing,
                              haft_error *err)
{
    haft__mcp_tool_cache record;
    haft__json both[2];
    haft_error error = {0};
    haft__mcp_tool_cache_init(&record);
    haft_status status = haft__mcp_tool_cache_read(&record, path, haft__random_hash_key(), &error);
    if (status == HAFT_OK && record.tools.kind == HAFT__JSON_ARRAY) {
        status = keep(arena, record.tools, &both[0], err);
        status = status == HAFT_OK ? keep(arena, record.left_out, &both[1], err) : status;
        if (status == HAFT_OK) {
            listing->left_out = both[1];
            listing->left_out_all = record.left_out_all;
            status = add_tools(arena, both[0], server, listing, err);
        }
    } else if (status == HAFT_NO_MEMORY) {
        status = haft__fail_no_memory(err);
    } else if (status != HAFT_OK && status != HAFT_NOT_FOUND) {
        status = warn_of_list(arena, path, &error, &listing->warning, err);
    } else {
        bool warn = status == HAFT_OK && record.too_long && listing->warning.len == 0;
        listing->warning = warn ? HAFT__MCP_LIST_TOO_LONG_WARNING : listing->warning;
        status = HAFT_OK;
    }
    haft__mcp_tool_cache_finish(&record);
    return status;
}

static haft_status check_server(haft__arena *arena, haft_str state_dir, haft_str directory,
                                haft_str spec, const haft__mcp_server_config *server,
                                haft__mcp_listing *ret_listing, haft_error *err)
{
    haft_str hash = haft__arena_copy(arena, haft__str(server->hash));
    *ret_listing = (haft__mcp_listing){.server = server->name,
                                       .state = HAFT__LIT("configured"),
                                       .error = HAFT__LIT(""),
                                       .hash = hash};
    if (hash.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (state_dir.ptr == NULL) {
        return HAFT_OK;
    }
    haft_status status = check_files(arena, state_dir, server, spec, &ret_listing->warning, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str path = haft__mcp_tool_cache_path(arena, state_dir, server, directory);
    status = path.ptr != NULL ? check_list(arena, path.ptr, server, ret_listing, err)
                              : haft__arena_fail(arena, err);
    return status == HAFT_OK ? haft__mcp_state_mark_changed(arena, state_dir, server, spec, NULL,
                                                            ret_listing, err)
                             : status;
}

/* Warns about patterns that match no tool, unless there is a more serious warning. */
static haft_status warn_of_patterns(haft__arena *arena, const haft__spec *spec,
                                    haft__mcp_listing *listing, haft_error *err)
{
    haft__buf text;
    if (listing->warning.len > 0) {
        return HAFT_OK;
    }
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__unmatched_pattern_warn(&text, spec, listing);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = set_warning(arena, haft__arena_copy(arena, haft__buf_str(&text)),
                             &listing->warning, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__exec_offline_listings(const haft__spec *spec, haft__arena *arena,
                                        const haft__mcp_listing **ret_listings, size_t *ret_count,
                                        haft_error *err)
{
    haft__mcp_server_configs servers;
    haft_str state_dir = haft__state_file_directory(arena), directory = {NULL, 0};
    haft_status status = haft__mcp_server_configs_read(arena, spec->mcp, &servers, err);
    if (status == HAFT_OK) {
        status = haft__mcp_tool_cache_directory(arena, spec->path, &directory, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__mcp_listing *listings = haft__arena_array(arena, servers.count, sizeof(*listings));
    status = listings != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; status == HAFT_OK && i < servers.count; i++) {
        status = check_server(arena, state_dir, directory, spec->path, &servers.items[i],
                              &listings[i], err);
        status = status == HAFT_OK ? warn_of_patterns(arena, spec, &listings[i], err) : status;
    }
    *ret_listings = listings;
    *ret_count = servers.count;
    return status;
}
