/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/elicit.c: questions that can be asked, and answers that fit. */
#include "mcp/elicit.h"

#include "mcp/definition_help.h"
#include "test.h"

static const haft__hash_key key = {1, 2};

#define FORM(fields)                                                                               \
    "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":" fields "}}"

static const struct {
    const char *params, *where; /* where it is wrong; NULL when it is not */
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
        haft__mcp_question question = {0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft_status status = haft__mcp_question_read(
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

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":2,"          \
    "\"default\":\"me\"},\"n\":{\"type\":\"integer\"}},\"required\":[\"name\"]}"
#define ONE                                                                                        \
    "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}"

static const struct {
    const char *schema, *value, *content; /* or NULL */
    const char *where;
} answers[] = {
    {SCHEMA, "{}", "{\"action\":\"accept\",\"content\":{\"name\":\"me\"}}", NULL},
    {SCHEMA, "{\"n\":1}", "{\"action\":\"accept\",\"content\":{\"n\":1,\"name\":\"me\"}}", NULL},
    {SCHEMA, "{\"name\":\"you\"}", "{\"action\":\"accept\",\"content\":{\"name\":\"you\"}}", NULL},
    {SCHEMA, "{\"name\":\"x\"}", NULL, "/name"},
    {SCHEMA, "{\"n\":\"x\"}", NULL, "/n"},
    {SCHEMA, "\"x\"", NULL, ""},
    {ONE, "true", "{\"action\":\"accept\",\"content\":{\"ok\":true}}", NULL},
    {ONE, "{}", NULL, ""},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"thing\"}}}", "{\"a\":1}", NULL, NULL},
};

TEST(an_answer_has_defaults_and_fits)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__json_writer w;
        haft__json content = haft__json_null();
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1000);
        haft__json_writer_init(&w, &buf);
        haft_status status = haft__mcp_answer_make(
            &arena, test_json(&arena, haft__str(answers[i].schema)),
            test_json(&arena, haft__str(answers[i].value)), key, &content, &err);
        CHECK_INT(status, answers[i].content != NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s",
                  answers[i].value);
        if (answers[i].content != NULL) {
            haft__mcp_answer_write(&w, HAFT__MCP_ACCEPT, content);
            CHECK_STR(haft__buf_str(&buf), haft__str(answers[i].content), "%s", answers[i].value);
        } else if (answers[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(answers[i].where), "%s: %s", answers[i].value,
                      err.message);
        }
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(an_answer_is_made_or_there_is_no_memory)
{
    haft__arena values;
    haft__arena_init(&values, 0);
    haft__json schema = test_json(&values, HAFT__LIT(ONE));
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__json content;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__mcp_answer_make(&arena, schema, haft__json_bool(true), key, &content, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&values);
}
