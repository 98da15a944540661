/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/text_messages.c. Requests with such messages:
 * tests/model/providers/openai_chat/request_text_test.c. */
#include "model/text_messages.h"

#include "test.h"

static const haft__tool look = {.name = HAFT__LIT("docs:look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool find = {.name = HAFT__LIT("find"),
                                .description = HAFT__LIT("Finds."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const both[] = {&look, &find}, *const swapped[] = {&find, &look};
static const bool allowed[] = {true, true}, first_only[] = {true, false};

static const haft__message_call calls[] = {
    {HAFT__LIT("c1"), HAFT__LIT("docs:look"), .arguments = HAFT__LIT("{}")}};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("Yes."), .calls = calls, .call_count = 1},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("a"), .call_id = HAFT__LIT("c1")},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("b"), .call_id = HAFT__LIT("c2")},
};
static const haft__messages messages = {.items = items, .count = COUNT(items)};

static haft__request request_of(const haft__tool *const *tools)
{
    return (haft__request){.messages = &messages,
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = 2,
                           .callable_count = 2,
                           .format = HAFT__LIT("hermes")};
}

static const haft__format *hermes(void)
{
    return haft__format_find(HAFT__LIT("hermes"));
}

/* ---- tools ---- */

TEST(the_tool_section_is_rewritten_only_if_tools_change)
{
    static const struct {
        const haft__tool *const *tools;
        size_t count;
        bool changed;
    } turns[] = {{both, 1, true},    {both, 1, false}, {both, 2, true},
                 {swapped, 2, true}, {both, 0, true},  {swapped, 0, false}};
    haft__tool_prompt prompt;
    haft__tool_prompt_init(&prompt);
    for (size_t i = 0; i < COUNT(turns); i++) {
        haft__request request = request_of(turns[i].tools);
        bool changed = !turns[i].changed;
        request.tool_count = turns[i].count;
        CHECK_INT(haft__tool_prompt_sync(&prompt, hermes(), &request, &changed, NULL), HAFT_OK,
                  "turn %zu", i);
        CHECK_INT(changed, turns[i].changed, "turn %zu", i);
        CHECK_INT(prompt.text.len > 0, turns[i].count > 0, "turn %zu", i);
    }
    haft__tool_prompt_finish(&prompt);
}

TEST(the_system_prompt_has_instructions_and_tool_section)
{
    haft__tool_prompt prompt;
    haft__buf text;
    haft__tool_prompt_init(&prompt);
    haft__buf_init(&text, 1 << 20);
    haft__tool_prompt_write_system(&prompt, HAFT__LIT("Be brief."), &text);
    CHECK_STR(haft__buf_str(&text), HAFT__LIT("Be brief."), "instructions only");
    haft__buf_addf(&prompt.text, "TOOLS");
    haft__buf_clear(&text);
    haft__tool_prompt_write_system(&prompt, HAFT__LIT("Be brief."), &text);
    CHECK_STR(haft__buf_str(&text), HAFT__LIT("Be brief.\n\nTOOLS"), "instructions and tools");
    haft__buf_clear(&text);
    haft__tool_prompt_write_system(&prompt, HAFT__LIT(""), &text);
    CHECK_STR(haft__buf_str(&text), HAFT__LIT("TOOLS"), "tools only");
    haft__tool_prompt_finish(&prompt);
    haft__buf_finish(&text);
}

/* ---- messages ---- */

static const struct {
    size_t first, count;
    haft__message_role role;
    const char *text;
} texts[] = {
    {0, 1, HAFT__MESSAGE_USER, "Find it."},
    {1, 1, HAFT__MESSAGE_ASSISTANT,
     "Yes.\n<tool_call>\n{\"name\": \"docs_-_look\", \"arguments\": {}}\n</tool_call>"},
    {2, 2, HAFT__MESSAGE_USER,
     "<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response>"},
};

TEST(calls_and_results_are_text)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__buf text;
        size_t count = 0;
        haft__buf_init(&text, 1 << 20);
        CHECK_INT(
            haft__text_message_write(hermes(), &messages, texts[i].first, &text, &count, NULL),
            HAFT_OK, "message %zu", i);
        CHECK_STR(haft__buf_str(&text), haft__str(texts[i].text), "message %zu", i);
        CHECK_INT(count, texts[i].count, "message %zu", i);
        CHECK_INT(haft__text_message_role(&items[texts[i].first]), texts[i].role, "message %zu", i);
        haft__buf_finish(&text);
    }
}

/* ---- the turn ---- */

#define ONLY "Of the tools, only these can be called now: docs_-_look."
#define JSON                                                                                       \
    " Write the call in this reply as JSON alone, with the name and the arguments, and nothing "   \
    "around it."

static const struct {
    const char *name;
    const bool *allowed;
    const char *correction, *reply_format, *text;
} turns[] = {
    {"every tool may be called", allowed, "", "", ""},
    {"only one may be called", first_only, "", "", ONLY},
    {"the reply is JSON", first_only, "", "purejson", ONLY JSON},
    {"the reply is in the same format", first_only, "", "hermes", ONLY},
    {"nothing to say about JSON", allowed, "", "purejson", ""},
    {"a correction replaces the choice", first_only, "Again.", "", "Again."},
};

TEST(the_turn_ends_with_the_correction_or_the_choice)
{
    for (size_t i = 0; i < COUNT(turns); i++) {
        haft__request request = request_of(both);
        haft__buf text;
        request.allowed = turns[i].allowed;
        request.correction = haft__str(turns[i].correction);
        request.reply_format = haft__str(turns[i].reply_format);
        haft__buf_init(&text, 1 << 20);
        haft__text_turn_write(hermes(), &request, &text);
        CHECK_STR(haft__buf_str(&text), haft__str(turns[i].text), "%s", turns[i].name);
        haft__buf_finish(&text);
    }
}

/* ---- memory ---- */

static haft_status write_all(void)
{
    haft__request request = request_of(both);
    haft__tool_prompt prompt;
    haft__buf text;
    bool changed = false;
    size_t count = 0;
    request.allowed = first_only;
    haft__tool_prompt_init(&prompt);
    haft__buf_init(&text, 1 << 20);
    haft_status status = haft__tool_prompt_sync(&prompt, hermes(), &request, &changed, NULL);
    CHECK(status == HAFT_OK || prompt.tool_count == 0, "a section that failed is empty");
    haft__tool_prompt_write_system(&prompt, HAFT__LIT("Be brief."), &text);
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = haft__text_message_write(hermes(), &messages, texts[i].first, &text, &count, NULL);
    }
    haft__text_turn_write(hermes(), &request, &text);
    status = status == HAFT_OK ? haft__buf_check(&text, NULL) : status;
    haft__tool_prompt_finish(&prompt);
    haft__buf_finish(&text);
    return status;
}

TEST(messages_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        test_fail_allocation(n);
        haft_status status = write_all();
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
