/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/form.c: forms of tools as text, and example answers. */
#include "cli/terminal/form.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

#define FORM(fields, required)                                                                     \
    "{\"mode\":\"form\",\"schema\":{\"type\":\"object\",\"properties\":" fields                    \
    ",\"required\":" required "}}"

static const struct {
    const char *asks, *shown, *example;
} cases[] = {
    {FORM("{\"name\":{\"type\":\"string\",\"title\":\"Your name\",\"minLength\":2},\"n\":{\"type\":"
          "\"integer\",\"default\":3,\"description\":\"how many\"}}",
          "[\"name\"]"),
     "  name: string, required; minLength 2; Your name\n"
     "  n: integer, optional; default 3; how many\n",
     "'{\"name\": \"...\", \"n\": 3}'"},
    {FORM("{\"c\":{\"type\":\"string\",\"enum\":[\"it's\",\"blue\"]},\"d\":{\"type\":\"string\","
          "\"oneOf\":[{\"const\":\"x\",\"title\":\"The X\"}]},\"e\":{\"type\":\"array\",\"items\":"
          "{\"anyOf\":[{\"const\":\"p\",\"title\":\"P\"},{\"const\":\"q\"}]},\"maxItems\":2}}",
          "[]"),
     "  c: string, optional; one of \"it's\", \"blue\"\n"
     "  d: string, optional; one of \"x\" (The X)\n"
     "  e: array, optional; any of \"p\" (P), \"q\"; maxItems 2\n",
     "'{\"c\": \"it\\u0027s\", \"d\": \"x\", \"e\": [\"p\"]}'"},
    {FORM("{\"ok\":{\"type\":\"boolean\"},\"r\":{\"type\":\"number\"},\"w\":{}}", "[\"ok\"]"),
     "  ok: boolean, required\n  r: number, optional\n  w: any value, optional\n",
     "'{\"ok\": true, \"r\": 0, \"w\": \"...\"}'"},
    {FORM("{\"a\\u001b[2J\":{\"type\":\"string\",\"description\":\"x\\ny\\u202e\"}}", "7"),
     "  a\\u001b[2J: string, optional; x y\\u202e\n", "'{\"a\\u001b[2J\": \"...\"}'"},
    {"{\"mode\":\"url\",\"url\":\"https://x.org\",\"schema\":null}", "", "yes"},
    {"{\"mode\":\"form\"}", "", "'{}'"},
};

TEST(a_form_is_shown_with_an_example_answer)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf out;
        haft__run_call call = {.pause = HAFT__PAUSE_QUESTION};
        haft__arena_init(&arena, 0);
        haft__buf_init(&out, 1 << 16);
        CHECK_INT(
            haft__json_read(&arena, haft__str(cases[i].asks), NULL, &call.elicitation, NULL, NULL),
            HAFT_OK, "case %zu: reading the form", i);
        haft__form_add_fields(&out, &call);
        CHECK_STR(haft__buf_str(&out), haft__str(cases[i].shown), "case %zu: the form", i);
        haft__buf_clear(&out);
        haft__form_add_example(&out, &call);
        CHECK_STR(haft__buf_str(&out), haft__str(cases[i].example), "case %zu: the example", i);
        haft__buf_finish(&out);
        haft__arena_finish(&arena);
    }
}

TEST(the_host_is_the_one_a_browser_uses)
{
    static const struct {
        const char *url, *host;
    } urls[] = {
        {"https://x.org/a", "x.org"},
        {"https://x.org", "x.org"},
        {"http://x.org:80?q=@evil", "x.org:80"},
        {"https://good.org@evil.org/", "evil.org"},
        {"https://a@b@evil.org#good.org", "evil.org"},
        {"https://evil.org\\@good.org/", "evil.org"},
        {"https://", ""},
        {"x.org", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(urls); i++) {
        CHECK_STR(haft__form_host(haft__str(urls[i].url)), haft__str(urls[i].host), "%s",
                  urls[i].url);
    }
}
