/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/anthropic/anthropic.h - the wire format of Anthropic's Messages API: the
 * functions that model/provider.h declares. */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_ANTHROPIC_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_ANTHROPIC_H

#include "model/provider.h"

extern const haft__provider_api haft__anthropic_api;

#endif
