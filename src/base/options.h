/* SPDX-License-Identifier: Apache-2.0 */
/* base/options.h - option structs that a program fills in, possibly built with another version of
 * the header. */
#ifndef HAFT_BASE_OPTIONS_H
#define HAFT_BASE_OPTIONS_H

#include "base/macros.h"
#include "haft.h"

/* Copies `given` over `own`, which has `size` bytes and contains the defaults; both begin with a
 * size_t struct_size. Fields that the program's version lacks keep their defaults; fields that this
 * version lacks are ignored. BAD_INPUT when struct_size is less than `least`, the size in the first
 * version; the message names `init`, the macro that initialises the struct. */
HAFT_MUST_USE haft_status haft__options_copy(void *own, size_t size, size_t least,
                                             const void *given, const char *init, haft_error *err);

#endif
