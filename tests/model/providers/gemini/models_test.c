/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/gemini/models.c. */
#include "model/providers/gemini/models.h"

#include "base/str.h"
#include "test.h"

TEST(models_from_gemini_3_on_need_signatures)
{
    static const struct {
        const char *model;
        bool needs;
    } rows[] = {
        {"gemini-3-pro-preview", true},
        {"gemini-3.8-flash", true},
        {"gemini-10-pro", true},
        {"gemini-flash-latest", true},
        {"models/gemini-3-pro", true},
        {"gemini-2.5-pro", false},
        {"models/gemini-2.0-flash", false},
        {"gemini-1.5-flash-8b", false},
        {"gemma-3-27b-it", false},
        {"tunedModels/mine", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(haft__gemini_needs_signatures(haft__str(rows[i].model)), rows[i].needs, "%s",
                  rows[i].model);
    }
}
