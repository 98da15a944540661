/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/tool_schema.c. */
#include "model/tool_schema.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = {0};
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

#define NESTED                                                                                     \
    "{\"type\":\"object\",\"title\":\"T\",\"properties\":{\"a/b\":{\"type\":\"string\","           \
    "\"pattern\":\"^x\",\"maxLength\":5},\"list\":{\"type\":\"array\",\"items\":{\"anyOf\":["      \
    "{\"const\":1},{\"type\":\"integer\",\"minimum\":2}]}}},\"additionalProperties\":false,"       \
    "\"not\":{\"required\":[\"z\"]}}"

static const struct {
    const char *name;
    const haft__tool_schema_rules *rules;
    const char *schema, *sent, *left_out;
} rows[] = {
    {"a schema that is not changed", NULL, "{\"anyOf\":[true]}", "{\"anyOf\":[true]}", ""},
    {"plain", &haft__tool_schema_anthropic, "{\"description\":\"d\",\"type\":\"object\"}",
     "{\"description\":\"d\",\"type\":\"object\"}", ""},
    {"properties", &haft__tool_schema_openai, "{\"type\":\"object\"}",
     "{\"type\":\"object\",\"properties\":{}}", ""},
    {"no type", &haft__tool_schema_openai, "{\"properties\":{\"a\":{}}}",
     "{\"type\":\"object\",\"properties\":{\"a\":{}}}", ""},
    {"another type", &haft__tool_schema_anthropic,
     "{\"required\":[],\"type\":[\"object\",\"null\"]}", "{\"type\":\"object\",\"required\":[]}",
     ""},
    {"not an object", &haft__tool_schema_openai, "true", "{\"type\":\"object\",\"properties\":{}}",
     ""},
    {"alternatives at the root", &haft__tool_schema_anthropic,
     "{\"type\":\"object\",\"anyOf\":[{}],\"oneOf\":[],\"properties\":{\"x\":{\"anyOf\":[{}]}}}",
     "{\"type\":\"object\",\"properties\":{\"x\":{\"anyOf\":[{}]}}}",
     "/t anyOf: the server rejects it at the root\n"
     "/t oneOf: the server rejects it at the root\n"},
    {"alternatives below the root", &haft__tool_schema_openai,
     "{\"type\":\"object\",\"not\":{},\"enum\":[{}]}", "{\"type\":\"object\",\"properties\":{}}",
     "/t not: the server rejects it at the root\n/t enum: the server rejects it at the root\n"},
    {"a server with few keywords", &haft__tool_schema_ollama, NESTED,
     "{\"type\":\"object\",\"properties\":{\"a/b\":{\"type\":\"string\"},\"list\":{\"type\":"
     "\"array\",\"items\":{\"anyOf\":[{},{\"type\":\"integer\"}]}}}}",
     "/t title: the server does not support it\n"
     "/t/properties/a~1b pattern: the server does not support it\n"
     "/t/properties/a~1b maxLength: the server does not support it\n"
     "/t/properties/list/items/anyOf/0 const: the server does not support it\n"
     "/t/properties/list/items/anyOf/1 minimum: the server does not support it\n"
     "/t additionalProperties: the server does not support it\n"
     "/t not: the server does not support it\n"},
    {"a server with more keywords", &haft__tool_schema_gemini, NESTED,
     "{\"type\":\"object\",\"title\":\"T\",\"properties\":{\"a/b\":{\"type\":\"string\"},\"list\":"
     "{\"type\":\"array\",\"items\":{\"anyOf\":[{},{\"type\":\"integer\",\"minimum\":2}]}}},"
     "\"additionalProperties\":false}",
     "/t/properties/a~1b pattern: the server does not support it\n"
     "/t/properties/a~1b maxLength: the server does not support it\n"
     "/t/properties/list/items/anyOf/0 const: the server does not support it\n"
     "/t not: the server does not support it\n"},
    {"a property has the name of a keyword", &haft__tool_schema_ollama,
     "{\"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string\"}},\"$defs\":{\"not\":"
     "{\"not\":{}}},\"items\":3}",
     "{\"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string\"}},\"$defs\":{\"not\":"
     "{}},\"items\":3}",
     "/t/$defs/not not: the server does not support it\n"},
};

static haft_str lines_of(haft__arena *arena, const haft__relax_report *report)
{
    haft_str text = HAFT__LIT("");
    for (size_t i = 0; i < report->count; i++) {
        const haft__relaxation *item = &report->items[i];
        text = haft__arena_format(arena, "%.*s%.*s %.*s: %.*s\n", HAFT__ARG(text),
                                  HAFT__ARG(item->where), HAFT__ARG(item->what),
                                  HAFT__ARG(item->became));
    }
    return text;
}

TEST(keywords_that_a_server_rejects_are_left_out_and_reported)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__buf sent;
        haft__json_writer w;
        haft__relax_report report;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&sent, HAFT__LIMIT_JSON_BYTES);
        haft__json_writer_init(&w, &sent);
        haft__relax_report_init(&report, &arena);
        haft__tool tool = {.name = HAFT__LIT("t"),
                           .input_schema = read_json(&arena, rows[i].schema)};
        haft__tool_schema_write(&w, rows[i].rules, tool.input_schema);
        CHECK_STR(haft__buf_str(&sent), haft__str(rows[i].sent), "%s", rows[i].name);
        CHECK_INT(haft__tool_schema_report(rows[i].rules, &tool, &report, &err), HAFT_OK, "%s",
                  rows[i].name);
        CHECK_STR(lines_of(&arena, &report), haft__str(rows[i].left_out), "%s", rows[i].name);
        haft__buf_finish(&sent);
        haft__arena_finish(&arena);
    }
}

TEST(a_report_without_memory_fails)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool tool = {.name = HAFT__LIT("t"), .input_schema = read_json(&arena, NESTED)};
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        haft__relax_report report;
        haft_error err = {0};
        haft__relax_report_init(&report, &arena);
        test_fail_allocation(n);
        haft_status status =
            haft__tool_schema_report(&haft__tool_schema_ollama, &tool, &report, &err);
        failed = test_allow_allocations();
        CHECK(!failed || status == HAFT_NO_MEMORY || report.status == HAFT_NO_MEMORY,
              "allocation %u", n);
    }
    haft__arena_finish(&arena);
}
