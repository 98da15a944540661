/* SPDX-License-Identifier: Apache-2.0 */
/* engine/script_file.h - reads scripts from files. */
#ifndef HAFT_ENGINE_SCRIPT_FILE_H
#define HAFT_ENGINE_SCRIPT_FILE_H

#include "model/script/script.h"

/* Reads a script, YAML or JSON; with `log`, a log of events to be replayed. Lives in `arena`;
 * `path` ends with a NUL. */
HAFT_MUST_USE haft_status haft__script_file_read(haft__arena *arena, haft_str path, bool log,
                                                 haft__hash_key hash_key, haft__script *ret_script,
                                                 haft_error *err);

/* Reads the script that the spec's model names, relative to the spec's directory: YAML or JSON for
 * script:FILE, a log of events for replay:FILE. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__script_file_load(haft__arena *arena, const haft__spec *spec,
                                                 haft__hash_key hash_key, haft__script *ret_script,
                                                 haft_error *err);

#endif
