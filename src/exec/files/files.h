/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/files.h - the built-ins glob, grep and read as functions: what they are asked for in,
 * the text for the model out. They block, and look at a flag now and then that ends them.
 *
 * Every result is valid UTF-8 and at most HAFT__LIMIT_FILES_RESULT_BYTES long, notes aside. A
 * failure is one the model can mend: err->where is a JSON Pointer to the argument. docs/builtins.md
 * says what results look like.
 */
#ifndef HAFT_EXEC_FILES_FILES_H
#define HAFT_EXEC_FILES_FILES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "exec/files/walk.h"

/* Arguments that were not given are "" or 0. */
typedef struct haft__file_search {
    haft_str spec_path, root; /* where the root is: haft__beneath_root */
    haft_str pattern, path, glob;
    uint64_t offset, limit;
    const atomic_bool *stop; /* may be NULL; BAD_STATE once it is set */
} haft__file_search;

/* What a result's buffer has to hold: HAFT__LIMIT_FILES_RESULT_BYTES, and a line that turns out to
 * be too long for it, or the notes. */
#define HAFT__SEARCH_BYTES (HAFT__LIMIT_FILES_RESULT_BYTES + 64 * 1024)

HAFT_MUST_USE haft_status haft__search_glob(const haft__file_search *search, haft__buf *result,
                                            haft_error *err);
HAFT_MUST_USE haft_status haft__search_grep(const haft__file_search *search, haft__buf *result,
                                            haft_error *err);
HAFT_MUST_USE haft_status haft__search_read(const haft__file_search *search, haft__buf *result,
                                            haft_error *err);

/* ---- what they share: search.c ---- */

static inline bool haft__search_stopped(const haft__file_search *search)
{
    return search->stop != NULL && atomic_load_explicit(search->stop, memory_order_relaxed);
}

haft_status haft__search_fail_stopped(haft_error *err);

/* A pattern of an argument; `where` is its JSON Pointer. */
HAFT_MUST_USE haft_status haft__search_wild(haft__arena *arena, haft_str pattern, const char *where,
                                            const haft__wild **ret_wild, haft_error *err);

/* As git sees it: a NUL among the first bytes. */
bool haft__search_is_binary(haft_str beginning);

/* The error for a file that was opened and cannot be read, as errno says. */
haft_status haft__search_fail_read(haft_str path, haft_error *err);

/* Takes a line that begins at `start` off the result again if it does not fit: false. */
bool haft__search_keep_line(haft__buf *result, size_t start);

/* The last line of a result, in brackets: what was left out, and why. */
typedef struct haft__notes {
    haft__buf *result;
    bool begun;
} haft__notes;

void haft__note(haft__notes *notes, const char *format, ...) HAFT__PRINTF(2, 3);

/* "3 files" and what happened to them, if there are any. */
void haft__note_count(haft__notes *notes, size_t count, const char *one, const char *many,
                      const char *what);

/* What a walk could not look at. */
void haft__note_walk(haft__notes *notes, const haft__walk *walk);
void haft__notes_end(haft__notes *notes);

#endif
