/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - `haft answer`: answers a pending question or call. Tests: tests/cli/store_test.py. */
#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/spec_choice.h"

static const haft__option options[] = {
    {"error", 0, HAFT__OPTION_TEXT, "TEXT",
     "the call of a headless tool failed; the model reads TEXT as its error"},
    HAFT__OPTIONS_OVERRIDE,
    HAFT__OPTIONS_SPEC_CHOICE,
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OUTPUT,
    {0},
};

/* Whether the text of --error is an option: then the user forgot the text. */
static bool is_option(const char *text)
{
    bool found = false;
    for (const haft__option *option = options; option->name != NULL && !found; option++) {
        found = strncmp(text, "--", 2) == 0 && strcmp(text + 2, option->name) == 0;
    }
    return found;
}

static haft_status check_words(const haft__args *args, const char *error, haft_error *err)
{
    if (error == NULL && args->word_count == 1) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected VALUE or --error TEXT");
    }
    if (error != NULL && is_option(error)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--error expects TEXT, found the option %s",
                          error);
    }
    if (error != NULL && haft__str_trim(haft__str(error)).len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--error expects TEXT, found an empty text");
    }
    if (error != NULL && args->word_count == 3) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "VALUE and --error cannot be combined");
    }
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *error = haft__args_text(args, "error", NULL);
    size_t words = 1 + (error == NULL); /* without CALL */
    bool named = args->word_count > words;
    haft__delivery delivery = {
        .run = args->words[0],
        .command = {.kind = error != NULL ? HAFT__RUN_COMMAND_FAIL : HAFT__RUN_COMMAND_ANSWER,
                    .call = haft__str(named ? args->words[1] : ""),
                    .why = haft__str(error != NULL ? error : "")},
        .value = error == NULL ? args->words[args->word_count - 1] : NULL,
        .may_be_text = true};
    if (check_words(args, error, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    return haft__delivery_send(cli, args, &delivery, err);
}

static const haft__example examples[] = {
    {"haft answer last 'the second one'", "answer the question of the newest run"},
    {"haft answer last '{\"name\": \"Ada\"}'", "fill in the form of an MCP server"},
    {"haft answer last c1.1 --error 'no such file'", "report that a headless call failed"},
    {0},
};

const haft__command haft__cmd_answer = {
    .name = "answer",
    .usage = "ID [CALL] VALUE | ID [CALL] --error TEXT",
    .summary = "answer a pending question or call, and continue the run",
    .help =
        "ID is a run's id, the beginning of one, or `last`. CALL may be omitted when only one\n"
        "call is pending. VALUE is JSON, or text for a question; the number of a choice selects\n"
        "that choice, and '' selects the default. The form of an MCP server takes an object of\n"
        "its fields, and a page to visit takes yes or no. For a call that needs approval, VALUE\n"
        "is its result, and the tool does not run. For a call with an unknown outcome, VALUE is\n"
        "its result. A result that does not match the tool's output_schema becomes an error that\n"
        "the model reads.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 1,
    .max_words = 3,
    .run = run,
    .result = true,
};
