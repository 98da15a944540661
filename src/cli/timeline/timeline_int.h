/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/timeline_int.h - shared by the files of cli/timeline/timeline.h: fields of events,
 * and lines. */
#ifndef HAFT_CLI_TIMELINE_TIMELINE_INT_H
#define HAFT_CLI_TIMELINE_TIMELINE_INT_H

#include "cli/timeline/timeline.h"

/* ---- fields: empty or 0 if missing ---- */

haft_str haft__timeline_event_text(const haft__event *event, const char *key);
uint64_t haft__timeline_event_number(const haft__event *event, const char *key);
haft__json haft__timeline_event_array(const haft__event *event, const char *key); /* an array */
haft_str haft__timeline_event_error(const haft__event *event);

/* The reason why a paused call waits: "approval", "a decision about its unknown outcome". */
haft_str haft__timeline_pause_words(const haft__event *event);

/* "slow x: the call took longer than ...", in the arena of the timeline; "" if the event has no
 * reason. */
haft_str haft__timeline_unknown_reason(haft__timeline *t, const haft__event *event);

/* Why a call was refused, without the part that its line already says. */
haft_str haft__timeline_event_refusal(const haft__event *event);

/* Whether a person rejected the call, and the reason that they gave, or "". */
bool haft__timeline_event_is_rejection(const haft__event *event, haft_str *ret_reason);

/* The cost of a run from its last event; "" if it is 0 or unknown. */
haft_str haft__timeline_total_cost(const haft__event *event);

/* A field as JSON, in the arena of the timeline. */
haft_str haft__timeline_event_json(haft__timeline *t, const haft__event *event, const char *key);

/* A number of an object in a field, such as usage.input_tokens. */
uint64_t haft__timeline_nested_number(const haft__event *event, const char *key, const char *part);

/* The cost of a reply, in millionths of a dollar. */
uint64_t haft__timeline_reply_cost(const haft__timeline *t, const haft__event *reply);

/* The mode of a turn in words, in the arena of the timeline. */
haft_str haft__timeline_choice(haft__timeline *t, const haft__event *turn);

/* "enough tools used (3 of 3): a, b, c", in the arena of the timeline. */
haft_str haft__timeline_gate(haft__timeline *t, const haft__event *event);

/* Appends "9 tools, 2 shown to the model (at most 2)", unless `buf` is NULL. False if there were
 * none. */
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

/* The symbol, or its ASCII form on a terminal without symbols. */
haft_str haft__symbol_text(const haft__timeline *t, haft__symbol which);

typedef struct haft__timeline_line {
    haft__timeline *t;
    size_t left; /* columns */
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

/* Adds a text of haft, if all of it fits. */
void haft__timeline_line_add(haft__timeline_line *l, haft__style s, haft_str text);
void haft__timeline_line_add_text(haft__timeline_line *l, haft__style s, const char *text);

/* Adds a text from outside, cut to the remaining columns minus `reserved`. */
void haft__timeline_line_add_cut(haft__timeline_line *l, haft__style s, haft_str text,
                                 size_t reserved);

/* Adds a text from outside that is never cut, and ends the line: a text that is too long for this
 * line continues on the next ones. */
void haft__timeline_line_end_wrapped(haft__timeline_line *l, haft__style s, haft_str text);

/* The blanks at the beginning of a line that a program wrote. */
haft_str haft__timeline_indent(haft_str line);

/* Maximum bytes of the buffer that collects amounts, separated by dots. */
#define HAFT__TIMELINE_DETAILS_BYTES 256
void haft__timeline_add_separator(const haft__timeline *t, haft__buf *details);

/* Adds the collected details, dim, and frees the buffer. */
void haft__timeline_line_add_details(haft__timeline_line *l, haft__buf *details);

/* ---- plain and live ---- */

void haft__timeline_add_plain(haft__timeline *t, const haft__event *event);
void haft__timeline_add_live(haft__timeline *t, const haft__event *event);

/* ---- calls ---- */

struct haft__timeline_call {
    haft__timeline_call *next;
    haft_str id, tool, arguments; /* `arguments`: as they are shown */
    uint64_t since_ms;
    bool running;
};

/* Records that a call has started, and that it no longer runs. A call that was not recorded, or is
 * unknown, has the fields of the event. */
void haft__timeline_note_started(haft__timeline *t, const haft__event *event);
haft__timeline_call haft__timeline_note_stopped(haft__timeline *t, const haft__event *event);
void haft__timeline_note_paused(haft__timeline *t, const haft__event *event);
void haft__timeline_forget_calls(haft__timeline *t);

/* The arguments of a call as they are shown: the main one; all of them as JSON if verbose. */
haft_str haft__timeline_arguments(haft__timeline *t, const haft__event *event);

/* Live: the line of a finished call. */
void haft__timeline_call_finished(haft__timeline *t, const haft__event *event);

/* Adds the tool and the arguments of a call, and its id if verbose. Cuts them to the remaining
 * columns minus `reserved`. */
void haft__timeline_line_add_call(haft__timeline_line *l, const haft__timeline_call *call,
                                  size_t reserved);

/* Live: a piece of the reply. */
void haft__timeline_add_reply(haft__timeline *t, haft__reply_part reply_part, haft_str text);

/* Whether the part of the reply that is being shown is rendered as Markdown. */
bool haft__timeline_renders(const haft__timeline *t);

/* The number of running calls; whether this call runs and no other. */
size_t haft__timeline_count_running(const haft__timeline *t);
bool haft__timeline_runs_alone(const haft__timeline *t, haft_str id);

/* The tool of a call of this turn; "" if the call is not known. */
haft_str haft__timeline_call_tool(const haft__timeline *t, haft_str id);

/* Live: draws or redraws the open line for this time. */
void haft__timeline_redraw_line(haft__timeline *t, uint64_t now_ms);

#endif
