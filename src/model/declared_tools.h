/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/declared_tools.h - the tools of requests as JSON text, separated by commas.
 *
 * A provider writes one tool. The text is kept and only grows: each tool is written once for many
 * requests, and requests begin with the same bytes. Runs of one agent share the text.
 */
#ifndef HAFT_MODEL_DECLARED_TOOLS_H
#define HAFT_MODEL_DECLARED_TOOLS_H

#include "model/model.h"

/* The member of a deferred tool. */
#define HAFT__DEFER_LOADING "defer_loading"

/* Appends one tool in the provider's wire format: an object with members. */
typedef void haft__tool_writer(haft__buf *buf, const haft__tool *tool);

/* Heap memory, freed by finish. */
typedef struct haft__declared_tools {
    haft__buf text;
    struct haft__declared_tool *items; /* the tools, each with the end of its text */
    size_t count, capacity;
    haft__tool_writer *write; /* that wrote them */
} haft__declared_tools;

void haft__declared_tools_init(haft__declared_tools *tools);

/* Frees the text; the object can be used again. */
void haft__declared_tools_finish(haft__declared_tools *tools);

/* Whether a request can use the text that other runs share: `write` wrote it, its tools begin with
 * those of the text (or the other way round), and none is from an MCP server, because those belong
 * to the run and are freed with it. NULL is fine. */
bool haft__declared_tools_can_share(const haft__declared_tools *shared,
                                    const haft__request *request, haft__tool_writer *write);

/* Adds the missing tools of the request. Tools that do not match, or that another function wrote,
 * are dropped first, which invalidates the provider's cache. If it fails, the text is empty. */
HAFT_MUST_USE haft_status haft__declared_tools_sync(haft__declared_tools *tools,
                                                    const haft__request *request,
                                                    haft__tool_writer *write, haft_error *err);

/* The text of the first `count` tools, which must have been added; borrowed, and empty for 0. */
haft_str haft__declared_tools_text(const haft__declared_tools *tools, size_t count);

#endif
