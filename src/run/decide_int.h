/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide_int.h - what the files of deciding share. Private to src/run. */
#ifndef HAFT_RUN_DECIDE_INT_H
#define HAFT_RUN_DECIDE_INT_H

#include "run/decide.h"
#include "run/offer.h"
#include "json/write.h"

/* One decision being made. */
typedef struct haft__deciding {
    haft__decider *tools;
    const haft__run *run;
    const haft__spec *spec;
    uint64_t now_ms;
    haft__json_writer w; /* writes the body of an event */
    haft__effect *effect;
    haft_error *err;
    bool full; /* as many calls run as may: others wait */
} haft__deciding;

/* Starts the body of an event, and ends it. */
void haft__body_begin(haft__json_writer *w, haft__buf *buf, haft__event_kind kind);
void haft__body_end(haft__json_writer *w, haft__buf *buf);

/* The same for a decision; `commit` says that it is made. */
void haft__deciding_begin(haft__deciding *d, haft__event_kind kind);
haft_status haft__deciding_commit(haft__deciding *d);

/* Fields. An empty text may be written as null. */
void haft__field_text(haft__json_writer *w, const char *key, haft_str text);
void haft__field_text_or_null(haft__json_writer *w, const char *key, haft_str text);
void haft__field_number(haft__json_writer *w, const char *key, uint64_t number);
void haft__field_flag(haft__json_writer *w, const char *key, bool flag);
void haft__field_null(haft__json_writer *w, const char *key);
void haft__field_error(haft__json_writer *w, const haft_error *error); /* NULL: null */
void haft__field_usage(haft__json_writer *w, const haft__run *run);

/* Whether the model sees only the beginning of a result. */
bool haft__result_is_cut(const haft__run *run, haft_str result);

/* Ends the run: decides run_finished. `error` may be NULL. */
haft_status haft__decide_end(haft__deciding *d, haft__end end, haft_str answer, bool forced_final,
                             const char *reason, const haft_error *error);

/* The stages, each deciding one thing. */
haft_status haft__decide_turn(haft__deciding *d);  /* idle: gate, choice, ends between turns */
haft_status haft__decide_reply(haft__deciding *d); /* judging: violation, text, calls */
haft_status haft__decide_calls(haft__deciding *d); /* calling: each call in turn */

/* Whether a control tool's guard lets it run; if not, what is missing is in the decider's text. */
haft_status haft__decide_guard(haft__deciding *d, haft_str tool, bool *ret_passes);

/* Built-ins that need no host: decides the events of a call that has started. */
bool haft__builtin_is_pure(const haft__tool *tool);
haft_status haft__decide_builtin(haft__deciding *d, const haft__run_call *call);

#endif
