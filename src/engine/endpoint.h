/* SPDX-License-Identifier: Apache-2.0 */
/* engine/endpoint.h - the way to a server that speaks as OpenAI's does: its URL, and the key it
 * gets. */
#ifndef HAFT_ENGINE_ENDPOINT_H
#define HAFT_ENGINE_ENDPOINT_H

#include "model/provider.h"
#include "run/redact/redact.h"
#include "spec/load/load.h"

typedef struct haft__endpoint {
    haft__spec_env env;
    haft__spec_env key_env;   /* for keys to a server that a file names; .get may be NULL */
    haft__arena *arena;       /* what is found lives there */
    haft__redactor *redactor; /* gets the key and the password */
    const haft__model_spec *model;
    const haft__provider *provider;
    haft_str url, key_header; /* found; without a key there is no header */
} haft__endpoint;

/* Finds both, of the server in way->model. BAD_INPUT when there is no URL or no key where one is
 * needed. */
HAFT_MUST_USE haft_status haft__endpoint_resolve(haft__endpoint *endpoint, haft_str path,
                                                 haft_error *err);

/* The same to a server of embeddings; model and provider are not looked at. */
HAFT_MUST_USE haft_status haft__endpoint_resolve_embeddings(haft__endpoint *endpoint,
                                                            const haft__embeddings_spec *embeddings,
                                                            haft_error *err);

#endif
