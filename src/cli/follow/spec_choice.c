/* SPDX-License-Identifier: Apache-2.0 */
/* spec_choice.c - see spec_choice.h. Tests: tests/cli/respec_test.py. */
#include "cli/follow/spec_choice.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/terminal/print.h"

static void print_changes(FILE *out, haft_str changes)
{
    while (changes.len > 0) {
        (void)fputs("  ", out);
        haft__print_escaped(out, haft__str_split(&changes, '\n'));
        (void)fputc('\n', out);
    }
}

static void report(void *context, haft__spec_drift_finding finding, const char *path,
                   haft_str changes, haft_error *err)
{
    const haft__spec_choice *choice = context;
    FILE *out = choice->cli->errors;
    switch (finding) {
    case HAFT__SPEC_DRIFT_CHANGED:
        print_changes(out, changes);
        (void)haft__hint(err, HAFT_BAD_INPUT,
                         "--accept-spec goes on with the new one, --stored-spec with the one the "
                         "run has");
        return;
    case HAFT__SPEC_DRIFT_INVALID:
        (void)haft__hint(err, HAFT_BAD_INPUT,
                         "`haft check` shows what is wrong; --stored-spec goes on with the spec as "
                         "it was");
        return;
    case HAFT__SPEC_DRIFT_MISSING:
        (void)haft__hint(err, HAFT_BAD_INPUT,
                         "put it back, or go on with the one the run has: --stored-spec");
        return;
    case HAFT__SPEC_DRIFT_IGNORED:
        if (!choice->quiet) {
            (void)fprintf(out,
                          "haft: %s is not there any more; the run goes on with the spec it has\n",
                          path);
        }
        return;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__spec_choice_watch(haft__spec_choice *choice, haft__cli *cli,
                                    const haft__args *args, haft_runtime *runtime, haft_error *err)
{
    bool accept = haft__args_has(args, "accept-spec"), stored = haft__args_has(args, "stored-spec");
    haft__spec_drift_options options = {.policy = accept   ? HAFT__SPEC_DRIFT_ACCEPT
                                                  : stored ? HAFT__SPEC_DRIFT_KEEP
                                                           : HAFT__SPEC_DRIFT_REJECT,
                                        .by = haft__delivery_user(),
                                        .report = report,
                                        .context = choice};
    choice->cli = cli;
    choice->quiet = haft__args_has(args, "quiet");
    haft__spec_drift_watch(&choice->drift, runtime, &options);
    return accept && stored ? haft__fail(err, HAFT_BAD_INPUT, "",
                                         "--accept-spec and --stored-spec exclude each other")
                            : HAFT_OK;
}

void haft__spec_choice_finish(haft__spec_choice *choice)
{
    haft__spec_drift_finish(&choice->drift);
}
