/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - `haft answer`: answers a pending question or call. Tests: tests/cli/store_test.py. */
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/spec_choice.h"

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    bool named = args->word_count == 3;
    haft__delivery delivery = {.run = args->words[0],
                               .command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                           .call = haft__str(named ? args->words[1] : ""),
                                           .why = HAFT__LIT("")},
                               .value = args->words[named ? 2 : 1],
                               .text = true};
    return haft__delivery_send(cli, args, &delivery, err);
}

static const haft__option options[] = {
    HAFT__OPTIONS_SPEC_CHOICE, HAFT__OPTION_STORE, HAFT__OPTIONS_OUTPUT, {0}};

static const haft__example examples[] = {
    {"haft answer last 'the second one'", "answer the question of the newest run"},
    {"haft answer last '{\"name\": \"Ada\"}'", "fill in the form of an MCP server"},
    {0},
};

const haft__command haft__cmd_answer = {
    .name = "answer",
    .usage = "ID [CALL] VALUE",
    .summary = "answer a pending question or call, and continue the run",
    .help =
        "ID is a run's id, the beginning of one, or `last`. CALL may be omitted when only one\n"
        "call is pending. VALUE is JSON, or text for a question; the number of a choice selects\n"
        "that choice, and '' selects the default. The form of an MCP server takes an object of\n"
        "its fields, and a page to visit takes yes or no. For a call that needs approval, VALUE\n"
        "is its result, and the tool does not run. For a call with an unknown outcome, VALUE is\n"
        "its result.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 2,
    .max_words = 3,
    .run = run,
    .result = true,
};
