/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/timeline.h - what happens in a run, told in lines while it happens.
 *
 * Events in, text out, and nothing else: whoever uses it writes `out` where it belongs and empties
 * it. Plain lines are one an event. On a terminal (look.live) text streams, and what is under way
 * may stand on an open line that is written again; nothing above that line is ever touched.
 * docs/terminal.md describes both.
 */
#ifndef HAFT_CLI_TERMINAL_TIMELINE_H
#define HAFT_CLI_TERMINAL_TIMELINE_H

#include "cli/terminal/terminal_caps.h"
#include "cli/terminal/word_wrap.h"
#include "run/event.h"
#include "spec/spec.h"

/* Columns that the reason of a failure takes at most: longer than any that haft gives itself. */
#define HAFT__REASON_COLUMNS 1000

/* What stands on the last line, which has no line feed yet. */
typedef enum haft__open_line {
    HAFT__OPEN_LINE_NONE,
    HAFT__OPEN_LINE_CALL,  /* a call that runs: stays */
    HAFT__OPEN_LINE_MODEL, /* that the model is waited for: goes */
} haft__open_line;

/* What of a reply has been shown. */
typedef enum haft__reply_part {
    HAFT__REPLY_PART_NONE,
    HAFT__REPLY_PART_REASONING,
    HAFT__REPLY_PART_TEXT,
} haft__reply_part;

typedef struct haft__timeline {
    haft__terminal_caps caps; /* its width may change between two events */
    const haft__spec *spec;
    haft__buf out; /* what is to be written */

    /* the rest is its own */
    haft__arena arena; /* of the event at hand */
    uint64_t started_ms;
    size_t running; /* calls */
    haft__open_line open;
    uint64_t open_since_ms;
    uint64_t open_seconds; /* as they stand there */
    haft__buf open_call, open_tool, open_arguments, progress;
    bool waiting_for_model; /* the model; since open_since_ms */
    bool reply_started;     /* something of its reply has been shown */
    bool replied;           /* its whole reply has come: what is told of it is late */
    haft__word_wrap wrap;
    haft__reply_part reply_part;
    haft__buf reply_text; /* the text of the reply, as far as it was shown */
    bool answer_shown;    /* the run's answer is the text that was shown last */
} haft__timeline;

/* `spec` must outlive it. */
void haft__timeline_init(haft__timeline *timeline, const haft__spec *spec,
                         haft__terminal_caps caps);
void haft__timeline_finish(haft__timeline *timeline);

/* Heads the timeline of a run that began earlier; live only. */
void haft__timeline_resume(haft__timeline *timeline, haft_str run, haft_str task);

/* Tells one event, or what is only told, given as its JSON line. */
void haft__timeline_add_event(haft__timeline *timeline, haft_str line);

/* Time goes by: says how long what is under way has taken. */
void haft__timeline_tick(haft__timeline *timeline, uint64_t now_ms);

/* How many milliseconds until the next tick is worth it; -1: none is. */
int haft__timeline_next_tick_ms(const haft__timeline *timeline);

/* Ends the open line: somebody else is about to write. */
void haft__timeline_end_line(haft__timeline *timeline);

#endif
