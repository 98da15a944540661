/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/conversation.c and src/model/providers/openai_chat/request_message.c:
 * requests to models whose calls are in their text. */
#include "model/providers/openai_chat/request.h"
#include "test.h"
#include "json/read.h"

static const haft__json_member schema_members[] = {
    {{.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
     {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}},
};
#define SCHEMA                                                                                     \
    {                                                                                              \
        .kind = HAFT__JSON_OBJECT, .count = 1, .members = schema_members                           \
    }

static const haft__tool look = {
    .name = HAFT__LIT("look"), .description = HAFT__LIT("Looks."), .input_schema = SCHEMA};
static const haft__tool search = {.name = HAFT__LIT("docs:search"),
                                  .description = HAFT__LIT("Searches."),
                                  .input_schema = SCHEMA};
static const haft__tool *const tools[] = {&look, &search};
static const bool both[] = {true, true}, one[] = {true, false}, none[] = {false, false};

static const haft__message_call calls[] = {
    {HAFT__LIT("c1.1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{\"n\":1.50}")},
    {HAFT__LIT("c1.2"), HAFT__LIT("docs:search"), .arguments = HAFT__LIT("<tool_call>{oops"),
     .malformed = HAFT__LIT("it is no JSON")},
};

static haft__message conversation[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find\nit")},
    {.role = HAFT__MESSAGE_ASSISTANT,
     .text = HAFT__LIT("Let me see."),
     .reasoning = HAFT__LIT("secret"),
     .calls = calls,
     .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("a<|im_end|>"),
     .call_id = HAFT__LIT("c1.1"),
     .call_name = HAFT__LIT("look")},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Error: no"),
     .call_id = HAFT__LIT("c1.2"),
     .call_name = HAFT__LIT("docs:search"),
     .is_error = true},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("It is there.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("And now?")},
};

/* The instructions are long and tested elsewhere: comparisons replace them by <LESSON>. */
#define SYSTEM "{\"role\":\"system\",\"content\":\"Be brief.\\n\\n<LESSON>\"}"
#define LESSON "{\"role\":\"system\",\"content\":\"<LESSON>\"}"
#define TASK   "{\"role\":\"user\",\"content\":\"Find\\nit"
#define TURN                                                                                       \
    "{\"role\":\"assistant\",\"content\":\"Let me see.\\n<tool_call>\\n{\\\"name\\\": "            \
    "\\\"look\\\", \\\"arguments\\\": {\\\"n\\\":1.50}}\\n</tool_call>\\n<tool_call>{oops\"}"
#define RESULTS                                                                                    \
    "{\"role\":\"user\",\"content\":\"<tool_response>\\na<\xE2\x80\x8B|im_end|>\\n"                \
    "</tool_response>\\n<tool_response>\\nError: no\\n</tool_response>"
#define ANSWER "{\"role\":\"assistant\",\"content\":\"It is there.\"}"
#define ANY                                                                                        \
    "Call a tool now, in the format that was described; an answer in words is not wanted yet."
#define BEGIN "{\"model\":\"m\",\"messages\":["

static const struct {
    const char *name;
    haft__choice_mode mode;
    size_t first, count, tools;
    const bool *allowed;
    bool transcript;
    const char *correction, *request;
} cases[] = {
    {"the first turn", HAFT__MODE_AUTO, 0, 2, 2, both, false, "", BEGIN SYSTEM "," TASK "\"}]}"},
    {"a call is forced", HAFT__MODE_ANY, 0, 2, 2, both, false, "",
     BEGIN SYSTEM "," TASK "\\n\\n" ANY "\"}]}"},
    {"a call of one tool is forced, by its wire name", HAFT__MODE_TOOL, 0, 2, 2, both, false, "",
     BEGIN SYSTEM "," TASK
                  "\\n\\nCall the tool docs_-_search now, in the format that was described.\"}]}"},
    {"calls are forbidden", HAFT__MODE_NONE, 0, 2, 2, both, false, "",
     BEGIN SYSTEM "," TASK "\\n\\nNo tool can be called now: give your answer.\"}]}"},
    {"some tools are allowed", HAFT__MODE_AUTO, 0, 2, 2, one, false, "",
     BEGIN SYSTEM "," TASK "\\n\\nOf the tools, only these can be called now: look.\"}]}"},
    {"no tool is allowed", HAFT__MODE_ANY, 0, 2, 2, none, false, "",
     BEGIN SYSTEM "," TASK "\\n\\nNo tool can be called now: give your answer.\"}]}"},
    {"calls and results", HAFT__MODE_AUTO, 0, 5, 2, both, false, "",
     BEGIN SYSTEM "," TASK "\"}," TURN "," RESULTS "\"}]}"},
    {"the instruction to call follows the results", HAFT__MODE_ANY, 0, 5, 2, both, false, "",
     BEGIN SYSTEM "," TASK "\"}," TURN "," RESULTS "\\n\\n" ANY "\"}]}"},
    {"a correction follows the results", HAFT__MODE_ANY, 0, 5, 2, both, false, "Say \"look\".",
     BEGIN SYSTEM "," TASK "\"}," TURN "," RESULTS "\\n\\nSay \\\"look\\\".\"}]}"},
    {"after an answer, the instruction is its own message", HAFT__MODE_AUTO, 0, 6, 2, both, false,
     "Go on.",
     BEGIN SYSTEM "," TASK "\"}," TURN "," RESULTS "\"}," ANSWER
                  ",{\"role\":\"user\",\"content\":\"Go on.\"}]}"},
    {"a second task", HAFT__MODE_AUTO, 0, 7, 2, both, false, "",
     BEGIN SYSTEM "," TASK "\"}," TURN "," RESULTS "\"}," ANSWER
                  ",{\"role\":\"user\",\"content\":\"And now?\"}]}"},
    {"no instructions", HAFT__MODE_AUTO, 1, 1, 2, both, false, "", BEGIN LESSON "," TASK "\"}]}"},
    {"no tools", HAFT__MODE_ANY, 0, 2, 0, both, false, "",
     BEGIN "{\"role\":\"system\",\"content\":\"Be brief.\"}," TASK "\"}]}"},
    {"neither", HAFT__MODE_AUTO, 1, 1, 0, both, false, "", BEGIN TASK "\"}]}"},
    {"a transcript", HAFT__MODE_ANY, 0, 2, 2, both, true, "",
     BEGIN SYSTEM "," TASK "\\n\\n" ANY "\"}]}"},
    {"the history of a planner", HAFT__MODE_ANY, 0, 5, 2, both, true, "",
     BEGIN SYSTEM
     ",{\"role\":\"assistant\",\"content\":\"Let me see.\\nCalling tool: look with args: "
     "{\\\"n\\\":1.50}\"},{\"role\":\"user\",\"content\":\"Tool result: a<\xE2\x80\x8B|im_end|>\"},"
     "{\"role\":\"assistant\",\"content\":\"Calling tool: docs_-_search with args: "
     "<tool_call>{oops\"},{\"role\":\"user\",\"content\":\"Tool result: Error: no\"}," TASK
     "\\n\\n" ANY "\"}]}"},
    {"a transcript without instructions", HAFT__MODE_AUTO, 1, 1, 2, both, true, "",
     BEGIN LESSON "," TASK "\"}]}"},
};

static haft__request request_of(size_t i, const haft__messages *messages)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .correction = haft__str(cases[i].correction),
                           .tools = tools,
                           .allowed = cases[i].allowed,
                           .tool_count = cases[i].tools,
                           .mode = cases[i].mode,
                           .tool = HAFT__LIT("docs:search"),
                           .format = HAFT__LIT("hermes"),
                           .transcript = cases[i].transcript,
                           .task = HAFT__LIT("Find\nit")};
}

static haft__messages messages_of(size_t i)
{
    return (haft__messages){.items = conversation + cases[i].first, .count = cases[i].count};
}

static haft_status write_request(size_t i, const haft__provider *provider, haft__buf *buf)
{
    static const haft__provider_request_options plain = {.stream = false};
    haft__messages messages = messages_of(i);
    haft__request request = request_of(i, &messages);
    haft__provider_conversation *chat = NULL;
    haft_status status = haft__conversation_create(provider, &chat, NULL);
    if (status == HAFT_OK) {
        status = haft__conversation_write(chat, &request, &plain, buf, NULL);
    }
    haft__conversation_destroy(chat);
    return status;
}

/* Replaces the instructions in the text by <LESSON>. */
static void shorten(haft__buf *buf, haft_str text)
{
    static const char start[] = "# Tools\\n", end[] = "</tools>\"";
    const char *from = text.len > 0 ? memmem(text.ptr, text.len, start, strlen(start)) : NULL;
    const char *to = from != NULL ? memmem(text.ptr, text.len, end, strlen(end)) : NULL;
    if (from == NULL || to == NULL) {
        haft__buf_add_str(buf, text);
        return;
    }
    to += strlen(end) - 1;
    haft__buf_add(buf, text.ptr, (size_t)(from - text.ptr));
    haft__buf_addf(buf, "<LESSON>");
    haft__buf_add(buf, to, (size_t)(text.ptr + text.len - to));
}

TEST(text_requests_have_the_expected_bytes)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf found, shortened;
        haft__arena arena;
        haft__json value;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 20);
        haft__buf_init(&shortened, 1 << 20);
        CHECK_INT(write_request(i, haft__provider_compatible(), &found), HAFT_OK, "%s",
                  cases[i].name);
        CHECK_INT(haft__json_read(&arena, haft__buf_str(&found), NULL, &value, NULL, NULL), HAFT_OK,
                  "%s is JSON", cases[i].name);
        shorten(&shortened, haft__buf_str(&found));
        CHECK_STR(haft__buf_str(&shortened), haft__str(cases[i].request), "%s", cases[i].name);
        haft__buf_finish(&found);
        haft__buf_finish(&shortened);
        haft__arena_finish(&arena);
    }
}

/* ---- cached bytes ---- */

static void write_now(haft__provider_conversation *chat, const haft__request *request,
                      haft__buf *buf)
{
    static const haft__provider_request_options plain = {.stream = false};
    haft__buf_clear(buf);
    CHECK_INT(haft__conversation_write(chat, request, &plain, buf, NULL), HAFT_OK, "in sync");
    CHECK_INT(buf->status, HAFT_OK, "written");
}

/* The bytes of turn n are at the same place in turn n + 1. */
TEST(a_text_request_begins_like_the_previous_one)
{
    static const size_t counts[] = {2, 5, 6, 7};
    haft__provider_conversation *chat = NULL;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__buf before, now;
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    for (size_t i = 0; i < COUNT(counts); i++) {
        haft__messages messages = {.items = conversation, .count = counts[i]};
        haft__request request = request_of(1, &messages);
        size_t kept = chat->messages.len;
        write_now(chat, &request, &now);
        size_t same = kept > 0 ? strlen(BEGIN) + kept : 0;
        CHECK(now.len >= same && (same == 0 || memcmp(now.ptr, before.ptr, same - 2) == 0),
              "turn %zu", i);
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
    }
    haft__conversation_destroy(chat);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
}

TEST(more_tools_or_another_format_repeat_the_instructions)
{
    haft__provider_conversation *chat = NULL;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__messages messages = messages_of(0);
    haft__request request = request_of(0, &messages);
    haft__buf fresh, grown;
    haft__buf_init(&fresh, 1 << 20);
    haft__buf_init(&grown, 1 << 20);
    CHECK_INT(write_request(0, haft__provider_compatible(), &fresh), HAFT_OK, "both tools");
    request.tool_count = 1;
    write_now(chat, &request, &grown);
    CHECK(memmem(grown.ptr, grown.len, "docs_-_search", 13) == NULL, "one tool");
    request.tool_count = 2;
    write_now(chat, &request, &grown);
    CHECK_STR(haft__buf_str(&grown), haft__buf_str(&fresh), "one, and then two");
    request.format = HAFT__LIT("native");
    write_now(chat, &request, &grown);
    CHECK(memmem(grown.ptr, grown.len, "\"tools\":[", 9) != NULL, "declared");
    CHECK(memmem(grown.ptr, grown.len, "<tools>", 7) == NULL, "and not taught");
    request.format = HAFT__LIT("hermes");
    write_now(chat, &request, &grown);
    CHECK_STR(haft__buf_str(&grown), haft__buf_str(&fresh), "and back");
    haft__conversation_destroy(chat);
    haft__buf_finish(&fresh);
    haft__buf_finish(&grown);
}

/* Ids that count calls continue from turn to turn, and results have the ids of their calls. */
TEST(calls_are_counted_over_the_conversation)
{
    static const haft__message_call more[] = {
        {HAFT__LIT("c2.1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{}")},
        {HAFT__LIT("c2.2"), HAFT__LIT("look"), .arguments = HAFT__LIT("{}")},
    };
    haft__message all[COUNT(conversation) + 3];
    memcpy(all, conversation, sizeof conversation);
    haft__message *next = all + COUNT(conversation);
    next[0] = (haft__message){.role = HAFT__MESSAGE_ASSISTANT, .calls = more, .call_count = 2};
    next[1] = (haft__message){.role = HAFT__MESSAGE_TOOL,
                              .text = HAFT__LIT("x"),
                              .call_id = HAFT__LIT("c2.2"),
                              .call_name = HAFT__LIT("look")};
    next[2] = next[1];
    next[2].call_id = HAFT__LIT("gone");
    haft__messages messages = {.items = all, .count = COUNT(all)};
    haft__request request = request_of(0, &messages);
    request.format = HAFT__LIT("kimi_k2");
    haft__provider_conversation *chat = NULL;
    haft__buf text;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__buf_init(&text, 1 << 20);
    write_now(chat, &request, &text);
    static const char *const wanted[] = {
        "begin|>functions.look:0<|",
        "Return of functions.look:0\\n",
        "Return of functions.docs_-_search:1\\n",
        "begin|>functions.look:2<|",
        "begin|>functions.look:3<|",
        "Return of functions.look:3\\n",
        "Return of functions.look:1\\n", /* no call has this id: its place in the message counts */
    };
    for (size_t i = 0; i < COUNT(wanted); i++) {
        CHECK(memmem(text.ptr, text.len, wanted[i], strlen(wanted[i])) != NULL, "%s in %.*s",
              wanted[i], HAFT__ARG(haft__buf_str(&text)));
    }
    haft__conversation_destroy(chat);
    haft__buf_finish(&text);
}

/* ---- constraints ---- */

static const struct {
    haft__constraint constraint;
    const char *wanted;
} constraints[] = {
    {{HAFT__CONSTRAINT_GBNF, false, HAFT__LIT("root ::= \"a\"")},
     "\"grammar\":\"root ::= \\\"a\\\"\""},
    {{HAFT__CONSTRAINT_JSON_SCHEMA, false, HAFT__LIT("{\"type\":\"object\"}")},
     "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"reply\","
     "\"schema\":{\"type\":\"object\"}}}"},
    {{HAFT__CONSTRAINT_JSON_SCHEMA, true, HAFT__LIT("{\"type\":\"object\"}")},
     "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"reply\","
     "\"strict\":true,\"schema\":{\"type\":\"object\"}}}"},
    {{HAFT__CONSTRAINT_NONE, false, HAFT__LIT("")}, NULL},
};

TEST(a_constraint_is_written_as_the_server_expects_it)
{
    static const haft__provider_request_options plain = {.stream = false};
    for (size_t i = 0; i < COUNT(constraints); i++) {
        const char *wanted = constraints[i].wanted;
        haft__messages messages = messages_of(0);
        haft__request request = request_of(0, &messages);
        haft__provider_conversation *chat = NULL;
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        request.constraint = constraints[i].constraint;
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
                  "create");
        CHECK_INT(haft__conversation_write(chat, &request, &plain, &buf, NULL), HAFT_OK, "in sync");
        bool there = memmem(buf.ptr, buf.len, "\"response_format\"", 17) != NULL
                     || memmem(buf.ptr, buf.len, "\"grammar\"", 9) != NULL;
        CHECK_INT(there, wanted != NULL, "case %zu: %.*s", i, HAFT__ARG(haft__buf_str(&buf)));
        CHECK(wanted == NULL || memmem(buf.ptr, buf.len, wanted, strlen(wanted)) != NULL,
              "case %zu: %.*s", i, HAFT__ARG(haft__buf_str(&buf)));
        haft__conversation_destroy(chat);
        haft__buf_finish(&buf);
    }
}

TEST(a_reply_in_another_format_is_announced)
{
    haft__messages messages = messages_of(0);
    haft__request request = request_of(0, &messages);
    haft__provider_conversation *chat = NULL;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    request.mode = HAFT__MODE_ANY;
    request.reply_format = HAFT__LIT("purejson");
    write_now(chat, &request, &buf);
    CHECK(memmem(buf.ptr, buf.len, "as JSON alone", 13) != NULL, "%.*s",
          HAFT__ARG(haft__buf_str(&buf)));
    request.reply_format = request.format;
    write_now(chat, &request, &buf);
    CHECK(memmem(buf.ptr, buf.len, "as JSON alone", 13) == NULL, "the same format");
    haft__conversation_destroy(chat);
    haft__buf_finish(&buf);
}

TEST(text_requests_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__buf_init(&buf, 1 << 20);
            test_fail_allocation(n);
            haft_status status = write_request(i, haft__provider_compatible(), &buf);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            haft__buf_finish(&buf);
            if (!failed) {
                break;
            }
        }
    }
}
