/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_changes.c - see mcp_changes.h. Tests: tests/mcp/changes_test.py. */
#include "engine/ops/mcp_changes.h"

#include <dirent.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/pins.h"
#include "exec/mcp/tool_cache.h"
#include "exec/state_file.h"
#include "io/random.h"
#include "json/object.h"

/* A server, its cached list and its pins. */
typedef struct server_record {
    const haft__mcp_server_config *server;
    haft_str path; /* the path of its pins; .ptr is NULL without a state directory */
    haft__mcp_tool_cache record;
    haft__mcp_pins pins; /* empty if the file cannot be read */
} server_record;

typedef haft_status server_visitor(void *context, server_record *entry, haft_error *err);

/* ---- each server ---- */

/* Reads the files of a server. Ignores files that cannot be read; haft__mcp_listing.warning reports
 * them. */
static haft_status read_record(haft__arena *arena, const haft__spec *spec, server_record *entry,
                               haft_error *err)
{
    haft_str place = haft__state_file_directory(arena), directory = {NULL, 0};
    haft_status status = haft__mcp_tool_cache_directory(arena, spec->path, &directory, err);
    if (status != HAFT_OK || place.ptr == NULL) {
        return status;
    }
    haft_str list = haft__mcp_tool_cache_path(arena, place, entry->server, directory);
    entry->path = haft__mcp_pins_path(arena, place, entry->server, spec->path);
    if (list.ptr == NULL || entry->path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    (void)!haft__mcp_tool_cache_read(&entry->record, list.ptr, haft__random_hash_key(), NULL);
    (void)!haft__mcp_pins_read(&entry->pins, entry->path.ptr, haft__random_hash_key(), NULL);
    return HAFT_OK;
}

static haft_status visit_server(haft__arena *arena, const haft__spec *spec,
                                const haft__mcp_server_config *server, server_visitor *visit,
                                void *context, haft_error *err)
{
    server_record entry = {.server = server};
    haft__mcp_tool_cache_init(&entry.record);
    haft__mcp_pins_init(&entry.pins);
    haft_status status = read_record(arena, spec, &entry, err);
    status = status == HAFT_OK ? visit(context, &entry, err) : status;
    haft__mcp_pins_finish(&entry.pins);
    haft__mcp_tool_cache_finish(&entry.record);
    return status;
}

static haft_status visit_servers(haft__arena *arena, const haft__spec *spec, server_visitor *visit,
                                 void *context, haft_error *err)
{
    haft__mcp_server_configs servers;
    haft_status status = haft__mcp_server_configs_read(arena, spec->mcp, &servers, err);
    for (size_t i = 0; status == HAFT_OK && i < servers.count; i++) {
        status = visit_server(arena, spec, &servers.items[i], visit, context, err);
    }
    return status;
}

static haft_str name_of(haft__json tool)
{
    const haft__json *value = haft__json_get(tool, HAFT__LIT("name"));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

/* ---- changes ---- */

/* Appends the differences between a tool and its pin. Appends nothing if the tool has no pin. */
static haft_status add_diff(haft__arena *arena, const server_record *entry, haft__json tool,
                            haft__buf *diff, haft_error *err)
{
    const haft__json *pin = haft__mcp_pins_find(&entry->pins, name_of(tool));
    haft__mcp_origin origin = {.server = entry->server->name, .hash_key = haft__random_hash_key()};
    haft__mcp_tool read;
    haft__json now;
    if (pin == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__mcp_tool_read(arena, tool, &origin, &read, err);
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        return HAFT_OK; /* the tool is omitted and cannot be called */
    }
    if (status == HAFT_OK) {
        status =
            haft__mcp_pin_of_tool(arena, *pin, &read, haft__str(entry->server->hash), &now, err);
    }
    return status == HAFT_OK ? haft__mcp_tool_diff(diff, *pin, now, err) : status;
}

typedef struct changes {
    haft__arena *arena;
    haft__buf *diff;
    haft__mcp_change_visitor *visit;
    void *context;
} changes;

static haft_status find_changes(void *context, server_record *entry, haft_error *err)
{
    changes *c = context;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < entry->record.tools.count; i++) {
        haft__json tool = entry->record.tools.items[i];
        haft__buf_clear(c->diff);
        status = add_diff(c->arena, entry, tool, c->diff, err);
        if (status == HAFT_OK && c->diff->len > 0) {
            c->visit(c->context, entry->server->name, name_of(tool), haft__buf_str(c->diff));
        }
    }
    return status;
}

haft_status haft__mcp_changes_visit(haft__arena *arena, const haft__spec *spec,
                                    haft__mcp_change_visitor *visit, void *context, haft_error *err)
{
    haft__buf diff;
    haft__buf_init(&diff, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    changes c = {.arena = arena, .diff = &diff, .visit = visit, .context = context};
    haft_status status = visit_servers(arena, spec, find_changes, &c, err);
    haft__buf_finish(&diff);
    return status;
}

static void write_change(void *context, haft_str server, haft_str tool, haft_str diff)
{
    haft__json_writer *w = context;
    haft__json_begin_object(w);
    haft__field_text(w, "server", server);
    haft__field_text(w, "tool", tool);
    haft__field_text(w, "diff", diff);
    haft__json_end_object(w);
}

haft_status haft__mcp_changes_write(haft__arena *arena, const haft__spec *spec,
                                    haft__json_writer *w, haft_error *err)
{
    haft__json_begin_array(w);
    haft_status status = haft__mcp_changes_visit(arena, spec, write_change, w, err);
    haft__json_end_array(w);
    return status;
}

/* ---- accepting ---- */

typedef struct acceptance {
    haft__arena *arena;
    haft__mcp_change_visitor *visit;
    void *context;
    haft_str server, tool;
    bool all; /* "docs:*" */
    bool found;
} acceptance;

static haft_status report_accepted(acceptance *a, const server_record *entry, haft__json tool,
                                   haft_error *err)
{
    haft__buf diff;
    haft__buf_init(&diff, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    haft_status status = add_diff(a->arena, entry, tool, &diff, err);
    a->visit(a->context, a->server, name_of(tool), haft__buf_str(&diff));
    haft__buf_finish(&diff);
    return status;
}

/* Makes the new pins of the accepted tools. */
static haft_status make_pins(acceptance *a, const server_record *entry, haft__json_member *pins,
                             size_t *ret_count, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_count = 0;
    for (uint32_t i = 0; status == HAFT_OK && i < entry->record.tools.count; i++) {
        haft__json tool = entry->record.tools.items[i];
        if (!a->all && !haft__str_equal(name_of(tool), a->tool)) {
            continue;
        }
        haft__json_member *pin = &pins[(*ret_count)++];
        pin->key = haft__json_string(name_of(tool));
        status =
            haft__mcp_pin_make(a->arena, tool, haft__str(entry->server->hash), &pin->value, err);
    }
    return status;
}

static haft_status accept_one(void *context, server_record *entry, haft_error *err)
{
    acceptance *a = context;
    size_t count = 0;
    if (!haft__str_equal(entry->server->name, a->server) || entry->record.tools.count == 0) {
        return HAFT_OK;
    }
    haft__json_member *pins = haft__arena_array(a->arena, entry->record.tools.count, sizeof(*pins));
    haft_status status =
        pins != NULL ? make_pins(a, entry, pins, &count, err) : haft__arena_fail(a->arena, err);
    if (status != HAFT_OK || count == 0) {
        return status;
    }
    haft__mcp_pins after;
    haft__mcp_pins_update pinning = {.server = entry->server->name,
                                     .pins = pins,
                                     .count = count,
                                     .how = a->all ? HAFT__PIN_REPLACE_ALL : HAFT__PIN_REPLACE};
    haft__mcp_pins_init(&after);
    status = haft__mcp_pins_add(&after, entry->path.ptr, &pinning, haft__random_hash_key(), err);
    haft__mcp_pins_finish(&after);
    a->found = true;
    for (uint32_t i = 0; status == HAFT_OK && i < entry->record.tools.count; i++) {
        haft__json tool = entry->record.tools.items[i];
        if (a->all || haft__str_equal(name_of(tool), a->tool)) {
            status = report_accepted(a, entry, tool, err);
        }
    }
    return status;
}

haft_status haft__mcp_changes_accept(haft__arena *arena, const haft__spec *spec, haft_str name,
                                     haft__mcp_change_visitor *visit, void *context,
                                     haft_error *err)
{
    acceptance a = {.arena = arena, .visit = visit, .context = context, .tool = name};
    a.server = haft__str_split(&a.tool, ':');
    a.all = haft__str_equal(a.tool, HAFT__LIT("*"));
    haft_status status = visit_servers(arena, spec, accept_one, &a, err);
    if (status == HAFT_OK && !a.found) {
        status = haft__fail(err, HAFT_NOT_FOUND, "",
                            "no MCP server of this spec has a known tool '%.*s'", HAFT__ARG(name));
    }
    return status;
}

/* ---- all of them ---- */

static bool is_readable(const char *path, bool pins)
{
    haft__mcp_tool_cache record;
    haft__mcp_pins pinned;
    haft__mcp_tool_cache_init(&record);
    haft__mcp_pins_init(&pinned);
    haft_status status =
        pins ? haft__mcp_pins_read(&pinned, path, haft__random_hash_key(), NULL)
             : haft__mcp_tool_cache_read(&record, path, haft__random_hash_key(), NULL);
    haft__mcp_tool_cache_finish(&record);
    haft__mcp_pins_finish(&pinned);
    return status == HAFT_OK;
}

haft_status haft__mcp_changes_count_servers(haft__arena *arena, haft_str *ret_directory,
                                            size_t *ret_count, size_t *ret_damaged, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_directory = haft__state_file_directory(arena);
    *ret_count = *ret_damaged = 0;
    DIR *directory = ret_directory->ptr != NULL ? opendir(ret_directory->ptr) : NULL;
    const struct dirent *entry = directory != NULL ? readdir(directory) : NULL;
    for (; entry != NULL && status == HAFT_OK; entry = readdir(directory)) {
        bool list = haft__str_ends_with(haft__str(entry->d_name), HAFT__LIT(".json"));
        bool pins = haft__str_ends_with(haft__str(entry->d_name), HAFT__LIT(".pins"));
        if (!list && !pins) {
            continue;
        }
        haft_str path =
            haft__arena_format(arena, "%.*s/%s", HAFT__ARG(*ret_directory), entry->d_name);
        status = path.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
        bool good = status == HAFT_OK && is_readable(path.ptr, pins);
        *ret_count += good && list;
        *ret_damaged += status == HAFT_OK && !good;
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return status;
}
