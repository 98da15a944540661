/* SPDX-License-Identifier: Apache-2.0 */
/* command_repeat.c - finds commands that repeat an earlier command. Tests:
 * tests/run/pause/command_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/pause/command_int.h"
#include "run/pause/elicitation.h"
#include "json/read.h"

haft__json haft__command_value(const haft__run_command *command)
{
    bool text =
        command->kind == HAFT__RUN_COMMAND_REJECT || command->kind == HAFT__RUN_COMMAND_FAIL;
    return text ? haft__json_string(command->why) : command->value;
}

haft_status haft__command_redact_value(const haft__redactor *redactor, haft__json value,
                                       haft__hash_key hash_key, haft__arena *arena,
                                       haft__json *ret_clean, bool *ret_redacted, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__buf text, clean;
    *ret_clean = value;
    *ret_redacted = false;
    if (redactor == NULL) {
        return HAFT_OK;
    }
    options.hash_key = hash_key;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, value);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_redacted = haft__redact(redactor, haft__buf_str(&text), &clean);
        status = haft__buf_check(&clean, err);
    }
    if (status == HAFT_OK && *ret_redacted) {
        haft_str kept = haft__arena_copy(arena, haft__buf_str(&clean));
        status = kept.ptr != NULL ? haft__json_read(arena, kept, &options, ret_clean, NULL, err)
                                  : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&clean);
    return status;
}

/* Whether the recorded answer equals the command. Compares the plain and the redacted value,
 * because it is unknown whether the recording process knew the secrets in the answer. */
static haft_status answer_matches(const haft__run *run, const haft__pause_answer *recorded,
                                  const haft__run_command *command, const char *verdict,
                                  haft__json value, bool *ret_equal, haft_error *err)
{
    haft__arena arena;
    haft__json clean;
    bool redacted = false;
    if (!haft__str_equal(recorded->verdict, haft__str(verdict))) {
        *ret_equal = false;
        return HAFT_OK;
    }
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__json_equal(recorded->value, value, ret_equal, err);
    if (status == HAFT_OK && !*ret_equal) {
        status = haft__command_redact_value(command->redactor, value, run->hash_key, &arena, &clean,
                                            &redacted, err);
    }
    if (status == HAFT_OK && redacted) {
        status = haft__json_equal(recorded->value, clean, ret_equal, err);
    }
    haft__arena_finish(&arena);
    return status;
}

/* Whether the answer equals the last answer that the tool received. The recorded question is needed
 * for this comparison. */
static haft_status elicitation_answer_matches(const haft__run *run,
                                              const haft__pause_answer *recorded,
                                              const haft__run_command *command, bool *ret_equal,
                                              haft_error *err)
{
    haft__arena arena;
    haft__json value;
    haft_error misfit = {0};
    if (command->kind == HAFT__RUN_COMMAND_REJECT) {
        return answer_matches(run, recorded, command, "reject", haft__command_value(command),
                              ret_equal, err);
    }
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__elicitation_answer(recorded->elicitation, command->value, &arena,
                                                  run->hash_key, &value, &misfit);
    if (status == HAFT_OK) {
        status = answer_matches(run, recorded, command, "answer", value, ret_equal, err);
    } else if (status == HAFT_BAD_INPUT) { /* such an answer was never accepted */
        status = HAFT_OK;
    } else if (err != NULL) {
        *err = misfit;
    }
    haft__arena_finish(&arena);
    return status;
}

/* Whether the command equals the last answer to that kind of pause. */
static haft_status matches_answer_to(const haft__run *run, const haft__run_call *call,
                                     haft__pause pause, const haft__run_command *command,
                                     bool *ret_equal, haft_error *err)
{
    const haft__pause_answer *recorded = &call->answers[pause];
    const haft__pause_kind *kind = haft__pause_kind_of(pause);
    const char *verdict = haft__pause_verdict(pause, command);
    haft__json value = haft__command_value(command);
    *ret_equal = false;
    if (recorded->verdict.len == 0 || command->kind == HAFT__RUN_COMMAND_CANCEL) {
        return HAFT_OK;
    }
    if (recorded->elicitation.kind == HAFT__JSON_OBJECT
        && command->kind != HAFT__RUN_COMMAND_AGAIN) {
        return elicitation_answer_matches(run, recorded, command, ret_equal, err);
    }
    bool reads = kind->read_answer != NULL && command->kind == HAFT__RUN_COMMAND_ANSWER;
    if (verdict == NULL || (reads && kind->read_answer(call, value, &value, NULL) != HAFT_OK)) {
        return HAFT_OK;
    }
    return answer_matches(run, recorded, command, verdict, value, ret_equal, err);
}

/* Whether the command may repeat the answer to that kind of pause. If the pause that the sender saw
 * does not accept the command, the command may repeat the answer to any pause. */
static bool may_repeat_answer(const haft__run_command *command, haft__pause pause)
{
    haft__pause seen;
    bool named = haft__pause_find(command->pause, &seen);
    return !named || seen == pause || haft__pause_verdict(seen, command) == NULL;
}

haft_status haft__command_is_repeated(const haft__run *run, const haft__run_call *call,
                                      const haft__run_command *command, bool *ret_equal,
                                      haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_equal = false;
    for (int i = 0; i < HAFT__PAUSE_KINDS && status == HAFT_OK && !*ret_equal; i++) {
        if (may_repeat_answer(command, (haft__pause)i)) {
            status = matches_answer_to(run, call, (haft__pause)i, command, ret_equal, err);
        }
    }
    return status;
}

haft_status haft__command_repeats_approval(const haft__run *run, const haft__run_call *call,
                                           const haft__run_command *command, bool *ret_equal,
                                           haft_error *err)
{
    bool later_pause =
        command->kind == HAFT__RUN_COMMAND_APPROVE && !haft__pause_kind_of(call->pause)->binds;
    haft_status status = HAFT_OK;
    *ret_equal = false;
    for (int i = 0; later_pause && i < HAFT__PAUSE_KINDS && status == HAFT_OK && !*ret_equal; i++) {
        if (haft__pause_verdict((haft__pause)i, command) != NULL) {
            status = matches_answer_to(run, call, (haft__pause)i, command, ret_equal, err);
        }
    }
    return status;
}

haft_status haft__run_command_is_duplicate(const haft__run *run, const haft__run_command *command,
                                           bool *ret_duplicate, haft_error *err)
{
    const haft__run_call *call = haft__run_find_call(run, command->call);
    *ret_duplicate = false;
    for (int i = 0; i < HAFT__PAUSE_KINDS && call != NULL && command->message.len > 0; i++) {
        *ret_duplicate =
            *ret_duplicate || haft__str_equal(call->answers[i].message, command->message);
    }
    return call != NULL && !*ret_duplicate
               ? haft__command_is_repeated(run, call, command, ret_duplicate, err)
               : HAFT_OK;
}
