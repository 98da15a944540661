/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/event_log.c. */
#include "engine/ops/event_log.h"

#include <string.h>

#include "base/str.h"
#include "engine/engine_help.h"

#define SCRIPT "{\"replies\":[{\"text\":\"good\"}]}"

TEST(a_log_is_folded_up_to_an_event)
{
    help_host h;
    haft__arena arena;
    help_host_init(&h, "memory:");
    haft__arena_init(&arena, 0);
    haft_agent *agent = help_host_agent(&h, "", SCRIPT);
    haft_run *run = NULL;
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    haft_str lines = haft__arena_copy(&arena, help_host_events(&h, run));
    const uint64_t last[] = {1, 2, UINT64_MAX};
    for (size_t i = 0; i < COUNT(last); i++) {
        haft__run folded;
        CHECK_INT(haft__event_log_fold(&arena, agent->spec, "log", lines, last[i],
                                       h.runtime->hash_key, &folded, &h.err),
                  HAFT_OK, "%s", h.err.message);
        CHECK_INT(folded.seq, last[i] < UINT64_MAX ? last[i] : run->state.seq, "row %zu", i);
    }
    haft__replay replay;
    CHECK_INT(haft__event_log_replay(&arena, agent->spec, "log", lines, h.runtime->hash_key,
                                     &replay, &h.err),
              HAFT_OK, "%s", h.err.message);
    CHECK(replay.identical, "it differs at %llu", (unsigned long long)replay.differs_at);
    haft_run_release(run);
    haft_agent_release(agent);
    haft__arena_finish(&arena);
    help_host_finish(&h);
}

TEST(errors_name_the_line)
{
    static const struct {
        const char *lines, *where;
        haft_status status;
    } rows[] = {
        {"", "log", HAFT_BAD_INPUT},
        {"\n\n", "log", HAFT_BAD_INPUT},
        {"\nno event\n", "log:2", HAFT_BAD_INPUT},
    };
    help_host h;
    haft__arena arena;
    help_host_init(&h, "memory:");
    haft__arena_init(&arena, 0);
    haft_agent *agent = help_host_agent(&h, "", SCRIPT);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run run;
        haft_error err = {0};
        CHECK_INT(haft__event_log_fold(&arena, agent->spec, "log", haft__str(rows[i].lines),
                                       UINT64_MAX, h.runtime->hash_key, &run, &err),
                  rows[i].status, "row %zu", i);
        CHECK(strncmp(err.where, rows[i].where, strlen(rows[i].where)) == 0, "row %zu: %s", i,
              err.where);
    }
    haft__replay replay;
    haft_error err = {0};
    haft_str newer = HAFT__LIT("{\"seq\":1,\"at\":\"2026-01-01T00:00:00.000Z\",\"run\":\"r\","
                               "\"kind\":\"run_started\",\"version\":99}\n");
    CHECK_INT(haft__event_log_replay(&arena, agent->spec, "log", newer, h.runtime->hash_key,
                                     &replay, &err),
              HAFT_UNSUPPORTED, "%s", err.message);
    haft_agent_release(agent);
    haft__arena_finish(&arena);
    help_host_finish(&h);
}
