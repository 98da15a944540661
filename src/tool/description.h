/* SPDX-License-Identifier: Apache-2.0 */
/* tool/description.h - finds descriptions that are not informative enough for a model; `haft check`
 * warns about them. */
#ifndef HAFT_TOOL_DESCRIPTION_H
#define HAFT_TOOL_DESCRIPTION_H

#include "haft.h"

typedef enum haft__description_flaw {
    HAFT__DESCRIPTION_OK,
    HAFT__DESCRIPTION_TOO_SHORT,    /* a word or two */
    HAFT__DESCRIPTION_FILLER,       /* "stuff", "various things", and almost no other words */
    HAFT__DESCRIPTION_NO_OBJECT,    /* has a verb without an object */
    HAFT__DESCRIPTION_REPEATS_NAME, /* only repeats the tool's name */
} haft__description_flaw;

/* A heuristic for warnings only. Its words are English; text in other languages passes unless it is
 * very short. Linear time. */
haft__description_flaw haft__description_check(haft_str name, haft_str description);

/* One sentence about the flaw, for people; "" for HAFT__DESCRIPTION_OK. */
const char *haft__description_flaw_text(haft__description_flaw flaw);

#endif
