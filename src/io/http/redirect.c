/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redirect.c - the next hop of a redirected request.
 *
 * The method changes as in browsers (the Fetch standard, 4.4). The caller's headers are meant for
 * one origin: another origin gets none of them. The address of the target is checked when the
 * connection is opened, as for any request. Tests: tests/io/http/redirect_test.c.
 */
#include "base/str.h"
#include "io/http/http_int.h"

static haft_str find_location(const haft__http_transfer *t)
{
    haft_str location = haft__http_result_header(&t->result, "location");
    return location.ptr != NULL ? haft__str_trim(location) : location;
}

bool haft__http_transfer_is_redirect(const haft__http_transfer *t, uint32_t status)
{
    bool moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    return moved && t->request.max_redirects > 0 && find_location(t).len > 0;
}

/* Scheme, host and port; the port is set even if it is the scheme's default. */
typedef struct origin {
    char *scheme, *host, *port;
} origin;

/* False if out of memory, or if there is no host. */
static bool get_origin(CURLU *url, origin *o)
{
    *o = (origin){NULL, NULL, NULL};
    return haft__curl.url_get(url, CURLUPART_SCHEME, &o->scheme, 0) == CURLUE_OK
           && haft__curl.url_get(url, CURLUPART_HOST, &o->host, 0) == CURLUE_OK
           && haft__curl.url_get(url, CURLUPART_PORT, &o->port, CURLU_DEFAULT_PORT) == CURLUE_OK;
}

static void free_origin(origin *o)
{
    haft__curl.free(o->scheme);
    haft__curl.free(o->host);
    haft__curl.free(o->port);
}

static bool same_origin(const origin *a, const origin *b)
{
    return strcmp(a->scheme, b->scheme) == 0 && haft__curl.strequal(a->host, b->host)
           && strcmp(a->port, b->port) == 0;
}

/* The reason why a redirect between these origins is rejected; NULL if it is allowed. */
static const char *find_fault(const origin *from, const origin *to)
{
    bool secure = to->scheme != NULL && strcmp(to->scheme, "https") == 0;
    if (to->scheme != NULL && !secure && strcmp(to->scheme, "http") != 0) {
        return "a redirect led to a scheme other than http and https";
    }
    return !secure && strcmp(from->scheme, "https") == 0 ? "a redirect led from https to http"
                                                         : NULL;
}

/* Keeps only the headers that describe the body. */
static void drop_headers(haft__http_transfer *t)
{
    static const haft_str kept = {"Content-Type", sizeof("Content-Type") - 1};
    const haft_str *headers = t->request.headers;
    size_t count = t->request.header_count;
    t->request.header_count = 0;
    for (size_t i = 0; i < count && t->request.body.ptr != NULL; i++) {
        if (haft__http_is_header(headers[i], kept)) {
            t->request.headers = headers + i;
            t->request.header_count = 1;
            return;
        }
    }
}

static void change_method(haft__http_transfer *t, uint32_t status)
{
    haft_str method = t->request.method;
    bool post = haft__str_equal(method, HAFT__LIT("POST"));
    bool fetch =
        haft__str_equal(method, HAFT__LIT("GET")) || haft__str_equal(method, HAFT__LIT("HEAD"));
    if ((status == 303 && !fetch) || (post && (status == 301 || status == 302))) {
        t->request.method = HAFT__LIT("GET");
        t->request.body = (haft_str){NULL, 0};
    }
}

/* Prepares the request to t->url, the target of the redirect. */
static bool go_to_target(haft__http_transfer *t, const origin *from)
{
    origin to;
    bool moved = get_origin(t->url, &to);
    const char *fault = find_fault(from, &to);
    if (fault != NULL) {
        haft__http_transfer_set_origin(t);
        haft__http_transfer_finish(t, HAFT__HTTP_REFUSED, fault);
        moved = true;
    } else if (moved) {
        change_method(t, t->result.status);
        if (!same_origin(from, &to)) {
            drop_headers(t);
            (void)haft__curl.url_set(t->url, CURLUPART_USER, NULL, 0);
            (void)haft__curl.url_set(t->url, CURLUPART_PASSWORD, NULL, 0);
        }
        moved = haft__http_transfer_set_url(t);
    }
    free_origin(&to);
    return moved;
}

bool haft__http_transfer_follow_redirect(haft__http_transfer *t)
{
    haft_str location = haft__arena_copy(&t->arena, find_location(t));
    t->prepared = false; /* from here on the request differs from `original` */
    origin from;
    bool has_target = get_origin(t->url, &from) && location.ptr != NULL;
    if (has_target && ++t->redirects > t->request.max_redirects) {
        haft__http_transfer_finish(t, HAFT__HTTP_TOO_MANY_REDIRECTS, NULL);
    } else if (has_target
               && haft__curl.url_set(t->url, CURLUPART_URL, location.ptr, CURLU_URLENCODE)
                      != CURLUE_OK) {
        haft__http_transfer_finish(t, HAFT__HTTP_BAD_URL, "it was the target of a redirect");
    } else if (has_target) {
        has_target = go_to_target(t, &from);
    }
    free_origin(&from);
    if (has_target && !t->ended) {
        haft__http_transfer_enter_phase(t, HAFT__HTTP_CONNECTING);
    }
    return has_target;
}
