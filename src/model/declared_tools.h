/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/declared_tools.h - the tools of requests as JSON text, with commas between them.
 *
 * A provider writes one tool; the text is kept and only grows, so that each tool is written once
 * for many requests, and requests begin with the same bytes. Runs of one agent share it.
 */
#ifndef HAFT_MODEL_DECLARED_TOOLS_H
#define HAFT_MODEL_DECLARED_TOOLS_H

#include "model/model.h"

/* Heap memory, freed by finish. */
typedef struct haft__declared_tools {
    haft__buf text;
    struct haft__declared_tool *items; /* each tool, and where its text ends */
    size_t count, capacity;
} haft__declared_tools;

/* Appends one tool in the shape of a provider. */
typedef void haft__tool_writer(haft__buf *buf, const haft__tool *tool);

void haft__declared_tools_init(haft__declared_tools *tools);

/* Frees the text; the object can be used again. */
void haft__declared_tools_finish(haft__declared_tools *tools);

/* Whether a request can use a text that other runs use, too: its tools begin like those of the
 * text, and none is of an MCP server. Those belong to the run and are freed with it. NULL is fine.
 */
bool haft__declared_tools_can_share(const haft__declared_tools *shared,
                                    const haft__request *request);

/* Adds the tools of the request that are missing. Tools that do not match are dropped first, which
 * breaks the provider's cache. If it fails, the text is empty. */
HAFT_MUST_USE haft_status haft__declared_tools_sync(haft__declared_tools *tools,
                                                    const haft__request *request,
                                                    haft__tool_writer *write, haft_error *err);

/* The text of the first `count` tools, which must be there; borrowed. */
haft_str haft__declared_tools_text(const haft__declared_tools *tools, size_t count);

#endif
