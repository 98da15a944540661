/* SPDX-License-Identifier: Apache-2.0 */
/* base/options.h - reads option structs of a program that may be built with another version of the
 * header. */
#ifndef HAFT_BASE_OPTIONS_H
#define HAFT_BASE_OPTIONS_H

#include "base/macros.h"
#include "haft.h"

/* Copies `given` over `io_options`, which has `size` bytes and contains the defaults. Both
 * structs begin with a size_t struct_size. Fields that the program's version lacks keep their
 * defaults; fields that this version lacks are ignored. BAD_INPUT when struct_size is less than
 * `min`, the size in the first version; the message names `init`, the macro that initialises the
 * struct. */
HAFT_MUST_USE haft_status haft__options_copy(void *io_options, size_t size, size_t min,
                                             const void *given, const char *init, haft_error *err);

#endif
