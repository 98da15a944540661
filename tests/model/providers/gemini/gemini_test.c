/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/gemini/gemini.c, through the table of providers. */
#include "model/conversation.h"
#include "model/provider.h"
#include "test.h"
#include "json/read.h"

static const haft__tool look = {.name = HAFT__LIT("docs:look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const tools[] = {&look};
static const bool allowed[] = {true};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("Where?")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Here.")},
};

static const haft__provider *gemini(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("gemini")};
    return haft__provider_for_model(&model);
}

#define HOST "https://generativelanguage.googleapis.com/v1beta/models/"

TEST(the_url_has_the_model_and_the_method)
{
    static const struct {
        const char *base_url, *model, *url;
        bool whole;
    } rows[] = {
        {"", "gemini-3-pro", HOST "gemini-3-pro:streamGenerateContent?alt=sse", false},
        {"", "gemini-3-pro", HOST "gemini-3-pro:generateContent", true},
        {"", "models/gemini-3-pro", HOST "gemini-3-pro:generateContent", true},
        {"", "a b:c", HOST "a%20b%3Ac:generateContent", true},
        {"http://h:8", "g", "http://h:8/v1beta/models/g:streamGenerateContent?alt=sse", false},
        {"http://h/v1/", "g", "http://h/v1/models/g:streamGenerateContent?alt=sse", false},
        {"http://h/v1beta?k=1", "g", "http://h/v1beta/models/g:streamGenerateContent?k=1&alt=sse",
         false},
        {"http://h/proxy", "tunedModels/t", "http://h/proxy/v1beta/tunedModels/t:generateContent",
         true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json options = haft__json_null();
        haft__buf url;
        haft__arena_init(&arena, 0);
        haft__buf_init(&url, 4096);
        if (rows[i].whole) {
            CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"stream\":false}"), NULL, &options, NULL,
                                      NULL),
                      HAFT_OK, "options");
        }
        haft__model_spec model = {.provider = HAFT__LIT("gemini"),
                                  .model = haft__str(rows[i].model),
                                  .base_url = haft__str(rows[i].base_url),
                                  .options = options};
        CHECK_INT(gemini()->api->write_url(gemini(), &model, &url, NULL), HAFT_OK, "%s",
                  rows[i].url);
        CHECK_STR(haft__buf_str(&url), haft__str(rows[i].url), "%s", rows[i].url);
        haft__buf_finish(&url);
        haft__arena_finish(&arena);
    }
}

TEST(an_invalid_url_is_an_error)
{
    haft__model_spec model = {
        .provider = HAFT__LIT("gemini"), .model = HAFT__LIT("g"), .base_url = HAFT__LIT("nowhere")};
    haft__buf url;
    haft_error err = {0};
    haft__buf_init(&url, 4096);
    CHECK_INT(gemini()->api->write_url(gemini(), &model, &url, &err), HAFT_BAD_INPUT,
              "a URL without a host");
    haft__buf_finish(&url);
    for (unsigned n = 0;; n++) {
        model.base_url = HAFT__LIT("http://h");
        haft__buf_init(&url, 4096);
        test_fail_allocation(n);
        haft_status status = gemini()->api->write_url(gemini(), &model, &url, NULL);
        bool failed = test_allow_allocations();
        haft__buf_finish(&url);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}

TEST(the_key_is_a_header_of_google)
{
    haft__provider_headers headers = {.count = 9};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(gemini()->api->write_headers(HAFT__LIT(""), &arena, &headers, NULL), HAFT_OK,
              "headers without a key");
    CHECK_INT(headers.count, 0, "headers without a key");
    CHECK_INT(gemini()->api->write_headers(HAFT__LIT("k"), &arena, &headers, NULL), HAFT_OK,
              "headers with a key");
    CHECK_INT(headers.count, 1, "headers with a key");
    CHECK_STR(headers.lines[0], HAFT__LIT("x-goog-api-key: k"), "headers with a key");
    haft__arena_finish(&arena);
    test_fail_allocation(0);
    haft_status status = gemini()->api->write_headers(HAFT__LIT("k"), &arena, &headers, NULL);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&arena);
}

/* ---- formats ---- */

static haft_status write_to(haft__provider_conversation *conversation, const char *format,
                            size_t count, bool transcript, haft__buf *buf)
{
    haft__messages messages = {.items = items, .count = count};
    bool json = strcmp(format, "purejson") == 0;
    haft__request request = {
        .model = HAFT__LIT("m"),
        .messages = &messages,
        .tools = tools,
        .allowed = allowed,
        .tool_count = 1,
        .callable_count = 1,
        .mode = HAFT__MODE_ANY,
        .format = haft__str(format),
        .constraint = {.kind = json ? HAFT__CONSTRAINT_JSON_SCHEMA : HAFT__CONSTRAINT_NONE,
                       .text = HAFT__LIT("{\"type\":\"object\"}")},
        .transcript = transcript,
        .task = HAFT__LIT("Find it.")};
    haft__provider_request_options options = {.stream = true};
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, &request, &options, buf, NULL);
}

static haft_status write_alone(const char *format, size_t count, bool transcript, haft__buf *buf)
{
    haft__provider_conversation *conversation = NULL;
    haft_status status = haft__conversation_create(gemini(), &conversation, NULL);
    status = status == HAFT_OK ? write_to(conversation, format, count, transcript, buf) : status;
    haft__conversation_destroy(conversation);
    return status;
}

static bool has(const haft__buf *buf, const char *text)
{
    return memmem(buf->ptr, buf->len, text, strlen(text)) != NULL;
}

TEST(one_request_in_another_format_leaves_the_contents_of_gemini_as_they_are)
{
    static const struct {
        const char *format;
        size_t count;
    } turns[] = {{"native", 2}, {"purejson", 2}, {"native", 4}, {"purejson", 4}, {"native", 4}};
    haft__provider_conversation *conversation = NULL;
    haft__buf found, wanted;
    haft__buf_init(&found, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    CHECK_INT(haft__conversation_create(gemini(), &conversation, NULL), HAFT_OK, "create");
    for (size_t i = 0; i < COUNT(turns); i++) {
        CHECK_INT(write_to(conversation, turns[i].format, turns[i].count, false, &found), HAFT_OK,
                  "turn %zu", i);
        CHECK_INT(write_alone(turns[i].format, turns[i].count, false, &wanted), HAFT_OK,
                  "the same turn in a new conversation");
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "turn %zu", i);
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&found);
    haft__buf_finish(&wanted);
}

TEST(a_constraint_is_a_schema_of_the_reply)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(write_alone("purejson", 2, false, &buf), HAFT_OK, "write the request");
    CHECK(!has(&buf, "\"tools\":") && !has(&buf, "\"toolConfig\""), "tools are not declared");
    CHECK(has(&buf, "\"generationConfig\":{\"responseMimeType\":\"application/json\","
                    "\"responseJsonSchema\":{\"type\":\"object\"}}}"),
          "the constraint is the response schema");
    CHECK(has(&buf, "\"systemInstruction\":{\"parts\":[{\"text\":\"Be brief.\\n\\n"),
          "the system prompt describes the tools");
    haft__buf_finish(&buf);
}

TEST(a_transcript_for_gemini_ends_with_the_task)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(write_alone("native", 3, true, &buf), HAFT_OK, "write the request");
    CHECK(has(&buf, "\"tools\":") && has(&buf, "\"mode\":\"ANY\""), "tools are declared");
    CHECK(has(&buf, "{\"text\":\"Find it.\"}]}],\"toolConfig\""), "the task is last");
    haft__buf_finish(&buf);
}

TEST(text_formats_and_transcripts_of_gemini_survive_every_failed_allocation)
{
    for (int transcript = 0; transcript < 2; transcript++) {
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__buf_init(&buf, 1 << 20);
            test_fail_allocation(n);
            haft_status status = write_alone("hermes", 4, transcript == 1, &buf);
            bool failed = test_allow_allocations();
            haft__buf_finish(&buf);
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
            if (!failed) {
                break;
            }
        }
    }
}
