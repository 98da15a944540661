/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_cache.c - the cache file of a server. Every change writes a whole new text and parses it
 * again, so that memory and file have the same content. Tests: tests/exec/mcp/tool_cache_test.c.
 */
#include "exec/mcp/tool_cache.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/record.h"
#include "exec/state_file.h"
#include "io/clock.h"
#include "io/file.h"
#include "json/object.h"
#include "json/write.h"

static const haft__mcp_record_format format = {"a record", 2};

void haft__mcp_tool_cache_init(haft__mcp_tool_cache *cache)
{
    *cache = (haft__mcp_tool_cache){.server = HAFT__LIT(""), .era = HAFT__LIT("")};
    haft__arena_init(&cache->arena, 0);
}

void haft__mcp_tool_cache_finish(haft__mcp_tool_cache *cache)
{
    haft__arena_finish(&cache->arena);
}

/* ---- paths ---- */

haft_status haft__mcp_tool_cache_directory(haft__arena *arena, haft_str path,
                                           haft_str *ret_directory, haft_error *err)
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

/* The key includes the directory: a command can mean another program in another directory. */
haft_str haft__mcp_tool_cache_path(haft__arena *arena, haft_str state_dir,
                                   const haft__mcp_server_config *server, haft_str directory)
{
    haft_str both = haft__arena_format(arena, "%s\n%.*s", server->hash,
                                       HAFT__ARG(server->url.len > 0 ? HAFT__LIT("") : directory));
    return both.ptr != NULL ? haft__mcp_record_path(arena, state_dir, both, ".json") : both;
}

/* ---- reading ---- */

/* The list, or null if it is missing. */
static haft__json list_of(haft__json whole, const char *key)
{
    const haft__json *list = haft__object_find_kind(whole, key, HAFT__JSON_ARRAY);
    return list != NULL ? *list : haft__json_null();
}

static void fill_cache(haft__mcp_tool_cache *cache, haft__json whole)
{
    cache->server = haft__object_string(whole, "server");
    cache->era = haft__object_string(whole, "era");
    cache->tools = list_of(whole, "tools");
    cache->left_out = list_of(whole, "left_out");
    cache->too_long = haft__object_flag(whole, "too_long", false);
    cache->left_out_all = haft__object_number(whole, "left_out_all", 0);
    cache->expires_ms = haft__object_number(whole, "until", 0);
}

haft_status haft__mcp_tool_cache_read(haft__mcp_tool_cache *cache, const char *path,
                                      haft__hash_key hash_key, haft_error *err)
{
    haft__json whole;
    haft__mcp_tool_cache_finish(cache);
    haft__mcp_tool_cache_init(cache);
    haft_status status = haft__mcp_record_read(&cache->arena, path, &format, hash_key, &whole, err);
    if (status == HAFT_OK) {
        fill_cache(cache, whole);
    }
    return status;
}

/* ---- queries ---- */

/* If the clock was set back, the list does not stay valid longer. */
bool haft__mcp_tool_cache_is_fresh(const haft__mcp_tool_cache *cache, uint64_t now_ms)
{
    return cache->tools.kind == HAFT__JSON_ARRAY && cache->tools.count > 0
           && now_ms < cache->expires_ms && cache->expires_ms - now_ms <= HAFT__LIMIT_MCP_LIST_MS;
}

const haft__json *haft__mcp_tool_cache_find(const haft__mcp_tool_cache *cache, haft_str tool)
{
    for (uint32_t i = 0; i < cache->tools.count; i++) {
        if (haft__str_equal(haft__object_string(cache->tools.items[i], "name"), tool)) {
            return &cache->tools.items[i];
        }
    }
    return NULL;
}

/* ---- changing ---- */

/* Redacts secrets; the first error is kept. */
typedef struct cleaner {
    const haft__redactor *redactor; /* NULL: no secrets */
    haft__buf text, clean;
    haft_status status;
} cleaner;

static void cleaner_init(cleaner *c, const haft__redactor *redactor)
{
    *c = (cleaner){.redactor = redactor, .status = HAFT_OK};
    haft__buf_init(&c->text, HAFT__LIMIT_MCP_RECORD_BYTES);
    haft__buf_init(&c->clean, HAFT__LIMIT_MCP_RECORD_BYTES);
}

static void cleaner_finish(cleaner *c)
{
    haft__buf_finish(&c->text);
    haft__buf_finish(&c->clean);
}

/* The redacted text; returns whether it contained secrets. */
static bool clean(cleaner *c, haft_str text, haft_str *ret_clean)
{
    *ret_clean = text;
    if (c->redactor == NULL) {
        return false;
    }
    haft__buf_clear(&c->clean);
    bool secret = haft__redact(c->redactor, text, &c->clean);
    haft_status status = haft__buf_check(&c->clean, NULL);
    c->status = c->status == HAFT_OK ? status : c->status;
    *ret_clean = status == HAFT_OK ? haft__buf_str(&c->clean) : HAFT__LIT("");
    return secret;
}

static bool has_secret(cleaner *c, haft__json definition)
{
    haft_str ignored;
    if (c->redactor == NULL) {
        return false;
    }
    haft__buf_clear(&c->text);
    haft__json_write(&c->text, definition);
    haft_status status = haft__buf_check(&c->text, NULL);
    c->status = c->status == HAFT_OK ? status : c->status;
    return status == HAFT_OK && clean(c, haft__buf_str(&c->text), &ignored);
}

static void write_tools(haft__json_writer *w, const haft__mcp_tool_list_update *change, cleaner *c)
{
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < change->tool_count; i++) {
        if (!has_secret(c, change->tools[i].definition)) {
            haft__json_add(w, change->tools[i].definition);
        }
    }
    haft__json_end_array(w);
}

static void write_clean(haft__json_writer *w, const char *key, haft_str text, cleaner *c)
{
    haft_str shown;
    (void)clean(c, text, &shown);
    haft__field_text(w, key, shown);
}

static void write_skipped(haft__json_writer *w, const haft__mcp_tool_list_update *change,
                          cleaner *c)
{
    haft__json_key(w, "left_out");
    haft__json_begin_array(w);
    for (size_t i = 0; i < change->left_out_count; i++) {
        haft__json_begin_object(w);
        write_clean(w, "tool", change->left_out[i].tool, c);
        write_clean(w, "reason", change->left_out[i].reason, c);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__field_number(w, "left_out_all", change->left_out_all);
}

static haft_status write_cache(haft__buf *text, const haft__mcp_tool_list_update *change,
                               bool with_tools, haft_error *err)
{
    haft__json_writer w;
    cleaner c;
    haft__buf_clear(text);
    cleaner_init(&c, change->redactor);
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_number(&w, "version", format.version);
    haft__field_text(&w, "server", change->server);
    haft__field_text(&w, "era", change->era);
    haft__field_number(&w, "until", haft__clock_now() + change->valid_ms);
    if (with_tools) {
        write_tools(&w, change, &c);
        write_skipped(&w, change, &c);
    } else {
        haft__field_flag(&w, "too_long", true);
    }
    haft__json_end_object(&w);
    haft__buf_add_char(text, '\n');
    cleaner_finish(&c);
    if (c.status != HAFT_OK) {
        return haft__fail(err, c.status, "", "cannot write the list");
    }
    return haft__buf_check(text, err);
}

static haft_status try_write_cache(haft__buf *text, const haft__mcp_tool_list_update *change,
                                   bool with_tools, haft__hash_key hash_key,
                                   haft__mcp_tool_cache *ret_fresh, haft_error *err)
{
    haft_status status = write_cache(text, change, with_tools, err);
    haft__mcp_tool_cache_init(ret_fresh);
    if (status == HAFT_OK) {
        haft__json whole;
        status = haft__mcp_record_copy(&ret_fresh->arena, text, &format, hash_key, &whole, err);
        if (status == HAFT_OK) {
            fill_cache(ret_fresh, whole);
        }
    }
    return status;
}

/* Writes the new text and parses the cache from it; leaves out a list that is too long to parse.
 */
static haft_status build_cache(haft__buf *text, const haft__mcp_tool_list_update *change,
                               haft__hash_key hash_key, haft__mcp_tool_cache *ret_fresh,
                               haft_error *err)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_RECORD_BYTES);
    haft_status status = try_write_cache(text, change, true, hash_key, ret_fresh, err);
    if (status == HAFT_TOO_BIG) {
        haft__mcp_tool_cache_finish(ret_fresh);
        status = try_write_cache(text, change, false, hash_key, ret_fresh, err);
    }
    return status;
}

/* The newest list wins, so concurrent writers need no lock. */
haft_status haft__mcp_tool_cache_update(haft__mcp_tool_cache *cache, const char *path,
                                        const haft__mcp_tool_list_update *change,
                                        haft__hash_key hash_key, haft_error *err)
{
    haft__mcp_tool_cache fresh;
    haft__buf text;
    haft_status status = build_cache(&text, change, hash_key, &fresh, err);
    if (status == HAFT_OK) {
        haft__mcp_tool_cache_finish(cache);
        *cache = fresh;
        if (path != NULL) {
            haft__state_file_create_directory(path);
            status = haft__file_replace(path, haft__buf_str(&text), err);
        }
    } else {
        haft__mcp_tool_cache_finish(&fresh);
    }
    haft__buf_finish(&text);
    return status;
}
