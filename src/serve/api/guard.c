/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - who may use a route: Host, Origin, CORS, tokens, roles. Tests:
 * tests/serve/guard_test.py.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/file.h"
#include "serve/api/gateway_int.h"

/* ---- the token file ---- */

static uint64_t stamp_of(const char *path, mode_t *ret_mode)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return 0;
    }
    *ret_mode = info.st_mode;
    return ((uint64_t)info.st_mtim.tv_sec * 1000000000U + (uint64_t)info.st_mtim.tv_nsec)
           ^ ((uint64_t)info.st_ino << 1) ^ (uint64_t)info.st_size;
}

static void warn(const haft__api_gateway *gateway, const char *path, const char *what)
{
    const haft__service_host *host = gateway->options.host;
    char text[512];
    int length = snprintf(text, sizeof(text), "%s: %s", path, what);
    if (host != NULL && length > 0) {
        host->warn(host->context, haft__str(text));
    }
}

haft_status haft__api_guard_load(haft__api_gateway *gateway, haft_error *err)
{
    const char *path = gateway->options.token_file;
    mode_t mode = 0;
    uint64_t stamp = stamp_of(path, &mode);
    haft__arena arena;
    haft_str text = {NULL, 0};
    haft__token_set set = {.count = 0};
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__file_read_arena(&arena, path, HAFT__LIMIT_SERVE_TOKEN_FILE_BYTES, &text, err);
    if (status == HAFT_OK && (mode & (S_IWGRP | S_IWOTH)) != 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, path, "other users can write the token file");
        status = haft__hint(err, status, "restrict it with chmod 600");
    } else if (status == HAFT_OK) {
        status = haft__token_read(&arena, text, gateway->options.runtime->hash_key, &set, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, path);
        }
    }
    if (status != HAFT_OK) {
        haft__arena_finish(&arena);
        return status;
    }
    haft__arena_finish(&gateway->token_arena);
    gateway->token_arena = arena;
    gateway->tokens = set;
    gateway->token_stamp = stamp;
    if ((mode & (S_IRGRP | S_IROTH)) != 0) {
        warn(gateway, path, "other users can read the token file; restrict it with chmod 600");
    }
    return HAFT_OK;
}

/* A file that cannot be read keeps the last tokens, except that a file that is gone revokes all. */
void haft__api_guard_reload(haft__api_gateway *gateway)
{
    mode_t mode = 0;
    haft_error err = {0};
    const char *path = gateway->options.token_file;
    uint64_t stamp = path != NULL ? stamp_of(path, &mode) : 0;
    if (path == NULL || stamp == gateway->token_stamp) {
        return;
    }
    gateway->token_stamp = stamp;
    if (stamp == 0) {
        gateway->tokens.count = 0;
        warn(gateway, path, "the token file is gone: all tokens are revoked");
    } else if (haft__api_guard_load(gateway, &err) != HAFT_OK) {
        warn(gateway, err.where, err.message);
    }
}

/* ---- headers ---- */

/* A repeated header for authentication or routing is ambiguous. */
static const char *find_repeated_header(const haft__http_server_request *request)
{
    static const struct {
        const char *name, *why;
    } headers[] = {
        {"host", "the header Host occurs more than once"},
        {"origin", "the header Origin occurs more than once"},
        {"authorization", "the header Authorization occurs more than once"},
        {"x-api-key", "the header X-Api-Key occurs more than once"},
        {"content-type", "the header Content-Type occurs more than once"},
        {"last-event-id", "the header Last-Event-ID occurs more than once"},
        {"idempotency-key", "the header Idempotency-Key occurs more than once"},
    };
    for (size_t i = 0; i < COUNT(headers); i++) {
        if (haft__http_server_header_count(request, headers[i].name) > 1) {
            return headers[i].why;
        }
    }
    return NULL;
}

static bool reject(haft__api_verdict *verdict, uint32_t status, const char *message,
                   const char *hint)
{
    verdict->status = status;
    verdict->message = message;
    verdict->hint = hint;
    return false;
}

bool haft__api_is_listed_origin(const haft__api_gateway *gateway, haft_str origin)
{
    const haft__api_gateway_options *options = &gateway->options;
    for (size_t i = 0; i < options->allow_origin_count; i++) {
        if (haft__str_equal_ignore_case(origin, haft__str(options->allow_origins[i]))) {
            return true;
        }
    }
    return false;
}

/* Checks Host and Origin: a web page can make a browser send requests here. */
static bool check_origin(const haft__api_gateway *gateway, const haft__http_server_request *request,
                         haft__api_verdict *verdict)
{
    haft_str origin = haft__str_trim(haft__http_server_header(request, "origin"));
    bool listed = origin.ptr != NULL && haft__api_is_listed_origin(gateway, origin);
    haft__mcp_access_request visitor = {
        .method = HAFT__LIT(""),
        .host = haft__http_server_header(request, "host"),
        .origin = listed ? (haft_str){NULL, 0} : haft__http_server_header(request, "origin")};
    const char *why = "";
    if (haft__mcp_access_check(&gateway->rules, &visitor, &why) != 0) {
        return reject(verdict, 403, why,
                      "--allow-host adds a name of this host, --allow-origin "
                      "a page");
    }
    verdict->origin = listed ? origin : (haft_str){NULL, 0};
    verdict->preflight =
        listed && haft__str_equal(haft__http_server_method(request), HAFT__LIT("OPTIONS"))
        && haft__http_server_header(request, "access-control-request-method").ptr != NULL;
    return true;
}

/* ---- the principal ---- */

/* The token of "Authorization: Bearer TOKEN" or "X-Api-Key: TOKEN"; .ptr is NULL without one. */
static haft_str presented_token(const haft__http_server_request *request)
{
    haft_str rest = haft__str_trim(haft__http_server_header(request, "authorization"));
    if (rest.ptr == NULL || rest.len == 0) {
        return haft__str_trim(haft__http_server_header(request, "x-api-key"));
    }
    haft_str scheme = haft__str_split(&rest, ' ');
    return haft__str_equal_ignore_case(scheme, HAFT__LIT("bearer")) ? haft__str_trim(rest)
                                                                    : (haft_str){NULL, 0};
}

static bool check_token(haft__api_gateway *gateway, const haft__http_server_request *request,
                        haft__role role, haft__api_verdict *verdict)
{
    static const haft__principal everybody = {
        .name = {"", 0}, .user = {"", 0}, .roles = HAFT__ROLE_ADMIN, .all_users = true};
    if (!gateway->has_tokens) {
        verdict->who = everybody;
        return true;
    }
    haft_str presented = presented_token(request);
    uint64_t now = haft__runtime_now(gateway->options.runtime);
    const haft__token *token =
        presented.len > 0 ? haft__token_find(&gateway->tokens, presented, now) : NULL;
    if (token == NULL && role != HAFT__ROLE_NONE) {
        return reject(verdict, 401, "expected a token of this server",
                      "send it as Authorization: Bearer TOKEN or X-Api-Key: TOKEN");
    }
    if (token != NULL) {
        verdict->who = token->principal;
    }
    if (!haft__principal_may(&verdict->who, role)) {
        return reject(verdict, 403, "the token does not permit this request",
                      "`haft token create --roles` makes a token with the role that "
                      "docs/http-api.md names");
    }
    return true;
}

/* ---- the route ---- */

static const haft__api_mount *find_mount(const haft__api_gateway *gateway, haft_str path)
{
    for (size_t i = 0; i < gateway->options.mount_count; i++) {
        const haft__api_mount *mount = &gateway->options.mounts[i];
        if (haft__str_starts_with(path, haft__str(mount->prefix))) {
            return mount;
        }
    }
    return NULL;
}

static bool find_route(haft__api_gateway *gateway, const haft__http_server_request *request,
                       haft__api_verdict *verdict)
{
    haft_str path = haft__http_server_path(request);
    verdict->mount = find_mount(gateway, path);
    if (verdict->mount != NULL || verdict->preflight) {
        return true;
    }
    uint32_t status = 404;
    verdict->route =
        haft__route_find(gateway->options.tables, gateway->options.table_count,
                         haft__http_server_method(request), path, &status, verdict->allow);
    if (verdict->route != NULL) {
        return true;
    }
    return status == 405
               ? reject(verdict, 405, "the path does not support this method", "see Allow")
               : reject(verdict, 404, "unknown path", "GET /openapi.json lists the routes");
}

static bool is_json(haft_str content_type)
{
    haft_str name = haft__str_trim(haft__str_split(&content_type, ';'));
    return haft__str_equal_ignore_case(name, HAFT__LIT("application/json"));
}

/* Other types are those that a form of any page can send. */
static bool check_content_type(const haft__http_server_request *request, const haft__route *route,
                               haft__api_verdict *verdict)
{
    haft_str type = haft__http_server_header(request, "content-type");
    if (route->body == NULL || (route->body_optional && type.ptr == NULL) || is_json(type)) {
        return true;
    }
    return reject(verdict, 415, "expected the header Content-Type: application/json", "");
}

/* Whether a draining server still handles the route. */
static bool survives_drain(const haft__route *route)
{
    return strcmp(route->method, "GET") == 0 || route->role == HAFT__ROLE_ANSWER;
}

void haft__api_guard_check(haft__api_gateway *gateway, const haft__http_server_request *request,
                           haft__api_verdict *ret_verdict)
{
    haft__api_verdict *verdict = ret_verdict;
    *verdict = (haft__api_verdict){.who = {.name = HAFT__LIT(""), .user = HAFT__LIT("")}};
    const char *problem = find_repeated_header(request);
    problem = problem != NULL ? problem : haft__path_problem(haft__http_server_path(request));
    if (problem != NULL) {
        (void)reject(verdict, 400, problem, "");
        return;
    }
    if (!check_origin(gateway, request, verdict) || !find_route(gateway, request, verdict)
        || verdict->preflight) {
        return;
    }
    haft__role role = verdict->mount != NULL ? verdict->mount->role : verdict->route->role;
    if (!check_token(gateway, request, role, verdict) || verdict->mount != NULL) {
        return;
    }
    if (gateway->draining && !survives_drain(verdict->route)) {
        (void)reject(verdict, 503, "the server is stopping", "ask another server");
        return;
    }
    (void)check_content_type(request, verdict->route, verdict);
}
