/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tree/tree_report.c. */
#include "engine/ops/tree/tree_report.h"

#include "base/str.h"
#include "test.h"

#define ROOT  "01m7p3bc3sk9vry82361ksnghm"
#define CHILD "01m7p3bc3sk9vry82361ksnghn"

static const haft__spec boss = {.name = {"boss", 4}}, digger = {.name = {"digger", 6}};
static const haft__run runs[] = {
    {.id = {ROOT, 26},
     .spec = &boss,
     .task = {"go", 2},
     .parent = {"", 0},
     .path = {"", 0},
     .stage = HAFT__RUN_CALLING,
     .turn = 2,
     .usage = {.calls = 3, .input_tokens = 100, .output_tokens = 20, .cached_tokens = 7},
     .cost_parts = 1500000000000U},
    {.id = {CHILD, 26},
     .spec = &digger,
     .task = {"dig \"here\"", 10},
     .parent = {ROOT, 26},
     .path = {"c1.1", 4},
     .stage = HAFT__RUN_ENDED,
     .end = HAFT__END_EXHAUSTED,
     .turn = 1,
     .usage = {.calls = 1, .input_tokens = 10, .output_tokens = 2},
     .cost_parts = 1U},
};

#define USAGE(input, output, cached, cost)                                                         \
    "\"usage\":{\"input_tokens\":" input ",\"output_tokens\":" output ",\"cached_tokens\":" cached \
    ",\"cost_usd\":" cost "}"
#define ROOT_JSON                                                                                  \
    "{\"run\":\"" ROOT "\",\"parent\":null,\"call\":null,\"agent\":\"boss\",\"task\":\"go\","      \
    "\"state\":\"waiting\",\"end\":null,\"turns\":2,\"calls\":3," USAGE("100", "20", "7",          \
                                                                        "1.5") "}"
#define CHILD_JSON                                                                                 \
    "{\"run\":\"" CHILD "\",\"parent\":\"" ROOT "\",\"call\":\"c1.1\",\"agent\":\"digger\","       \
    "\"task\":\"dig \\\"here\\\"\",\"state\":\"ended\",\"end\":\"exhausted\",\"turns\":1,"         \
    "\"calls\":1," USAGE("10", "2", "0", "0.000000000001") "}"

TEST(a_report_has_each_run_and_the_sum)
{
    static const haft__tree_entry entries[] = {
        {.run = &runs[0], .state = {"waiting", 7}},
        {.run = &runs[1], .state = {"ended", 5}, .depth = 1},
    };
    static const struct {
        size_t first, count;
        const char *wanted;
    } rows[] = {
        {0, 0,
         "{\"run\":null,\"runs\":[],\"tree\":{\"runs\":0,\"turns\":0,\"calls\":0," USAGE(
             "0", "0", "0", "0.0") "}}"},
        {0, 1,
         "{\"run\":\"" ROOT "\",\"runs\":[" ROOT_JSON "],\"tree\":{\"runs\":1,\"turns\":2,"
         "\"calls\":3," USAGE("100", "20", "7", "1.5") "}}"},
        {1, 1,
         "{\"run\":\"" CHILD "\",\"runs\":[" CHILD_JSON "],\"tree\":{\"runs\":1,\"turns\":1,"
         "\"calls\":1," USAGE("10", "2", "0", "0.000000000001") "}}"},
        {0, 2,
         "{\"run\":\"" ROOT "\",\"runs\":[" ROOT_JSON "," CHILD_JSON "],\"tree\":{\"runs\":2,"
         "\"turns\":3,\"calls\":4," USAGE("110", "22", "7", "1.500000000001") "}}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 20);
        haft__tree_report_write(&text, entries + rows[i].first, rows[i].count);
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].wanted), "row %zu", i);
        haft__buf_finish(&text);
    }
}
