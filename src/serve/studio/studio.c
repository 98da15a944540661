/* SPDX-License-Identifier: Apache-2.0 */
/* studio.c - see studio.h. Tests: tests/serve/studio/studio_test.c. */
#include "serve/studio/studio.h"

#include "base/macros.h"
#include "base/str.h"

/* Scripts and styles only from here, no inline code, and no text that becomes HTML: the page makes
 * all its nodes itself, so it needs no policy for trusted types. */
static const char security_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";
/* The headless tools of the page need these; everything else stays off. */
static const char permissions[] = "geolocation=(self), clipboard-read=(self), "
                                  "clipboard-write=(self), camera=(), microphone=(), payment=()";

/* The first segments of the addresses that views have. */
static const char *const views[] = {"", "inbox", "runs", "threads", "agents", "system"};

static const haft__studio_file *find_file(haft_str name)
{
    for (size_t i = 0; i < haft__studio_file_count; i++) {
        if (haft__str_equal(name, haft__str(haft__studio_files[i].name))) {
            return &haft__studio_files[i];
        }
    }
    return NULL;
}

static bool is_view(haft_str path)
{
    return haft__str_is_one_of(haft__str_split(&path, '/'), views, COUNT(views));
}

/* Whether an item of Accept-Encoding, such as "gzip;q=0.5", accepts its coding: a weight of zero
 * rejects it. */
static bool has_weight(haft_str parameters)
{
    haft_str weight = haft__str_trim(parameters);
    if (!haft__str_equal_ignore_case(haft__str_split(&weight, '='), HAFT__LIT("q"))) {
        return true;
    }
    for (size_t i = 0; i < weight.len; i++) {
        if (weight.ptr[i] >= '1' && weight.ptr[i] <= '9') {
            return true;
        }
    }
    return false;
}

static bool accepts_gzip(haft_str accepted)
{
    bool any = false;
    while (accepted.len > 0) {
        haft_str parameters = haft__str_split(&accepted, ',');
        haft_str coding = haft__str_trim(haft__str_split(&parameters, ';'));
        if (haft__str_equal_ignore_case(coding, HAFT__LIT("gzip"))) {
            return has_weight(parameters);
        }
        any |= haft__str_equal(coding, HAFT__LIT("*")) && has_weight(parameters);
    }
    return any;
}

/* Whether If-None-Match names the tag. A weak tag (W/"...") counts, as RFC 9110 requires. */
static bool names_tag(haft_str known, haft_str tag)
{
    while (known.len > 0) {
        haft_str item = haft__str_trim(haft__str_split(&known, ','));
        if (haft__str_starts_with(item, HAFT__LIT("W/"))) {
            item = haft__str_skip(item, 2);
        }
        if (haft__str_equal(item, tag) || haft__str_equal(item, HAFT__LIT("*"))) {
            return true;
        }
    }
    return false;
}

static void add_field(haft__studio_response *response, const char *name, const char *value)
{
    response->fields[response->head.field_count++] =
        (haft__http_server_field){haft__str(name), haft__str(value)};
}

void haft__studio_respond(const haft__studio_request *request, haft__studio_response *ret_response)
{
    bool is_app = haft__str_starts_with(request->path, HAFT__LIT("app/"));
    haft_str name = is_app ? haft__str_skip(request->path, 4) : HAFT__LIT("index.html");
    const haft__studio_file *file = find_file(name);
    haft__studio_response *response = ret_response;
    *response = (haft__studio_response){.head = {.status = 404}};
    response->head.fields = response->fields;
    add_field(response, "Content-Security-Policy", security_policy);
    add_field(response, "Referrer-Policy", "no-referrer");
    add_field(response, "Cross-Origin-Opener-Policy", "same-origin");
    add_field(response, "Permissions-Policy", permissions);
    /* The browser asks each time whether the tag is the same. */
    add_field(response, "Cache-Control", "no-cache");
    if (file == NULL) {
        response->head.content_type = HAFT__LIT("text/plain; charset=utf-8");
        response->body = HAFT__LIT("The studio has no such file.\n");
        return;
    }
    bool gzip = request->accept_encoding.ptr != NULL && accepts_gzip(request->accept_encoding);
    const char *tag = gzip ? file->gzip_etag : file->etag;
    add_field(response, "Vary", "Accept-Encoding");
    add_field(response, "ETag", tag);
    response->head.status = is_app || is_view(request->path) ? 200 : 404;
    if (response->head.status == 200 && request->if_none_match.ptr != NULL
        && names_tag(request->if_none_match, haft__str(tag))) {
        response->head.status = 304;
    }
    if (gzip) {
        add_field(response, "Content-Encoding", "gzip");
    }
    response->head.content_type = haft__str(file->media_type);
    response->body = gzip ? file->gzip : file->body;
}
