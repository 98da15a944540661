/* SPDX-License-Identifier: Apache-2.0 */
/* run/output.h - checks the result of a tool against its output_schema. */
#ifndef HAFT_RUN_OUTPUT_H
#define HAFT_RUN_OUTPUT_H

#include "base/buf.h"
#include "tool/tool.h"

/* Whether this module checks the results that the tool returns. Those of MCP servers are checked
 * where they are read (mcp/client/content.h). */
bool haft__output_is_checked(const haft__tool *tool);

/* Checks the text that a tool returned, which must be JSON. If it does not match the schema,
 * appends to `why`, for the model, what was found and what was expected; else appends nothing.
 * `secret`: the text contains a secret, and `why` quotes nothing of it. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__output_check_text(const haft__tool *tool, haft_str text,
                                                  bool secret, haft__checker *checker,
                                                  haft__arena *arena, haft__hash_key hash_key,
                                                  haft__buf *why, haft_error *err);

/* The same for a value that a client or a person gives as the result, also of a tool of an MCP
 * server. */
HAFT_MUST_USE haft_status haft__output_check_given(const haft__tool *tool, haft__json value,
                                                   haft__checker *checker, haft__arena *arena,
                                                   haft__hash_key hash_key, haft__buf *why,
                                                   haft_error *err);

#endif
