/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/replay/script.c: a script made from a log repeats the run. */
#include "run/replay/script.h"

#include "run/run_help.h"
#include "json/write.h"

static const char spec[] = "agent; tools=look!cached,other; violations=1";
static const char script[] =
    "{\"replies\":[{\"text\":\"\"},{\"reasoning\":\"hm\",\"calls\":[{\"name\":\"look\",\"id\":"
    "\"x\"},"
    "{\"name\":\"other\",\"raw\":\"{broken\"},"
    "{\"name\":\"none\",\"raw\":\"<x>\",\"malformed\":\"why\"},"
    "{\"name\":\"other\",\"repaired\":true},"
    "{\"name\":\"other\"}],\"usage\":{\"input_tokens\":5}}"
    ","
    "{\"calls\":[{\"name\":\"look\"}]},{\"error\":{\"status\":500,\"body\":\"no\"}}],"
    "\"results\":{\"look\":[\"seen\"],\"other\":[{\"error\":{\"message\":\"m\",\"hint\":\"h\"}}]}}";

static haft_str rescripted(haft__arena *arena, haft_str log)
{
    haft__json document = haft__json_null();
    haft_error err = {0};
    CHECK_INT(haft__replay_make_script(arena, log, (haft__hash_key){1, 2}, &document, &err),
              HAFT_OK, "%s %s", err.where, err.message);
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__json_write(&text, document);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return kept;
}

TEST(a_run_repeated_from_its_log_is_the_same)
{
    help_run first, again;
    help_run_init(&first, spec, script);
    CHECK_INT(help_run_go(&first), HAFT_OK, "%s", first.err.message);
    CHECK_INT(first.drive.run.end, HAFT__END_FAILED, "the run ends with a failure of the model");
    haft_str document = rescripted(&first.arena, haft__buf_str(&first.log));
    help_run_init(&again, spec, document.ptr);
    CHECK_INT(help_run_go(&again), HAFT_OK, "%s", again.err.message);
    CHECK_STR(haft__buf_str(&again.log), haft__buf_str(&first.log), "the log of the repeated run");
    help_run_finish(&again);
    help_run_finish(&first);
}

TEST(a_text_that_is_not_a_log_is_rejected_with_its_line)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json document;
    haft_error err;
    CHECK_INT(haft__replay_make_script(&arena, HAFT__LIT("\nnonsense\n"), (haft__hash_key){1, 2},
                                       &document, &err),
              HAFT_BAD_INPUT, "a line that is not an event");
    CHECK_STR(haft__str(err.where), HAFT__LIT("2:1:2 (byte 1)"), "place of the error");
    haft__arena_finish(&arena);
}

TEST(making_a_script_survives_every_failed_allocation)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json document;
        test_fail_allocation(n);
        haft_status status = haft__replay_make_script(&arena, haft__buf_str(&r.log),
                                                      (haft__hash_key){1, 2}, &document, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    help_run_finish(&r);
}
