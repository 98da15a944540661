/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/token_kind.h - what a token of a query is, where its letters do not say it. */
#ifndef HAFT_TOOL_INDEX_TOKEN_KIND_H
#define HAFT_TOOL_INDEX_TOKEN_KIND_H

#include "haft.h"

/* Words for it, with a space between: "url" for https://example.com/, "file" for out.md;
 * "" for a word like others. */
haft_str haft__search_token_kind(haft_str token);

#endif
