/* SPDX-License-Identifier: Apache-2.0 */
/* gzip.c - see io/gzip.h. libcurl loads zlib anyway. Tests: tests/io/gzip_test.c. */
#include "io/gzip.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/error.h"
#include "io/library.h"

enum { PIECE = 64 << 10, GZIP = 16 /* added to the window bits: not zlib's own format */ };

typedef struct functions {
    __typeof__(deflateInit2_) *(init);
    __typeof__(deflate) *(deflate);
    __typeof__(deflateEnd) *(end);
} functions;

static const char *const names[] = {"deflateInit2_", "deflate", "deflateEnd"};
static functions zlib;
_Static_assert(sizeof(zlib) == COUNT(names) * sizeof(void *), "one pointer a name");
static haft__library library = {.file = "libz.so.1",
                                .purpose = "the compression library zlib",
                                .hint = "install zlib (Debian: zlib1g)",
                                .functions = names,
                                .count = COUNT(names),
                                .table = &zlib,
                                .lock = PTHREAD_MUTEX_INITIALIZER};

haft_status haft__gzip(haft_str text, haft__buf *out, haft_error *err)
{
    z_stream stream = {0};
    int result = Z_OK;
    haft_status status = haft__library_load(&library, err);
    if (status != HAFT_OK) {
        return status;
    }
    assert(text.len <= UINT_MAX);
    if (zlib.init(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                  Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof(stream))
        != Z_OK) {
        return haft__fail_no_memory(err);
    }
    stream.next_in = (z_const Bytef *)(uintptr_t)text.ptr;
    stream.avail_in = (uInt)text.len;
    while (result == Z_OK) {
        char *to = haft__buf_reserve(out, PIECE);
        if (to == NULL) {
            break;
        }
        stream.next_out = (Bytef *)to;
        stream.avail_out = PIECE;
        result = zlib.deflate(&stream, Z_FINISH);
        haft__buf_advance(out, PIECE - stream.avail_out);
    }
    (void)zlib.end(&stream);
    return haft__buf_check(out, err);
}
