/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/duty.c and merge.c: what agents without tools reply. */
#include "offline_help.h"

/* The reply to a task under instructions. */
static haft_str reply_to(haft__arena *arena, const char *instructions, const char *task)
{
    offline_request r;
    haft__reply reply;
    haft_error err = {0};
    haft__messages messages;
    haft__messages_init(&messages, arena);
    offline_request_init(&r, arena, task);
    haft__message system = {.role = HAFT__MESSAGE_SYSTEM, .text = haft__str(instructions)};
    haft__message user = {.role = HAFT__MESSAGE_USER, .text = haft__str(task)};
    CHECK_INT(haft__messages_add(&messages, system, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__messages_add(&messages, user, &err), HAFT_OK, "%s", err.message);
    r.request.messages = &messages;
    r.request.tool_count = 0;
    CHECK_INT(haft__offline_ask(&r.request, arena, &reply, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(reply.call_count, 0, "a text");
    return reply.content;
}

#define SPLIT "Split the question into sub-queries. JSON."
#define PLAN  "Write a plan of at most 5 phases. JSON."
#define NEXT  "Choose the next phase. JSON."
#define MERGE "Answer from the findings only."
#define PLAN2 "{\"phases\":[{\"name\":\"a\",\"goals\":[\"x\"]},{\"name\":\"b\",\"goals\":[\"y\"]}]}"

static const struct {
    const char *instructions, *task, *want;
} replies[] = {
    {SPLIT, "Question: Where is the gate?\nAt most: 2",
     "{\"queries\":[{\"text\":\"Where is the gate?\",\"angle\":\"concepts\"},"
     "{\"text\":\"Where is the gate?\",\"angle\":\"names\"}]}"},
    {SPLIT, "Who calls open_gate?\nAt most: 1",
     "{\"queries\":[{\"text\":\"Who calls open_gate?\",\"angle\":\"concepts\"}]}"},
    {SPLIT, "Question: Why?\nAt most: 0",
     "{\"queries\":[{\"text\":\"Why?\",\"angle\":\"concepts\"},{\"text\":\"Why?\",\"angle\":"
     "\"docs\"},{\"text\":\"Why?\",\"angle\":\"names\"},{\"text\":\"Why?\",\"angle\":\"tests\"}]}"},
    {SPLIT, " ", "{\"queries\":[]}"},
    {PLAN, "Goal: Find \"it\".",
     "{\"phases\":[{\"name\":\"survey\",\"worker\":\"searcher\",\"goals\":[\"Find \\\"it\\\". "
     "(angle: concepts)\",\"Find \\\"it\\\". (angle: names)\"],\"done\":\"each goal has a "
     "reference, or a search that found nothing\"},{\"name\":\"detail\",\"worker\":\"searcher\","
     "\"goals\":[\"Find \\\"it\\\". (angle: docs)\",\"Find \\\"it\\\". (angle: tests)\"],"
     "\"done\":\"each goal has a reference, or a search that found nothing\"}]}"},
    {NEXT, "Plan: " PLAN2 "\nDone: []",
     "{\"plan\":" PLAN2 ",\"next\":{\"name\":\"a\",\"goals\":[\"x\"]},\"finished\":false,"
     "\"reason\":\"the first phase that is not done; rules keep a plan\"}"},
    {NEXT, "Plan: " PLAN2 "\nDone: [\"a\",\"b\"]",
     "{\"plan\":" PLAN2 ",\"next\":null,\"finished\":true,\"reason\":\"all phases are done\"}"},
    {NEXT, "Plan: {broken\nDone: []",
     "{\"plan\":null,\"next\":null,\"finished\":true,\"reason\":\"all phases are done\"}"},
    {MERGE,
     "Question: Where is the gate opened?\nFindings:\n"
     "[\"- `a.c:1`: `int x;`\\n- `b.c:2`: `int y;`\\n\\nNote.\","
     "\"- `b.c:2`: `int y;`\\n- `c.c:3`: `void open_gate(void)`\","
     "\"worker error: the agent ended as failed\"]",
     "- `c.c:3`: `void open_gate(void)`\n- `a.c:1`: `int x;`\n- `b.c:2`: `int y;`\n\n"
     "3 places from 2 workers; 1 worker failed. Found by rules, not by a language model."},
    {MERGE, "Question: Where?\nFindings:\n[]",
     "No line with words of the question was found.\n\n"
     "0 places from 0 workers. Found by rules, not by a language model."},
    {MERGE,
     "Question: Where?\nFindings:\n[\"The files could not be searched: no root\\n\\nMore.\"]",
     "The files could not be searched: no root\n\n"
     "0 places from 1 worker. Found by rules, not by a language model."},
    {MERGE, "Question: Where?\nFindings:\n- `a.c:1`: ``a ` b``\n- `a.c:x`: `y`\n- text",
     "- `a.c:1`: ``a ` b``\n\n1 place from 1 worker. Found by rules, not by a language model."},
};

TEST(agents_without_tools_do_what_their_instructions_ask_for)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        CHECK_STR(reply_to(&arena, replies[i].instructions, replies[i].task),
                  haft__str(replies[i].want), "%s: %s", replies[i].instructions, replies[i].task);
        haft__arena_finish(&arena);
    }
}

TEST(without_such_instructions_an_agent_without_tools_says_what_it_is)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK(offline_has(reply_to(&arena, "Be nice.", "Where is the gate?"), "rules, not a language"),
          "the general reply");
    haft__arena_finish(&arena);
}

/* The reply to `count` places, each in a file of its own. */
static haft_str merge_of(haft__arena *arena, size_t count)
{
    haft__buf task;
    haft__buf_init(&task, 1 << 20);
    haft__buf_addf(&task, "Question: Where?\nFindings:\n");
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&task, "- `f%zu.c:1`: `x`\n", i);
    }
    haft__buf_add_char(&task, '\0');
    haft_str reply = reply_to(arena, MERGE, haft__arena_copy(arena, haft__buf_str(&task)).ptr);
    haft__buf_finish(&task);
    return reply;
}

TEST(a_bounded_number_of_places_is_compared_and_shown)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK(offline_has(merge_of(&arena, HAFT__LIMIT_OFFLINE_MERGED), "200 places"), "the limit");
    CHECK(offline_has(merge_of(&arena, HAFT__LIMIT_OFFLINE_MERGED + 1), "200 places"), "past it");
    size_t shown = 0;
    haft_str rest = merge_of(&arena, HAFT__LIMIT_OFFLINE_MERGED_SHOWN + 1);
    while (rest.len > 0) {
        shown += haft__str_starts_with(haft__str_split(&rest, '\n'), HAFT__LIT("- `")) ? 1 : 0;
    }
    CHECK_INT(shown, HAFT__LIMIT_OFFLINE_MERGED_SHOWN, "places in the answer");
    haft__arena_finish(&arena);
}
