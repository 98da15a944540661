/* SPDX-License-Identifier: Apache-2.0 */
/* engine/spec_path.h - reads and finds files that a spec names, relative to the spec file. */
#ifndef HAFT_ENGINE_SPEC_PATH_H
#define HAFT_ENGINE_SPEC_PATH_H

#include "base/arena.h"
#include "spec/load/load.h"

/* The directory that `path` is relative to: the directory of the spec, or "" if the path is
 * absolute. */
haft_str haft__spec_path_directory(haft_str spec, haft_str path);

/* Implements haft__spec_options.read_file. IO if the file cannot be read, TOO_BIG if it has more
 * than HAFT__LIMIT_SPEC_BYTES. */
HAFT_MUST_USE haft_status haft__spec_path_read(void *context, haft__arena *arena, haft_str spec,
                                               haft_str path, haft_str *ret_text, haft_error *err);

/* Implements haft__spec_options.find_program. */
haft__program_state haft__spec_path_find_program(haft_str spec, haft_str program,
                                                 haft_str search_path);

/* Implements haft__spec_options.has_directory. */
bool haft__spec_path_has_directory(haft_str spec, haft_str path);

#endif
