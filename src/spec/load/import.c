/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.c - `mcp: {import: FILE}`: reads servers from a configuration file of another program.
 *
 * The servers are added to the spec (spec->mcp), but not to its source, because every run stores
 * the source and such files contain secrets. Instead, the source gets a hash of the servers. So a
 * run is not resumed with other servers, and a run can be inspected without the file. Tests:
 * tests/spec/load/import_test.c.
 */
#include "base/buf.h"
#include "base/sha256.h"
#include "base/str.h"
#include "mcp/server_config.h"
#include "spec/load/load_int.h"
#include "json/object.h"

#define AT HAFT__LIT("/mcp/import")

static void report(haft__loader *l, haft_str file, const haft_error *err)
{
    haft__spec_problem *problem =
        haft__loader_error(l, AT, HAFT__SUBJECT_VALUE, "%.*s: %s%s%s", HAFT__ARG(file), err->where,
                           err->where[0] != '\0' ? ": " : "", err->message);
    if (err->hint[0] != '\0') {
        haft__loader_hint(l, problem, "%s", err->hint);
    }
}

/* Whether the spec names the server in `allow`. Such a server must be usable. */
static bool is_in_allow(const haft__loader *l, haft_str server)
{
    haft__json allow = haft__object_array(l->spec->mcp, "allow");
    for (uint32_t i = 0; i < allow.count; i++) {
        haft_str rest = haft__json_text(allow.items[i]);
        haft_str name = haft__str_split(&rest, ':');
        if (haft__str_equal(name, server)) {
            return true;
        }
    }
    return false;
}

void haft__loader_report_skipped_server(haft__loader *l, haft_str server, haft_str why,
                                        haft_str hint)
{
    haft__json given = haft__object_get(haft__object_object(l->source, "mcp"), "import");
    haft_str file = given.kind == HAFT__JSON_STRING ? haft__json_text(given)
                                                    : haft__object_string(given, "file");
    haft__spec_problem *problem;
    if (is_in_allow(l, server)) {
        problem = haft__loader_error(l, AT, HAFT__SUBJECT_VALUE,
                                     "%.*s: %.*s; `allow` in the spec names it", HAFT__ARG(file),
                                     HAFT__ARG(why));
    } else {
        problem = haft__loader_warning(l, AT, HAFT__SUBJECT_VALUE, "%.*s: %.*s; it is skipped",
                                       HAFT__ARG(file), HAFT__ARG(why));
    }
    if (hint.len > 0) {
        haft__loader_hint(l, problem, "%.*s", HAFT__ARG(hint));
    }
}

static bool put(haft__loader *l, haft__json *object, haft_str key, haft__json value)
{
    bool done = haft__edit_put(l->arena, object, key, value);
    if (!done) {
        (void)haft__loader_failed(l, haft__arena_fail(l->arena, NULL));
    }
    return done;
}

/* Joins the servers of the file and the spec's own servers, which replace servers of the same
 * name. */
static void join(haft__loader *l, haft__json imported)
{
    haft__json own = haft__object_object(l->spec->mcp, "servers"), joined = imported;
    for (uint32_t i = 0; i < imported.count; i++) {
        haft_str name = haft__json_text(imported.members[i].key);
        if (haft__json_get(own, name) == NULL) {
            haft__origin_add(l, haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"), name),
                             AT);
        }
    }
    for (uint32_t i = 0; i < own.count && l->status == HAFT_OK; i++) {
        (void)put(l, &joined, haft__json_text(own.members[i].key), own.members[i].value);
    }
    (void)(l->status == HAFT_OK && put(l, &l->spec->mcp, HAFT__LIT("servers"), joined));
}

void haft__loader_disable_server(haft__loader *l, haft_str server)
{
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    const haft__json *found = haft__json_get(servers, server);
    haft__json off = found != NULL ? *found : haft__json_object(NULL, 0);
    (void)(put(l, &off, HAFT__LIT("enabled"), haft__json_bool(false))
           && put(l, &servers, server, off)
           && put(l, &l->spec->mcp, HAFT__LIT("servers"), servers));
}

/* Makes a hash of the names and configurations of all servers of the file, without secrets. */
static haft_status hash_servers(haft__loader *l, haft__json servers,
                                char ret_hash[HAFT__SHA256_HEX], haft_error *err)
{
    haft__buf text;
    haft__mcp_server_configs read;
    haft__json_member member = {haft__json_string(HAFT__LIT("servers")), servers};
    haft_status status =
        haft__mcp_server_configs_read(l->arena, haft__json_object(&member, 1), &read, err);
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    for (size_t i = 0; status == HAFT_OK && i < read.count; i++) {
        haft__buf_addf(&text, "%.*s %s\n", HAFT__ARG(read.items[i].name), read.items[i].hash);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        haft__sha256_hex(haft__buf_str(&text), ret_hash);
    }
    haft__buf_finish(&text);
    return status;
}

/* Writes the hash into the source: import: {file: .., sha256: ..}. */
static void pin(haft__loader *l, haft_str file, const char hash[HAFT__SHA256_HEX])
{
    haft_str kept = haft__arena_copy(l->arena, (haft_str){hash, HAFT__SHA256_HEX});
    haft__json import = haft__json_object(NULL, 0), mcp = haft__object_object(l->source, "mcp");
    if (kept.ptr == NULL) {
        (void)haft__loader_failed(l, haft__arena_fail(l->arena, NULL));
        return;
    }
    (void)(put(l, &import, HAFT__LIT("file"), haft__json_string(file))
           && put(l, &import, HAFT__LIT("sha256"), haft__json_string(kept))
           && put(l, &mcp, HAFT__LIT("import"), import)
           && put(l, &l->source, HAFT__LIT("mcp"), mcp));
    l->spec->source = l->source;
}

static void use_import(haft__loader *l, haft_str file, haft_str pinned,
                       const haft__mcp_import *import, const char hash[HAFT__SHA256_HEX])
{
    if (pinned.len > 0 && !haft__str_equal(pinned, (haft_str){hash, HAFT__SHA256_HEX})) {
        haft__spec_problem *problem = haft__loader_error(
            l, AT, HAFT__SUBJECT_VALUE, "the servers in %.*s have changed", HAFT__ARG(file));
        haft__loader_hint(l, problem, "restore the file, or remove sha256 to accept the change");
        return;
    }
    for (size_t i = 0; i < import->note_count; i++) {
        (void)haft__loader_warning(l, AT, HAFT__SUBJECT_VALUE, "%.*s: %.*s", HAFT__ARG(file),
                                   HAFT__ARG(import->notes[i]));
    }
    for (size_t i = 0; i < import->skipped_count; i++) {
        haft__loader_report_skipped_server(l, import->skipped[i].name, import->skipped[i].why,
                                           HAFT__LIT(""));
    }
    join(l, import->servers);
    pin(l, file, hash);
}

void haft__loader_import(haft__loader *l)
{
    const haft__spec_options *options = l->options;
    haft__json given = haft__object_get(haft__object_object(l->source, "mcp"), "import");
    bool text_alone = given.kind == HAFT__JSON_STRING;
    haft_str file = text_alone ? haft__json_text(given) : haft__object_string(given, "file"), text;
    char hash[HAFT__SHA256_HEX];
    haft_error err = {.status = HAFT_OK};
    haft__mcp_import import;
    if (file.len == 0 || options->read_file == NULL || !haft__loader_keys_are_valid(l, "mcp")) {
        return;
    }
    haft_status status =
        options->read_file(options->read_context, l->arena, options->path, file, &text, &err);
    if (status == HAFT_OK) {
        status = haft__mcp_import_read(l->arena, text, options->hash_key, &import, &err);
    }
    if (status == HAFT_OK) {
        status = hash_servers(l, import.servers, hash, &err);
    }
    if (status == HAFT_OK) {
        use_import(l, file, haft__object_string(given, "sha256"), &import, hash);
    } else if (!haft__loader_failed(l, status)) {
        report(l, file, &err);
    }
}
