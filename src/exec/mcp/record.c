/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - files about MCP servers. Tests: tests/exec/mcp/pins_test.c,
 * tests/exec/mcp/tool_cache_test.c. */
#include "exec/mcp/record.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "json/object.h"

haft_str haft__mcp_record_path(haft__arena *arena, haft_str directory, haft_str key,
                               const char *ending)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(key, digest);
    return haft__arena_format(arena, "%.*s/%.*s%s", HAFT__ARG(directory), HAFT__SHA256_HEX, digest,
                              ending);
}

haft_status haft__mcp_record_fail(const haft__mcp_record_format *format, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, "", "expected %s of version %llu", format->name,
                      (unsigned long long)format->version);
}

static haft_status parse(haft__arena *arena, haft_str text, const haft__mcp_record_format *format,
                         haft__hash_key hash_key, haft__json *ret_record, haft_error *err)
{
    haft__json record;
    haft_status status = haft__state_file_parse(arena, text, hash_key, &record, err);
    if (status == HAFT_OK && haft__object_number(record, "version", 0) != format->version) {
        status = haft__mcp_record_fail(format, err);
    }
    if (status == HAFT_OK) {
        *ret_record = record;
    }
    return status;
}

haft_status haft__mcp_record_read(haft__arena *arena, const char *path,
                                  const haft__mcp_record_format *format, haft__hash_key hash_key,
                                  haft__json *ret_record, haft_error *err)
{
    haft_str text;
    haft_status status =
        haft__state_file_read(arena, path, HAFT__LIMIT_MCP_RECORD_BYTES, &text, err);
    if (status == HAFT_OK) {
        status = parse(arena, text, format, hash_key, ret_record, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, path);
        }
    }
    return status;
}

haft_status haft__mcp_record_copy(haft__arena *arena, const haft__buf *text,
                                  const haft__mcp_record_format *format, haft__hash_key hash_key,
                                  haft__json *ret_record, haft_error *err)
{
    haft_str copy = haft__arena_copy(arena, haft__buf_str(text));
    return copy.ptr != NULL ? parse(arena, copy, format, hash_key, ret_record, err)
                            : haft__arena_fail(arena, err);
}
