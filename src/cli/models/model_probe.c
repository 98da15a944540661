/* SPDX-License-Identifier: Apache-2.0 */
/* model_probe.c - see model_probe.h. Tests: tests/cli/models_test.py. */
#include "cli/models/model_probe.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/config/config.h"
#include "engine/endpoint.h"
#include "io/http/client.h"
#include "io/random.h"
#include "model/model_list.h"

/* A server whose list of models is requested. */
typedef struct server {
    haft__arena *arena;
    const char *name; /* of the provider, as in a spec */
    const haft__provider *provider;
    haft__endpoint endpoint;
    haft_str url;
    haft__buf body;
    bool requested, done;
    haft__http_outcome end;
    uint32_t status;
    /* Scheme, host and port: other parts of the URL may contain secrets. */
    haft_str origin;
    haft_str why; /* why no request was sent, or why it failed; "" if it succeeded */
} server;

typedef struct probe {
    haft__cli *cli;
    const haft__model_probe_options *options;
    haft__redactor redactor;
    server *servers;
    size_t count;
    haft__found_model *models;
    size_t model_count, model_capacity;
} probe;

static haft_status add_model(probe *p, haft__found_model model, haft_error *err)
{
    haft__found_model *models =
        haft__vec_reserve_in(&p->cli->arena, p->models, p->model_count, &p->model_capacity,
                             p->model_count + 1, sizeof(*models));
    if (models == NULL || model.model.ptr == NULL || model.why.ptr == NULL) {
        return haft__arena_fail(&p->cli->arena, err);
    }
    p->models = models;
    p->models[p->model_count++] = model;
    return HAFT_OK;
}

/* ---- servers ---- */

/* Whether an earlier row has the same server: a provider has one row for each wire format. */
static bool is_repeated(const haft__provider *rows, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (strcmp(rows[i].base_url_env, rows[at].base_url_env) == 0) {
            return true;
        }
    }
    return false;
}

/* Resolves the URL and the key like a run does. */
static haft_status resolve(probe *p, server *s, haft_error *err)
{
    haft__arena *arena = &p->cli->arena;
    haft__runtime_env config = haft__config_env(p->cli);
    haft__model_spec *model = haft__arena_alloc(arena, sizeof(*model));
    if (model == NULL) {
        return haft__arena_fail(arena, err);
    }
    *model = (haft__model_spec){.provider = haft__str(s->name), .model = HAFT__LIT("m")};
    haft_str variable = haft__provider_server_variable(model);
    haft_str other =
        variable.len > 0 ? config.env.get(config.env.context, variable) : (haft_str){NULL, 0};
    model->other_server = other.len > 0 && haft__provider_is_other_host(model, other);
    s->provider = haft__provider_for_model(model);
    s->endpoint = (haft__endpoint){.env = config.env,
                                   .key_env = config.key_env,
                                   .arena = arena,
                                   .redactor = &p->redactor,
                                   .model = model,
                                   .provider = s->provider};
    haft_status status = haft__endpoint_resolve(&s->endpoint, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str base = config.env.get(config.env.context, haft__str(s->provider->base_url_env));
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_SPEC_BYTES);
    base = base.len > 0 ? base : HAFT__LIT("");
    status = haft__model_list_write_url(s->provider, base, &url, err);
    s->url = haft__arena_copy(arena, haft__buf_str(&url));
    haft__buf_finish(&url);
    return status == HAFT_OK && s->url.ptr == NULL ? haft__arena_fail(arena, err) : status;
}

static bool on_body(void *context, haft_str bytes)
{
    server *s = context;
    haft__buf_add_str(&s->body, bytes);
    return s->body.status == HAFT_OK;
}

static void on_done(void *context, const haft__http_result *result)
{
    server *s = context;
    s->done = true;
    s->end = result->end;
    s->status = result->status;
    s->origin = haft__arena_copy(s->arena, haft__str(result->origin));
    if (result->end == HAFT__HTTP_TLS) {
        s->why = haft__arena_copy(s->arena, haft__str(result->message));
    }
}

static haft_status ask(probe *p, server *s, haft__http_client *http, haft_error *err)
{
    static const haft__http_handlers handlers = {.body = on_body, .done = on_done};
    haft__provider_headers headers;
    haft__http_transfer *transfer;
    haft_status status =
        s->provider->api->write_headers(s->endpoint.key, &p->cli->arena, &headers, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__http_request request = {.method = HAFT__LIT("GET"),
                                  .url = s->url,
                                  .headers = headers.lines,
                                  .header_count = headers.count,
                                  .connect_ms = p->options->timeout_ms,
                                  .total_ms = p->options->timeout_ms,
                                  .max_bytes = HAFT__LIMIT_MODEL_LIST_BYTES};
    s->requested = true;
    return haft__http_transfer_start(http, &request, &handlers, s, &transfer, err);
}

static haft_status prepare(probe *p, server *s, haft__http_client *http, haft_error *err)
{
    haft_error found = {0};
    haft_status status = resolve(p, s, &found);
    if (status == HAFT_NO_MEMORY) {
        *err = found;
        return status;
    }
    if (status != HAFT_OK) {
        s->why = haft__arena_copy(&p->cli->arena, haft__str(found.message));
        return s->why.ptr != NULL ? HAFT_OK : haft__arena_fail(&p->cli->arena, err);
    }
    if (p->options->local_only && !haft__endpoint_is_loopback(s->url)) {
        return HAFT_OK;
    }
    return ask(p, s, http, err);
}

/* ---- results ---- */

static haft_str format_why(probe *p, const server *s)
{
    haft__arena *arena = &p->cli->arena;
    const haft__endpoint_variables *variables = &s->endpoint.variables;
    if (s->why.len > 0) {
        return s->why;
    }
    if (!s->requested) {
        return variables->count > 0 ? haft__arena_format(
                   arena, "%.*s is set", HAFT__ARG(variables->names[variables->count - 1]))
                                    : HAFT__LIT("it needs no key");
    }
    if (s->end != HAFT__HTTP_OK || !s->done) {
        return haft__arena_format(arena, "no answer from %.*s", HAFT__ARG(s->origin));
    }
    const char *hint = s->status == 404 || s->status == 405
                           ? "; is the base URL right? It usually ends in /v1"
                           : "";
    return haft__arena_format(arena, "HTTP %u from %.*s%s", s->status, HAFT__ARG(s->origin), hint);
}

static haft_status add_names(probe *p, const server *s, const haft_str *names, size_t count,
                             haft_error *err)
{
    haft_status status = HAFT_OK;
    haft_str why = haft__arena_format(&p->cli->arena, "listed by %.*s", HAFT__ARG(s->origin));
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        haft_str model =
            haft__arena_format(&p->cli->arena, "%s:%.*s", s->name, HAFT__ARG(names[i]));
        status = add_model(p, (haft__found_model){model, true, why, s->provider}, err);
    }
    return status;
}

static haft_status add_server(probe *p, const server *s, haft_error *err)
{
    const haft_str *names = NULL;
    size_t count = 0;
    haft_error found = {0};
    bool answered = s->done && s->end == HAFT__HTTP_OK && s->status == 200;
    haft_status status =
        answered ? haft__model_list_read(&p->cli->arena, haft__buf_str(&s->body),
                                         haft__random_hash_key(), &names, &count, &found)
                 : HAFT_OK;
    if (status == HAFT_NO_MEMORY) {
        *err = found;
        return status;
    }
    if (count > 0) {
        return add_names(p, s, names, count, err);
    }
    haft__found_model model = {.model = haft__arena_copy(&p->cli->arena, haft__str(s->name)),
                               .reachable = answered || (!s->requested && s->why.len == 0),
                               .why = answered ? haft__arena_format(&p->cli->arena,
                                                                    "%.*s lists no models",
                                                                    HAFT__ARG(s->origin))
                                               : format_why(p, s),
                               .provider = s->provider};
    return add_model(p, model, err);
}

static bool is_pending(const probe *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->servers[i].requested && !p->servers[i].done) {
            return true;
        }
    }
    return false;
}

static haft_status ask_all(probe *p, haft__loop *loop, haft__http_client *http, haft_error *err)
{
    size_t rows = 0;
    const haft__provider *providers = haft__providers(&rows);
    haft_status status = HAFT_OK;
    p->servers = haft__arena_array(&p->cli->arena, rows, sizeof(*p->servers));
    if (p->servers == NULL) {
        return haft__arena_fail(&p->cli->arena, err);
    }
    for (size_t i = 0; i + 1 < rows && status == HAFT_OK; i++) { /* the last row has no name */
        if (!is_repeated(providers, i)) {
            server *s = &p->servers[p->count++];
            *s = (server){.arena = &p->cli->arena,
                          .name = providers[i].name,
                          .provider = &providers[i],
                          .origin = HAFT__LIT("its server")};
            haft__buf_init(&s->body, HAFT__LIMIT_MODEL_LIST_BYTES);
            status = prepare(p, s, http, err);
        }
    }
    while (status == HAFT_OK && is_pending(p)) { /* every transfer has a time limit */
        status = haft__loop_step(loop, -1, err);
    }
    return status;
}

haft_status haft__model_probe(haft__cli *cli, const haft__model_probe_options *options,
                              const haft__found_model **ret_models, size_t *ret_count,
                              haft_error *err)
{
    probe p = {.cli = cli, .options = options};
    haft__loop *loop = NULL;
    haft__http_client *http = NULL;
    const haft__http_client_options web = haft__endpoint_http_options();
    haft__redactor_init(&p.redactor, &cli->arena);
    haft_status status = haft__loop_create(&loop, err);
    if (status == HAFT_OK) {
        status = haft__http_client_create(loop, &web, &http, err);
    }
    if (status == HAFT_OK) {
        status = ask_all(&p, loop, http, err);
    }
    haft__found_model offline = {.model = HAFT__LIT("offline"),
                                 .reachable = true,
                                 .why = HAFT__LIT("needs no key and no network")};
    if (status == HAFT_OK) {
        status = add_model(&p, offline, err);
    }
    for (size_t i = 0; i < p.count; i++) {
        status = status == HAFT_OK ? add_server(&p, &p.servers[i], err) : status;
        haft__buf_finish(&p.servers[i].body);
    }
    if (http != NULL) {
        haft__http_client_destroy(http);
    }
    if (loop != NULL) {
        haft__loop_destroy(loop);
    }
    *ret_models = p.models;
    *ret_count = p.model_count;
    return status;
}
