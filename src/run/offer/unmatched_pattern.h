/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/unmatched_pattern.h - finds patterns of a spec that name tools of a server and match
 * none of them, and conditions on an argument that none of the tools has. Without this warning, a
 * tool that the spec intends to deny, or to run only with approval, would run freely.
 */
#ifndef HAFT_RUN_OFFER_UNMATCHED_PATTERN_H
#define HAFT_RUN_OFFER_UNMATCHED_PATTERN_H

#include "base/buf.h"
#include "run/offer/reveal.h"
#include "spec/spec.h"

/* Appends a warning about the first pattern of mcp.allow, mcp.deny or approvals that names this
 * server and matches no tool. Appends nothing if all match, or if the server has listed no
 * tools. */
void haft__unmatched_pattern_warn(haft__buf *buf, const haft__spec *spec,
                                  const haft__mcp_listing *listing);

#endif
