/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mock/mock.c that need to run in its process. The others are in
 * tests/cli/mock_model_test.py. */
#include "serve/mock/mock.h"

#include <unistd.h>

#include "io/server_help.h"
#include "json/read.h"

typedef struct mock_case {
    server_case server;
    haft__mock_model mock;
    haft__script script;
    haft__arena arena;
} mock_case;

static void ignore_mismatch(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static void mock_open(mock_case *m, const char *script)
{
    *m = (mock_case){0};
    haft__json document = haft__json_null();
    haft__arena_init(&m->arena, 0);
    CHECK_INT(haft__json_read(&m->arena, haft__str(script), NULL, &document, NULL, NULL), HAFT_OK,
              "%s", script);
    CHECK_INT(haft__script_init(&m->script, &m->arena, document, NULL), HAFT_OK, "%s", script);
    m->mock = (haft__mock_model){
        .script = &m->script, .on_mismatch = ignore_mismatch, .repeat_script = true};
    server_open_with(&m->server, haft__mock_handle, &m->mock, &m->mock.loop);
}

static void mock_close(mock_case *m)
{
    server_close(&m->server);
    haft__arena_finish(&m->arena);
}

static int ask(mock_case *m, const char *more)
{
    char body[512], request[1024];
    (void)snprintf(body, sizeof(body),
                   "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]%s}",
                   more);
    (void)snprintf(request, sizeof(request),
                   "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    return server_status(server_exchange(&m->server, request));
}

static const struct {
    const char *script, *more;
    int status;
} cases[] = {
    {"{\"replies\":[{\"text\":\"hi\"}]}", "", 200},
    {"{\"replies\":[{\"calls\":[{\"name\":\"a:b\",\"arguments\":{}}]}]}", ",\"stream\":true", 200},
    {"{\"replies\":[{\"text\":\"hi\",\"cut\":5}]}", "", 200},
    {"{\"replies\":[{\"text\":\"hi\",\"delay\":0.001}]}", "", 200},
    {"{\"replies\":[{\"error\":{\"status\":429,\"body\":\"no\",\"headers\":{\"a\":\"b\"}}}]}", "",
     429},
    {"{\"replies\":[{\"expect\":{\"mode\":\"any\"}}]}", "", 400},
    {"{\"replies\":[]}", ",\"oops\":1", 400},
};

/* A request is answered, rejected with 500, or dropped; the next one is answered as usual. */
TEST(a_mock_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        mock_case m;
        mock_open(&m, cases[i].script);
        CHECK_INT(ask(&m, cases[i].more), cases[i].status, "%s", cases[i].script);
        for (unsigned n = 0;; n++) {
            test_fail_allocation(n);
            int status = ask(&m, cases[i].more);
            bool failed = test_allow_allocations();
            CHECK(status == cases[i].status || (failed && (status == 500 || status == 0)),
                  "%s, allocation %u: %d", cases[i].script, n, status);
            if (!failed) {
                break;
            }
        }
        CHECK_INT(ask(&m, cases[i].more), cases[i].status, "%s, the next request", cases[i].script);
        mock_close(&m);
    }
}

/* A reply that cannot be sent completely is not sent at all. */
TEST(a_reply_that_is_too_long_is_an_error)
{
    enum { CALLS = 9 };
    mock_case m;
    mock_open(&m, "{\"replies\":[]}");
    char *text = test_alloc(8U << 20);
    memset(text, '"', 8U << 20);
    haft__json name = haft__json_string(HAFT__LIT("a"));
    haft__json raw = haft__json_string((haft_str){text, 8U << 20});
    haft__json_member call[] = {{haft__json_string(HAFT__LIT("name")), name},
                                {haft__json_string(HAFT__LIT("raw")), raw}};
    haft__json calls[CALLS];
    for (size_t i = 0; i < CALLS; i++) {
        calls[i] = haft__json_object(call, 2);
    }
    haft__json_member reply = {haft__json_string(HAFT__LIT("calls")),
                               haft__json_array(calls, CALLS)};
    haft__json one = haft__json_object(&reply, 1);
    haft__json_member document = {haft__json_string(HAFT__LIT("replies")),
                                  haft__json_array(&one, 1)};
    CHECK_INT(haft__script_init(&m.script, &m.arena, haft__json_object(&document, 1), NULL),
              HAFT_OK, "no script");
    CHECK_INT(ask(&m, ""), 500, "the whole reply");
    CHECK_INT(ask(&m, ",\"stream\":true"), 500, "the streamed reply");
    mock_close(&m);
}

/* The server stops while replies are delayed. */
TEST(delayed_requests_are_ended_when_the_server_stops)
{
    mock_case m;
    mock_open(&m, "{\"replies\":[{\"delay\":3600},{\"text\":\"x\"}]}");
    const char *body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    char request[512];
    (void)snprintf(request, sizeof(request),
                   "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    int fd = server_dial(&m.server);
    CHECK(server_send(&m.server, fd, haft__str(request)), "not sent");
    for (int i = 0; i < 30000 && m.script.next == 0; i++) {
        CHECK_INT(haft__loop_step(m.server.loop, 10, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(m.script.next, 1, "replies that were used");
    CHECK_INT(ask(&m, ""), 200, "the status of another request");
    mock_close(&m);
    (void)close(fd);
}
