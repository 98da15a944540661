/* SPDX-License-Identifier: Apache-2.0 */
/* tool/search_short.h - what people and programmers write short. */
#ifndef HAFT_TOOL_SEARCH_SHORT_H
#define HAFT_TOOL_SEARCH_SHORT_H

#include "haft.h"

/* The word that `stem` is short for, or two of them with a space between; "" when it is not. */
haft_str haft__search_abbreviation(haft_str stem);

#endif
