/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/artifact.c. */
#include "run/artifact.h"

#include "run_help.h"

TEST(a_line_tells_the_model_about_a_stored_result)
{
    static const struct {
        haft__artifact_fate fate;
        size_t bytes;
        const char *line;
    } rows[] = {
        {HAFT__ARTIFACT_STORED, 12345, "12,345 bytes of image/png, stored as the artifact a.png"},
        {HAFT__ARTIFACT_STORED, 1, "1 byte of image/png, stored as the artifact a.png"},
        {HAFT__ARTIFACT_STORED, 0, "0 bytes of image/png, stored as the artifact a.png"},
        {HAFT__ARTIFACT_STORED, 999, "999 bytes of image/png, stored as the artifact a.png"},
        {HAFT__ARTIFACT_STORED, 1000, "1,000 bytes of image/png, stored as the artifact a.png"},
        {HAFT__ARTIFACT_TOO_BIG, 123456789,
         "123,456,789 bytes of image/png, not stored: the limit for a binary result is 8,388,608 "
         "bytes"},
        {HAFT__ARTIFACT_SECRET, 20, "20 bytes of image/png, not stored: they contain a secret"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 256);
        haft__artifact_describe(&buf, rows[i].fate, rows[i].bytes, HAFT__LIT("image/png"),
                                HAFT__LIT("a.png"));
        CHECK_STR(haft__buf_str(&buf), haft__str(rows[i].line), "row %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(names_come_from_the_tool_and_the_type)
{
    static const struct {
        const char *tool, *type, *name;
    } rows[] = {
        {"chart", "image/png", "chart-1.png"},
        {"my_tool-2", "application/pdf", "my_tool-2-1.pdf"},
        {"docs:v1.read", "application/x-unknown", "docs-v1-read-1.bin"},
        {"../../etc/passwd", "image/gif", "------etc-passwd-1.gif"},
        {"\xc3\xa4", "image/gif", "---1.gif"},
    };
    haft__run run = {.artifact_count = 0};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(haft__artifact_choose_name(&run, haft__str(rows[i].tool), haft__str(rows[i].type),
                                             &arena),
                  haft__str(rows[i].name), "row %zu", i);
    }
    haft__artifact taken[] = {{.name = HAFT__LIT("chart-1.png")},
                              {.name = HAFT__LIT("chart-3.png")}};
    const haft__artifact *all[] = {&taken[0], &taken[1]};
    run.artifacts = all;
    run.artifact_count = 2;
    CHECK_STR(haft__artifact_choose_name(&run, HAFT__LIT("chart"), HAFT__LIT("image/png"), &arena),
              HAFT__LIT("chart-2.png"), "the first free name");
    haft__arena_finish(&arena);
}

/* tests/run/scenarios/a-binary-result.txt replays. */
TEST(the_content_of_every_artifact_is_found)
{
    haft_str bytes = {"a\0b", 3};
    help_run r;
    help_run_init(&r, "agent; tools=chart,store_artifact",
                  "{\"replies\":[{\"calls\":[{\"name\":\"chart\"},{\"name\":\"store_artifact\","
                  "\"arguments\":{\"name\":\"a\",\"content\":\"text\"}}]},{\"text\":\"done\"}],"
                  "\"results\":{\"chart\":\"a\\u0000b\"}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    const haft__run *run = &r.drive.run;
    CHECK_INT(run->artifact_count, 3, "number of artifacts");
    for (size_t i = 0; i < run->artifact_count; i++) {
        const haft__artifact *artifact = run->artifacts[i];
        bool text = haft__str_equal(artifact->name, HAFT__LIT("a"));
        CHECK_STR(haft__artifact_content(run, artifact), text ? HAFT__LIT("text") : bytes,
                  "case %zu", i);
    }
    help_run_finish(&r);
}
