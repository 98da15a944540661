/* SPDX-License-Identifier: Apache-2.0 */
/* base/options.h - structs that programs fill in, built perhaps with another version's header. */
#ifndef HAFT_BASE_OPTIONS_H
#define HAFT_BASE_OPTIONS_H

#include "base/macros.h"
#include "haft.h"

/* Copies `given` over `own`, which has `size` bytes and the defaults in them; both begin with a
 * size_t struct_size. What the program's version did not have stays as it is; what ours does not
 * have is not looked at. BAD_INPUT when struct_size is less than `least`, which is what the first
 * version had; `init` is the macro it should have started from. */
HAFT_MUST_USE haft_status haft__options_copy(void *own, size_t size, size_t least,
                                             const void *given, const char *init, haft_error *err);

#endif
