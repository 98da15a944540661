/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide*.c: what a run does, event by event. */
#include "run/decide.h"

#include "scenario_help.h"

/* The file with other events. */
static haft_str with_events(const help_scenario *scenario, haft_str events)
{
    bool has = scenario->events.ptr != NULL;
    haft__buf all;
    haft__buf_init(&all, 1 << 26);
    haft__buf_add(&all, scenario->text.ptr,
                  has ? (size_t)(scenario->events.ptr - scenario->text.ptr) : scenario->text.len);
    haft__buf_add_str(&all, events);
    haft_str kept = help_keep(haft__buf_str(&all));
    haft__buf_finish(&all);
    return kept;
}

TEST(runs_do_what_their_scripts_lead_to)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        help_run r;
        help_run_init_str(&r, scenarios[i].spec, scenarios[i].script);
        CHECK_INT(help_scenario_play(&scenarios[i], &r), HAFT_OK, "%s: %s %s", scenarios[i].path,
                  r.err.where, r.err.message);
        haft_str found = haft__buf_str(&r.summary);
        if (!help_renew(scenarios[i].path, with_events(&scenarios[i], found))) {
            CHECK_STR(found, scenarios[i].events, "%s", scenarios[i].path);
        }
        help_run_finish(&r);
    }
}
