/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/choice_words.h - describes the choice of a turn in words. */
#ifndef HAFT_CLI_TIMELINE_CHOICE_WORDS_H
#define HAFT_CLI_TIMELINE_CHOICE_WORDS_H

#include "base/buf.h"
#include "run/event.h"

/* Appends what the model may do in the turn of this event (turn_started): "must use a tool: 1 of 3
 * done", "must use find", "free to answer", "must answer: last turn (12 of 12)". Appends nothing
 * for an unknown mode. The names of tools are not escaped. */
void haft__choice_words_add(haft__buf *buf, const haft__event *turn);

#endif
