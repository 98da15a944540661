/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/request_message.c: messages as each provider takes
 * them. */
#include "base/id.h"
#include "model/providers/openai_chat/request.h"
#include "test.h"

static const haft__provider *provider_named(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    const haft__provider *provider = haft__provider_for_model(&model);
    return provider != NULL ? provider : haft__provider_compatible();
}

static haft_status write_message(const char *provider, const haft__message *message, haft__buf *buf)
{
    haft__chat_write_message(provider_named(provider), buf, message);
    return buf->status;
}

#define ASSISTANT(content, call, more)                                                             \
    "{\"role\":\"assistant\",\"content\":" content ",\"tool_calls\":[" call "]" more "}"
#define CALL(id, arguments)                                                                        \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"docs_-_find\","             \
    "\"arguments\":\"" arguments "\"}}"

static const struct {
    const char *provider, *text, *reasoning, *id, *arguments, *wanted;
} cases[] = {
    {"openai-chat", "", "", "call_1", "{}", ASSISTANT("null", CALL("call_1", "{}"), "")},
    {"openai-chat", "Hm.", "why", "call_1", "{}", ASSISTANT("\"Hm.\"", CALL("call_1", "{}"), "")},
    {"openai-chat", "", "", "x", "", ASSISTANT("null", CALL("x", "{}"), "")},
    {"openai-chat", "", "", "x", " \n", ASSISTANT("null", CALL("x", "{}"), "")},
    {"openai-chat", "", "", "x", "{oops", ASSISTANT("null", CALL("x", "{oops"), "")},
    {"vllm", "", "why", "x", "{\"a\\n\":[1,{}]} ",
     ASSISTANT("null", CALL("x", "{\\\"a\\\\n\\\":[1,{}]} "), ",\"reasoning_content\":\"why\"")},
    {"vllm", "", "", "x", "{oops",
     ASSISTANT("null", CALL("x", "{\\\"not_an_object\\\":\\\"{oops\\\"}"), "")},
    {"vllm", "", "", "x", "[1]",
     ASSISTANT("null", CALL("x", "{\\\"not_an_object\\\":\\\"[1]\\\"}"), "")},
    {"vllm", "", "", "x", "{}{}",
     ASSISTANT("null", CALL("x", "{\\\"not_an_object\\\":\\\"{}{}\\\"}"), "")},
    {"", "", "why", "x", "\"q\"",
     ASSISTANT("null", CALL("x", "{\\\"not_an_object\\\":\\\"\\\\\\\"q\\\\\\\"\\\"}"), "")},
    {"deepseek", "", "why", "x", "{}",
     ASSISTANT("null", CALL("x", "{}"), ",\"reasoning_content\":\"why\"")},
    {"deepseek", "", "", "x", "{}",
     ASSISTANT("null", CALL("x", "{}"), ",\"reasoning_content\":\"\"")},
    {"mistral", "", "why", "aB3dE6gH9", "{}", ASSISTANT("null", CALL("aB3dE6gH9", "{}"), "")},
};

static haft__message message_of(size_t i, haft__message_call *call)
{
    *call = (haft__message_call){haft__str(cases[i].id), HAFT__LIT("docs:find"),
                                 .arguments = haft__str(cases[i].arguments)};
    return (haft__message){.role = HAFT__MESSAGE_ASSISTANT,
                           .text = haft__str(cases[i].text),
                           .reasoning = haft__str(cases[i].reasoning),
                           .calls = call,
                           .call_count = 1};
}

TEST(calls_are_written_for_each_provider)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__message_call call;
        haft__message message = message_of(i, &call);
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(write_message(cases[i].provider, &message, &found), HAFT_OK, "case %zu", i);
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].wanted), "%s, %s", cases[i].provider,
                  cases[i].arguments);
        haft__buf_finish(&found);
    }
}

TEST(messages_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__message_call call;
            haft__message message = message_of(i, &call);
            haft__buf found;
            haft__buf_init(&found, 1 << 16);
            test_fail_allocation(n);
            haft_status status = write_message(cases[i].provider, &message, &found);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%zu, allocation %u", i, n);
            if (!failed) {
                CHECK_STR(haft__buf_str(&found), haft__str(cases[i].wanted), "case %zu", i);
                CHECK(n > 0, "no allocation was made");
            }
            haft__buf_finish(&found);
            if (!failed) {
                break;
            }
        }
    }
}

/* If an assistant message has no calls, its empty text is written as "", not as null, and its
 * reasoning is not sent. */
TEST(empty_text_without_calls_is_written_as_text)
{
    haft__message message = {.role = HAFT__MESSAGE_ASSISTANT, .reasoning = HAFT__LIT("why")};
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(write_message("deepseek", &message, &found), HAFT_OK, "write the message");
    CHECK_STR(haft__buf_str(&found), HAFT__LIT("{\"role\":\"assistant\",\"content\":\"\"}"),
              "the message");
    haft__buf_finish(&found);
}

TEST(signed_reasoning_is_not_sent_to_another_server)
{
    haft__message_call call = {
        .id = HAFT__LIT("x"), .name = HAFT__LIT("docs:find"), .arguments = HAFT__LIT("{}")};
    haft__message message = {.role = HAFT__MESSAGE_ASSISTANT,
                             .reasoning = HAFT__LIT("why"),
                             .items = HAFT__LIT("[{}]"),
                             .items_provider = HAFT__LIT("anthropic"),
                             .calls = &call,
                             .call_count = 1};
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(write_message("vllm", &message, &found), HAFT_OK, "write for vllm");
    CHECK_STR(haft__buf_str(&found), HAFT__LIT(ASSISTANT("null", CALL("x", "{}"), "")),
              "vllm gets no reasoning");
    haft__buf_clear(&found);
    CHECK_INT(write_message("deepseek", &message, &found), HAFT_OK, "write for deepseek");
    CHECK_STR(haft__buf_str(&found),
              HAFT__LIT(ASSISTANT("null", CALL("x", "{}"), ",\"reasoning_content\":\"\"")),
              "deepseek gets empty reasoning");
    haft__buf_finish(&found);
}

/* ---- ids ---- */

TEST(short_ids_depend_only_on_the_id)
{
    static const char *const ids[] = {"",          "c1.1",      "c1.2",       "call_abc",
                                      "12345678",  "123456789", "1234567890", "abc-efghi",
                                      "abcdefghI", "\xFF"};
    char found[COUNT(ids)][HAFT__ID_SHORT_LENGTH];
    for (size_t i = 0; i < COUNT(ids); i++) {
        char again[HAFT__ID_SHORT_LENGTH];
        haft__id_short(haft__str(ids[i]), found[i]);
        haft_str id = {found[i], HAFT__ID_SHORT_LENGTH};
        for (size_t k = 0; k < id.len; k++) {
            char c = id.ptr[k];
            bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            CHECK(plain, "%s became %.*s", ids[i], HAFT__ARG(id));
        }
        haft__id_short(id, again);
        CHECK_STR(id, ((haft_str){again, sizeof(again)}), "a short id does not change: %s", ids[i]);
        for (size_t k = 0; k < i; k++) {
            CHECK(memcmp(found[i], found[k], HAFT__ID_SHORT_LENGTH) != 0,
                  "%s and %s have the same short id", ids[i], ids[k]);
        }
    }
    CHECK_STR(((haft_str){found[5], 9}), HAFT__LIT("123456789"), "nine digits stay");
    CHECK_STR(((haft_str){found[1], 9}), HAFT__LIT("UuV9sPq8i"),
              "this value must never change: a resumed run sends the same ids");
}

TEST(a_call_and_its_result_have_the_same_short_id)
{
    haft__message_call call = {HAFT__LIT("c1.1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{}")};
    haft__message call_message = {.role = HAFT__MESSAGE_ASSISTANT, .calls = &call, .call_count = 1};
    haft__message result_message = {
        .role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("seen"), .call_id = HAFT__LIT("c1.1")};
    char id[HAFT__ID_SHORT_LENGTH];
    haft__id_short(call.id, id);
    haft__buf found, wanted;
    haft__buf_init(&found, 1 << 16);
    haft__buf_init(&wanted, 1 << 16);
    CHECK_INT(write_message("mistral", &call_message, &found), HAFT_OK, "write the call");
    CHECK_INT(write_message("mistral", &result_message, &found), HAFT_OK, "write the result");
    haft__buf_addf(&wanted,
                   "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"%.9s\","
                   "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}"
                   "{\"role\":\"tool\",\"tool_call_id\":\"%.9s\",\"content\":\"seen\"}",
                   id, id);
    CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "call and result have the same id");
    haft__buf_finish(&found);
    haft__buf_finish(&wanted);
}

/* ---- the order of roles ---- */

static const struct {
    const char *provider, *roles, *correction, *wanted; /* one letter for each role: system, user,
                                                           assistant, tool */
} orders[] = {
    {"mistral", "suat", "", "suat"},
    {"mistral", "suat", "x", "suatau"},
    {"mistral", "suatu", "", "suatau"},
    {"mistral", "suattu", "x", "suattauu"},
    {"mistral", "su", "x", "suu"},
    {"mistral", "sua", "x", "suau"},
    {"openai-chat", "suatu", "x", "suatuu"},
    {"", "suat", "x", "suatu"},
    {"mistral", "", "x", "u"},
};

static haft__message message_for(char role)
{
    static const char letters[] = "suat";
    const char *at = strchr(letters, role);
    return (haft__message){.role = (haft__message_role)(at - letters), .text = HAFT__LIT("x")};
}

TEST(an_assistant_message_separates_tool_and_user_messages)
{
    for (size_t i = 0; i < COUNT(orders); i++) {
        haft__message items[8];
        haft__messages messages = {.items = items};
        for (const char *role = orders[i].roles; *role != '\0'; role++) {
            items[messages.count++] = message_for(*role);
        }
        haft__request request = {.messages = &messages,
                                 .correction = haft__str(orders[i].correction)};
        haft__provider_conversation *chat = NULL;
        haft__buf bytes, found;
        CHECK_INT(haft__conversation_create(provider_named(orders[i].provider), &chat, NULL),
                  HAFT_OK, "create");
        haft__buf_init(&bytes, 1 << 16);
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(haft__conversation_write(chat, &request, &(haft__provider_request_options){0},
                                           &bytes, NULL),
                  HAFT_OK, "%zu", i);
        haft__buf_add_char(&bytes, '\0');
        for (const char *at = bytes.ptr; (at = strstr(at, "\"role\":\"")) != NULL; at += 8) {
            haft__buf_add_char(&found, at[8]);
        }
        CHECK_STR(haft__buf_str(&found), haft__str(orders[i].wanted), "%zu: %s", i, bytes.ptr);
        haft__conversation_destroy(chat);
        haft__buf_finish(&bytes);
        haft__buf_finish(&found);
    }
}
