/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/replay/script.h - the script that plays a run again: what `replay:FILE` as a model is.
 *
 * Its replies and its tools' results are those of the log, in their order; nothing is expected of
 * the requests. With the same spec the run comes out the same; with another, one sees what changes.
 */
#ifndef HAFT_RUN_REPLAY_SCRIPT_H
#define HAFT_RUN_REPLAY_SCRIPT_H

#include "run/event.h"

/* Makes the document that haft__script_init takes. Lives in `arena`. BAD_INPUT when `lines` is no
 * log; err->where names the line. */
HAFT_MUST_USE haft_status haft__replay_make_script(haft__arena *arena, haft_str lines,
                                                   haft__hash_key hash_key,
                                                   haft__json *ret_document, haft_error *err);

#endif
