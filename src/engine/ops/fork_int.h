/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/fork_int.h - shared by fork.c and fork_point.c. */
#ifndef HAFT_ENGINE_OPS_FORK_INT_H
#define HAFT_ENGINE_OPS_FORK_INT_H

#include "engine/ops/fork.h"

/* A fork that is being created. */
typedef struct haft__fork_builder {
    const haft__fork_source *from;
    const haft__fork_options *options;
    haft__arena *arena;
    haft__fork *fork;
    uint64_t at;             /* seq of the last event that is copied into the fork */
    bool at_end;             /* `at` is the run's last event */
    bool may_be_pending;     /* a call may be pending at `at` */
    bool is_copy;            /* the run has ended: the fork is a copy */
    haft__run run;           /* the events folded up to `at` */
    uint64_t shift_from_seq; /* seq of the first event whose time is shifted; 0: none */
    uint64_t shift_ms;
    haft__buf text;   /* the events of the fork */
    haft__buf change; /* the body of the last event, which the original run does not have; or "" */
    haft_error *err;
} haft__fork_builder;

/* Finds the last event of the fork, from the options. Fails with BAD_INPUT. */
HAFT_MUST_USE haft_status haft__fork_find_point(haft__fork_builder *f);

/* Checks whether the folded run can be forked at that point: at the end of a turn, at its
 * end (`is_copy`), or at a pending call. No effect may happen a second time without approval. Fails
 * with BAD_INPUT or BAD_STATE. */
HAFT_MUST_USE haft_status haft__fork_check_point(haft__fork_builder *f);

#endif
