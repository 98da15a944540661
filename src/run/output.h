/* SPDX-License-Identifier: Apache-2.0 */
/* run/output.h - checks the result of a tool against its output_schema. */
#ifndef HAFT_RUN_OUTPUT_H
#define HAFT_RUN_OUTPUT_H

#include "base/buf.h"
#include "tool/tool.h"

/* Whether this module checks the results that the tool returns. mcp/client/content.h checks the
 * results of MCP servers. */
bool haft__output_is_checked(const haft__tool *tool);

/* Checks the text that a tool returned, which must be JSON. If it does not match the schema,
 * appends an explanation for the model to `why`: the value that was found and the value that was
 * expected. `secret`: the text contains a secret, so `why` quotes no part of it. Fails only when
 * out of memory. */
HAFT_MUST_USE haft_status haft__output_check_text(const haft__tool *tool, haft_str text,
                                                  bool secret, haft__checker *checker,
                                                  haft__arena *arena, haft__hash_key hash_key,
                                                  haft__buf *why, haft_error *err);

/* Like haft__output_check_text, for a result from a client or a person. Also checks results for
 * tools of MCP servers. */
HAFT_MUST_USE haft_status haft__output_check_given(const haft__tool *tool, haft__json value,
                                                   haft__checker *checker, haft__arena *arena,
                                                   haft__hash_key hash_key, haft__buf *why,
                                                   haft_error *err);

#endif
