/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/stream_calls.c: how each server sends calls. */
#include "model/providers/openai_chat/openai_chat.h"
#include "model/reply_help.h"

#include "base/limits.h"
#include "tool/tool_help.h"

/* Tools whose names differ on the wire. */
static const haft__tools *make_tools(haft__arena *arena)
{
    haft__tools *tools = test_alloc(sizeof(*tools));
    static const char *const names[] = {"get", "docs:search"};
    haft__tools_init(tools, arena, (haft__hash_key){1, 2});
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = help_tool(arena, names[i]);
        CHECK_INT(haft__tools_add(tools, &tool, NULL), HAFT_OK, "%s", names[i]);
    }
    return tools;
}

/* The message of one chunk after the other, each a line; the finish_reason comes by itself. */
static haft_str stream_of(const char *deltas)
{
    haft__buf lines;
    haft__buf_init(&lines, 1 << 20);
    for (haft_str rest = haft__str(deltas); rest.len > 0;) {
        haft_str delta = haft__str_split(&rest, '\n');
        haft__buf_addf(&lines, "{'choices':[{'index':0,'delta':{%.*s}}]}\n", HAFT__ARG(delta));
    }
    haft__buf_addf(&lines, "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}\n"
                           "[DONE]");
    haft__buf_add_char(&lines, '\0');
    haft_str events = help_events(lines.ptr);
    haft__buf_finish(&lines);
    return events;
}

#define CALLS(...) "'tool_calls':[" __VA_ARGS__ "]"
#define NAMED(i, n, a)                                                                             \
    "{'id':'" i "','type':'function','function':{'name':'" n "','arguments':'" a "'}}"
#define AT(x, i, n, a)                                                                             \
    "{'index':" x ",'id':'" i "','function':{'name':'" n "','arguments':'" a "'}}"
#define MORE(x, a) "{'index':" x ",'function':{'arguments':'" a "'}}"
#define HEAD       "||tool_calls|0 0 0|"

static const struct {
    const char *name, *deltas, *wanted;
} cases[] = {
    {"as OpenAI does",
     CALLS(AT("0", "i", "get", "")) "\n" CALLS(MORE("0", "{\\'q\\'")) "\n" CALLS(MORE("0", ":1}")),
     HEAD "|i get {\"q\":1}"},
    {"two calls, one after the other",
     CALLS(AT("0", "i", "get", "")) "\n" CALLS(MORE("0", "{}")) "\n" CALLS(
         AT("1", "j", "get", "")) "\n" CALLS(MORE("1", "[]")),
     HEAD "|i get {}|j get []"},
    {"two calls at the same time",
     CALLS(AT("0", "i", "get", "a") "," AT("1", "j", "get", "b")) "\n" CALLS(
         MORE("1", "d") "," MORE("0", "c")) "\n" CALLS(MORE("0", "e")),
     HEAD "|i get ace|j get bd"},
    {"a whole call in one piece", CALLS(AT("0", "i", "get", "{}") "," AT("1", "j", "get", "[]")),
     HEAD "|i get {}|j get []"},
    {"without an index", CALLS(NAMED("i", "get", "{}") "," NAMED("j", "get", "[]")),
     HEAD "|i get {}|j get []"},
    {"without an index, in pieces",
     CALLS(NAMED("i", "get", "{")) "\n" CALLS("{'function':{'arguments':'}'}}"), HEAD "|i get {}"},
    {"without an index, the id repeated",
     CALLS(NAMED("i", "get", "a")) "\n" CALLS(NAMED("j", "get", "b")) "\n" CALLS(
         NAMED("i", "get", "c")) "\n" CALLS(NAMED("j", "", "d")),
     HEAD "|i get ac|j get bd"},
    {"without index and id",
     CALLS("{'function':{'name':'get','arguments':'{}'}}") "\n" CALLS(
         "{'function':{'name':'get','arguments':'[]'}}"),
     HEAD "| get {}| get []"},
    {"id and name repeated",
     CALLS(AT("0", "i", "get", "a")) "\n" CALLS(AT("0", "i", "get", "b")) "\n" CALLS(
         AT("0", "", "get", "c")) "\n" CALLS(AT("0", "i", "", "d")),
     HEAD "|i get abcd"},
    {"another id without a name continues the call",
     CALLS(AT("0", "i", "get", "a")) "\n" CALLS(
         "{'index':0,'id':'k','function':{'arguments':'b'}}"),
     HEAD "|i get ab"},
    {"every call with the index 0",
     CALLS(AT("0", "i", "get", "{}")) "\n" CALLS(AT("0", "j", "get", "[")) "\n" CALLS(
         MORE("0", "]")),
     HEAD "|i get {}|j get []"},
    {"an index that starts at 1",
     CALLS(AT("1", "i", "get", "{}")) "\n" CALLS(AT("7", "j", "get", "[]")),
     HEAD "|i get {}|j get []"},
    {"an invalid index",
     CALLS(AT("-1", "i", "get", "a")) "\n" CALLS(AT("1.5", "j", "get", "b")) "\n" CALLS(
         AT("null", "k", "get", "c")) "\n" CALLS(AT("'0'", "k", "get", "d")),
     HEAD "|i get a|j get b|k get cd"},
    {"an index that is too large", CALLS(AT("99999999999999999999", "i", "get", "a")),
     HEAD "|i get a"},
    {"the name after the id",
     CALLS("{'index':0,'id':'i'}") "\n" CALLS("{'index':0,'function':{'name':'get'}}") "\n" CALLS(
         MORE("0", "{}")),
     HEAD "|i get {}"},
    {"the name after the arguments",
     CALLS("{'index':0,'function':{'arguments':'{'}}") "\n" CALLS(
         "{'index':0,'id':'i','function':{'name':'get','arguments':'}'}}"),
     HEAD "|i get {}"},
    {"the id after the name", CALLS(AT("0", "", "get", "{}")) "\n" CALLS(AT("0", "i", "", "")),
     HEAD "| get {}"},
    {"no name at all", CALLS("{'index':0,'id':'i','function':{'arguments':'{}'}}"), HEAD "|i  {}"},
    {"an empty call", CALLS("{}"), HEAD "|  "},
    {"an entry that is not a call", CALLS("7,null,'x',[]") "\n'tool_calls':{}\n'tool_calls':'x'",
     HEAD "|  "},
    {"no calls", CALLS(""), "||stop|0 0 0|"},
    {"arguments as an object",
     CALLS("{'index':0,'id':'i','function':{'name':'get','arguments':{'q':[1, 2],'r':'\\u00e4'}}}"),
     HEAD "|i get {\"q\":[1,2],\"r\":\"\xC3\xA4\"}"},
    {"arguments of other kinds",
     CALLS("{'id':'i','function':{'name':'get','arguments':null}},"
           "{'id':'j','function':{'name':'get','arguments':[1]}},"
           "{'id':'k','function':{'name':'get','arguments':5}},"
           "{'id':'l','function':{'name':'get'}}"),
     HEAD "|i get |j get [1]|k get 5|l get "},
    {"a wire name", CALLS(AT("0", "i", "docs_-_search", "{}")), HEAD "|i docs:search {}"},
    {"an unknown name", CALLS(AT("0", "i", "docs_-_find", "{}")), HEAD "|i docs_-_find {}"},
    {"a name that is not encoded", CALLS(AT("0", "i", "docs:search", "{}")),
     HEAD "|i docs:search {}"},
    {"a custom tool", CALLS("{'id':'i','type':'custom','custom':{'name':'get','input':'free'}}"),
     HEAD "|i get free"},
    {"a function_call",
     "'function_call':{'name':'get','arguments':'{'}\n'function_call':{'arguments':'}'}",
     HEAD "| get {}"},
    {"no function_call", "'function_call':null\n'function_call':'x'", "||stop|0 0 0|"},
    {"text before a call", "'content':'Let me see.'\n" CALLS(AT("0", "i", "get", "{}")),
     "Let me see.||tool_calls|0 0 0||i get {}"},
};

TEST(calls_of_every_provider_are_assembled)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__tools *tools = make_tools(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_answer(&haft__openai_chat_api, stream_of(cases[i].deltas), tools,
                          cases[i].wanted, cases[i].name);
    }
    haft__arena_finish(&arena);
}

TEST(calls_survive_every_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__tools *tools = make_tools(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_memory(&haft__openai_chat_api, stream_of(cases[i].deltas), tools, cases[i].name);
    }
    haft__arena_finish(&arena);
}

/* Reads a reply of `count` calls and compares the first bytes of the outcome. */
static void check_many(unsigned count, const char *call, const char *wanted)
{
    haft__buf body, found;
    haft__buf_init(&body, 1 << 20);
    haft__buf_init(&found, 1 << 20);
    haft__buf_addf(&body, "{\"choices\":[{\"message\":{\"tool_calls\":[");
    for (unsigned i = 0; i < count; i++) {
        haft__buf_addf(&body, "%s%s", i > 0 ? "," : "", call);
    }
    haft__buf_addf(&body, "]}}]}");
    CHECK_INT(help_answer(&haft__openai_chat_api, haft__buf_str(&body), 0, NULL, &found), HAFT_OK,
              "%u calls", count);
    haft_str start = {found.ptr, found.len < strlen(wanted) ? found.len : strlen(wanted)};
    CHECK_STR(start, haft__str(wanted), "%u times %s", count, call);
    haft__buf_finish(&body);
    haft__buf_finish(&found);
}

TEST(calls_of_a_reply_are_bounded)
{
    static const char many[] =
        "garbled 0 the model server's reply cannot be used: expected at most "
        "1024 calls in a reply, found more";
    check_many(HAFT__LIMIT_REPLY_CALLS, "{\"function\":{\"name\":\"a\"}}", HEAD "| a | a | a ");
    check_many(HAFT__LIMIT_REPLY_CALLS + 1, "{\"function\":{\"name\":\"a\"}}", many);
    check_many(HAFT__LIMIT_REPLY_CALLS + 1, "{\"custom\":{\"name\":\"a\"}}", many);
}
