/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - the loop of a command that has a run.
 *
 * The answer goes to standard output, what happens on the way to standard error; with --events only
 * events, with --json only the result. An interrupt stops the run here and leaves it to be resumed.
 * Tests: tests/cli/run_test.py.
 */
#include "cli/follow.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/artifacts.h"
#include "cli/interrupt.h"
#include "cli/pending.h"
#include "cli/print.h"
#include "cli/terminal.h"
#include "cli/timeline.h"
#include "run/result.h"

/* How often an interrupt is looked for. */
#define STEP_MS 200

typedef struct follower {
    haft__cli *cli;
    const haft__args *args;
    haft_run *run;
    haft__timeline timeline;
    bool events, json, tells;
    haft__terminal *terminal; /* NULL: nobody can be asked */
    haft_error *err;
} follower;

haft_status haft__follow_check(const haft__args *args, haft_error *err)
{
    if (haft__args_has(args, "events") && haft__args_has(args, "json")) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--events and --json exclude each other");
    }
    return HAFT_OK;
}

/* ---- what happens ---- */

static haft_status show_events(follower *f)
{
    haft_event event;
    while (haft_run_next_event(f->run, &event)) {
        if (f->events && event.seq > 0) {
            FILE *out = f->cli->out;
            bool good = fwrite(event.json.ptr, 1, event.json.len, out) == event.json.len
                        && putc('\n', out) != EOF && fflush(out) == 0;
            if (!good) {
                return haft__fail(f->err, HAFT_IO, "", "the event could not be printed");
            }
        } else if (f->tells && event.seq > 0) {
            haft__timeline_tell(&f->timeline, event.json);
        }
    }
    return HAFT_OK;
}

static haft_status step(follower *f)
{
    haft_status status = haft_runtime_step(f->run->runtime, STEP_MS, f->err);
    return status == HAFT_OK ? show_events(f) : status;
}

/* ---- who is asked ---- */

/* --yes: approves what is not destructive, --yes=all everything. */
static haft_status approve(follower *f, bool *ret_did)
{
    const haft__run *state = &f->run->state;
    const char *yes = haft__args_text(f->args, "yes", NULL);
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        bool pending = call->stage == HAFT__CALL_PAUSED && call->pause == HAFT__PAUSE_APPROVAL;
        if (pending && (yes != NULL || !call->tool->traits.destructive)) {
            haft__steer command = {
                .kind = HAFT__STEER_APPROVE,
                .call = call->id,
                .value = haft__json_null(),
                .by = yes != NULL ? HAFT__LIT("--yes=all") : HAFT__LIT("--yes"),
                .why = HAFT__LIT(""),
            };
            *ret_did = true;
            return haft__live_command(f->run, &command, f->err);
        }
    }
    return HAFT_OK;
}

/* Whether the run goes on because somebody here had something to say. */
static haft_status let_speak(follower *f, bool *ret_goes_on)
{
    *ret_goes_on = false;
    if (haft__args_has(f->args, "yes")) {
        haft_status status = approve(f, ret_goes_on);
        if (status != HAFT_OK || *ret_goes_on) {
            return status;
        }
    }
    return f->terminal != NULL ? haft__terminal_ask(f->terminal, f->run, ret_goes_on, f->err)
                               : HAFT_OK;
}

/* ---- the end ---- */

static haft__exit exit_of(const haft_run *run)
{
    if (haft_run_state(run) != HAFT_ENDED) {
        return HAFT__EXIT_WAITING;
    }
    switch (run->state.end) {
    case HAFT__END_DONE:
    case HAFT__END_DIRECT: return HAFT__EXIT_DONE;
    case HAFT__END_EXHAUSTED:
    case HAFT__END_INCOMPLETE: return HAFT__EXIT_EXHAUSTED;
    case HAFT__END_REFUSED: return HAFT__EXIT_REFUSED;
    case HAFT__END_VIOLATED: return HAFT__EXIT_VIOLATED;
    case HAFT__END_FAILED: return HAFT__EXIT_FAILED;
    case HAFT__END_CANCELLED: return HAFT__EXIT_CANCELLED;
    case HAFT__END_EXPIRED: return HAFT__EXIT_EXPIRED;
    }
    HAFT__UNREACHABLE();
}

static haft_status print_json(haft__cli *cli, const haft_run *run, const haft_error *stopped,
                              haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write(&text, &run->state, stopped);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, cli->out);
        cli->answered = true;
    }
    haft__buf_finish(&text);
    return status;
}

haft__exit haft__follow_print(haft__cli *cli, const haft__args *args, const haft_run *run,
                              haft_error *err)
{
    haft_str answer = haft_run_answer_text(run);
    if (haft__args_has(args, "json")) {
        return print_json(cli, run, NULL, err) == HAFT_OK ? exit_of(run) : HAFT__EXIT_FAILED;
    }
    if (!haft__args_has(args, "events") && answer.len > 0) {
        (void)fwrite(answer.ptr, 1, answer.len, cli->out);
        (void)fputc('\n', cli->out);
    }
    if (haft_run_state(run) == HAFT_WAITING && !haft__args_has(args, "quiet")
        && !haft__args_has(args, "events")) {
        haft__pending_tell(cli->errors, args, run);
    }
    return exit_of(run);
}

static haft__exit stop_here(follower *f)
{
    haft_error stopped = {0};
    (void)haft__fail(&stopped, HAFT_BAD_STATE, f->run->id, "stopped by a signal");
    (void)haft__hint(&stopped, HAFT_BAD_STATE, "haft resume %s goes on", f->run->id);
    if (f->json) {
        (void)!print_json(f->cli, f->run, &stopped, f->err);
    } else {
        (void)fprintf(f->cli->errors, "stopped; %s\n", stopped.hint);
    }
    return HAFT__EXIT_CANCELLED;
}

static haft__exit follow(follower *f)
{
    haft_status status = HAFT_OK;
    bool goes_on = true;
    while (status == HAFT_OK && goes_on) {
        haft_state state = haft_run_state(f->run);
        if (haft__interrupted()) {
            return stop_here(f);
        }
        switch (state) {
        case HAFT_RUNNING: status = step(f); break;
        case HAFT_WAITING: status = let_speak(f, &goes_on); break;
        case HAFT_ENDED: goes_on = false; break;
        case HAFT_STOPPED:
            *f->err = f->run->error;
            return haft__session_exit(f->err->status == HAFT_NOT_FOUND ? HAFT_NOT_FOUND : HAFT_IO);
        }
    }
    if (status == HAFT_OK) {
        status = show_events(f);
    }
    if (status == HAFT_OK) {
        status = haft__artifacts_write(
            haft__config_get(f->cli, f->args, HAFT__SETTING_artifacts).value, f->run, f->err);
    }
    return status == HAFT_OK ? haft__follow_print(f->cli, f->args, f->run, f->err)
                             : HAFT__EXIT_FAILED;
}

haft__exit haft__follow(haft__cli *cli, const haft__args *args, haft_run *run, haft_error *err)
{
    follower f = {.cli = cli,
                  .args = args,
                  .run = run,
                  .events = haft__args_has(args, "events"),
                  .json = haft__args_has(args, "json"),
                  .err = err};
    haft__terminal terminal;
    f.tells = !f.events && !f.json && !haft__args_has(args, "quiet");
    f.terminal = f.tells && haft__terminal_open(&terminal) ? &terminal : NULL;
    haft__timeline_init(&f.timeline, cli->errors, run->agent->spec);
    haft__interrupt_catch();
    haft__exit result = follow(&f);
    haft__timeline_finish(&f.timeline);
    if (f.terminal != NULL) {
        haft__terminal_close(&terminal);
    }
    return result;
}
