/* SPDX-License-Identifier: Apache-2.0 */
/* server_config.c - converts `mcp` of a spec to structs. Tests: tests/mcp/server_config_test.c. */
#include "mcp/server_config.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/duration.h"
#include "tool/registry.h"
#include "json/object.h"
#include "json/write.h"

typedef struct reader {
    haft__arena *arena;
    haft__mcp_server_config *server; /* the current one */
    haft_error *err;
} reader;

/* Fails with a wrong type, at "/servers/NAME" and the key. */
static haft_status fail_type(reader *r, const char *key, const char *what, haft__json found)
{
    char where[96];
    (void)snprintf(where, sizeof where, "/servers/%.*s/%s",
                   (int)(r->server->name.len > 64 ? 64 : r->server->name.len), r->server->name.ptr,
                   key);
    return haft__json_fail_type(found, where, what, r->err);
}

/* ---- values ---- */

static haft_status read_flag(reader *r, haft__json holder, const char *key, bool *io_flag)
{
    haft__json value = haft__object_get(holder, key);
    bool flag = value.kind == HAFT__JSON_TRUE || value.kind == HAFT__JSON_FALSE;
    *io_flag = flag ? value.kind == HAFT__JSON_TRUE : *io_flag;
    return flag || value.kind == HAFT__JSON_NULL ? HAFT_OK
                                                 : fail_type(r, key, "true or false", value);
}

static haft_status read_text(reader *r, haft__json holder, const char *key, haft_str *ret_text)
{
    haft__json value = haft__object_get(holder, key);
    *ret_text = haft__json_text(value);
    return value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NULL
               ? HAFT_OK
               : fail_type(r, key, "a text", value);
}

/* Appends a list of texts, or a single text, to *io_texts. */
static haft_status read_texts(reader *r, haft__json holder, const char *key,
                              const haft_str **io_texts, size_t *io_count)
{
    haft__json value = haft__object_get(holder, key);
    bool one = value.kind == HAFT__JSON_STRING;
    size_t count = one ? 1 : value.kind == HAFT__JSON_ARRAY ? value.count : 0;
    if (!one && value.kind != HAFT__JSON_ARRAY && value.kind != HAFT__JSON_NULL) {
        return fail_type(r, key, "a list of strings", value);
    }
    haft_str *texts = haft__arena_array(r->arena, *io_count + count, sizeof(*texts));
    if (texts == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    for (size_t i = 0; i < *io_count; i++) {
        texts[i] = (*io_texts)[i];
    }
    for (size_t i = 0; i < count; i++) {
        haft__json item = one ? value : value.items[i];
        if (item.kind != HAFT__JSON_STRING) {
            return fail_type(r, key, "a list of strings", item);
        }
        texts[*io_count + i] = haft__json_text(item);
    }
    *io_texts = texts;
    *io_count += count;
    return HAFT_OK;
}

static haft_status read_pairs(reader *r, haft__json holder, const char *key,
                              const haft__mcp_name_value **ret_pairs, size_t *ret_count)
{
    haft__json value = haft__object_get(holder, key);
    if (value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value.kind != HAFT__JSON_OBJECT) {
        return fail_type(r, key, "an object of strings", value);
    }
    haft__mcp_name_value *pairs = haft__arena_array(r->arena, value.count, sizeof(*pairs));
    if (pairs == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    for (uint32_t i = 0; i < value.count; i++) {
        if (value.members[i].value.kind != HAFT__JSON_STRING) {
            return fail_type(r, key, "an object of strings", value.members[i].value);
        }
        pairs[i] = (haft__mcp_name_value){haft__json_text(value.members[i].key),
                                          haft__json_text(value.members[i].value)};
    }
    *ret_pairs = pairs;
    *ret_count = value.count;
    return HAFT_OK;
}

static haft_status read_timeout(reader *r, haft__json holder)
{
    uint64_t ms = 0;
    haft__json value = haft__object_get(holder, "timeout");
    if (value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__duration_read(value, &ms, r->err);
    if (status != HAFT_OK || ms == 0 || ms > HAFT__LIMIT_TOOL_TIMEOUT_MS) {
        return fail_type(r, "timeout", "a duration such as 30s, at most 24 hours", value);
    }
    r->server->timeout_ms = (uint32_t)ms;
    return HAFT_OK;
}

/* ---- the hash of a configuration ---- */

bool haft__mcp_is_secret_name(haft_str name)
{
    static const char *const words[] = {"key",  "token",      "secret",  "pass",   "auth",
                                        "cred", "private",    "session", "cookie", "pat",
                                        "dsn",  "connection", "_url",    "webhook"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_contains_ignore_case(name, haft__str(words[i]))) {
            return true;
        }
    }
    return false;
}

static void add_pairs(haft__json_writer *w, const char *key, const haft__mcp_name_value *pairs,
                      size_t count, bool headers)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        bool written_out =
            memchr(pairs[i].value.len > 0 ? pairs[i].value.ptr : "", '$', pairs[i].value.len)
            == NULL;
        bool hide = written_out && (headers || haft__mcp_is_secret_name(pairs[i].name));
        haft__json_add_str(w, pairs[i].name);
        haft__json_add_str(w, hide ? HAFT__LIT("") : pairs[i].value);
    }
    haft__json_end_array(w);
}

/* Adds the URL without user, password, query and fragment. */
static void add_url(haft__json_writer *w, haft_str url)
{
    size_t end = 0, host = 0;
    while (end < url.len && url.ptr[end] != '?' && url.ptr[end] != '#') {
        end++;
    }
    size_t slashes = 0;
    for (size_t i = 0; i < end && slashes < 3; i++) {
        slashes += url.ptr[i] == '/';
        host = url.ptr[i] == '@' ? i + 1 : host;
    }
    haft__field_text(w, "url", (haft_str){url.ptr + host, end - host});
}

static haft_status hash_server(haft__mcp_server_config *server, haft_error *err)
{
    haft__buf buf;
    haft__json_writer w;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__json_writer_init(&w, &buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "command");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < server->command_count; i++) {
        haft__json_add_str(&w, server->command[i]);
    }
    haft__json_end_array(&w);
    haft__field_text(&w, "cwd", server->cwd);
    add_pairs(&w, "env", server->env, server->env_count, false);
    add_url(&w, server->url);
    add_pairs(&w, "headers", server->headers, server->header_count, true);
    haft__json_end_object(&w);
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        haft__sha256_hex(haft__buf_str(&buf), server->hash);
    }
    haft__buf_finish(&buf);
    return status;
}

/* ---- servers ---- */

static bool is_name(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = haft__ascii_is_alphanumeric(c);
        if (!letter && (c == '\0' || strchr("_.-", c) == NULL)) {
            return false;
        }
    }
    return name.len > 0 && name.len <= HAFT__MCP_SERVER_NAME_BYTES;
}

static haft_status read_transport(reader *r, haft__json object)
{
    haft__mcp_server_config *server = r->server;
    haft_status status = read_texts(r, object, "command", &server->command, &server->command_count);
    if (status == HAFT_OK) {
        status = read_texts(r, object, "args", &server->command, &server->command_count);
    }
    if (status == HAFT_OK) {
        status = read_text(r, object, "url", &server->url);
    }
    bool command =
        haft__object_get(object, "command").kind != HAFT__JSON_NULL && server->command_count > 0;
    if (status == HAFT_OK && command == (server->url.len > 0)) {
        return fail_type(r, "command",
                         command ? "a command or a url, not both" : "a command or a url",
                         haft__object_get(object, "command"));
    }
    return status;
}

static haft_status read_server(reader *r, haft_str name, haft__json object)
{
    haft__mcp_server_config *server = r->server;
    *server = (haft__mcp_server_config){.name = name, .enabled = true};
    if (!is_name(name)) {
        return haft__fail(r->err, HAFT_BAD_INPUT, "/servers",
                          "expected a name of 1 to %d letters, digits and _ . -, found '%.*s'",
                          HAFT__MCP_SERVER_NAME_BYTES, HAFT__ARG(name));
    }
    if (object.kind != HAFT__JSON_OBJECT) {
        return fail_type(r, "", "an object", object);
    }
    haft_status status = read_transport(r, object);
    if (status == HAFT_OK) {
        status = read_flag(r, object, "enabled", &server->enabled);
    }
    if (status == HAFT_OK) {
        status = read_flag(r, object, "trust", &server->trusted);
    }
    if (status == HAFT_OK) {
        status = read_flag(r, object, "imported", &server->imported);
    }
    if (status == HAFT_OK) {
        status = read_text(r, object, "cwd", &server->cwd);
    }
    if (status == HAFT_OK) {
        status = read_pairs(r, object, "env", &server->env, &server->env_count);
    }
    if (status == HAFT_OK) {
        status = read_pairs(r, object, "headers", &server->headers, &server->header_count);
    }
    if (status == HAFT_OK) {
        status = read_timeout(r, object);
    }
    if (status == HAFT_OK) {
        status = read_texts(r, object, "roots", &server->roots, &server->root_count);
    }
    if (status == HAFT_OK) {
        status = read_texts(r, object, "polls", &server->polls, &server->poll_count);
    }
    return status == HAFT_OK ? hash_server(server, r->err) : status;
}

static haft_status read_patterns(reader *r, haft__json mcp, const char *key,
                                 const haft_str **ret_texts, size_t *ret_count)
{
    haft__mcp_server_config any_server = {.name = HAFT__LIT("*")};
    reader all = {.arena = r->arena, .err = r->err, .server = &any_server};
    haft_status status = read_texts(&all, mcp, key, ret_texts, ret_count);
    if (status == HAFT_BAD_INPUT) {
        return haft__fail(r->err, HAFT_BAD_INPUT, "", "expected a list of strings as %s", key);
    }
    return status;
}

haft_status haft__mcp_server_configs_read(haft__arena *arena, haft__json mcp,
                                          haft__mcp_server_configs *ret_servers, haft_error *err)
{
    haft__mcp_server_configs servers = {0};
    haft__json object = haft__object_get(mcp, "servers");
    reader r = {.arena = arena, .err = err};
    if (object.kind != HAFT__JSON_NULL && object.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(object, "/servers", "an object of servers", err);
    }
    if (object.count > HAFT__LIMIT_MCP_SERVERS) {
        return haft__fail(err, HAFT_TOO_BIG, "/servers", "%u servers, more than %d", object.count,
                          HAFT__LIMIT_MCP_SERVERS);
    }
    haft__mcp_server_config *items = haft__arena_array(arena, object.count, sizeof(*items));
    haft_status status = items != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (uint32_t i = 0; i < object.count && status == HAFT_OK; i++) {
        r.server = &items[i];
        status = read_server(&r, haft__json_text(object.members[i].key), object.members[i].value);
    }
    if (status == HAFT_OK) {
        status = read_patterns(&r, mcp, "allow", &servers.allow, &servers.allow_count);
    }
    if (status == HAFT_OK) {
        status = read_patterns(&r, mcp, "deny", &servers.deny, &servers.deny_count);
    }
    servers.items = items;
    servers.count = object.count;
    if (status == HAFT_OK) {
        *ret_servers = servers;
    }
    return status;
}

const haft__mcp_server_config *
haft__mcp_server_configs_find(const haft__mcp_server_configs *servers, haft_str name)
{
    for (size_t i = 0; i < servers->count; i++) {
        if (haft__str_equal(servers->items[i].name, name)) {
            return &servers->items[i];
        }
    }
    return NULL;
}

bool haft__mcp_server_configs_allow(const haft__mcp_server_configs *servers, haft_str name)
{
    return haft__filter_passes(name, servers->allow, servers->allow_count, servers->deny,
                               servers->deny_count);
}
