/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/pause/pause.c: every row is complete, and the shipped schemas have its names.
 */
#include "run/pause/pause.h"

#include "run/pause/command.h"
#include "spec/load/load.h"
#include "test.h"
#include "json/pointer.h"
#include "json/read.h"

static haft__json read_schema(haft__arena *arena, haft_str text)
{
    haft__json schema = haft__json_null();
    CHECK_INT(haft__json_read(arena, text, NULL, &schema, NULL, NULL), HAFT_OK,
              "the schema is JSON");
    return schema;
}

static bool lists(const haft__json *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (haft__str_equal(haft__json_text(names->items[i]), haft__str(name))) {
            return true;
        }
    }
    return false;
}

/* Checks that the `enum` at `pointer` has every kind, in the order of the rows. */
static void check_kinds(const char *file, const char *pointer)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = read_schema(&arena, test_read_file(file));
    const haft__json *names = haft__pointer_get(&schema, haft__str(pointer));
    CHECK(names != NULL, "no %s in %s", pointer, file);
    CHECK_INT(names->count, HAFT__PAUSE_KINDS, "%s", file);
    for (int i = 0; i < HAFT__PAUSE_KINDS; i++) {
        CHECK_STR(haft__json_text(names->items[i]), haft__str(haft__pause_name((haft__pause)i)),
                  "%s", file);
    }
    haft__arena_finish(&arena);
}

TEST(the_schemas_name_every_kind_of_pause)
{
    check_kinds("docs/schemas/event.schema.json", "/$defs/paused/properties/pause/enum");
    check_kinds("docs/schemas/result.schema.json",
                "/properties/pending/items/properties/kind/enum");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = read_schema(&arena, haft__spec_schema_text());
    const haft__json *keys = haft__pointer_get(&schema, HAFT__LIT("/$defs/pauses/properties"));
    CHECK_INT(keys->count, HAFT__PAUSE_KINDS, "number of key lists");
    for (int i = 0; i < HAFT__PAUSE_KINDS; i++) {
        const char *name = haft__pause_name((haft__pause)i);
        CHECK(haft__json_get(*keys, haft__str(name)) != NULL, "%s", name);
    }
    haft__arena_finish(&arena);
}

TEST(the_schema_of_events_names_every_verdict)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = read_schema(&arena, test_read_file("docs/schemas/event.schema.json"));
    const haft__json *names =
        haft__pointer_get(&schema, HAFT__LIT("/$defs/answered/properties/verdict/enum"));
    CHECK(names != NULL, "the schema has no verdicts");
    for (int i = 0; i < HAFT__PAUSE_KINDS; i++) {
        const haft__pause_kind *kind = haft__pause_kind_of((haft__pause)i);
        for (size_t k = 0; k < COUNT(kind->verdicts); k++) {
            CHECK(kind->verdicts[k] == NULL || lists(names, kind->verdicts[k]), "%s", kind->name);
        }
        CHECK(kind->edited == NULL || lists(names, kind->edited), "%s", kind->name);
    }
    haft__arena_finish(&arena);
}

TEST(every_kind_has_a_reply_and_accepts_an_answer_and_a_rejection)
{
    for (int i = 0; i < HAFT__PAUSE_KINDS; i++) {
        const haft__pause_kind *kind = haft__pause_kind_of((haft__pause)i);
        haft__pause found;
        CHECK(haft__pause_find(haft__str(kind->name), &found) && (int)found == i, "%s", kind->name);
        CHECK(kind->replies[0].command != NULL, "%s", kind->name);
        CHECK(kind->replies[COUNT(kind->replies) - 1].command == NULL, "%s", kind->name);
        CHECK(kind->verdicts[HAFT__RUN_COMMAND_ANSWER] != NULL, "%s", kind->name);
        CHECK(kind->verdicts[HAFT__RUN_COMMAND_REJECT] != NULL, "%s", kind->name);
        CHECK(kind->verdicts[HAFT__RUN_COMMAND_CANCEL] == NULL, "%s", kind->name);
        CHECK(kind->binds == (kind->prompt == HAFT__PAUSE_PROMPT_CALL), "%s", kind->name);
    }
    haft__pause none;
    CHECK(!haft__pause_find(HAFT__LIT(HAFT__RUN_COMMAND_NO_PAUSE), &none),
          "the word for no pause is not a kind");
}

TEST(the_verdict_of_a_command_is_that_of_the_row)
{
    static const struct {
        haft__pause pause;
        haft__run_command_kind command;
        bool value;
        const char *wanted; /* NULL: not accepted */
    } rows[] = {
        {HAFT__PAUSE_QUESTION, HAFT__RUN_COMMAND_ANSWER, true, "answer"},
        {HAFT__PAUSE_QUESTION, HAFT__RUN_COMMAND_APPROVE, false, NULL},
        {HAFT__PAUSE_HEADLESS, HAFT__RUN_COMMAND_AGAIN, false, NULL},
        {HAFT__PAUSE_APPROVAL, HAFT__RUN_COMMAND_ANSWER, true, "respond"},
        {HAFT__PAUSE_APPROVAL, HAFT__RUN_COMMAND_APPROVE, false, "approve"},
        {HAFT__PAUSE_APPROVAL, HAFT__RUN_COMMAND_APPROVE, true, "edit"},
        {HAFT__PAUSE_APPROVAL, HAFT__RUN_COMMAND_AGAIN, false, NULL},
        {HAFT__PAUSE_UNKNOWN_OUTCOME, HAFT__RUN_COMMAND_APPROVE, false, "retry"},
        {HAFT__PAUSE_UNKNOWN_OUTCOME, HAFT__RUN_COMMAND_APPROVE, true, "retry"},
        {HAFT__PAUSE_UNKNOWN_OUTCOME, HAFT__RUN_COMMAND_AGAIN, false, "retry"},
        {HAFT__PAUSE_UNKNOWN_OUTCOME, HAFT__RUN_COMMAND_CANCEL, false, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_command command = {.kind = rows[i].command,
                                     .value =
                                         rows[i].value ? haft__json_bool(true) : haft__json_null()};
        const char *verdict = haft__pause_verdict(rows[i].pause, &command);
        CHECK_STR(haft__str(verdict != NULL ? verdict : "none"),
                  haft__str(rows[i].wanted != NULL ? rows[i].wanted : "none"), "row %zu", i);
    }
}

TEST(approve_edit_and_retry_fit_one_kind_each)
{
    static const struct {
        const char *verdict;
        bool fits[HAFT__PAUSE_KINDS]; /* question, headless, approval, unknown outcome */
    } rows[] = {
        {"answer", {true, true, true, true}},     {"respond", {true, true, true, true}},
        {"reject", {true, true, true, true}},     {"expire", {true, true, true, true}},
        {"approve", {false, false, true, false}}, {"edit", {false, false, true, false}},
        {"retry", {false, false, false, true}},   {"cancel", {false, false, false, false}},
        {"", {false, false, false, false}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int k = 0; k < HAFT__PAUSE_KINDS; k++) {
            CHECK(haft__pause_accepts_verdict((haft__pause)k, haft__str(rows[i].verdict))
                      == rows[i].fits[k],
                  "%s to %s", rows[i].verdict, haft__pause_name((haft__pause)k));
        }
    }
}
