/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/replay/script.h - makes a script from a log: the model `replay:FILE`.
 *
 * The script returns the replies and the results of tools that are in the log, in order. It does
 * not check requests. With the same spec, the run is the same; with another spec, the differences
 * become visible.
 */
#ifndef HAFT_RUN_REPLAY_SCRIPT_H
#define HAFT_RUN_REPLAY_SCRIPT_H

#include "run/event.h"

/* Makes the document that haft__script_init reads. Lives in `arena`. BAD_INPUT if `lines` is not a
 * log; err->where names the line. */
HAFT_MUST_USE haft_status haft__replay_make_script(haft__arena *arena, haft_str lines,
                                                   haft__hash_key hash_key,
                                                   haft__json *ret_document, haft_error *err);

#endif
