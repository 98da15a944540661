/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.c - finds the URL and the key of a server that a spec names. Only this file decides
 * which host gets which key. Tests: tests/engine/endpoint_test.c and tests/cli/model_test.py.
 */
#include "engine/endpoint.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "io/environment.h"
#include "io/file.h"
#include "model/embeddings.h"

/* The base URL in the spec, or in the provider's variable. */
static haft_str base_url_from(const haft__endpoint *endpoint, const haft__spec_env *env)
{
    haft_str name = haft__str(endpoint->provider->base_url_env);
    if (endpoint->model->base_url.len > 0 || name.len == 0) {
        return endpoint->model->base_url;
    }
    haft_str url = env->get(env->context, name);
    return url.ptr != NULL ? url : HAFT__LIT("");
}

static void add_variable(haft__endpoint *endpoint, haft_str name)
{
    endpoint->variables.names[endpoint->variables.count++] = name;
}

static haft_str base_url_setting(const haft__endpoint *endpoint)
{
    return base_url_from(endpoint, &endpoint->env);
}

/* Whether the URL, or a part of it, comes from a .env file, and not from the spec or the
 * environment of this process. The server of such a URL gets only a key from that file. */
static bool url_is_from_env_file(haft__endpoint *endpoint)
{
    const haft__spec_env real = {haft__environment_get, NULL};
    haft_str process_url = {NULL, 0}, setting_url = {NULL, 0};
    if (endpoint->key_env.get == NULL) {
        return false;
    }
    return haft__spec_expand(endpoint->arena, base_url_from(endpoint, &real), &real, &process_url,
                             NULL)
               != HAFT_OK
           || haft__spec_expand(endpoint->arena, base_url_setting(endpoint), &endpoint->env,
                                &setting_url, NULL)
                  != HAFT_OK
           || !haft__str_equal(process_url, setting_url);
}

/* user:password@host:port */
static haft_str authority_of(haft_str url)
{
    (void)haft__str_split(&url, '/');
    (void)haft__str_split(&url, '/');
    haft_str authority = haft__str_split(&url, '/');
    return haft__str_split(&authority, '?');
}

/* Removes the part before the host from *authority and returns it. */
static haft_str split_userinfo(haft_str *authority)
{
    const char *at = authority->len > 0 ? memrchr(authority->ptr, '@', authority->len) : NULL;
    if (at == NULL) {
        return HAFT__LIT("");
    }
    haft_str user = {authority->ptr, (size_t)(at - authority->ptr)};
    *authority = haft__str_skip(*authority, user.len + 1);
    return user;
}

/* Redacts the password of a base_url, or the user name if it is a token without a password. */
static haft_status redact_userinfo(haft__endpoint *endpoint, haft_error *err)
{
    haft_str authority = authority_of(endpoint->url);
    haft_str password = split_userinfo(&authority);
    haft_str user = haft__str_split(&password, ':');
    bool added; /* false for a text that is too short to be redacted */
    endpoint->password = password.len > 0 ? password : user;
    return haft__redactor_add(endpoint->redactor, endpoint->password, &added, err);
}

static haft_status resolve_url(haft__endpoint *endpoint, haft__provider_write_url *write_url,
                               haft_error *err)
{
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_SPEC_BYTES);
    haft__model_spec model = *endpoint->model;
    haft_str setting = base_url_setting(endpoint);
    haft_status status =
        haft__spec_expand(endpoint->arena, setting, &endpoint->env, &model.base_url, err);
    if (status == HAFT_OK) {
        status = write_url(endpoint->provider, &model, &url, err);
    }
    if (status == HAFT_BAD_INPUT && endpoint->model->base_url.len == 0 && setting.len > 0) {
        haft__error_prepend_location(err, endpoint->provider->base_url_env);
    }
    if (status == HAFT_OK && endpoint->model->base_url.len == 0 && setting.len > 0
        && haft__provider_is_other_host(endpoint->model, model.base_url)) {
        add_variable(endpoint, haft__str(endpoint->provider->base_url_env));
    }
    if (status == HAFT_OK) {
        endpoint->url = haft__arena_copy(endpoint->arena, haft__buf_str(&url));
        status = endpoint->url.ptr != NULL ? HAFT_OK : haft__arena_fail(endpoint->arena, err);
    }
    haft__buf_finish(&url);
    return status == HAFT_OK ? redact_userinfo(endpoint, err) : status;
}

haft__http_client_options haft__endpoint_http_options(void)
{
    haft_str certificates = haft__environment_get(NULL, HAFT__LIT("SSL_CERT_FILE"));
    return (haft__http_client_options){.proxy = true,
                                       .ca_file = certificates.len > 0 ? certificates.ptr : NULL};
}

#define ID_DIGITS 16

haft_str haft__endpoint_id(haft__arena *arena, haft_str url)
{
    char hex[HAFT__SHA256_HEX];
    haft_str rest = url, scheme = haft__str_split(&rest, ':');
    haft_str authority = authority_of(url), path = haft__str_split(&url, '?');
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    path = haft__str_skip(
        path, authority.len > 0 ? (size_t)(authority.ptr + authority.len - path.ptr) : path.len);
    path.len = slash != NULL && slash >= path.ptr ? (size_t)(slash - path.ptr) : 0;
    (void)split_userinfo(&authority);
    haft_str base = haft__arena_format(arena, "%.*s://%.*s%.*s", HAFT__ARG(scheme),
                                       HAFT__ARG(authority), HAFT__ARG(path));
    if (base.ptr == NULL) {
        return base;
    }
    haft__sha256_hex(base, hex);
    return haft__arena_copy(arena, (haft_str){hex, ID_DIGITS});
}

bool haft__endpoint_is_loopback(haft_str url)
{
    haft_str host = authority_of(url);
    (void)split_userinfo(&host);
    if (!haft__str_starts_with(host, HAFT__LIT("[::1]"))) {
        host = haft__str_split(&host, ':');
    }
    bool numeric = haft__str_starts_with(host, HAFT__LIT("127."));
    for (size_t i = 0; i < host.len; i++) {
        numeric = numeric && (host.ptr[i] == '.' || haft__ascii_is_digit(host.ptr[i]));
    }
    return numeric || haft__str_equal(host, HAFT__LIT("localhost"))
           || haft__str_equal(host, HAFT__LIT("[::1]"))
           || haft__str_starts_with(host, HAFT__LIT("[::1]:"));
}

/* Whether the URL contains a user. Such a URL needs no key. */
static bool has_user(haft_str url)
{
    haft_str host = authority_of(url);
    return split_userinfo(&host).len > 0;
}

/* The name of the variable with the key. Some providers allow their variable only for servers on
 * this machine. */
static haft_str key_env_of(const haft__endpoint *endpoint)
{
    haft_str name = haft__provider_key_env(endpoint->provider, endpoint->model);
    return name.len == 0 && haft__endpoint_is_loopback(endpoint->url) && !has_user(endpoint->url)
               ? haft__str(endpoint->provider->local_key_env)
               : name;
}

/* Reads the key from the variable *io_name. If it is not set, reads the key from a file: the
 * variable *io_name with the suffix _FILE names the file, and *io_name is set to this variable. */
static haft_status find_key(haft__endpoint *endpoint, const haft__spec_env *env, haft_str *io_name,
                            haft_str *ret_key, haft_error *err)
{
    *ret_key = env->get(env->context, *io_name);
    haft_str variable = haft__arena_format(endpoint->arena, "%.*s_FILE", HAFT__ARG(*io_name));
    if (variable.ptr == NULL) {
        return haft__arena_fail(endpoint->arena, err);
    }
    haft_str path = env->get(env->context, variable);
    if (ret_key->len > 0 || path.len == 0) {
        return HAFT_OK;
    }
    haft_str text = {NULL, 0}, file = haft__arena_copy(endpoint->arena, path);
    haft_status status = file.ptr != NULL ? haft__file_read_arena(
                             endpoint->arena, file.ptr, HAFT__LIMIT_MODEL_KEY_BYTES, &text, err)
                                          : haft__arena_fail(endpoint->arena, err);
    *ret_key = haft__str_trim(text);
    *io_name = variable;
    if (status == HAFT_OK && ret_key->len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, file.ptr, "expected a key, found an empty file");
    }
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        err->status = status = HAFT_BAD_INPUT;
        haft__error_prepend_location(err, variable.ptr);
    }
    return status;
}

/* Finds the key in the spec or in a variable. */
static haft_status resolve_key(haft__endpoint *endpoint, haft_str *ret_key, haft_error *err)
{
    const haft__model_spec *model = endpoint->model;
    const haft__spec_env *env =
        url_is_from_env_file(endpoint) ? &endpoint->key_env : &endpoint->env;
    if (model->api_key.len > 0) {
        return haft__spec_expand(endpoint->arena, model->api_key, env, ret_key, err);
    }
    haft_str name = key_env_of(endpoint), variable = name, key = {NULL, 0};
    haft_status found = name.len > 0 ? find_key(endpoint, env, &variable, &key, err) : HAFT_OK;
    if (found != HAFT_OK) {
        return found;
    }
    bool own_host = !haft__provider_is_other_host(model, endpoint->url);
    if (key.len == 0
        && (model->api_key_env.len > 0 || (own_host && endpoint->provider->needs_key))) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "model", "the model %.*s:%.*s needs a key, and %.*s is not set",
            HAFT__ARG(model->provider), HAFT__ARG(model->model), HAFT__ARG(name));
        return haft__hint(err, status,
                          "set %.*s, or try --model offline, which needs no key and no network",
                          HAFT__ARG(name));
    }
    if (key.len > 0) {
        add_variable(endpoint, variable);
    }
    *ret_key = key;
    return HAFT_OK;
}

static haft_status resolve(haft__endpoint *endpoint, haft__provider_write_url *write_url,
                           haft_error *err)
{
    haft_str key = {NULL, 0};
    haft_status status = resolve_url(endpoint, write_url, err);
    if (status == HAFT_OK) {
        status = resolve_key(endpoint, &key, err);
    }
    if (status == HAFT_OK) {
        endpoint->key = haft__arena_copy(endpoint->arena, key);
        status = endpoint->key.ptr != NULL ? HAFT_OK : haft__arena_fail(endpoint->arena, err);
    }
    bool added; /* false for a key that is too short to be redacted */
    return status == HAFT_OK && key.len > 0
               ? haft__redactor_add(endpoint->redactor, key, &added, err)
               : status;
}

haft_status haft__endpoint_resolve(haft__endpoint *endpoint, haft_error *err)
{
    return resolve(endpoint, endpoint->provider->api->write_url, err);
}

haft_status haft__endpoint_resolve_embeddings(haft__endpoint *endpoint,
                                              const haft__embeddings_spec *embeddings,
                                              haft_error *err)
{
    const haft__model_spec model = haft__embeddings_model(embeddings);
    endpoint->model = &model;
    endpoint->provider = haft__provider_for_model(&model);
    haft_status status = resolve(endpoint, haft__embeddings_write_url, err);
    endpoint->model = NULL;
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, "tool_search.embeddings");
    }
    return status;
}
