/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/reply_text.c: replies whose calls are in their text. */
#include "base/limits.h"
#include "model/providers/openai_chat/stream.h"
#include "test.h"
#include "tool/tool_help.h"
#include "json/write.h"

static const haft__format_tool taught[] = {{.name = HAFT__LIT("look")},
                                           {.name = HAFT__LIT("docs_-_search")}};

static const struct {
    const char *name, *format, *text, *finish,
        *wanted; /* A/B: B is the outcome if the text is not only JSON */
} rows[] = {
    {"only text", "hermes", "It is 5 < 6 <tool", "stop", "It is 5 < 6 <tool||stop"},
    {"a call", "hermes",
     "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"q\": "
     "12345678901234567890}}\n</tool_call>",
     "stop", "||tool_calls| look {\"q\": 12345678901234567890}"},
    {"the registered name differs from the wire name", "hermes",
     "Hm.<tool_call>{\"name\": \"docs_-_search\", \"arguments\": {}}</tool_call>", "stop",
     "Hm.||tool_calls| docs:search {}"},
    {"an unknown name", "hermes", "<tool_call>{\"name\": \"nope\", \"arguments\": {}}</tool_call>",
     "stop", "||tool_calls| nope {}"},
    {"reasoning in the text", "hermes",
     "<think>so</think><tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>", "stop",
     "|so|tool_calls| look {}"},
    {"two calls, and an id that comes late", "mistral",
     "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {}, \"id\": \"abcdefgh1\"}, {\"name\": "
     "\"look\", \"arguments\": {\"a\": 1}}]",
     "stop", "||tool_calls|abcdefgh1 look {}| look {\"a\": 1}"},
    {"a malformed call between valid ones", "hermes",
     "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>"
     "<tool_call>{\"name\": \"look\", \"arguments\": {\"q\": @}}</tool_call>"
     "<tool_call>{\"name\": \"look\", \"arguments\": {\"q\": 1}}</tool_call>",
     "stop", "||tool_calls| look {}|void look| look {\"q\": 1}"},
    {"a call without a name", "hermes", "<tool_call>[]</tool_call>Sorry.", "stop",
     "Sorry.||tool_calls|void unreadable_call"},
    {"invalid arguments", "hermes",
     "<tool_call>{\"name\": \"look\", \"arguments\": [1]}</tool_call>", "stop",
     "||tool_calls|void look"},
    {"... in front of the name", "hermes",
     "<tool_call>{\"arguments\": [1], \"name\": \"docs_-_search\"}</tool_call>", "stop",
     "||tool_calls|void docs:search"},
    {"an invalid name", "hermes", "<tool_call>{\"name\": \"a b\", \"arguments\": {}}</tool_call>",
     "stop", "||tool_calls|void unreadable_call"},
    {"another recipient", "harmony", "<|channel|>commentary to=python<|message|>1<|call|>", "stop",
     "||tool_calls|void python"},
    {"a second value", "functionary_v31", "<function=look>{}{\"q\": 1}</function>", "stop",
     "||tool_calls| look {}|void unreadable_call"},
    {"a call that is cut in its arguments, after a mark", "functionary_v31",
     "<function=look>{\"q\": \"a", "length", "||length|void look"},
    {"... in a section", "kimi_k2",
     "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{",
     "length", "||length|void look"},
    {"... in a tag", "glm", "<tool_call>look\n<arg_key>q</arg_key>\n<arg_value>a", "length",
     "||length|void look"},
    {"... of Python", "pythonic", "[look(q=", "length", "||length|void look"},
    {"a call that is cut in its name", "functionary_v31", "<function=loo", "length",
     "||length|void unreadable_call"},
    {"a call that is cut", "hermes",
     "Well.<tool_call>{\"name\": \"look\", \"arguments\": {\"q\": \"a", "length",
     "Well.||length|void look"},
    {"a call without its end mark", "hermes", "<tool_call>{\"name\": \"look\", \"arguments\": {}}",
     "stop", "||tool_calls| look {}"},
    {"an answer", "purejson", "{\"answer\": \"yes \\u00e9\"}", "stop", "yes \xC3\xA9||stop"},
    {"code is a call", "codemode", "Now:\n```python\nprint(\"x\")\n```\n", "stop",
     "Now:\n||tool_calls| python_execution {\"code\":\"print(\\\"x\\\")\"}"},
    {"code that is cut", "codemode", "```python\nprint(", "length",
     "||length|void python_execution"},
    {"no code in the block", "codemode", "```python\n```\n", "stop", "||stop"},
    {"a call that is repaired", "hermes",
     "<tool_call>{'name': 'look', 'arguments': {'q': True,}}</tool_call>", "stop",
     "||tool_calls| look {\"q\":true} mended"},
    {"JSON alone", "purejson/hermes", " \n{\"tool_call\": {\"name\": \"look\", \"arguments\": {}}}",
     "stop", "||tool_calls| look {}"},
    {"a list of JSON", "purejson/hermes",
     "[ {\"name\": \"look\", \"arguments\": {}}, {\"name\": \"look\", \"arguments\": {}}]", "stop",
     "||tool_calls| look {}| look {}"},
    {"several calls with one name", "purejson/mistral",
     "{\"tool_calls\": [{\"name\": \"look\", \"arguments\": {\"q\": null}}]}", "stop",
     "||tool_calls| look {\"q\": null}"},
    {"no JSON, though it was to be", "purejson/hermes",
     "\n<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>", "stop",
     "||tool_calls| look {}"},
    {"a list that is not JSON", "purejson/pythonic", "[look(q=1)]", "stop",
     "||tool_calls| look {\"q\":1}"},
    {"a mark that begins like a list", "purejson/mistral",
     "[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {}}]", "stop", "||tool_calls| look {}"},
    {"words, though it was to be JSON", "purejson/hermes", "Hello.", "stop", "Hello.||stop"},
    {"only a bracket", "purejson/hermes", " [ ", "stop", "[||stop"},
    {"only white space", "purejson/hermes", " \n ", "stop", "||stop"},
    {"the native format", "native", "<tool_call>{}</tool_call>", "stop",
     "<tool_call>{}</tool_call>||stop"},
};

/* ---- bodies ---- */

static void add_piece(haft__buf *body, haft_str text)
{
    haft__buf_addf(body, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":");
    haft__json_write_string(body, text);
    haft__buf_addf(body, "}}]}\n\n");
}

static void make_body(haft__buf *body, haft_str text, size_t size, const char *finish)
{
    while (text.len > 0) {
        size_t length = size == 0 || size > text.len ? text.len : size;
        while (length < text.len && ((unsigned char)text.ptr[length] & 0xC0U) == 0x80U) {
            length++;
        }
        add_piece(body, (haft_str){text.ptr, length});
        text = haft__str_skip(text, length);
    }
    haft__buf_addf(body, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n",
                   finish);
}

static void describe(haft__buf *buf, const haft__reply *reply)
{
    haft__buf_addf(buf, "%.*s|%.*s|%s", HAFT__ARG(reply->content), HAFT__ARG(reply->reasoning),
                   haft__stop_reason_name(reply->stop));
    for (size_t i = 0; i < reply->call_count; i++) {
        const haft__message_call *call = &reply->calls[i];
        if (call->malformed.len > 0) { /* the parser's tests check how much of it is kept */
            haft__buf_addf(buf, "|void %.*s", HAFT__ARG(call->name));
        } else {
            haft__buf_addf(buf, "|%.*s %.*s %.*s%s", HAFT__ARG(call->id), HAFT__ARG(call->name),
                           HAFT__ARG(call->arguments), call->repaired ? " mended" : "");
        }
    }
}

/* Deltas while a reply arrives. */
static void collect_text(void *context, const haft__delta *delta)
{
    if (delta->kind == HAFT__DELTA_TEXT) {
        haft__buf_add_str(context, delta->text);
    }
}

static haft_status read_body(const haft__tools *tools, haft_str body, const char *format,
                             haft__buf *found, haft__buf *reported)
{
    haft_str fallback_format = haft__str(format);
    haft_str first = haft__str_split(&fallback_format, '/');
    haft__provider_stream_options options = {.tools = tools,
                                             .format = haft__format_find(first),
                                             .fallback_format = haft__format_find(fallback_format),
                                             .format_tools = taught,
                                             .format_tool_count = COUNT(taught),
                                             .emit = collect_text,
                                             .context = reported};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__model_outcome answer = {.failed = false};
    haft_status status = haft__openai_read(&options, body, &arena, &answer, NULL);
    if (status == HAFT_OK && answer.failed) {
        haft__buf_addf(found, "failed: %.*s", HAFT__ARG(answer.failure.message));
    } else if (status == HAFT_OK) {
        describe(found, &answer.reply);
    }
    haft__arena_finish(&arena);
    return status;
}

static haft__arena tools_arena;

static const haft__tools *make_tools(void)
{
    haft__tools *tools = test_alloc(sizeof(*tools));
    static const char *const names[] = {"look", "docs:search"};
    haft__arena_init(&tools_arena, 0);
    haft__tools_init(tools, &tools_arena, (haft__hash_key){1, 2});
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = help_tool(&tools_arena, names[i]);
        CHECK_INT(haft__tools_add(tools, &tool, NULL), HAFT_OK, "%s", names[i]);
    }
    return tools;
}

TEST(calls_in_a_text_are_calls)
{
    const haft__tools *tools = make_tools();
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t size = 0; size < 9; size++) {
            haft__buf body, found, reported;
            haft__buf_init(&body, 1 << 20);
            haft__buf_init(&found, 1 << 20);
            haft__buf_init(&reported, 1 << 20);
            make_body(&body, haft__str(rows[i].text), size, rows[i].finish);
            CHECK_INT(read_body(tools, haft__buf_str(&body), rows[i].format, &found, &reported),
                      HAFT_OK, "%s", rows[i].name);
            CHECK_STR(haft__buf_str(&found), haft__str(rows[i].wanted), "%s, pieces of %zu",
                      rows[i].name, size);
            haft_str content = haft__str(rows[i].wanted);
            content = haft__str_split(&content, '|');
            CHECK_STR(haft__buf_str(&reported), content, "%s: the reported text is content",
                      rows[i].name);
            haft__buf_finish(&body);
            haft__buf_finish(&found);
            haft__buf_finish(&reported);
        }
    }
    haft__arena_finish(&tools_arena);
}

/* The server returns native calls although it was not asked for them. */
TEST(calls_of_the_server_and_of_the_text_are_numbered_together)
{
    const haft__tools *tools = make_tools();
    static const char body[] =
        "{\"choices\":[{\"message\":{\"content\":\"<tool_call>{\\\"name\\\":\\\"look\\\","
        "\\\"arguments\\\":{}}</tool_call>\",\"tool_calls\":[{\"id\":\"i\",\"function\":{\"name\":"
        "\"docs_-_search\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}";
    haft__buf found, reported;
    haft__buf_init(&found, 1 << 20);
    haft__buf_init(&reported, 1 << 20);
    CHECK_INT(read_body(tools, haft__str(body), "hermes", &found, &reported), HAFT_OK,
              "read the body");
    CHECK_STR(haft__buf_str(&found), HAFT__LIT("||tool_calls| look {}|i docs:search {}"),
              "the call in the text and the native call");
    haft__buf_finish(&found);
    haft__buf_finish(&reported);
    haft__arena_finish(&tools_arena);
}

TEST(too_many_calls_fail_the_reply)
{
    const haft__tools *tools = make_tools();
    haft__buf body, text, found, reported;
    haft__buf_init(&body, 1 << 24);
    haft__buf_init(&text, 1 << 24);
    haft__buf_init(&found, 1 << 24);
    haft__buf_init(&reported, 1 << 24);
    for (int i = 0; i <= HAFT__LIMIT_REPLY_CALLS; i++) {
        haft__buf_addf(&text, "<tool_call>{\"name\":\"look\",\"arguments\":{}}</tool_call>");
    }
    make_body(&body, haft__buf_str(&text), 4000, "stop");
    CHECK_INT(read_body(tools, haft__buf_str(&body), "hermes", &found, &reported), HAFT_OK,
              "read the body");
    CHECK(haft__str_starts_with(haft__buf_str(&found), HAFT__LIT("failed: ")), "%.*s",
          HAFT__ARG(haft__buf_str(&found)));
    haft__buf_finish(&body);
    haft__buf_finish(&text);
    haft__buf_finish(&found);
    haft__buf_finish(&reported);
    haft__arena_finish(&tools_arena);
}

TEST(replies_survive_every_failed_allocation)
{
    const haft__tools *tools = make_tools();
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf body;
        haft__buf_init(&body, 1 << 20);
        make_body(&body, haft__str(rows[i].text), 7, rows[i].finish);
        for (unsigned n = 0;; n++) {
            haft__buf found, reported;
            haft__buf_init(&found, 1 << 20);
            haft__buf_init(&reported, 1 << 20);
            test_fail_allocation(n);
            haft_status status =
                read_body(tools, haft__buf_str(&body), rows[i].format, &found, &reported);
            bool failed = test_allow_allocations();
            bool lost = found.status != HAFT_OK || reported.status != HAFT_OK;
            CHECK_INT(status, failed && !lost ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u: %.*s",
                      rows[i].name, n, HAFT__ARG(haft__buf_str(&found)));
            haft__buf_finish(&found);
            haft__buf_finish(&reported);
            if (!failed) {
                break;
            }
        }
        haft__buf_finish(&body);
    }
    haft__arena_finish(&tools_arena);
}

/* ---- reasoning in the text ---- */

#define HIDDEN         "<tool_call>{\\\"name\\\":\\\"look\\\",\\\"arguments\\\":{}}</tool_call>"
#define WHOLE(message) "{\"choices\":[{\"message\":{" message "},\"finish_reason\":\"stop\"}]}"

static const struct {
    const char *name, *format;
    bool thinks, inside;
    const char *body, *wanted;
} thoughts[] = {
    {"a model that is not known to reason", "native", false, false,
     WHOLE("\"content\":\"<think>a</think>b\""), "<think>a</think>b||stop"},
    {"reasoning in the text", "native", true, false, WHOLE("\"content\":\"<think>a</think>b\""),
     "b|a|stop"},
    {"no reasoning in this reply", "native", true, false, WHOLE("\"content\":\"b < c\""),
     "b < c||stop"},
    {"the chat template starts the reasoning", "native", true, true,
     WHOLE("\"content\":\"a</think>b\""), "b|a|stop"},
    {"... but the server reported it apart", "native", true, true,
     WHOLE("\"reasoning_content\":\"a\",\"content\":\"b\""), "b|a|stop"},
    {"... under the other name", "native", true, true,
     WHOLE("\"reasoning\":\"a\",\"content\":\"b\""), "b|a|stop"},
    {"a call in the reasoning", "native", true, true, WHOLE("\"content\":\"" HIDDEN "</think>b\""),
     "b|<tool_call>{\"name\":\"look\",\"arguments\":{}}</tool_call>|stop"},
    {"a call in the reasoning, in a text format", "hermes", true, true,
     WHOLE("\"content\":\"" HIDDEN "</think>b\""),
     "b|<tool_call>{\"name\":\"look\",\"arguments\":{}}</tool_call>|stop"},
    {"a call after the reasoning", "hermes", true, true,
     WHOLE("\"content\":\"a</think>" HIDDEN "\""), "|a|tool_calls| look {}"},
    {"a native call", "native", true, false,
     WHOLE("\"content\":\"<think>a</think>\",\"tool_calls\":[{\"id\":\"i\",\"function\":"
           "{\"name\":\"look\",\"arguments\":\"{}\"}}]"),
     "|a|tool_calls|i look {}"},
    {"an answer without reasoning", "hermes", true, true, WHOLE("\"content\":\"Hello\""),
     "Hello||stop"},
    {"a reply that ends with the end of its reasoning", "hermes", true, true,
     WHOLE("\"content\":\"so</think>\""), "|so|stop"},
    {"JSON without reasoning", "purejson", true, true,
     WHOLE("\"content\":\"[{\\\"tool\\\":\\\"look\\\",\\\"args\\\":{}}]\""),
     "||tool_calls| look {}"},
    {"an answer in JSON without reasoning", "purejson", true, true,
     WHOLE("\"content\":\"{\\\"answer\\\":\\\"yes\\\"}\""), "yes||stop"},
    {"JSON in reasoning", "purejson", true, true,
     WHOLE("\"content\":\"{\\\"answer\\\":1}</think>yes\""), "yes|{\"answer\":1}|stop"},
    {"a call in reasoning that the server reported apart", "hermes", true, false,
     WHOLE("\"reasoning_content\":\"" HIDDEN "\",\"content\":\"b\""),
     "b|<tool_call>{\"name\":\"look\",\"arguments\":{}}</tool_call>|stop"},
};

/* The reply was constrained to JSON and is cut: text that begins as JSON is not reasoning. */
TEST(requested_json_is_not_reasoning)
{
    static const struct {
        const char *name, *text;
        bool constrained, reasoning;
    } replies[] = {
        {"a call", "{\\\"tool\\\":\\\"look\\\",\\\"args\\\":{\\\"a", true, false},
        {"several", " [{\\\"tool\\\":\\\"look\\\"", true, false},
        {"no JSON: the server took no notice", "so {\\\"tool\\\"", true, true},
        {"not constrained", "{\\\"tool\\\":\\\"look\\\"", false, true},
    };
    for (size_t i = 0; i < COUNT(replies); i++) {
        haft__provider_stream_options options = {.format = haft__format_find(HAFT__LIT("purejson")),
                                                 .format_tools = taught,
                                                 .format_tool_count = COUNT(taught),
                                                 .may_reason = true,
                                                 .starts_in_reasoning = true,
                                                 .json_only = replies[i].constrained};
        haft__arena arena;
        haft__buf body;
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, 1 << 16);
        haft__buf_addf(&body,
                       "{\"choices\":[{\"message\":{\"content\":\"%s\"},"
                       "\"finish_reason\":\"length\"}]}",
                       replies[i].text);
        haft__model_outcome answer = {.failed = false};
        CHECK_INT(haft__openai_read(&options, haft__buf_str(&body), &arena, &answer, NULL), HAFT_OK,
                  "%s", replies[i].name);
        CHECK((answer.reply.reasoning.len > 0) == replies[i].reasoning, "%s: %.*s", replies[i].name,
              HAFT__ARG(answer.reply.reasoning));
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}

TEST(thoughts_in_a_text_are_reasoning)
{
    for (size_t i = 0; i < COUNT(thoughts); i++) {
        haft__provider_stream_options options = {
            .format = haft__format_find(haft__str(thoughts[i].format)),
            .format_tools = taught,
            .format_tool_count = COUNT(taught),
            .may_reason = thoughts[i].thinks,
            .starts_in_reasoning = thoughts[i].inside};
        haft__arena arena;
        haft__buf found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 20);
        haft__model_outcome answer = {.failed = false};
        CHECK_INT(haft__openai_read(&options, haft__str(thoughts[i].body), &arena, &answer, NULL),
                  HAFT_OK, "%s", thoughts[i].name);
        CHECK(!answer.failed, "%s", thoughts[i].name);
        describe(&found, &answer.reply);
        CHECK_STR(haft__buf_str(&found), haft__str(thoughts[i].wanted), "%s", thoughts[i].name);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}
