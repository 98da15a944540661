/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/result_artifacts.c. */
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "engine_help.h"
#include "run/artifact.h"

#define ONCE   "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"
#define BEFORE "run_started turn_started model_replied call_started "
#define AFTER  "call_finished turn_started model_replied run_finished"

/* Runs a tool with this command, such as "[\"date\"]". */
static haft_run *play(help_host *h, const char *command)
{
    char spec[512];
    (void)snprintf(spec, sizeof(spec),
                   "\"tools\":[{\"name\":\"look\",\"description\":\"Look it up.\",\"args\":[],"
                   "\"env\":{\"KEY\":\"${PLANTED_KEY}\"},\"command\":%s}]",
                   command);
    haft_run *run = help_host_start(h, spec, ONCE, "go");
    help_host_settle(h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", run->error.message);
    return run;
}

TEST(a_binary_result_is_an_artifact_and_a_line)
{
    static const struct {
        const char *command, *result;
        haft_str content; /* of the artifact; .ptr is NULL: there is none */
    } rows[] = {
        {"[\"printf\",\"text\"]", "text", {NULL, 0}},
        {"[\"printf\",\"a\\\\000\\\\n\"]",
         "3 bytes of application/octet-stream, stored as the artifact look-1.bin",
         {"a\0\n", 3}},
        {"[\"printf\",\"GIF89a\\\\000\"]",
         "7 bytes of image/gif, stored as the artifact look-1.gif",
         {"GIF89a\0", 7}},
        {"[\"printf\",\"\\\\000 planted-2b8e71\"]",
         "16 bytes of application/octet-stream, not stored: they contain a secret",
         {NULL, 0}},
        {"[\"printf\",\"\\\\000 cGxhbnRlZC0yYjhlNzE=\"]",
         "22 bytes of application/octet-stream, not stored: they contain a secret",
         {NULL, 0}},
    };
    CHECK_INT(setenv("PLANTED_KEY", "planted-2b8e71", 1), 0, "setenv");
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_host h;
        help_host_init(&h, "memory:");
        haft_run *run = play(&h, rows[i].command);
        bool stored = rows[i].content.ptr != NULL;
        CHECK_STR(run->state.calls[0].result, haft__str(rows[i].result), "row %zu", i);
        CHECK_STR(help_host_kinds(&h, run),
                  haft__str(stored ? BEFORE "artifact_stored " AFTER : BEFORE AFTER), "row %zu", i);
        CHECK_INT(run->state.artifact_count, stored, "row %zu", i);
        if (stored && run->state.artifact_count == 1) {
            CHECK_STR(haft__artifact_content(&run->state, run->state.artifacts[0]), rows[i].content,
                      "row %zu", i);
        }
        haft_run_release(run);
        help_host_finish(&h);
    }
    CHECK_INT(unsetenv("PLANTED_KEY"), 0, "unsetenv");
}

TEST(a_result_past_the_limit_is_not_stored)
{
    CHECK_INT(setenv("PLANTED_KEY", "planted-2b8e71", 1), 0, "setenv");
    for (int past = 0; past <= 1; past++) {
        help_host h;
        char command[64];
        help_host_init(&h, "memory:");
        (void)snprintf(command, sizeof(command), "[\"head\",\"-c\",\"%d\",\"/dev/zero\"]",
                       HAFT__LIMIT_ARTIFACT_BINARY_BYTES + past);
        haft_run *run = play(&h, command);
        CHECK_INT(run->state.artifact_count, 1 - past, "%d past the limit", past);
        CHECK(run->state.calls[0].ok, "the call failed");
        haft_str result = run->state.calls[0].result;
        CHECK((memmem(result.ptr, result.len, "not stored", 10) != NULL) == (past == 1), "%.*s",
              HAFT__ARG(result));
        haft_run_release(run);
        help_host_finish(&h);
    }
    CHECK_INT(unsetenv("PLANTED_KEY"), 0, "unsetenv");
}
