/* SPDX-License-Identifier: Apache-2.0 */
/* io/libraries.h - which libraries we stand on, for people who look for a fault. */
#ifndef HAFT_IO_LIBRARIES_H
#define HAFT_IO_LIBRARIES_H

#include "base/buf.h"

/* Appends "libuv 1.44.2, libcurl 7.88.1 ...", as they are at run time. */
void haft__libraries_add(haft__buf *text);

#endif
