/* SPDX-License-Identifier: Apache-2.0 */
/* cli/models/model_hint.h - prints which models a spec without a model could use. */
#ifndef HAFT_CLI_MODELS_MODEL_HINT_H
#define HAFT_CLI_MODELS_MODEL_HINT_H

#include "cli/command.h"
#include "spec/spec.h"

/* If neither the spec nor an option names a model, haft uses `offline`, so that it never spends
 * money without a request. In this case prints one line with the models that could be used:
 * providers whose key is set, and servers on this machine. Prints nothing if no model is found, or
 * with --quiet, --json or --events. */
void haft__model_hint_print(haft__cli *cli, const haft__args *args, const haft__spec *spec);

#endif
