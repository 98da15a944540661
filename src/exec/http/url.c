/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - the URL of a call: its template with the arguments filled in.
 *
 * The author of the spec decides where a request goes; a model only fills in values. So an argument
 * cannot appear before the path, is percent-encoded, and cannot make a path segment empty or dots:
 * /users/{id} must not become /users/ or /. Tests: tests/exec/http/url_test.c.
 */
#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/http/http.h"
#include "tool/template.h"

static haft_status fail_at(haft_error *err, haft_str name, const char *message)
{
    char where[96];
    (void)snprintf(where, sizeof(where), "/%.*s", HAFT__ARG(name));
    return haft__fail(err, HAFT_BAD_INPUT, where, "%s", message);
}

typedef enum url_part {
    SCHEME,
    HOST,
    PATH,
    REST, /* query and fragment */
} url_part;

typedef struct url_builder {
    haft__exec_job *job;
    haft__buf text;
    url_part part;
    size_t segment;    /* start of the current path segment */
    haft_str argument; /* the last argument in the segment; .ptr is NULL if none */
} url_builder;

/* RFC 3986, 2.3: characters that never need encoding. */
static bool is_unreserved(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static void add_encoded(haft__buf *to, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_unreserved(text.ptr[i])) {
            haft__buf_add_char(to, text.ptr[i]);
        } else {
            haft__buf_addf(to, "%%%02X", (unsigned char)text.ptr[i]);
        }
    }
}

static haft_status end_segment(url_builder *u, haft_error *err)
{
    haft_str segment = haft__str_skip(haft__buf_str(&u->text), u->segment);
    haft_str argument = u->argument;
    u->argument.ptr = NULL;
    if (u->part != PATH || argument.ptr == NULL || u->text.status != HAFT_OK) {
        return haft__buf_check(&u->text, err);
    }
    if (segment.len == 0) {
        return fail_at(err, argument, "it is part of a path and must not be empty");
    }
    if (haft__str_equal(segment, HAFT__LIT(".")) || haft__str_equal(segment, HAFT__LIT(".."))) {
        return fail_at(err, argument, "found only dots, which would lead to another path");
    }
    return HAFT_OK;
}

static haft_status add_char(url_builder *u, char c, haft_error *err)
{
    haft_status status = HAFT_OK;
    bool ends = c == '/' || c == '?' || c == '#';
    if (u->part == SCHEME) {
        bool slashes = c == '/' && haft__str_ends_with(haft__buf_str(&u->text), HAFT__LIT(":/"));
        u->part = slashes ? HOST : SCHEME;
    } else if (u->part != REST && ends) {
        status = end_segment(u, err);
        u->part = c == '/' ? PATH : REST;
    }
    haft__buf_add_char(&u->text, c);
    if (ends) {
        u->segment = u->text.len;
    }
    return status;
}

static haft_status add_text(url_builder *u, haft_str text, haft_error *err)
{
    haft_str expanded;
    haft_status status =
        haft__spec_expand(&u->job->arena, text, &u->job->exec->options.env, &expanded, err);
    for (size_t i = 0; status == HAFT_OK && i < expanded.len; i++) {
        status = add_char(u, expanded.ptr[i], err);
    }
    return status;
}

static haft_status add_argument(url_builder *u, haft_str name, haft_error *err)
{
    const haft__json *value = haft__json_get(u->job->call.arguments, name);
    haft__buf text;
    if (value == NULL && !haft__template_has_argument(u->job->call.tool->input_schema, name)) {
        haft_status status = haft__fail(err, HAFT_NOT_FOUND, "http.url",
                                        "there is no argument '%.*s'", HAFT__ARG(name));
        return haft__hint(err, status, "fix the definition of the tool");
    }
    if (u->text.status != HAFT_OK) {
        return haft__buf_check(&u->text, err);
    }
    if (u->part == SCHEME || u->part == HOST) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "http.url", "the argument '%.*s' would choose the host",
                       HAFT__ARG(name));
        return haft__hint(err, status, "use arguments only in the path and after it");
    }
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft__template_add(&text, value);
    haft_status status = haft__buf_check(&text, err);
    add_encoded(&u->text, haft__buf_str(&text));
    haft__buf_finish(&text);
    u->argument = name;
    return status;
}

static haft_status build_url(url_builder *u, haft_str rest, haft_error *err)
{
    haft__template_piece piece;
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && haft__template_next(&rest, &piece)) {
        status = piece.name.ptr != NULL ? add_argument(u, piece.name, err)
                                        : add_text(u, piece.text, err);
    }
    if (status == HAFT_OK) {
        status = end_segment(u, err);
    }
    return status == HAFT_OK ? haft__buf_check(&u->text, err) : status;
}

haft_status haft__http_tool_url(haft__exec_job *job, haft_str *ret_url, haft_error *err)
{
    const haft__json *url = haft__http_tool_definition(job, "url");
    url_builder u = {.job = job, .argument = {NULL, 0}};
    haft__buf_init(&u.text, HAFT__LIMIT_SPEC_BYTES);
    haft_status status = build_url(&u, url != NULL ? haft__json_text(*url) : u.argument, err);
    haft_str copy =
        status == HAFT_OK ? haft__arena_copy(&job->arena, haft__buf_str(&u.text)) : HAFT__LIT("");
    haft__buf_finish(&u.text);
    *ret_url = copy;
    return copy.ptr != NULL ? status : haft__arena_fail(&job->arena, err);
}
