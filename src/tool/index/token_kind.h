/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/token_kind.h - the kind of a token in a query, such as a URL or a file name. */
#ifndef HAFT_TOOL_INDEX_TOKEN_KIND_H
#define HAFT_TOOL_INDEX_TOKEN_KIND_H

#include "haft.h"

/* Words for the kind, separated by spaces: "url" for https://example.com/, "file" for out.md; ""
 * for an ordinary word. */
haft_str haft__search_token_kind(haft_str token);

#endif
