/* SPDX-License-Identifier: Apache-2.0 */
/* native_reply.h - shared by the readers of model/native.h. */
#ifndef HAFT_MODEL_NATIVE_REPLY_H
#define HAFT_MODEL_NATIVE_REPLY_H

#include "model/native.h"
#include "json/value.h"

/* A reply that is being assembled. */
typedef struct haft__native_reply {
    haft__assembly assembly;
    uint32_t calls; /* calls that have begun */
    haft__stop_reason stop;
    bool stopped;      /* the stop reason has arrived */
    bool in_call;      /* the open block is a call */
    bool has_message;  /* some part of a reply has arrived */
    const char *wrong; /* the provider's error; NULL if there was none */
    haft__buf text;    /* arguments, as JSON text */
} haft__native_reply;

/* Reads one value: the whole reply, or an event of a stream. */
typedef haft_status haft__native_read_value(haft__native_reply *n, haft__json value,
                                            haft_error *err);

HAFT_MUST_USE haft_status haft__native_read_body(haft_str body, haft__hash_key hash_key,
                                                 haft__native_read_value *take, haft__arena *arena,
                                                 haft__model_outcome *ret_answer, haft_error *err);

HAFT_MUST_USE haft_status haft__native_add_text(haft__native_reply *n, haft__delta_kind kind,
                                                haft_str text, haft_error *err);
/* Begins a call; its number is n->calls - 1. */
HAFT_MUST_USE haft_status haft__native_begin_call(haft__native_reply *n, haft_str id, haft_str name,
                                                  haft_error *err);
/* Adds a piece of the arguments of the last call: text, or a value. */
HAFT_MUST_USE haft_status haft__native_add_arguments(haft__native_reply *n, haft_str text,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__native_add_arguments_value(haft__native_reply *n, haft__json value,
                                                           haft_error *err);
HAFT_MUST_USE haft_status haft__native_end_call(haft__native_reply *n, haft_error *err);

/* The stop reason, by a table that ends with a row without a word; an unknown reason is a plain
 * end. */
typedef struct haft__native_reason {
    const char *word;
    haft__stop_reason stop;
    const char *wrong; /* the provider failed: the message */
} haft__native_reason;

void haft__native_set_stop(haft__native_reply *n, const haft__native_reason *reasons,
                           haft_str word);

#endif
