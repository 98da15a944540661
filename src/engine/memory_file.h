/* SPDX-License-Identifier: Apache-2.0 */
/* engine/memory_file.h - reads the memory files of a spec, and finds AGENTS.md. */
#ifndef HAFT_ENGINE_MEMORY_FILE_H
#define HAFT_ENGINE_MEMORY_FILE_H

#include "base/arena.h"
#include "run/redact/redact.h"
#include "spec/spec.h"

/* Implements haft__spec_options.read_memory. IO if it is not a regular file or cannot be read,
 * TOO_BIG if it has more than HAFT__LIMIT_MEMORY_FILE_BYTES. */
HAFT_MUST_USE haft_status haft__memory_file_read(haft__arena *arena, haft_str spec, haft_str path,
                                                 haft_str *ret_text, haft_error *err);

/* Implements haft__spec_options.read_agents_md: searches `root`, then the directories above it up
 * to the one with .git; without .git, only `root`. The project may be hostile, so a symbolic link
 * is an error. */
HAFT_MUST_USE haft_status haft__memory_file_read_agents_md(haft__arena *arena, haft_str spec,
                                                           haft_str root, haft_str *ret_path,
                                                           haft_str *ret_text, haft_error *err);

/* Redacts the memory files in the source of a spec and of its agents. *io_source stays the same if
 * they have no secret; new parts live in `arena`. */
HAFT_MUST_USE haft_status haft__memory_file_redact(haft__arena *arena,
                                                   const haft__redactor *redactor,
                                                   haft__json *io_source, bool *ret_changed,
                                                   haft_error *err);

#endif
