/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/unmatched_pattern.h - patterns of a spec that are about tools of a server and match
 * none of them, and conditions about an argument that none of them has: what was meant to be
 * denied, or asked about, would go on without a word.
 */
#ifndef HAFT_RUN_OFFER_UNMATCHED_PATTERN_H
#define HAFT_RUN_OFFER_UNMATCHED_PATTERN_H

#include "base/buf.h"
#include "run/offer/reveal.h"
#include "spec/spec.h"

/* Appends a warning of the first of these that names this server, of mcp.allow, mcp.deny or
 * approvals; nothing when there is none, or the server has listed nothing. */
void haft__unmatched_pattern_warn(haft__buf *buf, const haft__spec *spec,
                                  const haft__mcp_listing *listing);

#endif
