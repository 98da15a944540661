/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/record.h - a file about one MCP server: a JSON object with a version.
 *
 * exec/state_file.h describes the directory and the ownership of such files.
 */
#ifndef HAFT_EXEC_MCP_RECORD_H
#define HAFT_EXEC_MCP_RECORD_H

#include "base/buf.h"
#include "json/value.h"

typedef struct haft__mcp_record_format {
    const char *name; /* for messages */
    uint64_t version;
} haft__mcp_record_format;

/* The path of the file for `key` in `directory`. .ptr is NULL when out of memory. */
haft_str haft__mcp_record_path(haft__arena *arena, haft_str directory, haft_str key,
                               const char *ending);

/* Reads the file into `arena`. NOT_FOUND if it does not exist; BAD_INPUT or TOO_BIG if it is
 * damaged or has another version; IO if it cannot be read, or if other users can write it.
 * err->where is the path. */
HAFT_MUST_USE haft_status haft__mcp_record_read(haft__arena *arena, const char *path,
                                                const haft__mcp_record_format *format,
                                                haft__hash_key hash_key, haft__json *ret_record,
                                                haft_error *err);

/* Parses a copy of the text that will be written, so that memory and file have the same content. */
HAFT_MUST_USE haft_status haft__mcp_record_copy(haft__arena *arena, const haft__buf *text,
                                                const haft__mcp_record_format *format,
                                                haft__hash_key hash_key, haft__json *ret_record,
                                                haft_error *err);

/* The error for a record of another version, or without a required member. */
haft_status haft__mcp_record_fail(const haft__mcp_record_format *format, haft_error *err);

#endif
