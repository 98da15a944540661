/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/absent_words.h - how a command reads its words when an argument of one is missing.
 *
 * `[rg, -e, "{t}", --, "{u}"]` without t must not become `rg -e -- u`: -e would take "--" as its
 * value, and u could be an option.
 */
#ifndef HAFT_TOOL_ABSENT_WORDS_H
#define HAFT_TOOL_ABSENT_WORDS_H

#include "tool/command_words.h"

/* Sets `absence` of all words. Their other members are set. */
void haft__absent_words_judge(haft__command_words *words);

#endif
