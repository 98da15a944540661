/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/spec_choice.h - chooses the spec with which a run continues. --accept-spec and
 * --stored-spec choose if the spec's file has changed (engine/ops/spec_drift.h); --model and --set
 * change parts of the spec. */
#ifndef HAFT_CLI_FOLLOW_SPEC_CHOICE_H
#define HAFT_CLI_FOLLOW_SPEC_CHOICE_H

#include "cli/session.h"
#include "engine/ops/spec_drift.h"

/* Rows of option tables. */
#define HAFT__OPTIONS_SPEC_CHOICE                                                                  \
    {"accept-spec", 0, HAFT__OPTION_FLAG, NULL, "continue with the spec as its file is now"},      \
    {                                                                                              \
        "stored-spec", 0, HAFT__OPTION_FLAG, NULL,                                                 \
            "continue with the spec that is stored with the run"                                   \
    }

/* Rows for commands that continue one run, maybe in an environment without the variables of its
 * start. */
#define HAFT__OPTIONS_OVERRIDE                                                                     \
    {"model", 'm', HAFT__OPTION_TEXT, "M", "continue with this model: provider:model"},            \
    {                                                                                              \
        "set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",                                                 \
            "continue with this part of the spec changed; may be repeated"                         \
    }

typedef struct haft__spec_choice {
    haft__cli *cli;
    bool quiet;
    haft__spec_drift drift;
} haft__spec_choice;

/* From now on checks the spec of every run that `runtime` opens, and prints changes of its file.
 * The caller calls haft__spec_choice_finish, also after a failure. The struct must not move. Fails
 * with BAD_INPUT if both options are given. */
HAFT_MUST_USE haft_status haft__spec_choice_watch(haft__spec_choice *choice, haft__cli *cli,
                                                  const haft__args *args, haft_runtime *runtime,
                                                  haft_error *err);
void haft__spec_choice_finish(haft__spec_choice *choice);

#endif
