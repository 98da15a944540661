/* SPDX-License-Identifier: Apache-2.0 */
/* engine/endpoint.h - the URL and the API key of a server of models or embeddings. */
#ifndef HAFT_ENGINE_ENDPOINT_H
#define HAFT_ENGINE_ENDPOINT_H

#include "model/provider.h"
#include "run/redact/redact.h"
#include "spec/load/load.h"

/* Names of the environment variables that a server and its key came from; static, or parts of the
 * spec. Variables in the texts of a spec, ${NAME}, are not among them: a spec that needs one which
 * is not set does not load. */
typedef struct haft__endpoint_variables {
    haft_str names[2]; /* of the base URL, of the key */
    size_t count;
} haft__endpoint_variables;

typedef struct haft__endpoint {
    haft__spec_env env;
    haft__spec_env key_env;   /* a server that the .env file names gets only keys of this
                               * file; .get may be NULL */
    haft__arena *arena;       /* the results live there */
    haft__redactor *redactor; /* the key and the URL's password are added to it */
    const haft__model_spec *model;
    const haft__provider *provider;
    haft_str url, key; /* the results; the key is empty if none is needed */
    haft_str password; /* of the URL; "" for none */
    haft__endpoint_variables variables;
} haft__endpoint;

/* Resolves the URL and the key of endpoint->model at endpoint->provider. BAD_INPUT when there is no
 * URL, or no key and the provider needs one. */
HAFT_MUST_USE haft_status haft__endpoint_resolve(haft__endpoint *endpoint, haft_error *err);

/* An id of the server at a URL, in `arena`; .ptr is NULL when out of memory. It is the same for all
 * requests with the same base URL, and does not reveal the URL or depend on its password. */
haft_str haft__endpoint_id(haft__arena *arena, haft_str url);

/* Whether the URL names this machine by a loopback address. */
bool haft__endpoint_is_loopback(haft_str url);

/* Like haft__endpoint_resolve, for a server of embeddings; `model` and `provider` are not read. */
HAFT_MUST_USE haft_status haft__endpoint_resolve_embeddings(haft__endpoint *endpoint,
                                                            const haft__embeddings_spec *embeddings,
                                                            haft_error *err);

#endif
