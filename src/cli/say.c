/* SPDX-License-Identifier: Apache-2.0 */
/* say.c - commands to runs, of this process or another. Tests: tests/cli/store_test.py. */
#include "cli/say.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/complain.h"
#include "io/clock.h"
#include "io/environment.h"
#include "json/read.h"

/* How long another process may take until it has heard. */
#define HEARD_MS 10000U
#define LOOK_MS  50U

/* Who speaks: the name of the user. */
static haft_str speaker(void)
{
    haft_str user = haft__environment_get(NULL, HAFT__LIT("USER"));
    return user.ptr != NULL && user.len > 0 ? user : HAFT__LIT("cli");
}

/* The call that is meant; NULL when that is not clear, which haft__steer_apply says better. */
static const haft__run_call *meant(const haft_run *run, haft_str call)
{
    if (call.len > 0) {
        return haft__run_find_call(&run->state, call);
    }
    for (size_t i = run->state.batch; i < run->state.call_count; i++) {
        if (run->state.calls[i].stage == HAFT__CALL_PAUSED) {
            return &run->state.calls[i];
        }
    }
    return NULL;
}

static haft_status read_value(haft__cli *cli, const haft_run *run, const haft__said *said,
                              haft__json *ret_value, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = run->runtime->hash_key;
    haft_str text = haft__str(said->value);
    haft_status status = haft__json_read(&cli->arena, text, &options, ret_value, NULL, err);
    const haft__run_call *call = meant(run, said->command.call);
    bool wants_json = !said->text || (call != NULL && call->pause == HAFT__PAUSE_HEADLESS);
    if (status == HAFT_BAD_INPUT && !wants_json) {
        *ret_value = haft__json_string(text);
        *err = (haft_error){0};
        return HAFT_OK;
    }
    if (status == HAFT_BAD_INPUT) {
        (void)haft__hint(err, status, "the value is JSON: write a text as '\"text\"'");
        haft__complain_json(cli->errors, said->text ? "VALUE" : "--args", text, true, err);
        haft__error_at(err, "the value"); /* not what it is: it may be a secret */
        cli->problem = *err;
        *err = (haft_error){.status = status};
        return status;
    }
    return status;
}

static haft_status complete(haft__cli *cli, const haft_run *run, const haft__said *said,
                            haft__steer *ret_command, haft_error *err)
{
    *ret_command = said->command;
    ret_command->by = speaker();
    ret_command->value = haft__json_null();
    return said->value != NULL ? read_value(cli, run, said, &ret_command->value, err) : HAFT_OK;
}

/* ---- a run of our own ---- */

static haft__exit say_here(haft__cli *cli, const haft__args *args, haft_run *run,
                           const haft__said *said, haft_error *err)
{
    haft__steer command;
    haft_status status = complete(cli, run, said, &command, err);
    if (status == HAFT_OK && run->stage == HAFT__LIVE_SEEN) { /* it has ended */
        haft__buf none;
        haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
        status = haft__steer_apply(&run->state, &command, &none, err);
        haft__buf_finish(&none);
        return status == HAFT_OK ? haft__follow_print(cli, args, run, err)
                                 : haft__session_exit(status);
    }
    if (status == HAFT_OK) {
        status = haft__live_command(run, &command, err);
    }
    return status == HAFT_OK ? haft__follow(cli, args, run, err) : haft__session_exit(status);
}

/* ---- a run of another process ---- */

static haft_status send_message(haft__cli *cli, haft_run *run, const haft__said *said,
                                haft_error *err)
{
    haft__steer command;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = complete(cli, run, said, &command, err);
    if (status == HAFT_OK) {
        haft__steer_write(&text, &command);
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        haft__store_request request = {
            .verb = HAFT__STORE_SEND, .run.id = haft__str(run->id), .text = haft__buf_str(&text)};
        status = haft__session_ask(cli, run->runtime, &request, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Until its owner has dealt with every message. */
static haft_status wait_until_heard(haft__cli *cli, haft_run *run, haft_error *err)
{
    haft_status status = HAFT_OK;
    uint64_t start = haft__clock_now(), count = 1;
    while (status == HAFT_OK && count > 0) {
        if (haft__clock_now() - start > HEARD_MS) {
            status = haft__fail(err, HAFT_IO, run->id,
                                "the process that has this run does not "
                                "listen; the message is kept for it");
            return haft__hint(err, status, "haft resume %s takes it up once it is gone", run->id);
        }
        haft__clock_sleep(LOOK_MS);
        haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
        status = haft__session_ask(cli, run->runtime, &request, err);
        count = request.message_count;
    }
    return status;
}

/* Reads the run without taking it. */
static haft_status look(haft_runtime *runtime, haft_str name, haft_run **ret_run, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__open_start(runtime, name, true, &run, err);
    while (status == HAFT_OK && run->stage == HAFT__LIVE_OPENING) {
        status = haft_runtime_step(runtime, -1, err);
    }
    if (status == HAFT_OK && run->stage == HAFT__LIVE_FAILED) {
        *err = run->error;
        status = err->status;
    }
    if (status != HAFT_OK) {
        haft_run_release(run);
        return status;
    }
    *ret_run = run;
    return HAFT_OK;
}

/* Whether it can be said to the run as it is, or, once it has been heard, whether that is what came
 * of it: somebody else may have been faster. */
static haft_status check_effect(haft__cli *cli, haft_run *run, const haft__said *said, bool heard,
                                haft_error *err)
{
    haft__steer command;
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = complete(cli, run, said, &command, err);
    if (status == HAFT_OK) {
        status = haft__steer_apply(&run->state, &command, &body, err);
    }
    if (status == HAFT_OK && heard && body.len > 0) {
        status = haft__fail(err, HAFT_BAD_STATE, run->id, "the run did not take it");
    }
    haft__buf_finish(&body);
    return status;
}

static haft__exit say_there(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                            const haft__said *said, haft_error *err)
{
    haft_run *before = NULL, *after = NULL;
    haft_status status = look(runtime, haft__str(said->run), &before, err);
    haft__said named = *said; /* with the call that is meant now, whatever waits later */
    if (status == HAFT_OK) {
        status = check_effect(cli, before, said, false, err);
    }
    const haft__run_call *call = status == HAFT_OK ? meant(before, said->command.call) : NULL;
    if (call != NULL && said->command.kind != HAFT__STEER_CANCEL) {
        named.command.call = call->id;
    }
    if (status == HAFT_OK) {
        status = send_message(cli, before, &named, err);
    }
    if (status == HAFT_OK) {
        status = wait_until_heard(cli, before, err);
    }
    if (status == HAFT_OK) {
        status = look(runtime, haft__str(before->id), &after, err);
    }
    if (status == HAFT_OK) {
        status = check_effect(cli, after, &named, true, err);
    }
    haft__exit result =
        status == HAFT_OK ? haft__follow_print(cli, args, after, err) : haft__session_exit(status);
    haft_run_release(before);
    haft_run_release(after);
    return result;
}

/* ---- either ---- */

haft__exit haft__say(haft__cli *cli, const haft__args *args, const haft__said *said,
                     haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_run *run = NULL;
    haft_status status = haft__follow_check(args, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    haft__exit result;
    status = haft_run_open(runtime, said->run, &run, err);
    if (status == HAFT_OK) {
        result = say_here(cli, args, run, said, err);
    } else if (status == HAFT_BAD_STATE) {
        *err = (haft_error){0};
        result = say_there(cli, args, runtime, said, err);
    } else {
        result = haft__session_exit(status);
    }
    haft_run_release(run);
    haft_runtime_destroy(runtime);
    return result;
}
