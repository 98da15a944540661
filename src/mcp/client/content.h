/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/content.h - the result of a tool call for a model and for a program.
 *
 * A model gets text: text blocks as they are, links and resources by their address, images and
 * audio as a note with type and size; their bytes are returned as blobs. Base64 is never part of a
 * prompt. A program gets structuredContent, which must conform to the tool's outputSchema.
 */
#ifndef HAFT_MCP_CLIENT_CONTENT_H
#define HAFT_MCP_CLIENT_CONTENT_H

#include "base/arena.h"
#include "json/value.h"

/* The bytes of an image, audio or resource. */
typedef struct haft__mcp_blob {
    haft_str bytes;
    haft_str media_type; /* as the server declares it; may be "" */
} haft__mcp_blob;

typedef struct haft__mcp_content {
    haft_str text;               /* for a model; may be "" */
    bool failed;                 /* isError: the tool ran and reports a failure */
    bool has_value;              /* structuredContent exists */
    haft__json value;            /* structuredContent */
    const haft__mcp_blob *blobs; /* of valid base64 only, in the order of the notes */
    size_t blob_count;
    bool json; /* `text` is `value` as JSON: the blocks had no other content */
} haft__mcp_content;

/* Reads a result of tools/call. `output_schema` may be null; a successful result must conform to
 * it. `exact` is null, or the result before redaction: it is validated against the schema, and no
 * message contains any of it. The output points into `arena` or the memory of `result`. BAD_INPUT
 * if the result violates MCP or the schema; err->where is a JSON Pointer into the result. Blocks
 * above HAFT__LIMIT_MCP_BLOCKS are only counted, and text above HAFT__LIMIT_TOOL_RESULT_BYTES is
 * cut, both with a note. */
HAFT_MUST_USE haft_status haft__mcp_content_read(haft__arena *arena, haft__json result,
                                                 haft__json exact, haft__json output_schema,
                                                 haft__hash_key hash_key,
                                                 haft__mcp_content *ret_content, haft_error *err);

#endif
