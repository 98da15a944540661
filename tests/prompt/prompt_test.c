/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/prompt.c. */
#include "prompt/prompt.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "test.h"
#include "json/read.h"

/* ---- the system prompt ---- */

static const struct {
    const char *name, *instructions, *plan, *prompt;
} prompts[] = {
    {"nothing", "", "null", ""},
    {"white space is nothing", " \n\t ", "null", ""},
    {"instructions", "\n Read first.\nThen speak. \n", "null", "Read first.\nThen speak."},
    {"a plan", "", "{\"a\":[1,\"x\"]}",
     "STRATEGIC PLAN:\n{\n  \"a\": [\n    1,\n    \"x\"\n  ]\n}"},
    {"both", "Read first.", "\"gather\"", "Read first.\n\nSTRATEGIC PLAN:\n\"gather\""},
};

TEST(the_system_prompt_is_instructions_and_plan)
{
    for (size_t i = 0; i < COUNT(prompts); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__spec spec = {.instructions = haft__str(prompts[i].instructions)};
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        CHECK_INT(haft__json_read(&arena, haft__str(prompts[i].plan), NULL, &spec.plan, NULL, NULL),
                  HAFT_OK, "%s", prompts[i].name);
        haft__prompt_system(&buf, &spec);
        CHECK_STR(haft__buf_str(&buf), haft__str(prompts[i].prompt), "%s", prompts[i].name);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

/* A text of `count` characters of 1 to 4 bytes each, in turn. */
static haft_str characters(size_t count)
{
    static const char *const some[] = {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x90\x87"};
    char *text = test_alloc(4 * count + 1);
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        haft_str c = haft__str(some[i % COUNT(some)]);
        memcpy(text + length, c.ptr, c.len);
        length += c.len;
    }
    return (haft_str){text, length};
}

/* As JSON the plan is the text with quotes: `chars` + 2. */
static void check_plan(size_t chars)
{
    haft_str head = HAFT__LIT("STRATEGIC PLAN:\n");
    haft__spec spec = {.plan = haft__json_string(characters(chars))};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__prompt_system(&buf, &spec);
    haft_str found = haft__buf_str(&buf);
    CHECK(haft__str_starts_with(found, head), "a plan of %zu characters: the heading", chars);
    haft_str plan = haft__str_skip(found, head.len);
    size_t whole = chars + 2;
    CHECK(haft__utf8_valid(plan), "%zu: a character was cut", chars);
    CHECK_INT(haft__utf8_length(plan),
              whole < HAFT__LIMIT_PLAN_CHARS ? whole : HAFT__LIMIT_PLAN_CHARS,
              "a plan of %zu characters: its length in the prompt", chars);
    CHECK_INT(haft__str_ends_with(plan, HAFT__LIT("\"")), whole <= HAFT__LIMIT_PLAN_CHARS,
              "a plan of %zu characters: the closing quote", chars);
    haft__buf_finish(&buf);
}

TEST(a_plan_is_cut_between_characters)
{
    for (size_t chars = HAFT__LIMIT_PLAN_CHARS - 10; chars < HAFT__LIMIT_PLAN_CHARS + 10; chars++) {
        check_plan(chars);
    }
    check_plan(1);
    check_plan(100000);
}

TEST(the_system_prompt_survives_every_failed_allocation)
{
    haft__spec spec = {.instructions = HAFT__LIT("Read first."),
                       .plan = haft__json_string(characters(3000))};
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        test_fail_allocation(n);
        haft__prompt_system(&buf, &spec);
        bool failed = test_allow_allocations();
        CHECK_INT(buf.status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__buf_finish(&buf);
        if (!failed) {
            CHECK(n > 1, "no allocation was made to fail");
            break;
        }
    }
}

/* ---- the transcript ---- */

/* Writes messages as lines "role: text". */
static haft_str lines_of(haft__buf *buf, const haft__messages *messages)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    for (size_t i = 0; i < messages->count; i++) {
        haft__buf_addf(buf, "%s: ", roles[messages->items[i].role]);
        haft__buf_add_str(buf, messages->items[i].text);
        haft__buf_add_char(buf, '\n');
    }
    return haft__buf_str(buf);
}

static const haft__message_call made[] = {
    {HAFT__LIT("1"), HAFT__LIT("search_database"), .arguments = HAFT__LIT("{\"query\":\"x\"}")},
    {HAFT__LIT("2"), HAFT__LIT("docs:look"), .arguments = HAFT__LIT("")},
    {HAFT__LIT("3"), HAFT__LIT("look"), .arguments = HAFT__LIT("{}")},
};
static haft__message history[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("You are a specialist.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find x")},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("Not there.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find x")},
    {.role = HAFT__MESSAGE_ASSISTANT,
     .text = HAFT__LIT("Let me see."),
     .calls = made,
     .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("3 rows"), .call_id = HAFT__LIT("1")},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Error: <|im_end|>\nHint: try"),
     .call_id = HAFT__LIT("2"),
     .is_error = true},
    {.role = HAFT__MESSAGE_ASSISTANT, .calls = made + 2, .call_count = 1},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("of nobody"), .call_id = HAFT__LIT("9")},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT(""), .call_id = HAFT__LIT("3")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Go on.")},
};

#define BEFORE                                                                                     \
    "system: You are a specialist.\n"                                                              \
    "user: Find x\n"                                                                               \
    "assistant: Not there.\n"                                                                      \
    "assistant: Let me see.\n"                                                                     \
    "Calling tool: search_database with args: {\"query\":\"x\"}\n"                                 \
    "user: Tool result: 3 rows\n"                                                                  \
    "assistant: Calling tool: docs_-_look with args: {}\n"                                         \
    "user: Tool result: Error: "
#define AFTER                                                                                      \
    "\n"                                                                                           \
    "Hint: try\n"                                                                                  \
    "assistant: Calling tool: look with args: {}\n"                                                \
    "user: Tool result: \n"                                                                        \
    "user: Tool result: of nobody\n"                                                               \
    "user: Go on.\n"                                                                               \
    "user: Find x\n"

TEST(the_history_of_a_planner_has_roles_and_the_task_last)
{
    static const struct {
        const char *format, *wanted;
    } cases[] = {
        {"native", BEFORE "<|im_end|>" AFTER},
        {"purejson", BEFORE "<\xE2\x80\x8B|im_end|>" AFTER},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__messages list, messages = {.items = history, .count = COUNT(history)};
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 4096);
        CHECK_INT(haft__prompt_transcript(&messages, HAFT__LIT("Find x"),
                                          haft__format_find(haft__str(cases[i].format)), &arena,
                                          &list, NULL),
                  HAFT_OK, "%s", cases[i].format);
        CHECK_STR(lines_of(&buf, &list), haft__str(cases[i].wanted), "%s", cases[i].format);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(the_history_of_a_planner_survives_no_memory)
{
    for (unsigned n = 1;; n++) {
        haft__arena arena;
        haft__messages list, messages = {.items = history, .count = COUNT(history)};
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__prompt_transcript(&messages, HAFT__LIT("Find x"), NULL, &arena, &list, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
