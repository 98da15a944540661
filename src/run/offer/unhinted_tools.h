/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/unhinted_tools.h - finds tools of a server that do not say whether they are destructive
 * and that no approval covers. Such a tool may delete things, and it runs without asking.
 */
#ifndef HAFT_RUN_OFFER_UNHINTED_TOOLS_H
#define HAFT_RUN_OFFER_UNHINTED_TOOLS_H

#include "base/buf.h"
#include "run/offer/reveal.h"
#include "spec/spec.h"

/* Appends the names of these tools, with ", " between them. Appends nothing if the spec has turned
 * the approval of destructive tools off. A tool with destructiveHint, or with readOnlyHint: true,
 * has said what it is. Returns how many there are. */
size_t haft__unhinted_tools_add(haft__buf *buf, const haft__spec *spec,
                                const haft__mcp_listing *listing);

#endif
