/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/repair.c: errors of models in JSON are repaired, the same at every cut; a
 * truncated value is never repaired. */
#include "parse_help.h"
#include "test.h"

static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"g", 1}}};

#define FA "[{\"name\":\"f\",\"arguments\":{\"a\":1},\"id\":\"\"}]"

static const struct {
    const char *name, *format, *text, *calls, *content, *error;
    bool repaired;
} cases[] = {
    {"strict", "hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>", FA, "",
     "", false},
    {"strict, with white space", "hermes",
     "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n</tool_call>", FA, "", "", false},
    {"a comma too many", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,},}</tool_call>", FA, "", "", true},
    {"single quotes", "hermes", "<tool_call>{'name':'f','arguments':{'a':1}}</tool_call>", FA, "",
     "", true},
    {"a close tag in single quotes", "hermes",
     "<tool_call>{'name':'f','arguments':{'a':'</tool_call>\"}'}}</tool_call>x",
     "[{\"name\":\"f\",\"arguments\":{\"a\":\"</tool_call>\\\"}\"},\"id\":\"\"}]", "x", "", true},
    {"words of Python", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":True,\"b\":[None,False]}}</tool_call>",
     "[{\"name\":\"f\",\"arguments\":{\"a\":true,\"b\":[null,false]},\"id\":\"\"}]", "", "", true},
    {"a newline in a string", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\n\ty\"}}</tool_call>",
     "[{\"name\":\"f\",\"arguments\":{\"a\":\"x\\n\\ty\"},\"id\":\"\"}]", "", "", true},
    {"arguments in a string", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}</tool_call>", FA, "", "", true},
    {"arguments in a string, to be mended", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":\"{'a':1,}\"}</tool_call>", FA, "", "", true},
    {"comments", "hermes",
     "<tool_call>{\"name\":\"f\", // it's } \n \"arguments\": /* \" ] */ {\"a\":1} # }'\n}"
     "</tool_call>",
     FA, "", "", true},
    {"a comment of nothing", "hermes",
     "<tool_call>{/*/ } */\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>", FA, "", "", true},
    {"a comment mark at the end of a comment", "hermes",
     "<tool_call>{/* a /*/\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>", FA, "", "", true},
    {"a comment right after a comment", "hermes",
     "<tool_call>{/* a *//* b */\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>", FA, "", "",
     true},
    {"a comment that ends with a carriage return", "hermes",
     "<tool_call>{// a }\r\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>", FA, "", "", true},
    {"numbers keep their digits", "hermes",
     "<tool_call>{'name':'f','arguments':{'a':12345678901234567890.10}}</tool_call>",
     "[{\"name\":\"f\",\"arguments\":{\"a\":12345678901234567890.10},\"id\":\"\"}]", "", "", true},
    {"what cannot be mended", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{a:1}}</tool_call>"
     "<tool_call>{'name':'f','arguments':{'a':1}}</tool_call>",
     FA, "",
     "malformed at 0: expected a key in double quotes or '}', found 'a': "
     "<tool_call>{\"name\":\"f\",\"arguments\":{a:1}}</tool_call>\n",
     true},
    {"no call", "hermes", "<tool_call>{'nom':'f','arguments':{'a':1}}</tool_call>", "[]", "",
     "malformed at 0: expected a key in double quotes or '}', found ''': "
     "<tool_call>{'nom':'f','arguments':{'a':1}}</tool_call>\n",
     false},
    {"no JSON", "hermes", "<tool_call>f</tool_call>", "[]", "",
     "malformed at 0: expected true, false or null, found '<': <tool_call>f</tool_call>\n", false},
    {"cut", "hermes", "<tool_call>{'name':'f','arguments':{'a':1}", "[]", "",
     "truncated at 0: the text ends inside it: <tool_call>{'name':'f','arguments':{'a':1}\n",
     false},
    {"cut, but strict so far", "hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}", "[]",
     "",
     "truncated at 0: the text ends inside it: <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}"
     "\n",
     false},
    {"a quote that never closes costs one call", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\n}}</tool_call>"
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     FA, "",
     "malformed at 0: expected no raw control character in the string, found byte 0x0A: "
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\n}}</tool_call>\n",
     false},
    {"a bad call, and one to be mended", "hermes",
     "<tool_call>{\"name\":\"g\",\"arguments\":{\"p\":\"a\"}</tool_call> bye "
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,}}</tool_call>",
     FA, "bye",
     "malformed at 0: expected ',' or '}' after the member, found '<': "
     "<tool_call>{\"name\":\"g\",\"arguments\":{\"p\":\"a\"}</tool_call>\n",
     true},
    {"a comment that never ends, and one to be mended", "hermes",
     "<tool_call>{\"name\":\"g\",# x</tool_call><tool_call>{'name':'f','arguments':{'a':1}}", FA,
     "",
     "malformed at 0: expected a key in double quotes, found '#': "
     "<tool_call>{\"name\":\"g\",# x</tool_call>\n",
     true},
    {"an array", "mistral", "[TOOL_CALLS] [{'name':'f','arguments':{'a':1}}]", FA, "", "", true},
    {"one of an array", "mistral", "[TOOL_CALLS][{'name':'f','arguments':{'a':1}},{'name':'g'}]",
     FA, "", "malformed at 46: it has no arguments: {\"name\":\"g\"}\n", true},
    {"arguments alone", "mistral", "[TOOL_CALLS]f[ARGS]{'a':1}", FA, "", "", true},
    {"arguments alone, in a string", "functionary_v31", "<function=f>\"{\\\"a\\\":1}\"</function>",
     FA, "", "", true},
    {"bare", "purejson", "{'tool':'f','args':{'a':1}}", FA, "", "", true},
    {"in a fence", "purejson", "Look:\n```json\n{'tool':'f','args':{'a':1}}\n```\n", FA,
     "Look:", "", true},
    {"in prose it is text", "purejson", "So {\"tool\":\"f\",\"args\":{\"a\":1,}} there", "[]",
     "So {\"tool\":\"f\",\"args\":{\"a\":1,}} there", "", false},
    {"at the end of prose", "purejson", "So\n```json\n{'tool':'f','args':{'a':1,}}\n```\n", FA,
     "So", "", true},
    {"not quite at its end", "purejson", "So\n```json\n{'tool':'f','args':{'a':1,}}\n```\nthere",
     "[]", "So\n```json\n{'tool':'f','args':{'a':1,}}\n```\nthere", "", false},
    {"not quite at its end, and a fence in a string", "purejson",
     "So\n```json\n{'tool':'f','args':{'a':'\n```\n',}}\n```\nthere", "[]",
     "So\n```json\n{'tool':'f','args':{'a':'\n```\n',}}\n```\nthere", "", false},
    {"an answer", "purejson", "{'answer': 'it is \"so\"'}", "[]", "it is \"so\"", "", false},
    {"calls further in", "purejson", "{'tool_calls':[{'name':'f','arguments':\"{'a':1}\"}]}", FA,
     "", "", true},
    {"no call, but braces", "purejson", "{'a': 1} and {x}", "[]", "{'a': 1} and {x}", "", false},
    {"a string over lines", "pythonic", "[f(a='x\ny')]",
     "[{\"name\":\"f\",\"arguments\":{\"a\":\"x\\ny\"},\"id\":\"\"}]", "", "", true},
    {"in reasoning that never ends", "hermes",
     "<think>hm <tool_call>{'name':'f','arguments':{'a':1}}", FA, "", "", true},
};

static void check_one(size_t at, size_t first, size_t chunk)
{
    help_input input = {.format = cases[at].format,
                        .text = haft__str(cases[at].text),
                        .tools = tools,
                        .tool_count = COUNT(tools),
                        .repair = true};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, first, chunk, &parsed);
    CHECK_STR(haft__buf_str(&parsed.calls), haft__str(cases[at].calls), "%s, cut at %zu: calls",
              cases[at].name, first);
    CHECK_STR(haft__buf_str(&parsed.errors), haft__str(cases[at].error), "%s, cut at %zu: errors",
              cases[at].name, first);
    if (cases[at].content[0] != '\0') {
        CHECK_STR(haft__str_trim(haft__buf_str(&parsed.content)), haft__str(cases[at].content),
                  "%s, cut at %zu: content", cases[at].name, first);
    }
    CHECK_INT(parsed.repaired, cases[at].repaired, "%s, cut at %zu: repaired", cases[at].name,
              first);
    help_parsed_finish(&parsed);
}

TEST(common_json_errors_are_repaired_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_one(i, 1, 1);
        for (size_t cut = 0; cut < strlen(cases[i].text); cut++) {
            check_one(i, cut, 0);
        }
    }
}

/* No prefix of a call runs, however long it is. */
TEST(truncated_value_is_never_repaired)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str text = haft__str(cases[i].text);
        haft_str last = text;
        while (last.len > 0 && strchr("}])", last.ptr[last.len - 1]) == NULL) {
            last.len--; /* removes the text after the last closing bracket */
        }
        if (strcmp(cases[i].calls, FA) != 0 || strstr(cases[i].text, "g") != NULL
            || strstr(cases[i].text, "x\n}}") != NULL) {
            continue;
        }
        for (size_t length = 0; length + 2 < last.len; length++) {
            help_input input = {.format = cases[i].format,
                                .text = {text.ptr, length},
                                .tools = tools,
                                .tool_count = COUNT(tools),
                                .repair = true};
            help_parsed parsed;
            help_parsed_init(&parsed);
            help_parse(&input, 0, 0, &parsed);
            CHECK_STR(haft__buf_str(&parsed.calls), HAFT__LIT("[]"), "%s, %zu bytes", cases[i].name,
                      length);
            help_parsed_finish(&parsed);
        }
    }
}

/* Malformed calls inside of malformed calls are kept once. */
TEST(irreparable_text_is_read_at_most_twice)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 22);
    size_t event_count[2] = {0, 0}, allocations[2] = {0, 0};
    for (size_t round = 0; round < 2; round++) {
        haft__buf_clear(&text);
        size_t depth = round == 0 ? 2000 : 4000;
        for (size_t i = 0; i < depth; i++) {
            haft__buf_add_str(&text, HAFT__LIT("<tool_call>{x "));
        }
        for (size_t i = 0; i < depth; i++) {
            haft__buf_add_str(&text, HAFT__LIT("}</tool_call>"));
        }
        help_input input = {.format = "hermes", .text = haft__buf_str(&text), .repair = true};
        help_parsed parsed;
        help_parsed_init(&parsed);
        size_t before = test_allocation_count();
        help_parse(&input, 0, 64, &parsed);
        allocations[round] = test_allocation_count() - before;
        event_count[round] = parsed.event_count;
        help_parsed_finish(&parsed);
    }
    CHECK(event_count[1] <= 2 * event_count[0] + 10, "%zu events, then %zu for twice the depth",
          event_count[0], event_count[1]);
    CHECK(allocations[1] <= 2 * allocations[0] + 50,
          "%zu allocations, then %zu for twice the depth", allocations[0], allocations[1]);
    haft__buf_finish(&text);
}
