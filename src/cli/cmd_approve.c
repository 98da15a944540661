/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_approve.c - `haft approve`: lets a call run. Tests: tests/cli/store_test.py,
 * tests/cli/pause_test.py. */
#include "base/error.h"
#include "base/str.h"
#include "cli/respec.h"
#include "cli/say.h"
#include "cli/session.h"

/* null would stand for no other arguments. What is not to be read is told where the rest is. */
static haft_status check_arguments(const char *text, haft_error *err)
{
    if (haft__str_equal(haft__str_trim(haft__str(text)), HAFT__LIT("null"))) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "--args",
                                        "expected an object with the arguments, found null");
        return haft__hint(err, status,
                          "without --args the call runs with the arguments it has, with {} without "
                          "any");
    }
    return HAFT_OK;
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *given = haft__args_text(args, "args", NULL);
    haft_status status = given != NULL ? check_arguments(given, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return haft__session_exit(status);
    }
    haft__said said = {.run = args->words[0],
                       .command = {.kind = HAFT__STEER_APPROVE,
                                   .call = haft__str(args->word_count > 1 ? args->words[1] : ""),
                                   .why = HAFT__LIT("")},
                       .value = given};
    return haft__say(cli, args, &said, err);
}

static const haft__option options[] = {
    {"args", 0, HAFT__OPTION_TEXT, "JSON", "run it with these arguments instead"},
    HAFT__OPTIONS_RESPEC,
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_SHOW,
    {0},
};

static const haft__example examples[] = {
    {"haft approve last", "let the call run that waits"},
    {"haft approve last c1.1 --args '{\"text\": \"fewer words\"}'",
     "let a certain call run, with other arguments"},
    {0},
};

const haft__command haft__cmd_approve = {
    .name = "approve",
    .usage = "ID [CALL]",
    .summary = "let a call run that waits for approval, and go on",
    .help =
        "ID is a run's id, the beginning of one, or `last`; CALL may be left out when only one\n"
        "is pending. A call whose outcome is unknown is run again.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__EXITS_RUN,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .result = true,
};
