/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/grammar_schema.c and src/schema/downlevel.c: the schema of a reply, judged
 * by our own validator. */
#include "grammar_help.h"

#include "../schema/schema_helpers.h"
#include "base/limits.h"

#define TOOLS                                                                                      \
    "{\"find\": {\"type\": \"object\", \"properties\": {\"q\": {\"type\": \"string\"}, "           \
    "\"n\": {\"type\": \"integer\", \"minimum\": 1}}, \"required\": [\"q\"]}, "                    \
    "\"stop\": {\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false}, "      \
    "\"tree\": {\"$defs\": {\"t\": {\"type\": \"object\", \"properties\": {\"kids\": {\"type\": "  \
    "\"array\", \"items\": {\"$ref\": \"#/$defs/t\"}}}, \"required\": [\"kids\"], "                \
    "\"additionalProperties\": false}}, \"$ref\": \"#/$defs/t\"}}"

static haft_status make(help_grammar *h, haft__schema_target target, const char *format,
                        const char *tool, const haft__grammar_options *options)
{
    h->status = haft__grammar_schema(
        &h->text, target, format != NULL ? haft__format_find(haft__str(format)) : NULL, h->tools,
        h->count, NULL, tool != NULL ? HAFT__MODE_TOOL : HAFT__MODE_ANY,
        haft__str(tool != NULL ? tool : ""), options, &h->report, &h->err);
    haft__relax_write(&h->notes, &h->report);
    haft__buf_add_char(&h->notes, '\0');
    haft__buf_add_char(&h->text, '\0');
    return h->status;
}

static const struct {
    haft__schema_target target;
    const char *format, *tool;
    bool several, answer, valid;
    const char *reply;
} replies[] = {
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, true,
     "{\"name\": \"find\", \"arguments\": {\"q\": \"x\"}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, true,
     "{\"name\": \"tree\", \"arguments\": {\"kids\": [{\"kids\": []}]}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false,
     "{\"name\": \"tree\", \"arguments\": {\"kids\": [{}]}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false,
     "{\"name\": \"find\", \"arguments\": {\"n\": 1}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false,
     "{\"name\": \"find\", \"arguments\": {\"q\": \"x\", \"n\": 0}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false, "{\"name\": \"gone\", \"arguments\": {}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false, "\"text\""},
    {HAFT__TARGET_VLLM, NULL, "stop", false, false, false,
     "{\"name\": \"find\", \"arguments\": {\"q\": \"x\"}}"},
    {HAFT__TARGET_VLLM, NULL, "stop", false, false, true,
     "{\"name\": \"stop\", \"arguments\": {}}"},
    {HAFT__TARGET_VLLM, NULL, NULL, false, false, false, "{\"answer\": \"x\"}"},
    {HAFT__TARGET_OLLAMA, "purejson", NULL, false, true, true, "{\"answer\": \"x\"}"},
    {HAFT__TARGET_OLLAMA, "purejson", NULL, false, false, true,
     "{\"tool\": \"stop\", \"args\": {}}"},
    {HAFT__TARGET_OLLAMA, "purejson", NULL, true, false, true,
     "[{\"tool\": \"stop\", \"args\": {}}, {\"tool\": \"find\", \"args\": {\"q\": \"\"}}]"},
    {HAFT__TARGET_OLLAMA, "purejson", NULL, true, false, false, "[]"},
    {HAFT__TARGET_OLLAMA, "llama3", NULL, false, false, true,
     "{\"name\": \"stop\", \"parameters\": {}}"},
    {HAFT__TARGET_OPENAI, NULL, NULL, false, false, true,
     "{\"tool_call\": {\"name\": \"find\", \"arguments\": {\"q\": \"x\", \"n\": null}}}"},
    {HAFT__TARGET_OPENAI, NULL, NULL, false, false, false,
     "{\"tool_call\": {\"name\": \"find\", \"arguments\": {\"q\": \"x\"}}}"},
    {HAFT__TARGET_OPENAI, NULL, NULL, true, false, true,
     "{\"tool_calls\": [{\"name\": \"stop\", \"arguments\": {}}]}"},
    {HAFT__TARGET_OPENAI, NULL, NULL, true, false, false, "{\"tool_calls\": []}"},
    {HAFT__TARGET_OPENAI, NULL, NULL, false, false, false, "{}"},
};

TEST(a_reply_is_valid_if_it_calls)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        haft__grammar_options options = {.several = replies[i].several,
                                         .answer = replies[i].answer};
        help_grammar h;
        help_grammar_tools(&h, TOOLS);
        (void)make(&h, replies[i].target, replies[i].format, replies[i].tool, &options);
        CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
        CHECK(is_valid(h.text.ptr, replies[i].reply) == replies[i].valid, "%zu: %s of %s", i,
              replies[i].reply, h.text.ptr);
        if (replies[i].valid && !replies[i].answer) {
            help_parsed parsed;
            help_parsed_init(&parsed);
            help_input input = {.format = "purejson",
                                .text = haft__str(replies[i].reply),
                                .tools = h.tools,
                                .tool_count = h.count};
            help_parse(&input, 0, 0, &parsed);
            CHECK(parsed.count > 0 && parsed.errors.len == 0, "no call in %s", replies[i].reply);
            help_parsed_finish(&parsed);
        }
        help_grammar_finish(&h);
    }
}

TEST(openai_knows_no_choice_of_an_answer)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    (void)make(&h, HAFT__TARGET_OPENAI, NULL, NULL, &(haft__grammar_options){.answer = true});
    CHECK_INT(h.status, HAFT_UNSUPPORTED, "an answer");
    help_grammar_finish(&h);
}

TEST(schemas_have_a_maximum_too)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    (void)make(&h, HAFT__TARGET_VLLM, NULL, NULL, &(haft__grammar_options){.max_bytes = 10});
    CHECK_INT(h.status, HAFT_TOO_BIG, "ten bytes");
    CHECK_INT(h.text.len, 1, "nothing was written");
    help_grammar_finish(&h);
}

/* What each target does not know. */
static const struct {
    haft__schema_target target;
    const char *schema, *note, *made; /* `made`: a part of the result */
} left_out[] = {
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"type\": \"string\", \"maxLength\": 3}}}",
     "/t/properties/a: maxLength 3 became nothing", "\"required\":[\"a\"]"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"type\": \"string\"}}}",
     "/t/properties/a: a property that may be left out became one that may be null",
     "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"},
    {HAFT__TARGET_OPENAI, "{\"type\": \"object\"}", "/t: an object with any members", "{}"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {}, \"additionalProperties\": true}",
     "/t: additionalProperties true", "\"additionalProperties\":false"},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": {\"type\": \"array\", \"uniqueItems\": true}}}",
     "/t/properties/a: uniqueItems true", "\"array\""},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": {\"multipleOf\": 3}}}", "multipleOf 3",
     "\"a\":{}"},
    {HAFT__TARGET_VLLM, "{\"oneOf\": [{\"type\": \"object\"}]}", "oneOf became anyOf", "\"anyOf\""},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": false}}", "/t/properties/a: a schema that is",
     "\"a\":{}"},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": {\"$ref\": \"#/gone\"}}}", "$ref", "\"a\":{}"},
    {HAFT__TARGET_VLLM, "{\"$ref\": \"#\"}", "lead to each other", "{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"pattern\": \"x\"}}}", "pattern \"x\"",
     "\"a\":{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"maxLength\": 2000}}}", "maxLength 2000",
     "\"a\":{}"},
};

TEST(what_a_server_does_not_know_is_left_out_and_reported)
{
    for (size_t i = 0; i < COUNT(left_out); i++) {
        help_grammar h;
        char tools[512];
        (void)snprintf(tools, sizeof tools, "{\"t\": %s}", left_out[i].schema);
        help_grammar_tools(&h, tools);
        (void)make(&h, left_out[i].target, NULL, NULL, NULL);
        CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
        CHECK(strstr(h.notes.ptr, left_out[i].note) != NULL, "%s: %s", left_out[i].schema,
              h.notes.ptr);
        CHECK(strstr(h.text.ptr, left_out[i].made) != NULL, "%s: %s", left_out[i].schema,
              h.text.ptr);
        help_grammar_finish(&h);
    }
}

TEST(targets_have_names)
{
    haft__schema_target target = HAFT__TARGET_OPENAI;
    CHECK(haft__schema_target_find(HAFT__LIT("ollama"), &target) && target == HAFT__TARGET_OLLAMA,
          "ollama");
    CHECK(!haft__schema_target_find(HAFT__LIT("other"), &target), "other");
}

TEST(a_schema_without_memory_fails)
{
    for (unsigned n = 0;; n++) {
        help_grammar h;
        help_grammar_tools(&h, TOOLS);
        haft__arena notes;
        haft__arena_init(&notes, 0);
        haft__relax_init(&h.report, &notes);
        test_fail_allocation(n);
        h.status = haft__grammar_schema(&h.text, HAFT__TARGET_OPENAI, NULL, h.tools, h.count, NULL,
                                        HAFT__MODE_ANY, HAFT__LIT(""), NULL, &h.report, &h.err);
        bool failed = test_allow_allocations();
        CHECK_INT(h.status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&notes);
        help_grammar_finish(&h);
        if (!failed || h.status == HAFT_OK) {
            break;
        }
    }
}
