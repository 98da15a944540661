/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/event.c: reading and writing one line. */
#include "run/event.h"

#include "scenario_help.h"

#define ENVELOPE "{\"seq\":3,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"" HELP_RUN "\","

/* The error of reading a line; "" if it is an event. */
static const struct {
    const char *name, *line, *message;
    haft_status status;
} bad[] = {
    {"nothing", "", "", HAFT_BAD_INPUT},
    {"a truncated line", ENVELOPE "\"kind\":\"gate_opened\",\"called\":[\"a\"", "", HAFT_BAD_INPUT},
    {"two events", ENVELOPE "\"kind\":\"gate_opened\"}{}", "", HAFT_BAD_INPUT},
    {"an array", "[1]", "expected an event, a JSON object, found array", HAFT_BAD_INPUT},
    {"a key twice", ENVELOPE "\"kind\":\"gate_opened\",\"seq\":4}", "", HAFT_BAD_INPUT},
    {"no kind", ENVELOPE "\"kinds\":1}", "expected a known kind of event, found \"\"",
     HAFT_UNSUPPORTED},
    {"a kind that is not a text", ENVELOPE "\"kind\":[]}",
     "expected a known kind of event, found \"\"", HAFT_UNSUPPORTED},
    {"an unknown kind", ENVELOPE "\"kind\":\"dreamt\"}",
     "expected a known kind of event, found \"dreamt\"", HAFT_UNSUPPORTED},
    {"no seq", "{\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"x\",\"kind\":\"gate_opened\"}",
     "expected a whole number in \"seq\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"a seq that is not a number", "{\"seq\":\"1\",\"kind\":\"gate_opened\"}",
     "expected a whole number in \"seq\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"a seq below 0", "{\"seq\":-1,\"kind\":\"gate_opened\"}",
     "expected a whole number in \"seq\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"a seq past 64 bits", "{\"seq\":99999999999999999999,\"kind\":\"gate_opened\"}",
     "expected a whole number in \"seq\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"no at", "{\"seq\":1,\"run\":\"x\",\"kind\":\"gate_opened\"}",
     "expected a text in \"at\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"an at that is not a time",
     "{\"seq\":1,\"at\":\"noon\",\"run\":\"x\",\"kind\":\"gate_opened\"}",
     "expected a time such as 2026-11-15T03:04:05.678Z, found \"noon\"", HAFT_BAD_INPUT},
    {"no run", "{\"seq\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"gate_opened\"}",
     "expected a text in \"run\" of gate_opened, found none", HAFT_BAD_INPUT},
    {"a null run",
     "{\"seq\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":null,\"kind\":\"gate_opened\"}",
     "expected a text in \"run\" of gate_opened, found none", HAFT_BAD_INPUT},
};

TEST(a_line_that_is_not_an_event_is_rejected)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__event event;
        haft_error err = {0};
        haft_status status =
            haft__event_read(&arena, haft__str(bad[i].line), HELP_KEY, &event, &err);
        CHECK_INT(status, bad[i].status, "%s", bad[i].name);
        CHECK(err.message[0] != '\0', "%s", bad[i].name);
        if (bad[i].message[0] != '\0') {
            CHECK_STR(haft__str(err.message), haft__str(bad[i].message), "%s", bad[i].name);
        }
        haft__arena_finish(&arena);
    }
}

TEST(an_event_is_written_as_it_was_read)
{
    static const char body[] =
        "\"kind\":\"model_failed\",\"status\":5,\"message\":\"a\\n\\u0000b\","
        "\"ms\":1.50,\"more\":[null,{\"x\":true}]}";
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf line, again;
    haft__buf_init(&line, 4096);
    haft__buf_init(&again, 4096);
    haft__event_write(&line, 3, 0, HAFT__LIT(HELP_RUN), haft__str(body));
    CHECK(haft__str_starts_with(haft__buf_str(&line), HAFT__LIT(ENVELOPE)), "%.*s",
          HAFT__ARG(haft__buf_str(&line)));
    haft__event event;
    CHECK_INT(haft__event_read(&arena, haft__buf_str(&line), HELP_KEY, &event, NULL), HAFT_OK,
              "read the event");
    CHECK_INT(event.kind, HAFT__EVENT_MODEL_FAILED, "kind of the event");
    CHECK_INT(event.seq, 3, "seq");
    CHECK_INT(event.at_ms, 0, "time of the event");
    CHECK_STR(event.run, HAFT__LIT(HELP_RUN), "run id");
    haft__event_body(&again, &event);
    CHECK_STR(haft__buf_str(&again), haft__str(body), "body of the event");
    haft__buf_finish(&line);
    haft__buf_finish(&again);
    haft__arena_finish(&arena);
}

TEST(missing_fields_and_wrong_types_are_errors)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__event event;
    haft_str line = HAFT__LIT(ENVELOPE "\"kind\":\"gate_opened\",\"text\":\"t\",\"number\":7,"
                                       "\"yes\":true,\"no\":false,\"null\":null,\"half\":0.5}");
    CHECK_INT(haft__event_read(&arena, line, HELP_KEY, &event, NULL), HAFT_OK, "read the event");
    haft_str text = {NULL, 0};
    uint64_t number = 0;
    haft_error err = {0};
    CHECK_INT(haft__event_text(&event, "text", &text, &err), HAFT_OK, "read a text field");
    CHECK_STR(text, HAFT__LIT("t"), "value of a text field");
    CHECK_INT(haft__event_number(&event, "number", &number, &err), HAFT_OK, "read a number field");
    CHECK_INT(number, 7, "value of a number field");
    static const char *const not_texts[] = {"number", "yes", "null", "none"};
    static const char *const not_numbers[] = {"text", "half", "null", "none"};
    for (size_t i = 0; i < COUNT(not_texts); i++) {
        CHECK_INT(haft__event_text(&event, not_texts[i], &text, &err), HAFT_BAD_INPUT, "%s",
                  not_texts[i]);
        CHECK_STR(haft__str(err.where), HAFT__LIT("event 3"), "%s", not_texts[i]);
        CHECK_INT(haft__event_number(&event, not_numbers[i], &number, &err), HAFT_BAD_INPUT, "%s",
                  not_numbers[i]);
    }
    CHECK(haft__event_flag(&event, "yes"), "a true flag");
    CHECK(!haft__event_flag(&event, "no") && !haft__event_flag(&event, "text"),
          "a false flag, and a text that is not a flag");
    CHECK(!haft__event_flag(&event, "none"), "a missing flag");
    CHECK(haft__event_field(&event, "null") == NULL, "a null field counts as missing");
    CHECK(haft__event_field(&event, "none") == NULL, "a missing field");
    haft__arena_finish(&arena);
}

TEST(reading_survives_every_failed_allocation)
{
    haft_str line = HAFT__LIT(ENVELOPE "\"kind\":\"gate_opened\",\"called\":[\"a\\n\",\"b\"]}");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__event event;
        test_fail_allocation(n);
        haft_status status = haft__event_read(&arena, line, HELP_KEY, &event, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 0, "no allocation was made");
            break;
        }
    }
}

TEST(the_workflow_log_equals_its_golden_file)
{
    const char *path = "tests/run/golden/workflow.jsonl";
    haft_str found = help_scenario_log(help_scenario_named("workflow"));
    if (!help_renew(path, found)) {
        CHECK_STR(found, test_read_file(path),
                  "not the golden file; docs/events.md says how to renew it");
    }
}
