/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup.c - the command, environment, URL and headers for a connection to an MCP server.
 *
 * ${VAR} is expanded here, for each connection. The values may be secrets: they are kept only as
 * long as the connection, and no message contains one. Tests: tests/exec/mcp/setup_test.c.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/http/public_address.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define DEFAULT_LANG "C.UTF-8"

/* ---- texts ---- */

static haft_status check_no_nul(haft_str text, const char *where, haft_error *err)
{
    return text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL ? haft__fail(
               err, HAFT_BAD_INPUT, where, "an argument of a program cannot contain a NUL")
                                                                    : HAFT_OK;
}

/* Makes a NUL-terminated copy of the text; rejects a NUL inside it. If `expand`, replaces ${VAR}.
 */
static haft_status make_text(haft__mcp_connection *connection, haft_str text, bool expand,
                             const char *where, haft_str *ret_text, haft_error *err)
{
    haft_str value = text;
    haft_status status = expand ? haft__spec_expand(&connection->setup, text,
                                                    &connection->exec->options.env, &value, err)
                                : HAFT_OK;
    status = status == HAFT_OK ? check_no_nul(value, where, err) : status;
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, where);
        return status;
    }
    *ret_text = haft__arena_copy(&connection->setup, value);
    return ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(&connection->setup, err);
}

/* ---- programs ---- */

/* The command line: the guard with its options, then the program with its arguments. There is no
 * limit on CPU time, because a server may run for a long time. */
haft_status haft__mcp_setup_argv(haft__mcp_connection *connection, const char ***ret_argv,
                                 haft_error *err)
{
    const struct {
        const char *name;
        unsigned long long value;
    } options[] = {{"--parent", (unsigned long long)getpid()},
                   {"--report", 3},
                   {"--files", HAFT__LIMIT_EXEC_FILES},
                   {"--term", HAFT__LIMIT_MCP_TERM_MS}};
    size_t count = 0;
    const char **argv =
        haft__arena_array(&connection->setup,
                          connection->server.command_count + 2 * COUNT(options) + 3, sizeof(*argv));
    if (argv == NULL) {
        return haft__arena_fail(&connection->setup, err);
    }
    argv[count++] = connection->exec->guard;
    for (size_t i = 0; i < COUNT(options); i++) {
        haft_str value = haft__arena_format(&connection->setup, "%llu", options[i].value);
        if (value.ptr == NULL) {
            return haft__arena_fail(&connection->setup, err);
        }
        argv[count++] = options[i].name;
        argv[count++] = value.ptr;
    }
    argv[count++] = "--";
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < connection->server.command_count && status == HAFT_OK; i++) {
        haft_str word = {NULL, 0};
        status = make_text(connection, connection->server.command[i], connection->server.imported,
                           "/command", &word, err);
        argv[count++] = word.ptr;
    }
    *ret_argv = argv;
    return status;
}

static haft_status add_variable(haft__mcp_connection *connection, const char **env, haft_str name,
                                haft_str value, haft_error *err)
{
    if (name.len == 0 || memchr(name.ptr, '=', name.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/env",
                          "the name of a variable must not be empty or contain '='");
    }
    haft_status status = check_no_nul(name, "/env", err);
    haft_str entry =
        haft__arena_format(&connection->setup, "%.*s=%.*s", HAFT__ARG(name), HAFT__ARG(value));
    if (status != HAFT_OK || entry.ptr == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(&connection->setup, err);
    }
    while (*env != NULL && !(strncmp(*env, name.ptr, name.len) == 0 && (*env)[name.len] == '=')) {
        env++;
    }
    *env = entry.ptr;
    return HAFT_OK;
}

/* Passes one variable of haft's own environment to the server. If it is not set, passes `fallback`,
 * or nothing if that is NULL. */
static haft_status pass_variable(haft__mcp_connection *connection, const char **env,
                                 const char *name, const char *fallback, haft_error *err)
{
    const haft__spec_env *own_env = &connection->exec->options.env;
    haft_str value = {NULL, 0};
    if (own_env->get != NULL) {
        value = own_env->get(own_env->context, haft__str(name));
    }
    if (value.ptr == NULL && fallback != NULL) {
        value = haft__str(fallback);
    }
    return value.ptr != NULL ? add_variable(connection, env, haft__str(name), value, err) : HAFT_OK;
}

haft_status haft__mcp_setup_env(haft__mcp_connection *connection, const char ***ret_env,
                                haft_error *err)
{
    const char **env =
        haft__arena_array(&connection->setup, connection->server.env_count + 4, sizeof(*env));
    if (env == NULL) {
        return haft__arena_fail(&connection->setup, err);
    }
    haft_status status = pass_variable(connection, env, "PATH", DEFAULT_PATH, err);
    status = status == HAFT_OK ? pass_variable(connection, env, "LANG", DEFAULT_LANG, err) : status;
    status = status == HAFT_OK ? pass_variable(connection, env, "HOME", NULL, err) : status;
    for (size_t i = 0; i < connection->server.env_count && status == HAFT_OK; i++) {
        const haft__mcp_name_value *pair = &connection->server.env[i];
        haft_str value = {NULL, 0};
        status = make_text(connection, pair->value, true, "/env", &value, err);
        status = status == HAFT_OK ? add_variable(connection, env, pair->name, value, err) : status;
    }
    *ret_env = env;
    return status;
}

/* A path relative to the spec file. */
static haft_status make_path(haft__mcp_connection *connection, haft_str path, const char *where,
                             haft_str *ret_path, haft_error *err)
{
    haft_str given = {NULL, 0};
    haft_status status =
        make_text(connection, path, connection->server.imported, where, &given, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool absolute = given.len > 0 && given.ptr[0] == '/';
    haft_str base = connection->directory;
    if (!absolute && base.len > 0) {
        given =
            haft__arena_format(&connection->setup, "%.*s/%.*s", HAFT__ARG(base), HAFT__ARG(given));
    }
    *ret_path = given;
    return given.ptr != NULL ? HAFT_OK : haft__arena_fail(&connection->setup, err);
}

haft_status haft__mcp_setup_cwd(haft__mcp_connection *connection, const char **ret_cwd,
                                haft_error *err)
{
    haft_str path = {NULL, 0};
    if (connection->server.cwd.len == 0 && connection->directory.len == 0) {
        return HAFT_OK;
    }
    haft_status status = make_path(connection, connection->server.cwd, "/cwd", &path, err);
    if (status == HAFT_OK && access(path.ptr, X_OK) != 0) {
        status =
            haft__fail(err, HAFT_NOT_FOUND, path.ptr, "cannot enter the directory %s", path.ptr);
        return haft__hint(err, status, "check `cwd` of the server");
    }
    *ret_cwd = path.ptr;
    return status;
}

/* ---- root directories ---- */

static bool is_plain(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~'
           || c == '/';
}

static haft_status make_root(haft__mcp_connection *connection, haft_str directory,
                             haft__mcp_root *ret_root, haft_error *err)
{
    char resolved[PATH_MAX];
    haft_str path = {NULL, 0};
    haft__buf uri;
    haft_status status = make_path(connection, directory, "/roots", &path, err);
    if (status == HAFT_OK && realpath(path.ptr, resolved) == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, path.ptr,
                          "the directory %s of `roots` does not exist", path.ptr);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&uri, (size_t)3 * PATH_MAX + 8);
    haft__buf_add_str(&uri, HAFT__LIT("file://"));
    for (const char *c = resolved; *c != '\0'; c++) {
        haft__buf_addf(&uri, is_plain(*c) ? "%c" : "%%%02X", (unsigned char)*c);
    }
    const char *name = strrchr(resolved, '/');
    ret_root->uri = haft__arena_copy(&connection->setup, haft__buf_str(&uri));
    ret_root->name =
        haft__arena_format(&connection->setup, "%s", name != NULL ? name + 1 : resolved);
    status = haft__buf_check(&uri, err);
    haft__buf_finish(&uri);
    return status != HAFT_OK || (ret_root->uri.ptr != NULL && ret_root->name.ptr != NULL)
               ? status
               : haft__arena_fail(&connection->setup, err);
}

haft_status haft__mcp_setup_roots(haft__mcp_connection *connection,
                                  const haft__mcp_root **ret_roots, size_t *ret_count,
                                  haft_error *err)
{
    haft__mcp_root *roots =
        haft__arena_array(&connection->setup, connection->server.root_count, sizeof(*roots));
    haft_status status = roots != NULL ? HAFT_OK : haft__arena_fail(&connection->setup, err);
    for (size_t i = 0; i < connection->server.root_count && status == HAFT_OK; i++) {
        status = make_root(connection, connection->server.roots[i], &roots[i], err);
    }
    *ret_roots = roots;
    *ret_count = connection->server.root_count;
    return status;
}

/* ---- HTTP ---- */

/* The host of a URL, without brackets. */
static haft_str host_of(haft_str url)
{
    const char *slashes = url.len > 2 ? memmem(url.ptr, url.len, "://", 3) : NULL;
    haft_str rest = slashes != NULL ? haft__str_skip(url, (size_t)(slashes - url.ptr) + 3) : url;
    size_t length = 0;
    while (length < rest.len && memchr("/?#", rest.ptr[length], 3) == NULL) {
        length++;
    }
    rest.len = length;
    const char *at = rest.len > 0 ? memrchr(rest.ptr, '@', rest.len) : NULL;
    rest = at != NULL ? haft__str_skip(rest, (size_t)(at - rest.ptr) + 1) : rest;
    if (rest.len > 0 && rest.ptr[0] == '[') {
        rest = haft__str_skip(rest, 1);
        const char *end = memchr(rest.ptr, ']', rest.len);
        rest.len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        return rest;
    }
    const char *colon = rest.len > 0 ? memchr(rest.ptr, ':', rest.len) : NULL;
    rest.len = colon != NULL ? (size_t)(colon - rest.ptr) : rest.len;
    return rest;
}

/* Only literal addresses and "localhost" can count as private. Any other name could resolve to any
 * address. */
bool haft__mcp_setup_is_private(haft_str url)
{
    haft_str host = host_of(url);
    char text[INET6_ADDRSTRLEN + 1];
    uint8_t bytes[16];
    if (haft__str_equal_ignore_case(host, HAFT__LIT("localhost"))) {
        return true;
    }
    if (host.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, host.len > 0 ? host.ptr : "", host.len);
    text[host.len] = '\0';
    if (inet_pton(AF_INET, text, bytes) == 1) {
        return !haft__address_is_public(AF_INET, bytes);
    }
    return inet_pton(AF_INET6, text, bytes) == 1 && !haft__address_is_public(AF_INET6, bytes);
}

/* Rejects invalid header values. The message does not contain the value: it may be a secret. */
static haft_status check_header(haft_str name, haft_str value, haft_error *err)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F) {
            haft_status status = haft__fail(
                err, HAFT_BAD_INPUT, "/headers",
                "the value of the header %.*s contains a control character", HAFT__ARG(name));
            return haft__hint(err, status, "check the variable it comes from for a line end");
        }
    }
    return HAFT_OK;
}

haft_status haft__mcp_setup_http(haft__mcp_connection *connection, haft_error *err)
{
    size_t count = connection->server.header_count;
    haft_str *headers = haft__arena_array(&connection->setup, count, sizeof(*headers));
    haft_status status = headers != NULL ? HAFT_OK : haft__arena_fail(&connection->setup, err);
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        const haft__mcp_name_value *pair = &connection->server.headers[i];
        haft_str value = {NULL, 0};
        status = make_text(connection, pair->value, true, "/headers", &value, err);
        status = status == HAFT_OK ? check_header(pair->name, value, err) : status;
        if (status == HAFT_OK) {
            headers[i] = haft__arena_format(&connection->setup, "%.*s: %.*s", HAFT__ARG(pair->name),
                                            HAFT__ARG(value));
            status = headers[i].ptr != NULL ? HAFT_OK : haft__arena_fail(&connection->setup, err);
        }
    }
    connection->headers = headers;
    connection->header_count = count;
    return status == HAFT_OK
               ? make_text(connection, connection->server.url, true, "/url", &connection->url, err)
               : status;
}
