/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/timeline.h - shows the events of a run as lines while they happen.
 *
 * The caller passes in events, and writes and empties `out`. Plain output is a line for each
 * event. On a live terminal (caps.live) text streams, and a call or request in progress may have an
 * open line that is redrawn; nothing above that line is ever changed. docs/terminal.md describes
 * both.
 */
#ifndef HAFT_CLI_TERMINAL_TIMELINE_H
#define HAFT_CLI_TERMINAL_TIMELINE_H

#include "cli/terminal/markdown.h"
#include "cli/terminal/terminal_caps.h"
#include "cli/terminal/word_wrap.h"
#include "run/event.h"
#include "spec/spec.h"

/* Maximum columns for the reason of a failure: longer than any reason of haft itself. */
#define HAFT__REASON_COLUMNS 1000

/* The content of the last line, which has no line feed yet. */
typedef enum haft__open_line {
    HAFT__OPEN_LINE_NONE,
    HAFT__OPEN_LINE_CALL,  /* a running call: the line stays */
    HAFT__OPEN_LINE_MODEL, /* waiting for the model: the line is removed */
} haft__open_line;

/* The part of a reply that is being shown. */
typedef enum haft__reply_part {
    HAFT__REPLY_PART_NONE,
    HAFT__REPLY_PART_REASONING,
    HAFT__REPLY_PART_TEXT,
} haft__reply_part;

typedef struct haft__timeline {
    haft__terminal_caps caps; /* its width may change between two events */
    const haft__spec *spec;
    bool brief;    /* live: no heading and no lines of turns; the id is in the last line */
    haft__buf out; /* to be written by the caller */

    /* private */
    haft__arena arena; /* of the current event */
    uint64_t started_ms;
    size_t running; /* number of running calls */
    haft__open_line open;
    uint64_t open_since_ms;
    uint64_t open_seconds; /* the elapsed seconds that the line shows */
    haft__buf open_call, open_tool, open_arguments, progress;
    bool waiting_for_model;  /* since open_since_ms */
    bool reply_started;      /* a part of the reply has been shown */
    bool replied;            /* the whole reply has arrived: its progress events are late */
    haft__word_wrap wrap;    /* of reasoning; also of text on a terminal without colours */
    haft__markdown markdown; /* of text */
    haft__reply_part reply_part;
    haft__buf reply_text; /* the text of the reply that was shown */
    bool answer_shown;    /* the answer of the run is the text that was shown last */
} haft__timeline;

/* `spec` must outlive the timeline. */
void haft__timeline_init(haft__timeline *timeline, const haft__spec *spec,
                         haft__terminal_caps caps);
void haft__timeline_finish(haft__timeline *timeline);

/* Live only: prints the heading of a run that began earlier. */
void haft__timeline_resume(haft__timeline *timeline, haft_str run, haft_str task);

/* Shows one event or progress event, given as its JSON line. */
void haft__timeline_add_event(haft__timeline *timeline, haft_str line);

/* Updates the elapsed time of the open line. */
void haft__timeline_tick(haft__timeline *timeline, uint64_t now_ms);

/* Milliseconds until the next tick is useful; -1: never. */
int haft__timeline_next_tick_ms(const haft__timeline *timeline);

/* Ends the open line before other output. */
void haft__timeline_end_line(haft__timeline *timeline);

#endif
