/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embeddings.c - toy vectors for POST /v1/embeddings: texts that share trigrams are similar, and
 * the same text always has the same vector. Tests: tests/mcp/embeddings_test.py.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "serve/mock/mock.h"
#include "json/object.h"
#include "json/read.h"

#define TRIGRAM_LETTERS 3    /* length of a hashed piece */
#define SLOW_MS         2000 /* longer than the timeout of a query */

/* A delayed reply. */
typedef struct delayed_reply {
    haft__mock_model *mock;
    haft__http_server_request *request;
    haft__buf body;
    haft__timer timer;
} delayed_reply;

/* FNV-1a of a trigram, in lower case. */
static uint32_t hash_piece(const char *at)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < TRIGRAM_LETTERS; i++) {
        hash = (hash ^ (uint8_t)haft__ascii_lower(at[i])) * 16777619U;
    }
    return hash;
}

static void add_vector(haft__json_writer *w, haft_str text, size_t dimensions, int64_t *counts)
{
    memset(counts, 0, dimensions * sizeof(*counts));
    for (size_t i = 0; i + TRIGRAM_LETTERS <= text.len; i++) {
        counts[hash_piece(text.ptr + i) % dimensions]++;
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < dimensions; i++) {
        haft__json_add_int(w, counts[i]);
    }
    haft__json_end_array(w);
}

static void write_answer(haft__buf *body, haft__json input, size_t dimensions, int64_t *counts)
{
    haft__json_writer w;
    haft__json_writer_init(&w, body);
    haft__json_begin_object(&w);
    haft__field_text(&w, "object", HAFT__LIT("list"));
    haft__json_key(&w, "data");
    haft__json_begin_array(&w);
    for (uint32_t i = 0; i < input.count; i++) {
        haft__json_begin_object(&w);
        haft__field_number(&w, "index", i);
        haft__json_key(&w, "embedding");
        add_vector(&w, haft__json_text(input.items[i]), dimensions, counts);
        haft__json_end_object(&w);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
}

static bool are_texts(haft__json input)
{
    for (uint32_t i = 0; input.kind == HAFT__JSON_ARRAY && i < input.count; i++) {
        if (input.items[i].kind != HAFT__JSON_STRING) {
            return false;
        }
    }
    return input.kind == HAFT__JSON_ARRAY && input.count > 0;
}

/* Writes the reply to `body`; false if the request is invalid. */
static bool make_answer(haft__mock_model *mock, haft_str text, bool grows, haft__buf *body)
{
    haft__arena arena;
    haft__json whole;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    size_t dimensions = mock->dimensions + (grows ? (size_t)mock->requests : 0);
    options.hash_key = mock->hash_key;
    haft__arena_init(&arena, 0);
    int64_t *counts = haft__arena_array(&arena, dimensions, sizeof(*counts));
    const haft__json *input = NULL, *model = NULL;
    if (counts != NULL && haft__json_read(&arena, text, &options, &whole, NULL, NULL) == HAFT_OK) {
        input = haft__json_get(whole, HAFT__LIT("input"));
        model = haft__json_get(whole, HAFT__LIT("model"));
    }
    bool good =
        input != NULL && are_texts(*input) && model != NULL && model->kind == HAFT__JSON_STRING;
    if (good) {
        write_answer(body, *input, dimensions, counts);
    }
    haft__arena_finish(&arena);
    return good;
}

static void send_delayed(void *context)
{
    delayed_reply *l = context;
    haft__mock_reply(l->mock, l->request, 200, &l->body);
    free(l);
}

static void on_disconnect(void *context, haft__http_server_request *request)
{
    delayed_reply *l = context;
    haft__timer_stop(l->mock->loop, &l->timer);
    haft__http_server_abort(request);
    haft__buf_finish(&l->body);
    free(l);
}

static void reply_later(haft__mock_model *mock, haft__http_server_request *request, haft__buf *body)
{
    delayed_reply *l = calloc(1, sizeof(*l));
    if (l == NULL) {
        haft__mock_reply(mock, request, 200, body);
        return;
    }
    *l = (delayed_reply){.mock = mock, .request = request, .body = *body};
    haft__http_server_on_disconnect(request, on_disconnect, l);
    if (haft__timer_start(mock->loop, &l->timer, SLOW_MS, send_delayed, l, NULL) != HAFT_OK) {
        send_delayed(l);
    }
}

/* Simulates a leak: the error contains the key of the request. */
static void reply_server_error(haft__mock_model *mock, haft__http_server_request *request)
{
    char message[512];
    haft_str key = haft__http_server_header(request, "authorization");
    (void)snprintf(message, sizeof(message), "no embeddings for the key %.*s", HAFT__ARG(key));
    haft__mock_reply_error(mock, request, 500, message);
}

void haft__mock_handle_embeddings(haft__mock_model *mock, haft__http_server_request *request)
{
    haft_str fault = haft__str(mock->fault != NULL ? mock->fault : "");
    haft__buf body;
    if (mock->dimensions == 0) {
        haft__mock_reply_error(mock, request, 404, "embeddings are not enabled (--embeddings N)");
        return;
    }
    if (haft__str_equal(fault, HAFT__LIT("error"))) {
        reply_server_error(mock, request);
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_SERVER_QUEUE_BYTES);
    if (haft__str_equal(fault, HAFT__LIT("garbage"))) {
        haft__buf_add_str(&body, HAFT__LIT("<html>"));
    } else if (!make_answer(mock, haft__http_server_body(request),
                            haft__str_equal(fault, HAFT__LIT("sizes")), &body)) {
        haft__buf_finish(&body);
        haft__mock_reply_error(mock, request, 400,
                               "expected a model and an array of texts as input");
        return;
    }
    if (haft__str_equal(fault, HAFT__LIT("slow"))) {
        reply_later(mock, request, &body);
    } else {
        haft__mock_reply(mock, request, 200, &body);
    }
}
