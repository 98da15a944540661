/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/document/edit.h - changes one part of a value. Values are immutable; these functions
 * make new values. */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_EDIT_H
#define HAFT_SPEC_LOAD_DOCUMENT_EDIT_H

#include "json/value.h"

/* Sets or adds a member. False when out of memory. */
bool haft__edit_put(haft__arena *arena, haft__json *object, haft_str key, haft__json value);
/* Sets an existing item. */
bool haft__edit_put_item(haft__arena *arena, haft__json *array, size_t index, haft__json value);
/* Removes a member. */
bool haft__edit_remove(haft__arena *arena, haft__json *object, haft_str key);

#endif
