/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_record.c - the file of a server. Every change makes a whole new text of it, which is read
 * again here: what is in memory is what is in the file. Tests: tests/exec/mcp_record_test.c.
 */
#include "exec/mcp_record.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "json/read.h"
#include "json/write.h"

#define VERSION 1

void haft__mcp_record_init(haft__mcp_record *record)
{
    *record = (haft__mcp_record){.server = HAFT__LIT("")};
    haft__arena_init(&record->arena, 0);
}

void haft__mcp_record_finish(haft__mcp_record *record)
{
    haft__arena_finish(&record->arena);
}

/* ---- where it is ---- */

haft_str haft__mcp_record_place(haft__arena *arena)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        return haft__arena_format(arena, "%s/haft/mcp", state);
    }
    if (home != NULL && home[0] == '/') {
        return haft__arena_format(arena, "%s/.local/state/haft/mcp", home);
    }
    return (haft_str){NULL, 0};
}

haft_status haft__mcp_record_directory(haft__arena *arena, haft_str path, haft_str *ret_directory,
                                       haft_error *err)
{
    *ret_directory = HAFT__LIT("");
    if (path.len == 0) {
        return HAFT_OK;
    }
    haft_str whole = haft__arena_copy(arena, path);
    whole = whole.ptr != NULL ? haft__file_absolute(arena, whole.ptr) : whole;
    if (whole.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    const char *slash = memrchr(whole.ptr, '/', whole.len);
    size_t length = slash != NULL ? (size_t)(slash - whole.ptr) : 0;
    *ret_directory = (haft_str){whole.ptr, length > 0 ? length : 1};
    return HAFT_OK;
}

/* A command means something else in another directory. */
haft_str haft__mcp_record_path(haft__arena *arena, haft_str place, const haft__mcp_server *server,
                               haft_str directory)
{
    char digest[HAFT__SHA256_HEX];
    haft_str both = haft__arena_format(arena, "%s\n%.*s", server->hash,
                                       HAFT__ARG(server->url.len > 0 ? HAFT__LIT("") : directory));
    if (both.ptr == NULL) {
        return both;
    }
    haft__sha256_hex(both, digest);
    return haft__arena_format(arena, "%.*s/%.*s.json", HAFT__ARG(place), HAFT__SHA256_HEX, digest);
}

/* The directories above the file, ours alone. What cannot be made shows when it is written. */
static void make_place(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    for (size_t i = 1; i < length && i < sizeof(part); i++) {
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            (void)mkdir(part, 0700);
        }
    }
}

/* ---- reading ---- */

static haft__json get(haft__json object, const char *key, haft__json_kind kind)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL && value->kind == kind ? *value : haft__json_null();
}

static haft_status take_text(haft__mcp_record *record, haft_str text, haft__hash_key hash_key,
                             haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json whole;
    options.refuse_duplicates = true;
    options.hash_key = hash_key;
    haft_status status = haft__json_read(&record->arena, text, &options, &whole, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str version = haft__json_text(get(whole, "version", HAFT__JSON_NUMBER));
    if (!haft__str_equal(version, HAFT__LIT("1"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a record of version %d", VERSION);
    }
    record->server = haft__json_text(get(whole, "server", HAFT__JSON_STRING));
    record->tools = get(whole, "tools", HAFT__JSON_ARRAY);
    record->pins = get(whole, "pins", HAFT__JSON_OBJECT);
    return HAFT_OK;
}

/* Whoever can write it could accept a tool in our name. */
static haft_status check_owner(const char *path, haft_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? haft__fail(err, HAFT_NOT_FOUND, path, "there is no record of this server")
                   : haft__fail(err, HAFT_IO, path, "cannot be opened: %s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || (about.st_mode & 022) != 0) {
        haft_status status = haft__fail(err, HAFT_IO, path, "it is not a file that only you write");
        return haft__hint(err, status, "remove it; it is made again");
    }
    return HAFT_OK;
}

haft_status haft__mcp_record_read(haft__mcp_record *record, const char *path,
                                  haft__hash_key hash_key, haft_error *err)
{
    haft_str text;
    haft__mcp_record fresh;
    haft__mcp_record_init(&fresh);
    haft_status status = check_owner(path, err);
    if (status == HAFT_OK) {
        status = haft__file_keep(&fresh.arena, path, HAFT__LIMIT_MCP_RECORD_BYTES, &text, err);
    }
    if (status == HAFT_OK) {
        status = take_text(&fresh, text, hash_key, err);
        if (status != HAFT_OK) {
            haft__error_at(err, path);
        }
    }
    if (status != HAFT_OK) {
        haft__mcp_record_finish(&fresh);
        haft__mcp_record_init(&fresh);
    }
    haft__mcp_record_finish(record);
    *record = fresh;
    return status;
}

/* ---- looking ---- */

const haft__json *haft__mcp_record_pin(const haft__mcp_record *record, haft_str tool)
{
    return haft__json_get(record->pins, tool);
}

const haft__json *haft__mcp_record_tool(const haft__mcp_record *record, haft_str tool)
{
    for (uint32_t i = 0; i < record->tools.count; i++) {
        haft__json name = get(record->tools.items[i], "name", HAFT__JSON_STRING);
        if (haft__str_equal(haft__json_text(name), tool)) {
            return &record->tools.items[i];
        }
    }
    return NULL;
}

/* ---- changing ---- */

static void write_pins(haft__json_writer *w, const haft__mcp_record *record,
                       const haft__mcp_tool *pin)
{
    haft__json_begin_object(w);
    for (uint32_t i = 0; i < record->pins.count; i++) {
        haft_str name = haft__json_text(record->pins.members[i].key);
        if (pin == NULL || !haft__str_equal(name, pin->remote)) {
            haft__json_key_str(w, name);
            haft__json_add(w, record->pins.members[i].value);
        }
    }
    if (pin != NULL) {
        haft__json_key_str(w, pin->remote);
        haft__json_add(w, pin->definition);
    }
    haft__json_end_object(w);
}

static void write_tools(haft__json_writer *w, const haft__mcp_record *record,
                        const haft__mcp_change *change)
{
    if (!change->listed) {
        haft__json_add(w, record->tools);
        return;
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < change->tool_count; i++) {
        haft__json_add(w, change->tools[i].definition);
    }
    haft__json_end_array(w);
}

static void write_record(haft__buf *text, const haft__mcp_record *record,
                         const haft__mcp_change *change, bool with_tools)
{
    haft__json_writer w;
    haft__buf_clear(text);
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "version");
    haft__json_add_int(&w, VERSION);
    haft__json_key(&w, "server");
    haft__json_add_str(&w, change->server);
    if (with_tools) {
        haft__json_key(&w, "tools");
        write_tools(&w, record, change);
    }
    haft__json_key(&w, "pins");
    write_pins(&w, record, change->pin);
    haft__json_end_object(&w);
    haft__buf_add_char(text, '\n');
}

/* The new text, and the record that is in it. */
static haft_status make_record(haft__buf *text, const haft__mcp_record *record,
                               const haft__mcp_change *change, haft__hash_key hash_key,
                               haft__mcp_record *ret_fresh, haft_error *err)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_RECORD_BYTES);
    write_record(text, record, change, true);
    if (text->status == HAFT_TOO_BIG) {
        write_record(text, record, change, false);
    }
    haft_status status = haft__buf_check(text, err);
    haft__mcp_record_init(ret_fresh);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(&ret_fresh->arena, haft__buf_str(text));
        status = copy.ptr != NULL ? take_text(ret_fresh, copy, hash_key, err)
                                  : haft__arena_fail(&ret_fresh->arena, err);
    }
    return status;
}

haft_status haft__mcp_record_change(haft__mcp_record *record, const char *path,
                                    const haft__mcp_change *change, haft__hash_key hash_key,
                                    haft_error *err)
{
    haft__mcp_record others, fresh;
    haft__buf text;
    haft__mcp_record_init(&others);
    bool there = path != NULL && haft__mcp_record_read(&others, path, hash_key, NULL) == HAFT_OK;
    haft_status status =
        make_record(&text, there ? &others : record, change, hash_key, &fresh, err);
    if (status == HAFT_OK) {
        haft__mcp_record_finish(record);
        *record = fresh;
        if (path != NULL) {
            make_place(path);
            status = haft__file_replace(path, haft__buf_str(&text), err);
        }
    } else {
        haft__mcp_record_finish(&fresh);
    }
    haft__buf_finish(&text);
    haft__mcp_record_finish(&others);
    return status;
}
