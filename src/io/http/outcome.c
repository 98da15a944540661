/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - the outcome of a transfer, as a name and as a message.
 *
 * Messages contain only scheme, host and port of a URL, because its other parts and the headers may
 * contain secrets. A host may contain a secret too. So it is shown completely, so that the secret
 * can be redacted, or not at all. Tests: tests/io/http/client_test.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "io/http/http_int.h"

static const struct {
    const char *name, *words;
} ends[] = {
#define X(name, text, words) {text, words},
    HAFT__HTTP_OUTCOMES(X)
#undef X
};

const char *haft__http_outcome_name(haft__http_outcome end)
{
    return ends[end].name;
}

static const struct {
    CURLcode code;
    haft__http_outcome end;
} codes[] = {
    {CURLE_OK, HAFT__HTTP_OK},
    {CURLE_URL_MALFORMAT, HAFT__HTTP_BAD_URL},
    {CURLE_COULDNT_RESOLVE_HOST, HAFT__HTTP_RESOLVE},
    {CURLE_COULDNT_RESOLVE_PROXY, HAFT__HTTP_RESOLVE},
    {CURLE_COULDNT_CONNECT, HAFT__HTTP_CONNECT},
    {CURLE_SSL_CONNECT_ERROR, HAFT__HTTP_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, HAFT__HTTP_TLS},
    {CURLE_SSL_CERTPROBLEM, HAFT__HTTP_TLS},
    {CURLE_SSL_CIPHER, HAFT__HTTP_TLS},
    {CURLE_SSL_CACERT_BADFILE, HAFT__HTTP_TLS},
    {CURLE_SSL_ISSUER_ERROR, HAFT__HTTP_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, HAFT__HTTP_TLS},
    {CURLE_PARTIAL_FILE, HAFT__HTTP_CUT},
    {CURLE_GOT_NOTHING, HAFT__HTTP_CUT},
    {CURLE_SEND_ERROR, HAFT__HTTP_CUT},
    {CURLE_RECV_ERROR, HAFT__HTTP_CUT},
    {CURLE_HTTP2, HAFT__HTTP_CUT},
    {CURLE_HTTP2_STREAM, HAFT__HTTP_CUT},
    {CURLE_UNSUPPORTED_PROTOCOL,
     HAFT__HTTP_BAD_ANSWER}, /* the protocol of the response: the URL was already checked */
    {CURLE_WEIRD_SERVER_REPLY, HAFT__HTTP_BAD_ANSWER},
    {CURLE_BAD_CONTENT_ENCODING, HAFT__HTTP_BAD_ANSWER},
};

static haft__http_outcome end_of(const haft__http_transfer *t, CURLcode code)
{
    /* The timeout of libcurl itself for an address that does not answer. */
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return t->hop_sent ? HAFT__HTTP_CUT : HAFT__HTTP_CONNECT_TIMEOUT;
    }
    if (code == CURLE_COULDNT_CONNECT && t->refused) {
        return HAFT__HTTP_REFUSED;
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        if (codes[i].code == code) {
            return codes[i].end;
        }
    }
    return HAFT__HTTP_OTHER;
}

void haft__http_transfer_finish_curl(haft__http_transfer *t, CURLcode code)
{
    haft__http_outcome end = end_of(t, code);
    const char *detail = NULL;
    long system = 0;
    if (end == HAFT__HTTP_CONNECT) {
        (void)haft__curl.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &system);
        detail = system > 0 ? uv_strerror(-(int)system) : NULL;
    } else if (end == HAFT__HTTP_TLS && t->error[0] != '\0') {
        /* The text is about certificates, versions and the host, not about the request. libcurl may
         * cut it. */
        bool whole = strlen(t->error) < sizeof(t->error) - 1;
        detail = whole ? t->error : haft__curl.easy_strerror(code);
    } else if (end == HAFT__HTTP_BAD_ANSWER || end == HAFT__HTTP_OTHER) {
        detail = haft__curl.easy_strerror(code);
    }
    haft__http_transfer_finish(t, end, detail);
}

/* ---- messages ---- */

/* Formats a text into a field of fixed size. False if the text does not fit; then the field is
 * empty, because the first part of a secret could not be redacted. */
static bool HAFT__PRINTF(3, 4) print_whole(char *field, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(field, size, format, args);
    va_end(args);
    bool fits = length >= 0 && (size_t)length < size;
    field[fits ? length : 0] = '\0';
    haft__utf8_replace_invalid(field, strlen(field));
    return fits;
}

void haft__http_transfer_set_origin(haft__http_transfer *t)
{
    char *scheme = NULL, *host = NULL, *port = NULL;
    t->result.origin[0] = '\0';
    if (haft__curl.url_get(t->url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK
        && haft__curl.url_get(t->url, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        bool has_port = haft__curl.url_get(t->url, CURLUPART_PORT, &port, 0) == CURLUE_OK;
        if (!print_whole(t->result.origin, sizeof(t->result.origin), "%s://%s%s%s", scheme, host,
                         has_port ? ":" : "", has_port ? port : "")) {
            (void)print_whole(t->result.origin, sizeof(t->result.origin),
                              "%s://(a host of %zu bytes)", scheme, strlen(host));
        }
    }
    haft__curl.free(scheme);
    haft__curl.free(host);
    haft__curl.free(port);
}

/* Writes a text such as " (more than 5000 ms)", or "" if the outcome is not about a limit. */
static void print_limit(const haft__http_transfer *t, char *to, size_t size)
{
    const haft__http_request *request = &t->request;
    const struct {
        haft__http_outcome end;
        uint64_t limit;
        const char *unit;
    } limits[] = {
        {HAFT__HTTP_CONNECT_TIMEOUT, request->connect_ms, "ms"},
        {HAFT__HTTP_FIRST_BYTE_TIMEOUT, request->first_byte_ms, "ms"},
        {HAFT__HTTP_IDLE_TIMEOUT, request->idle_ms, "ms"},
        {HAFT__HTTP_TOTAL_TIMEOUT, request->total_ms, "ms"},
        {HAFT__HTTP_TOO_BIG, request->max_bytes, "bytes"},
        {HAFT__HTTP_TOO_MANY_REDIRECTS, request->max_redirects, "redirects"},
    };
    to[0] = '\0';
    for (size_t i = 0; i < COUNT(limits); i++) {
        if (limits[i].end == t->result.end && limits[i].limit > 0) {
            (void)snprintf(to, size, " (more than %llu %s)", (unsigned long long)limits[i].limit,
                           limits[i].unit);
        }
    }
}

void haft__http_transfer_set_message(haft__http_transfer *t, const char *detail)
{
    char limit[64];
    haft__http_result *result = &t->result;
    print_limit(t, limit, sizeof(limit));
    const char *origin = result->origin, *words = ends[result->end].words;
    const char *colon = origin[0] != '\0' ? ": " : "";
    if (!print_whole(result->message, sizeof(result->message), "%s%s%s%s%s", origin, colon, words,
                     detail != NULL ? ": " : "", detail != NULL ? detail : limit)) {
        (void)print_whole(result->message, sizeof(result->message), "%s%s%s", origin, colon, words);
    }
}
