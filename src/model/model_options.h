/* SPDX-License-Identifier: Apache-2.0 */
/* model/model_options.h - which options of a spec (model.options) a model gets, and under which
 * name. The rules are in the rows of providers.c and model_rules.c. */
#ifndef HAFT_MODEL_MODEL_OPTIONS_H
#define HAFT_MODEL_MODEL_OPTIONS_H

#include "model/provider.h"

/* The provider's rule for an option; NULL: it is sent as it is. */
const haft__option_rule *haft__model_options_find(const haft__provider *provider, haft_str option);

/* Why an option is not sent: the provider or the model would answer 400 to it. NULL if it is sent.
 * `options` are all options of the spec. */
const char *haft__model_options_why_unsent(const haft__provider *provider, haft_str model,
                                           haft__json options, haft_str option);

#endif
