/* SPDX-License-Identifier: Apache-2.0 */
/* tool/description.h - descriptions that tell a model too little; `haft check` warns of them. */
#ifndef HAFT_TOOL_DESCRIPTION_H
#define HAFT_TOOL_DESCRIPTION_H

#include "haft.h"

typedef enum haft__description_flaw {
    HAFT__DESCRIPTION_OK,
    HAFT__DESCRIPTION_TOO_SHORT,    /* a word or two */
    HAFT__DESCRIPTION_FILLER,       /* "stuff", "various things", and next to nothing else */
    HAFT__DESCRIPTION_NO_OBJECT,    /* says that it does something, but not to what */
    HAFT__DESCRIPTION_REPEATS_NAME, /* only says the tool's name again */
} haft__description_flaw;

/* A guess, for warnings only: it knows English, and lets everything else pass unless it is very
 * short. Linear time. */
haft__description_flaw haft__description_check(haft_str name, haft_str description);

/* One sentence for people about it; "" for HAFT__DESCRIPTION_OK. */
const char *haft__description_flaw_text(haft__description_flaw vague);

#endif
