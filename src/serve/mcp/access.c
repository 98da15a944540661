/* SPDX-License-Identifier: Apache-2.0 */
/* access.c - checks Host, Origin, token and content types. Tests: tests/serve/mcp/access_test.c. */
#include "serve/mcp/access.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/seal.h"

/* ---- names of hosts ---- */

/* "localhost:80" and "[::1]:80" without the port; .ptr is NULL if it is not a host. */
static haft_str without_port(haft_str host)
{
    haft_str rest = host;
    if (haft__str_starts_with(host, HAFT__LIT("["))) {
        haft_str inside = haft__str_split(&rest, ']');
        bool good = inside.len > 1 && inside.len < host.len && (rest.len == 0 || *rest.ptr == ':');
        return good ? (haft_str){host.ptr, inside.len + 1} : (haft_str){NULL, 0};
    }
    haft_str name = haft__str_split(&rest, ':');
    for (size_t i = 0; i < rest.len; i++) {
        if (!haft__ascii_is_digit(rest.ptr[i])) {
            return (haft_str){NULL, 0};
        }
    }
    return name.len > 0 ? name : (haft_str){NULL, 0};
}

static bool is_local_name(haft_str name)
{
    return haft__str_equal_ignore_case(name, HAFT__LIT("localhost"))
           || haft__str_equal(name, HAFT__LIT("127.0.0.1"))
           || haft__str_equal(name, HAFT__LIT("[::1]"));
}

/* Digits and dots, or anything in brackets: not a DNS name that could be pointed here. */
static bool is_address(haft_str name)
{
    bool digits = name.len > 0;
    for (size_t i = 0; i < name.len; i++) {
        digits = digits && (haft__ascii_is_digit(name.ptr[i]) || name.ptr[i] == '.');
    }
    return digits || haft__str_starts_with(name, HAFT__LIT("["));
}

static bool is_allowed(const haft__mcp_access_rules *rules, haft_str name)
{
    for (size_t i = 0; i < rules->allowed_host_count; i++) {
        if (haft__str_equal_ignore_case(name, haft__str(rules->allowed_hosts[i]))) {
            return true;
        }
    }
    return false;
}

/* The listen address itself; 127.0.0.2, for example, has no other name. */
static bool is_own(const haft__mcp_access_rules *rules, haft_str name)
{
    haft_str own = without_port(rules->address);
    return own.ptr != NULL && is_address(own) && haft__str_equal(name, own);
}

bool haft__mcp_access_is_loopback(haft_str address)
{
    haft_str name = without_port(address);
    return name.ptr != NULL
           && (is_local_name(name)
               || (is_address(name) && haft__str_starts_with(name, HAFT__LIT("127."))));
}

static bool host_passes(const haft__mcp_access_rules *rules, haft_str host)
{
    haft_str name = without_port(haft__str_trim(host));
    return name.ptr != NULL
           && (is_local_name(name) || is_own(rules, name) || is_allowed(rules, name)
               || (!rules->loopback && is_address(name)));
}

/* An origin on this machine, with an allowed name, or equal to the requested host. */
static bool origin_passes(const haft__mcp_access_rules *rules, haft_str origin, haft_str host)
{
    haft_str rest = haft__str_trim(origin);
    if (haft__str_starts_with(rest, HAFT__LIT("http://"))) {
        rest = haft__str_skip(rest, 7);
    } else if (haft__str_starts_with(rest, HAFT__LIT("https://"))) {
        rest = haft__str_skip(rest, 8);
    } else {
        return false;
    }
    haft_str name = without_port(rest), asked = without_port(haft__str_trim(host));
    return name.ptr != NULL
           && (is_allowed(rules, name)
               || (rules->loopback ? is_local_name(name) || is_own(rules, name)
                                   : haft__str_equal(name, asked)));
}

/* ---- the token ---- */

bool haft__mcp_access_is_weak_token(haft_str token)
{
    return token.len < HAFT__LIMIT_MCP_TOKEN_MIN_BYTES;
}

static bool token_passes(const haft__mcp_access_rules *rules, haft_str authorization)
{
    haft_str rest = haft__str_trim(authorization);
    haft_str scheme = haft__str_split(&rest, ' ');
    return haft__str_equal_ignore_case(scheme, HAFT__LIT("bearer"))
           && haft__seal_equal(haft__str_trim(rest), rules->token);
}

/* ---- kinds of content ---- */

/* Whether a list such as "application/json, text/event-stream;q=0.9" contains the type. */
static bool accepts(haft_str list, haft_str type)
{
    haft_str family = type;
    family.len = haft__str_split(&(haft_str){type.ptr, type.len}, '/').len;
    while (list.len > 0) {
        haft_str entry = haft__str_split(&list, ',');
        haft_str name = haft__str_trim(haft__str_split(&entry, ';'));
        bool any =
            haft__str_ends_with(name, HAFT__LIT("/*"))
            && (name.len == 3 || haft__str_equal((haft_str){name.ptr, name.len - 2}, family));
        if (any || haft__str_equal_ignore_case(name, type)) {
            return true;
        }
    }
    return false;
}

static bool is_json(haft_str content_type)
{
    haft_str name = haft__str_trim(haft__str_split(&content_type, ';'));
    return haft__str_equal_ignore_case(name, HAFT__LIT("application/json"));
}

uint32_t haft__mcp_access_check_kinds(const haft__mcp_access_request *request, const char **ret_why)
{
    bool post = haft__str_equal(request->method, HAFT__LIT("POST"));
    bool get = haft__str_equal(request->method, HAFT__LIT("GET"));
    if (post && !is_json(request->content_type)) {
        *ret_why = "expected the header Content-Type: application/json";
        return 415;
    }
    if (post
        && (!accepts(request->accept, HAFT__LIT("application/json"))
            || !accepts(request->accept, HAFT__LIT("text/event-stream")))) {
        *ret_why = "expected the header Accept: application/json, text/event-stream";
        return 406;
    }
    if (get && !accepts(request->accept, HAFT__LIT("text/event-stream"))) {
        *ret_why = "expected the header Accept: text/event-stream";
        return 406;
    }
    return 0;
}

uint32_t haft__mcp_access_check(const haft__mcp_access_rules *rules,
                                const haft__mcp_access_request *request, const char **ret_why)
{
    if (request->host.ptr == NULL || !host_passes(rules, request->host)) {
        *ret_why = "the header Host names another host; --allow-host adds a name";
        return 403;
    }
    if (request->origin.ptr != NULL && !origin_passes(rules, request->origin, request->host)) {
        *ret_why = "pages of this origin may not use this server; --allow-host adds a name";
        return 403;
    }
    if (rules->token.len > 0
        && (request->authorization.ptr == NULL || !token_passes(rules, request->authorization))) {
        *ret_why = "expected the header Authorization: Bearer with the token of this server";
        return 401;
    }
    return haft__mcp_access_check_kinds(request, ret_why);
}

bool haft__mcp_access_accepts_key(haft_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] <= ' ' || key.ptr[i] > '~') {
            return false;
        }
    }
    return key.len > 0 && key.len <= HAFT__LIMIT_MCP_KEY_BYTES
           && !haft__str_starts_with(key, HAFT__LIT(HAFT__MCP_GENERATED_KEY_PREFIX));
}
