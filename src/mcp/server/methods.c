/* SPDX-License-Identifier: Apache-2.0 */
/*
 * methods.c - the table of methods, and the methods with an immediate response: handshake and
 * discovery, ping, log levels, lists. Tests: tests/mcp/server/methods_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/server/server_int.h"
#include "json/object.h"
#include "json/read.h"

/* How long a client may cache a list. */
#define LIST_TTL_MS 60000

static const haft__mcp_server_handlers *served_by(const haft__mcp_request *request)
{
    return request->own->server->options.served;
}

/* Sends the written members, or an error if writing failed. */
static void answer(haft__mcp_request *request, haft__buf *members)
{
    if (haft__buf_check(members, NULL) == HAFT_OK) {
        haft__mcp_request_reply(request, haft__buf_str(members));
    } else {
        haft__mcp_request_reject(
            request, 500, HAFT__RPC_INTERNAL,
            HAFT__LIT("cannot write the response: it is too long, or out of memory"),
            HAFT__LIT(""));
    }
    haft__buf_finish(members);
}

/* ---- handshake and discovery ---- */

static void add_capabilities(haft__json_writer *w, const haft__mcp_server_handlers *served,
                             bool modern)
{
    haft__json_key(w, "capabilities");
    haft__json_begin_object(w);
    if (served->logging) {
        haft__json_key(w, "logging");
        haft__json_begin_object(w);
        haft__json_end_object(w);
    }
    if (served->completions) {
        haft__json_key(w, "completions");
        haft__json_begin_object(w);
        haft__json_end_object(w);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"tools", "prompts", "resources"};
        bool has[] = {true, served->prompts, served->resources};
        if (!has[i]) {
            continue;
        }
        haft__json_key(w, names[i]);
        haft__json_begin_object(w);
        if (served->changes) {
            haft__field_flag(w, "listChanged", true);
        }
        if (i == 2 && !modern) {
            haft__field_flag(w, "subscribe", true);
        }
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

static void add_instructions(haft__json_writer *w, const haft__mcp_server_options *options)
{
    if (options->instructions.len > 0) {
        haft__field_text(w, "instructions", options->instructions);
    }
}

/* The members of a written object, without its braces. */
static haft_str inside(const haft__buf *object)
{
    haft_str text = haft__buf_str(object);
    return text.len >= 2 ? (haft_str){text.ptr + 1, text.len - 2} : HAFT__LIT("");
}

static void answer_object(haft__mcp_request *request, haft__buf *object)
{
    if (haft__buf_check(object, NULL) == HAFT_OK) {
        haft__mcp_request_reply(request, inside(object));
        haft__buf_finish(object);
    } else {
        answer(request, object);
    }
}

/* Selects the requested version if it is supported, else the newest version of the server; the
 * client then decides. */
static bool agree(haft__mcp_request *request)
{
    haft__mcp_peer *peer = request->own->peer;
    const haft__json *version = haft__json_get(request->params, HAFT__LIT("protocolVersion"));
    const haft__json *can = haft__json_get(request->params, HAFT__LIT("capabilities"));
    if (version == NULL || version->kind != HAFT__JSON_STRING) {
        haft__mcp_request_reject_params(
            request, "expected \"protocolVersion\" with a string in the parameters of "
                     "initialize");
        return false;
    }
    if (can != NULL && can->kind != HAFT__JSON_OBJECT) {
        haft__mcp_request_reject_params(request,
                                        "expected an object in \"capabilities\" of initialize");
        return false;
    }
    haft_str requested = haft__json_text(*version);
    peer->version = haft__mcp_version_has_handshake(requested)
                        ? haft__arena_copy(&peer->arena, requested)
                        : HAFT__LIT(HAFT__MCP_SERVER_LEGACY_VERSION);
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__json_write(&text, can != NULL ? *can : haft__json_object(NULL, 0));
    haft_str copy = haft__arena_copy(&peer->arena, haft__buf_str(&text));
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = peer->server->options.hash_key;
    bool good = haft__buf_check(&text, NULL) == HAFT_OK && copy.ptr != NULL
                && peer->version.ptr != NULL
                && haft__json_read(&peer->arena, copy, &options, &peer->capabilities, NULL, NULL)
                       == HAFT_OK;
    haft__buf_finish(&text);
    if (!good) {
        peer->version = HAFT__LIT("");
        haft__mcp_request_reject(request, 500, HAFT__RPC_INTERNAL, HAFT__LIT("out of memory"),
                                 HAFT__LIT(""));
    }
    return good;
}

static void initialize(haft__mcp_request *request, const haft__mcp_headers *headers,
                       uint64_t now_ms)
{
    (void)headers;
    (void)now_ms;
    haft__mcp_peer *peer = request->own->peer;
    if (peer->version.len > 0) {
        haft__mcp_request_reject(request, 400, HAFT__RPC_INVALID,
                                 HAFT__LIT("this session is already initialized"), HAFT__LIT(""));
        return;
    }
    if (!agree(request)) {
        return;
    }
    const haft__mcp_server_options *options = &peer->server->options;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_text(&w, "protocolVersion", peer->version);
    add_capabilities(&w, options->served, false);
    haft__json_key(&w, "serverInfo");
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", options->name);
    if (options->title.len > 0) {
        haft__field_text(&w, "title", options->title);
    }
    haft__field_text(&w, "version", options->version);
    haft__json_end_object(&w);
    add_instructions(&w, options);
    haft__json_end_object(&w);
    answer_object(request, &text);
}

static void add_ttl(haft__json_writer *w)
{
    haft__field_number(w, "ttlMs", LIST_TTL_MS);
    haft__field_text(w, "cacheScope", HAFT__LIT("private"));
}

static void discover(haft__mcp_request *request, const haft__mcp_headers *headers, uint64_t now_ms)
{
    (void)headers;
    (void)now_ms;
    const haft__mcp_server_options *options = &request->own->server->options;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "supportedVersions");
    haft__json_begin_array(&w);
    haft__json_add_str(&w, HAFT__LIT(HAFT__MCP_SERVER_MODERN_VERSION));
    haft__json_end_array(&w);
    add_capabilities(&w, options->served, true);
    add_instructions(&w, options);
    add_ttl(&w);
    haft__json_end_object(&w);
    answer_object(request, &text);
}

static void ping(haft__mcp_request *request, const haft__mcp_headers *headers, uint64_t now_ms)
{
    (void)headers;
    (void)now_ms;
    haft__mcp_request_reply(request, HAFT__LIT(""));
}

static void set_level(haft__mcp_request *request, const haft__mcp_headers *headers, uint64_t now_ms)
{
    (void)headers;
    (void)now_ms;
    const haft__json *level = haft__json_get(request->params, HAFT__LIT("level"));
    if (level == NULL || level->kind != HAFT__JSON_STRING
        || !haft__mcp_level_read(haft__json_text(*level), &request->own->peer->level)) {
        haft__mcp_request_reject_params(
            request, "expected \"level\" with one of debug, info, notice, warning, error, "
                     "critical, alert, emergency");
        return;
    }
    haft__mcp_request_reply(request, HAFT__LIT(""));
}

/* ---- lists ---- */

/* The start of a page; false if the cursor is invalid. */
static bool read_cursor(haft__mcp_request *request, size_t *ret_from)
{
    haft__mcp_request_internal *own = request->own;
    const haft__json *cursor = haft__json_get(request->params, HAFT__LIT("cursor"));
    haft_str text = {NULL, 0};
    uint64_t from = 0;
    *ret_from = 0;
    if (cursor == NULL || cursor->kind == HAFT__JSON_NULL) {
        return true;
    }
    bool good = cursor->kind == HAFT__JSON_STRING
                && haft__seal_open(&own->arena, &own->server->options.key, own->message.method,
                                   haft__json_text(*cursor), 0, &text, NULL)
                       == HAFT_OK
                && haft__str_to_u64(text, &from);
    *ret_from = (size_t)from;
    return good;
}

static void write_page(haft__mcp_request *request, haft__mcp_list list, const char *key,
                       size_t from, haft__buf *members)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    size_t count = options->served->count(options->context, list);
    size_t end = count - from > HAFT__LIMIT_MCP_PAGE ? from + HAFT__LIMIT_MCP_PAGE : count;
    haft__buf_addf(members, "\"%s\":[", key);
    for (size_t i = from; i < end; i++) {
        haft__buf_add_str(members, i > from ? HAFT__LIT(",") : HAFT__LIT(""));
        options->served->write(options->context, list, i, request->modern, members);
    }
    haft__buf_add_char(members, ']');
    if (end < count) {
        char next[24];
        int length = snprintf(next, sizeof(next), "%zu", end);
        haft__buf_add_str(members, HAFT__LIT(",\"nextCursor\":\""));
        haft__seal_write(members, &options->key, request->own->message.method,
                         (haft_str){next, (size_t)length}, UINT64_MAX);
        haft__buf_add_char(members, '"');
    }
    if (request->modern) {
        haft__buf_addf(members, ",\"ttlMs\":%d,\"cacheScope\":\"private\"", LIST_TTL_MS);
    }
}

static void answer_list(haft__mcp_request *request, haft__mcp_list list, const char *key)
{
    size_t from = 0;
    const haft__mcp_server_options *options = &request->own->server->options;
    if (!read_cursor(request, &from) || from > options->served->count(options->context, list)) {
        haft__mcp_request_reject_params(request, "the cursor does not belong to this list");
        return;
    }
    haft__buf members;
    haft__buf_init(&members, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    write_page(request, list, key, from, &members);
    answer(request, &members);
}

#define LIST(function, list, key)                                                                  \
    static void function(haft__mcp_request *request, const haft__mcp_headers *headers,             \
                         uint64_t now_ms)                                                          \
    {                                                                                              \
        (void)headers;                                                                             \
        (void)now_ms;                                                                              \
        answer_list(request, list, key);                                                           \
    }

LIST(list_tools, HAFT__MCP_LIST_TOOLS, "tools")
LIST(list_resources, HAFT__MCP_LIST_RESOURCES, "resources")
LIST(list_templates, HAFT__MCP_LIST_TEMPLATES, "resourceTemplates")
LIST(list_prompts, HAFT__MCP_LIST_PROMPTS, "prompts")

/* ---- methods of other files ---- */

#define VERB(function, verb)                                                                       \
    static void function(haft__mcp_request *request, const haft__mcp_headers *headers,             \
                         uint64_t now_ms)                                                          \
    {                                                                                              \
        haft__mcp_request_begin(request, verb, headers, now_ms);                                   \
    }

VERB(call_tool, HAFT__MCP_METHOD_CALL)
VERB(get_prompt, HAFT__MCP_METHOD_PROMPT)
VERB(read_resource, HAFT__MCP_METHOD_READ)
VERB(complete, HAFT__MCP_METHOD_COMPLETE)
VERB(subscribe, HAFT__MCP_METHOD_SUBSCRIBE)
VERB(unsubscribe, HAFT__MCP_METHOD_UNSUBSCRIBE)
VERB(listen, HAFT__MCP_METHOD_LISTEN)

/* ---- the table ---- */

typedef enum feature { ALWAYS, PROMPTS, RESOURCES, COMPLETIONS, LOGGING } feature;

enum { OLD = 1, NEW = 2, BOTH = OLD | NEW };

typedef struct method {
    const char *name;
    int eras;
    feature needs;
    bool early; /* allowed before the handshake */
    void (*perform)(haft__mcp_request *request, const haft__mcp_headers *headers, uint64_t now_ms);
} method;

static const method methods[] = {
    {"initialize", OLD, ALWAYS, true, initialize},
    {"ping", OLD, ALWAYS, true, ping},
    {"server/discover", NEW, ALWAYS, false, discover},
    {"logging/setLevel", OLD, LOGGING, false, set_level},
    {"tools/list", BOTH, ALWAYS, false, list_tools},
    {"tools/call", BOTH, ALWAYS, false, call_tool},
    {"prompts/list", BOTH, PROMPTS, false, list_prompts},
    {"prompts/get", BOTH, PROMPTS, false, get_prompt},
    {"resources/list", BOTH, RESOURCES, false, list_resources},
    {"resources/templates/list", BOTH, RESOURCES, false, list_templates},
    {"resources/read", BOTH, RESOURCES, false, read_resource},
    {"resources/subscribe", OLD, RESOURCES, false, subscribe},
    {"resources/unsubscribe", OLD, RESOURCES, false, unsubscribe},
    {"completion/complete", BOTH, COMPLETIONS, false, complete},
    {"subscriptions/listen", NEW, ALWAYS, false, listen},
};

static bool has_feature(const haft__mcp_server_handlers *served, feature needed)
{
    switch (needed) {
    case ALWAYS: return true;
    case PROMPTS: return served->prompts;
    case RESOURCES: return served->resources;
    case COMPLETIONS: return served->completions;
    case LOGGING: return served->logging;
    }
    HAFT__UNREACHABLE();
}

static const method *find_method(const haft__mcp_request *request)
{
    int era = request->modern ? NEW : OLD;
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (haft__str_equal(request->own->message.method, haft__str(methods[i].name))
            && (methods[i].eras & era) != 0 && has_feature(served_by(request), methods[i].needs)) {
            return &methods[i];
        }
    }
    return NULL;
}

/* ---- required members of a request without a handshake ---- */

/* Rejects the version of a request. `header`: the version is only in the header, as for versions
 * with a handshake, and not in the body. */
static void refuse_version(haft__mcp_request *request, haft_str requested, bool header)
{
    haft__buf data;
    haft__buf_init(&data, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&data, HAFT__LIT("{\"supported\":[\"" HAFT__MCP_SERVER_MODERN_VERSION "\""));
    if (header) {
        haft__mcp_version_list(&data);
    }
    haft__buf_add_str(&data, HAFT__LIT("],\"requested\":"));
    haft__json_write_string(&data, requested);
    haft__buf_add_char(&data, '}');
    haft__mcp_request_reject(
        request, 400, HAFT__RPC_VERSION, HAFT__LIT("this version of the protocol is not supported"),
        haft__buf_check(&data, NULL) == HAFT_OK ? haft__buf_str(&data) : HAFT__LIT(""));
    haft__buf_finish(&data);
}

/* Checks `_meta`. True if it is complete; otherwise the request was rejected. */
static bool check_meta(haft__mcp_request *request, const haft__mcp_headers *headers)
{
    const haft__json *version = haft__mcp_request_meta(request, HAFT__MCP_META_VERSION);
    haft_str header = headers != NULL ? haft__str_trim(headers->version) : HAFT__LIT("");
    if (version == NULL && header.len > 0
        && !haft__str_equal(header, HAFT__LIT(HAFT__MCP_SERVER_MODERN_VERSION))
        && !haft__mcp_version_has_handshake(
            header)) { /* only because of the header, the request counts as modern */
        refuse_version(request, header, true);
        return false;
    }
    if (version == NULL || version->kind != HAFT__JSON_STRING) {
        haft__mcp_request_reject_params(
            request, "expected \"_meta\" with a string in \"" HAFT__MCP_META_VERSION "\"");
        return false;
    }
    if (headers != NULL && !haft__mcp_headers_check(request, headers)) {
        return false;
    }
    if (!haft__str_equal(haft__json_text(*version), HAFT__LIT(HAFT__MCP_SERVER_MODERN_VERSION))) {
        refuse_version(request, haft__json_text(*version), false);
        return false;
    }
    const haft__json *can = haft__mcp_request_meta(request, HAFT__MCP_META_CAPABILITIES);
    if (can == NULL || can->kind != HAFT__JSON_OBJECT) {
        haft__mcp_request_reject_params(
            request, "expected \"_meta\" with an object in \"" HAFT__MCP_META_CAPABILITIES "\"");
        return false;
    }
    const haft__json *level = haft__mcp_request_meta(request, HAFT__MCP_META_LEVEL);
    request->own->capabilities = *can;
    request->own->logs =
        level != NULL && haft__mcp_level_read(haft__json_text(*level), &request->own->level);
    return true;
}

void haft__mcp_request_dispatch(haft__mcp_request *request, const haft__mcp_headers *headers,
                                uint64_t now_ms)
{
    haft__mcp_request_internal *own = request->own;
    if (request->modern && !check_meta(request, headers)) {
        return;
    }
    const method *found = find_method(request);
    if (found == NULL) {
        haft__mcp_request_reject(request, request->modern ? 404 : 200, HAFT__RPC_METHOD,
                                 HAFT__LIT("unknown method"), HAFT__LIT(""));
        return;
    }
    if (!request->modern) {
        if (own->peer->version.len == 0 && !found->early) {
            haft__mcp_request_reject(request, 400, HAFT__RPC_INVALID,
                                     HAFT__LIT("expected initialize first, or the version of the "
                                               "protocol in \"_meta\""),
                                     HAFT__LIT(""));
            return;
        }
        own->capabilities = own->peer->capabilities;
        own->logs = true;
    }
    found->perform(request, headers, now_ms);
}
