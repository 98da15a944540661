/* SPDX-License-Identifier: Apache-2.0 */
/* json/builder.h - builds a value from the events of the incremental reader. */
#ifndef HAFT_JSON_BUILDER_H
#define HAFT_JSON_BUILDER_H

#include "base/buf.h"
#include "json/stack.h"
#include "json/stream.h"

typedef struct haft__json_builder {
    haft__arena *arena;
    haft__json_stack stack; /* .duplicates: members dropped because a later one had the same key */
    haft__buf text;         /* of a string that comes in pieces */
} haft__json_builder;

/* `options` as for the stream; NULL means the defaults. */
void haft__json_builder_init(haft__json_builder *builder, haft__arena *arena,
                             const haft__json_options *options);
void haft__json_builder_finish(haft__json_builder *builder);

/* Copies borrowed text of the event into the arena. MORE and DONE change nothing. BAD_INPUT for a
 * duplicate key if the options reject those. */
HAFT_MUST_USE haft_status haft__json_builder_add(haft__json_builder *builder,
                                                 const haft__json_event *event, haft_error *err);

/* The finished value; NULL while the outermost one is incomplete. Borrowed from the builder; the
 * memory it points to is in the arena. */
const haft__json *haft__json_builder_value(const haft__json_builder *builder);

#endif
