/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_responses/stream_int.h - the items of a reply, shared by the files of
 * model/providers/openai_responses/stream.h. Private to its folder. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_STREAM_INT_H

#include "model/providers/openai_responses/stream.h"

#define HAFT__RESPONSES_NO_INDEX (-1)

typedef enum haft__responses_item_kind {
    HAFT__RESPONSES_OTHER, /* run by the server, or not known */
    HAFT__RESPONSES_MESSAGE,
    HAFT__RESPONSES_REASONING,
    HAFT__RESPONSES_CALL,
} haft__responses_item_kind;

/* An item of the reply's output. */
typedef struct haft__responses_item {
    haft__responses_item_kind kind;
    int64_t index;   /* output_index */
    bool done;       /* its last form has arrived */
    bool new_part;   /* of reasoning: the next piece begins a part */
    bool streamed;   /* of reasoning: it arrives in pieces */
    bool begun;      /* of a call: it was emitted, */
    uint32_t number; /* with this number */
    haft__buf id;    /* of the item; a call has another id */
    haft__buf call_id, name;
    haft__buf pieces;            /* text or arguments that arrived in pieces */
    size_t kept_start, kept_end; /* its JSON in haft__responses_stream.kept */
} haft__responses_item;

/* ---- stream_items.c ---- */

/* The item that a piece belongs to; added if it is new. The pointer is valid until the next item
 * is added. */
HAFT_MUST_USE haft_status haft__responses_item_of_piece(haft__responses_stream *stream,
                                                        haft__json event,
                                                        haft__responses_item **ret_item,
                                                        haft_error *err);

/* Reads the first form of an item: {"output_index":..,"item":{..}}. */
HAFT_MUST_USE haft_status haft__responses_item_begin(haft__responses_stream *stream,
                                                     haft__json event, haft_error *err);

/* Reads its last form, which alone counts for calls. */
HAFT_MUST_USE haft_status haft__responses_item_end(haft__responses_stream *stream, haft__json event,
                                                   haft_error *err);

/* The next piece of an item. A piece of an item that is done is ignored. */
HAFT_MUST_USE haft_status haft__responses_add_text(haft__responses_stream *stream,
                                                   haft__responses_item *item, haft_str text,
                                                   haft_error *err);
HAFT_MUST_USE haft_status haft__responses_add_refusal(haft__responses_stream *stream,
                                                      haft__responses_item *item, haft_str text,
                                                      haft_error *err);
HAFT_MUST_USE haft_status haft__responses_add_reasoning(haft__responses_stream *stream,
                                                        haft__responses_item *item, haft_str text,
                                                        haft_error *err);
HAFT_MUST_USE haft_status haft__responses_add_arguments(haft__responses_stream *stream,
                                                        haft__responses_item *item, haft_str text,
                                                        haft_error *err);

/* Reads the items of a whole response that have not arrived yet. */
HAFT_MUST_USE haft_status haft__responses_read_output(haft__responses_stream *stream,
                                                      haft__json output, haft_error *err);

/* The reply is complete: ends its calls, and emits its items if they must be sent back. */
HAFT_MUST_USE haft_status haft__responses_end_items(haft__responses_stream *stream,
                                                    haft_error *err);
void haft__responses_items_finish(haft__responses_stream *stream);

#endif
