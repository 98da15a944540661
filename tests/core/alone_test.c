/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/run/standalone.c in libhaft-core, where there are no regular expressions. */
#include "test.h"

HAFT_TOOL(greet, "Greet somebody.", HAFT_STRING(name, "Who"))
{
    return haft_replyf(call, "Hello, %.*s!", HAFT_STR(args->name));
}

TEST(tools_are_called_without_a_host)
{
    char *text = NULL;
    haft_error err = {0};
    CHECK_INT(haft_tool_try(&greet_tool, "{\"name\":\"Ada\"}", NULL, &text, &err), HAFT_OK, "%s",
              err.message);
    CHECK_STR(haft__str(text != NULL ? text : ""), HAFT__LIT("Hello, Ada!"), "reply");
    haft_free(text);
}

TEST(schemas_with_patterns_are_refused)
{
    static const struct {
        const char *schema, *where;
    } cases[] = {
        {"{\"pattern\":\"^a\"}", "schema:/pattern"},
        {"{\"patternProperties\":{\"^a\":true}}", "schema:/patternProperties/^a"},
        {"{\"properties\":{\"a\":{\"pattern\":\"(\"}}}", "schema:/properties/a/pattern"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *failures = NULL;
        haft_error err = {0};
        CHECK_INT(haft_check_json(cases[i].schema, "{}", &failures, &err), HAFT_UNSUPPORTED, "%s",
                  cases[i].schema);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", cases[i].schema);
        CHECK_STR(haft__str(err.hint), HAFT__LIT("link with libhaft, which has them"), "hint");
    }
    char *failures = NULL;
    CHECK_INT(haft_check_json("{\"minLength\":2}", "\"a\"", &failures, NULL), HAFT_OK,
              "a schema without patterns");
    CHECK(failures != NULL, "a text that is too short passes");
    haft_free(failures);
}
