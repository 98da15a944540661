/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/wall.c. tests/run/scenarios/wall.txt and tests/cli/wall_test.py play
 * whole runs. */
#include "base/limits.h"
#include "run/decide/decide.h"
#include "test.h"

TEST(only_a_final_turn_after_the_limit_has_more_time)
{
    static const struct {
        bool forced;
        uint64_t worked, limit;
    } cases[] = {
        {false, 0, 1000},
        {false, 1000, 1000},
        {true, 999, 1000}, /* another budget forced the final turn */
        {true, 1000, 1000 + HAFT__LIMIT_RUN_FINAL_MS},
        {true, 5000, 5000 + HAFT__LIMIT_RUN_FINAL_MS},
    };
    haft__spec spec = {.limits.wall_ms = 1000};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__run run = {
            .spec = &spec, .forced_by_limit = cases[i].forced, .worked_ms = cases[i].worked};
        CHECK_INT(haft__run_wall_limit(&run), cases[i].limit, "case %zu", i);
    }
}
