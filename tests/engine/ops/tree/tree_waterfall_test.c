/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tree/tree_waterfall.c: which bars a tree has, and where they are. */
#include "engine/ops/tree/tree_waterfall.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

#define ROOT  "01m7p3bc3sk9vry82361ksnghm"
#define CHILD "01m7p3bc3sk9vry82361ksnghn"

#define EVENT(seq, at, run, rest)                                                                  \
    "{\"seq\":" seq ",\"at\":\"1970-01-01T00:00:" at "Z\",\"run\":\"" run "\"," rest "}\n"

static const char root_log[] = EVENT("1", "10.000", ROOT, "\"kind\":\"run_started\"")
    EVENT("2", "12.000", ROOT, "\"kind\":\"model_replied\",\"model\":\"a<b\",\"ms\":2000")
        EVENT("3", "20.000", ROOT, "\"kind\":\"run_finished\"");
static const char child_log[] = EVENT("1", "13.000", CHILD, "\"kind\":\"run_started\"")
    EVENT("2", "15.000", CHILD, "\"kind\":\"call_finished\",\"tool\":\"grep\",\"ms\":1000")
        EVENT("3", "16.000", CHILD, "\"kind\":\"paused\"")
            EVENT("4", "18.000", CHILD, "\"kind\":\"answered\"")
                EVENT("5", "19.000", CHILD, "\"kind\":\"paused\"");

static bool has(haft_str text, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const parts[] = {
    "height=\"100\"", /* two rows */
    "10.0 s",         /* the whole */
    ">boss <tspan",
    "<text x=\"22\" y=\"85\">di&amp;g <tspan fill=\"#808080\">c1.2</tspan>",
    "x=\"250.0\" y=\"51\" width=\"700.0\"", /* the root */
    "x=\"250.0\" y=\"53\" width=\"140.0\" height=\"10\" fill=\"#4878b0\"><title>a&lt;b: 2000 ms",
    "x=\"460.0\" y=\"73\" width=\"490.0\"", /* the child has not ended */
    "x=\"530.0\" y=\"75\" width=\"70.0\" height=\"10\" fill=\"#5a9a5a\"><title>grep: 1000 ms",
    "x=\"670.0\" y=\"75\" width=\"140.0\" height=\"10\" fill=\"#d0a030\"",
    "x=\"880.0\" y=\"75\" width=\"70.0\" height=\"10\" fill=\"#d0a030\"", /* still open */
};

TEST(each_run_has_a_row_with_what_it_did)
{
    haft__waterfall_run runs[] = {
        {.log = {.run = HAFT__LIT(ROOT), .path = HAFT__LIT(""), .lines = haft__str(root_log)},
         .name = HAFT__LIT("boss")},
        {.log = {.run = HAFT__LIT(CHILD),
                 .path = HAFT__LIT("c1.1/c1.2"),
                 .lines = haft__str(child_log)},
         .name = HAFT__LIT("di&g"),
         .depth = 1},
    };
    haft__buf buf;
    haft_error err = {0};
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__tree_waterfall_write(&buf, HAFT__LIT(ROOT), runs, COUNT(runs),
                                         (haft__hash_key){1, 2}, &err),
              HAFT_OK, "%s", err.message);
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK(has(haft__buf_str(&buf), parts[i]), "%s\n%.*s", parts[i],
              HAFT__ARG(haft__buf_str(&buf)));
    }
    haft__buf_finish(&buf);
}

TEST(a_picture_has_a_bounded_number_of_rows)
{
    size_t count = HAFT__LIMIT_WATERFALL_RUNS;
    haft__waterfall_run *runs = test_alloc((count + 1) * sizeof(*runs));
    for (size_t i = 0; i <= count; i++) {
        runs[i] = (haft__waterfall_run){
            .log = {.run = HAFT__LIT(ROOT), .path = HAFT__LIT(""), .lines = haft__str(root_log)},
            .name = HAFT__LIT("x")};
    }
    for (size_t more = 0; more <= 1; more++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 24);
        CHECK_INT(haft__tree_waterfall_write(&buf, HAFT__LIT("t"), runs, count + more,
                                             (haft__hash_key){1, 2}, NULL),
                  HAFT_OK, "%zu more", more);
        CHECK_INT(has(haft__buf_str(&buf), "and 1 more run<"), more == 1, "%zu more", more);
        haft__buf_finish(&buf);
    }
}
