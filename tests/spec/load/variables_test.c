/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/variables.c: ${VAR} is replaced only where the contract allows it. */
#include "spec/load/load.h"

#include "spec/spec_help.h"
#include "json/read.h"

static haft_str get(void *context, haft_str name)
{
    size_t *asked = context;
    *asked += 1;
    if (haft__str_equal(name, HAFT__LIT("A"))) {
        return HAFT__LIT("one");
    }
    return haft__str_equal(name, HAFT__LIT("EMPTY_2")) ? HAFT__LIT("") : (haft_str){NULL, 0};
}

static const struct {
    const char *text, *wanted; /* wanted: the expanded text, or the error */
    haft_status status;
} cases[] = {
    {"", "", HAFT_OK},
    {"plain $A {A} $ {", "plain $A {A} $ {", HAFT_OK},
    {"${A}", "one", HAFT_OK},
    {"Bearer ${A}!", "Bearer one!", HAFT_OK},
    {"${A}${A}-${EMPTY_2}-$${A}", "oneone--$one", HAFT_OK},
    {"x${B}", "the variable B is not set", HAFT_NOT_FOUND},
    {"${", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${A", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${1A}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${A-x}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${A:-x}${EMPTY_2:-y}${B:-z:-}${B:-}", "oneyz:-", HAFT_OK},
    {"${:-x}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${A:x}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
    {"${A}${ A}", "found ${ without a variable name and }", HAFT_BAD_INPUT},
};

TEST(variables_are_replaced)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    size_t asked = 0;
    haft__spec_env env = {get, &asked};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {.status = HAFT_OK};
        haft_str found = HAFT__LIT("untouched");
        haft_status status =
            haft__spec_expand(&arena, haft__str(cases[i].text), &env, &found, &err);
        CHECK_INT(status, cases[i].status, "%s", cases[i].text);
        CHECK_STR(status == HAFT_OK ? found : haft__str(err.message), haft__str(cases[i].wanted),
                  "%s", cases[i].text);
    }
    CHECK(asked == 12, "the environment was read %zu times", asked);
    haft__arena_finish(&arena);
}

static const char everywhere[] = "model: {provider: openai, model: x, api_key: \"${K}\"}\n"
                                 "instructions: ${NOT_HERE}\n"
                                 "tools:\n"
                                 "  - name: a\n"
                                 "    description: Count the words of a text.\n"
                                 "    command: [echo, \"${NOT_HERE}\"]\n"
                                 "    env: {X: \"${E}\"}\n"
                                 "  - name: b\n"
                                 "    description: Count the words of a text.\n"
                                 "    http: {url: \"https://${U}\", headers: {Y: \"${H}\"}}\n"
                                 "mcp:\n"
                                 "  servers:\n"
                                 "    s: {command: [x], env: {Z: \"${S}\"}}\n"
                                 "    t: {url: \"https://${V}\", headers: {Z: \"${W\"}}\n"
                                 "    off: {url: \"https://${OFF}\", enabled: false}\n"
                                 "databases: {d: {url: \"sqlite:${D}\"}}\n"
                                 "builtins: {enabled: [tool_search]}\n";

TEST(every_variable_must_be_set)
{
    size_t asked = 0;
    haft__spec_options options = {.hash_key = {1, 2}, .kept = true, .env = {get, &asked}};
    loaded f;
    load_with(&f, haft__str(everywhere), &options);
    CHECK_STR(f.listing,
              HAFT__LIT("1:46: the variable K is not set (set it in the "
                        "environment or in .env)\n"
                        "7:14: the variable E is not set (set it in the "
                        "environment or in .env)\n"
                        "10:17: the variable U is not set (set it in the "
                        "environment or in .env)\n"
                        "10:46: the variable H is not set (set it in the "
                        "environment or in .env)\n"
                        "13:32: the variable S is not set (set it in the "
                        "environment or in .env)\n"
                        "14:14: the variable V is not set (set it in the "
                        "environment or in .env)\n"
                        "14:43: found ${ without a variable name and } (write ${NAME})\n"
                        "16:22: the variable D is not set (set it in the "
                        "environment or in .env)"),
              "each with its place");
    unload(&f);
}

/* Without an environment, variables are not resolved, but syntax errors are still reported. The
 * spec keeps its text. */
TEST(spec_keeps_the_names_of_variables)
{
    loaded f;
    load(&f, "model: {provider: openai, model: x, api_key: \"${K}\"}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_STR(f.spec->model.api_key, HAFT__LIT("${K}"), "the text is as written");
    unload(&f);
    CHECK_STR(problems_of("model: {provider: openai, model: x, api_key: \"sk-secret\"}\n"),
              HAFT__LIT("1:46: warning: this looks like an API key in the spec (name a "
                        "variable instead: api_key: ${OPENAI_API_KEY})"),
              "a secret in the file is a problem");
}

TEST(every_failed_allocation_of_expanding_is_survived)
{
    size_t asked = 0;
    haft__spec_env env = {get, &asked};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_str found;
        test_fail_allocation(n);
        haft_status status = haft__spec_expand(&arena, HAFT__LIT("x${A}y${A}"), &env, &found, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}

/* ---- values that stand for variables ---- */

#define SEND(text) "{\"tools\":[{\"name\":\"send\",\"env\":{\"K\":\"" text "\"}}]}"
#define SEND_TWO(one, two)                                                                         \
    "{\"tools\":[{\"env\":{\"K\":\"" one "\"},\"http\":{\"url\":\"" two "\"}}]}"
#define SERVER(texts) "{\"mcp\":{\"servers\":{\"s\":{" texts "}}}}"

static const struct {
    const char *before, *after, *wanted; /* wanted: NULL for `before` */
} restored[] = {
    {SEND("${B}"), SEND("x"), NULL},
    {SEND("${B}"), SEND(""), NULL},
    {SEND("${A}"), SEND("one"), NULL},
    {SEND("${A}"), SEND("two"), SEND("two")},
    {SEND("${A}/${B}!"), SEND("one/x!"), NULL},
    {SEND("${A}/${B}!"), SEND("two/x!"), SEND("two/x!")},
    {SEND("${A}/${B}!"), SEND("one/"), SEND("one/")},
    {SEND("${B}/${C}"), SEND("x/y"), SEND("x/y")},
    {SEND("${B}${B}"), SEND("xx"), SEND("xx")},
    {SEND("${B:-x}"), SEND("x"), NULL},
    {SEND("${B:-x}"), SEND("y"), SEND("y")},
    {SEND("${B}"), SEND("${C}"), SEND("${C}")},
    {SEND("${"), SEND("x"), SEND("x")},
    {SEND("plain"), SEND("other"), SEND("other")},
    {SEND_TWO("${B}", "https://${B}"), SEND_TWO("x", "https://x"), NULL},
    {SEND_TWO("${B}", "https://${B}"), SEND_TWO("x", "https://y"), SEND_TWO("${B}", "https://y")},
    {SERVER("\"env\":{\"K\":\"${B}\"}"), SERVER("\"env\":{\"K\":\"x\"}"), NULL},
    {SERVER("\"headers\":{\"K\":\"${B}\"},\"url\":\"${C}\""),
     SERVER("\"headers\":{\"K\":\"x\"},\"url\":\"y\""), NULL},
    {"{\"agents\":{\"a\":" SEND("${B}") "}}", "{\"agents\":{\"a\":" SEND("x") "}}", NULL},
    {"{\"tools\":[{\"command\":[\"${B}\"]}]}", "{\"tools\":[{\"command\":[\"x\"]}]}",
     "{\"tools\":[{\"command\":[\"x\"]}]}"},
    {"{\"tools\":[]}", SEND("x"), SEND("x")},
    {"{\"tools\":[{\"env\":7}]}", SEND("x"), SEND("x")},
    {SEND("${B}"), "{\"tools\":[{\"env\":{\"K\":7}}]}", "{\"tools\":[{\"env\":{\"K\":7}}]}"},
    {SEND("${B}"), "{\"tools\":7}", "{\"tools\":7}"},
};

static haft__json parse_json(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

TEST(values_that_stand_for_variables_are_restored)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    size_t asked = 0;
    haft__spec_env env = {get, &asked};
    for (size_t i = 0; i < COUNT(restored); i++) {
        const char *wanted = restored[i].wanted != NULL ? restored[i].wanted : restored[i].before;
        haft__buf text;
        haft__buf_init(&text, 4096);
        CHECK_INT(haft__spec_restore_variables(&text, parse_json(&arena, restored[i].before),
                                               parse_json(&arena, restored[i].after), &env, NULL),
                  HAFT_OK, "%s", restored[i].after);
        CHECK_STR(haft__buf_str(&text), haft__str(wanted), "%s", restored[i].after);
        haft__buf_finish(&text);
    }
    haft__arena_finish(&arena);
}
