/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/event_words.h - values of events in plain words. An unknown value stays as it is. */
#ifndef HAFT_CLI_TIMELINE_EVENT_WORDS_H
#define HAFT_CLI_TIMELINE_EVENT_WORDS_H

#include "base/buf.h"
#include "run/event.h"

/* How a reply broke the choice (`came` of `violation`): "it was empty". */
haft_str haft__event_words_violation(haft_str came);

/* The decision about a pending call (`verdict` of `answered`): "approved". */
haft_str haft__event_words_verdict(haft_str verdict);

/* The nodes of a step of a graph: "archive, press", workers counted: "worker x3". */
void haft__event_words_nodes(haft__buf *buf, const haft__event *event);

#endif
