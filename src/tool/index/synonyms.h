/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/synonyms.h - synonyms in the vocabulary of tools and their users. */
#ifndef HAFT_TOOL_INDEX_SYNONYMS_H
#define HAFT_TOOL_INDEX_SYNONYMS_H

#include "haft.h"

/* A row of synonyms, separated by spaces, that contains the stem: "directori folder dir". Empty if
 * there is no further row. A stem may be in several rows: *at starts as 0 and holds the position of
 * the iteration. */
haft_str haft__search_synonyms(haft_str stem, size_t *at);

#endif
