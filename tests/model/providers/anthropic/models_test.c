/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/anthropic/models.c. */
#include "model/providers/anthropic/models.h"

#include "test.h"

TEST(models_differ_by_their_names)
{
    static const struct {
        const char *model;
        bool force, binds;
    } cases[] = {
        {"claude-opus-5", true, false},
        {"claude-opus-5-5", false, true},
        {"claude-opus-5-5-20261001", false, true},
        {"claude-opus-5-50", true, false},
        {"us.anthropic.claude-sonnet-5-5-v1:0", false, true},
        {"claude-fable-5-1", false, true},
        {"claude-haiku-5-5", true, true},
        {"other", true, false},
        {"", true, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str model = haft__str(cases[i].model);
        CHECK_INT(haft__anthropic_can_force(model), cases[i].force, "%s", cases[i].model);
        CHECK_INT(haft__anthropic_binds_thinking(model), cases[i].binds, "%s", cases[i].model);
    }
}
