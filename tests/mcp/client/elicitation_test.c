/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/elicitation.c: valid questions and answers. */
#include "mcp/client/elicitation.h"

#include "mcp/definition_help.h"
#include "test.h"

#define FORM(fields)                                                                               \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":" fields "}}"

static const struct {
    const char *params, *where; /* the place of the error; NULL if it is valid */
} questions[] = {
    {FORM("{}"), NULL},
    {FORM("{\"a\":{\"type\":\"string\",\"format\":\"email\"},\"b\":{\"type\":\"array\",\"items\":"
          "{\"enum\":[\"x\"]}},\"c\":{\"oneOf\":[{\"const\":\"x\",\"title\":\"X\"}]}}"),
     NULL},
    {"{\"mode\":\"url\",\"message\":\"m\",\"url\":\"https://x.org/a?b\"}", NULL},
    {"null", "/message"},
    {"{\"message\":7}", "/message"},
    {"{\"message\":\"m\"}", "/requestedSchema"},
    {"{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\"}}", "/requestedSchema"},
    {"{\"message\":\"m\",\"requestedSchema\":{\"properties\":{}}}", "/requestedSchema"},
    {FORM("{\"a\":7}"), "/requestedSchema/properties"},
    {FORM("{\"a\":{\"type\":\"object\"}}"), "/requestedSchema/properties"},
    {FORM("{\"a\":{\"properties\":{}}}"), "/requestedSchema/properties"},
    {FORM("{\"a\\u202e\":{\"type\":\"string\"}}"), "/requestedSchema"},
    {FORM("{\"a\":{\"type\":\"string\",\"enum\":[\"x\\u200b\"]}}"), "/requestedSchema"},
    {FORM("{\"a\":{\"oneOf\":[{\"const\":\"x\\u001b\"}]}}"), "/requestedSchema"},
    {FORM("{\"a\":{\"type\":\"string\",\"default\":\"\\u202e\"}}"), "/requestedSchema"},
    {"{\"message\":\"m\",\"mode\":\"voice\"}", "/mode"},
    {"{\"message\":\"m\",\"mode\":7}", "/mode"},
    {"{\"message\":\"m\",\"mode\":\"url\"}", "/url"},
    {"{\"message\":\"m\",\"mode\":\"url\",\"url\":\"file:///etc/passwd\"}", "/url"},
    {"{\"message\":\"m\",\"mode\":\"url\",\"url\":\"https://x\\u202e\"}", "/url"},
};

TEST(a_question_is_a_form_of_plain_fields_or_an_address)
{
    for (size_t i = 0; i < COUNT(questions); i++) {
        haft__arena arena;
        haft__mcp_elicitation question = {0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft_status status = haft__mcp_elicitation_read(
            &arena, test_json(&arena, haft__str(questions[i].params)), &question, &err);
        CHECK_INT(status, questions[i].where == NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s",
                  questions[i].params);
        if (questions[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(questions[i].where), "%s",
                      questions[i].params);
        }
        haft__arena_finish(&arena);
    }
}

TEST(invisible_characters_in_a_form_are_escaped)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_elicitation question = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1000);
    haft__json params = test_json(
        &arena, HAFT__LIT(FORM("{\"a\":{\"type\":\"string\",\"title\":\"T\\u202e\\u001b\","
                               "\"description\":\"D\\u200besc\",\"enum\":[\"x\"],"
                               "\"enumNames\":[\"X\\u2066\"]},"
                               "\"b\":{\"oneOf\":[{\"const\":\"x\",\"title\":\"X\\u202e\"}]}}")));
    CHECK_INT(haft__mcp_elicitation_read(&arena, params, &question, NULL), HAFT_OK, "read");
    haft__json_write(&buf, question.schema);
    CHECK_STR(
        haft__buf_str(&buf),
        HAFT__LIT("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"title\":"
                  "\"T<U+202E><U+001B>\",\"description\":\"D<U+200B>esc\",\"enum\":[\"x\"],"
                  "\"enumNames\":[\"X<U+2066>\"]},\"b\":{\"oneOf\":[{\"const\":\"x\",\"title\":"
                  "\"X<U+202E>\"}]}}}"),
        "schema");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(only_an_accepting_answer_has_content)
{
    static const struct {
        haft__mcp_action action;
        const char *content, *text;
    } rows[] = {
        {HAFT__MCP_ACCEPT, "{\"n\":1}", "{\"action\":\"accept\",\"content\":{\"n\":1}}"},
        {HAFT__MCP_ACCEPT, "null", "{\"action\":\"accept\"}"},
        {HAFT__MCP_DECLINE, "{\"n\":1}", "{\"action\":\"decline\"}"},
        {HAFT__MCP_CANCEL, "null", "{\"action\":\"cancel\"}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__json_writer w;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1000);
        haft__json_writer_init(&w, &buf);
        haft__mcp_elicitation_write_answer(&w, rows[i].action,
                                           test_json(&arena, haft__str(rows[i].content)));
        CHECK_STR(haft__buf_str(&buf), haft__str(rows[i].text), "row %zu", i);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}
