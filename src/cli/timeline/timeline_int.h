/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/timeline_int.h - shared by the files of the timeline: reads fields of events and
 * writes lines. Private to its folder. */
#ifndef HAFT_CLI_TIMELINE_TIMELINE_INT_H
#define HAFT_CLI_TIMELINE_TIMELINE_INT_H

#include "cli/timeline/timeline.h"

/* ---- fields of events; a missing field is empty or 0 ---- */

haft_str haft__timeline_event_text(const haft__event *event, const char *key);
uint64_t haft__timeline_event_number(const haft__event *event, const char *key);
haft__json haft__timeline_event_array(const haft__event *event, const char *key); /* an array */
haft_str haft__timeline_event_error(const haft__event *event);

/* Returns what a paused call waits for: "approval", "a decision, its outcome is unknown". */
haft_str haft__timeline_pause_words(const haft__event *event);

/* Returns why an outcome is unknown, in the arena of the timeline: "slow x: the call took longer
 * than ..."; "" if the event has no reason. */
haft_str haft__timeline_unknown_reason(haft__timeline *t, const haft__event *event);

/* Returns the reason of a refusal, without the part that the line of the call already has. */
haft_str haft__timeline_event_refusal(const haft__event *event);

/* Whether a person rejected the call. *ret_reason is the person's reason, or "". */
bool haft__timeline_event_is_rejection(const haft__event *event, haft_str *ret_reason);

/* Returns the cost of a run from its last event; "" if it is 0 or unknown. */
haft_str haft__timeline_total_cost(const haft__event *event);

/* Returns a field as JSON, in the arena of the timeline. */
haft_str haft__timeline_event_json(haft__timeline *t, const haft__event *event, const char *key);

/* Returns a number of an object in a field, such as usage.input_tokens. */
uint64_t haft__timeline_nested_number(const haft__event *event, const char *key, const char *part);

/* Returns the cost of a reply, in millionths of a dollar. */
uint64_t haft__timeline_reply_cost(const haft__timeline *t, const haft__event *reply);

/* Describes the mode of a turn in words, in the arena of the timeline. */
haft_str haft__timeline_choice(haft__timeline *t, const haft__event *turn);

/* Returns a text such as "enough tools used (3 of 3): a, b, c", in the arena of the timeline. */
haft_str haft__timeline_gate(haft__timeline *t, const haft__event *event);

/* Appends "9 tools, 2 shown to the model (at most 2)", unless `buf` is NULL. Returns false if the
 * number of tools is 0. */
bool haft__timeline_add_revealed(const haft__event *reveal, haft__buf *buf);

/* ---- lines of a terminal ---- */

/* Colours that are readable on light and dark backgrounds. */
typedef enum haft__style {
    HAFT__STYLE_PLAIN,
    HAFT__STYLE_BOLD,
    HAFT__STYLE_DIM,
    HAFT__STYLE_SUCCESS,
    HAFT__STYLE_ERROR,
    HAFT__STYLE_WARNING,
} haft__style;

typedef enum haft__symbol {
    HAFT__SYMBOL_RUNNING,
    HAFT__SYMBOL_DONE,
    HAFT__SYMBOL_FAILED,
    HAFT__SYMBOL_REJECTED,
    HAFT__SYMBOL_QUESTION,
    HAFT__SYMBOL_WARNING,
    HAFT__SYMBOL_STORED,
    HAFT__SYMBOL_DOT,
    HAFT__SYMBOL_RULE,
    HAFT__SYMBOL_ELLIPSIS,
} haft__symbol;

/* Returns a symbol, or its ASCII form on a terminal without symbols. */
haft_str haft__symbol_text(const haft__timeline *t, haft__symbol which);

typedef struct haft__timeline_line {
    haft__timeline *t;
    size_t left; /* remaining columns */
} haft__timeline_line;

void haft__style_begin(const haft__timeline_line *l, haft__style s);
void haft__style_end(const haft__timeline_line *l, haft__style s);

/* Moves the cursor to the beginning of a line: ends streamed text, removes an open line. */
void haft__timeline_line_close(haft__timeline *t);
haft__timeline_line haft__timeline_line_begin(haft__timeline *t);

/* Begins a line about an event of a turn, with a symbol. */
haft__timeline_line haft__timeline_line_begin_item(haft__timeline *t, haft__symbol which,
                                                   haft__style s);
void haft__timeline_line_end(const haft__timeline_line *l);

/* Adds a fixed text of haft if it fits completely. */
void haft__timeline_line_add(haft__timeline_line *l, haft__style s, haft_str text);
void haft__timeline_line_add_text(haft__timeline_line *l, haft__style s, const char *text);

/* Adds a text that haft did not write: escaped, and shortened to the remaining columns minus
 * `reserved`. */
void haft__timeline_line_add_cut(haft__timeline_line *l, haft__style s, haft_str text,
                                 size_t reserved);

/* Adds a text that haft did not write, escaped and complete, and ends the line. A long text
 * continues on the next lines. */
void haft__timeline_line_end_wrapped(haft__timeline_line *l, haft__style s, haft_str text);

/* Returns the blanks at the beginning of a line of a program's output. */
haft_str haft__timeline_indent(haft_str line);

/* Maximum size of the buffer for details: amounts that are separated by dots. */
#define HAFT__TIMELINE_DETAILS_BYTES 256
void haft__timeline_add_separator(const haft__timeline *t, haft__buf *details);

/* Adds the details, dim, and frees the buffer. */
void haft__timeline_line_add_details(haft__timeline_line *l, haft__buf *details);

/* ---- plain and live ---- */

void haft__timeline_add_plain(haft__timeline *t, const haft__event *event);
void haft__timeline_add_live(haft__timeline *t, const haft__event *event);

/* ---- calls ---- */

struct haft__timeline_call {
    haft__timeline_call *next;
    haft_str id, tool, arguments; /* `arguments`: the text that is shown */
    uint64_t since_ms;
    bool running;
};

/* Record that a call has started, has stopped or was paused. haft__timeline_note_stopped returns
 * the recorded call; if the call was not recorded, the result has the fields of the event. */
void haft__timeline_note_started(haft__timeline *t, const haft__event *event);
haft__timeline_call haft__timeline_note_stopped(haft__timeline *t, const haft__event *event);
void haft__timeline_note_paused(haft__timeline *t, const haft__event *event);
void haft__timeline_forget_calls(haft__timeline *t);

/* Returns the shown text of a call's arguments: the main argument, or if verbose all arguments as
 * JSON. */
haft_str haft__timeline_arguments(haft__timeline *t, const haft__event *event);

/* Shows the line of a finished call (live). */
void haft__timeline_call_finished(haft__timeline *t, const haft__event *event);

/* Adds the tool and the arguments of a call, and its id if verbose. Cuts them to the remaining
 * columns minus `reserved`. */
void haft__timeline_line_add_call(haft__timeline_line *l, const haft__timeline_call *call,
                                  size_t reserved);

/* Shows a piece of the reply (live). */
void haft__timeline_add_reply(haft__timeline *t, haft__reply_part reply_part, haft_str text);

/* Whether the streaming part of the reply is rendered as Markdown. */
bool haft__timeline_renders(const haft__timeline *t);

/* Returns the number of running calls. */
size_t haft__timeline_count_running(const haft__timeline *t);

/* Whether the call is the only running call. */
bool haft__timeline_runs_alone(const haft__timeline *t, haft_str id);

/* Returns the tool of a call of this turn; "" if the call is not known. */
haft_str haft__timeline_call_tool(const haft__timeline *t, haft_str id);

/* Draws or redraws the open line (live). */
void haft__timeline_redraw_line(haft__timeline *t, uint64_t now_ms);

#endif
