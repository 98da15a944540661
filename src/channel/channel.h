/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel/channel.h - a channel: a named value with a reducer, a schema and a lifetime. The state
 * of a graph and the state of a run consist of channels. docs/graphs.md describes every key.
 */
#ifndef HAFT_CHANNEL_CHANNEL_H
#define HAFT_CHANNEL_CHANNEL_H

#include "schema/schema.h"
#include "json/value.h"

typedef enum haft__channel_reducer {
    HAFT__REDUCE_REPLACE, /* at most one writer in a step */
    HAFT__REDUCE_LAST,
    HAFT__REDUCE_APPEND,
    HAFT__REDUCE_ADD,
    HAFT__REDUCE_MERGE,
    HAFT__REDUCE_MIN,
    HAFT__REDUCE_MAX,
    HAFT__REDUCE_UNION,
    HAFT__REDUCE_MESSAGES,
    HAFT__REDUCE_CUSTOM, /* a function of the program; only in graphs: graph/custom.c */
} haft__channel_reducer;

typedef enum haft__channel_lifetime {
    HAFT__LIFETIME_RUN,
    HAFT__LIFETIME_STEP,   /* only the next step has its value; only in graphs */
    HAFT__LIFETIME_THREAD, /* the next run of the thread begins with its value */
} haft__channel_lifetime;

typedef struct haft__channel {
    haft_str name;
    haft__channel_reducer reducer;
    haft_str custom; /* for HAFT__REDUCE_CUSTOM: the name of the function */
    haft__channel_lifetime lifetime;
    bool has_default;
    haft__json default_value;
    const haft__schema *schema; /* schema of its values; NULL: any value */
} haft__channel;

/* Reports a problem of a channel. `key` is the key of the channel with the problem. */
typedef void haft__channel_report(void *context, haft_str channel, haft_str key, haft_str message);

/* Compiles the members of the object `source` to channels in the order of their names. The channels
 * live in the arena and borrow from `source`. Reports problems to `report`. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__channels_compile(haft__arena *arena, haft__json source,
                                                 haft__channel_report *report, void *context,
                                                 const haft__channel **ret_channels,
                                                 size_t *ret_count, haft_error *err);

/* The index of a channel in the order of names; false if it does not exist. */
bool haft__channel_find(const haft__channel *channels, size_t count, haft_str name,
                        uint32_t *ret_channel);

/* The name of a channel's function, `reducer: custom:NAME`; "" for another reducer. */
haft_str haft__channel_custom_reducer(haft__json channel);

/* "replace" ... */
const char *haft__channel_reducer_name(haft__channel_reducer reducer);

#endif
