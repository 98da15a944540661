/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/event_words.h - describes values of events in words. An unknown value is returned
 * unchanged. */
#ifndef HAFT_CLI_TIMELINE_EVENT_WORDS_H
#define HAFT_CLI_TIMELINE_EVENT_WORDS_H

#include "base/buf.h"
#include "run/event.h"

/* Describes how a reply broke the choice (`came` of the event `violation`): "it was empty". */
haft_str haft__event_words_violation(haft_str violation);

/* Describes the decision about a pending call (`verdict` of the event `answered`): "approved". */
haft_str haft__event_words_verdict(haft_str verdict);

/* Appends the parts that `context_changed` shortened, with the bar of the next request: "cleared
 * 12 observations: [####------] 6.2k of 12k tokens (13.1k before)". */
void haft__event_words_context(haft__buf *buf, const haft__event *event, bool unicode);

/* Appends the context of a reply as a bar. Returns false, and appends nothing, if its size is
 * unknown. */
bool haft__event_words_context_of_reply(haft__buf *buf, const haft__event *event, bool unicode);

/* Appends the nodes of a step of a graph: "archive, press". Several tasks of a node are counted:
 * "worker x3". */
void haft__event_words_nodes(haft__buf *buf, const haft__event *event);

/* Whether the intervention changed nothing: a hook allowed a call. */
bool haft__event_words_is_quiet(const haft__event *event);

/* The mark of the state of a step in a todo list: "[x]", "[>]" or "[ ]". */
const char *haft__event_words_todo(haft_str status);

/* The list that a call_started of write_todos writes; empty for any other event. */
haft__json haft__event_words_todos(const haft__event *event);

#endif
