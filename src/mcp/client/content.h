/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/content.h - the result of a tool call as a model and a program see it.
 *
 * A model reads text: blocks of text as they are, one after the other, links and resources by their
 * address, pictures and sounds as a note of what they are and how big. Base64 never gets into a
 * prompt. A program reads structuredContent, which must be what the tool's outputSchema says.
 */
#ifndef HAFT_MCP_CLIENT_CONTENT_H
#define HAFT_MCP_CLIENT_CONTENT_H

#include "base/arena.h"
#include "json/value.h"

typedef struct haft__mcp_content {
    haft_str text;    /* for a model; may be "" */
    bool failed;      /* isError: the tool ran and says that it failed */
    bool has_value;   /* structuredContent is there */
    haft__json value; /* ... and this is it */
    bool json;        /* `text` is `value` as JSON: the blocks said nothing else */
} haft__mcp_content;

/* Reads a result of tools/call. `output_schema` may be null; a result that is no failure must
 * conform to it. `exact` is null, or the result before secrets were taken out of it: that is what
 * is held against the schema, and nothing of it is told. What it points to lives in `arena` or
 * where `result` does. BAD_INPUT when the result is not what MCP or the schema says: err->where is
 * a JSON Pointer into the result. Of more than HAFT__LIMIT_MCP_BLOCKS blocks the rest is counted
 * only, and of more than HAFT__LIMIT_TOOL_RESULT_BYTES of text the rest is cut, both with a note.
 */
HAFT_MUST_USE haft_status haft__mcp_content_read(haft__arena *arena, haft__json result,
                                                 haft__json exact, haft__json output_schema,
                                                 haft__hash_key hash_key,
                                                 haft__mcp_content *ret_content, haft_error *err);

#endif
