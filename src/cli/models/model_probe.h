/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/models/model_probe.h - finds the models that can be asked: providers whose key is set, and
 * servers that answer. All servers are asked at the same time, for their list of models only: no
 * model is called, and nothing is spent.
 */
#ifndef HAFT_CLI_MODELS_MODEL_PROBE_H
#define HAFT_CLI_MODELS_MODEL_PROBE_H

#include "cli/command.h"
#include "model/provider.h"

typedef struct haft__found_model {
    haft_str model; /* provider:model; only the provider if its models are not known */
    bool reachable;
    haft_str why;                   /* where it was found, or why it cannot be asked */
    const haft__provider *provider; /* NULL for a model of this process */
} haft__found_model;

typedef struct haft__model_probe_options {
    /* Only what costs no time: keys that are set, and servers on this machine. */
    bool local_only;
    uint64_t timeout_ms; /* for all servers together */
} haft__model_probe_options;

/* The results live in the arena of `cli`, in the order of the table of providers. */
HAFT_MUST_USE haft_status haft__model_probe(haft__cli *cli,
                                            const haft__model_probe_options *options,
                                            const haft__found_model **ret_models, size_t *ret_count,
                                            haft_error *err);

#endif
