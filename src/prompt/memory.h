/* SPDX-License-Identifier: Apache-2.0 */
/* prompt/memory.h - memory files in the system prompt, and in run_started. */
#ifndef HAFT_PROMPT_MEMORY_H
#define HAFT_PROMPT_MEMORY_H

#include "spec/spec.h"
#include "json/write.h"

/* Appends the memory files of the spec, each with a heading. AGENTS.md comes last, between two
 * lines that no text can contain, with a sentence that says whose text it is. */
void haft__prompt_add_memory(haft__buf *buf, const haft__spec *spec);

/* Writes the member `memory`: [{file, bytes, sha256, project}]. Writes nothing without memory
 * files. */
void haft__memory_write(haft__json_writer *w, const haft__spec *spec);

#endif
