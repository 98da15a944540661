/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/load/diff/diff.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

static void check_diff(const char *before, const char *after, const char *wanted)
{
    haft__arena arena;
    haft__json a, b;
    haft__buf text;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 1 << 20);
    CHECK_INT(haft__json_read(&arena, haft__str(before), NULL, &a, NULL, NULL), HAFT_OK, "%s",
              before);
    CHECK_INT(haft__json_read(&arena, haft__str(after), NULL, &b, NULL, NULL), HAFT_OK, "%s",
              after);
    CHECK_INT(haft__spec_diff(&text, a, b, NULL), HAFT_OK, "%s", after);
    CHECK_STR(haft__buf_str(&text), haft__str(wanted), "%s and %s", before, after);
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

TEST(each_difference_is_one_line)
{
    static const struct {
        const char *before, *after, *wanted;
    } rows[] = {
        {"{\"a\":1,\"b\":{\"c\":2}}", "{\"b\":{\"c\":2.0},\"a\":1}", ""},
        {"{\"limits\":{\"turns\":12}}", "{\"limits\":{\"turns\":5}}", "limits.turns: 12 -> 5\n"},
        {"{\"a\":1}", "{\"b\":[1]}", "a: removed\nb: added\n"},
        {"{\"tools\":[{\"name\":\"x\",\"n\":1},{\"builtin\":[\"grep\"]}]}",
         "{\"tools\":[{\"builtin\":[\"glob\"]},{\"name\":\"y\"},{\"name\":\"x\",\"n\":2}]}",
         "tools.x.n: 1 -> 2\ntools.0.builtin.0: \"grep\" -> \"glob\"\ntools.y: added\n"},
        {"{\"tools\":[{\"name\":\"x\"},{\"name\":\"y\"}]}",
         "{\"tools\":[{\"name\":\"y\"},{\"name\":\"x\"}]}",
         "tools: [{\"name\":\"x\"},{\"name\":\"y\"}] -> [{\"name\":\"y\"},{\"name\":\"x\"}]\n"},
        {"{\"model\":\"a\"}", "{\"model\":{\"model\":\"a\"}}",
         "model: \"a\" -> {\"model\":\"a\"}\n"},
        {"{\"t\":\"0123456789012345678901234567890123456789\"}", "{\"t\":\"\"}",
         "t: \"012345678901234567890123456789012345678... -> \"\"\n"},
        {"{\"model\":{\"api_key\":\"secret-1\"},\"mcp\":{\"s\":{\"env\":{\"T\":\"secret-2\"}}}}",
         "{\"model\":{\"api_key\":\"secret-3\"},\"mcp\":{\"s\":{\"env\":{\"T\":\"secret-4\"}}}}",
         "model.api_key: changed\nmcp.s.env.T: changed\n"},
        {"[1]", "{}", "the spec: [1] -> {}\n"},
        {"{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":1}}}}}}}",
         "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":2}}}}}}}",
         "a.b.c.d.e.f: {\"g\":1} -> {\"g\":2}\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_diff(rows[i].before, rows[i].after, rows[i].wanted);
    }
}

/* `count` members that differ. */
static haft_str many(haft__buf *buf, size_t count, int value)
{
    haft__buf_init(buf, 1 << 20);
    haft__buf_add_char(buf, '{');
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(buf, "%s\"k%zu\":%d", i > 0 ? "," : "", i, value);
    }
    haft__buf_add_char(buf, '}');
    return haft__buf_str(buf);
}

TEST(number_of_lines_is_limited)
{
    for (size_t more = 0; more <= 1; more++) {
        haft__arena arena;
        haft__json a, b;
        haft__buf before, after, text;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1 << 20);
        haft_str one = many(&before, HAFT__LIMIT_SPEC_DIFF_LINES + more, 1);
        haft_str two = many(&after, HAFT__LIMIT_SPEC_DIFF_LINES + more, 2);
        CHECK_INT(haft__json_read(&arena, one, NULL, &a, NULL, NULL), HAFT_OK,
                  "the first text is JSON");
        CHECK_INT(haft__json_read(&arena, two, NULL, &b, NULL, NULL), HAFT_OK,
                  "the second text is JSON");
        CHECK_INT(haft__spec_diff(&text, a, b, NULL), HAFT_OK, "compare the specs");
        size_t lines = 0;
        for (size_t i = 0; i < text.len; i++) {
            lines += text.ptr[i] == '\n';
        }
        CHECK_INT(lines, HAFT__LIMIT_SPEC_DIFF_LINES + more, "number of lines");
        haft__buf_add_char(&text, '\0');
        CHECK((strstr(text.ptr, "and 1 more\n") != NULL) == (more == 1), "%s", text.ptr);
        haft__buf_finish(&before);
        haft__buf_finish(&after);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(long_paths_are_truncated)
{
    char key[600], before[700], after[700];
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    (void)snprintf(before, sizeof(before), "{\"%s\":{\"a\":1}}", key);
    (void)snprintf(after, sizeof(after), "{\"%s\":{\"a\":2}}", key);
    char wanted[300];
    (void)snprintf(wanted, sizeof(wanted), "%.255s: 1 -> 2\n", key);
    check_diff(before, after, wanted);
}

TEST(diff_survives_every_failed_allocation)
{
    haft__arena arena;
    haft__json a, b;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"a\":1,\"b\":[1,2]}"), NULL, &a, NULL, NULL),
              HAFT_OK, "the first text is JSON");
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("{\"a\":2,\"b\":[2,1]}"), NULL, &b, NULL, NULL),
              HAFT_OK, "the second text is JSON");
    for (unsigned n = 0;; n++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 20);
        test_fail_allocation(n);
        haft_status status = haft__spec_diff(&text, a, b, NULL);
        bool failed = test_allow_allocations();
        haft__buf_finish(&text);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&arena);
}
