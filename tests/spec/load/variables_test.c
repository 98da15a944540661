/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/variables.c: ${VAR} is replaced only where the contract allows it. */
#include "spec/load/load.h"

#include "spec/spec_help.h"

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
