/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c - `haft cancel`: cancels a run, also if another process owns it. Tests:
 * tests/cli/store_test.py. */
#include "base/str.h"
#include "cli/follow/delivery.h"

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__delivery delivery = {.run = args->words[0],
                               .command = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                           .call = HAFT__LIT(""),
                                           .why = haft__str(haft__args_text(args, "why", ""))}};
    return haft__delivery_send(cli, args, &delivery, err);
}

static const haft__option options[] = {
    {"why", 0, HAFT__OPTION_TEXT, "TEXT", "the reason; it is recorded"},
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft cancel last --why 'no longer needed'", "cancel the newest run"},
    {0},
};

const haft__command haft__cmd_cancel = {
    .name = "cancel",
    .usage = "ID",
    .summary = "cancel a run, and all that it started",
    .help = "ID is a run's id, the beginning of one, or `last`. If another process owns the run,\n"
            "that process cancels it.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .result = true,
};
