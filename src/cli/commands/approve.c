/* SPDX-License-Identifier: Apache-2.0 */
/* approve.c - `haft approve`: approves a pending call. Tests: tests/cli/store_test.py,
 * tests/cli/pause_test.py. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/spec_choice.h"
#include "cli/session.h"
#include "run/pause/binding.h"

/* Rejects null, which would mean unchanged arguments. Other errors of the text are reported where
 * it is parsed. */
static haft_status check_arguments(const char *text, haft_error *err)
{
    if (haft__str_equal(haft__str_trim(haft__str(text)), HAFT__LIT("null"))) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "--args",
                                        "expected an object with the arguments, found null");
        return haft__hint(err, status,
                          "omit --args to keep the arguments of the call; use {} for none");
    }
    return HAFT_OK;
}

/* Rejects a short prefix of the hash, because it may be ambiguous. */
static haft_status check_binding(const char *text, haft_error *err)
{
    size_t length = strlen(text);
    bool good = length >= HAFT__BINDING_PREFIX_LENGTH && length <= HAFT__BINDING_LENGTH
                && strspn(text, "0123456789abcdef") == length;
    return good ? HAFT_OK
                : haft__fail(err, HAFT_BAD_INPUT, "--binding",
                             "expected the first %d to %d digits of the hash that is the "
                             "`binding` of the pending call",
                             HAFT__BINDING_PREFIX_LENGTH, HAFT__BINDING_LENGTH);
}

/* Rejects --args and --binding together with --again: a repeated call keeps its arguments. */
static haft_status check_again(const char *given, const char *binding, haft_error *err)
{
    bool alone = given == NULL && binding == NULL;
    return alone ? HAFT_OK
                 : haft__fail(err, HAFT_BAD_INPUT, "",
                              "--again and %s cannot be combined: the call runs again unchanged",
                              given != NULL ? "--args" : "--binding");
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *given = haft__args_text(args, "args", NULL);
    const char *binding = haft__args_text(args, "binding", NULL);
    bool again = haft__args_has(args, "again");
    haft_status status = again ? check_again(given, binding, err) : HAFT_OK;
    if (status == HAFT_OK && given != NULL) {
        status = check_arguments(given, err);
    }
    if (status == HAFT_OK && binding != NULL) {
        status = check_binding(binding, err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__delivery delivery = {
        .run = args->words[0],
        .command = {.kind = again ? HAFT__RUN_COMMAND_AGAIN : HAFT__RUN_COMMAND_APPROVE,
                    .call = haft__str(args->word_count > 1 ? args->words[1] : ""),
                    .why = HAFT__LIT(""),
                    .binding = haft__str(binding != NULL ? binding : "")},
        .value = given};
    return haft__delivery_send(cli, args, &delivery, err);
}

static const haft__option options[] = {
    {"args", 0, HAFT__OPTION_TEXT, "JSON", "run the call with these arguments instead"},
    {"binding", 0, HAFT__OPTION_TEXT, "HASH",
     "approve only if the call has this `binding` (see --json)"},
    {"again", 0, HAFT__OPTION_FLAG, NULL, "run a call with an unknown outcome again"},
    HAFT__OPTIONS_OVERRIDE,
    HAFT__OPTIONS_SPEC_CHOICE,
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft approve last", "approve the pending call"},
    {"haft approve last c1.1 --args '{\"text\": \"fewer words\"}'",
     "approve one call, with other arguments"},
    {0},
};

const haft__command haft__cmd_approve = {
    .name = "approve",
    .usage = "ID [CALL]",
    .summary = "approve a pending call, and continue the run",
    .help =
        "ID is a run's id, the beginning of one, or `last`. CALL may be omitted when only one\n"
        "call is pending. --again runs a call with an unknown outcome again. It may be omitted\n"
        "if nobody has approved the call before: approving the same call twice counts once.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .result = true,
};
