/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/model_call.c and model_call_http.c: a model server that answers, and one
 * that does not. */
#include "engine/model_call.h"

#include "engine_help.h"
#include "io/http_help.h"

#define HEAD(type, length)                                                                         \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nContent-Length: " #length "\r\n\r\n"
#define EVENTS "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define WHOLE                                                                                      \
    "{\"model\":\"m\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"hello\"},"   \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,"         \
    "\"prompt_tokens_details\":{\"cached_tokens\":4}}}"
#define PIECE(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define STOP                                                                                       \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"              \
    "data: [DONE]\n\n"

typedef struct served {
    help_host host;
    web *web;
    haft_run *run;
} served;

/* Plays a run whose model is at `base`, a URL, to its end. */
static void ask(served *s, const char *base)
{
    char members[512];
    (void)snprintf(members, sizeof(members),
                   "\"model\":{\"provider\":\"openai\",\"model\":\"m\",\"api_key\":"
                   "\"sk-test-0123456789\",\"base_url\":\"%s\"}",
                   base);
    s->run = help_host_start(&s->host, members, NULL, "go");
    help_host_settle(&s->host, s->run);
}

static void serve(served *s, const char *script)
{
    help_host_init(&s->host, "memory:");
    s->web = web_start();
    web_route(s->web, "/v1/chat/completions", script);
    ask(s, web_url(s->web, "/v1"));
}

static void finish(served *s)
{
    haft_run_release(s->run);
    help_host_finish(&s->host);
    web_stop(s->web);
}

static haft_str error_of(const served *s)
{
    const haft__json *message = haft__json_get(s->run->state.end_error, HAFT__LIT("message"));
    return message != NULL ? haft__json_text(*message) : HAFT__LIT("");
}

TEST(a_streamed_reply_is_the_answer)
{
    served s;
    serve(&s, EVENTS PIECE("hel") PIECE("lo") STOP WEB_CLOSE);
    CHECK_STR(haft_run_answer_text(s.run), HAFT__LIT("hello"), "answer: %.*s",
              HAFT__ARG(error_of(&s)));
    haft_str request = web_request(s.web, 0);
    CHECK(memmem(request.ptr, request.len, "Bearer sk-test-0123456789", 25) != NULL,
          "the key is not in the request");
    CHECK(memmem(request.ptr, request.len, "\"stream\":true", 13) != NULL,
          "the request asks for no stream");
    finish(&s);
}

TEST(a_reply_that_is_not_streamed_is_accepted)
{
    served s;
    serve(&s, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" WHOLE WEB_CLOSE);
    CHECK_STR(haft_run_answer_text(s.run), HAFT__LIT("hello"), "answer: %.*s",
              HAFT__ARG(error_of(&s)));
    CHECK_INT(s.run->state.usage.input_tokens, 9, "input tokens");
    CHECK_INT(s.run->state.usage.cached_tokens, 4, "cached tokens");
    finish(&s);
}

/* If the model cannot be reached, the run fails and reports why. */
TEST(the_run_fails_if_its_model_server_fails)
{
    static const struct {
        const char *name, *script, *says;
        unsigned requests;
    } rows[] = {
        {"a wrong key",
         "HTTP/1.1 401 Unauthorized\r\nContent-Length: 62\r\n\r\n"
         "{\"error\":{\"message\":\"Incorrect API key\",\"code\":\"bad_key\"}}    ",
         "Incorrect API key", 1},
        {"a server error that says not to try again",
         "HTTP/1.1 500 Oops\r\nx-should-retry: false\r\nContent-Length: 2\r\n\r\nno", "HTTP 500",
         1},
        {"no quota",
         "HTTP/1.1 429 Too Many\r\nContent-Length: 64\r\n\r\n"
         "{\"error\":{\"message\":\"no money\",\"code\":\"insufficient_quota\"}}     ",
         "no money", 1},
        {"HTML", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>hi</html>" WEB_CLOSE, "",
         1},
        {"garbage", "HTTP/1.1 200 OK\r\n\r\nblah blah" WEB_CLOSE, "", 1},
        {"cut in the middle of the reply", EVENTS PIECE("hel") WEB_CLOSE, "", 1},
        {"an error in the middle of the reply",
         EVENTS PIECE("hel") "data: {\"error\":{\"message\":\"overloaded\"}}\n\n" WEB_CLOSE,
         "overloaded", 1},
        {"a rate, with a time to wait",
         "HTTP/1.1 429 Too Many\r\nretry-after-ms: 5\r\nContent-Length: 2\r\n\r\nno", "HTTP 429",
         3},
        {"a broken connection", WEB_RESET, "", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        served s;
        serve(&s, rows[i].script);
        CHECK_STR(haft__str(haft_run_end(s.run)), HAFT__LIT("failed"), "%s", rows[i].name);
        haft_str message = error_of(&s);
        CHECK(message.len > 0
                  && memmem(message.ptr, message.len, rows[i].says, strlen(rows[i].says)) != NULL,
              "%s: %.*s", rows[i].name, HAFT__ARG(message));
        CHECK(message.len == 0 || memmem(message.ptr, message.len, "sk-test", 7) == NULL,
              "%s: the message contains the key", rows[i].name);
        CHECK_INT(web_requests(s.web), rows[i].requests, "%s: requests", rows[i].name);
        finish(&s);
    }
}

/* A forced turn in a text format whose grammar the server rejects: the request is repeated without
 * the grammar, but never after a reply has begun. */
TEST(a_rejected_constraint_is_dropped)
{
    static const struct {
        const char *name, *script;
        unsigned requests;
    } rows[] = {
        {"it says so", "HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno", 2},
        {"a server that breaks",
         "HTTP/1.1 500 Oops\r\nx-should-retry: false\r\nContent-Length: 2\r\n\r\nno", 2},
        {"a wrong key", "HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", 1},
        {"a reply that has begun",
         EVENTS PIECE("hel") "data: {\"error\":{\"message\":\"bad\",\"code\":400}}\n\n" WEB_CLOSE,
         1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        served s;
        char members[768];
        help_host_init(&s.host, "memory:");
        s.web = web_start();
        web_route(s.web, "/v1/chat/completions", rows[i].script);
        (void)snprintf(
            members, sizeof(members),
            "\"model\":{\"provider\":\"llamacpp\",\"model\":\"m\",\"base_url\":\"%s\"},"
            "\"formats\":[\"hermes\"],\"choice\":{\"default\":\"any\"},\"tools\":[{\"name\":"
            "\"look\",\"description\":\"Looks for a thing.\",\"args\":[\"q\"],\"command\":["
            "\"true\"]}]",
            web_url(s.web, "/v1"));
        s.run = help_host_start(&s.host, members, NULL, "go");
        help_host_settle(&s.host, s.run);
        CHECK_STR(haft__str(haft_run_end(s.run)), HAFT__LIT("failed"), "%s", rows[i].name);
        CHECK_INT(web_requests(s.web), rows[i].requests, "%s: requests", rows[i].name);
        for (unsigned n = 0; n < web_requests(s.web); n++) {
            haft_str request = web_request(s.web, n);
            CHECK_INT(memmem(request.ptr, request.len, "\"grammar\":\"", 11) != NULL, n == 0,
                      "%s: request %u", rows[i].name, n);
        }
        finish(&s);
    }
}

TEST(the_run_fails_if_its_model_server_is_down)
{
    served s = {.web = web_start()};
    char base[64];
    help_host_init(&s.host, "memory:");
    (void)snprintf(base, sizeof(base), "http://127.0.0.1:%u/v1", web_dead_port());
    ask(&s, base);
    CHECK_STR(haft__str(haft_run_end(s.run)), HAFT__LIT("failed"), "end");
    finish(&s);
}

/* The connection is reset only when the run has read the piece: a reset discards what was not read.
 */
TEST(a_connection_that_is_reset_after_output_is_not_retried)
{
    served s = {.web = web_start()};
    char members[256];
    help_host_init(&s.host, "memory:");
    web_route(s.web, "/v1/chat/completions", EVENTS PIECE("a") WEB_WAIT WEB_RESET);
    (void)snprintf(members, sizeof(members),
                   "\"model\":{\"provider\":\"openai\",\"model\":\"m\",\"base_url\":\"%s\"}",
                   web_url(s.web, "/v1"));
    s.run = help_host_start(&s.host, members, NULL, "go");
    while (s.run->model_call == NULL || !s.run->model_call->delivered) {
        CHECK_INT(haft_runtime_step(s.host.runtime, 10, NULL), HAFT_OK, "step");
    }
    web_release(s.web, 1);
    help_host_settle(&s.host, s.run);
    CHECK_STR(haft__str(haft_run_end(s.run)), HAFT__LIT("failed"), "end");
    CHECK_INT(web_requests(s.web), 1, "one request");
    CHECK(s.run->state.failure.delivered, "the event says that output was delivered");
    CHECK_STR(haft__str(haft__failure_name(s.run->state.failure.kind)), HAFT__LIT("cut"), "kind");
    finish(&s);
}

TEST(a_run_whose_model_hangs_can_be_cancelled)
{
    served s = {.web = web_start()};
    char members[256];
    help_host_init(&s.host, "memory:");
    web_route(s.web, "/v1/chat/completions", EVENTS PIECE("a") WEB_HANG);
    (void)snprintf(members, sizeof(members),
                   "\"model\":{\"provider\":\"openai\",\"model\":\"m\",\"base_url\":\"%s\"}",
                   web_url(s.web, "/v1"));
    s.run = help_host_start(&s.host, members, NULL, "go");
    while (web_waiting(s.web) == 0) {
        CHECK_INT(haft_runtime_step(s.host.runtime, 10, NULL), HAFT_OK, "step");
    }
    CHECK_INT(haft_run_cancel(s.run, NULL), HAFT_OK, "cancel");
    help_host_settle(&s.host, s.run);
    CHECK_STR(haft__str(haft_run_end(s.run)), HAFT__LIT("cancelled"), "end");
    finish(&s);
}

TEST(a_spec_without_a_usable_model_is_rejected)
{
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"haft: 1\nmodel: openai:gpt-5\n", "OPENAI_API_KEY is not set"},
        {"haft: 1\nmodel: anthropic:claude\n", "ANTHROPIC_API_KEY is not set"},
        {"haft: 1\nmodel: gemini:g\n", "GEMINI_API_KEY is not set"},
        {"haft: 1\nmodel: script:nowhere.yaml\n", "cannot be opened"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_host h;
        haft_agent *agent = NULL;
        help_host_init(&h, "memory:");
        CHECK(haft__agent_load_text(h.runtime, haft__str(rows[i].spec), HAFT__LIT(""),
                                    HAFT__SPEC_NEW, &agent, &h.err)
                  != HAFT_OK,
              "%s", rows[i].spec);
        CHECK(strstr(h.err.message, rows[i].says) != NULL, "%s", h.err.message);
        help_host_finish(&h);
    }
}
