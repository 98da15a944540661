/* SPDX-License-Identifier: Apache-2.0 */
/* spec_choice.c - see spec_choice.h. Tests: tests/cli/respec_test.py. */
#include "cli/follow/spec_choice.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/input/spec_file.h"
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
                         "--accept-spec continues with the new spec, --stored-spec with the stored "
                         "one");
        return;
    case HAFT__SPEC_DRIFT_INVALID:
        (void)haft__hint(err, HAFT_BAD_INPUT,
                         "`haft check` shows the errors; --stored-spec continues with the stored "
                         "spec");
        return;
    case HAFT__SPEC_DRIFT_MISSING:
        (void)haft__hint(err, HAFT_BAD_INPUT,
                         "restore the file, or continue with the stored spec: --stored-spec");
        return;
    case HAFT__SPEC_DRIFT_IGNORED:
        if (!choice->quiet) {
            (void)fprintf(
                out, "haft: %s no longer exists; the run continues with its stored spec\n", path);
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
    haft_status status =
        haft__spec_file_overrides(cli, args, &options.sets, &options.set_count, err);
    haft__spec_drift_watch(&choice->drift, runtime, &options);
    if (status != HAFT_OK) {
        return status;
    }
    return accept && stored ? haft__fail(err, HAFT_BAD_INPUT, "",
                                         "--accept-spec and --stored-spec cannot be combined")
                            : HAFT_OK;
}

void haft__spec_choice_finish(haft__spec_choice *choice)
{
    haft__spec_drift_finish(&choice->drift);
}
