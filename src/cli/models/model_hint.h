/* SPDX-License-Identifier: Apache-2.0 */
/* cli/models/model_hint.h - says which models a spec without a model could use. */
#ifndef HAFT_CLI_MODELS_MODEL_HINT_H
#define HAFT_CLI_MODELS_MODEL_HINT_H

#include "cli/command.h"
#include "spec/spec.h"

/* If nothing names a model, `offline` answers, so that a key which happens to be set never spends
 * money. Prints one line with the models that were found: providers whose key is set, and servers
 * on this machine; nothing if there are none, and with --quiet, --json and --events. */
void haft__model_hint_print(haft__cli *cli, const haft__args *args, const haft__spec *spec);

#endif
