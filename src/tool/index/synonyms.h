/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/synonyms.h - words that tools and their users have for the same thing. */
#ifndef HAFT_TOOL_INDEX_SYNONYMS_H
#define HAFT_TOOL_INDEX_SYNONYMS_H

#include "haft.h"

/* The words alike, by spaces, the stem itself among them: "directori folder dir". Empty when there
 * are none; a stem may stand in several rows: *at starts as 0, and is where to go on. */
haft_str haft__search_synonyms(haft_str stem, size_t *at);

#endif
