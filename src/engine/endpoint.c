/* SPDX-License-Identifier: Apache-2.0 */
/*
 * way.c - from what a spec says of a server to its URL and its key. Whose key goes where is decided
 * here and nowhere else. Tests: tests/engine/model_call_test.c and tests/cli/model_test.py.
 */
#include "engine/endpoint.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/environment.h"

/* The base URL of the spec, or the one that the environment has. */
static haft_str base_url_in(const haft__model_spec *model, const haft__spec_env *env)
{
    if (model->base_url.len > 0 || !haft__str_equal(model->provider, HAFT__LIT("openai"))) {
        return model->base_url;
    }
    haft_str url = env->get(env->context, HAFT__LIT("OPENAI_BASE_URL")); /* as its clients do */
    return url.ptr != NULL ? url : HAFT__LIT("");
}

static haft_str base_url_of(const haft__way *way)
{
    return base_url_in(way->model, &way->env);
}

/* Whether the address, or a part of it, comes from a file and not from the spec or from the
 * environment of this process. Whoever wrote that file gets no key that is not in it. */
static bool is_named_elsewhere(haft__way *way)
{
    const haft__spec_env real = {haft__environment_get, NULL};
    haft_str ours = {NULL, 0}, theirs = {NULL, 0};
    if (way->key_env.get == NULL) {
        return false;
    }
    return haft__spec_expand(way->arena, base_url_in(way->model, &real), &real, &ours, NULL)
               != HAFT_OK
           || haft__spec_expand(way->arena, base_url_of(way), &way->env, &theirs, NULL) != HAFT_OK
           || !haft__str_equal(ours, theirs);
}

/* user:password@host:port */
static haft_str authority_of(haft_str url)
{
    (void)haft__str_split(&url, '/');
    (void)haft__str_split(&url, '/');
    haft_str authority = haft__str_split(&url, '/');
    return haft__str_split(&authority, '?');
}

/* What stands in front of the host; it is cut off. */
static haft_str split_user(haft_str *authority)
{
    const char *at = authority->len > 0 ? memrchr(authority->ptr, '@', authority->len) : NULL;
    if (at == NULL) {
        return HAFT__LIT("");
    }
    haft_str user = {authority->ptr, (size_t)(at - authority->ptr)};
    *authority = haft__str_skip(*authority, user.len + 1);
    return user;
}

/* The password of a base_url, or the user that is a token because there is none. */
static haft_status hide_password(haft__way *way, haft_error *err)
{
    haft_str authority = authority_of(way->url);
    haft_str password = split_user(&authority);
    haft_str user = haft__str_split(&password, ':');
    bool added; /* one that is too short to be looked for is none */
    return haft__redactor_add(way->redactor, password.len > 0 ? password : user, &added, err);
}

static haft_status take_url(haft__way *way, haft_str path, haft_error *err)
{
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_SPEC_BYTES);
    haft_str base = {NULL, 0};
    haft_status status = haft__spec_expand(way->arena, base_url_of(way), &way->env, &base, err);
    if (status == HAFT_OK) {
        status = haft__provider_endpoint_url(way->provider, base, path, &url, err);
    }
    if (status == HAFT_BAD_INPUT && way->model->base_url.len == 0 && base.len > 0) {
        haft__error_prepend_location(err, "OPENAI_BASE_URL"); /* the only other place */
    }
    if (status == HAFT_OK) {
        way->url = haft__arena_copy(way->arena, haft__buf_str(&url));
        status = way->url.ptr != NULL ? HAFT_OK : haft__arena_fail(way->arena, err);
    }
    haft__buf_finish(&url);
    return status == HAFT_OK ? hide_password(way, err) : status;
}

/* Whether the server is of this machine, or named by the environment that has the key, too: then
 * OpenAI's key may go there without the spec's saying so. */
static bool is_trusted(const haft__way *way)
{
    haft_str host = authority_of(way->url);
    bool has_user = split_user(&host).len > 0; /* then that is its key, and not OpenAI's */
    if (!haft__str_starts_with(host, HAFT__LIT("[::1]"))) {
        host = haft__str_split(&host, ':');
    }
    bool numeric = haft__str_starts_with(host, HAFT__LIT("127."));
    for (size_t i = 0; i < host.len; i++) {
        numeric = numeric && (host.ptr[i] == '.' || (host.ptr[i] >= '0' && host.ptr[i] <= '9'));
    }
    bool near = numeric || haft__str_equal(host, HAFT__LIT("localhost"))
                || haft__str_equal(host, HAFT__LIT("[::1]"))
                || haft__str_starts_with(host, HAFT__LIT("[::1]:"));
    return ((near && !has_user) || way->model->base_url.len == 0)
           && haft__str_equal(way->model->provider, HAFT__LIT("openai"));
}

/* The key: as the spec has it, or from the variable that has it. */
static haft_status find_key(haft__way *way, haft_str *ret_key, haft_error *err)
{
    const haft__model_spec *model = way->model;
    const haft__spec_env *env = is_named_elsewhere(way) ? &way->key_env : &way->env;
    if (model->api_key.len > 0) {
        return haft__spec_expand(way->arena, model->api_key, env, ret_key, err);
    }
    haft_str name = haft__provider_key_env(way->provider, model);
    name = name.len == 0 && is_trusted(way) ? HAFT__LIT("OPENAI_API_KEY") : name;
    haft_str key = name.len > 0 ? env->get(env->context, name) : (haft_str){NULL, 0};
    bool own_host = base_url_of(way).len == 0;
    if (key.len == 0 && (model->api_key_env.len > 0 || (own_host && way->provider->needs_key))) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "model", "the model %.*s:%.*s needs a key, and %.*s is not set",
            HAFT__ARG(model->provider), HAFT__ARG(model->model), HAFT__ARG(name));
        return haft__hint(err, status,
                          "set %.*s, or try --model offline, which needs no key and no network",
                          HAFT__ARG(name));
    }
    *ret_key = key;
    return HAFT_OK;
}

haft_status haft__way_find(haft__way *way, haft_str path, haft_error *err)
{
    haft_str key = {NULL, 0};
    haft_status status = take_url(way, path, err);
    if (status == HAFT_OK) {
        status = find_key(way, &key, err);
    }
    if (status == HAFT_OK && key.len > 0) {
        way->key_header =
            haft__arena_format(way->arena, "Authorization: Bearer %.*s", (int)key.len, key.ptr);
        bool added; /* a key that is too short to be looked for is none */
        status = way->key_header.ptr != NULL ? haft__redactor_add(way->redactor, key, &added, err)
                                             : haft__arena_fail(way->arena, err);
    }
    return status;
}

haft_status haft__way_to_embeddings(haft__way *way, const haft__embeddings_spec *embeddings,
                                    haft_error *err)
{
    const haft__model_spec model = {.provider = HAFT__LIT("openai"),
                                    .model = embeddings->model,
                                    .base_url = embeddings->base_url,
                                    .api_key = embeddings->api_key,
                                    .api_key_env = embeddings->api_key_env};
    way->model = &model;
    way->provider = haft__provider_for_model(&model);
    haft_status status = haft__way_find(way, HAFT__LIT("/embeddings"), err);
    way->model = NULL;
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, "tool_search.embeddings");
    }
    return status;
}
