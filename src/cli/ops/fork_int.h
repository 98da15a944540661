/* SPDX-License-Identifier: Apache-2.0 */
/* cli/ops/fork_int.h - what the files of forks share. */
#ifndef HAFT_CLI_OPS_FORK_INT_H
#define HAFT_CLI_OPS_FORK_INT_H

#include "cli/ops/fork.h"

/* One that is being made. */
typedef struct haft__fork_builder {
    haft__cli *cli;
    const haft__args *args;
    const haft__fork_source *from;
    const char *task, *call; /* what is said otherwise, and where; or NULL */
    uint64_t at;             /* the last event that is taken over */
    bool whole, asked; /* it is the run's last; it is one at which somebody may be waited for */
    bool branch;       /* the run has ended: what is made is a thread to go on in */
    haft__run run;     /* what they add up to */
    uint64_t shift_from_seq; /* the first event that happens later than it did there; 0: none, */
    uint64_t shift_ms;       /* by so much */
    char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
    haft__buf text; /* the events, as the fork has them */
    haft_error *err;
} haft__fork_builder;

/* Finds the last event that is taken over, as the options say. BAD_INPUT. */
HAFT_MUST_USE haft_status haft__fork_find_point(haft__fork_builder *f);

/* Whether the run, folded so far, can be left there: at the end of a turn, where somebody is waited
 * for and nothing is done twice unasked, or at its end (`branch`). BAD_INPUT, BAD_STATE. */
HAFT_MUST_USE haft_status haft__fork_check_point(haft__fork_builder *f);

#endif
