/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/anthropic/anthropic.c, through the table of providers. */
#include "base/limits.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "test.h"

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

static const haft__provider *anthropic(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("anthropic")};
    return haft__provider_for_model(&model);
}

TEST(the_version_is_a_header_and_the_key_a_bearer_token)
{
    haft__provider_headers headers = {.count = 9};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(anthropic()->api->write_headers(HAFT__LIT(""), &arena, &headers, NULL), HAFT_OK,
              "headers without a key");
    CHECK_INT(headers.count, 1, "headers without a key");
    CHECK_STR(headers.lines[0], HAFT__LIT("anthropic-version: 2026-10-21"), "the version header");
    CHECK_INT(anthropic()->api->write_headers(HAFT__LIT("k"), &arena, &headers, NULL), HAFT_OK,
              "headers with a key");
    CHECK_INT(headers.count, 2, "headers with a key");
    CHECK_STR(headers.lines[1], HAFT__LIT("Authorization: Bearer k"), "headers with a key");
    haft__arena_finish(&arena);
    test_fail_allocation(0);
    haft_status status = anthropic()->api->write_headers(HAFT__LIT("k"), &arena, &headers, NULL);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&arena);
}

static haft_status write_to(haft__provider_conversation *conversation, const char *format,
                            size_t count, bool transcript, haft__buf *buf)
{
    haft__messages messages = {.items = items, .count = count};
    haft__request request = {.model = HAFT__LIT("m"),
                             .messages = &messages,
                             .tools = tools,
                             .allowed = allowed,
                             .tool_count = 1,
                             .callable_count = 1,
                             .mode = HAFT__MODE_ANY,
                             .format = haft__str(format),
                             .transcript = transcript,
                             .task = HAFT__LIT("Find it.")};
    haft__provider_request_options options = {.stream = true};
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, &request, &options, buf, NULL);
}

static haft_status write_alone(const char *format, size_t count, bool transcript, haft__buf *buf)
{
    haft__provider_conversation *conversation = NULL;
    haft_status status = haft__conversation_create(anthropic(), &conversation, NULL);
    status = status == HAFT_OK ? write_to(conversation, format, count, transcript, buf) : status;
    haft__conversation_destroy(conversation);
    return status;
}

static bool has(const haft__buf *buf, const char *text)
{
    return memmem(buf->ptr, buf->len, text, strlen(text)) != NULL;
}

TEST(one_request_in_another_format_leaves_the_messages_of_anthropic_as_they_are)
{
    static const struct {
        const char *format;
        size_t count;
    } turns[] = {{"native", 2}, {"purejson", 2}, {"native", 4}, {"purejson", 4}, {"native", 4}};
    haft__provider_conversation *conversation = NULL;
    haft__buf found, wanted;
    haft__buf_init(&found, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    CHECK_INT(haft__conversation_create(anthropic(), &conversation, NULL), HAFT_OK, "create");
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

TEST(tools_of_a_text_format_are_in_the_system_prompt)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(write_alone("hermes", 2, false, &buf), HAFT_OK, "write the request");
    CHECK(!has(&buf, "\"tools\":") && !has(&buf, "\"tool_choice\""), "tools are not declared");
    CHECK(has(&buf, "\"text\":\"Be brief.\\n\\n# Tools"), "the system prompt describes the tools");
    CHECK(has(&buf, "\"text\":\"Find it.\",\"cache_control\":{\"type\":\"ephemeral\"}},"
                    "{\"type\":\"text\",\"text\":\"Call a tool now"),
          "the last text asks for a tool call");
    haft__buf_finish(&buf);
}

TEST(a_transcript_ends_with_the_task)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(write_alone("native", 3, true, &buf), HAFT_OK, "write the request");
    CHECK(has(&buf, "\"tools\":") && has(&buf, "\"tool_choice\":{\"type\":\"any\"}"),
          "tools are declared");
    CHECK(has(&buf, "\"text\":\"Find it.\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]"),
          "the task is last");
    haft__buf_finish(&buf);
}

TEST(a_request_limits_the_tokens_of_the_reply)
{
    char wanted[64];
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    (void)snprintf(wanted, sizeof(wanted), "\"max_tokens\":%d,\"stream\":true}",
                   (int)HAFT__LIMIT_MODEL_REPLY_TOKENS);
    CHECK_INT(write_alone("native", 2, false, &buf), HAFT_OK, "write the request");
    CHECK(has(&buf, wanted), "%s", wanted);
    haft__buf_finish(&buf);
}

TEST(text_formats_and_transcripts_survive_every_failed_allocation)
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
