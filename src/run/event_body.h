/* SPDX-License-Identifier: Apache-2.0 */
/* run/event_body.h - writes the body of an event: its kind and its fields, without the envelope. */
#ifndef HAFT_RUN_EVENT_BODY_H
#define HAFT_RUN_EVENT_BODY_H

#include "run/run.h"
#include "json/object.h"

void haft__event_body_begin(haft__json_writer *w, haft__buf *buf, haft__event_kind kind);
void haft__event_body_end(haft__json_writer *w, haft__buf *buf);

/* Write the members `error` (null if NULL) and `usage`. */
void haft__field_error(haft__json_writer *w, const haft_error *error);
void haft__field_usage(haft__json_writer *w, const haft__run *run);

/* Writes the member `node` of a call that a node of a graph makes; nothing for other calls. */
void haft__field_node(haft__json_writer *w, const haft__run_call *call);

/* Writes the members of `intervention` that all of them have. */
void haft__intervention_write(haft__json_writer *w, haft_str name, const char *where, haft_str call,
                              const char *what, haft_str why, bool decided);

/* Writes the member `returns` of call_finished if middleware sees the result before it counts. */
void haft__field_returns(haft__json_writer *w, const haft__run *run, const haft__run_call *call,
                         bool ok);

/* Whether a person made this step of a graph: a change of the state, or a retry after a failure.
 * Such an event is an input and can occur at any time. */
bool haft__event_is_graph_change(const haft__event *event);

#endif
