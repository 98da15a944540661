/* SPDX-License-Identifier: Apache-2.0 */
/* tool/vague.h - descriptions that tell a model too little; `haft check` warns of them. */
#ifndef HAFT_TOOL_VAGUE_H
#define HAFT_TOOL_VAGUE_H

#include "haft.h"

typedef enum haft__vague {
    HAFT__VAGUE_NOT,
    HAFT__VAGUE_SHORT,  /* a word or two */
    HAFT__VAGUE_FILLER, /* "stuff", "various things", and next to nothing else */
    HAFT__VAGUE_EMPTY,  /* says that it does something, but not to what */
    HAFT__VAGUE_ECHO,   /* only says the tool's name again */
} haft__vague;

/* A guess, for warnings only: it knows English, and lets everything else pass unless it is very
 * short. Linear time. */
haft__vague haft__vague_look(haft_str name, haft_str description);

/* One sentence for people about it; "" for HAFT__VAGUE_NOT. */
const char *haft__vague_text(haft__vague vague);

#endif
