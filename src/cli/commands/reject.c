/* SPDX-License-Identifier: Apache-2.0 */
/* reject.c - `haft reject`: rejects a pending call. Tests: tests/cli/store_test.py. */
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/spec_choice.h"

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__delivery delivery = {
        .run = args->words[0],
        .command = {.kind = HAFT__RUN_COMMAND_REJECT,
                    .call = haft__str(args->word_count > 1 ? args->words[1] : ""),
                    .why = haft__str(haft__args_text(args, "why", ""))}};
    return haft__delivery_send(cli, args, &delivery, err);
}

static const haft__option options[] = {
    {"why", 0, HAFT__OPTION_TEXT, "TEXT", "the reason; the model reads it"},
    HAFT__OPTIONS_OVERRIDE,
    HAFT__OPTIONS_SPEC_CHOICE,
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft reject last --why 'use the other file'", "reject the pending call, with a reason"},
    {0},
};

const haft__command haft__cmd_reject = {
    .name = "reject",
    .usage = "ID [CALL]",
    .summary = "reject a pending call, and continue the run",
    .help = "ID is a run's id, the beginning of one, or `last`. CALL may be omitted when only one\n"
            "call is pending.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .result = true,
};
