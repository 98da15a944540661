/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/members/refusal_file.c; tests/cli/remembered_test.py has runs. */
#include "engine/members/refusal_file.h"

#include <stdlib.h>

#include "base/str.h"
#include "io/process_help.h"

TEST(every_member_can_be_remembered)
{
    haft_str url = HAFT__LIT("https://models.example/v1"), model = HAFT__LIT("m");
    haft__refusals all = {.members = HAFT__MEMBER_BIT(HAFT__MEMBER_COUNT) - 1};
    const char *before = getenv("XDG_STATE_HOME");
    char *kept = before != NULL ? strdup(before) : NULL;
    (void)setenv("XDG_STATE_HOME", help_folder(), 1);
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        all.statuses[i] = (uint16_t)(400 + i);
    }
    haft__refusal_file_write(url, model, &all, 1000);
    haft__refusals found = haft__refusal_file_read(url, model, 2000);
    CHECK_INT(found.members, all.members, "all members");
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        CHECK_INT(found.statuses[i], all.statuses[i], "member %zu", i);
    }
    found = haft__refusal_file_read(url, HAFT__LIT("other"), 2000);
    CHECK_INT(found.members, 0, "another model");
    (void)(kept != NULL ? setenv("XDG_STATE_HOME", kept, 1) : unsetenv("XDG_STATE_HOME"));
    free(kept);
}
