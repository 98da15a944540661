/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - prepares a request: checks and copies its URL, method and headers.
 *
 * The checks reject input that could change the target or the end of a request: URLs of other
 * schemes, line ends in headers, headers about the length of the body. Tests:
 * tests/io/http/request_test.c.
 */
#include <strings.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/http/http_int.h"

static bool same_name(haft_str a, haft_str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

bool haft__http_is_header(haft_str header, haft_str name)
{
    return same_name(haft__str_split(&header, ':'), name);
}

/* Whether the header is one that only libcurl may set: headers for the body's length and the
 * connection. */
static bool is_reserved(haft_str name)
{
    static const char *const reserved[] = {
        "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "TE", "Trailer"};
    for (size_t i = 0; i < COUNT(reserved); i++) {
        if (same_name(name, haft__str(reserved[i]))) {
            return true;
        }
    }
    return false;
}

static const char *find_fault(haft_str header)
{
    bool has_colon = header.len > 0 && memchr(header.ptr, ':', header.len) != NULL;
    haft_str name = haft__str_split(&header, ':');
    if (!has_colon || !haft__str_is_token(name)) {
        return "expected a header of the form 'Name: value'";
    }
    for (size_t i = 0; i < header.len; i++) {
        unsigned char c = (unsigned char)header.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7F) {
            return "a header contains a line end or another control character";
        }
    }
    return is_reserved(name) ? "headers about the body's length or the connection cannot be set"
                             : NULL;
}

bool haft__http_transfer_set_url(haft__http_transfer *t)
{
    char *url = NULL;
    if (haft__curl.url_get(t->url, CURLUPART_URL, &url, 0) != CURLUE_OK) {
        return false;
    }
    t->request.url = haft__arena_copy(&t->arena, haft__str(url));
    haft__curl.free(url);
    haft__http_transfer_set_origin(t);
    return t->request.url.ptr != NULL;
}

/* Whether the URL has a host. libcurl reads http:///x as http://x, but other programs do not. */
static bool has_host(haft_str url)
{
    haft_str rest = url;
    (void)haft__str_split(&rest, ':');
    return haft__str_starts_with(rest, HAFT__LIT("//")) && rest.len > 2 && rest.ptr[2] != '/';
}

/* Whether the URL is valid and allowed; if so, t->url contains it. */
static bool parse_url(haft__http_transfer *t, haft_str url)
{
    char *scheme = NULL;
    bool clean = url.len > 0 && memchr(url.ptr, '\0', url.len) == NULL;
    if (!clean || !has_host(url)
        || haft__curl.url_set(t->url, CURLUPART_URL, url.ptr, 0) != CURLUE_OK
        || haft__curl.url_get(t->url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK) {
        return false;
    }
    bool is_http = strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
    haft__curl.free(scheme);
    return is_http;
}

static bool copy_headers(haft__http_transfer *t, const haft__http_request *request)
{
    haft_str *headers = haft__arena_array(&t->arena, request->header_count, sizeof(haft_str));
    for (size_t i = 0; headers != NULL && i < request->header_count; i++) {
        headers[i] = haft__arena_copy(&t->arena, request->headers[i]);
        if (headers[i].ptr == NULL) {
            return false;
        }
    }
    t->request.headers = headers;
    return headers != NULL;
}

/* ---- repeated requests ---- */

/* Whether the preparation of one request is also valid for the other. Bodies and timeouts are not
 * compared, because they are set for each request. */
static bool is_same(const haft__http_request *a, const haft__http_request *b)
{
    bool same = haft__str_equal(a->url, b->url) && haft__str_equal(a->method, b->method)
                && a->header_count == b->header_count
                && (a->body.ptr == NULL) == (b->body.ptr == NULL);
    for (size_t i = 0; i < a->header_count && same; i++) {
        same = haft__str_equal(a->headers[i], b->headers[i]);
    }
    return same;
}

static void repeat(haft__http_transfer *t, const haft__http_request *request)
{
    t->request = *request;
    t->request.method = t->original.method;
    t->request.headers = t->original.headers;
    t->request.url = t->original_url;
    memcpy(t->result.origin, t->original_origin.ptr, t->original_origin.len + 1);
}

/* Stores a request that passed all checks, before a redirect changes it. */
static bool store_original(haft__http_transfer *t, haft_str url)
{
    t->original = t->request;
    t->original.url = url;
    t->original_url = t->request.url;
    t->original_origin = haft__arena_copy(&t->arena, haft__str(t->result.origin));
    return t->original_origin.ptr != NULL;
}

void haft__http_transfer_reset(haft__http_transfer *t)
{
    t->prepared = false;
    haft__curl.slist_free_all(t->headers);
    t->headers = NULL;
    haft__arena_reset(&t->arena);
}

bool haft__http_transfer_prepare(haft__http_transfer *t, const haft__http_request *request)
{
    if (t->prepared && is_same(&t->original, request)) {
        repeat(t, request);
        return true;
    }
    haft__http_transfer_reset(t);
    t->request = *request;
    t->request.method = haft__arena_copy(&t->arena, request->method);
    t->request.url = haft__arena_copy(&t->arena, request->url);
    if (t->request.method.ptr == NULL || t->request.url.ptr == NULL || !copy_headers(t, request)) {
        return false;
    }
    haft_str given = t->request.url;
    if (!parse_url(t, given)) {
        haft__http_transfer_finish(t, HAFT__HTTP_BAD_URL, NULL);
        return true;
    }
    if (!haft__http_transfer_set_url(t) || !store_original(t, given)) {
        return false;
    }
    if (!haft__str_is_token(request->method)) {
        haft__http_transfer_finish(t, HAFT__HTTP_BAD_HEADER, "expected a method such as GET");
    }
    for (size_t i = 0; i < request->header_count && !t->ended; i++) {
        const char *fault = find_fault(request->headers[i]);
        if (fault != NULL) {
            haft__http_transfer_finish(t, HAFT__HTTP_BAD_HEADER, fault);
        }
    }
    return true;
}

/* ---- for libcurl ---- */

static bool add_header(haft__http_transfer *t, const char *header)
{
    struct curl_slist *list = haft__curl.slist_append(t->headers, header);
    t->headers = list != NULL ? list : t->headers;
    return list != NULL;
}

/* Adds a header of the caller. libcurl removes its own header for "Name:"; an empty header is
 * written "Name;". */
static bool add_given(haft__http_transfer *t, haft_str header)
{
    haft_str value = header;
    haft_str name = haft__str_split(&value, ':');
    if (haft__str_trim(value).len > 0) {
        return add_header(t, header.ptr);
    }
    haft_str empty = haft__arena_format(&t->arena, "%.*s;", HAFT__ARG(name));
    return empty.ptr != NULL && add_header(t, empty.ptr);
}

bool haft__http_transfer_list_headers(haft__http_transfer *t)
{
    haft__curl.slist_free_all(t->headers);
    t->headers = NULL;
    /* Default headers, unless the caller sets them. "Name:" removes a header: a Content-Type that
     * the caller did not set, and Expect: 100-continue. libcurl has options for these, but it would
     * build the lines again for each request. */
    struct {
        const char *name, *header;
        bool given;
    } own[] = {{"Content-Type", "Content-Type:", false},
               {"User-Agent", "User-Agent: haft/" HAFT_VERSION, false},
               {"Accept-Encoding", t->http->accept_encoding, false},
               {"Expect", "Expect:", false}};
    bool added = true;
    for (size_t i = 0; i < t->request.header_count && added; i++) {
        for (size_t k = 0; k < COUNT(own); k++) {
            bool is = haft__http_is_header(t->request.headers[i], haft__str(own[k].name));
            own[k].given = own[k].given || is;
        }
        added = add_given(t, t->request.headers[i]);
    }
    for (size_t k = 0; k < COUNT(own) && added; k++) {
        added = own[k].given || add_header(t, own[k].header);
    }
    return added;
}
