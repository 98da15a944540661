/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/external_editor.h - lets a person change a text in the program that $VISUAL or
 * $EDITOR names. */
#ifndef HAFT_CLI_TERMINAL_EXTERNAL_EDITOR_H
#define HAFT_CLI_TERMINAL_EXTERNAL_EDITOR_H

#include "base/arena.h"
#include "engine/runtime.h"

/* Writes `text` to a temporary file that only the user can read, runs the editor on the terminal
 * `fd` and reads the file when the editor has ended. Steps the runtime meanwhile, so that runs
 * renew their leases. *ret_text lives in `arena`. Fails with NOT_FOUND if no editor is named, with
 * BAD_STATE if the editor fails, or with IO. */
HAFT_MUST_USE haft_status haft__external_editor_run(haft_runtime *runtime, int fd, haft_str text,
                                                    haft__arena *arena, haft_str *ret_text,
                                                    haft_error *err);

#endif
