/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/timeline_int.h - what the files of cli/terminal/timeline.h share: fields of events,
 * and lines. */
#ifndef HAFT_CLI_TERMINAL_TIMELINE_INT_H
#define HAFT_CLI_TERMINAL_TIMELINE_INT_H

#include "cli/terminal/timeline.h"

/* ---- fields: empty or 0 when they are missing ---- */

haft_str haft__timeline_event_text(const haft__event *event, const char *key);
uint64_t haft__timeline_event_number(const haft__event *event, const char *key);
haft__json haft__timeline_event_array(const haft__event *event, const char *key); /* an array */
haft_str haft__timeline_event_error(const haft__event *event);

/* Why a call was refused, without what its line says anyway. */
haft_str haft__timeline_event_refusal(const haft__event *event);

/* The cost of a run as it stands in its last event; "" when it is nothing, or not known. */
haft_str haft__timeline_total_cost(const haft__timeline *t, const haft__event *event);

/* A field as JSON, in the arena of the timeline. */
haft_str haft__timeline_event_json(haft__timeline *t, const haft__event *event, const char *key);

/* A number of an object in a field, usage.input_tokens for instance. */
uint64_t haft__timeline_nested_number(const haft__event *event, const char *key, const char *part);

/* What a reply cost, in millionths of a dollar. */
uint64_t haft__timeline_reply_cost(const haft__timeline *t, const haft__event *reply);

/* "gate 1/3", appended; whether there is a gate. */
bool haft__timeline_add_gate(haft__buf *buf, const haft__event *turn);

/* "9 tools, 2 shown (at most 2)", appended unless `buf` is NULL; whether there were any. */
bool haft__timeline_add_revealed(const haft__event *reveal, haft__buf *buf);

/* ---- lines of a terminal ---- */

/* The colours are those that can be read on light and on dark. */
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

/* The symbol, or its ASCII where there are none. */
haft_str haft__symbol_text(const haft__timeline *t, haft__symbol which);

typedef struct haft__timeline_line {
    haft__timeline *t;
    size_t left; /* columns */
} haft__timeline_line;

void haft__style_begin(const haft__timeline_line *l, haft__style s);
void haft__style_end(const haft__timeline_line *l, haft__style s);

/* The cursor goes to the beginning of a line: an open one ends, or goes. */
void haft__timeline_line_close(haft__timeline *t);
haft__timeline_line haft__timeline_line_begin(haft__timeline *t);

/* A line of what happens in a turn: it begins with a symbol. */
haft__timeline_line haft__timeline_line_begin_item(haft__timeline *t, haft__symbol which,
                                                   haft__style s);
void haft__timeline_line_end(const haft__timeline_line *l);

/* A text of ours; all of it or nothing. */
void haft__timeline_line_add(haft__timeline_line *l, haft__style s, haft_str text);
void haft__timeline_line_add_text(haft__timeline_line *l, haft__style s, const char *text);

/* A text from outside, cut to what is left, less what `reserved` columns are for. */
void haft__timeline_line_add_cut(haft__timeline_line *l, haft__style s, haft_str text,
                                 size_t reserved);

/* Amounts are gathered in a buffer of at most so many bytes, with a dot between two. */
#define HAFT__TIMELINE_DETAILS_BYTES 256
void haft__timeline_add_separator(const haft__timeline *t, haft__buf *small);

/* Puts what was gathered, dim, and gives the buffer back. */
void haft__timeline_line_add_details(haft__timeline_line *l, haft__buf *small);

/* ---- the two ways ---- */

void haft__timeline_add_plain(haft__timeline *t, const haft__event *event);
void haft__timeline_add_live(haft__timeline *t, const haft__event *event);

/* Live: a call begins, a call is over. */
void haft__timeline_call_started(haft__timeline *t, const haft__event *event);
void haft__timeline_call_finished(haft__timeline *t, const haft__event *event);

/* Its id and name, and its arguments as far as there is room beside `reserved`. */
void haft__timeline_line_add_call(haft__timeline_line *l, haft_str call, haft_str tool,
                                  haft_str arguments, size_t reserved);

/* Live: a piece of the reply. */
void haft__timeline_add_reply(haft__timeline *t, haft__reply_part reply_part, haft_str text);

/* Live: the open line again, as it is at this time. */
void haft__timeline_redraw_line(haft__timeline *t, uint64_t now_ms);

#endif
