/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/anthropic/models.h - differences between the models of Anthropic, by their names.
 */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_MODELS_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "haft.h"

typedef struct haft__anthropic_model {
    const char *name;    /* the start of a model's name */
    bool no_force;       /* a forced call is answered 400 */
    bool binds_thinking; /* thinking is bound to its prefix */
} haft__anthropic_model;

/* The models that differ from the others; for docs/providers.md. */
const haft__anthropic_model *haft__anthropic_models(size_t *ret_count);

/* Whether the model accepts a tool_choice that forces a call: `any` or `tool`. Others answer 400.
 */
bool haft__anthropic_can_force(haft_str model);

/* Whether a thinking block of the model is valid only if the system prompt, the tools and the
 * messages before it are unchanged. */
bool haft__anthropic_binds_thinking(haft_str model);

#endif
