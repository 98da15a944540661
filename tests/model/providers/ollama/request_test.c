/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/ollama/request.c, request_messages.c and the URLs and headers of
 * ollama.c, through the table of providers. */
#include "model/conversation.h"
#include "model/provider.h"

#include "test.h"
#include "json/read.h"

static const haft__tool look = {.name = HAFT__LIT("look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool search = {.name = HAFT__LIT("docs:search"),
                                  .description = HAFT__LIT("Searches."),
                                  .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const tools[] = {&look, &search};

static const haft__message_call calls[] = {
    {.id = HAFT__LIT("c1"), .name = HAFT__LIT("look"), .arguments = HAFT__LIT("{\"q\":1}")},
    {.id = HAFT__LIT("c2"), .name = HAFT__LIT("docs:search"), .arguments = HAFT__LIT("oops")},
};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT,
     .reasoning = HAFT__LIT("Hm."),
     .calls = calls,
     .call_count = COUNT(calls)},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("one"),
     .call_id = HAFT__LIT("c1"),
     .call_name = HAFT__LIT("look")},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Error: no"),
     .call_id = HAFT__LIT("c2"),
     .call_name = HAFT__LIT("docs:search"),
     .is_error = true},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("Here."), .reasoning = HAFT__LIT("So.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Thanks.")},
};

#define LOOK                                                                                       \
    "{\"type\":\"function\",\"function\":{\"name\":\"look\",\"description\":\"Looks.\","           \
    "\"parameters\":{\"type\":\"object\"}}}"
#define SEARCH                                                                                     \
    "{\"type\":\"function\",\"function\":{\"name\":\"docs_-_search\","                             \
    "\"description\":\"Searches.\",\"parameters\":{\"type\":\"object\"}}}"
#define BOTH   ",\"tools\":[" LOOK "," SEARCH "]"
#define SYSTEM "{\"role\":\"system\",\"content\":\"Be brief.\"}"
#define USER   "{\"role\":\"user\",\"content\":\"Find it.\"}"
#define ASKED                                                                                      \
    "{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Hm.\",\"tool_calls\":["               \
    "{\"id\":\"c1\",\"function\":{\"name\":\"look\",\"arguments\":{\"q\":1}}},"                    \
    "{\"id\":\"c2\",\"function\":{\"name\":\"docs_-_search\","                                     \
    "\"arguments\":{\"not_an_object\":\"oops\"}}}]}"
#define RESULTS                                                                                    \
    "{\"role\":\"tool\",\"tool_name\":\"look\",\"tool_call_id\":\"c1\",\"content\":\"one\"},"      \
    "{\"role\":\"tool\",\"tool_name\":\"docs_-_search\",\"tool_call_id\":\"c2\","                  \
    "\"content\":\"Error: no\"}"
#define ANSWER  "{\"role\":\"assistant\",\"content\":\"Here.\"}"
#define THANKS  "{\"role\":\"user\",\"content\":\"Thanks.\"}"
#define SAFE    ",\"truncate\":false,\"shift\":false"
#define CONTEXT ",\"options\":{\"num_ctx\":8192}"

static const haft__provider *ollama(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("ollama")};
    return haft__provider_for_model(&model);
}

static haft__request request_of(const haft__messages *messages, const bool *allowed)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = COUNT(tools),
                           .callable_count = COUNT(tools),
                           .format = HAFT__LIT("native")};
}

/* ---- choices ---- */

#define LINE(text) ",{\"role\":\"user\",\"content\":\"" text "\"}"

static const struct {
    haft__choice_mode mode;
    bool look, search;
    const char *correction, *tools, *line;
} choices[] = {
    {HAFT__MODE_AUTO, true, true, "", BOTH, ""},
    {HAFT__MODE_AUTO, true, false, "", BOTH, ""}, /* haft refuses calls of the other tool */
    {HAFT__MODE_AUTO, false, false, "", "", ""},
    {HAFT__MODE_NONE, true, true, "", "", ""},
    {HAFT__MODE_ANY, true, true, "", BOTH, LINE("Call a tool now; do not answer in text yet.")},
    {HAFT__MODE_ANY, true, true, "Call one.", BOTH, LINE("Call one.")},
    {HAFT__MODE_TOOL, false, true, "", ",\"tools\":[" SEARCH "]",
     LINE("Call the tool docs_-_search now.")},
};

TEST(the_choice_is_expressed_by_tools_and_a_line)
{
    haft__messages messages = {.items = items, .count = 2};
    for (size_t i = 0; i < COUNT(choices); i++) {
        bool allowed[] = {choices[i].look, choices[i].search};
        haft__request request = request_of(&messages, allowed);
        haft__provider_conversation *conversation = NULL;
        haft__provider_request_options options = {.stream = i % 2 == 0};
        haft__buf found, wanted;
        haft__buf_init(&found, 1 << 16);
        haft__buf_init(&wanted, 1 << 16);
        request.mode = choices[i].mode;
        request.tool = HAFT__LIT("docs:search");
        request.correction = haft__str(choices[i].correction);
        const haft__provider *provider = ollama();
        CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
        CHECK_INT(haft__conversation_write(conversation, &request, &options, &found, NULL), HAFT_OK,
                  "%zu", i);
        haft__buf_addf(&wanted,
                       "{\"model\":\"m\"%s,\"messages\":[" SYSTEM "," USER
                       "%s],\"stream\":%s" SAFE CONTEXT "}",
                       choices[i].tools, choices[i].line, i % 2 == 0 ? "true" : "false");
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "%zu", i);
        haft__conversation_destroy(conversation);
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
    }
}

/* ---- messages ---- */

static haft_status converse(haft__provider_conversation *conversation, size_t count,
                            const char *format, haft__buf *buf)
{
    static const bool allowed[] = {true, true};
    haft__messages messages = {.items = items, .count = count};
    haft__request request = request_of(&messages, allowed);
    haft__provider_request_options options = {.stream = true};
    request.format = haft__str(format);
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, &request, &options, buf, NULL);
}

TEST(a_history_has_thinking_objects_and_names_of_results)
{
    const haft__provider *provider = ollama();
    haft__provider_conversation *conversation = NULL;
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(converse(conversation, 2, "native", &found), HAFT_OK, "the first request");
    CHECK_INT(converse(conversation, 7, "native", &found), HAFT_OK, "the second request");
    CHECK_STR(haft__buf_str(&found),
              HAFT__LIT("{\"model\":\"m\"" BOTH ",\"messages\":[" SYSTEM "," USER "," ASKED
                        "," RESULTS "," ANSWER "," THANKS "],\"stream\":true" SAFE CONTEXT "}"),
              "the whole history");
    CHECK_INT(converse(conversation, 7, "purejson", &found), HAFT_OK, "another format");
    haft__buf_add_char(&found, '\0');
    CHECK(strstr(found.ptr, "\"tools\"") == NULL && strstr(found.ptr, "tool_calls") == NULL,
          "tools and calls are in the text: %.*s", HAFT__ARG(haft__buf_str(&found)));
    haft__conversation_destroy(conversation);
    haft__buf_finish(&found);
}

static haft_status talk(void)
{
    const haft__provider *provider = ollama();
    haft__provider_conversation *conversation = NULL;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft_status status = haft__conversation_create(provider, &conversation, NULL);
    static const char *const formats[] = {"native", "hermes", "native"};
    for (size_t i = 0; i < COUNT(formats) && status == HAFT_OK; i++) {
        status = converse(conversation, 3 + 2 * i, formats[i], &buf);
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&buf);
    return status;
}

TEST(requests_survive_every_failed_allocation)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        test_fail_allocation(n);
        haft_status status = talk();
        failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
    }
}

/* ---- options ---- */

static const struct {
    const char *options, *end;
} ends[] = {
    {"null", SAFE CONTEXT},
    {"{\"temperature\":0.20,\"stream\":true,\"model\":\"x\"}",
     SAFE ",\"options\":{\"num_ctx\":8192,\"temperature\":0.20}"},
    {"{\"max_tokens\":5}", SAFE ",\"options\":{\"num_ctx\":8192,\"num_predict\":5}"},
    {"{\"max_completion_tokens\":5,\"options\":{\"num_predict\":6,\"top_k\":7},\"top_k\":8}",
     SAFE ",\"options\":{\"num_ctx\":8192,\"num_predict\":6,\"top_k\":7}"},
    {"{\"num_ctx\":32000}", SAFE ",\"options\":{\"num_ctx\":32000}"},
    {"{\"num_ctx\":null}", SAFE ",\"options\":{}"},
    {"{\"options\":{\"num_ctx\":9}}", SAFE ",\"options\":{\"num_ctx\":9}"},
    {"{\"max_tokens\":9000}", SAFE ",\"options\":{\"num_ctx\":16384,\"num_predict\":9000}"},
    {"{\"max_tokens\":-1}", SAFE ",\"options\":{\"num_ctx\":8192,\"num_predict\":-1}"},
    {"{\"keep_alive\":\"10m\",\"think\":\"high\"}",
     ",\"think\":\"high\",\"keep_alive\":\"10m\"" SAFE CONTEXT},
    {"{\"reasoning_effort\":\"low\"}", SAFE ",\"think\":\"low\"" CONTEXT},
    {"{\"reasoning_effort\":\"none\"}", SAFE ",\"think\":false" CONTEXT},
    {"{\"reasoning_effort\":\"low\",\"think\":false}", ",\"think\":false" SAFE CONTEXT},
    {"{\"truncate\":true,\"shift\":null}", ",\"truncate\":true" CONTEXT},
    {"{\"reasoning_effort\":\"minimal\"}", SAFE ",\"think\":\"low\"" CONTEXT},
    {"{\"reasoning_effort\":\"xhigh\"}", SAFE ",\"think\":\"max\"" CONTEXT},
    {"{\"stop\":[\"x\"],\"response_format\":{},\"parallel_tool_calls\":false,\"user\":\"u\"}",
     SAFE ",\"options\":{\"num_ctx\":8192,\"stop\":[\"x\"]}"},
};

TEST(options_are_request_members_or_model_options)
{
    haft__messages messages = {.items = items, .count = 1};
    const haft__provider *provider = ollama();
    for (size_t i = 0; i < COUNT(ends); i++) {
        haft__arena arena;
        haft__buf found, wanted;
        haft__provider_conversation *conversation = NULL;
        haft__provider_request_options options = {.stream = false};
        haft__request request = {
            .model = HAFT__LIT("m"), .messages = &messages, .format = HAFT__LIT("native")};
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 16);
        haft__buf_init(&wanted, 1 << 16);
        CHECK_INT(
            haft__json_read(&arena, haft__str(ends[i].options), NULL, &options.options, NULL, NULL),
            HAFT_OK, "%s", ends[i].options);
        CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
        CHECK_INT(haft__conversation_write(conversation, &request, &options, &found, NULL), HAFT_OK,
                  "%s", ends[i].options);
        haft__buf_addf(&wanted, "{\"model\":\"m\",\"messages\":[" SYSTEM "],\"stream\":false%s}",
                       ends[i].end);
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "%s", ends[i].options);
        haft__conversation_destroy(conversation);
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
        haft__arena_finish(&arena);
    }
}

TEST(the_context_grows_with_the_conversation_and_never_shrinks)
{
    static char text[40000];
    static const struct {
        size_t bytes;
        const char *context;
    } turns[] = {
        {100, "\"num_ctx\":8192"}, {40000, "\"num_ctx\":32768"}, {10, "\"num_ctx\":32768"}};
    const haft__provider *provider = ollama();
    haft__provider_conversation *conversation = NULL;
    haft__buf found;
    memset(text, 'a', sizeof(text));
    haft__buf_init(&found, 1 << 20);
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    for (size_t i = 0; i < COUNT(turns); i++) {
        haft__message message = {.role = HAFT__MESSAGE_USER, .text = {text, 30}};
        haft__messages messages = {.items = &message, .count = 1};
        haft__request request = {.model = HAFT__LIT("m"),
                                 .messages = &messages,
                                 .correction = {text, turns[i].bytes},
                                 .format = HAFT__LIT("native")};
        haft__provider_request_options options = {.stream = true};
        haft__buf_clear(&found);
        /* 40,000 bytes are more than 13,000 tokens; with the reply, more than 16,384. */
        CHECK_INT(haft__conversation_write(conversation, &request, &options, &found, NULL), HAFT_OK,
                  "%zu", i);
        haft__buf_add_char(&found, '\0');
        CHECK(strstr(found.ptr, turns[i].context) != NULL, "%zu: expected %s", i, turns[i].context);
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&found);
}

TEST(a_constraint_is_the_format)
{
    haft__messages messages = {.items = items, .count = 1};
    haft__request request = {
        .model = HAFT__LIT("m"),
        .messages = &messages,
        .format = HAFT__LIT("purejson"),
        .constraint = {.kind = HAFT__CONSTRAINT_JSON_SCHEMA, .text = HAFT__LIT("{\"type\":1}")}};
    haft__provider_request_options options = {.stream = true};
    const haft__provider *provider = ollama();
    haft__provider_conversation *conversation = NULL;
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(haft__conversation_write(conversation, &request, &options, &found, NULL), HAFT_OK,
              "write");
    haft__buf_add_char(&found, '\0');
    CHECK(strstr(found.ptr, "],\"format\":{\"type\":1},\"stream\":true") != NULL, "%s", found.ptr);
    haft__conversation_destroy(conversation);
    haft__buf_finish(&found);
}

/* ---- URLs and headers ---- */

TEST(base_urls_of_other_apis_give_the_url_of_the_chat_api)
{
    static const char *const urls[][2] = {
        {"", "http://127.0.0.1:11434/api/chat"},
        {"http://h:1", "http://h:1/api/chat"},
        {"http://h:1/", "http://h:1/api/chat"},
        {"http://h:1/v1", "http://h:1/api/chat"},
        {" http://h:1/v1/ ", "http://h:1/api/chat"},
        {"http://h:1/api", "http://h:1/api/chat"},
        {"http://h:1/api/chat", "http://h:1/api/chat"},
        {"https://h/ollama", "https://h/ollama/api/chat"},
        {"http://h:1/x?a=1", "http://h:1/x/api/chat?a=1"},
    };
    const haft__provider *provider = ollama();
    for (size_t i = 0; i < COUNT(urls); i++) {
        haft__model_spec model = {.provider = HAFT__LIT("ollama"),
                                  .base_url = haft__str(urls[i][0])};
        haft__buf found;
        haft__buf_init(&found, 4096);
        CHECK_INT(provider->api->write_url(provider, &model, &found, NULL), HAFT_OK, "%s",
                  urls[i][0]);
        CHECK_STR(haft__buf_str(&found), haft__str(urls[i][1]), "%s", urls[i][0]);
        haft__buf_finish(&found);
    }
}

TEST(a_key_is_a_bearer_token)
{
    const haft__provider_api *api = ollama()->api;
    haft__provider_headers headers = {.count = 9};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(api->write_headers(HAFT__LIT(""), &arena, &headers, NULL), HAFT_OK,
              "headers without a key");
    CHECK_INT(headers.count, 0, "headers without a key");
    CHECK_INT(api->write_headers(HAFT__LIT("k-1"), &arena, &headers, NULL), HAFT_OK,
              "headers with a key");
    CHECK_STR(headers.lines[0], HAFT__LIT("Authorization: Bearer k-1"), "headers with a key");
    haft__arena_finish(&arena);
}
