/* SPDX-License-Identifier: Apache-2.0 */
/* provider.c - finds the row of a model, its URL and its key. Tests:
 * tests/model/provider_test.c. */
#include "model/provider.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"

/* ---- URLs ---- */

static bool starts_with_scheme(haft_str url, size_t *ret_length)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < COUNT(schemes); i++) {
        haft_str scheme = haft__str(schemes[i]);
        if (url.len > scheme.len
            && haft__str_equal_ignore_case((haft_str){url.ptr, scheme.len}, scheme)) {
            *ret_length = scheme.len;
            return true;
        }
    }
    return false;
}

/* Scheme, host and port; empty if it is not an http or https URL. */
static haft_str origin_of(haft_str url)
{
    size_t length = 0;
    if (!starts_with_scheme(url, &length)) {
        return (haft_str){NULL, 0};
    }
    size_t scheme = length;
    while (length < url.len && strchr("/?#", url.ptr[length]) == NULL) {
        length++;
    }
    return (haft_str){url.ptr, length > scheme ? length : 0};
}

static bool is_own_host(const haft__provider *provider, haft_str base_url)
{
    haft_str origin = origin_of(haft__str(provider->base_url));
    return base_url.len == 0
           || (origin.len > 0
               && haft__str_equal_ignore_case(origin, origin_of(haft__str_trim(base_url))));
}

static const haft__provider *find_row(haft_str name)
{
    size_t count = 0;
    const haft__provider *rows = haft__providers(&count);
    for (size_t i = 0; i + 1 < count; i++) {
        if (haft__str_equal(name, haft__str(rows[i].name))) {
            return &rows[i];
        }
    }
    return NULL;
}

const haft__provider *haft__provider_for_model(const haft__model_spec *model)
{
    const haft__provider *row = find_row(model->provider);
    bool compatible = row != NULL && row->compatible_elsewhere
                      && (model->other_server || !is_own_host(row, model->base_url));
    return compatible ? haft__provider_compatible() : row;
}

haft_str haft__provider_server_variable(const haft__model_spec *model)
{
    const haft__provider *row = find_row(model->provider);
    return row != NULL && row->compatible_elsewhere && model->base_url.len == 0
               ? haft__str(row->base_url_env)
               : HAFT__LIT("");
}

bool haft__provider_is_other_host(const haft__model_spec *model, haft_str url)
{
    const haft__provider *row = find_row(model->provider);
    return row != NULL && !is_own_host(row, url);
}

bool haft__provider_wants_stream(const haft__model_spec *model)
{
    return haft__object_flag(model->options, "stream", true);
}

bool haft__provider_is_offline(const haft__model_spec *model)
{
    return haft__str_equal(model->provider, HAFT__LIT("offline"));
}

bool haft__provider_is_local(const haft__model_spec *model)
{
    return model->provider.len == 0 || haft__provider_is_offline(model)
           || haft__str_equal(model->provider, HAFT__LIT("script"))
           || haft__str_equal(model->provider, HAFT__LIT("replay"));
}

/* A base_url may contain a password: no message repeats it. */
static haft_status check_url(haft_str url, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (url.len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "base_url is missing");
    } else if (origin_of(url).len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected a base_url with http:// or https:// and a host");
    }
    for (size_t i = 0; i < url.len && status == HAFT_OK; i++) {
        unsigned char c = (unsigned char)url.ptr[i];
        if (c <= ' ' || c == 0x7F || c == '#') {
            status =
                haft__fail(err, HAFT_BAD_INPUT, "",
                           "expected a base_url without spaces and '#', found one at byte %zu", i);
        }
    }
    return status == HAFT_OK
               ? HAFT_OK
               : haft__hint(err, status, "write a URL such as https://example.org/v1");
}

haft_str haft__provider_name_model(haft__arena *arena, const haft__model_spec *model)
{
    haft_str provider = model->provider.len > 0 ? model->provider : HAFT__LIT("offline");
    return haft__arena_format(arena, "%.*s%s%.*s", HAFT__ARG(provider),
                              model->model.len > 0 ? ":" : "", HAFT__ARG(model->model));
}

haft_status haft__provider_join_url(const haft__provider *provider, haft_str base_url,
                                    haft_str path, haft__buf *buf, haft_error *err)
{
    haft_str url = haft__str_trim(base_url);
    url = url.len > 0 ? url : haft__str(provider->base_url);
    haft_status status = check_url(url, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str query = url;
    haft_str start = haft__str_split(&query, '?');
    while (haft__str_ends_with(start, HAFT__LIT("/"))) {
        start.len--;
    }
    haft__buf_add_str(buf, start);
    haft__buf_add_str(buf, haft__str_ends_with(start, path) ? HAFT__LIT("") : path);
    if (query.len > 0) {
        haft__buf_add_char(buf, '?');
        haft__buf_add_str(buf, query);
    }
    return haft__buf_check(buf, err);
}

haft_str haft__provider_version(const haft__provider *provider, haft_str base_url, haft_str path)
{
    static const char *const versions[] = {"/v1", "/v1beta", "/v1alpha"};
    haft_str start = haft__str_trim(base_url);
    start = haft__str_split(&start, '?');
    while (haft__str_ends_with(start, HAFT__LIT("/"))) {
        start.len--;
    }
    bool found = start.len == 0 || haft__str_ends_with(start, path);
    for (size_t i = 0; i < COUNT(versions); i++) {
        found = found || haft__str_ends_with(start, haft__str(versions[i]));
    }
    return found ? HAFT__LIT("") : haft__str(provider->api->version);
}

haft_status haft__provider_add_bearer(haft__provider_headers *headers, haft_str key,
                                      haft__arena *arena, haft_error *err)
{
    if (key.len == 0) {
        return HAFT_OK;
    }
    haft_str line = haft__arena_format(arena, "Authorization: Bearer %.*s", (int)key.len, key.ptr);
    if (line.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    headers->lines[headers->count++] = line;
    return HAFT_OK;
}

haft_status haft__provider_write_bearer(haft_str key, haft__arena *arena,
                                        haft__provider_headers *ret_headers, haft_error *err)
{
    *ret_headers = (haft__provider_headers){.count = 0};
    return haft__provider_add_bearer(ret_headers, key, arena, err);
}

haft_str haft__provider_key_env(const haft__provider *provider, const haft__model_spec *model)
{
    if (model->api_key_env.len > 0) {
        return model->api_key_env;
    }
    return is_own_host(provider, model->base_url) ? haft__str(provider->key_env) : HAFT__LIT("");
}

bool haft__provider_is_reserved_option(const haft__provider *provider, haft_str key)
{
    for (const char *const *name = provider->api->reserved_options; *name != NULL; name++) {
        if (haft__str_equal(key, haft__str(*name))) {
            return true;
        }
    }
    return false;
}

bool haft__provider_use_member(const haft__provider_request_options *options, haft__member member)
{
    bool used = (options->without & HAFT__MEMBER_BIT(member)) == 0;
    if (used && options->sent != NULL) {
        *options->sent |= HAFT__MEMBER_BIT(member);
    }
    return used;
}

bool haft__provider_find_member(haft_str name, haft__member *ret_member)
{
    size_t count = 0;
    const haft__provider *rows = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__optional_member *member = rows[i].api->optional_members;
        for (; member->name != NULL; member++) {
            if (haft__str_equal(name, haft__str(member->name))) {
                *ret_member = member->member;
                return true;
            }
        }
    }
    return false;
}

haft__model_timeouts haft__model_timeouts_resolve(haft__model_timeouts given)
{
    return (haft__model_timeouts){
        .connect_ms = given.connect_ms > 0 ? given.connect_ms : HAFT__LIMIT_MODEL_CONNECT_MS,
        .first_byte_ms =
            given.first_byte_ms > 0 ? given.first_byte_ms : HAFT__LIMIT_MODEL_FIRST_BYTE_MS,
        .idle_ms = given.idle_ms > 0 ? given.idle_ms : HAFT__LIMIT_MODEL_IDLE_MS,
        .total_ms = given.total_ms > 0 ? given.total_ms : HAFT__LIMIT_MODEL_TOTAL_MS};
}
