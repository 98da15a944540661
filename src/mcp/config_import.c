/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_import.c - imports MCP servers from the configuration files of other programs.
 *
 * Each program has its own format; they differ in the key around the servers, in the name of the
 * URL member, and in the syntax of ${..}. The common subset becomes servers of a spec. Tests:
 * tests/mcp/config_import_test.c.
 */
#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/server_config.h"
#include "mcp/visible.h"
#include "json/object.h"
#include "json/repair.h"

#define SHOWN_BYTES 64 /* maximum bytes of a name in errors and notes */

typedef struct importer {
    haft__arena *arena;
    haft__json inputs;     /* VS Code's: [{id, ..}] */
    haft_str name;         /* of the server, as in the file */
    haft_str haft_name;    /* the name in haft; "" if the name in the file has no valid form */
    haft__json_member *to; /* members of the imported server */
    size_t to_count;
    haft_str *notes;
    size_t note_count;
    haft__mcp_skipped_server *skipped;
    size_t skipped_count;
    haft_error *err;
} importer;

/* command, cwd, env, url, headers, enabled, imported */
#define MEMBERS 7

/* ---- errors and notes ---- */

static haft_status no_memory(importer *m)
{
    return haft__arena_fail(m->arena, m->err);
}

/* "the server 'docs': ..." */
static haft_status bad(importer *m, const char *what, haft_str found)
{
    haft_str name = m->name, shown = found;
    haft_status status = haft__visible_copy(m->arena, m->name, SHOWN_BYTES, &name, m->err);
    if (status == HAFT_OK) {
        status = haft__visible_copy(m->arena, found, SHOWN_BYTES, &shown, m->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return haft__fail(m->err, HAFT_BAD_INPUT, "", "the server '%.*s': %s%s%.*s%s", HAFT__ARG(name),
                      what, found.len > 0 ? " '" : "", HAFT__ARG(shown), found.len > 0 ? "'" : "");
}

static haft_status note(importer *m, const char *what)
{
    haft_str name = m->name;
    haft_status status = haft__visible_copy(m->arena, m->name, SHOWN_BYTES, &name, m->err);
    if (status != HAFT_OK || m->note_count == HAFT__LIMIT_MCP_WARNINGS) {
        return status;
    }
    haft_str text = haft__arena_format(m->arena, "%.*s: %s", HAFT__ARG(name), what);
    if (text.ptr == NULL) {
        return no_memory(m);
    }
    m->notes[m->note_count++] = text;
    return HAFT_OK;
}

/* ---- ${..} ---- */

static bool is_variable(haft_str text)
{
    haft_str rest = text, name = haft__str_split(&rest, ':');
    bool rest_fits = name.len == text.len || haft__str_starts_with(rest, HAFT__LIT("-"));
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = haft__ascii_is_letter(c) || c == '_';
        if (!letter && (i == 0 || !haft__ascii_is_digit(c))) {
            return false;
        }
    }
    return name.len > 0 && rest_fits;
}

static bool has_input(const importer *m, haft_str id)
{
    for (uint32_t i = 0; m->inputs.kind == HAFT__JSON_ARRAY && i < m->inputs.count; i++) {
        haft__json own = haft__object_get(m->inputs.items[i], "id");
        if (own.kind == HAFT__JSON_STRING && haft__str_equal(haft__json_text(own), id)) {
            return true;
        }
    }
    return false;
}

/* Other programs ask the user for the value of ${input:api-key}; haft reads the variable
 * HAFT_INPUT_API_KEY instead. `inputs` may be missing: people often copy a server entry without
 * it. */
static haft_status add_input(importer *m, haft_str id, haft__buf *buf)
{
    if (id.len == 0) {
        return bad(m, "found ${input:} without the id of an input", HAFT__LIT(""));
    }
    haft_status status = has_input(m, id)
                             ? HAFT_OK
                             : note(m, "the file has no `inputs` for an ${input:..} of it; the "
                                       "variable HAFT_INPUT_.. is used");
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_add_str(buf, HAFT__LIT("${HAFT_INPUT_"));
    for (size_t i = 0; i < id.len; i++) {
        char c = id.ptr[i];
        bool digit = haft__ascii_is_digit(c) || haft__ascii_is_upper(c);
        char upper = haft__ascii_is_lower(c) ? (char)(c - 'a' + 'A') : digit ? c : '_';
        haft__buf_add_char(buf, upper);
    }
    haft__buf_add_char(buf, '}');
    return HAFT_OK;
}

static haft_status add_variable(importer *m, haft_str inside, haft__buf *buf)
{
    static const haft_str env = HAFT__LIT("env:"), input = HAFT__LIT("input:");
    static const char *const fixed[][2] = {{"userHome", "${HOME}"},
                                           {"workspaceFolder", "."},
                                           {"workspaceRoot", "."},
                                           {"pathSeparator", "/"},
                                           {"/", "/"}};
    for (size_t i = 0; i < COUNT(fixed); i++) {
        if (haft__str_equal(inside, haft__str(fixed[i][0]))) {
            haft__buf_add_str(buf, haft__str(fixed[i][1]));
            return HAFT_OK;
        }
    }
    if (haft__str_starts_with(inside, input)) {
        return add_input(m, haft__str_skip(inside, input.len), buf);
    }
    haft_str name = haft__str_starts_with(inside, env) ? haft__str_skip(inside, env.len) : inside;
    if (!is_variable(name)) {
        return bad(m, "cannot expand the variable", inside);
    }
    haft__buf_addf(buf, "${%.*s}", HAFT__ARG(name));
    return HAFT_OK;
}

/* Removes the text before the next ${..} and its content from *rest; false if no ${..} follows. */
static bool next_variable(haft_str *rest, haft_str *ret_before, haft_str *ret_inside)
{
    for (size_t at = 0; at + 1 < rest->len; at++) {
        const char *open = rest->ptr + at;
        const char *end =
            open[0] == '$' && open[1] == '{' ? memchr(open, '}', rest->len - at) : NULL;
        if (end != NULL) {
            *ret_before = (haft_str){rest->ptr, at};
            *ret_inside = (haft_str){open + 2, (size_t)(end - open) - 2};
            *rest = haft__str_skip(*rest, at + (size_t)(end - open) + 1);
            return true;
        }
    }
    return false;
}

/* Translates a text to haft's syntax. */
static haft_status translate(importer *m, haft_str text, haft__json *ret_text)
{
    haft__buf buf;
    haft_str rest = text, before, inside;
    haft_status status = HAFT_OK;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    while (status == HAFT_OK && next_variable(&rest, &before, &inside)) {
        haft__buf_add_str(&buf, before);
        status = add_variable(m, inside, &buf);
    }
    haft__buf_add_str(&buf, rest);
    if (status == HAFT_OK) {
        status = haft__buf_check(&buf, m->err);
    }
    haft_str made = status == HAFT_OK ? haft__arena_copy(m->arena, haft__buf_str(&buf)) : text;
    haft__buf_finish(&buf);
    *ret_text = haft__json_string(made);
    return made.ptr != NULL ? status : no_memory(m);
}

/* ---- values ---- */

static void put(importer *m, const char *key, haft__json value)
{
    m->to[m->to_count].key = haft__json_string(haft__str(key));
    m->to[m->to_count++].value = value;
}

static haft_status put_text(importer *m, const char *key, haft__json value)
{
    haft__json text;
    if (value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value.kind != HAFT__JSON_STRING) {
        return bad(m, "expected a string as", haft__str(key));
    }
    haft_status status = translate(m, haft__json_text(value), &text);
    put(m, key, text);
    return status;
}

/* The command, which may be a text or already a list, and its arguments, as one list. */
static haft_status put_command(importer *m, haft__json command, haft__json args)
{
    bool one = command.kind == HAFT__JSON_STRING;
    size_t first = one ? 1 : command.count;
    size_t more = args.kind == HAFT__JSON_ARRAY ? args.count : 0;
    if ((!one && command.kind != HAFT__JSON_ARRAY)
        || (args.kind != HAFT__JSON_ARRAY && args.kind != HAFT__JSON_NULL)) {
        return bad(m, "expected a string as command and a list as args", HAFT__LIT(""));
    }
    haft__json *words = haft__arena_array(m->arena, first + more, sizeof(*words));
    haft_status status = words != NULL ? HAFT_OK : no_memory(m);
    for (size_t i = 0; i < first + more && status == HAFT_OK; i++) {
        haft__json word = i >= first ? args.items[i - first] : one ? command : command.items[i];
        status = word.kind == HAFT__JSON_STRING
                     ? translate(m, haft__json_text(word), &words[i])
                     : bad(m, "expected strings in command and args", HAFT__LIT(""));
    }
    put(m, "command", haft__json_array(words, first + more));
    return status;
}

/* The text of an environment variable. Numbers and booleans become texts. */
static haft_str text_of(haft__json value)
{
    return value.kind == HAFT__JSON_TRUE    ? HAFT__LIT("true")
           : value.kind == HAFT__JSON_FALSE ? HAFT__LIT("false")
                                            : haft__json_text(value);
}

static haft_status put_texts(importer *m, const char *key, haft__json value)
{
    if (value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value.kind != HAFT__JSON_OBJECT) {
        return bad(m, "expected an object of strings as", haft__str(key));
    }
    haft__json_member *members = haft__arena_array(m->arena, value.count, sizeof(*members));
    if (members == NULL) {
        return no_memory(m);
    }
    haft_status status = HAFT_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        haft__json text = value.members[i].value;
        if (text.kind == HAFT__JSON_ARRAY || text.kind == HAFT__JSON_OBJECT) {
            status = bad(m, "expected an object of strings as", haft__str(key));
        } else if (text.kind != HAFT__JSON_NULL) {
            members[count].key = value.members[i].key;
            status = translate(m, text_of(text), &members[count++].value);
        }
    }
    put(m, key, haft__json_object(members, count));
    return status;
}

/* ---- servers ---- */

static haft__json url_of(haft__json entry)
{
    static const char *const keys[] = {"url", "httpUrl", "serverUrl"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__json url = haft__object_get(entry, keys[i]);
        if (url.kind != HAFT__JSON_NULL) {
            return url;
        }
    }
    return haft__json_null();
}

static haft_status check_type(importer *m, haft__json entry)
{
    static const char *const types[] = {"stdio", "http", "streamable-http", "streamableHttp",
                                        "streamable_http"};
    haft__json type = haft__object_get(entry, "type");
    type = type.kind != HAFT__JSON_NULL ? type : haft__object_get(entry, "transport");
    haft_str text = haft__json_text(type);
    bool known = type.kind == HAFT__JSON_NULL;
    for (size_t i = 0; i < COUNT(types) && !known; i++) {
        known = haft__str_equal(text, haft__str(types[i]));
    }
    if (!known && haft__str_equal(text, HAFT__LIT("sse"))) {
        return note(m, "the transport sse is no longer supported; haft tries Streamable HTTP");
    }
    return known ? HAFT_OK : bad(m, "expected stdio or http as its type, found", text);
}

static haft_status add_notes(importer *m, haft__json entry)
{
    haft_status status = HAFT_OK;
    if (haft__object_get(entry, "envFile").kind != HAFT__JSON_NULL) {
        status = note(m, "envFile is not read; list its variables in env, or put them into .env");
    }
    if (status == HAFT_OK && haft__object_get(entry, "auth").kind != HAFT__JSON_NULL) {
        status = note(m, "auth is ignored: OAuth is not supported yet; put a token into headers");
    }
    if (status == HAFT_OK && haft__object_get(entry, "timeout").kind != HAFT__JSON_NULL) {
        status = note(m, "timeout is not imported: programs use different units for it");
    }
    return status;
}

static haft_status read_transport(importer *m, haft__json entry)
{
    haft__json command = haft__object_get(entry, "command"), url = url_of(entry);
    bool has_command = command.kind != HAFT__JSON_NULL, has_url = url.kind != HAFT__JSON_NULL;
    if (has_command == has_url) {
        return bad(m,
                   has_command ? "it has both a command and a url" : "it has no command and no url",
                   HAFT__LIT(""));
    }
    return has_command ? put_command(m, command, haft__object_get(entry, "args"))
                       : put_text(m, "url", url);
}

static haft_status read_entry(importer *m, haft__json entry, haft__json *ret_server)
{
    m->to_count = 0;
    m->to = haft__arena_array(m->arena, MEMBERS, sizeof(*m->to));
    if (m->to == NULL) {
        return no_memory(m);
    }
    if (entry.kind != HAFT__JSON_OBJECT) {
        return bad(m, "expected an object", HAFT__LIT(""));
    }
    bool disabled = haft__object_get(entry, "disabled").kind == HAFT__JSON_TRUE
                    || haft__object_get(entry, "enabled").kind == HAFT__JSON_FALSE;
    size_t notes = m->note_count;
    haft_status status = check_type(m, entry);
    if (status == HAFT_OK) {
        status = read_transport(m, entry);
    }
    if (status == HAFT_OK) {
        status = put_text(m, "cwd", haft__object_get(entry, "cwd"));
    }
    if (status == HAFT_OK) {
        status = put_texts(m, "env", haft__object_get(entry, "env"));
    }
    if (status == HAFT_OK) {
        status = put_texts(m, "headers", haft__object_get(entry, "headers"));
    }
    if (status == HAFT_OK) {
        status = add_notes(m, entry);
    }
    m->note_count = disabled ? notes : m->note_count; /* no notes for a disabled server */
    put(m, "enabled", haft__json_bool(!disabled));
    put(m, "imported", haft__json_bool(true));
    *ret_server = haft__json_object(m->to, m->to_count);
    return status;
}

/* Converts the name: "My Server" becomes My-Server. */
static haft_status make_name(importer *m, haft__json *ret_name)
{
    haft_str name = m->name;
    name.len = name.len < HAFT__MCP_SERVER_NAME_BYTES ? name.len : HAFT__MCP_SERVER_NAME_BYTES;
    if (name.len == 0) {
        return bad(m, "it has no name", HAFT__LIT(""));
    }
    char *made = haft__arena_alloc(m->arena, name.len);
    if (made == NULL) {
        return no_memory(m);
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = haft__ascii_is_alphanumeric(c);
        made[i] = letter || c == '_' || c == '.' ? c : '-';
    }
    *ret_name = haft__json_string((haft_str){made, name.len});
    return HAFT_OK;
}

/* Whether a spec accepts the server. */
static haft_status check_server(importer *m, haft__json_member server)
{
    haft__mcp_server_configs read;
    haft__json_member servers = {haft__json_string(HAFT__LIT("servers")),
                                 haft__json_object(&server, 1)};
    haft_status status =
        haft__mcp_server_configs_read(m->arena, haft__json_object(&servers, 1), &read, m->err);
    if (status == HAFT_BAD_INPUT) {
        haft_str why = haft__arena_format(m->arena, "%s", m->err->message);
        status = why.ptr != NULL ? bad(m, why.ptr, HAFT__LIT("")) : no_memory(m);
    }
    return status;
}

static haft_status read_server(importer *m, haft__json made, haft__json from,
                               haft__json_member *ret_server)
{
    m->haft_name = HAFT__LIT("");
    haft_status status = make_name(m, &ret_server->key);
    m->haft_name = status == HAFT_OK ? haft__json_text(ret_server->key) : m->haft_name;
    if (status == HAFT_OK && haft__json_get(made, haft__json_text(ret_server->key)) != NULL) {
        status = bad(m, "another server gets the same name when it is imported:",
                     haft__json_text(ret_server->key));
    }
    if (status == HAFT_OK) {
        status = read_entry(m, from, &ret_server->value);
    }
    return status == HAFT_OK ? check_server(m, *ret_server) : status;
}

/* Records an invalid server as skipped, so that the other servers stay usable. */
static haft_status skip_server(importer *m, haft_error *why)
{
    haft_str text = haft__arena_format(m->arena, "%s", why->message);
    if (text.ptr == NULL) {
        return no_memory(m);
    }
    m->skipped[m->skipped_count++] = (haft__mcp_skipped_server){m->haft_name, text};
    *why = (haft_error){.status = HAFT_OK};
    return HAFT_OK;
}

static haft_status read_servers(importer *m, haft__json from, haft__json *ret_servers)
{
    if (from.count > HAFT__LIMIT_MCP_SERVERS) {
        return haft__fail(m->err, HAFT_TOO_BIG, "", "%u servers, more than %d", from.count,
                          HAFT__LIMIT_MCP_SERVERS);
    }
    haft_error own = {.status = HAFT_OK}, *err = m->err;
    haft__json_member *members = haft__arena_array(m->arena, from.count, sizeof(*members));
    m->skipped = haft__arena_array(m->arena, from.count, sizeof(*m->skipped));
    size_t count = 0;
    haft_status status = members != NULL && m->skipped != NULL ? HAFT_OK : no_memory(m);
    m->err = &own;
    for (uint32_t i = 0; i < from.count && status == HAFT_OK; i++) {
        m->name = haft__json_text(from.members[i].key);
        status = read_server(m, haft__json_object(members, count), from.members[i].value,
                             &members[count]);
        count += status == HAFT_OK;
        status = status == HAFT_BAD_INPUT ? skip_server(m, &own) : status;
    }
    m->err = err;
    if (status != HAFT_OK && err != NULL && err->status == HAFT_OK) {
        *err = own;
    }
    *ret_servers = haft__json_object(members, count);
    return status;
}

/* The object with the servers: below mcpServers or servers, optionally inside mcp. */
static haft__json find_servers(haft__json root, haft__json *ret_inputs)
{
    haft__json holders[] = {root, haft__object_get(root, "mcp")};
    static const char *const keys[] = {"mcpServers", "servers"};
    for (size_t i = 0; i < COUNT(holders) * COUNT(keys); i++) {
        haft__json found = haft__object_get(holders[i / COUNT(keys)], keys[i % COUNT(keys)]);
        if (found.kind == HAFT__JSON_OBJECT) {
            *ret_inputs = haft__object_get(holders[i / COUNT(keys)], "inputs");
            return found;
        }
    }
    return haft__json_null();
}

haft_status haft__mcp_import_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                  haft__mcp_import *ret_import, haft_error *err)
{
    haft__json root;
    haft__mcp_import import = {0};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.max_bytes = HAFT__LIMIT_SPEC_BYTES;
    options.max_values = HAFT__LIMIT_SPEC_VALUES;
    options.reject_duplicates = true;
    options.hash_key = hash_key;
    haft_status status = haft__json_read_tolerant(arena, text, &options, &root, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    importer m = {.arena = arena, .err = err};
    haft__json servers = find_servers(root, &m.inputs);
    if (servers.kind != HAFT__JSON_OBJECT) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "found no mcpServers and no servers");
        return haft__hint(err, status,
                          "it should look like {\"mcpServers\": {\"docs\": "
                          "{\"command\": \"npx\", \"args\": [..]}}}");
    }
    m.notes = haft__arena_array(arena, HAFT__LIMIT_MCP_WARNINGS, sizeof(*m.notes));
    status = m.notes != NULL ? read_servers(&m, servers, &import.servers) : no_memory(&m);
    import.notes = m.notes;
    import.note_count = m.note_count;
    import.skipped = m.skipped;
    import.skipped_count = m.skipped_count;
    if (status == HAFT_OK) {
        *ret_import = import;
    }
    return status;
}
