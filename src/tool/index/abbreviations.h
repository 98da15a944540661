/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/abbreviations.h - common abbreviations of words. */
#ifndef HAFT_TOOL_INDEX_ABBREVIATIONS_H
#define HAFT_TOOL_INDEX_ABBREVIATIONS_H

#include "haft.h"

/* The word that `stem` abbreviates, or two words separated by a space; "" if it is not an
 * abbreviation. */
haft_str haft__search_abbreviation(haft_str stem);

#endif
