/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/server_error.c: each server's errors, in words and by kind. */
#include "model/reply_help.h"
#include "model/server_error.h"

#include "base/limits.h"
#include "base/utf8.h"

#define HTTP(n) "HTTP " n " from the model server: "

static const struct {
    const char *name;
    uint32_t status;
    const char *body, *id, *wanted;
} cases[] = {
    {"openai, key", 401,
     "{'error':{'message':'Incorrect API key provided','type':'invalid_request_error','param':null,"
     "'code':'invalid_api_key'}}",
     "", "auth " HTTP("401") "Incorrect API key provided (invalid_request_error, invalid_api_key)"},
    {"openai, place and id", 400,
     "{'error':{'message':'bad name','type':'invalid_request_error','param':"
     "'tools[0].function.name','code':null}}",
     "req_1",
     "other " HTTP("400") "bad name (invalid_request_error, at tools[0].function.name, request "
                          "req_1)"},
    {"openai, quota", 429,
     "{'error':{'message':'You exceeded your quota','type':'insufficient_quota','code':"
     "'insufficient_quota'}}",
     "", "quota " HTTP("429") "You exceeded your quota (insufficient_quota, insufficient_quota)"},
    {"openai, rate", 429,
     "{'error':{'message':'Rate limit','type':'tokens','code':'rate_limit_exceeded'}}", "",
     "transient " HTTP("429") "Rate limit (tokens, rate_limit_exceeded)"},
    {"openai, context", 400,
     "{'error':{'message':'too long','type':'invalid_request_error','code':"
     "'context_length_exceeded'}}",
     "", "context " HTTP("400") "too long (invalid_request_error, context_length_exceeded)"},
    {"an error of a content filter", 400,
     "{'error':{'message':'filtered','code':'content_filter'}}", "",
     "policy " HTTP("400") "filtered (content_filter)"},
    {"llama.cpp, context", 400,
     "{'error':{'code':400,'message':'too long','type':'exceed_context_size_error'}}", "",
     "context " HTTP("400") "too long (exceed_context_size_error, 400)"},
    {"llama.cpp, loading", 503,
     "{'error':{'code':503,'message':'Loading model','type':'unavailable_error'}}", "",
     "transient " HTTP("503") "Loading model (unavailable_error, 503)"},
    {"vllm", 404,
     "{'error':{'message':'The model `x` does not exist.','type':'NotFoundError','param':null,"
     "'code':404}}",
     "", "other " HTTP("404") "The model `x` does not exist. (NotFoundError, 404)"},
    {"vllm, older", 400,
     "{'object':'error','message':'no','type':'BadRequestError','param':null,'code':400}", "",
     "other " HTTP("400") "no (BadRequestError, 400)"},
    {"mistral, 422", 422,
     "{'detail':[{'loc':['body','model'],'msg':'Field required','type':'missing'},{'msg':'x'}]}",
     "", "other " HTTP("422") "Field required (missing)"},
    {"a detail that is a text", 403, "{'detail':'Not allowed'}", "",
     "auth " HTTP("403") "Not allowed"},
    {"mistral, key", 401, "{'message':'Unauthorized','request_id':'r'}", "",
     "auth " HTTP("401") "Unauthorized"},
    {"deepseek, balance", 402,
     "{'error':{'message':'Insufficient Balance','type':'unknown_error'}}", "",
     "quota " HTTP("402") "Insufficient Balance (unknown_error)"},
    {"ollama", 404, "{'error':'model \\'x\\' not found'}", "",
     "other " HTTP("404") "model \"x\" not found"},
    {"a list", 400, "[{'error':{'code':400,'message':'bad','status':'INVALID_ARGUMENT'}}]", "",
     "other " HTTP("400") "bad (INVALID_ARGUMENT, 400)"},
    {"too large", 413, "", "", "context " HTTP("413") "no message"},
    {"a conflict", 409, "", "", "transient " HTTP("409") "no message"},
    {"a timeout", 408, "", "", "transient " HTTP("408") "no message"},
    {"nothing", 500, "", "r", "transient " HTTP("500") "no message (request r)"},
    {"529", 529, "{'error':{}}", "", "transient " HTTP("529") "{\"error\":{}}"},
    {"null", 500, "null", "", "transient " HTTP("500") "null"},
    {"an empty message", 500, "{'error':{'message':' ','type':'server_error'}}", "",
     "transient " HTTP("500") "{\"error\":{\"message\":\" \",\"type\":\"server_error\"}} "
                              "(server_error)"},
    {"messages that are not texts", 500, "{'error':{'message':{'a':1},'type':7,'code':true}}", "",
     "transient " HTTP("500") "{\"error\":{\"message\":{\"a\":1},\"type\":7,\"code\":true}} (7)"},
    {"an empty detail", 422, "{'detail':[]}", "", "other " HTTP("422") "{\"detail\":[]}"},
    {"broken JSON", 500, "{'error':{'message':'half", "",
     "transient " HTTP("500") "{\"error\":{\"message\":\"half"},
    {"HTML", 502,
     "<html>\r\n<head><title>502 Bad Gateway</title><script>alert('<p>')</script></head>\r\n<body>"
     "<center><h1>502 Bad&nbsp;Gateway</h1></center><!-- <b> --><hr>nginx &lt;1&gt; &#39;x&#39; "
     "&quot;y&quot; &amp; &unknown; &</body></html>",
     "",
     "transient " HTTP("502") "502 Bad Gateway 502 Bad Gateway nginx <1> 'x' \"y\" & &unknown; &"},
    {"HTML that was cut", 502, "<html><body>Bad<p class=", "", "transient " HTTP("502") "Bad"},
    {"HTML at a place that is not there", 404, "<h1>Not Found</h1>", "",
     "other " HTTP("404") "Not Found; is base_url right? It usually ends in /v1"},
    {"text", 500, "\n oops \x01\t\x7F now \xFF\n", "", "transient " HTTP("500") "oops now ?"},
    {"a page without an error", 302, "Moved", "", "other " HTTP("302") "Moved"},
    {"a body without a message", 300, "", "", "other " HTTP("300") "no message"},
};

static haft_status describe(size_t i, haft__buf *buf)
{
    haft__arena arena;
    haft__model_failure failure;
    haft__arena_init(&arena, 0);
    haft_status status = haft__server_error_read_failure(
        cases[i].status, help_quotes(cases[i].body), haft__str(cases[i].id), (haft__hash_key){1, 2},
        (haft__cleaner){0}, &arena, &failure, NULL);
    if (status == HAFT_OK) {
        CHECK_INT(failure.status, cases[i].status, "%s", cases[i].name);
        haft__buf_addf(buf, "%s %.*s", haft__failure_name(failure.kind),
                       HAFT__ARG(failure.message));
    }
    haft__arena_finish(&arena);
    return status;
}

/* How servers without a code for it say that a request is too long. */
static const struct {
    const char *server;
    uint32_t status;
    const char *body, *kind;
} too_long[] = {
    {"anthropic", 400,
     "{'type':'error','error':{'type':'invalid_request_error','message':'prompt is too long: "
     "208310 "
     "tokens > 200000 maximum'},'request_id':'r'}",
     "context"},
    {"anthropic, with the reply", 400,
     "{'type':'error','error':{'type':'invalid_request_error','message':'input length and "
     "`max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or "
     "`max_tokens` and try again'}}",
     "context"},
    {"gemini", 400,
     "{'error':{'code':400,'message':'The input token count (1200293) exceeds the maximum number "
     "of "
     "tokens allowed (1048576).','status':'INVALID_ARGUMENT'}}",
     "context"},
    {"openai responses", 400,
     "{'error':{'message':'Your input exceeds the context window of this model. Please adjust your "
     "input and try again.','type':'invalid_request_error','param':'input','code':null}}",
     "context"},
    {"vllm", 400,
     "{'object':'error','message':'This model\\u0027s maximum context length is 4096 tokens. "
     "However, you "
     "requested 5000 tokens (4800 in the messages, 200 in the completion).','type':"
     "'BadRequestError','param':null,'code':400}",
     "context"},
    {"vllm, newer", 400,
     "{'error':{'message':'You passed 5000 input tokens and requested 1 output tokens. However, "
     "the model\\u0027s context length is only 4096 tokens.','type':'BadRequestError','code':400}}",
     "context"},
    {"vllm, decoder", 400,
     "{'error':{'message':'The decoder prompt (length 5000) is longer than the maximum model "
     "length of 4096.','type':'BadRequestError','code':400}}",
     "context"},
    {"sglang", 400,
     "{'object':'error','message':'The input (5000 tokens) is longer than the "
     "model\\u0027s context length (4096 tokens).','type':'BadRequestError','code':400}",
     "context"},
    {"mistral", 400,
     "{'object':'error','message':'Prompt contains 40000 tokens, too large for model with 32768 "
     "maximum context length','type':'invalid_request_error','code':'3051'}",
     "context"},
    {"xai", 400,
     "{'code':'Client specified an invalid argument','error':'This model\\u0027s maximum prompt "
     "length is "
     "131072 but the request contains 195238 tokens.'}",
     "context"},
    {"ollama", 400, "{'error':'prompt too long; exceeded max context length by 12 tokens'}",
     "context"},
    {"ollama, 500", 500, "{'error':'the input length exceeds the context length'}", "context"},
    {"llama.cpp, older", 400,
     "{'error':{'code':400,'message':'the request exceeds the available context size. try "
     "increasing "
     "the context size','type':'invalid_request_error'}}",
     "context"},
    {"lm studio", 400,
     "{'error':'Trying to keep the first 5000 tokens when context the overflows. However, the "
     "model "
     "is loaded with context length of only 4096 tokens.'}",
     "context"},
    {"lm studio, keep", 400,
     "{'error':'The number of tokens to keep from the initial prompt is greater than the context "
     "length.'}",
     "context"},
    {"bedrock", 400, "{'message':'Input is too long for requested model.'}", "context"},
    {"tgi", 422,
     "{'error':'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.',"
     "'error_type':'validation'}",
     "context"},
    {"a limit for each minute", 429,
     "{'error':{'message':'maximum context length','code':'rate_limit_exceeded'}}", "transient"},
    {"a key", 401, "{'error':{'message':'prompt is too long'}}", "auth"},
    {"another limit", 400, "{'error':{'message':'max_tokens is too large'}}", "other"},
    {"another crash", 500, "{'error':'the runner has ended'}", "transient"},
};

TEST(a_request_that_is_too_long_is_recognised_by_the_words_of_each_server)
{
    for (size_t i = 0; i < COUNT(too_long); i++) {
        haft__arena arena;
        haft__model_failure failure;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__server_error_read_failure(too_long[i].status, help_quotes(too_long[i].body),
                                                  HAFT__LIT(""), (haft__hash_key){1, 2},
                                                  (haft__cleaner){0}, &arena, &failure, NULL),
                  HAFT_OK, "%s", too_long[i].server);
        CHECK_STR(haft__str(haft__failure_name(failure.kind)), haft__str(too_long[i].kind), "%s",
                  too_long[i].server);
        haft__arena_finish(&arena);
    }
}

TEST(errors_are_put_into_words)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(describe(i, &found), HAFT_OK, "%s", cases[i].name);
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].wanted), "%s", cases[i].name);
        haft__buf_finish(&found);
    }
}

TEST(errors_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            char kept[4096];
            haft__buf found = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
            test_fail_allocation(n);
            haft_status status = describe(i, &found);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}

static haft_str failure_of(haft__arena *arena, haft_str body, haft_str id)
{
    haft__model_failure failure = {.message = {NULL, 0}};
    CHECK_INT(haft__server_error_read_failure(500, body, id, (haft__hash_key){1, 2},
                                              (haft__cleaner){0}, arena, &failure, NULL),
              HAFT_OK, "read the failure");
    return failure.message;
}

/* A message of 2-byte characters, in the error's own field. */
static haft_str long_message(size_t chars)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft__buf_addf(&body, "{\"error\":{\"message\":\"");
    for (size_t i = 0; i < chars; i++) {
        haft__buf_addf(&body, "\xC3\xA4");
    }
    haft__buf_addf(&body, "\"}}");
    char *text = test_alloc(body.len);
    size_t length = body.len;
    memcpy(text, body.ptr, length);
    haft__buf_finish(&body);
    return (haft_str){text, length};
}

TEST(messages_are_bounded)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str none = {NULL, 0};
    size_t head = strlen(HTTP("500"));
    haft_str text = failure_of(&arena, long_message(HAFT__LIMIT_MODEL_ERROR_CHARS - 1), none);
    CHECK_INT(haft__utf8_length(text), head + HAFT__LIMIT_MODEL_ERROR_CHARS - 1,
              "length of a message at the limit");
    CHECK(!haft__str_ends_with(text, HAFT__LIT("...")), "a message at the limit is complete");
    text = failure_of(&arena, long_message(HAFT__LIMIT_MODEL_ERROR_CHARS + 1), none);
    CHECK_INT(haft__utf8_length(text), head + HAFT__LIMIT_MODEL_ERROR_CHARS - 1 + 3,
              "length of a message past the limit");
    CHECK(haft__str_ends_with(text, HAFT__LIT("\xC3\xA4...")),
          "a message past the limit ends in dots");
    CHECK(haft__utf8_valid(text), "a truncated message is UTF-8");
    char *words = test_alloc(1000);
    memset(words, 'w', 1000);
    text = failure_of(&arena, none, (haft_str){words, 1000});
    CHECK_INT(text.len, head + strlen("no message (request )") + 79 + 3, "a long id is truncated");
    haft__arena_finish(&arena);
}

/* Bytes after the limit are not read: an error there is ignored. */
TEST(bodies_of_errors_are_bounded)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const char tail[] = "{\"error\":\"found\"}";
    for (size_t more = 0; more < 2; more++) {
        size_t length = HAFT__LIMIT_MODEL_ERROR_BYTES + more;
        char *body = test_alloc(length);
        memset(body, ' ', length);
        memcpy(body + length - strlen(tail), tail, strlen(tail));
        haft_str text = failure_of(&arena, (haft_str){body, length}, HAFT__LIT(""));
        CHECK_STR(text,
                  more == 0 ? HAFT__LIT(HTTP("500") "found")
                            : HAFT__LIT(HTTP("500") "{\"error\":\"found\""),
                  "%zu more than the limit", more);
    }
    haft__arena_finish(&arena);
}

TEST(kinds_of_failures_have_names)
{
    static const char *const names[] = {"other",  "transient", "auth", "quota",
                                        "policy", "context",   "cut",  "garbled"};
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK_STR(haft__str(haft__failure_name((haft__failure_kind)i)), haft__str(names[i]),
                  "case %zu", i);
    }
}

TEST(an_error_of_google_says_how_long_to_wait)
{
    static const struct {
        const char *delay;
        bool has_wait;
        uint64_t wait_ms;
    } rows[] = {
        {"7s", true, 7000}, {"0.5s", true, 500}, {"1.0001s", true, 1001},
        {"7", false, 0},    {"s", false, 0},     {"-1s", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char body[512];
        haft__arena arena;
        haft__model_failure failure = {.status = 0};
        haft__arena_init(&arena, 0);
        (void)snprintf(body, sizeof(body),
                       "{'error':{'code':429,'message':'Slow','status':'RESOURCE_EXHAUSTED',"
                       "'details':[{'@type':'type.googleapis.com/google.rpc.Help'},{'@type':"
                       "'type.googleapis.com/google.rpc.RetryInfo','retryDelay':'%s'}]}}",
                       rows[i].delay);
        CHECK_INT(haft__server_error_read_failure(429, help_quotes(body), HAFT__LIT(""),
                                                  (haft__hash_key){1, 2}, (haft__cleaner){0},
                                                  &arena, &failure, NULL),
                  HAFT_OK, "%s", rows[i].delay);
        CHECK_INT(failure.kind, HAFT__FAILURE_TRANSIENT, "%s", rows[i].delay);
        CHECK_INT(failure.has_wait, rows[i].has_wait, "%s", rows[i].delay);
        CHECK_INT(failure.wait_ms, rows[i].wait_ms, "%s", rows[i].delay);
        haft__arena_finish(&arena);
    }
}
