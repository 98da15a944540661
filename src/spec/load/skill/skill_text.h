/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/skill/skill_text.h - the text of a SKILL.md: front matter in YAML, then a body. */
#ifndef HAFT_SPEC_LOAD_SKILL_SKILL_TEXT_H
#define HAFT_SPEC_LOAD_SKILL_SKILL_TEXT_H

#include "spec/load/document/problem.h"
#include "json/value.h"

typedef struct haft__skill_text {
    haft_str name, description; /* in the arena */
    haft__json allowed;         /* the names of `allowed-tools` in lowercase; null without it */
} haft__skill_text;

/* Splits a SKILL.md. False if it does not begin with a front matter between two lines "---". */
bool haft__skill_text_split(haft_str text, haft_str *ret_front, haft_str *ret_body);

/* Reads and checks a SKILL.md. `directory` is the name of its folder, which must be its name.
 * Problems have their line and column in SKILL.md; after an error *ret_text is not usable. Fails
 * only when out of memory. */
HAFT_MUST_USE haft_status haft__skill_text_read(haft__arena *arena, haft_str text,
                                                haft_str directory, haft__hash_key hash_key,
                                                haft__spec_problems *problems,
                                                haft__skill_text *ret_text, haft_error *err);

#endif
