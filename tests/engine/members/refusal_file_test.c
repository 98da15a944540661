/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/members/refusal_file.c; tests/cli/remembered_test.py has runs. */
#include "engine/members/refusal_file.h"

#include <stdlib.h>

#include "base/str.h"
#include "io/process_help.h"
#include "json/read.h"

TEST(every_member_can_be_remembered)
{
    haft_str key = HAFT__LIT("0123456789abcdef"), other = HAFT__LIT("fedcba9876543210");
    haft__refusals all = {.count = 0};
    haft__member_texts texts = {.hash = {0}};
    const char *before = getenv("XDG_STATE_HOME");
    char *kept = before != NULL ? strdup(before) : NULL;
    (void)setenv("XDG_STATE_HOME", help_folder(), 1);
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        bool has_text = (HAFT__MEMBER_WITH_TEXT & HAFT__MEMBER_BIT(i)) != 0;
        texts.hash[i] = has_text ? UINT64_MAX - i : 0;
        haft__refusals_add(&all, (haft__refusal){.member = (haft__member)i,
                                                 .status = (uint16_t)(400 + i),
                                                 .text = texts.hash[i],
                                                 .at_ms = 1000 + i});
    }
    haft__refusal_file_write(key, &all);
    haft__refusals found = haft__refusal_file_read(key);
    CHECK_INT(found.count, all.count, "all members");
    CHECK_INT(haft__refusals_of(&found, &texts, 2000), HAFT__MEMBER_BIT(HAFT__MEMBER_COUNT) - 1,
              "all members with their texts");
    for (size_t i = 0; i < found.count; i++) {
        CHECK_INT(found.items[i].status, all.items[i].status, "member %zu", i);
        CHECK_INT(found.items[i].at_ms, all.items[i].at_ms, "member %zu", i);
    }
    CHECK_INT(haft__refusal_file_read(other).count, 0, "another key");
    (void)(kept != NULL ? setenv("XDG_STATE_HOME", kept, 1) : unsetenv("XDG_STATE_HOME"));
    free(kept);
}

TEST(a_key_depends_on_url_model_and_options)
{
    static const struct {
        const char *name, *url, *model, *options;
        bool same;
    } cases[] = {
        {"the same", "http://a/v1", "m", "{\"top_p\":0.5}", true},
        {"another URL", "http://b/v1", "m", "{\"top_p\":0.5}", false},
        {"another model", "http://a/v1", "n", "{\"top_p\":0.5}", false},
        {"another option", "http://a/v1", "m", "{\"top_p\":0.6}", false},
        {"no options", "http://a/v1", "m", "null", false},
    };
    char first[HAFT__SHA256_HEX] = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__json options;
        char key[HAFT__SHA256_HEX];
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__json_read(&arena, haft__str(cases[i].options), NULL, &options, NULL, NULL),
                  HAFT_OK, "%s", cases[i].name);
        CHECK_INT(haft__refusal_key(haft__str(cases[i].url), haft__str(cases[i].model), options,
                                    key, NULL),
                  HAFT_OK, "%s", cases[i].name);
        memcpy(first, i == 0 ? key : first, sizeof(first));
        CHECK_INT(memcmp(first, key, sizeof(key)) == 0, cases[i].same, "%s", cases[i].name);
        haft__arena_finish(&arena);
    }
}
