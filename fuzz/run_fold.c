/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: whatever lines come, folding takes them in or refuses them; what was taken in leads to
 * a state from which decide goes on, and a line that was refused has an error that says why.
 *
 * The input is a log of events; those of the corpus are logs of real runs of the spec below.
 */
#include "base/str.h"
#include "fuzz.h"
#include "run/decide.h"
#include "tool/builtin.h"

/* Built-ins of every role. */
static void make_spec(haft__spec *spec, haft__arena *arena)
{
    static const char *const names[] = {
        "glob",       "grep", "read", "store_artifact", "request_user_input", "complete_workflow",
        "read_result"};
    static const haft_str formats[] = {{"native", 6}};
    *spec = (haft__spec){.kind = HAFT__SPEC_WORKFLOW,
                         .hash = HAFT__LIT("0123456789abcdef"),
                         .formats = formats,
                         .format_count = 1,
                         .choice = {.gate = true, .min_tools_for_auto = 3},
                         .limits = {.turns = 12,
                                    .calls = 50,
                                    .parallel = 3,
                                    .observation_chars = 100,
                                    .tokens = 1000000,
                                    .wall_ms = 600000,
                                    .invalid_calls = 3,
                                    .reminders = 2,
                                    .violations = 2}};
    haft__tools_init(&spec->tools, arena, (haft__hash_key){1, 2});
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        haft__tool tool;
        REQUIRE(haft__builtin_tool(arena, haft__str(names[i]), &tool, NULL) == HAFT_OK);
        REQUIRE(haft__tools_add(&spec->tools, &tool, NULL) == HAFT_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__arena arena;
    haft__arena_init(&arena, (size_t)64 << 20);
    haft__spec spec;
    haft__run run;
    haft__decider decider;
    make_spec(&spec, &arena);
    REQUIRE(haft__run_init(&run, &arena, &spec, (haft__hash_key){1, 2}, NULL) == HAFT_OK);
    REQUIRE(haft__decider_init(&decider, NULL) == HAFT_OK);
    haft_str lines = {(const char *)data, size};
    while (lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        haft_error err = {0};
        haft_status status = haft__run_fold(&run, line, &err);
        REQUIRE(status == err.status);
        REQUIRE(status == HAFT_OK || err.message[0] != '\0');
        if (status != HAFT_OK) {
            break; /* the run must not be used any more */
        }
        haft__effect effect;
        status = haft__decide(&decider, &run, run.last_ms, &effect, &err);
        REQUIREF(status == HAFT_OK, "%s %s", err.where, err.message);
        REQUIRE((effect.kind == HAFT__EFFECT_END) == (run.stage == HAFT__RUN_ENDED));
    }
    haft__decider_finish(&decider);
    haft__arena_finish(&arena);
    return 0;
}
