/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/ollama/stream.c, through the table of providers. */
#include "base/limits.h"
#include "model/provider.h"
#include "test.h"

/* The calls of a reply, and its texts, usage and end, on one line. */
static void describe(haft__buf *buf, const haft__model_outcome *outcome)
{
    const haft__reply *r = &outcome->reply;
    if (outcome->failed) {
        haft__buf_addf(buf, "%s: %.*s", haft__failure_name(outcome->failure.kind),
                       HAFT__ARG(outcome->failure.message));
        return;
    }
    haft__buf_addf(buf, "%s %.*s [%.*s] <%.*s> %llu/%llu", haft__stop_reason_name(r->stop),
                   HAFT__ARG(r->model), HAFT__ARG(r->reasoning), HAFT__ARG(r->content),
                   (unsigned long long)r->usage.input, (unsigned long long)r->usage.output);
    for (size_t i = 0; i < r->call_count; i++) {
        haft__buf_addf(buf, " %.*s:%.*s%.*s", HAFT__ARG(r->calls[i].id),
                       HAFT__ARG(r->calls[i].name), HAFT__ARG(r->calls[i].arguments));
    }
}

static haft_status read_body(haft_str body, size_t size, haft__arena *arena, haft__buf *buf)
{
    haft__model_spec model = {.provider = HAFT__LIT("ollama")};
    const haft__provider_api *api = haft__provider_for_model(&model)->api;
    haft__provider_stream *stream = test_alloc(api->stream_size);
    haft__provider_stream_options options = {.hash_key = {1, 2}};
    haft__model_outcome outcome = {.failed = true};
    bool over = false;
    haft_status status = HAFT_OK;
    api->init_stream(stream, &options);
    while (status == HAFT_OK && body.len > 0 && !over) {
        haft_str piece = {body.ptr, size < body.len ? size : body.len};
        status = api->feed(stream, piece, &over, NULL);
        body = haft__str_skip(body, piece.len);
    }
    if (status == HAFT_OK) {
        status = api->end(stream, arena, &outcome, NULL);
    }
    if (status == HAFT_OK) {
        describe(buf, &outcome);
    }
    api->finish_stream(stream);
    return status;
}

#define TEXT(text)                                                                                 \
    "{\"model\":\"m1\",\"message\":{\"role\":\"assistant\",\"content\":\"" text                    \
    "\"},\"done\":false}\n"
#define THINK(text)                                                                                \
    "{\"model\":\"m1\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"" text  \
    "\"},\"done\":false}\n"
#define CALL(id, name, arguments)                                                                  \
    "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{" id                   \
    "\"function\":{\"index\":0,\"name\":\"" name "\",\"arguments\":" arguments                     \
    "}}]},\"done\":false}\n"
#define END(reason)                                                                                \
    "{\"model\":\"m1\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":"            \
    "true," reason "\"total_duration\":5,\"prompt_eval_count\":26,\"eval_count\":7}\n"
#define STOP "\"done_reason\":\"stop\","

static const struct {
    const char *name, *body, *outcome;
} replies[] = {
    {"text", TEXT("Hel") TEXT("lo") END(STOP), "stop m1 [] <Hello> 26/7"},
    {"thinking", THINK("Let ") THINK("me.") TEXT("Hi") END(STOP), "stop m1 [Let me.] <Hi> 26/7"},
    {"calls with ids, and the stop reason is stop",
     THINK("Hm.") CALL("\"id\":\"call_1\",", "get", "{\"q\":\"x\"}")
         CALL("\"id\":\"call_2\",", "put", "{}") END(STOP),
     "tool_calls m1 [Hm.] <> 26/7 call_1:get{\"q\":\"x\"} call_2:put{}"},
    {"calls without ids", CALL("", "get", "{\"a\":[1,2]}") END(STOP),
     "tool_calls m1 [] <> 26/7 :get{\"a\":[1,2]}"},
    {"arguments as text", CALL("", "get", "\"{\\\"q\\\":1}\"") END(STOP),
     "tool_calls m1 [] <> 26/7 :get{\"q\":1}"},
    {"no arguments", CALL("", "get", "null") END(STOP), "tool_calls m1 [] <> 26/7 :get"},
    {"length", TEXT("Hel") END("\"done_reason\":\"length\","), "length m1 [] <Hel> 26/7"},
    {"an old server", TEXT("Hi") END(""), "stop m1 [] <Hi> 26/7"},
    {"a prompt from the cache",
     TEXT("Hi") "{\"model\":\"m1\",\"message\":{\"content\":\"\"},\"done\":true," STOP
                "\"eval_count\":3}",
     "stop m1 [] <Hi> 0/3"},
    {"a whole reply",
     "{\"model\":\"m1\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"thinking\":\"T\","
     "\"tool_calls\":[{\"function\":{\"name\":\"a\",\"arguments\":{}}},{\"function\":{\"name\":"
     "\"b\",\"arguments\":{}}}]},\"done\":true," STOP "\"prompt_eval_count\":1,\"eval_count\":2}",
     "tool_calls m1 [T] <Hi> 1/2 :a{} :b{}"},
    {"lines of other systems, and empty ones", "\r\n" TEXT("Hi") "\r\n\n" END(STOP) "\n",
     "stop m1 [] <Hi> 26/7"},
    {"a stream without an end", TEXT("Hel") TEXT("lo"),
     "cut: the reply was cut off before its end"},
    {"half a line", TEXT("Hel") "{\"model\":\"m1\",\"mess",
     "cut: the reply was cut off before its end"},
    {"an error after 200", TEXT("Hel") "{\"error\":\"the runner has stopped\"}\n",
     "other: the model server reported an error: the runner has stopped"},
    {"an error at once", "{\"error\":\"model 'x' not found\"}",
     "other: the model server reported an error: model 'x' not found"},
    {"nothing", "", "cut: the model server ended its response before a reply began"},
    {"no reply", "{\"status\":\"success\"}\n", "cut: the reply was cut off before its end"},
};

TEST(streams_and_replies_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        haft_str body = haft__str(replies[i].body);
        for (size_t size = 1; size <= body.len + 1; size++) {
            haft__arena arena;
            haft__buf found;
            haft__arena_init(&arena, 0);
            haft__buf_init(&found, 1 << 16);
            CHECK_INT(read_body(body, size, &arena, &found), HAFT_OK, "%s", replies[i].name);
            CHECK_STR(haft__buf_str(&found), haft__str(replies[i].outcome),
                      "%s, %zu bytes at a time", replies[i].name, size);
            haft__buf_finish(&found);
            haft__arena_finish(&arena);
        }
    }
}

TEST(a_reply_survives_every_failed_allocation)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        haft__arena arena;
        haft__buf found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 16);
        test_fail_allocation(n);
        haft_status status = read_body(haft__str(replies[2].body), 50, &arena, &found);
        failed = test_allow_allocations();
        CHECK(status == HAFT_NO_MEMORY || !failed || status == HAFT_OK, "allocation %u", n);
        CHECK(failed || haft__str_equal(haft__buf_str(&found), haft__str(replies[2].outcome)),
              "allocation %u", n);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

TEST(a_reply_has_a_limit_of_calls)
{
    for (size_t more = 0; more < 2; more++) {
        haft__arena arena;
        haft__buf body, found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, 1 << 20);
        haft__buf_init(&found, 1 << 20);
        for (size_t i = 0; i < HAFT__LIMIT_REPLY_CALLS + more; i++) {
            haft__buf_add_str(&body, HAFT__LIT(CALL("", "get", "{}")));
        }
        haft__buf_add_str(&body, HAFT__LIT(END(STOP)));
        CHECK_INT(read_body(haft__buf_str(&body), 4096, &arena, &found), HAFT_OK,
                  "%zu more than the limit", more);
        CHECK_INT(haft__str_starts_with(haft__buf_str(&found), HAFT__LIT("tool_calls m1")),
                  more == 0, "%zu more than the limit", more);
        CHECK_INT(haft__str_starts_with(haft__buf_str(&found), HAFT__LIT("garbled: ")), more == 1,
                  "%zu more than the limit", more);
        haft__buf_finish(&body);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}
