/* SPDX-License-Identifier: Apache-2.0 */
/* pause.c - the table of the kinds of pauses. Tests: tests/run/pause/pause_test.c. */
#include "run/pause/pause.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "run/pause/approval.h"
#include "run/pause/command.h"
#include "run/pause/question.h"
#include "run/pause/unknown_outcome.h"

static const haft__pause_kind kinds[HAFT__PAUSE_KINDS] = {
    [HAFT__PAUSE_QUESTION] =
        {
            .name = "question",
            .carries_elicitation = true,
            .prompt = HAFT__PAUSE_PROMPT_QUESTION,
            .verdicts =
                {[HAFT__RUN_COMMAND_ANSWER] = "answer", [HAFT__RUN_COMMAND_REJECT] = "reject"},
            .read_answer = haft__question_answer,
            .replies = {{"answer", " 'TEXT'", ""}},
        },
    [HAFT__PAUSE_HEADLESS] =
        {
            .name = "headless",
            .at_client = true,
            .verdicts = {[HAFT__RUN_COMMAND_ANSWER] = "answer",
                         [HAFT__RUN_COMMAND_REJECT] = "reject",
                         [HAFT__RUN_COMMAND_FAIL] = HAFT__VERDICT_ERROR},
            .replies = {{"answer", " 'JSON'", ""}, {"answer", " --error 'TEXT'", "  # it failed"}},
        },
    [HAFT__PAUSE_APPROVAL] =
        {
            .name = "approval",
            .before_start = true,
            .binds = true,
            .prompt = HAFT__PAUSE_PROMPT_CALL,
            .verdicts = {[HAFT__RUN_COMMAND_ANSWER] = "respond", /* in place of the tool's result */
                         [HAFT__RUN_COMMAND_APPROVE] = "approve",
                         [HAFT__RUN_COMMAND_REJECT] = "reject"},
            .edited = "edit",
            .check = haft__approval_check_command,
            .replies = {{"approve", "", ""}, {"reject", " --why 'REASON'", ""}},
        },
    [HAFT__PAUSE_UNKNOWN_OUTCOME] =
        {
            .name = "unknown_outcome",
            .outcome_unknown = true,
            .prompt = HAFT__PAUSE_PROMPT_OUTCOME,
            .verdicts = {[HAFT__RUN_COMMAND_ANSWER] = "answer",
                         [HAFT__RUN_COMMAND_APPROVE] = "retry",
                         [HAFT__RUN_COMMAND_AGAIN] = "retry",
                         [HAFT__RUN_COMMAND_REJECT] = "reject"},
            .check = haft__unknown_outcome_check_command,
            .replies = {{"answer", " 'RESULT'", "  # its result"},
                        {"approve", " --again", "  # run it again"},
                        {"reject", " --why 'REASON'", "  # continue without it"}},
        },
};

const haft__pause_kind *haft__pause_kind_of(haft__pause pause)
{
    return &kinds[pause];
}

const char *haft__pause_name(haft__pause pause)
{
    return kinds[pause].name;
}

bool haft__pause_find(haft_str name, haft__pause *ret_pause)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i].name))) {
            *ret_pause = (haft__pause)i;
            return true;
        }
    }
    return false;
}

haft__pause haft__pause_of_elicitation(void)
{
    size_t i = 0;
    while (!kinds[i].carries_elicitation) {
        i++;
    }
    return (haft__pause)i;
}

haft__pause haft__pause_of_lost_process(void)
{
    size_t i = 0;
    while (!kinds[i].outcome_unknown) {
        i++;
    }
    return (haft__pause)i;
}

const char *haft__pause_verdict(haft__pause pause, const struct haft__run_command *command)
{
    const haft__pause_kind *kind = &kinds[pause];
    bool edits =
        command->kind == HAFT__RUN_COMMAND_APPROVE && command->value.kind != HAFT__JSON_NULL;
    return edits && kind->edited != NULL ? kind->edited : kind->verdicts[command->kind];
}

static bool is_verdict(haft_str verdict, const char *name)
{
    return name != NULL && haft__str_equal(verdict, haft__str(name));
}

/* Clients and deadlines may record these verdicts for every kind. */
static bool is_common_verdict(haft_str verdict)
{
    static const char *const common[] = {"answer", "respond", "reject", "expire"};
    for (size_t i = 0; i < COUNT(common); i++) {
        if (is_verdict(verdict, common[i])) {
            return true;
        }
    }
    return false;
}

bool haft__pause_accepts_verdict(haft__pause pause, haft_str verdict)
{
    const haft__pause_kind *kind = &kinds[pause];
    for (size_t i = 0; i < COUNT(kind->verdicts); i++) {
        if (is_verdict(verdict, kind->verdicts[i])) {
            return true;
        }
    }
    return is_verdict(verdict, kind->edited) || is_common_verdict(verdict);
}
