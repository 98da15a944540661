/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/grammar/grammar.c: in each format, the parser reads a text that the grammar
 * accepts as a call, and the grammar accepts nothing else. */
#include "format/grammar_help.h"

#include "base/limits.h"
#include "test.h"

#define TOOLS                                                                                      \
    "{\"find\": {\"type\": \"object\", \"properties\": {\"q\": {\"type\": \"string\"}, "           \
    "\"n\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 20}, "                            \
    "\"how\": {\"type\": \"string\", \"enum\": [\"fast\", \"slow\"]}}, \"required\": [\"q\"]}, "   \
    "\"stop\": {\"type\": \"object\", \"properties\": {}}}"

typedef struct sample {
    const char *format;
    uint8_t form;
    bool several;
    bool accepted; /* the grammar accepts the text */
    const char *text;
} sample;

static const sample samples[] = {
    {"hermes", 0, false, true,
     "<tool_call>\n{\"name\": \"find\", \"arguments\": {\"q\": \"a</tool_call>\\n\", \"n\": 7}}\n"
     "</tool_call>"},
    {"hermes", 0, false, true, "<tool_call>{\"name\":\"stop\",\"arguments\":{}}</tool_call>"},
    {"hermes", 0, false, false,
     "<tool_call>{\"name\":\"stop\",\"arguments\":{}}</tool_call><tool_call>{\"name\":\"stop\","
     "\"arguments\":{}}</tool_call>"},
    {"hermes", 0, true, true,
     "<tool_call>{\"name\":\"stop\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"stop\","
     "\"arguments\":{}}</tool_call>"},
    {"hermes", 0, false, false, "I would rather talk."},
    {"hermes", 0, false, false, "<tool_call>{\"name\":\"gone\",\"arguments\":{}}</tool_call>"},
    {"hermes", 0, false, false,
     "<tool_call>{\"name\":\"find\",\"arguments\":{\"n\":7}}</tool_call>"},
    {"hermes", 0, false, false,
     "<tool_call>{\"name\":\"find\",\"arguments\":{\"q\":\"a\",\"n\":21}}</tool_call>"},
    {"hermes", 0, false, false,
     "<tool_call>{\"name\":\"find\",\"arguments\":{\"q\":\"a\",\"how\":\"no\"}}</tool_call>"},
    {"hermes", 0, false, false, ""},
    {"mistral", 1, false, true, "[TOOL_CALLS]find[ARGS]{\"q\": \"x\", \"how\": \"slow\"}"},
    {"mistral", 1, true, true, "[TOOL_CALLS]stop[ARGS]{}[TOOL_CALLS]stop[ARGS]{}"},
    {"mistral", 1, false, false, "[TOOL_CALLS]stop[ARGS]{\"q\": 1}"},
    {"mistral", 1, false, false, "[TOOL_CALLS][{\"name\":\"stop\",\"arguments\":{}}]"},
    {"mistral", 0, false, true, "[TOOL_CALLS][{\"name\": \"stop\", \"arguments\": {}}]"},
    {"mistral", 0, true, true,
     "[TOOL_CALLS] [{\"name\":\"stop\",\"arguments\":{}}, {\"name\":\"find\",\"arguments\":"
     "{\"q\":\"]\"}}]"},
    {"pythonic", 0, false, true, "[find(q='it\\'s', n=20)]"},
    {"pythonic", 0, false, true, "[find(q=\"x\", how='fast')]"},
    {"pythonic", 0, true, true, "[stop(), find(q=\"\")]"},
    {"pythonic", 0, false, false, "[find(n=3)]"},
    {"pythonic", 0, false, false, "[find(q=3)]"},
    {"pythonic", 0, false, false, "find(q='x')"},
    {"purejson", 0, false, true, "{\"tool\": \"stop\", \"args\": {}}"},
    {"purejson", 0, true, true,
     "[{\"tool\":\"stop\",\"args\":{}},{\"tool\":\"find\",\"args\":{\"q\":\"\\u00e9\"}}]"},
    {"purejson", 0, false, false, "{\"answer\": \"yes\"}"},
    {"purejson", 0, false, false, "[{\"tool\":\"stop\",\"args\":{}}]"},
    {"native", 0, false, true, "{\"name\": \"stop\", \"arguments\": {}}"},
    {"native", 0, false, false, "{\"tool\": \"stop\", \"args\": {}}"},
    {"llama3", 0, false, true, "{\"name\": \"find\", \"parameters\": {\"q\": \"a\"}}"},
    {"llama3", 0, true, true,
     "{\"name\": \"find\", \"parameters\": {\"q\": \"a\"}}; {\"name\": \"stop\", "
     "\"parameters\": {}}"},
    {"qwen3coder", 0, false, true,
     "<tool_call>\n<function=find>\n<parameter=q>\nif a < b:\n    </div>\n</parameter>\n"
     "<parameter=n>\n3\n</parameter>\n<parameter=how>\nslow\n</parameter>\n</function>\n"
     "</tool_call>"},
    {"qwen3coder", 0, false, true, "<tool_call>\n<function=stop>\n</function>\n</tool_call>"},
    {"qwen3coder", 0, false, false,
     "<tool_call>\n<function=find>\n<parameter=q>\nx\n</parameter>\n<parameter=n>\nmany\n"
     "</parameter>\n</function>\n</tool_call>"},
    {"qwen3coder", 0, false, false,
     "<tool_call>\n<function=find>\n<parameter=q>\nx\n</parameter>\n<parameter=how>\nno\n"
     "</parameter>\n</function>\n</tool_call>"},
    {"qwen3coder", 0, false, false, "<tool_call>\n<function=find>\n</function>\n</tool_call>"},
    {"anthropic_xml", 0, false, true,
     "<function_calls>\n<invoke name=\"find\">\n<parameter name=\"q\">a & b</parameter>\n"
     "<parameter name=\"n\">3</parameter>\n</invoke>\n</function_calls>"},
    {"anthropic_xml", 0, false, false, "<function_calls>\n</function_calls>"},
    {"glm", 0, false, true,
     "<tool_call>find\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>"},
    {"glm", 0, false, false, "<tool_call>find\n</tool_call>"},
    {"deepseek_v32", 0, false, true,
     "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"find\">\n<｜DSML｜parameter name=\"q\" "
     "string=\"true\">x</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" string=\"false\">3"
     "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"},
    {"kimi_k2", 0, true, true,
     "<|tool_calls_section_begin|><|tool_call_begin|>functions.stop:0"
     "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_call_begin|>functions.find:1"
     "<|tool_call_argument_begin|>{\"q\": \"x\"}<|tool_call_end|><|tool_calls_section_end|>"},
    {"kimi_k2", 0, false, false, "<|tool_calls_section_begin|><|tool_calls_section_end|>"},
    {"deepseek_v3", 0, true, true,
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>stop\n```json\n{}\n```"
     "<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>find\n```json\n"
     "{\"q\": \"```\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
    {"deepseek_v31", 0, false, true,
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>stop<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
     "<｜tool▁calls▁end｜>"},
    {"functionary_v31", 0, true, true,
     "<function=stop>{}</function><function=find>{\"q\":\"\"}</function>"},
    {"functionary_v32", 0, true, true, "stop\n{}\n>>>find\n{\"q\": \"x\"}"},
    {"functionary_v32", 0, true, true, ">>>stop\n{}\n>>>find\n{\"q\": \"x\"}"},
    {"functionary_v32", 0, false, false, ">>>>>>stop\n{}"},
    {"functionary_v32", 0, false, false, "all\nhello"},
    {"granite", 0, false, true, "<|tool_call|>[{\"name\": \"stop\", \"arguments\": {}}]"},
    {"command_r", 0, false, true,
     "<|START_ACTION|>[\n {\"tool_call_id\": \"0\", \"tool_name\": \"stop\", \"parameters\": {}}"
     "\n]<|END_ACTION|>"},
    {"harmony", 0, false, true,
     "<|channel|>commentary to=functions.find <|constrain|>json<|message|>{\"q\":\"x\"}<|call|>"},
    {"harmony", 0, false, false, "<|channel|>final<|message|>No.<|return|>"},
    {"codemode", 0, false, true, "```python\nx = find(q='a')\n\nprint(x)\n```"},
    {"codemode", 0, false, false, "```python\n```"},
    {"codemode", 0, false, false, "Let me think"},
};

TEST(the_grammar_of_each_format_accepts_only_calls)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        const sample *s = &samples[i];
        haft__grammar_options options = {.several = s->several, .form = s->form};
        help_grammar h;
        help_grammar_tools(&h, TOOLS);
        help_grammar_make(&h, s->format, NULL, &options);
        CHECK(h.status == HAFT_OK, "%s: %s", s->format, h.err.message);
        help_grammar_check(&h, s->format, s->text, s->accepted);
        help_grammar_finish(&h);
    }
}

TEST(the_grammar_accepts_only_the_forced_tool)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "hermes", "stop", NULL);
    help_grammar_check(&h, "hermes", "<tool_call>{\"name\":\"stop\",\"arguments\":{}}</tool_call>",
                       true);
    help_grammar_check(&h, "hermes",
                       "<tool_call>{\"name\":\"find\",\"arguments\":{\"q\":\"x\"}}</tool_call>",
                       false);
    help_grammar_finish(&h);
}

TEST(the_grammar_rejects_tools_that_are_not_allowed)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    bool allowed[] = {true, false};
    h.status = haft__grammar_gbnf(&h.text, NULL, h.tools, h.count, allowed, HAFT__MODE_ANY,
                                  HAFT__LIT(""), NULL, NULL, &h.err);
    const char *why = NULL;
    h.grammar = gbnf_read(haft__buf_str(&h.text), &why);
    help_grammar_check(&h, "native", "{\"name\": \"stop\", \"arguments\": {}}", false);
    help_grammar_check(&h, "native", "{\"name\": \"find\", \"arguments\": {\"q\": \"\"}}", true);
    h.status = haft__grammar_gbnf(&h.text, NULL, h.tools, h.count, allowed, HAFT__MODE_TOOL,
                                  HAFT__LIT("stop"), NULL, NULL, &h.err);
    CHECK_INT(h.status, HAFT_BAD_INPUT, "a forced tool that is not allowed");
    help_grammar_finish(&h);
}

TEST(the_grammar_accepts_an_answer_if_the_format_has_one)
{
    haft__grammar_options options = {.answer = true};
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "purejson", NULL, &options);
    help_grammar_check(&h, "purejson", "{\"answer\": \"yes\"}", true);
    help_grammar_check(&h, "purejson", "{\"answer\": 1}", false);
    help_grammar_check(&h, "purejson", "{\"tool\": \"stop\", \"args\": {}}", true);
    haft_status status =
        haft__grammar_gbnf(&h.text, haft__format_find(HAFT__LIT("purejson")), h.tools, h.count,
                           NULL, HAFT__MODE_AUTO, HAFT__LIT(""), &options, NULL, &h.err);
    CHECK_INT(status, HAFT_OK, "a grammar with an answer");
    help_grammar_finish(&h);
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "hermes", NULL, &options);
    CHECK_INT(h.status, HAFT_UNSUPPORTED, "hermes has no form for an answer");
    help_grammar_finish(&h);
}

TEST(unforced_turn_has_no_grammar)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    const haft__choice_mode modes[] = {HAFT__MODE_AUTO, HAFT__MODE_NONE};
    for (size_t i = 0; i < COUNT(modes); i++) {
        h.status = haft__grammar_gbnf(&h.text, NULL, h.tools, h.count, NULL, modes[i],
                                      HAFT__LIT(""), NULL, NULL, &h.err);
        CHECK_INT(h.status, HAFT_UNSUPPORTED, "mode %d", (int)modes[i]);
        CHECK_INT(h.text.len, 0, "bytes of the grammar");
    }
    help_grammar_make(&h, "hermes", NULL, &(haft__grammar_options){.form = 1});
    CHECK_INT(h.status, HAFT_UNSUPPORTED, "a second form of hermes");
    h.status = haft__grammar_gbnf(&h.text, NULL, h.tools, 0, NULL, HAFT__MODE_ANY, HAFT__LIT(""),
                                  NULL, NULL, &h.err);
    CHECK_INT(h.status, HAFT_BAD_INPUT, "no tools");
    help_grammar_finish(&h);
}

TEST(the_grammar_accepts_reasoning_before_a_call)
{
    const char *call = "<tool_call>{\"name\":\"stop\",\"arguments\":{}}</tool_call>";
    char text[256];
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "hermes", NULL, &(haft__grammar_options){.reasoning = true});
    help_grammar_check(&h, "hermes", call, true);
    (void)snprintf(text, sizeof text, "<think>a <b </thin <tool_call></think>\n%s", call);
    help_grammar_check(&h, "hermes", text, true);
    help_grammar_check(&h, "hermes", "<think>x</think>", false);
    help_grammar_finish(&h);
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "hermes", NULL, &(haft__grammar_options){.start_in_reasoning = true});
    (void)snprintf(text, sizeof text, "so</think>\n%s", call);
    CHECK(gbnf_accepts(h.grammar, haft__str(text)),
          "a reply that begins in reasoning was rejected");
    CHECK(!gbnf_accepts(h.grammar, haft__str(call)),
          "a reply whose reasoning does not end was accepted");
    help_grammar_finish(&h);
}

TEST(the_same_tools_give_the_same_bytes)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count; i++) {
        help_grammar a, b;
        help_grammar_tools(&a, TOOLS);
        help_grammar_tools(&b, TOOLS);
        help_grammar_make(&a, formats[i]->name, NULL, NULL);
        help_grammar_make(&b, formats[i]->name, NULL, NULL);
        CHECK_INT(a.status, HAFT_OK, "%s: %s", formats[i]->name, a.err.message);
        CHECK_STR(haft__buf_str(&a.text), haft__buf_str(&b.text), "%s", formats[i]->name);
        help_grammar_finish(&a);
        help_grammar_finish(&b);
    }
}

/* Makes tools, each with a parameter that has many values. */
static void make_large(haft__buf *buf, size_t tools, size_t enums)
{
    haft__buf_add_char(buf, '{');
    for (size_t i = 0; i < tools; i++) {
        haft__buf_addf(buf,
                       "%s\"tool%zu\": {\"type\": \"object\", \"properties\": {\"a\": "
                       "{\"enum\": [0",
                       i > 0 ? "," : "", i);
        for (size_t j = 0; j < enums; j++) {
            haft__buf_addf(buf,
                           ",\"value %zu of %zu, which is long, and longer than that, and "
                           "long once more, and again, and then some, to make it large\"",
                           j, i);
        }
        haft__buf_add_str(buf, HAFT__LIT("]}}}"));
    }
    haft__buf_add_char(buf, '}');
}

TEST(oversized_grammar_relaxes_the_largest_tool)
{
    haft__buf tools;
    haft__buf_init(&tools, 1 << 20);
    make_large(&tools, 4, 200);
    haft__buf_add_char(&tools, '\0');
    tools.ptr[tools.len - 2] = ',';
    tools.len--;
    haft__buf_add_str(&tools, HAFT__LIT("\"small\": {\"type\": \"object\", \"properties\": "
                                        "{\"n\": {\"type\": \"integer\"}}}}"));
    haft__buf_add_char(&tools, '\0');
    help_grammar h;
    help_grammar_tools(&h, tools.ptr);
    help_grammar_make(&h, "hermes", NULL, NULL);
    CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
    CHECK(h.text.len <= HAFT__LIMIT_GRAMMAR_BYTES, "%zu bytes", h.text.len);
    CHECK(strstr(h.notes.ptr, "too large") != NULL, "no note that a schema is too large");
    help_grammar_check(&h, "hermes",
                       "<tool_call>{\"name\":\"small\",\"arguments\":{\"n\":\"x\"}}</tool_call>",
                       false);
    help_grammar_finish(&h);
    help_grammar_tools(&h, tools.ptr);
    help_grammar_make(&h, "hermes", NULL, &(haft__grammar_options){.max_bytes = 100});
    CHECK_INT(h.status, HAFT_TOO_BIG, "100 bytes are not enough for anything");
    CHECK_INT(h.text.len, 0, "bytes of the grammar");
    help_grammar_finish(&h);
    haft__buf_finish(&tools);
}

TEST(a_grammar_stays_within_the_given_size)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    help_grammar_make(&h, "hermes", NULL, NULL);
    size_t exact = h.text.len;
    CHECK_INT(h.report.count, 0, "relaxed schemas");
    help_grammar_finish(&h);
    for (size_t less = 0; less < 2; less++) {
        help_grammar_tools(&h, TOOLS);
        help_grammar_make(&h, "hermes", NULL, &(haft__grammar_options){.max_bytes = exact - less});
        CHECK_INT(h.status, less == 0 ? HAFT_OK : h.status, "%s", h.err.message);
        CHECK_INT(h.err.status, h.status, "the error of an attempt that was given up");
        CHECK((h.report.count > 0 || h.status == HAFT_TOO_BIG) == (less > 0),
              "limit reduced by %zu: whether a schema was relaxed", less);
        help_grammar_finish(&h);
    }
}

/* Makes a tool whose argument has one value of this length: each byte adds one to the grammar. */
static void make_long(help_grammar *h, size_t length)
{
    haft__buf tools;
    haft__buf_init(&tools, 1 << 20);
    haft__buf_addf(&tools, "{\"t\": {\"properties\": {\"a\": {\"const\": \"");
    for (size_t i = 0; i < length; i++) {
        haft__buf_add_char(&tools, 'x');
    }
    haft__buf_addf(&tools, "\"}}}}");
    haft__buf_add_char(&tools, '\0');
    help_grammar_tools(h, tools.ptr);
    h->tools[0].name = HAFT__LIT("t");
    help_grammar_make(h, "hermes", NULL, NULL);
    haft__buf_finish(&tools);
}

TEST(the_size_of_a_grammar_is_bounded)
{
    help_grammar h;
    make_long(&h, 1);
    size_t rest = h.text.len - 1;
    help_grammar_finish(&h);
    for (size_t more = 0; more < 2; more++) {
        make_long(&h, HAFT__LIMIT_GRAMMAR_BYTES - rest + more);
        CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
        CHECK_INT(h.report.count, more, "%zu bytes past the limit: relaxed schemas", more);
        CHECK(more > 0 || h.text.len == HAFT__LIMIT_GRAMMAR_BYTES,
              "bytes of the largest grammar: %zu", h.text.len);
        help_grammar_finish(&h);
    }
}

/* In these formats, text ends at a closing tag, and the grammar has a rule for each character of
 * the tag. All tools share these rules, so their size must count only once. */
TEST(common_rules_count_once)
{
    static const char *const formats[] = {"qwen3coder", "anthropic_xml", "glm", "deepseek_v32"};
    static const char tools[] = "{\"a\": {\"properties\": {\"q\": {\"type\": \"string\"}}}, "
                                "\"b\": {\"properties\": {\"r\": {\"type\": \"string\"}}}, "
                                "\"c\": {\"properties\": {\"s\": {\"type\": \"string\"}}}}";
    for (size_t i = 0; i < COUNT(formats); i++) {
        help_grammar h;
        help_grammar_tools(&h, tools);
        help_grammar_make(&h, formats[i], NULL, NULL);
        size_t exact = h.text.len;
        help_grammar_finish(&h);
        help_grammar_tools(&h, tools);
        help_grammar_make(&h, formats[i], NULL, &(haft__grammar_options){.max_bytes = exact});
        CHECK_INT(h.status, HAFT_OK, "%s: %s", formats[i], h.err.message);
        CHECK_INT(h.report.count, 0, "%s: %s", formats[i], h.notes.ptr);
        help_grammar_finish(&h);
    }
}

TEST(making_a_grammar_reports_a_failed_allocation)
{
    static const char *const formats[] = {"hermes", "pythonic", "qwen3coder", "codemode"};
    for (size_t i = 0; i < COUNT(formats); i++) {
        for (unsigned n = 0;; n++) {
            help_grammar h;
            help_grammar_tools(&h, TOOLS);
            haft__arena notes;
            haft__arena_init(&notes, 0);
            haft__relax_report_init(&h.report, &notes);
            test_fail_allocation(n);
            h.status = haft__grammar_gbnf(&h.text, haft__format_find(haft__str(formats[i])),
                                          h.tools, h.count, NULL, HAFT__MODE_ANY, HAFT__LIT(""),
                                          NULL, &h.report, &h.err);
            bool failed = test_allow_allocations();
            CHECK_INT(h.status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", formats[i],
                      n);
            haft__arena_finish(&notes);
            help_grammar_finish(&h);
            if (!failed || h.status == HAFT_OK) {
                break;
            }
        }
    }
}
