/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/param_header.c: values that a header can hold, and those it cannot. */
#include "mcp/client/param_header.h"

#include "mcp/definition_help.h"
#include "test.h"

TEST(a_value_is_plain_or_in_base64)
{
    static const struct {
        haft_str value;
        const char *header;
    } cases[] = {
        {HAFT__LIT(""), ""},
        {HAFT__LIT("eu-west 1"), "eu-west 1"},
        {HAFT__LIT("a\tb"), "a\tb"},
        {HAFT__LIT(" eu"), "=?base64?IGV1?="},
        {HAFT__LIT("eu "), "=?base64?ZXUg?="},
        {HAFT__LIT("\xC3\xA4"), "=?base64?w6Q=?="},
        {HAFT__LIT("a\r\nX: y"), "=?base64?YQ0KWDogeQ==?="},
        {HAFT__LIT("a\0b"), "=?base64?YQBi?="},
        {HAFT__LIT("\x7f"), "=?base64?fw==?="},
        {HAFT__LIT("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?="},
        {HAFT__LIT("=?base64?"), "=?base64?"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__mcp_header_add(&buf, cases[i].value);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].header), "case %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(strings_integers_and_booleans_become_headers)
{
    static const struct {
        const char *arguments, *header;
    } cases[] = {
        {"{\"a\":{\"b\":\"x\"}}", "Mcp-Param-N: x"},
        {"{\"a\":{\"b\":\"\\n\"}}", "Mcp-Param-N: =?base64?Cg==?="},
        {"{\"a\":{\"b\":10.0}}", "Mcp-Param-N: 10"},
        {"{\"a\":{\"b\":-7}}", "Mcp-Param-N: -7"},
        {"{\"a\":{\"b\":true}}", "Mcp-Param-N: true"},
        {"{\"a\":{\"b\":false}}", "Mcp-Param-N: false"},
        {"{\"a\":{\"b\":null}}", ""},
        {"{\"a\":{\"b\":1.5}}", ""},
        {"{\"a\":{\"b\":[]}}", ""},
        {"{\"a\":{}}", ""},
        {"{\"a\":7}", ""},
        {"null", ""},
    };
    haft_str path[] = {HAFT__LIT("a"), HAFT__LIT("b")};
    haft__mcp_param param = {.name = HAFT__LIT("N"), .path = path, .depth = 2};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1000);
        bool written =
            haft__mcp_header_param(&buf, &param, test_json(&arena, haft__str(cases[i].arguments)));
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].header), "%s", cases[i].arguments);
        CHECK_INT(written, cases[i].header[0] != '\0', "%s", cases[i].arguments);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}
