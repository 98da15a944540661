/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.c - from what a spec says of a server to its URL and its key. Whose key goes where is
 * decided here and nowhere else. Tests: tests/engine/model_call_test.c and tests/cli/model_test.py.
 */
#include "engine/endpoint.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/environment.h"

/* The base URL of the spec, or the one that the environment has. */
static haft_str base_url_from(const haft__model_spec *model, const haft__spec_env *env)
{
    if (model->base_url.len > 0 || !haft__str_equal(model->provider, HAFT__LIT("openai"))) {
        return model->base_url;
    }
    haft_str url = env->get(env->context, HAFT__LIT("OPENAI_BASE_URL")); /* as its clients do */
    return url.ptr != NULL ? url : HAFT__LIT("");
}

static haft_str base_url_setting(const haft__endpoint *endpoint)
{
    return base_url_from(endpoint->model, &endpoint->env);
}

/* Whether the address, or a part of it, comes from a file and not from the spec or from the
 * environment of this process. Whoever wrote that file gets no key that is not in it. */
static bool url_is_from_env_file(haft__endpoint *endpoint)
{
    const haft__spec_env real = {haft__environment_get, NULL};
    haft_str ours = {NULL, 0}, theirs = {NULL, 0};
    if (endpoint->key_env.get == NULL) {
        return false;
    }
    return haft__spec_expand(endpoint->arena, base_url_from(endpoint->model, &real), &real, &ours,
                             NULL)
               != HAFT_OK
           || haft__spec_expand(endpoint->arena, base_url_setting(endpoint), &endpoint->env,
                                &theirs, NULL)
                  != HAFT_OK
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
static haft_str take_userinfo(haft_str *authority)
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
static haft_status redact_userinfo(haft__endpoint *endpoint, haft_error *err)
{
    haft_str authority = authority_of(endpoint->url);
    haft_str password = take_userinfo(&authority);
    haft_str user = haft__str_split(&password, ':');
    bool added; /* one that is too short to be looked for is none */
    return haft__redactor_add(endpoint->redactor, password.len > 0 ? password : user, &added, err);
}

static haft_status resolve_url(haft__endpoint *endpoint, haft_str path, haft_error *err)
{
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_SPEC_BYTES);
    haft_str base = {NULL, 0};
    haft_status status =
        haft__spec_expand(endpoint->arena, base_url_setting(endpoint), &endpoint->env, &base, err);
    if (status == HAFT_OK) {
        status = haft__provider_endpoint_url(endpoint->provider, base, path, &url, err);
    }
    if (status == HAFT_BAD_INPUT && endpoint->model->base_url.len == 0 && base.len > 0) {
        haft__error_prepend_location(err, "OPENAI_BASE_URL"); /* the only other place */
    }
    if (status == HAFT_OK) {
        endpoint->url = haft__arena_copy(endpoint->arena, haft__buf_str(&url));
        status = endpoint->url.ptr != NULL ? HAFT_OK : haft__arena_fail(endpoint->arena, err);
    }
    haft__buf_finish(&url);
    return status == HAFT_OK ? redact_userinfo(endpoint, err) : status;
}

/* Whether the server is of this machine, or named by the environment that has the key, too: then
 * OpenAI's key may go there without the spec's saying so. */
static bool may_get_openai_key(const haft__endpoint *endpoint)
{
    haft_str host = authority_of(endpoint->url);
    bool has_user = take_userinfo(&host).len > 0; /* then that is its key, and not OpenAI's */
    if (!haft__str_starts_with(host, HAFT__LIT("[::1]"))) {
        host = haft__str_split(&host, ':');
    }
    bool numeric = haft__str_starts_with(host, HAFT__LIT("127."));
    for (size_t i = 0; i < host.len; i++) {
        numeric = numeric && (host.ptr[i] == '.' || (host.ptr[i] >= '0' && host.ptr[i] <= '9'));
    }
    bool is_loopback = numeric || haft__str_equal(host, HAFT__LIT("localhost"))
                       || haft__str_equal(host, HAFT__LIT("[::1]"))
                       || haft__str_starts_with(host, HAFT__LIT("[::1]:"));
    return ((is_loopback && !has_user) || endpoint->model->base_url.len == 0)
           && haft__str_equal(endpoint->model->provider, HAFT__LIT("openai"));
}

/* The key: as the spec has it, or from the variable that has it. */
static haft_status resolve_key(haft__endpoint *endpoint, haft_str *ret_key, haft_error *err)
{
    const haft__model_spec *model = endpoint->model;
    const haft__spec_env *env =
        url_is_from_env_file(endpoint) ? &endpoint->key_env : &endpoint->env;
    if (model->api_key.len > 0) {
        return haft__spec_expand(endpoint->arena, model->api_key, env, ret_key, err);
    }
    haft_str name = haft__provider_key_env(endpoint->provider, model);
    name = name.len == 0 && may_get_openai_key(endpoint) ? HAFT__LIT("OPENAI_API_KEY") : name;
    haft_str key = name.len > 0 ? env->get(env->context, name) : (haft_str){NULL, 0};
    bool own_host = base_url_setting(endpoint).len == 0;
    if (key.len == 0
        && (model->api_key_env.len > 0 || (own_host && endpoint->provider->needs_key))) {
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

haft_status haft__endpoint_resolve(haft__endpoint *endpoint, haft_str path, haft_error *err)
{
    haft_str key = {NULL, 0};
    haft_status status = resolve_url(endpoint, path, err);
    if (status == HAFT_OK) {
        status = resolve_key(endpoint, &key, err);
    }
    if (status == HAFT_OK && key.len > 0) {
        endpoint->key_header = haft__arena_format(endpoint->arena, "Authorization: Bearer %.*s",
                                                  (int)key.len, key.ptr);
        bool added; /* a key that is too short to be looked for is none */
        status = endpoint->key_header.ptr != NULL
                     ? haft__redactor_add(endpoint->redactor, key, &added, err)
                     : haft__arena_fail(endpoint->arena, err);
    }
    return status;
}

haft_status haft__endpoint_resolve_embeddings(haft__endpoint *endpoint,
                                              const haft__embeddings_spec *embeddings,
                                              haft_error *err)
{
    const haft__model_spec model = {.provider = HAFT__LIT("openai"),
                                    .model = embeddings->model,
                                    .base_url = embeddings->base_url,
                                    .api_key = embeddings->api_key,
                                    .api_key_env = embeddings->api_key_env};
    endpoint->model = &model;
    endpoint->provider = haft__provider_for_model(&model);
    haft_status status = haft__endpoint_resolve(endpoint, HAFT__LIT("/embeddings"), err);
    endpoint->model = NULL;
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, "tool_search.embeddings");
    }
    return status;
}
