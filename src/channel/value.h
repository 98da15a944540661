/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel/value.h - the values of channels, and the reducers that change them.
 *
 * A change has two parts. haft__channel_reduce computes a delta for each channel from the writes of
 * one step; it does not change the state. haft__channel_apply applies a delta. The log contains the
 * deltas, so that it grows with the changes and not with the state.
 */
#ifndef HAFT_CHANNEL_VALUE_H
#define HAFT_CHANNEL_VALUE_H

#include "channel/channel.h"

/* The value of one channel, with its memory. */
typedef struct haft__channel_value {
    bool present;
    bool written; /* written since the run began; the input does not count */
    haft__json value;
    haft__arena arena;
    size_t live;       /* used bytes of the arena after the last compaction */
    size_t size;       /* upper limit of the value's bytes (haft__channel_size) */
    haft__json *items; /* for append and union: the items, with spare capacity */
    size_t capacity;
} haft__channel_value;

/* The values of several channels: an array with one entry for each channel. */
typedef struct haft__channel_values {
    const haft__channel *channels;
    size_t count;
    haft__channel_value *values;
} haft__channel_values;

/* Initializes the state with the defaults of the channels. */
HAFT_MUST_USE haft_status haft__channel_values_init(haft__channel_values *state,
                                                    const haft__channel *channels, size_t count,
                                                    haft_error *err);
void haft__channel_values_finish(haft__channel_values *state);

/* One write of a node to a channel. */
typedef struct haft__channel_write {
    uint32_t channel;
    uint32_t task;  /* index of the writing task in the step */
    bool overwrite; /* `overwrite`: the reducer is not used */
    haft__json value;
} haft__channel_write;

/* Checks whether a value can be written to a channel: by the schema, and by the type that the
 * reducer requires. The reason lives in `arena`. */
HAFT_MUST_USE haft_status haft__channel_check_write(const haft__channel *channel,
                                                    haft__checker *checker, haft__json value,
                                                    bool overwrite, haft__arena *arena,
                                                    bool *ret_valid, haft_str *ret_why,
                                                    haft_error *err);

/* Checks whether a value can be the whole value of a channel: for a default, or a value of the
 * thread. */
HAFT_MUST_USE haft_status haft__channel_check_value(const haft__channel *channel,
                                                    haft__checker *checker, haft__json value,
                                                    haft__arena *arena, bool *ret_valid,
                                                    haft_str *ret_why, haft_error *err);

typedef struct haft__channel_delta {
    bool changed;
    bool replaced; /* `value` is the new value, not a change of the old one */
    bool dropped;  /* the channel no longer has a value */
    haft__json value;
} haft__channel_delta;

/* The input of a reducer. */
typedef struct haft__channel_reduction {
    const haft__channel *channel;
    const haft__channel_value *current;
    const haft__channel_write *writes; /* all writes to this channel */
    size_t count;
    haft__arena *arena;
    uint64_t step;            /* number of the step, for new ids */
    const haft__json *custom; /* for HAFT__REDUCE_CUSTOM: the value from the function; NULL for an
                               * input or an edit: the last write is used */
} haft__channel_reduction;

/* Computes the change that the writes of one step make, in their order. *ret_conflict: two tasks
 * write, but only one may. The delta lives in the arena and borrows from the writes and the value.
 */
HAFT_MUST_USE haft_status haft__channel_reduce(const haft__channel_reduction *reduction,
                                               haft__channel_delta *ret_delta, bool *ret_conflict,
                                               haft_error *err);

/* Whether a change of an event, which is not `replaced`, has the type that the reducer makes. */
bool haft__channel_is_change(const haft__channel *channel, haft__json change);

/* Applies a delta that fits (haft__channel_fits) to a value. All parts are copied. */
HAFT_MUST_USE haft_status haft__channel_apply(const haft__channel *channel,
                                              haft__channel_value *value,
                                              const haft__channel_delta *delta, haft_error *err);

/* Replaces the memory of a value by a copy. The old memory, from which others borrow, lives as long
 * as `until`. */
HAFT_MUST_USE haft_status haft__channel_retire(haft__channel_value *value, haft__arena *until,
                                               haft_error *err);

/* Computes the value of a channel after a delta, for conditions. The value lives in `arena`; the
 * state is unchanged. *ret_present is false if the channel has no value. */
HAFT_MUST_USE haft_status haft__channel_preview(const haft__channel *channel,
                                                const haft__channel_value *value,
                                                const haft__channel_delta *delta,
                                                haft__arena *arena, bool *ret_present,
                                                haft__json *ret_value, haft_error *err);

/* Checks whether the value has at most graph.channel_bytes after a delta. The state is
 * unchanged. */
HAFT_MUST_USE haft_status haft__channel_fits(const haft__channel *channel,
                                             const haft__channel_value *value,
                                             const haft__channel_delta *delta, haft__arena *arena,
                                             bool *ret_fits, haft_error *err);

/* The bytes of a value: its texts, and its arrays of items and members. */
size_t haft__channel_size(haft__json value);

/* Whether a value has more than `levels` levels of arrays and objects. */
bool haft__channel_is_deeper(haft__json value, uint32_t levels);

/* Adds two numbers: exactly for integers of 64 bits, else to the nearest double; null if the sum is
 * not a finite number. */
HAFT_MUST_USE haft_status haft__channel_add_numbers(haft__json a, haft__json b, haft__arena *arena,
                                                    haft__json *ret_sum, haft_error *err);

/* The prefix of the ids that haft gives to messages without an id: made-STEP-POSITION. */
#define HAFT__CHANNEL_MADE_ID "made-"

#endif
