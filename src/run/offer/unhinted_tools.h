/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/unhinted_tools.h - finds tools of a server that have no hint whether they are
 * destructive, and that no approval covers. Such a tool may delete data, and it runs without
 * approval.
 */
#ifndef HAFT_RUN_OFFER_UNHINTED_TOOLS_H
#define HAFT_RUN_OFFER_UNHINTED_TOOLS_H

#include "base/buf.h"
#include "run/offer/reveal.h"
#include "spec/spec.h"

/* Appends the names of these tools, with ", " between them, and returns their number. A tool has a
 * hint if it has destructiveHint, or readOnlyHint: true. Appends nothing if the spec has turned off
 * the approval of destructive tools. */
size_t haft__unhinted_tools_add(haft__buf *buf, const haft__spec *spec,
                                const haft__mcp_listing *listing);

#endif
