/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/timeline/choice_words.c. */
#include "cli/timeline/choice_words.h"

#include "test.h"
#include "json/read.h"

TEST(mode_of_a_turn_is_described_in_plain_words)
{
    static const struct {
        const char *turn, *words;
    } cases[] = {
        {"{\"mode\":\"any\",\"gate\":{\"called\":[\"a\"],\"threshold\":3,\"open\":false}}",
         "must use a tool: 1 of 3 done"},
        {"{\"mode\":\"any\",\"gate\":{\"called\":[\"a\"],\"threshold\":1,\"open\":true}}",
         "must use a tool"},
        {"{\"mode\":\"any\",\"gate\":null}", "must use a tool"},
        {"{\"mode\":\"tool\",\"tool\":\"find\",\"gate\":null}", "must use find"},
        {"{\"mode\":\"tool\",\"tool\":\"find\",\"gate\":{\"called\":[],\"threshold\":2,"
         "\"open\":false}}",
         "must use find: 0 of 2 done"},
        {"{\"mode\":\"auto\",\"gate\":{\"called\":[],\"threshold\":2,\"open\":false}}",
         "free to answer"},
        {"{\"mode\":\"none\",\"reason\":\"schedule, turn 1: none\",\"final\":false}",
         "must answer"},
        {"{\"mode\":\"none\",\"reason\":\"last turn (12 of 12)\",\"final\":true}",
         "must answer: last turn (12 of 12)"},
        {"{\"mode\":\"other\"}", ""},
        {"{}", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf words;
        haft__event turn = {0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&words, 1000);
        CHECK_INT(haft__json_read(&arena, haft__str(cases[i].turn), NULL, &turn.object, NULL, NULL),
                  HAFT_OK, "case %zu: reading the event", i);
        haft__choice_words_add(&words, &turn);
        CHECK_STR(haft__buf_str(&words), haft__str(cases[i].words), "case %zu", i);
        haft__buf_finish(&words);
        haft__arena_finish(&arena);
    }
}
