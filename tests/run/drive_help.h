/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drive_help.h - drives one run to its end, on the caller's thread, with a scripted model.
 *
 * A minimal host: it decides, performs the effect, and appends the result. Events are kept in
 * memory and passed to a sink when they are appended.
 */
#ifndef HAFT_TESTS_DRIVE_HELP_H
#define HAFT_TESTS_DRIVE_HELP_H

#include "model/script/script.h"
#include "run/decide/decide.h"

/* Gets each event, one JSON object without a line end. False stops the drive. */
typedef bool haft__drive_sink(void *context, haft_str line);

/* The current time: the host's clock, or a test's. */
typedef uint64_t haft__drive_clock(void *context);

/* Advances the time by the duration of a scripted reply. */
typedef void haft__drive_wait(void *context, uint64_t ms);

typedef struct haft__drive_options {
    haft__script *script;
    haft__drive_sink *sink; /* may be NULL */
    void *sink_context;
    haft__drive_clock *clock;
    haft__drive_wait *wait; /* NULL: replies take no time */
    void *clock_context;    /* of the clock and of `wait` */
    haft__hash_key hash_key;
    const struct haft__mcp_listing *listings; /* the lists of servers */
    size_t listing_count;
    haft_str asks; /* the tool that asks before it answers; "" for none */
    bool durable;  /* ... and can be answered by another process */
    /* Gets each request to the model; may be NULL. */
    void (*on_request)(void *context, const haft__request *request);
    void *request_context;
    const struct haft__redactor *redactor; /* secrets that must not be logged; NULL: none */
} haft__drive_options;

typedef struct haft__drive {
    haft__run run;
    haft__decider decider;
    haft__drive_options options;
    haft__arena scratch;
    haft__buf line, body;
} haft__drive;

/* The run lives in `arena`. Must be finished even if this fails. */
HAFT_MUST_USE haft_status haft__drive_init(haft__drive *drive, haft__arena *arena,
                                           const haft__spec *spec,
                                           const haft__drive_options *options, haft_error *err);
void haft__drive_finish(haft__drive *drive);

/* Starts a run. `id` and `thread` are made by the host. */
HAFT_MUST_USE haft_status haft__drive_start(haft__drive *drive, haft_str id, haft_str thread,
                                            haft_str task, haft_error *err);

/* Continues until the run has ended or is paused. */
HAFT_MUST_USE haft_status haft__drive_on(haft__drive *drive, haft_error *err);

/* Appends an external input, for example an answer; haft__drive_on then continues. */
HAFT_MUST_USE haft_status haft__drive_append(haft__drive *drive, haft_str body, haft_error *err);

#endif
