/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/abbreviations.h - what people and programmers write short. */
#ifndef HAFT_TOOL_INDEX_ABBREVIATIONS_H
#define HAFT_TOOL_INDEX_ABBREVIATIONS_H

#include "haft.h"

/* The word that `stem` is short for, or two of them with a space between; "" when it is not. */
haft_str haft__search_abbreviation(haft_str stem);

#endif
