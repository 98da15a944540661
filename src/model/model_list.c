/* SPDX-License-Identifier: Apache-2.0 */
/* model_list.c - see model_list.h. Tests: tests/model/model_list_test.c. */
#include "model/model_list.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"
#include "json/read.h"

haft_status haft__model_list_write_url(const haft__provider *provider, haft_str base_url,
                                       haft__buf *buf, haft_error *err)
{
    haft_str url = haft__str_trim(base_url);
    haft_str path = haft__str(provider->api->models_path);
    url = url.len > 0 ? url : haft__str(provider->base_url);
    while (haft__str_ends_with(url, HAFT__LIT("/"))) {
        url.len--;
    }
    /* A list beside the version of the API, as Ollama's. */
    static const char *const ends[] = {"/v1", "/api"};
    for (size_t i = 0; haft__str_starts_with(path, HAFT__LIT("/api/")) && i < COUNT(ends); i++) {
        haft_str end = haft__str(ends[i]);
        if (haft__str_ends_with(url, end)) {
            url.len -= end.len;
            break;
        }
    }
    haft__buf versioned;
    haft__buf_init(&versioned, buf->max);
    haft__buf_add_str(&versioned, haft__provider_version(provider, url, path));
    haft__buf_add_str(&versioned, path);
    haft_status status = haft__buf_check(&versioned, err);
    if (status == HAFT_OK) {
        status = haft__provider_join_url(provider, url, haft__buf_str(&versioned), buf, err);
    }
    haft__buf_finish(&versioned);
    if (status == HAFT_OK && provider->api->models_query != NULL) {
        bool has_query = memchr(buf->ptr, '?', buf->len) != NULL;
        haft__buf_addf(buf, "%c%s", has_query ? '&' : '?', provider->api->models_query);
        status = haft__buf_check(buf, err);
    }
    return status;
}

static haft_str name_of(haft__json row)
{
    haft_str id = haft__object_string(row, "id"), name = haft__object_string(row, "name");
    name = id.len > 0 ? id : name;
    haft_str prefix = HAFT__LIT("models/"); /* Gemini's names */
    return haft__str_starts_with(name, prefix) ? haft__str_skip(name, prefix.len) : name;
}

haft_status haft__model_list_read(haft__arena *arena, haft_str body, haft__hash_key hash_key,
                                  const haft_str **ret_names, size_t *ret_count, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, body, &options, &value, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *rows = haft__object_find_kind(value, "data", HAFT__JSON_ARRAY);
    rows = rows != NULL ? rows : haft__object_find_kind(value, "models", HAFT__JSON_ARRAY);
    if (rows == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a list of models, found another object");
    }
    haft_str *names = haft__arena_array(arena, HAFT__LIMIT_MODEL_LIST, sizeof(*names));
    if (names == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_count = 0;
    for (uint32_t i = 0; i < rows->count && *ret_count < HAFT__LIMIT_MODEL_LIST; i++) {
        haft_str name = haft__arena_copy(arena, name_of(rows->items[i]));
        if (name.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        if (name.len > 0) {
            names[(*ret_count)++] = name;
        }
    }
    *ret_names = names;
    return HAFT_OK;
}
