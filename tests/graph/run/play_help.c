/* SPDX-License-Identifier: Apache-2.0 */
/* play_help.c - see play_help.h. */
#include "graph/run/play_help.h"

#include "run/replay/replay.h"

haft_status play_append(played *p, haft_str body)
{
    haft__buf_clear(&p->line);
    haft__event_write(&p->line, p->run.seq + 1, p->now_ms, HAFT__LIT(HELP_RUN), body);
    haft_str line = haft__buf_str(&p->line);
    haft__buf_add_str(&p->log, line);
    haft__buf_add_char(&p->log, '\n');
    return haft__run_fold(&p->run, line, &p->err);
}

void play_init(played *p, const char *spec, const char *task)
{
    haft__spec_options options = {.hash_key = HELP_KEY};
    haft__buf body;
    *p = (played){.now_ms = 1000000, .kept = haft__json_object(NULL, 0)};
    load_with(&p->file, haft__str(spec), &options);
    CHECK_STR(p->file.listing, HAFT__LIT(""), "problems of %s", spec);
    haft__arena_init(&p->arena, 0);
    haft__buf_init(&p->log, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&p->line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    CHECK_INT(haft__decider_init(&p->decider, &p->err), HAFT_OK, "decider");
    CHECK_INT(haft__run_init(&p->run, &p->arena, p->file.spec, HELP_KEY, &p->err), HAFT_OK, "run");
    haft__input_run_started(&body, p->file.spec, haft__str(task), HAFT__LIT(HELP_THREAD),
                            HAFT__LIT(""), HAFT__LIT(""));
    CHECK_INT(play_append(p, haft__buf_str(&body)), HAFT_OK, "%s", p->err.message);
    haft__buf_finish(&body);
}

void play_finish(played *p)
{
    haft__decider_finish(&p->decider);
    haft__buf_finish(&p->log);
    haft__buf_finish(&p->line);
    haft__arena_finish(&p->arena);
    unload(&p->file);
}

haft_status play_finish_one(played *p)
{
    const haft__run_call *open[16];
    size_t count = 0;
    haft__buf body;
    for (size_t i = p->run.batch; i < p->run.call_count && count < COUNT(open); i++) {
        if (p->run.calls[i].stage == HAFT__CALL_STARTED) {
            open[count++] = &p->run.calls[i];
        }
    }
    if (count == 0) { /* a call waits for its next attempt */
        p->now_ms += 1000;
        return HAFT_OK;
    }
    const haft__run_call *call = open[p->order % count];
    bool bad = haft__str_starts_with(call->name, HAFT__LIT("bad"));
    haft__outcome outcome = {.ok = !bad,
                             .text = bad                 ? HAFT__LIT("it broke")
                                     : p->result.len > 0 ? p->result
                                                         : call->name,
                             .where = HAFT__LIT(""),
                             .hint = HAFT__LIT(""),
                             .diff = HAFT__LIT(""),
                             .timed_out = p->failure.timed_out,
                             .transient = p->failure.transient};
    p->order = p->order * 7 + 3;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_call_finished(&body, &p->run, call, &outcome);
    haft_status status = play_append(p, haft__buf_str(&body));
    haft__buf_finish(&body);
    return status;
}

static haft_status read_thread(played *p)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_thread_state(&body, HAFT__LIT(HELP_THREAD), p->kept);
    haft_status status = play_append(p, haft__buf_str(&body));
    haft__buf_finish(&body);
    return status;
}

void play_on(played *p)
{
    for (size_t i = 0; i < 2000; i++) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        p->now_ms += 10;
        haft_status status = haft__decide(&p->decider, &p->run, p->now_ms, &effect, &p->err);
        if (status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT) {
            haft_str body = haft__arena_copy(&p->arena, effect.body);
            status = play_append(p, body);
        } else if (status == HAFT_OK && effect.kind == HAFT__EFFECT_RUN_CALLS) {
            status = play_finish_one(p);
        } else if (status == HAFT_OK && effect.kind == HAFT__EFFECT_READ_THREAD) {
            status = read_thread(p);
        } else if (status == HAFT_OK) {
            return;
        }
        CHECK_INT(status, HAFT_OK, "%s", p->err.message);
    }
    CHECK(false, "the run does not end");
}

void play_answer(played *p, const char *call, const char *verdict, const char *value)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_answered(&body, haft__str(call), HAFT__LIT("ana"), haft__str(verdict),
                         help_json(&p->arena, value));
    CHECK_INT(play_append(p, haft__buf_str(&body)), HAFT_OK, "%s", p->err.message);
    haft__buf_finish(&body);
    play_on(p);
}

void play_check_replay(played *p)
{
    haft__arena arena;
    haft__replay replay = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(
        haft__replay_log(&arena, p->file.spec, haft__buf_str(&p->log), HELP_KEY, &replay, &p->err),
        HAFT_OK, "%s", p->err.message);
    CHECK(replay.identical, "event %llu: %.*s, decided %.*s", (unsigned long long)replay.differs_at,
          HAFT__ARG(replay.recorded), HAFT__ARG(replay.decided));
    haft__arena_finish(&arena);
}
