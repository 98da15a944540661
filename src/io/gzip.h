/* SPDX-License-Identifier: Apache-2.0 */
/* io/gzip.h - compresses the body of a request. */
#ifndef HAFT_IO_GZIP_H
#define HAFT_IO_GZIP_H

#include "base/buf.h"

/* Appends `text` in the gzip format. UNSUPPORTED if zlib is not installed. From any thread. */
HAFT_MUST_USE haft_status haft__gzip(haft_str text, haft__buf *out, haft_error *err);

#endif
