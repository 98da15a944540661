/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shown_name.h - reads the names of files as results of glob and grep show them: with the
 * escapes of JSON strings (`\n`, `\\`, `\u001b`), and `\xff` for a byte that is not UTF-8.
 * exec/files/display.h writes them.
 */
#ifndef HAFT_BASE_SHOWN_NAME_H
#define HAFT_BASE_SHOWN_NAME_H

#include "base/str.h"

/* Whether `shown` begins with the shown form of `name`; *ret_length is the length of that form. */
bool haft__shown_name_is_prefix(haft_str shown, haft_str name, size_t *ret_length);

/* The name that is shown, in `to`, which has `size` bytes; "" if it is too long. A backslash that
 * begins no escape is itself. */
haft_str haft__shown_name_read(haft_str shown, char *to, size_t size);

#endif
