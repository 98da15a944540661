/* SPDX-License-Identifier: Apache-2.0 */
/* model/model_list.h - the models that a server has, as its own list says. No I/O. */
#ifndef HAFT_MODEL_MODEL_LIST_H
#define HAFT_MODEL_MODEL_LIST_H

#include "model/provider.h"

/* Appends the URL of the list. `base_url` has its variables expanded; "" is the provider's own. */
HAFT_MUST_USE haft_status haft__model_list_write_url(const haft__provider *provider,
                                                     haft_str base_url, haft__buf *buf,
                                                     haft_error *err);

/* Reads the names from the body of the list: {"data":[{"id":..}]}, or {"models":[{"name":..}]}. At
 * most HAFT__LIMIT_MODEL_LIST are kept. BAD_INPUT if it is no such list. They live in `arena`. */
HAFT_MUST_USE haft_status haft__model_list_read(haft__arena *arena, haft_str body,
                                                haft__hash_key hash_key, const haft_str **ret_names,
                                                size_t *ret_count, haft_error *err);

#endif
