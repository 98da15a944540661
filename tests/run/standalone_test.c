/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/standalone.c. */
#include <stdlib.h>

#include "test.h"

HAFT_TOOL(add, "Add two whole numbers.", HAFT_INTEGER(a, "The first"),
          HAFT_INTEGER_OR(b, 5, "The second"))
{
    haft_emit(call, "{\"step\":1}");
    if (haft_cancelled(call) || haft_call_server(call) != NULL) {
        return haft_reply_error(call, "there is a host");
    }
    return haft_replyf(call, "%lld%s", args->a + args->b, haft_call_info(call)->run);
}

HAFT_TOOL(answer, "Answer in the way that is asked for.",
          HAFT_ENUM(kind, "Which", "json", "error", "command"))
{
    if (args->kind.ptr[0] == 'j') {
        return haft_reply_json(call, "{\"a\":[1]}");
    }
    return args->kind.ptr[0] == 'e' ? haft_reply_error(call, "no luck")
                                    : haft_reply_command(call, "{\"goto\":\"end\"}");
}

static haft_reply echo(haft_call *call, const void *args)
{
    const haft_str *text = args;
    return haft_replyf(call, "%s %.*s", (const char *)haft_call_info(call)->context,
                       HAFT_STR(*text));
}

static haft_tool by_hand(void)
{
    static char context[] = "got";
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "echo";
    tool.description = "Say the same.";
    tool.input_schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";
    tool.run = echo;
    tool.context = context;
    return tool;
}

/* ---- haft_tool_try ---- */

TEST(a_tool_is_called_like_in_a_run)
{
    haft_tool echo_tool = by_hand();
    const struct {
        const haft_tool *tool;
        const char *arguments;
        haft_reply_kind kind;
        const char *text;
    } cases[] = {
        {&add_tool, "{\"a\":2,\"b\":3}", HAFT_REPLY_TEXT, "5"},
        {&add_tool, "{\"a\":2}", HAFT_REPLY_TEXT, "7"},
        {&add_tool, "{\"a\":\"2\"}", HAFT_REPLY_TEXT, "7"},
        {&add_tool, "{'a': 2,}", HAFT_REPLY_TEXT, "7"},
        {&answer_tool, "{\"kind\":\"json\"}", HAFT_REPLY_JSON, "{\"a\":[1]}"},
        {&answer_tool, "{\"kind\":\"error\"}", HAFT_REPLY_ERROR, "no luck"},
        {&answer_tool, "{\"kind\":\"command\"}", HAFT_REPLY_COMMAND, "{\"goto\":\"end\"}"},
        {&echo_tool, "{\"n\":\"1\"}", HAFT_REPLY_TEXT, "got {\"n\":1}"},
        {&echo_tool, NULL, HAFT_REPLY_TEXT, "got {}"},
        {&echo_tool, "", HAFT_REPLY_TEXT, "got {}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_reply_kind kind = HAFT_REPLY_TEXT;
        char *text = NULL;
        haft_error err = {0};
        CHECK_INT(haft_tool_try(cases[i].tool, cases[i].arguments, &kind, &text, &err), HAFT_OK,
                  "%zu: %s", i, err.message);
        CHECK_INT(kind, cases[i].kind, "case %zu", i);
        CHECK_STR(haft__str(text != NULL ? text : ""), haft__str(cases[i].text), "case %zu", i);
        haft_free(text);
        text = NULL;
        CHECK_INT(haft_tool_try(cases[i].tool, cases[i].arguments, NULL, &text, NULL), HAFT_OK,
                  "case %zu", i);
        haft_free(text);
    }
    haft_free(NULL);
}

static haft_reply answer_bytes(haft_call *call, const void *args)
{
    (void)args;
    return haft_replyf(call, "a\xff\xfe"
                             "b");
}

TEST(invalid_utf8_in_the_result_of_a_tool_is_replaced)
{
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "bytes";
    tool.description = "Answers with bytes that are no text.";
    tool.input_schema = "{\"type\":\"object\"}";
    tool.run = answer_bytes;
    char *text = NULL;
    haft_error err = {0};
    CHECK_INT(haft_tool_try(&tool, "{}", NULL, &text, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(haft__str(text != NULL ? text : ""), HAFT__LIT("a??b"),
              "the text is the same as in a run");
    haft_free(text);
}

TEST(invalid_arguments_never_reach_the_tool)
{
    static const struct {
        const char *arguments, *where, *message, *hint;
    } cases[] = {
        {"{\"a\":\"two\"}", "/a", "Expected integer, found string \"two\"", ""},
        {"{}", "", "Missing required argument: a", ""},
        {"{\"b\":1,\"c\":2}", "", "Missing required argument: a",
         "there are more errors; haft_check_json lists all of them"},
        {"[1]", "", "The arguments must be a JSON object, found array.", ""},
        {"}", "", NULL, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_reply_kind kind = HAFT_REPLY_COMMAND;
        char *text = NULL;
        haft_error err = {0};
        CHECK_INT(haft_tool_try(&add_tool, cases[i].arguments, &kind, &text, &err), HAFT_BAD_INPUT,
                  "%s", cases[i].arguments);
        CHECK(text == NULL && kind == HAFT_REPLY_COMMAND, "%s: results were written",
              cases[i].arguments);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", cases[i].arguments);
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].hint), "%s", cases[i].arguments);
        if (cases[i].message != NULL) {
            CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s",
                      cases[i].arguments);
        }
        CHECK_INT(haft_tool_try(&add_tool, cases[i].arguments, &kind, &text, NULL), HAFT_BAD_INPUT,
                  "%s, without err", cases[i].arguments);
    }
}

TEST(invalid_tools_name_the_wrong_part)
{
    haft_tool tools[] = {by_hand(), by_hand(), by_hand(), by_hand(), by_hand(), by_hand()};
    static const char *const where[] = {
        "", "echo#/description", "/run", "/struct_size", "echo#/input_schema/type", "/traits"};
    tools[0].name = NULL;
    tools[1].description = NULL;
    tools[2].run = NULL;
    tools[3].struct_size = 0;
    tools[4].input_schema = "{}";
    tools[5].traits = HAFT_COST_FREE | HAFT_COST_HEAVY;
    for (size_t i = 0; i < COUNT(tools); i++) {
        char *text = NULL;
        haft_error err = {0};
        CHECK_INT(haft_tool_try(&tools[i], NULL, NULL, &text, &err), HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(haft__str(err.where), haft__str(where[i]), "case %zu", i);
        haft_status wanted = i == 2 ? HAFT_OK : HAFT_BAD_INPUT; /* a headless tool has a schema */
        CHECK_INT(haft_tool_schema(&tools[i], &text, &err), wanted, "case %zu", i);
        haft_free(text);
    }
}

TEST(null_arguments_are_rejected)
{
    char *text = NULL;
    haft_error err = {0};
    CHECK_INT(haft_tool_try(NULL, "{}", NULL, &text, &err), HAFT_BAD_INPUT, "no tool");
    CHECK_INT(haft_tool_try(&add_tool, "{}", NULL, NULL, &err), HAFT_BAD_INPUT,
              "no pointer for the result");
    CHECK_INT(haft_tool_schema(NULL, &text, &err), HAFT_BAD_INPUT, "no tool");
    CHECK_INT(haft_tool_schema(&add_tool, NULL, &err), HAFT_BAD_INPUT, "no pointer for the result");
    CHECK_INT(haft_check_json(NULL, "1", &text, &err), HAFT_BAD_INPUT, "no schema");
    CHECK_INT(haft_check_json("{}", NULL, &text, &err), HAFT_BAD_INPUT, "no JSON");
    CHECK_INT(haft_check_json("{}", "1", NULL, &err), HAFT_BAD_INPUT, "no pointer for the result");
}

/* ---- haft_tool_schema ---- */

TEST(the_schema_is_the_one_the_model_gets)
{
    char *text = NULL;
    haft_error err = {0};
    CHECK_INT(haft_tool_schema(&add_tool, &text, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(haft__str(text != NULL ? text : ""),
              HAFT__LIT("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\","
                        "\"description\":\"The first\"},\"b\":{\"type\":\"integer\",\"description\""
                        ":\"The second\",\"default\":5}},\"required\":[\"a\"],"
                        "\"additionalProperties\":false}"),
              "the schema");
    haft_free(text);
}

TEST(a_tool_struct_of_another_version_is_accepted)
{
    struct {
        haft_tool tool;
        void *later[4];
    } longer = {by_hand(), {NULL}};
    longer.tool.struct_size = sizeof(longer);
    haft_tool shorter = by_hand();
    shorter.struct_size = offsetof(haft_tool, traits);
    shorter.traits = 0xffffffff; /* after the end of the struct: not read */
    const haft_tool *tools[] = {&longer.tool, &shorter};
    for (size_t i = 0; i < COUNT(tools); i++) {
        char *text = NULL;
        CHECK_INT(haft_tool_try(tools[i], "{\"n\":1}", NULL, &text, NULL), HAFT_OK, "case %zu", i);
        CHECK_STR(haft__str(text != NULL ? text : ""), HAFT__LIT("got {\"n\":1}"), "case %zu", i);
        haft_free(text);
    }
}

/* ---- haft_check_json ---- */

TEST(json_is_validated_against_a_schema)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":"
                                 "\"string\",\"pattern\":\"^[a-z]+$\"},\"limit\":{\"type\":"
                                 "\"integer\"}},\"required\":[\"query\"]}";
    static const struct {
        const char *schema, *json, *failures;
    } cases[] = {
        {schema, "{\"query\":\"invoices\"}", NULL},
        {schema, "{\"limit\":\"20\"}",
         "Missing required argument: query\n/limit: Expected integer, found string \"20\""},
        {"true", "[1,{}]", NULL},
        {"{\"type\":\"integer\"}", "1.0", NULL},
        {"{\"type\":\"integer\"}", "\"ten\"", "Expected integer, found string \"ten\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *failures = (char *)1;
        haft_error err = {0};
        CHECK_INT(haft_check_json(cases[i].schema, cases[i].json, &failures, &err), HAFT_OK,
                  "%s: %s", cases[i].json, err.message);
        CHECK_INT(failures == NULL, cases[i].failures == NULL, "%s", cases[i].json);
        if (failures != NULL && cases[i].failures != NULL) {
            CHECK_STR(haft__str(failures), haft__str(cases[i].failures), "%s", cases[i].json);
        }
        haft_free(failures);
    }
}

TEST(more_failures_than_are_listed_are_counted)
{
    char json[2100] = "[", *failures = NULL;
    for (size_t i = 0; i < 1000; i++) {
        json[1 + 2 * i] = '1';
        json[2 + 2 * i] = i < 999 ? ',' : ']';
    }
    CHECK_INT(haft_check_json("{\"items\":{\"type\":\"string\"}}", json, &failures, NULL), HAFT_OK,
              "check the array");
    CHECK(failures != NULL && haft__str_ends_with(haft__str(failures), HAFT__LIT("\nand more")),
          "%s", failures != NULL ? failures : "NULL");
    haft_free(failures);
}

TEST(an_invalid_schema_or_json_names_the_place)
{
    static const struct {
        const char *schema, *json;
        haft_status status;
        const char *where;
    } cases[] = {
        {"{", "1", HAFT_BAD_INPUT, "schema:1:2 (byte 1)"},
        {"{\"a\":1,\"a\":2}", "1", HAFT_BAD_INPUT, NULL},
        {"{\"type\":\"text\"}", "1", HAFT_BAD_INPUT, "schema:/type"},
        {"{\"pattern\":\"(\"}", "1", HAFT_BAD_INPUT, NULL},
        {"{\"$ref\":\"other.json\"}", "1", HAFT_BAD_INPUT, "schema:/$ref"},
        {"{}", "[1,]", HAFT_BAD_INPUT, "json:1:4 (byte 3)"},
        {"{}", "", HAFT_BAD_INPUT, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *failures = NULL;
        haft_error err = {0};
        CHECK_INT(haft_check_json(cases[i].schema, cases[i].json, &failures, &err), cases[i].status,
                  "%s", cases[i].schema);
        CHECK(failures == NULL, "%s: failures were written", cases[i].schema);
        if (cases[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", cases[i].schema);
        }
    }
}

/* ---- out of memory ---- */

static haft_status call_each_function(char **texts)
{
    haft_status status = haft_tool_try(&add_tool, "{\"a\":\"1\"}", NULL, &texts[0], NULL);
    if (status == HAFT_OK) {
        status = haft_tool_schema(&answer_tool, &texts[1], NULL);
    }
    return status == HAFT_OK ? haft_check_json("{\"pattern\":\"a\"}", "\"b\"", &texts[2], NULL)
                             : status;
}

TEST(every_failed_allocation_is_survived)
{
    for (unsigned n = 0;; n++) {
        char *texts[3] = {NULL, NULL, NULL};
        test_fail_allocation(n);
        haft_status status = call_each_function(texts);
        bool failed = test_allow_allocations();
        /* If a tool has no memory for its reply, it reports that; this is a reply, too. */
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %s", n,
              haft_status_name(status));
        for (size_t i = 0; i < COUNT(texts); i++) {
            haft_free(texts[i]);
        }
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "status without a failed allocation");
            break;
        }
    }
}
