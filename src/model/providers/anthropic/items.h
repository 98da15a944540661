/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/anthropic/items.h - the first of the items of a reply (haft__reply.items), which
 * is not from the model: a hash of everything that came before the reply.
 */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_ITEMS_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_ITEMS_H

#include <stdbool.h>

#include "model/provider.h"

/* Appends the item. */
void haft__anthropic_write_prefix(haft__buf *buf, uint64_t prefix);

/* Removes the brackets and the first item. *ret_prefix: its hash; 0 if there is no such item. False
 * if the text is not an array. */
bool haft__anthropic_split_items(haft_str *io_items, uint64_t *ret_prefix);

/* haft__provider_api.read_provider_call */
bool haft__anthropic_read_provider_call(haft__json item, haft__provider_call *ret_call);

#endif
