/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/models/model_probe.h - finds the models that can be used: of providers whose key is set, and
 * of servers that answer. Requests only the lists of models, from all servers at the same time. No
 * model is called, so the requests cost nothing.
 */
#ifndef HAFT_CLI_MODELS_MODEL_PROBE_H
#define HAFT_CLI_MODELS_MODEL_PROBE_H

#include "cli/command.h"
#include "model/provider.h"

typedef struct haft__found_model {
    haft_str model; /* provider:model; only the provider if its models are not known */
    bool reachable;
    haft_str why;                   /* where it was found, or why it cannot be used */
    const haft__provider *provider; /* NULL for a model of this process */
} haft__found_model;

typedef struct haft__model_probe_options {
    /* Checks only the keys and the servers on this machine, which takes little time. */
    bool local_only;
    uint64_t timeout_ms; /* for all servers together */
} haft__model_probe_options;

/* Finds the models, in the order of the table of providers. They live in the arena of `cli`. */
HAFT_MUST_USE haft_status haft__model_probe(haft__cli *cli,
                                            const haft__model_probe_options *options,
                                            const haft__found_model **ret_models, size_t *ret_count,
                                            haft_error *err);

#endif
