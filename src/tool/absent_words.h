/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/absent_words.h - finds the options of a command that would lose their value, because a word
 * that consists of an argument is left out if the call has no such argument.
 *
 * `[rg, -e, "{t}", --, "{u}"]` without t must not become `rg -e -- u`: -e would take "--" as its
 * value, and u could be an option.
 */
#ifndef HAFT_TOOL_ABSENT_WORDS_H
#define HAFT_TOOL_ABSENT_WORDS_H

#include "tool/command_words.h"

/* Sets `absence` of all words. The caller must have set their other members. */
void haft__absent_words_judge(haft__command_words *words);

#endif
