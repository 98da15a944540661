/* SPDX-License-Identifier: Apache-2.0 */
/* io/libraries.h - the versions of the libraries that haft uses, for bug reports. */
#ifndef HAFT_IO_LIBRARIES_H
#define HAFT_IO_LIBRARIES_H

#include "base/buf.h"
#include "haft.h"

/* Appends "libuv 1.44.2, libcurl 7.88.1 ...", the versions at run time. */
void haft__libraries_add(haft__buf *text);

/* OK if the library of HTTP servers is installed. */
HAFT_MUST_USE haft_status haft__libraries_check_server(haft_error *err);

#endif
