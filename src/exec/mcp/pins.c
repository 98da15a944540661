/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pins.c - the pin file. A writer takes its lock, reads it again and replaces it atomically. Tests:
 * tests/exec/mcp/pins_test.c.
 */
#include "exec/mcp/pins.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "exec/mcp/record.h"
#include "exec/state_file.h"
#include "io/file.h"
#include "json/object.h"
#include "json/write.h"

#define KEY   HAFT__LIT("configuration")
#define SHOWN HAFT__LIT("shown")

static const haft__mcp_record_format format = {"pins", 1};

void haft__mcp_pins_init(haft__mcp_pins *pins)
{
    *pins = (haft__mcp_pins){.doubt = false};
    haft__arena_init(&pins->arena, 0);
}

void haft__mcp_pins_finish(haft__mcp_pins *pins)
{
    haft__arena_finish(&pins->arena);
}

haft_str haft__mcp_pins_path(haft__arena *arena, haft_str state_dir,
                             const haft__mcp_server_config *server, haft_str spec)
{
    haft_str whole = haft__arena_copy(arena, spec);
    whole = whole.ptr != NULL && spec.len > 0 ? haft__file_absolute(arena, whole.ptr) : whole;
    if (whole.ptr == NULL) {
        return whole;
    }
    haft_str both = haft__arena_format(arena, "%.*s\n%.*s\n%s", HAFT__ARG(server->name),
                                       HAFT__ARG(whole), spec.len > 0 ? "" : server->hash);
    return both.ptr != NULL ? haft__mcp_record_path(arena, state_dir, both, ".pins") : both;
}

const haft__json *haft__mcp_pins_find(const haft__mcp_pins *pins, haft_str tool)
{
    return haft__json_get(pins->pins, tool);
}

haft_status haft__mcp_pin_make(haft__arena *arena, haft__json definition, haft_str configuration,
                               haft__json *ret_pin, haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, definition.count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; i < definition.count; i++) {
        members[i] = definition.members[i];
    }
    members[definition.count] =
        (haft__json_member){haft__json_string(KEY), haft__json_string(configuration)};
    *ret_pin = haft__json_object(members, definition.count + 1);
    return HAFT_OK;
}

haft_status haft__mcp_pin_make_approved(haft__arena *arena, const haft__mcp_approved_tool *shown,
                                        haft_str configuration, haft__json *ret_pin,
                                        haft_error *err)
{
    const haft__json_member parts[] = {
        {haft__json_string(HAFT__LIT("name")), haft__json_string(shown->remote)},
        {haft__json_string(HAFT__LIT("description")), haft__json_string(shown->description)},
        {haft__json_string(HAFT__LIT("inputSchema")), shown->input_schema},
        {haft__json_string(HAFT__LIT("outputSchema")), shown->output_schema},
        {haft__json_string(SHOWN), haft__json_bool(true)},
    };
    return haft__mcp_pin_make(arena, haft__json_object(parts, COUNT(parts)), configuration, ret_pin,
                              err);
}

haft_status haft__mcp_pin_of_tool(haft__arena *arena, haft__json pin, const haft__mcp_tool *tool,
                                  haft_str configuration, haft__json *ret_now, haft_error *err)
{
    const haft__mcp_approved_tool shown = {tool->remote, tool->description, tool->input_schema,
                                           tool->output_schema};
    return haft__json_get(pin, SHOWN) != NULL
               ? haft__mcp_pin_make_approved(arena, &shown, configuration, ret_now, err)
               : haft__mcp_pin_make(arena, tool->definition, configuration, ret_now, err);
}

haft_status haft__mcp_pin_compare(haft__arena *arena, haft__json pin, const haft__mcp_tool *tool,
                                  haft_str configuration, bool *ret_changed, haft_error *err)
{
    haft__json now;
    bool same = false;
    haft_status status = haft__mcp_pin_of_tool(arena, pin, tool, configuration, &now, err);
    status = status == HAFT_OK ? haft__json_equal(pin, now, &same, err) : status;
    *ret_changed = !same;
    return status;
}

/* ---- reading ---- */

static haft_status add_record(haft__mcp_pins *pins, haft__json record, haft_error *err)
{
    const haft__json *found = haft__object_find_kind(record, "pins", HAFT__JSON_OBJECT);
    if (found == NULL) {
        return haft__mcp_record_fail(&format, err);
    }
    pins->pins = *found;
    pins->doubt = haft__object_flag(record, "doubt", true);
    return HAFT_OK;
}

haft_status haft__mcp_pins_read(haft__mcp_pins *pins, const char *path, haft__hash_key hash_key,
                                haft_error *err)
{
    haft__json record;
    haft__mcp_pins fresh;
    haft__mcp_pins_init(&fresh);
    haft_status status = haft__mcp_record_read(&fresh.arena, path, &format, hash_key, &record, err);
    if (status == HAFT_OK) {
        status = add_record(&fresh, record, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, path);
        }
    }
    if (status != HAFT_OK) {
        haft__mcp_pins_finish(&fresh);
        haft__mcp_pins_init(&fresh);
    }
    haft__mcp_pins_finish(pins);
    *pins = fresh;
    return status;
}

/* ---- changing ---- */

/* A set of pin names, for fast lookup. */
static haft_status note_names(haft__map *names, const haft__json_member *pins, size_t count,
                              haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = haft__map_put(names, haft__json_text(pins[i].key), names, err);
    }
    return status;
}

/* Writes the `pins` that are not among `others`; NULL: all. */
static void write_pins(haft__json_writer *w, const haft__json_member *pins, size_t count,
                       const haft__map *others)
{
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__json_text(pins[i].key);
        if (others == NULL || haft__map_get(others, name) == NULL) {
            haft__json_key_str(w, name);
            haft__json_add(w, pins[i].value);
        }
    }
}

static haft_status write_file(haft__buf *text, haft__mcp_pins *before,
                              const haft__mcp_pins_update *pinning, haft__hash_key hash_key,
                              haft_error *err)
{
    haft__json_writer w;
    haft__map kept_names; /* names that one list has; the entries of the other list with these names
                       are not written */
    bool first = pinning->how == HAFT__PIN_KEEP_EXISTING;
    const haft__json_member *old =
        before->pins.kind == HAFT__JSON_OBJECT ? before->pins.members : NULL;
    size_t old_count = old != NULL ? before->pins.count : 0;
    haft__map_init(&kept_names, &before->arena, hash_key);
    haft_status status = note_names(&kept_names, first ? old : pinning->pins,
                                    first ? old_count : pinning->count, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_number(&w, "version", format.version);
    haft__field_text(&w, "server", pinning->server);
    haft__field_flag(&w, "doubt", before->doubt && pinning->how != HAFT__PIN_REPLACE_ALL);
    haft__json_key(&w, "pins");
    haft__json_begin_object(&w);
    write_pins(&w, old, old_count, first ? NULL : &kept_names);
    write_pins(&w, pinning->pins, pinning->count, first ? &kept_names : NULL);
    haft__json_end_object(&w);
    haft__json_end_object(&w);
    haft__buf_add_char(text, '\n');
    return haft__buf_check(text, err);
}

/* Keeps an unreadable file under another name, for inspection. */
static haft_status rename_damaged(const char *path, haft_error *err)
{
    char aside[4096];
    int length = snprintf(aside, sizeof(aside), "%s.damaged", path);
    bool fits = length > 0 && (size_t)length < sizeof(aside);
    return fits && rename(path, aside) == 0
               ? HAFT_OK
               : haft__fail(err, HAFT_IO, path, "cannot be renamed: %s",
                            fits ? strerror(errno) : "the path is too long");
}

/* Adds pins of this process that are not in the file: they could not be written earlier. */
static haft_status add_known(haft__mcp_pins *before, const haft__mcp_pins *known,
                             haft__hash_key hash_key, haft_error *err)
{
    haft__map names;
    size_t count = before->pins.kind == HAFT__JSON_OBJECT ? before->pins.count : 0;
    size_t more = known->pins.kind == HAFT__JSON_OBJECT ? known->pins.count : 0;
    haft__json_member *all = haft__arena_array(&before->arena, count + more, sizeof(*all));
    haft__map_init(&names, &before->arena, hash_key);
    haft_status status = all != NULL ? note_names(&names, before->pins.members, count, err)
                                     : haft__arena_fail(&before->arena, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (count > 0) {
        memcpy(all, before->pins.members, count * sizeof(*all));
    }
    for (size_t i = 0; i < more; i++) {
        if (haft__map_get(&names, haft__json_text(known->pins.members[i].key)) == NULL) {
            all[count++] = known->pins.members[i];
        }
    }
    before->pins = haft__json_object(all, count);
    return HAFT_OK;
}

/* The current content of the file; without a file, the pins of this process. */
static haft_status read_before(const haft__mcp_pins *known, const char *path,
                               const haft__mcp_pins_update *pinning, haft__hash_key hash_key,
                               haft__mcp_pins *before, haft_error *err)
{
    haft_status status =
        path != NULL ? haft__mcp_pins_read(before, path, hash_key, err) : HAFT_NOT_FOUND;
    if (status == HAFT_NOT_FOUND) {
        before->pins = known->pins;
        before->doubt = known->doubt;
        return HAFT_OK;
    }
    if (status == HAFT_OK && pinning->how == HAFT__PIN_KEEP_EXISTING) {
        return add_known(before, known, hash_key, err);
    }
    if (status == HAFT_OK || status == HAFT_NO_MEMORY || pinning->how == HAFT__PIN_KEEP_EXISTING) {
        return status;
    }
    before->doubt = true;
    return rename_damaged(path, err);
}

static haft_status change(haft__mcp_pins *pins, const char *path,
                          const haft__mcp_pins_update *pinning, haft__hash_key hash_key,
                          haft_error *err)
{
    haft__mcp_pins before, fresh;
    haft__buf text;
    haft__mcp_pins_init(&before);
    haft__mcp_pins_init(&fresh);
    haft__buf_init(&text, HAFT__LIMIT_MCP_RECORD_BYTES);
    haft_status status = read_before(pins, path, pinning, hash_key, &before, err);
    if (status == HAFT_OK) {
        status = write_file(&text, &before, pinning, hash_key, err);
    }
    if (status == HAFT_OK) {
        haft__json record;
        status = haft__mcp_record_copy(&fresh.arena, &text, &format, hash_key, &record, err);
        status = status == HAFT_OK ? add_record(&fresh, record, err) : status;
    }
    if (status == HAFT_OK) {
        haft__mcp_pins old = *pins;
        *pins = fresh;
        fresh = old;
        status = path != NULL ? haft__file_replace(path, haft__buf_str(&text), err) : HAFT_OK;
    }
    haft__buf_finish(&text);
    haft__mcp_pins_finish(&before);
    haft__mcp_pins_finish(&fresh);
    return status;
}

haft_status haft__mcp_pins_add(haft__mcp_pins *pins, const char *path,
                               const haft__mcp_pins_update *pinning, haft__hash_key hash_key,
                               haft_error *err)
{
    int lock = -1;
    if (path == NULL) {
        return change(pins, NULL, pinning, hash_key, err);
    }
    haft__state_file_create_directory(path);
    haft_status locked = haft__file_lock(path, &lock, err);
    if (locked != HAFT_OK) { /* the write fails too, and the caller gets its error */
        haft_status status = change(pins, NULL, pinning, hash_key, NULL);
        return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : locked;
    }
    haft_status status = change(pins, path, pinning, hash_key, err);
    haft__file_unlock(lock);
    return status;
}
