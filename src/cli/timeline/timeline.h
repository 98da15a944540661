/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/timeline/timeline.h - shows the events of a run as lines while they happen.
 *
 * The caller passes in events, and writes and empties `out`. Plain output has a line for each
 * event; a call has one line, when it has finished. On a live terminal (caps.live) text streams,
 * and an open line shows the calls or the request in progress. The open line is redrawn; lines
 * above it never change. docs/terminal.md describes both forms.
 */
#ifndef HAFT_CLI_TIMELINE_TIMELINE_H
#define HAFT_CLI_TIMELINE_TIMELINE_H

#include "cli/terminal/markdown.h"
#include "cli/terminal/terminal_caps.h"
#include "cli/terminal/word_wrap.h"
#include "run/event.h"
#include "spec/spec.h"

/* Maximum width of the reason of a failure on a plain line: more than the error of any event
 * needs. */
#define HAFT__REASON_COLUMNS 100000

/* The content of the open line, the last line, which has no line feed yet. */
typedef enum haft__open_line {
    HAFT__OPEN_LINE_NONE,
    HAFT__OPEN_LINE_CALLS, /* the running calls */
    HAFT__OPEN_LINE_MODEL, /* waiting for the model */
} haft__open_line;

/* The part of the reply that is streaming. */
typedef enum haft__reply_part {
    HAFT__REPLY_PART_NONE,
    HAFT__REPLY_PART_REASONING,
    HAFT__REPLY_PART_TEXT,
} haft__reply_part;

/* A call of the current turn that has started. */
typedef struct haft__timeline_call haft__timeline_call;

typedef struct haft__timeline {
    haft__terminal_caps caps; /* its width may change between two events */
    const haft__spec *spec;
    bool brief;      /* live: no heading and no lines of turns; the id is in the last line */
    bool lines_only; /* live: no open line, because the caller shows other text below these lines */
    bool asks;       /* live: a prompt, which shows the call, follows each pause for a person */
    bool verbose;    /* shows the ids and arguments of calls, the usage of replies, and reasons of
                        choices; set it before the first event */
    haft__buf out;   /* output for the caller to write */

    /* private */
    haft__arena arena; /* of the current event */
    uint64_t started_ms;
    const haft__spec *active; /* spec of the present agent, with its present model */
    haft__price price;        /* of the present model */
    haft__buf prices;         /* prices that the run recorded, as JSON */
    char agent[128];          /* name of the present agent, shortened; "" before a handoff */
    haft__arena call_arena;   /* of the calls of the current turn */
    haft__timeline_call *calls;
    haft__open_line open;
    uint64_t open_since_ms;
    uint64_t open_seconds;   /* the elapsed seconds that the open line shows */
    haft__buf progress;      /* progress text of the only running call */
    bool waiting_for_model;  /* since open_since_ms */
    bool reply_started;      /* a part of the reply has been shown */
    bool replied;            /* the whole reply has arrived; later progress events are ignored */
    haft__word_wrap wrap;    /* for reasoning; also for text on a terminal without colours */
    haft__markdown markdown; /* for text */
    haft__reply_part reply_part;
    haft__buf reply_text; /* the text of the reply that was shown */
    bool failure_shown;   /* the last event of the model was a failure, and its reason was shown */
    bool answer_shown;    /* the text that was shown last is the answer of the run */
} haft__timeline;

/* `spec` must outlive the timeline. */
void haft__timeline_init(haft__timeline *timeline, const haft__spec *spec,
                         haft__terminal_caps caps);
void haft__timeline_finish(haft__timeline *timeline);

/* Prints the heading of a run that began earlier (live only). */
void haft__timeline_resume(haft__timeline *timeline, haft_str run, haft_str task);

/* Shows one event or progress event, given as its JSON line. */
void haft__timeline_add_event(haft__timeline *timeline, haft_str line);

/* Shows the lines of a child run, each after `prefix`. */
void haft__timeline_add_nested(haft__timeline *timeline, haft_str prefix, haft_str lines);

/* Updates the elapsed time of the open line. */
void haft__timeline_tick(haft__timeline *timeline, uint64_t now_ms);

/* Returns the milliseconds until the next tick; -1 if no tick is needed. */
int haft__timeline_next_tick_ms(const haft__timeline *timeline);

/* Ends streamed text and removes the open line before other output. The next event or tick draws
 * the open line again. */
void haft__timeline_end_line(haft__timeline *timeline);

/* Shows a line for each call that still runs, at the end of a timeline (live only). */
void haft__timeline_add_running(haft__timeline *timeline);

#endif
