/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/state.h - the values of a graph's channels, and the reducers that change them.
 *
 * A change has two halves. haft__graph_reduce computes from the writes of one step what changes: a
 * delta for each channel, without changing anything. haft__graph_apply applies a delta. The delta
 * is what the log has, so that the log grows with the change and not with the state.
 */
#ifndef HAFT_GRAPH_STATE_H
#define HAFT_GRAPH_STATE_H

#include "graph/graph.h"

/* The value of one channel, with the memory that it lives in. */
typedef struct haft__graph_value {
    bool present;
    bool written; /* since the run began, input not included */
    haft__json value;
    haft__arena arena;
    size_t live;       /* bytes of the arena after the last compaction */
    size_t size;       /* bytes of the value, at most (haft__graph_size) */
    haft__json *items; /* of append and union: the items, with room to grow */
    size_t capacity;
} haft__graph_value;

/* All channels; an array with one entry for each channel of the graph. */
typedef struct haft__graph_state {
    const haft__graph *graph;
    haft__graph_value *values;
} haft__graph_state;

/* The values are the defaults of the channels. */
HAFT_MUST_USE haft_status haft__graph_state_init(haft__graph_state *state, const haft__graph *graph,
                                                 haft_error *err);
void haft__graph_state_finish(haft__graph_state *state);

/* One write of a node to a channel. */
typedef struct haft__graph_write {
    uint32_t channel;
    uint32_t task;  /* the place of its writer in the step */
    bool overwrite; /* `overwrite`: round the reducer */
    haft__json value;
} haft__graph_write;

/* Whether a value can be written to a channel: its schema, and the type that its reducer needs. The
 * reason lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_check_write(const haft__graph_channel *channel,
                                                  haft__checker *checker, haft__json value,
                                                  bool overwrite, haft__arena *arena,
                                                  bool *ret_valid, haft_str *ret_why,
                                                  haft_error *err);

/* Whether it can be the value of a channel as a whole: a default, or what a thread keeps. */
HAFT_MUST_USE haft_status haft__graph_check_value(const haft__graph_channel *channel,
                                                  haft__checker *checker, haft__json value,
                                                  haft__arena *arena, bool *ret_valid,
                                                  haft_str *ret_why, haft_error *err);

typedef struct haft__graph_delta {
    bool changed;
    bool replaced; /* `value` is the new value, not a change of the old one */
    bool dropped;  /* the channel has no value any more */
    haft__json value;
} haft__graph_delta;

/* The change that a channel's writes of one step make, in their order. *ret_conflict: two writers
 * where one is allowed. `made` numbers the ids of messages without one. The delta lives in `arena`
 * and borrows from the writes and the state. */
typedef struct haft__graph_reduction {
    const haft__graph_channel *channel;
    const haft__graph_value *current;
    const haft__graph_write *writes; /* all of this channel */
    size_t count;
    haft__arena *arena;
    uint64_t step;            /* for ids that are made */
    const haft__json *custom; /* of HAFT__REDUCE_CUSTOM: the value that the function has made;
                                 NULL: the last write, for an input and an edit */
} haft__graph_reduction;

HAFT_MUST_USE haft_status haft__graph_reduce(const haft__graph_reduction *reduction,
                                             haft__graph_delta *ret_delta, bool *ret_conflict,
                                             haft_error *err);

/* Applies a delta to a value, which fits (haft__graph_fits). Everything is copied. */
HAFT_MUST_USE haft_status haft__graph_apply(const haft__graph_channel *channel,
                                            haft__graph_value *value,
                                            const haft__graph_delta *delta, haft_error *err);

/* Replaces the memory of a value by a copy. The old memory, from which others borrow, lives as long
 * as `until`. */
HAFT_MUST_USE haft_status haft__graph_retire_value(haft__graph_value *value, haft__arena *until,
                                                   haft_error *err);

/* The value that a channel has after a delta, for conditions: in `arena`, the state is unchanged.
 * False if it has none. */
HAFT_MUST_USE haft_status haft__graph_preview(const haft__graph_channel *channel,
                                              const haft__graph_value *value,
                                              const haft__graph_delta *delta, haft__arena *arena,
                                              bool *ret_present, haft__json *ret_value,
                                              haft_error *err);

/* Whether the value has at most graph.channel_bytes after a delta. The state is unchanged. */
HAFT_MUST_USE haft_status haft__graph_fits(const haft__graph_channel *channel,
                                           const haft__graph_value *value,
                                           const haft__graph_delta *delta, haft__arena *arena,
                                           bool *ret_fits, haft_error *err);

/* The bytes of a value: its texts, and its arrays of items and members. */
size_t haft__graph_size(haft__json value);

/* Whether a value has more levels of arrays and objects than that. */
bool haft__graph_is_deeper(haft__json value, uint32_t levels);

/* The prefix of ids that haft makes for messages without one. */
#define HAFT__GRAPH_MADE_ID "made-"

#endif
