/* SPDX-License-Identifier: Apache-2.0 */
/* engine/endpoint.h - the URL and the API key of a server of models or embeddings. */
#ifndef HAFT_ENGINE_ENDPOINT_H
#define HAFT_ENGINE_ENDPOINT_H

#include "io/http/client.h"
#include "model/provider.h"
#include "run/redact/redact.h"
#include "spec/load/load.h"

/* Names of the environment variables from which the URL and the key of a server were read; static,
 * or parts of the spec. Variables in the texts of a spec, ${NAME}, are not included; a spec does
 * not load if such a variable is not set. */
typedef struct haft__endpoint_variables {
    haft_str names[2]; /* the variable of the base URL, the variable of the key */
    size_t count;
} haft__endpoint_variables;

typedef struct haft__endpoint {
    haft__spec_env env;
    haft__spec_env key_env;   /* the .env file: a server whose URL is in it gets only keys from it;
                               * .get may be NULL */
    haft__arena *arena;       /* for the results */
    haft__redactor *redactor; /* the key and the URL's password are added to it */
    const haft__model_spec *model;
    const haft__provider *provider;
    haft_str url, key; /* the results; the key is empty if none is needed */
    haft_str password; /* the password in the URL, or "" */
    haft__endpoint_variables variables;
} haft__endpoint;

/* Resolves the URL and the key of endpoint->model at endpoint->provider. BAD_INPUT if the URL is
 * missing, or if the key is missing and the provider needs it. */
HAFT_MUST_USE haft_status haft__endpoint_resolve(haft__endpoint *endpoint, haft_error *err);

/* An id of the server at a URL, in `arena`; .ptr is NULL when out of memory. It is the same for all
 * requests with the same base URL, and does not reveal the URL or depend on its password. */
haft_str haft__endpoint_id(haft__arena *arena, haft_str url);

/* Whether the URL names this machine by a loopback address. */
bool haft__endpoint_is_loopback(haft_str url);

/* The HTTP client for servers of models and embeddings: proxies, and the certificates of
 * SSL_CERT_FILE. */
haft__http_client_options haft__endpoint_http_options(void);

/* Like haft__endpoint_resolve, for a server of embeddings; `model` and `provider` are not read. */
HAFT_MUST_USE haft_status haft__endpoint_resolve_embeddings(haft__endpoint *endpoint,
                                                            const haft__embeddings_spec *embeddings,
                                                            haft_error *err);

#endif
