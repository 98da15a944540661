/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/grammar/schema.c and src/schema/downlevel/downlevel.c: the schema of a
 * reply, checked with haft's own validator. */
#include "format/grammar_help.h"

#include "base/limits.h"
#include "schema/schema_helpers.h"

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
    haft__relax_report_write(&h->notes, &h->report);
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
    {HAFT__TARGET_ANTHROPIC, NULL, NULL, false, false, true,
     "{\"tool_call\": {\"name\": \"find\", \"arguments\": {\"q\": \"x\"}}}"},
    {HAFT__TARGET_ANTHROPIC, NULL, NULL, false, false, false,
     "{\"tool_call\": {\"name\": \"find\", \"arguments\": {\"q\": \"x\", \"z\": 1}}}"},
    {HAFT__TARGET_ANTHROPIC, NULL, NULL, true, false, false, "{\"tool_calls\": []}"},
};

TEST(the_schema_accepts_only_replies_with_calls)
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

TEST(anthropic_gets_closed_objects_without_bounds)
{
    static const char tool[] =
        "{\"f\": {\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\", "
        "\"minimum\": 1}, \"l\": {\"type\": \"array\", \"items\": {\"type\": \"string\", "
        "\"maxLength\": 4}, \"minItems\": 2}}, \"required\": [\"n\"]}}";
    static const char *const absent[] = {"minimum", "maxLength", "\"minItems\":2", "null"};
    help_grammar h;
    help_grammar_tools(&h, tool);
    (void)make(&h, HAFT__TARGET_ANTHROPIC, NULL, NULL, NULL);
    CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
    for (size_t i = 0; i < COUNT(absent); i++) {
        CHECK(strstr(h.text.ptr, absent[i]) == NULL, "%s must not be in %s", absent[i], h.text.ptr);
    }
    CHECK(strstr(h.text.ptr, "\"required\":[\"n\"]") != NULL, "%s", h.text.ptr);
    CHECK(strstr(h.text.ptr, "\"additionalProperties\":false") != NULL, "%s", h.text.ptr);
    help_grammar_finish(&h);
}

TEST(anthropic_has_no_schema_for_an_object_with_any_members)
{
    haft__grammar_options options = {.complete = true};
    help_grammar h;
    help_grammar_tools(&h, "{\"f\": {\"type\": \"object\"}}");
    CHECK_INT(make(&h, HAFT__TARGET_ANTHROPIC, NULL, NULL, &options), HAFT_UNSUPPORTED,
              "an object with any members");
    help_grammar_finish(&h);
}

TEST(unknown_type_is_relaxed_at_its_position)
{
    static const char *const types[] = {"\"wat\"", "[\"string\", \"wat\"]", "[]", "7"};
    for (size_t i = 0; i < COUNT(types); i++) {
        for (haft__schema_target target = 0; target <= HAFT__TARGET_OLLAMA; target++) {
            char tools[256];
            (void)snprintf(tools, sizeof(tools),
                           "{\"f\": {\"type\": \"object\", \"properties\": {\"bad\": {\"type\": "
                           "%s, \"description\": \"x\"}}, \"required\": [\"bad\"]}}",
                           types[i]);
            help_grammar h;
            help_grammar_tools(&h, tools);
            (void)make(&h, target, NULL, NULL, NULL);
            CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
            CHECK(strstr(h.text.ptr, "wat") == NULL, "%s", h.text.ptr);
            CHECK(strstr(h.text.ptr, "\"description\":\"x\"") != NULL,
                  "the description was lost: %s", h.text.ptr);
            CHECK(strstr(h.notes.ptr, "/f/properties/bad: type") == h.notes.ptr
                      && strstr(h.notes.ptr, "any value: unknown type") != NULL,
                  "%s: %s", types[i], h.notes.ptr);
            help_grammar_finish(&h);
        }
    }
}

TEST(openai_has_no_schema_with_an_answer)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    (void)make(&h, HAFT__TARGET_OPENAI, NULL, NULL, &(haft__grammar_options){.answer = true});
    CHECK_INT(h.status, HAFT_UNSUPPORTED, "a schema with an answer");
    help_grammar_finish(&h);
}

TEST(a_schema_stays_within_the_given_size)
{
    help_grammar h;
    help_grammar_tools(&h, TOOLS);
    (void)make(&h, HAFT__TARGET_VLLM, NULL, NULL, &(haft__grammar_options){.max_bytes = 10});
    CHECK_INT(h.status, HAFT_TOO_BIG, "a limit of ten bytes");
    CHECK_INT(h.text.len, 1, "bytes of the schema");
    help_grammar_finish(&h);
}

/* Makes the schema of a tool whose argument has one value of this length. */
static haft_status make_long(size_t length, size_t *ret_size)
{
    haft__buf tools, out;
    help_grammar h;
    haft__buf_init(&tools, 1 << 20);
    haft__buf_init(&out, 1 << 20);
    haft__buf_addf(&tools, "{\"t\": {\"properties\": {\"a\": {\"const\": \"");
    for (size_t i = 0; i < length; i++) {
        haft__buf_add_char(&tools, 'x');
    }
    haft__buf_addf(&tools, "\"}}}}");
    haft__buf_add_char(&tools, '\0');
    help_grammar_tools(&h, tools.ptr);
    haft_status status =
        haft__grammar_schema(&out, HAFT__TARGET_VLLM, NULL, h.tools, h.count, NULL, HAFT__MODE_ANY,
                             HAFT__LIT(""), NULL, &h.report, &h.err);
    *ret_size = out.len;
    help_grammar_finish(&h);
    haft__buf_finish(&tools);
    haft__buf_finish(&out);
    return status;
}

TEST(the_size_of_a_schema_is_bounded)
{
    size_t size = 0;
    CHECK_INT(make_long(1, &size), HAFT_OK, "a small schema");
    size_t rest = size - 1;
    CHECK_INT(make_long(HAFT__LIMIT_GRAMMAR_BYTES - rest, &size), HAFT_OK, "the largest schema");
    CHECK_INT(size, HAFT__LIMIT_GRAMMAR_BYTES, "bytes of the largest schema");
    CHECK_INT(make_long(HAFT__LIMIT_GRAMMAR_BYTES - rest + 1, &size), HAFT_TOO_BIG,
              "one byte more");
    CHECK_INT(size, 0, "bytes of a schema that is too large");
}

TEST(large_counts_are_relaxed_for_llama_cpp)
{
    static const char *const keys[] = {"maxLength", "minLength", "maxItems", "minItems"};
    for (size_t i = 0; i < 2 * COUNT(keys); i++) {
        bool more = i >= COUNT(keys);
        help_grammar h;
        char tools[256];
        (void)snprintf(tools, sizeof tools, "{\"t\": {\"properties\": {\"a\": {\"%s\": %d}}}}",
                       keys[i % COUNT(keys)], HAFT__LIMIT_GRAMMAR_REPEAT + more);
        help_grammar_tools(&h, tools);
        (void)make(&h, HAFT__TARGET_OLLAMA, NULL, NULL, NULL);
        CHECK_INT(h.report.count, more, "%s: %s", tools, h.notes.ptr);
        help_grammar_finish(&h);
    }
}

/* Keywords that a target does not support. */
static const struct {
    haft__schema_target target;
    const char *schema, *note, *made; /* `made`: a part of the result */
} left_out[] = {
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"type\": \"string\", \"maxLength\": 3}}}",
     "/t/properties/a: maxLength 3 became nothing", "\"required\":[\"a\"]"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"type\": \"string\"}}}",
     "/t/properties/a: an optional property became one that may be null",
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
    {HAFT__TARGET_VLLM, "{\"$ref\": \"#\"}", "refer to each other", "{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"pattern\": \"x\"}}}", "pattern \"x\"",
     "\"a\":{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"maxLength\": 2000}}}", "maxLength 2000",
     "\"a\":{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"type\": \"number\", \"minimum\": 2}}}",
     "/t/properties/a: minimum 2 became any number: llama.cpp supports bounds of integers",
     "{\"type\":\"number\"}"},
    {HAFT__TARGET_OLLAMA,
     "{\"properties\": {\"a\": {\"prefixItems\": [{}], \"items\": {\"type\": \"null\"}}}}",
     "/t/properties/a: items became any items", "\"a\":{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {}}, \"anyOf\": [{\"required\": [\"a\"]}]}",
     "/t: anyOf", "\"properties\":{\"a\":{}}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {}}, \"oneOf\": [{\"required\": [\"a\"]}]}",
     "/t: oneOf", "\"properties\":{\"a\":{}}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"format\": \"email\"}}}",
     "/t/properties/a: format \"email\" became any string", "\"a\":{}"},
    {HAFT__TARGET_OLLAMA, "{\"properties\": {\"a\": {\"maxLength\": 9, \"pattern\": \"^x$\"}}}",
     "/t/properties/a: maxLength 9 became any length", "\"a\":{\"pattern\":\"^x$\"}"},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": {\"minLength\": 9, \"format\": \"uri\"}}}",
     "/t/properties/a: minLength 9 became any length", "\"a\":{\"format\":\"uri\"}"},
    {HAFT__TARGET_VLLM, "{\"properties\": {\"a\": {\"format\": \"regex\"}}}",
     "/t/properties/a: format \"regex\" became any string", "\"a\":{}"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"format\": \"uri\", \"type\": \"string\"}}}",
     "/t/properties/a: format \"uri\" became any string", "{\"type\":\"string\"}"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {}}, \"required\": [\"a\"]}",
     "/t/properties/a: any value became any value except objects",
     "\"a\":{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]}"},
    {HAFT__TARGET_OPENAI, "{\"properties\": {\"a\": {\"type\": \"array\"}}, \"required\": [\"a\"]}",
     "/t/properties/a: any value became any value except objects",
     "\"a\":{\"type\":\"array\",\"items\":{\"type\":[\"string\","},
    {HAFT__TARGET_OPENAI,
     "{\"properties\": {\"a\": {\"type\": \"array\", \"prefixItems\": [{}], \"items\": false}}}",
     "/t/properties/a: items false became any items", "\"items\":{\"type\":[\"string\","},
    {HAFT__TARGET_OPENAI, "{}", "/t: an object with any members became an empty object",
     "\"arguments\":{\"type\":\"object\",\"properties\":{}"},
    {HAFT__TARGET_OPENAI, "{\"$ref\": \"#\"}", "refer to each other",
     "\"arguments\":{\"type\":\"object\",\"properties\":{}"},
};

TEST(unsupported_keywords_are_omitted_and_reported)
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

/* Known keywords stay, without a note. */
static const struct {
    haft__schema_target target;
    const char *schema, *made;
} kept[] = {
    {HAFT__TARGET_OPENAI, "{\"type\": \"string\", \"format\": \"ipv6\", \"pattern\": \"a\"}",
     "{\"type\":\"string\",\"pattern\":\"a\",\"format\":\"ipv6\"}"},
    {HAFT__TARGET_OPENAI, "{\"enum\": [\"a\", null, \"b\"]}",
     "{\"enum\":[\"a\",null,\"b\"],\"type\":[\"string\",\"null\"]}"},
    {HAFT__TARGET_OPENAI, "{\"const\": 5}", "{\"const\":5,\"type\":\"number\"}"},
    {HAFT__TARGET_OPENAI, "{\"type\": \"number\", \"minimum\": 1, \"multipleOf\": 2}",
     "{\"type\":\"number\",\"minimum\":1,\"multipleOf\":2}"},
    {HAFT__TARGET_VLLM, "{\"type\": \"string\", \"format\": \"uri\"}",
     "{\"type\":\"string\",\"format\":\"uri\"}"},
    {HAFT__TARGET_VLLM, "{\"type\": \"string\", \"maxLength\": 9000}",
     "{\"type\":\"string\",\"maxLength\":9000}"},
    {HAFT__TARGET_VLLM, "{\"prefixItems\": [{}], \"items\": false}",
     "{\"items\":false,\"prefixItems\":[{}]}"},
    {HAFT__TARGET_OLLAMA, "{\"type\": \"integer\", \"minimum\": 1, \"exclusiveMaximum\": 5}",
     "{\"type\":\"integer\",\"minimum\":1,\"exclusiveMaximum\":5}"},
    {HAFT__TARGET_OLLAMA, "{\"type\": \"string\", \"format\": \"date-time\"}",
     "{\"type\":\"string\",\"format\":\"date-time\"}"},
    {HAFT__TARGET_OLLAMA, "{\"type\": \"string\", \"pattern\": \"x\", \"maxLength\": 4}",
     "{\"type\":\"string\",\"maxLength\":4}"},
};

TEST(supported_keywords_are_kept)
{
    for (size_t i = 0; i < COUNT(kept); i++) {
        help_grammar h;
        char tools[512];
        (void)snprintf(tools, sizeof tools,
                       "{\"t\": {\"properties\": {\"a\": %s}, \"required\": [\"a\"]}}",
                       kept[i].schema);
        help_grammar_tools(&h, tools);
        (void)make(&h, kept[i].target, NULL, NULL, NULL);
        CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
        CHECK(strstr(h.text.ptr, kept[i].made) != NULL, "%s: %s", kept[i].schema, h.text.ptr);
        help_grammar_finish(&h);
    }
}

/* Schemas that OpenAI's strict mode cannot express. */
static const struct {
    const char *schema, *where, *why,
        *open; /* why "": strict mode can; `open`: a part of the schema in open mode */
} narrow[] = {
    {"{\"type\": \"object\"}", "/t", "an object with any members",
     "\"arguments\":{\"type\":\"object\"}"},
    {"{\"properties\": {\"a\": {\"type\": \"object\"}}}", "/t/properties/a",
     "an object with any members", "{\"a\":{\"type\":\"object\"}}"},
    {"{\"properties\": {\"a\": {\"type\": \"null\"}}, \"additionalProperties\": {}}", "/t",
     "an object with other members", "\"additionalProperties\":{}"},
    {"{\"properties\": {\"a\": {}}}", "/t/properties/a", "any value", "{\"a\":{}}"},
    {"{\"properties\": {\"a\": {\"type\": \"array\"}}}", "/t/properties/a", "any value",
     "{\"a\":{\"type\":\"array\"}}"},
    {"{\"properties\": {}}", "", "", "\"properties\":{}"},
    {"{\"type\": \"object\", \"additionalProperties\": false}", "", "",
     "\"additionalProperties\":false"},
    {"{\"properties\": {\"a\": {\"type\": \"string\"}}}", "", "", "{\"a\":{\"type\":\"string\"}}"},
};

TEST(a_complete_schema_accepts_all_arguments_of_a_tool)
{
    haft__grammar_options complete = {.complete = true};
    for (size_t i = 0; i < COUNT(narrow); i++) {
        help_grammar h, open;
        char tools[512];
        bool fits = narrow[i].why[0] == '\0';
        (void)snprintf(tools, sizeof tools, "{\"t\": %s}", narrow[i].schema);
        help_grammar_tools(&h, tools);
        help_grammar_tools(&open, tools);
        CHECK_INT(make(&h, HAFT__TARGET_OPENAI, NULL, NULL, &complete),
                  fits ? HAFT_OK : HAFT_UNSUPPORTED, "%s", narrow[i].schema);
        CHECK(fits || strstr(h.err.message, narrow[i].why) != NULL, "%s", h.err.message);
        CHECK_STR(haft__str(h.err.where), haft__str(narrow[i].where), "%s", narrow[i].schema);
        CHECK_INT(make(&open, HAFT__TARGET_OPENAI_OPEN, NULL, NULL, &complete), HAFT_OK, "%s",
                  narrow[i].schema);
        CHECK(strstr(open.text.ptr, narrow[i].open) != NULL, "%s", open.text.ptr);
        help_grammar_finish(&h);
        help_grammar_finish(&open);
    }
}

TEST(targets_are_found_by_their_names)
{
    haft__schema_target target = HAFT__TARGET_OPENAI;
    CHECK(haft__schema_target_find(HAFT__LIT("ollama"), &target) && target == HAFT__TARGET_OLLAMA,
          "the target 'ollama' was not found");
    CHECK(!haft__schema_target_find(HAFT__LIT("other"), &target), "an unknown target was found");
}

TEST(making_a_schema_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        help_grammar h;
        help_grammar_tools(&h, TOOLS);
        haft__arena notes;
        haft__arena_init(&notes, 0);
        haft__relax_report_init(&h.report, &notes);
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
