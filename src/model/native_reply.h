/* SPDX-License-Identifier: Apache-2.0 */
/* native_reply.h - what the readers of model/native.h share. */
#ifndef HAFT_MODEL_NATIVE_REPLY_H
#define HAFT_MODEL_NATIVE_REPLY_H

#include "model/native.h"
#include "json/value.h"

/* A reply that is being put together. */
typedef struct haft__native_reply {
    haft__assembly assembly;
    uint32_t calls; /* that have begun */
    haft__stop_reason stop;
    bool stopped;      /* the reason has come */
    bool in_call;      /* a block that is a call is open */
    bool has_message;  /* something of a reply has come */
    const char *wrong; /* the provider gave up; NULL when it did not */
    haft__buf text;    /* arguments, as JSON text */
} haft__native_reply;

/* Takes one value: the whole reply, or an event of a stream. */
typedef haft_status haft__native_read_value(haft__native_reply *n, haft__json value,
                                            haft_error *err);

HAFT_MUST_USE haft_status haft__native_read_body(haft_str body, haft__hash_key hash_key,
                                                 haft__native_read_value *take, haft__arena *arena,
                                                 haft__model_outcome *ret_answer, haft_error *err);

HAFT_MUST_USE haft_status haft__native_add_text(haft__native_reply *n, haft__delta_kind kind,
                                                haft_str text, haft_error *err);
/* A call begins; its number is n->calls - 1. */
HAFT_MUST_USE haft_status haft__native_begin_call(haft__native_reply *n, haft_str id, haft_str name,
                                                  haft_error *err);
/* A piece of the arguments of the call that began last: text, or a value. */
HAFT_MUST_USE haft_status haft__native_add_arguments(haft__native_reply *n, haft_str text,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__native_add_arguments_value(haft__native_reply *n, haft__json value,
                                                           haft_error *err);
HAFT_MUST_USE haft_status haft__native_end_call(haft__native_reply *n, haft_error *err);

/* Why it stopped, by a table that ends with a row without a word; an unknown one is a plain end. */
typedef struct haft__native_reason {
    const char *word;
    haft__stop_reason stop;
    const char *wrong; /* the provider gave up: what to say */
} haft__native_reason;

void haft__native_set_stop(haft__native_reply *n, const haft__native_reason *reasons,
                           haft_str word);

#endif
