/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/reply_reader.h - reads the body of a response as it arrives: bytes in, a neutral reply out.
 *
 *     haft__reply_reader_init(&reader, &decoder, &options);
 *     for each piece of the body of a 2xx response:
 *         status = haft__reply_reader_feed(&reader, piece, err);
 *     status = haft__reply_reader_end(&reader, arena, &outcome, err);
 *     haft__reply_reader_finish(&reader);
 *
 * The reader finds the JSON values in the body: the events of a stream, or one whole reply; the
 * start of the body says which, whatever was requested. A decoder, one for each wire format, turns
 * values into deltas. The outcome does not depend on how the body is split.
 *
 * A server's text may repeat a secret of the request: redact it (run/redact/redact.h) before it is
 * stored or shown.
 */
#ifndef HAFT_MODEL_REPLY_READER_H
#define HAFT_MODEL_REPLY_READER_H

#include "model/model.h"
#include "model/provider.h"
#include "model/server_error.h"
#include "model/sse.h"
#include "json/value.h"

typedef struct haft__reply_reader haft__reply_reader;

/* How values of a wire format become deltas. */
typedef struct haft__reply_decoder {
    /* A stream has one value per line, and is no event stream. */
    bool lines;

    haft__server_error_finder *find_error;

    /* Reads an event (`name` may be empty), or a whole reply. A status other than NO_MEMORY
     * reports, with `err`, what is wrong with the value. */
    haft_status (*read_value)(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err);

    /* The reply is complete: ends the calls that are still open. May be NULL. */
    haft_status (*end_calls)(haft__reply_reader *reader, haft_error *err);

    /* Frees what the decoder keeps in its own struct. May be NULL. */
    void (*finish)(haft__reply_reader *reader);
} haft__reply_decoder;

/* The kind of a body, by its first byte that is not white space. */
typedef enum haft__body_kind {
    HAFT__BODY_UNKNOWN, /* only white space so far */
    HAFT__BODY_EVENTS,
    HAFT__BODY_LINES,
    HAFT__BODY_JSON, /* a whole reply, or an error */
    HAFT__BODY_HTML,
} haft__body_kind;

/* The first member of every provider's stream. */
struct haft__reply_reader {
    const haft__reply_decoder *decoder;
    haft__provider_stream_options options;
    haft__body_kind kind;
    haft__sse sse;
    haft__buf body;      /* a body or a line that is not complete; of events, the start */
    haft__arena scratch; /* the value of one event */
    haft__buf text;      /* arguments that came as an object; the message of a failure */
    haft__buf model;     /* that replies */
    haft__assembly assembly;
    uint32_t numbered;    /* number of calls, native and in the text */
    haft__parser *parser; /* of the text; NULL until text arrives */
    bool text_bracket;    /* the text so far is "[", which may begin JSON or not */
    bool text_call_open;  /* the last call in the text has not ended */
    uint32_t text_call;   /* its number */
    haft__stop_reason stop;
    bool has_stop;    /* a stop reason has arrived */
    bool has_message; /* some part of the reply has arrived */
    bool has_event;   /* an event that is JSON has arrived */
    bool refused;     /* a refusal has arrived */
    bool over;        /* later bytes are ignored: the call failed, or its end was announced */
    bool body_ended;  /* haft__reply_reader_end_body has read the body */
    bool failed;
    haft__model_failure failure; /* its message is in `text` */
};

/* The options are copied; what they and the decoder point to must outlive the reader. */
void haft__reply_reader_init(haft__reply_reader *reader, const haft__reply_decoder *decoder,
                             const haft__provider_stream_options *options);
void haft__reply_reader_finish(haft__reply_reader *reader);

/* Reads the next piece of the body. Fails only if out of memory: any error in the bytes becomes the
 * failure that haft__reply_reader_end returns. Once reader->over is set, the rest of the body need
 * not be read. */
HAFT_MUST_USE haft_status haft__reply_reader_feed(haft__reply_reader *reader, haft_str bytes,
                                                  haft_error *err);

/* The body has ended, complete or not. The outcome lives in `arena`. A stream without a stop reason
 * was cut: HAFT__FAILURE_CUT; nothing of it is completed. */
HAFT_MUST_USE haft_status haft__reply_reader_end(haft__reply_reader *reader, haft__arena *arena,
                                                 haft__model_outcome *ret_outcome, haft_error *err);

/* The body has ended, but the reply may go on in the body of another response: reads what is left
 * of it. haft__reply_reader_end need not be told again. */
HAFT_MUST_USE haft_status haft__reply_reader_end_body(haft__reply_reader *reader, haft_error *err);

/* After haft__reply_reader_end_body: gets ready for the body that continues the reply. */
void haft__reply_reader_begin_body(haft__reply_reader *reader);

/* Reads a whole body: feed, end and finish. */
HAFT_MUST_USE haft_status haft__reply_reader_read(haft__reply_reader *reader, haft_str body,
                                                  haft__arena *arena,
                                                  haft__model_outcome *ret_outcome,
                                                  haft_error *err);

/* The same functions for the table of a provider (model/provider.h), whose stream begins with a
 * reader. */
haft_status haft__reply_reader_feed_stream(haft__provider_stream *stream, haft_str bytes,
                                           bool *ret_over, haft_error *err);
haft_status haft__reply_reader_end_stream(haft__provider_stream *stream, haft__arena *arena,
                                          haft__model_outcome *ret_outcome, haft_error *err);
void haft__reply_reader_finish_stream(haft__provider_stream *stream);

/* ---- for decoders ---- */

/* Passes a delta to the assembly and to the `emit` callback. */
HAFT_MUST_USE haft_status haft__reply_reader_emit(haft__reply_reader *reader,
                                                  const haft__delta *delta, haft_error *err);

/* The call has failed, and later bytes are ignored. The caller appends the message to reader->text.
 */
void haft__reply_reader_fail(haft__reply_reader *reader, haft__failure_kind kind, uint32_t status);

/* The same, with an error of the server. */
void haft__reply_reader_fail_with(haft__reply_reader *reader, const haft__server_error *error);

/* Reads the next piece of the text, which may have calls in it (reply_text.c). */
HAFT_MUST_USE haft_status haft__reply_reader_add_text(haft__reply_reader *reader, haft_str text,
                                                      haft_error *err);
HAFT_MUST_USE haft_status haft__reply_reader_add_reasoning(haft__reply_reader *reader,
                                                           haft_str text, haft_error *err);

/* Ends the text; for reply_reader.c. */
HAFT_MUST_USE haft_status haft__reply_reader_end_text(haft__reply_reader *reader, haft_error *err);

/* Keeps the name of the model that replies; the first one counts. */
HAFT_MUST_USE haft_status haft__reply_reader_set_model(haft__reply_reader *reader, haft_str model,
                                                       haft_error *err);

/* A stop reason, by a table that ends with a row without a word. An unknown one is a plain end:
 * some servers have their own words. */
typedef struct haft__stop_word {
    const char *word;
    haft__stop_reason stop;
    bool failed; /* the server failed */
} haft__stop_word;

void haft__reply_reader_set_stop(haft__reply_reader *reader, const haft__stop_word *words,
                                 haft_str word);

/* The name of the tool with this wire name; unchanged if no tool has it. */
haft_str haft__reply_reader_tool_name(const haft__reply_reader *reader, haft_str wire);

#endif
